/** The handlers of objects that a registry has, as they are told to tools: definitions, roles, manifests. */

import type { DeclaredHandler } from "../registry/declared.ts";
import { optionsOf } from "../registry/resource.ts";
import type { TimerHandler } from "./background/background_handler.ts";
import { causeOf } from "./handler_type.ts";
import type { ObjectHandler } from "./handlers.ts";
import type { Registry } from "./registry.ts";

/** Returns all handlers of objects, each once. */
export function declaredIn(registry: Registry): DeclaredHandler[] {
  return registry.ofObjects.map((registered) => {
    const { handler } = registered;
    return {
      id: handler.id,
      cause: causeOf(registered),
      selector: handler.selector,
      resource: optionsOf(handler.selector),
      field: handler.field,
      hasFinalizer: "finalize" in handler && handler.finalize !== undefined,
      owner: "owner" in handler ? handler.owner as DeclaredHandler["owner"] : undefined,
      always: alwaysOf(handler),
      fn: handler.fn,
    };
  });
}

function alwaysOf(handler: ObjectHandler & Partial<Omit<TimerHandler, "type">>): DeclaredHandler["always"] {
  const { labels, annotations, field, when, idle, initialDelay = 0, interval } = handler;
  const isBackground = "type" in handler && (handler.type === "timer" || handler.type === "daemon");
  const conditions = [labels, annotations, field, when, idle];
  const isAlways = isBackground && initialDelay === 0 && conditions.every((each) => each === undefined);
  return isAlways ? { interval } : undefined;
}
