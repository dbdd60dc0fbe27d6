/** What the daemons and timers of one operator share, and what they need to know of it. */

import type { TaskGroup } from "../../async/tasks.ts";
import type { Client } from "../../client/client.ts";
import type { Brake, Observer } from "../../execution/observer.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Patch } from "../../model/patch.ts";
import type { ObjectCause } from "../../registry/causes.ts";
import type { BackgroundHandler } from "../../registry/handlers.ts";
import type { Clock, Seconds } from "../../runtime/host.ts";
import type { Logger } from "../../runtime/logging.ts";
import type { Settings } from "../../settings/settings.ts";
import type { Subject } from "./record.ts";

/** The operator, as far as its daemons and timers see it. */
export interface Surroundings {
  readonly clock: Clock;
  readonly client: Client;
  readonly settings: Settings;
  /** Who looks on. Default: nobody. */
  readonly observer?: Observer;
  /** Slows down what wakes itself. Default: nothing does. */
  readonly brake?: Brake;
  /** Gives a logger that is bound to the object. */
  readonly loggerOf: (body: KubeObject) => Logger;
  readonly indices: ObjectCause["indices"];
  readonly tasks: TaskGroup;
  /** Aborts writes when the operator waits no longer. */
  readonly signal: AbortSignal;
  /** Whether the operator is stopping, so that nothing is waited for without a limit. */
  readonly isExiting: () => boolean;
  /** Puts a handler's result into the patch. */
  readonly deliver: (
    target: { readonly patch: Patch; readonly logger: Logger },
    id: string,
    result: unknown,
  ) => void;
  /** A digest of what counts as a change of the object in this state. */
  readonly essenceOf: (subject: Subject, body: KubeObject) => string;
}

/** Binary fractions: what is due at 0.3 s may be looked at when the clock shows 0.29999999999999993. */
export const TOLERANCE: Seconds = 1e-6;

/** The word for it in log lines. */
export function nounOf({ type }: BackgroundHandler): "Daemon" | "Timer" {
  return type === "daemon" ? "Daemon" : "Timer";
}
