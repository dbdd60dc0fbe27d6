/**
 * Answers admission reviews: finds the handlers that a request concerns, asks them one after the other, and puts their
 * verdict together.
 *
 * A handler that throws refuses the request; so does a filter that throws, since it is not known then whether its handler would
 * have refused. Source: Kopf, docs/admission; scenarios B101–B127, D11.
 */

import type { ReadonlyGate } from "../../async/gate.ts";
import { toError } from "../../execution/errors.ts";
import type { Handler } from "../../execution/handler.ts";
import type { Observer, ReviewedWebhook, Subject } from "../../execution/observer.ts";
import type { KubeObject } from "../../model/object.ts";
import { Patch } from "../../model/patch.ts";
import { objectReference } from "../../model/references.ts";
import { keyOf, type Resource } from "../../model/resource.ts";
import type { Clock, Seconds } from "../../runtime/host.ts";
import type { Logger } from "../../runtime/logging.ts";
import type { AdmissionAnswer, ReviewHints } from "../../settings/admission_server.ts";
import { type Caller, callHandler, type Sort } from "../call.ts";
import type { AdmissionCause } from "./admission_handler.ts";
import { findMismatch } from "../filters.ts";
import type { AdmissionHandler } from "./admission_handler.ts";
import type { Index } from "../index/index_handle.ts";
import { FRESH } from "../retry.ts";
import { AdmissionArgs } from "./admission_args.ts";
import { answer } from "./response.ts";
import { parseReview, type Review, ReviewError } from "./review.ts";
import { webhookPath } from "./webhook_configuration.ts";

export interface AdmissionReviewsOptions {
  readonly clock: Clock;
  /** Its children are bound to objects. */
  readonly logger: Logger;
  readonly observer: Observer;
  /** Which handler is for which kinds, as of now. */
  readonly served: () => ReadonlyMap<AdmissionHandler, readonly Resource[]>;
  /** Returns an object's memo; undefined: an object that does not exist yet. */
  readonly memoOf: (resource: Resource, object: KubeObject | undefined) => Record<string, unknown>;
  readonly indices: Readonly<Record<string, Index>>;
  /** Open once the indexes are complete. */
  readonly gate: ReadonlyGate;
  /** Aborts when handlers must stop. */
  readonly signal: AbortSignal;
}

/** How long a review waits for indexes to be complete. Kubernetes itself waits for 30 s at most. */
const GATE_TIMEOUT: Seconds = 10;

const SORT: Sort = { noun: "Handler", errors: "permanent" };

/** The state of one review. */
interface Call {
  readonly review: Review;
  readonly cause: AdmissionCause;
  readonly subject: Subject;
  readonly signal: AbortSignal;
  /** In the order in which the handlers were asked. */
  readonly failures: Error[];
}

/** Answers the reviews of one run of an operator. */
export class AdmissionReviews {
  readonly #options: AdmissionReviewsOptions;

  constructor(options: AdmissionReviewsOptions) {
    this.#options = options;
  }

