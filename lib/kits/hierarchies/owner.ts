/**
 * Whom objects are made for: who is named, else the object that the running handler is about.
 */

import { currentArguments } from "../../execution/current.ts";
import type { Referable } from "../../model/references.ts";
import type { Logger } from "../../runtime/logging.ts";

/** Any object, also a view of one: a handler's `body`, or what the API gave. */
export interface Owner extends Referable {
  /** Where its name and its labels are. */
  readonly metadata?: Referable["metadata"] & { readonly labels?: Readonly<Record<string, string>> };
}

/** Names the owner. */
export interface OwnerOption {
  /** Default: the object that the running handler is about. */
  readonly owner?: Owner;
}

/**
 * Gives the owner.
 *
 * @throws {TypeError} If none is named, and no handler of an object is running.
 */
export function resolveOwner({ owner }: OwnerOption): Owner {
  const found = owner ?? handled()?.body;
  if (found !== undefined) return found;
  throw new TypeError("Cannot tell the owner: no handler of an object is running here; pass it as `owner`");
}

/** Says something in the log of the object that the running handler is about, if there is one. */
export function warnHandled(message: string, fields: Record<string, string>): void {
  handled()?.logger.warn(message, fields);
}

function handled(): { readonly body: Owner; readonly logger: Logger } | undefined {
  const args = currentArguments();
  // Handlers of activities have arguments too, but no object. What has a body is ours, and has a logger.
  return typeof args === "object" && args !== null && "body" in args
    ? args as { readonly body: Owner; readonly logger: Logger }
    : undefined;
}
