/** The context of attempts that nobody hears of. */

import type { AttemptContext } from "../../lib/execution/execute.ts";
import { silentLogger } from "../../lib/runtime/logging.ts";

/** Returns it, with errors that may be tried again. */
export function contextOf(
  observed: AttemptContext["observed"] = { observer: {}, subject: undefined },
): AttemptContext {
  return { logger: silentLogger(), noun: "Handler", errors: "temporary", defaultBackoff: 60, observed };
}