  /** Answers a parsed review. @throws {ReviewError} If there is no answer to it. */
  async review(payload: unknown, given: ReviewHints = {}): Promise<AdmissionAnswer> {
    const { clock, observer } = this.#options;
    const hints = { ...given, webhook: this.#idOf(given) };
    const webhook = this.#webhookOf(hints);
    const begun = clock.monotonic();
    let code = 200;
    observer.reviewBegins?.(webhook);
    try {
      return await this.#review(payload, hints);
    } catch (error) {
      code = error instanceof ReviewError ? error.status : 500;
      throw error;
    } finally {
      observer.reviewEnds?.(webhook, { code, seconds: clock.monotonic() - begun });
    }
  }

  /**
   * Returns the id of the handler that a path asks for. Configurations that are kept by hand, or that earlier releases have
   * written, have the id itself for a path. Where no handler is meant, the path comes back.
   */
  #idOf({ webhook }: ReviewHints): string | undefined {
    if (webhook === undefined) return undefined;
    const ids = [...this.#options.served().keys()].map(({ id }) => id);
    return ids.find((id) => webhookPath(id) === webhook) ?? webhook;
  }

  /** NB: clients may ask for any path, but the webhooks that observers count must be few. */
  #webhookOf({ webhook }: ReviewHints): ReviewedWebhook {
    if (webhook === undefined) return "/";
    return [...this.#options.served().keys()].some(({ id }) => id === webhook) ? `/${webhook}` : "unknown";
  }

  async #review(payload: unknown, hints: ReviewHints): Promise<AdmissionAnswer> {
    const review = parseReview(payload);
    const served = this.#options.served();
    const resource = findResource(review, served);
    rejectUnknownWebhook(hints, served);
    await this.#untilIndexed(hints.signal);
    const call = this.#callFor(review, resource, hints);
    const candidates = candidatesFor({ review, resource, hints, served });
    const handlers = candidates.filter((handler) => this.#isWanted(handler, call));
    for (const handler of handlers) await this.#ask(handler, call);
    const { cause, failures } = call;
    return answer({ review, failures, warnings: cause.warnings, patch: cause.patch, logger: cause.logger });
  }

  async #untilIndexed(signal?: AbortSignal): Promise<void> {
    const { gate, clock } = this.#options;
    if (gate.isOpen) return;
    const deadline = new AbortController();
    using _timer = clock.after(GATE_TIMEOUT, () => deadline.abort());
    const signals = [deadline.signal, this.#options.signal, ...signal === undefined ? [] : [signal]];
    if (await gate.opened(AbortSignal.any(signals))) return;
    throw new ReviewError(503, "Cannot answer the admission review: the indexes are not complete yet");
  }

  #callFor(review: Review, resource: Resource, hints: ReviewHints): Call {
    const { indices, memoOf, signal } = this.#options;
    const { body, operation, subresource, dryrun, userinfo } = review;
    const logger = this.#options.logger.child({ reference: objectReference(body) });
    const exists = operation !== "CREATE";
    const cause: AdmissionCause = {
      resource,
      body,
      operation,
      subresource,
      dryrun,
      userinfo,
      logger,
      indices,
      old: review.old,
      new: review.new,
      patch: new Patch(),
      memo: memoOf(resource, exists ? body : undefined),
      warnings: [],
      headers: Object.freeze({ ...hints.headers }),
      sslpeer: Object.freeze({ ...hints.sslpeer }),
    };
    return {
      review,
      cause,
      subject: { key: `${keyOf(resource)}/${review.uid}`, resource, body },
      signal: hints.signal === undefined ? signal : AbortSignal.any([signal, hints.signal]),
      failures: [],
    };
  }

  /** A filter that throws refuses the request, unless the handler may be passed over in doubt. */
  #isWanted(handler: AdmissionHandler, { cause, failures }: Call): boolean {
    try {
      return mismatchOf(handler, cause) === undefined;
    } catch (thrown) {
      const error = toError(thrown);
      const { id: name, ignoreFailures } = handler;
      const verdict = ignoreFailures ? "the handler counts as not matching" : "the request is refused";
      cause.logger.error(`Filter failed: ${verdict}`, { handler: name, error });
      if (!ignoreFailures) failures.push(new Error(`The filter of "${name}" failed: ${error.message}`));
      return false;
    }
  }

  async #ask(handler: AdmissionHandler, { cause, subject, signal, failures }: Call): Promise<void> {
    const { clock, observer } = this.#options;
    // A validating handler must not change the object: its changes go to a patch of its own, so that the others' patch stays clean.
    const own = handler.cause === "mutate" ? cause : { ...cause, patch: new Patch() };
    const { logger } = cause;
    const caller: Caller = { clock, logger, signal, observed: { observer, subject }, defaultBackoff: 0 };
    const { outcome } = await callHandler(caller, withoutPatch(handler, own.patch), {
      sort: SORT,
      retry: FRESH,
      args: (attempt) => new AdmissionArgs(own, attempt),
    });
    if ("error" in outcome) failures.push(outcome.error);
  }
}

