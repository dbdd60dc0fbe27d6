/**
 * Counts the cost of each handler: the requests that its code makes by `op.api`, their bytes, and the time for which it computes.
 *
 * The time is a lower bound of the CPU that a handler takes: no runtime tells CPU by call. Code of one handler runs from its call, or from
 * an answer of `op.api`, until it waits; what it computes after another wait (a `fetch()`, a timer of its own) is not seen. One
 * thread runs all handlers, so that each moment counts for one handler at most. Source: docs/decisions/0051-costs-of-handlers.md.
 */

import type { Attempt } from "../../client/transport/transport.ts";
import { currentAttempt } from "../../execution/invoke.ts";
import type { AttemptStart, Subject } from "../../execution/observer.ts";
import { byteLengthOf } from "../../model/encoding.ts";
import type { Clock, Seconds } from "../../runtime/host.ts";
import type { Instruments } from "./exposition.ts";

export interface CostsOptions {
  readonly clock: Pick<Clock, "monotonic">;
  readonly kindOf: (subject: Subject) => string;
}

/** The handler whose code runs now. */
interface Running {
  readonly attempt: AttemptStart;
  readonly subject: Subject | undefined;
  readonly since: Seconds;
}

/** The counters. */
export class Costs {
  readonly #options: CostsOptions;
  readonly #requests;
  readonly #bytes;
  readonly #computed;
  #running: Running | undefined;

  constructor(instruments: Instruments, options: CostsOptions) {
    this.#options = options;
    this.#requests = instruments.counter(
      "lotse_handler_requests_total",
      "Attempts of requests to the API server that the code of handlers has made",
      ["kind", "handler"],
    );
    this.#bytes = instruments.counter(
      "lotse_handler_request_bytes_total",
      "Bytes of the bodies of these requests (sent) and of their answers (received), without streams",
      ["kind", "handler", "direction"],
    );
    this.#computed = instruments.counter(
      "lotse_handler_compute_seconds_total",
      "For how long the code of handlers has computed until it waited; after waits for others than the API server it is not seen",
      ["kind", "handler"],
    );
  }

  /** Begins the series of a handler with 0. */
  introduce(kind: string, handler: string): void {
    this.#requests.inc({ kind, handler }, 0);
    for (const direction of ["sent", "received"]) this.#bytes.inc({ kind, handler, direction }, 0);
    this.#computed.inc({ kind, handler }, 0);
  }

  /** Of two that overlap, a handler and its sub-handler, the inner one counts. */
  codeRuns(subject: Subject | undefined, attempt: AttemptStart): void {
    this.#end();
    this.#running = { subject, attempt, since: this.#options.clock.monotonic() };
  }

  codeWaits(attempt: AttemptStart): void {
    if (this.#running?.attempt === attempt) this.#end();
  }

  /** Counts a request for the handler whose code has made it. */
  requestEnds({ sent, answer }: Attempt): void {
    const call = currentAttempt();
    if (call === undefined) return;
    const labels = this.#labelsOf(call.subject, call.attempt);
    this.#requests.inc(labels);
    if (sent !== undefined) this.#bytes.inc({ ...labels, direction: "sent" }, sizeOf(sent));
    if (answer !== undefined) this.#bytes.inc({ ...labels, direction: "received" }, sizeOf(answer));
  }

  #end(): void {
    if (this.#running === undefined) return;
    const { subject, attempt, since } = this.#running;
    this.#running = undefined;
    this.#computed.inc(this.#labelsOf(subject, attempt), this.#options.clock.monotonic() - since);
  }

  #labelsOf(subject: Subject | undefined, { family }: AttemptStart): { kind: string; handler: string } {
    return { kind: subject === undefined ? "" : this.#options.kindOf(subject), handler: family };
  }
}

function sizeOf(body: string | Uint8Array): number {
  return typeof body === "string" ? byteLengthOf(body) : body.byteLength;
}
