/** The declarations of operators, for those who make something else of them than a run: definitions, roles, manifests. */

import type { FieldPath } from "../model/fields.ts";
import type { Selector } from "../model/selector.ts";
import type { ChangeHandler, ObjectHandler } from "./handlers.ts";
import type { Registry } from "./registry.ts";
import type { SourceHandler } from "./related.ts";
import { hasConversion, optionsOf, type ResourceOptions } from "./resource.ts";

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
  /** The function itself. */
  readonly fn: unknown;
}

/** Returns all handlers of objects, each once. */
export function declaredIn(registry: Registry): DeclaredHandler[] {
  const causes = new Map<ObjectHandler, string>();
  for (const handler of registry.objectHandlers) {
    causes.set(handler, "type" in handler ? String(handler.type) : "event");
  }
  for (const handler of registry.reconcileHandlers) causes.set(handler, "reconcile");
  for (const handler of registry.indexHandlers) causes.set(handler, "index");
  for (const handler of registry.statefulHandlers) {
    causes.set(handler, "type" in handler ? String(handler.type) : "change");
  }
  for (const handler of registry.changeHandlers) causes.set(handler, causeOf(handler));
  for (const handler of registry.admissionHandlers) causes.set(handler, handler.cause);
  return [...causes].map(([handler, cause]) => ({
    id: handler.id,
    cause,
    selector: handler.selector,
    resource: optionsOf(handler.selector),
    field: handler.field,
    hasFinalizer: "finalize" in handler && handler.finalize !== undefined,
    owner: isSource(handler) ? handler.owner : undefined,
    fn: handler.fn,
  }));
}

/** Returns the kinds of handlers whose versions are converted by code, each once. */
export function convertedIn(handlers: readonly Pick<DeclaredHandler, "resource">[]): ResourceOptions[] {
  const kinds = new Set(handlers.flatMap(({ resource }) => resource ?? []));
  return [...kinds].filter(hasConversion);
}

function isSource(handler: ObjectHandler): handler is SourceHandler {
  return "type" in handler && handler.type === "owns";
}

function causeOf({ reason, initial }: ChangeHandler): string {
  return reason ?? (initial ? "resume" : "change");
}
