/**
 * The particulars of one built-in kind, in one module: they are added to the rules that all built-in kinds have.
 *
 * To add a kind, or a rule of one: a file in `kinds/`, named after the kind, and a line in `rules.ts`. Names, columns, defaults, empty
 * values and fields that cannot be changed are recorded from a real server (`types/served.ts`, `types/completion.ts`).
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import type { Cause } from "../causes.ts";
import type { Change, KindRules } from "../kinds.ts";
import type { ObjectPart } from "../paths.ts";
import type { Store } from "../store.ts";

/** The surroundings of a kind. */
export interface KindContext {
  readonly group: string;
  /** The time, in milliseconds since 1970. */
  readonly now: () => number;
  /** Has objects of others, which some kinds ask for. */
  readonly store: Store;
  /** Whether Pods live, and so get a service account. */
  readonly runsPods: boolean;
}

/** The rules of a kind that differ from the rules of all kinds, or come on top of them. */
export interface KindModule extends Omit<KindRules, "normalize" | "validate"> {
  /** The place of the template of Pods, as a dotted path; "" where the object is a Pod. */
  readonly template?: string;
  /** The status of a new object. */
  readonly status?: JsonObject;
  /** Completes an object before its defaults are filled in. */
  complete?(object: KubeObject): void;
  /** Completes an object after that. */
  finish?(object: KubeObject): void;
  /** Returns the faults of an object; it is not asked about writes of the status. */
  causes?(object: KubeObject, change: Change): readonly Cause[];
  /** Whether a field may change in this write that the recorded table says cannot be changed. */
  mayChange?(field: string, object: KubeObject, old: KubeObject): boolean;
  /** Returns the refusals of a change, in place of the recorded table of fields that cannot be changed. */
  sealed?(object: KubeObject, old: KubeObject, part?: ObjectPart): readonly Cause[];
}
