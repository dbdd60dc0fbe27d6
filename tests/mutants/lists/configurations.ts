/** Breaks in the webhook configurations that an operator manages, beside those of its scenarios. */

import { breaksOf, type Mutant } from "../mutant.ts";

const SERVER = ["tests/scenarios/admission_server_test.ts"];

const mutants: Mutant[] = [
  ...breaksOf("lib/handlers/admission/managed_configuration.ts", [
    ["ManagedConfiguration.create", "if (!isNeeded) return false;", ""],
    ["ManagedConfiguration.write", "this.#problem === undefined && ", ""],
    [
      "ManagedConfiguration.write",
      "if (this.#generation === 0) this.#generation = generation + 1;",
      "this.#generation = 1;",
    ],
    [
      "ManagedConfiguration.write",
      "if (this.#generation > 0 && generation > this.#generation) return undefined;",
      "",
    ],
    ["ManagedConfiguration.release", "persistent.has(webhook.name) ||", ""],
    ["ManagedConfiguration.release", 'if (what === "nothing") return;', ""],
    ["ManagedConfiguration.release", "left.length === webhooks.length ? undefined : left", "left"],
    ["ManagedConfiguration.#compare", "this.#written === undefined", "false"],
    ["ManagedConfiguration.#tryChange", "resourceVersion: live.metadata.resourceVersion, ", ""],
    ["ManagedConfiguration.#change", "attempt >= ATTEMPTS", "true"],
    ["generationOf", "/^\\d{1,9}$/.test(text) ? Number(text) : 0", "Number(text)"],
  ], SERVER),
];

export default mutants;
