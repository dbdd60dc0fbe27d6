/** The handlers of objects that a registry has, as they are told to tools: definitions, roles, manifests. */

import type { DeclaredHandler } from "../registry/declared.ts";
import { optionsOf } from "../registry/resource.ts";
import { causeOf } from "./handler_type.ts";
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
      fn: handler.fn,
    };
  });
}
