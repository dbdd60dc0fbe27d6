/** The declarations of operators, for code that makes definitions, roles and manifests of them, and no run. */

import type { FieldPath } from "../model/fields.ts";
import type { Selector } from "../model/selector.ts";
import { hasConversion, type ResourceOptions } from "./resource.ts";

/** A handler of objects, as declared. */
export interface DeclaredHandler {
  /** Its `id` or name. */
  readonly id: string;
  /** Such as "create", "event", "timer" or "validate"; "change" for any cause. */
  readonly cause: string;
  /** The kinds that it is for. */
  readonly selector: Selector;
  /** The options of `resource()` for the kind, if it was declared so. */
  readonly resource: ResourceOptions | undefined;
  /** The field that it is about; keys. */
  readonly field: FieldPath | undefined;
  /** Of `op.owns`: whose children they are. */
  readonly owner?: Selector;
  /** Whether a reconcile holds objects back until it has let them go. */
  readonly hasFinalizer?: boolean;
  /** Of daemons and timers that each object of the kind has as long as it is there: no filter and no delay decides. */
  readonly always?: { readonly interval?: number };
  /** The function itself. */
  readonly fn: unknown;
}

/** Returns the kinds of handlers whose versions are converted by code, each once. */
export function convertedIn(handlers: readonly Pick<DeclaredHandler, "resource">[]): ResourceOptions[] {
  const kinds = new Set(handlers.flatMap(({ resource }) => resource ?? []));
  return [...kinds].filter(hasConversion);
}