/** @throws {ReviewError} 404, 409. */
function findResource(
  { resource: { group, version, plural } }: Review,
  served: ReadonlyMap<AdmissionHandler, readonly Resource[]>,
): Resource {
  const all = new Set([...served.values()].flat());
  const [found, ...others] = [...all].filter((each) =>
    each.group === group && each.version === version && each.plural === plural
  );
  const title = JSON.stringify(keyOf({ group, version, plural }));
  if (found === undefined) {
    throw new ReviewError(404, `Cannot answer the admission review: no handler is for ${title}`);
  }
  if (others.length === 0) return found;
  throw new ReviewError(409, `Cannot answer the admission review: ${title} is ambiguous`);
}

/** A path that leads nowhere must not let everything pass. @throws {ReviewError} 404. */
function rejectUnknownWebhook(
  { webhook }: ReviewHints,
  served: ReadonlyMap<AdmissionHandler, readonly Resource[]>,
): void {
  if (webhook === undefined || [...served.keys()].some(({ id }) => id === webhook)) return;
  const title = JSON.stringify(webhook);
  throw new ReviewError(404, `Cannot answer the admission review: there is no handler ${title}`);
}

/** Handlers that validate are asked after handlers that mutate, and their changes would be lost. */
function withoutPatch(handler: AdmissionHandler, patch: Patch): Handler {
  if (handler.cause === "mutate") return handler;
  const fn = async (args: never): Promise<void> => {
    await handler.fn(args);
    if (patch.isEmpty) return;
    throw new TypeError(
      `Cannot change the object in validating handler "${handler.id}": use on.mutate for it`,
    );
  };
  return { ...handler, fn };
}

// Which admission handlers a request is for.
// Source: scenarios B101–B127, D11 (operations count here, too, whatever the webhook's configuration says).

export interface SelectionOptions {
  readonly review: Pick<Review, "operation" | "subresource">;
  readonly resource: Resource;
  readonly hints: ReviewHints;
  readonly served: ReadonlyMap<AdmissionHandler, readonly Resource[]>;
}

/** Returns the handlers whose declaration fits the request, in order; their filters were not asked yet. */
function candidatesFor({ review, resource, hints, served }: SelectionOptions): AdmissionHandler[] {
  const { reason, webhook } = hints;
  const cause = reason && (reason === "validating" ? "validate" : "mutate");
  return [...served].flatMap(([handler, resources]) => {
    const isCandidate = resources.includes(resource) &&
      (cause === undefined || handler.cause === cause) &&
      (webhook === undefined || handler.id === webhook) &&
      isForSubresource(handler, review.subresource) &&
      isForOperation(handler, review.operation);
    return isCandidate ? [handler] : [];
  });
}

/** Returns the first of the handler's filters that does not hold; undefined if all do. @throws Any error of a predicate. */
function mismatchOf(handler: AdmissionHandler, cause: AdmissionCause): string | undefined {
  return findMismatch(handler, { body: cause.body, args: () => new AdmissionArgs(cause) });
}

function isForSubresource({ subresource }: AdmissionHandler, wanted: string | undefined): boolean {
  return subresource === "*" || subresource === wanted;
}

/**
 * Whether the operation is meant. A deletion cannot be mutated: a handler that mutates is asked about deletions only if these are all
 * that it asks for. So it is whatever the webhook's configuration says, which names all operations where a handler names none.
 */
function isForOperation({ cause, operations }: AdmissionHandler, wanted: Review["operation"]): boolean {
  if (wanted === "DELETE" && cause === "mutate") return operations?.join() === "DELETE";
  return operations === undefined || operations.includes(wanted);
}
