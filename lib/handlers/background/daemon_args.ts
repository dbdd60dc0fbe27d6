/** The arguments of daemons and timers: each is computed when the handler reads it. */

import type { Stopped } from "../../async/stop_flag.ts";
import type { StopReason } from "./background_handler.ts";
import type { Attempt } from "../call.ts";
import type { ObjectCause } from "../object_args.ts";
import { ObjectArgs } from "../object_args.ts";

/** Arguments of daemons and timers. */
export class DaemonArgs extends ObjectArgs {
  readonly #stopped: () => Stopped<StopReason>;

  constructor(
    cause: ObjectCause,
    options: { readonly attempt: Attempt; readonly stopped: () => Stopped<StopReason> },
  ) {
    super(cause, options.attempt);
    this.#stopped = options.stopped;
  }

  get stopped(): Stopped<StopReason> {
    return this.#stopped();
  }
}
