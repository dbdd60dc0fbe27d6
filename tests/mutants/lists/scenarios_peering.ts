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
    in: "Peering.#checkKinds",
    replace: "if (mandatory && resources.length === 0) this.#kinds.close();",
    by: "this.#kinds.set(true);",
  },
  {
    ...PEERING,
    in: "Peering.constructor",
    replace: "this.#kinds = this.#options.gates.add(standalone || !mandatory);",
    by: "this.#kinds = this.#options.gates.add(false);",
  },
  {
    ...PEERING,
    in: "Peering.revise",
    replace: "if (settings.peering.standalone || this.#isStopping) return;",
    by: "if (this.#isStopping) return;",
  },
  {
    ...SCOPE,
    in: "PeeringScope.#obey",
    replace: "(this.isThere || !settings.peering.mandatory)",
    by: "true",
  },
  // Which kind is met at, and in which namespaces.
  {
    ...PEERING,
    in: "findPeeringKinds",
    replace: 'const plural = clusterwide ? "clusterkopfpeerings" : "kopfpeerings";',
    by: 'const plural = "clusterkopfpeerings";',
  },
  {
    ...PEERING,
    in: "Peering.#addresses",
    replace: "this.#options.namespaces() ?? [client.defaultNamespace]",
    by: "[client.defaultNamespace]",
  },
  // Who is in the way: nobody; the lower ones; oneself; those of other objects; the dead; records without fields.
  {
    ...SCOPE,
    in: "PeeringScope.#decide",
    replace: "peer.priority > priority",
    by: "peer.priority > priority + 1",
  },
  {
    ...SCOPE,
    in: "PeeringScope.#decide",
    replace: "peer.priority > priority",
    by: "peer.priority !== priority",
  },
  { ...SCOPE, in: "PeeringScope.#decide", replace: "peer.priority === priority", by: "false" },
  {
    ...SCOPE,
    in: "PeeringScope.#decide",
    replace: "expiryOf(peer) > now && peer.identity !== identity",
    by: "expiryOf(peer) > now",
  },
  { ...SCOPE, in: "PeeringScope.#decide", replace: "if (dead.length > 0) this.#purge(dead);", by: "" },
  {
    ...SCOPE,
    in: "PeeringScope.#decide",
    replace: "this.#expiry = Math.min(...[...higher, ...equal].map(expiryOf));",
    by: "this.#expiry = Infinity;",
  },
  {
    ...RECORD,
    in: "readPeers",
    replace: "priority: toNumber(priority) ?? 0,",
    by: "priority: toNumber(priority) ?? -100,",
  },
  // What is said: nothing; each time; once only.
  { ...SCOPE, in: "PeeringScope.#obey", replace: "if (isFree !== gate.isOpen || isFirst) {", by: "{" },
  {
    ...SCOPE,
    in: "PeeringScope.#obey",
    replace: "if (isFree !== gate.isOpen || isFirst) {",
    by: "if (isFirst) {",
  },
  {
    ...SCOPE,
    in: "PeeringScope.#decide",
    replace: "if (higher.length === 0 && equal.length > 0 && !isSharded) this.#warn(equal);",
    by: "",
  },
  {
    ...SCOPE,
    in: "PeeringScope.#decide",
    replace: "if (higher.length === 0 && equal.length > 0 && !isSharded) this.#warn(equal);",
    by: "if (!this.#hasDecided) this.#warn(equal);",
  },
  {
    ...SCOPE,
    in: "PeeringScope.#renew",
    replace: 'if (!stealth) logger.debug("The own',
    by: 'logger.debug("The own',
  },
  {
    ...SCOPE,
    in: "PeeringScope.#renew",
    replace: 'logger.debug("There is no peering object',
    by: 'if (!stealth) logger.debug("There is no peering object',
  },
  // How often records are written; and that they go.
  {
    ...SCOPE,
    in: "renewalPause",
    replace: "lifetime - 5 - 5 * random.next()",
    by: "lifetime - 5 * random.next()",
  },
  { ...SCOPE, in: "renewalPause", replace: "Math.max(1, lifetime - 5", by: "Math.max(2, lifetime - 5" },
  {
    ...SCOPE,
    in: "PeeringScope.leave",
    replace: "await this.#write({ [this.#options.identity]: null });",
    by: "",
  },
  {
    file: "lib/operator/run.ts",
    tests,
    in: "runOperator",
    replace: "await activities.cleanup();",
    by: "await current.serving?.leave();\n    await activities.cleanup();",
  },
  // A pause: closes no streams; starts with a listing; holds nothing back.
  {
    ...INFORMER,
    in: "Informer.run",
    replace: "using open = gate === undefined ? undefined : whileOpen(gate, signal);",
    by: "using open = gate === null ? whileOpen(gate, signal) : undefined;",
  },
  // Shards.
  {
    ...SCOPE,
    in: "PeeringScope.#decide",
    replace: "higher.length > 0 ? higher : isSharded ? [] : equal",
    by: "higher.length > 0 ? higher : equal",
  },
  {
    ...SCOPE,
    in: "PeeringScope.#decide",
    replace: "higher.length > 0 ? higher : isSharded ? [] : equal",
    by: "isSharded ? [] : higher.length > 0 ? higher : equal",
  },
];

export default mutants;
