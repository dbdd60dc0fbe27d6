/**
 * One suite, two API servers: ours in the process, and a real kube-apiserver with its controllers.
 *
 * Each scenario asserts what it is about on either server; and where both have run, every answer of one must be that of the
 * other, save for what `normalize.ts` takes out and what a scenario accepts with a reason. LOTSE_SHOW_DIFFERENCES=1
 * prints all differences, accepted ones, too; LOTSE_SCENARIO='evicts|binds' runs only scenarios with that in their names.
 */

import assert from "node:assert/strict";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { findControlPlane } from "../../control_plane/control_plane.ts";
import { differences } from "./compare.ts";
import { ACCESS_SCENARIOS } from "./scenarios/access.ts";
import { ADMISSION } from "./scenarios/admission.ts";
import { APPLYING } from "./scenarios/apply.ts";
import { AUDIT_ANNOTATIONS } from "./scenarios/audit_annotations.ts";
import { AUDIT_LOG } from "./scenarios/audit_log.ts";
import { AUTHORIZER } from "./scenarios/authorizer.ts";
import { BAD_INPUT } from "./scenarios/bad_input.ts";
import { CONVERSION } from "./scenarios/conversion.ts";
import { DECODING } from "./scenarios/decoding.ts";
import { DEFINING } from "./scenarios/definitions.ts";
import { DELETION } from "./scenarios/deletion.ts";
import { DEVICES } from "./scenarios/devices.ts";
import { DISCOVERY } from "./scenarios/discovery.ts";
import { FOUND } from "./scenarios/found.ts";
import { INTEGRATION } from "./scenarios/integration.ts";
import { STORED_KINDS } from "./scenarios/kinds.ts";
import { LISTS } from "./scenarios/lists.ts";
import { MACHINERY } from "./scenarios/machinery.ts";
import { MANIFESTS } from "./scenarios/manifests.ts";
import { MEDIA_TYPES } from "./scenarios/media_types.ts";
import { MUTATIONS } from "./scenarios/mutations.ts";
import { NEGOTIATION } from "./scenarios/negotiation.ts";
import { OBJECTS } from "./scenarios/objects.ts";
import { OLD_WAYS } from "./scenarios/old_ways.ts";
import { OPTIONS } from "./scenarios/options.ts";
import { OWNERS } from "./scenarios/owners.ts";
import { PATCHES } from "./scenarios/patches.ts";
import { PODS } from "./scenarios/pods.ts";
import { POLICIES } from "./scenarios/policies.ts";
import { PRIORITIES } from "./scenarios/priorities.ts";
import { QUOTAS } from "./scenarios/quotas.ts";
import { RATCHETING } from "./scenarios/ratcheting.ts";
import { REPEATED_KEYS } from "./scenarios/repeated_keys.ts";
import { RULES } from "./scenarios/rules.ts";
import type { Scenario } from "./scenarios/scenario.ts";
import { SCHEMAS } from "./scenarios/schemas.ts";
import { SEALED } from "./scenarios/sealed.ts";
import { SERVICES } from "./scenarios/services.ts";
import { TABLES } from "./scenarios/tables.ts";
import { VALUES } from "./scenarios/values.ts";
import { VERSIONS } from "./scenarios/versions.ts";
import { WATCHES } from "./scenarios/watches.ts";
import { WORKLOADS } from "./scenarios/workloads.ts";
import { type Entry, Session } from "./session.ts";
import { inProcessTarget, realTarget, type Target } from "./target.ts";

const ALL: readonly Scenario[] = [
  ...DISCOVERY,
  ...OBJECTS,
  ...PATCHES,
  ...APPLYING,
  ...OWNERS,
  ...DECODING,
  ...REPEATED_KEYS,
  ...MEDIA_TYPES,
  ...NEGOTIATION,
  ...OPTIONS,
  ...SCHEMAS,
  ...RATCHETING,
  ...DEFINING,
  ...LISTS,
  ...WATCHES,
  ...DELETION,
  ...ADMISSION,
  ...RULES,
  ...POLICIES,
  ...AUTHORIZER,
  ...AUDIT_ANNOTATIONS,
  ...AUDIT_LOG,
  ...MUTATIONS,
  ...ACCESS_SCENARIOS,
  ...CONVERSION,
  ...VALUES,
  ...VERSIONS,
  ...MACHINERY,
  ...STORED_KINDS,
  ...DEVICES,
  ...PODS,
  ...PRIORITIES,
  ...QUOTAS,
  ...BAD_INPUT,
  ...SEALED,
  ...SERVICES,
  ...TABLES,
  ...WORKLOADS,
  ...FOUND,
  ...INTEGRATION,
  ...OLD_WAYS,
  ...MANIFESTS,
];
/** Those that the variable names by parts of their names; by default all. */
const PARTS = (process.env.LOTSE_SCENARIO ?? "").split("|");
const SCENARIOS = ALL.filter(({ name }) => PARTS.some((part) => name.includes(part)));
const search = findControlPlane();
const timeout = 120_000;

/** What each scenario was answered, by server and by the scenario's name. */
const ours = new Map<string, Entry[]>();
const theirs = new Map<string, Entry[]>();

function runAll(
  start: () => Target | Promise<Target>,
  transcripts: Map<string, Entry[]>,
  skip?: string,
): void {
  let target: Target | undefined;
  before(async () => {
    if (skip === undefined) target = await start();
  }, { timeout });
  after(async () => await target?.[Symbol.asyncDispose]());
  for (const scenario of SCENARIOS) {
    it(`${scenario.name}`, { timeout, skip: skip ?? false }, async () => {
      assert.ok(target);
      const session = new Session(target);
      transcripts.set(scenario.name, session.transcript);
      await scenario.run(session);
    });
  }
}

describe("The API server in the process", () => runAll(inProcessTarget, ours));

describe("A real kube-apiserver", () => runAll(realTarget, theirs, search.reason));

describe("Both API servers", () => {
  for (const { name, accepted = [] } of SCENARIOS) {
    it(`answer alike when one ${name}`, { skip: search.reason ?? false }, () => {
      const [mine, real] = [ours.get(name), theirs.get(name)];
      assert.ok(mine && real, "both have run");
      const found = differences(mine, real);
      const refused = found.filter((line) => !accepted.some((acceptance) => acceptance.line.test(line)));
      if (process.env.LOTSE_SHOW_DIFFERENCES) console.log(`${name}\n  ${found.join("\n  ")}`);
      assert.deepEqual(refused, []);
    });
  }
});
