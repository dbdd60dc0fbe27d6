/** The handlers of objects that a registry has, as they are told to tools: definitions, roles, manifests. */

import type { DeclaredHandler } from "../registry/declared.ts";
import { optionsOf } from "../registry/resource.ts";
import type { SourceHandler } from "./child/related.ts";
import type { ChangeHandler, ObjectHandler } from "./handlers.ts";
import type { Registry } from "./registry.ts";

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

function isSource(handler: ObjectHandler): handler is SourceHandler {
  return "type" in handler && handler.type === "owns";
}

function causeOf({ reason, initial }: ChangeHandler): string {
  return reason ?? (initial ? "resume" : "change");
}
