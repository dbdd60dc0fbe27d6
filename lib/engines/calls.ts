/**
 * Tells whoever wants to know of each call of a handler, when it begins and when it has ended: tests, and programs that
 * embed an operator.
 *
 * Not for the history of one object: the ledger keeps it.
 */

import type { AttemptEnd, AttemptStart, Observer, ReconcileStart, Subject } from "../execution/observer.ts";
import { type ObjectReference, objectReference } from "../model/references.ts";
import type { Clock, Seconds } from "../runtime/host.ts";

/** One call of a handler. */
export interface HandlerCall {
  /** The handler's id. */
  readonly handler: string;
  /** The type of its declaration: "Handler", "Daemon", "Timer", "Indexer" or "Activity". */
  readonly type: string;
  /** Which object it is about; undefined for activities. */
  readonly object?: ObjectReference;
  /** The change that the object's state called for, such as "create"; undefined where that is not asked. */
  readonly reason?: string;
  /** The `resourceVersion` of the object when the operator looked at it last before the call; undefined for activities. */
  readonly version?: string;
  /** How often it was called for the same before. */
  readonly retry: number;
  /** When it began, in milliseconds since 1970. */
  readonly time: number;
  /** How it ended; undefined while it runs. "children": its sub-handlers are not done yet. */
  readonly outcome?: "success" | "failure" | "retry" | "children";
  /** The error that it threw. */
  readonly error?: Error;
  /** How long it took; undefined while it runs. */
  readonly seconds?: Seconds;
}

type Draft = { -readonly [Key in keyof HandlerCall]: HandlerCall[Key] };

/** Tells of calls. */
export class Calls implements Observer {
  readonly #clock: Pick<Clock, "now">;
  readonly #tell: (call: HandlerCall) => void;
  readonly #reasons = new WeakMap<Subject, string>();
  /** Calls that run, in the order of their beginning, by handler and object: reviews of one object may overlap. */
  readonly #running = new Map<string, Draft[]>();

  constructor(clock: Pick<Clock, "now">, tell: (call: HandlerCall) => void) {
    this.#clock = clock;
    this.#tell = tell;
  }

  reconcileBegins(subject: Subject, _start: ReconcileStart): void {
    this.#reasons.delete(subject);
  }

  decided(subject: Subject, { reason }: { readonly reason: string }): void {
    this.#reasons.set(subject, reason);
  }

  attemptBegins(subject: Subject | undefined, { handler, noun, retry }: AttemptStart): void {
    const call: Draft = { handler, type: noun, retry, time: this.#clock.now() };
    if (subject !== undefined) {
      call.object = { kind: subject.resource.kind, ...objectReference(subject.body) };
      call.version = subject.body.metadata.resourceVersion;
      if (noun === "Handler") call.reason = this.#reasons.get(subject);
    }
    const key = keyOf(subject, handler);
    const running = this.#running.get(key);
    if (running === undefined) this.#running.set(key, [call]);
    else running.push(call);
    this.#tell(call);
  }

  attemptEnds(subject: Subject | undefined, { handler, retry, outcome, seconds }: AttemptEnd): void {
    const key = keyOf(subject, handler);
    const running = this.#running.get(key) ?? [];
    const place = running.findIndex((each) => each.retry === retry);
    const [call] = place < 0 ? [] : running.splice(place, 1);
    if (running.length === 0) this.#running.delete(key);
    if (call === undefined) return;
    call.outcome = outcome.kind;
    call.seconds = seconds;
    if ("error" in outcome) call.error = outcome.error;
    this.#tell(call);
  }
}

function keyOf(subject: Subject | undefined, handler: string): string {
  return `${subject?.key ?? ""} ${handler}`;
}
