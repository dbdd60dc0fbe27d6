/**
 * Uncaught errors of the author's code: rejected promises without an await, and exceptions out of a timer or listener.
 *
 * Left alone, they end the whole process, and do so again after each start: one object stops the operator for all. A
 * rejection is logged, and the operator goes on. After an exception, any work may be half done: the operator stops in order,
 * and fails. The log line names the handler and the object by the context of the call; where the runtime has lost that, it
 * names the calls that could have been it.
 */

import { titleOf } from "../engines/stuck_handlers.ts";
import { currentArguments, currentHandler } from "../execution/invoke.ts";
import type { AttemptEnd, AttemptStart, Observer, Subject } from "../execution/observer.ts";
import type { Clock, Host, Seconds } from "../runtime/host.ts";
import type { Logger } from "../runtime/logging.ts";

export interface StrayErrorsOptions {
  readonly host: Host;
  readonly logger: Logger;
  readonly observer: Observer;
  /** The calls that could have left a rejected promise behind, where the runtime does not say it. */
  readonly calls: RecentCalls | undefined;
  /** Called with an exception: the operator is to stop. */
  readonly onException: (error: unknown) => void;
}

/** Handles stray errors until it is disposed of. */
export function handleStrayErrors(
  { host, logger, observer, calls, onException }: StrayErrorsOptions,
): Disposable {
  return host.process.onStray((error, kind) => {
    observer.strayError?.(kind);
    const who = currentHandler() === undefined && kind === "rejection" ? calls?.suspect(error) : current();
    const fields = { ...who, error };
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

type Fields = Readonly<Record<string, unknown>>;

/** Names the handler that runs, and the object, if it is about one. */
function current(): Fields {
  const handler = currentHandler();
  const args = currentArguments();
  if (typeof args !== "object" || args === null || !("name" in args)) return { handler };
  const namespace = "namespace" in args ? args.namespace : undefined;
  return { handler, namespace, name: args.name };
}

/** A call that may have left a promise behind. */
interface Suspect {
  readonly handler: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly title: string;
}

/** How many calls are remembered after their end, and for how long; and how many are named in a line. */
const MOST_REMEMBERED = 20;
const REMEMBERED: Seconds = 30;
const MOST_NAMED = 10;

/** The calls of handlers that are under way, and the last that have ended. */
export class RecentCalls implements Observer {
  readonly #clock: Clock;
  readonly #running = new Map<AttemptStart, Subject | undefined>();
  readonly #ended: { readonly suspect: Suspect; readonly until: Seconds }[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  attemptBegins(subject: Subject | undefined, attempt: AttemptStart): void {
    this.#running.set(attempt, subject);
  }

  attemptEnds(subject: Subject | undefined, { start }: AttemptEnd): void {
    this.#running.delete(start);
    this.#ended.push({ suspect: suspectOf(start, subject), until: this.#clock.monotonic() });
    if (this.#ended.length > MOST_REMEMBERED) this.#ended.shift();
  }

  /** Names the call if the error's stack does and there is one such call, else all that it can have been, the newest first. */
  suspect(error: unknown): Fields {
    const now = this.#clock.monotonic();
    const ended = this.#ended.filter(({ until }) => until > now - REMEMBERED).map(({ suspect }) => suspect);
    const running = [...this.#running].map(([attempt, subject]) => suspectOf(attempt, subject));
    const all = new Map([...running, ...ended].map((each) => [each.title, each] as const).toReversed());
    const named = [...all.values()].filter(({ handler }) => isInStack(error, handler));
    const [only] = named;
    if (only !== undefined && named.length === 1) {
      return { handler: only.handler, namespace: only.namespace, name: only.name };
    }
    const titles = (only === undefined ? [...all.values()] : named).map(({ title }) => title);
    return titles.length === 0 ? {} : { handlers: titles.slice(0, MOST_NAMED) };
  }
}

function suspectOf(attempt: AttemptStart, subject: Subject | undefined): Suspect {
  const { namespace, name } = subject?.body.metadata ?? {};
  return { handler: attempt.handler, namespace, name, title: titleOf({ attempt, subject }) };
}

/** Whether the handler's own function is among the frames: ids begin with its name. */
function isInStack(error: unknown, handler: string): boolean {
  const stack = error instanceof Error ? error.stack ?? "" : "";
  const [name = handler] = handler.split("/");
  return stack.includes(`at ${name} (`) || stack.includes(`at async ${name} (`);
}
