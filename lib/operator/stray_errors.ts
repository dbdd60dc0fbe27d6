/**
 * Errors of the author's that nobody has caught: promises that were rejected and that nobody awaited, and what was thrown out of
 * a timer or listener.
 *
 * Left alone, they end the whole process, and do so again after each start: one object stops the operator for all. A
 * rejection is logged, and the operator goes on. After an exception nobody knows what was left half done: the operator stops in
 * order, and fails. Where the runtime keeps the context of the call, the log line names the handler and the object.
 */

import { currentArguments, currentHandler } from "../execution/invoke.ts";
import type { Observer } from "../execution/observer.ts";
import type { Host } from "../runtime/host.ts";
import type { Logger } from "../runtime/logging.ts";

export interface StrayErrorsOptions {
  readonly host: Host;
  readonly logger: Logger;
  readonly observer: Observer;
  /** Called with an exception: the operator is to stop. */
  readonly onException: (error: unknown) => void;
}

/** Handles stray errors until it is disposed of. */
export function handleStrayErrors({ host, logger, observer, onException }: StrayErrorsOptions): Disposable {
  return host.process.onStray((error, kind) => {
    observer.strayError?.(kind);
    const fields = { handler: currentHandler(), ...currentObject(), error };
    if (kind === "rejection") {
      logger.error(
        "A promise was rejected, and nobody has awaited it: the operator goes on (await it)",
        fields,
      );
      return;
    }
    logger.error("An error was thrown, and nobody has caught it: the operator stops", fields);
    onException(error);
  });
}

/** Names the object that the running handler is about, if it is about one. */
function currentObject(): Readonly<Record<string, unknown>> {
  const args = currentArguments();
  if (typeof args !== "object" || args === null || !("name" in args)) return {};
  const namespace = "namespace" in args ? args.namespace : undefined;
  return { namespace, name: args.name };
}
