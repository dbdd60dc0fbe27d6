/** Breaks in what the replicas and processes of an operator share for its webhooks, beside those of its scenarios. */

import { breaksOf, type Mutant } from "../mutant.ts";

const SERVER = ["tests/scenarios/admission_server_test.ts"];
const SHARED = ["tests/scenarios/shared_webhooks_test.ts"];

const mutants: Mutant[] = [
  ...breaksOf("lib/handlers/admission/managed_configuration.ts", [
    ["ManagedConfiguration.create", "if (!isNeeded) return false;", ""],
    ["ManagedConfiguration.write", "attempt >= ATTEMPTS", "true"],
  ], SERVER),
  ...breaksOf("lib/handlers/admission/managed_configuration.ts", [
    ["ManagedConfiguration.mayBeMade", "deleted === undefined || ", "true || deleted === undefined || "],
  ], SHARED),
  ...breaksOf("lib/handlers/admission/managed_webhooks.ts", [
    ["ManagedWebhooks.release", "persistent.has(webhook.name) ||", ""],
    ["ManagedWebhooks.release", "if (left.length === webhooks.length) return undefined;", ""],
  ], SERVER),
  ...breaksOf("lib/handlers/admission/managed_webhooks.ts", [
    ["ManagedWebhooks.#isForeign", 'return owner.includes("/");', "return false;"],
    ["ManagedWebhooks.disagreement", "if (!names.has(String(webhook.name)))", "if (false)"],
  ], SHARED),
  ...breaksOf("lib/handlers/admission/webhook_plan.ts", [
    ["judge", "others.every(({ serves }) => serves?.has(name))", "true"],
    ["judge", "isAble && serves !== undefined && ", ""],
    ["judge", 'isUnderstood ? "own" : "old"', '"own"'],
  ], ["tests/handlers/admission/webhook_plan_test.ts"]),
  ...breaksOf("lib/handlers/admission/shared_certificate.ts", [
    ["SharedCertificate.#swap", "await distributed(bundle, term.signal);", ""],
    ["SharedCertificate.#consider", "!standing().includes(served.authority)", "true"],
    ["SharedCertificate.#repair", "!isKnown && ", "false && "],
  ], SHARED),
  ...breaksOf("lib/engines/replicas/held_name.ts", [
    ["HeldName.acquire", "if (await this.#lives(found, signal)) throw this.#refusal(found);", ""],
    ["HeldName.#lives", "if (!isSameRecord(now, found)) return true;", ""],
  ], SERVER),
];

export default mutants;
