/**
 * The particulars of one built-in kind, in one module: they are added to what all built-in kinds do alike.
 *
 * To add a kind, or a rule of one: a file in `modules/`, named after the kind, and a line in `rules.ts`. Defaults, zero values and
 * immutable fields are tables of their own.
 */

import type { KubeObject } from "../../../model/object.ts";
import type { Cause } from "../causes.ts";
import type { Change, KindRules } from "../kinds.ts";
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

/** The rules of a kind that differ from those of all others, or come on top of them. */
export interface KindModule extends Omit<KindRules, "normalize" | "validate"> {
  /** Completes an object before its defaults are filled in. */
  complete?(object: KubeObject): void;
  /** Completes an object after that. */
  finish?(object: KubeObject): void;
  /** Says what is wrong, beside what is checked by tables. */
  causes?(object: KubeObject, change: Change): readonly Cause[];
}
