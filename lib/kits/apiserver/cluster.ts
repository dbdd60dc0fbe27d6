/**
 * The things that all parts of the API server share: the host, the store, the kinds, and the uids of owners.
 */

import type { KubeObject } from "../../model/object.ts";
import type { Host } from "../../runtime/host.ts";
import type { Ownership } from "./apply/ownership.ts";
import type { Gate } from "./access/gate.ts";
import type { CelLoader } from "./cel/loader.ts";
import type { Cause } from "./causes.ts";
import type { DefinitionContext } from "./definitions/rules.ts";
import type { Kind, Kinds } from "./kinds.ts";
import type { Late } from "./late.ts";
import type { Admission } from "./parts.ts";
import type { Store } from "./store.ts";

/** Whether writes are kept in the state folder. */
export interface Keeping {
  /** Whether a write is not kept yet. */
  readonly isBehind: boolean;
  /** Calls when all writes so far are kept, in the order of the calls; never if one cannot be. */
  whenKept(then: () => void): void;
}

export interface Cluster {
  readonly host: Host;
  readonly store: Store;
  readonly kinds: Kinds;
  readonly ownership: Ownership;
  readonly cel: CelLoader;
  readonly definitions: Late<DefinitionParts>;
  readonly gate: Gate;
  /** Absent in a server without a state folder. */
  readonly state?: Keeping;
  /** Uids of owners that were left behind when the cluster was copied from another one: they count as present. */
  readonly ownersElsewhere: Set<string>;
  /** The parts that have a share in writes, in the order in which they are asked. */
  readonly admission: readonly Admission[];
}

/** The parts of the server that are loaded with the first CustomResourceDefinition. */
export interface DefinitionParts {
  /** Whether a schema has rules, for which the evaluator must be loaded. */
  hasRules(schema: unknown): boolean;
  defaultDefinition(definition: KubeObject): void;
  validateDefinition(definition: KubeObject, context?: DefinitionContext): Cause[];
  formatWarnings(definition: KubeObject, old?: KubeObject): string[];
  customKinds(cluster: Pick<Cluster, "host" | "store" | "cel">, definition: KubeObject): Kind[];
  showingOldObjects(kind: Kind): Kind;
}
