/** Breaks in peering, which its scenarios must notice. */

import type { Mutant } from "../mutant.ts";

const tests = ["tests/scenarios/peering_test.ts"];

const PEERING = { file: "lib/engines/peering/peering.ts", tests };
const SCOPE = { file: "lib/engines/peering/peering_object.ts", tests };
const RECORD = { file: "lib/engines/peering/record.ts", tests };
const INFORMER = { file: "lib/client/cache/informer.ts", tests };

const mutants: Mutant[] = [
  // Where there are no kinds, or nobody is to be met.
  {
    ...PEERING,
    replace: "if (mandatory && resources.length === 0) this.#kinds.close();",
    by: "this.#kinds.set(true);",
  },
  {
    ...PEERING,
    replace: "this.#kinds = this.#options.gates.add(standalone || !mandatory);",
    by: "this.#kinds = this.#row.add(false);",
  },
  {
    ...PEERING,
    replace: "if (settings.peering.standalone || this.#isStopping) return;",
    by: "if (this.#isStopping) return;",
  },
  { ...SCOPE, replace: "(this.isThere || !settings.peering.mandatory)", by: "true" },
  // Which kind is met at, and in which namespaces.
  {
    ...PEERING,
    replace: 'const plural = clusterwide ? "clusterkopfpeerings" : "kopfpeerings";',
    by: 'const plural = "clusterkopfpeerings";',
  },
  {
    ...PEERING,
    replace: "this.#options.namespaces() ?? [client.defaultNamespace]",
    by: "[client.defaultNamespace]",
  },
  // Who is in the way: nobody; the lower ones; oneself; those of other objects; the dead; records without fields.
  { ...SCOPE, replace: "peer.priority > priority", by: "peer.priority > priority + 1" },
  { ...SCOPE, replace: "peer.priority > priority", by: "peer.priority !== priority" },
  { ...SCOPE, replace: "peer.priority === priority", by: "false" },
  { ...SCOPE, replace: "expiryOf(peer) > now && peer.identity !== identity", by: "expiryOf(peer) > now" },
  { ...SCOPE, replace: "if (dead.length > 0) this.#purge(dead);", by: "" },
  {
    ...SCOPE,
    replace: "this.#expiry = Math.min(...[...higher, ...equal].map(expiryOf));",
    by: "this.#expiry = Infinity;",
  },
  { ...RECORD, replace: "priority: toNumber(priority) ?? 0,", by: "priority: toNumber(priority) ?? -100," },
  // What is said: nothing; each time; once only.
  { ...SCOPE, replace: "if (isFree !== gate.isOpen || isFirst) {", by: "{" },
  { ...SCOPE, replace: "if (isFree !== gate.isOpen || isFirst) {", by: "if (isFirst) {" },
  {
    ...SCOPE,
    replace: "if (higher.length === 0 && equal.length > 0 && !isSharded) this.#warn(equal);",
    by: "",
  },
  {
    ...SCOPE,
    replace: "if (higher.length === 0 && equal.length > 0 && !isSharded) this.#warn(equal);",
    by: "if (!this.#hasDecided) this.#warn(equal);",
  },
  { ...SCOPE, replace: 'if (!stealth) logger.debug("The own', by: 'logger.debug("The own' },
  {
    ...SCOPE,
    replace: 'logger.debug("There is no peering object',
    by: 'if (!stealth) logger.debug("There is no peering object',
  },
  // How often records are written; and that they go.
  { ...SCOPE, replace: "lifetime - 5 - 5 * random.next()", by: "lifetime - 5 * random.next()" },
  { ...SCOPE, replace: "Math.max(1, lifetime - 5", by: "Math.max(2, lifetime - 5" },
  { ...SCOPE, replace: "await this.#write({ [this.#options.identity]: null });", by: "" },
  {
    file: "lib/operator/run.ts",
    tests,
    replace: "await activities.cleanup();",
    by: "await current.serving?.leave();\n    await activities.cleanup();",
  },
  // A pause: closes no streams; starts with a listing; holds nothing back.
  {
    ...INFORMER,
    replace: "using open = gate === undefined ? undefined : whileOpen(gate, signal);",
    by: "using open = gate === null ? whileOpen(gate, signal) : undefined;",
  },
  // Shards.
  {
    ...SCOPE,
    replace: "higher.length > 0 ? higher : isSharded ? [] : equal",
    by: "higher.length > 0 ? higher : equal",
  },
  {
    ...SCOPE,
    replace: "higher.length > 0 ? higher : isSharded ? [] : equal",
    by: "isSharded ? [] : higher.length > 0 ? higher : equal",
  },
];

export default mutants;
