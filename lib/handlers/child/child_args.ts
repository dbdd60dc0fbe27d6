/** The arguments of handlers of children: each is computed when the handler reads it. */

import { deepFreeze } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Attempt } from "../call.ts";
import type { ObjectCause } from "../object_args.ts";
import { ObjectArgs } from "../object_args.ts";
import type { ChildEvent } from "./child_events.ts";

/** Arguments of a handler of children: all but the child is its owner's. */
export class ChildArgs extends ObjectArgs {
  readonly #event: ChildEvent;

  constructor(cause: ObjectCause, options: { readonly attempt: Attempt; readonly event: ChildEvent }) {
    super(cause, options.attempt);
    this.#event = options.event;
  }

  get type(): ChildEvent["type"] {
    return this.#event.type;
  }
  get child(): Readonly<KubeObject> {
    return deepFreeze(this.#event.object);
  }
  get old(): Readonly<KubeObject> | undefined {
    return deepFreeze(this.#event.old);
  }
}
