/**
 * Posts Kubernetes events about objects, in the background, in order for each object.
 *
 * Whatever the events API answers, no other work is held up: an event that cannot be posted after its retries is dropped,
 * and so is one for which there is no room in the queues; that is said once, and once more when it works again. The same
 * event again within six minutes is counted on the first one (a series), not posted anew. Source: scenarios C1–C32, N14.
 */

import { Limiter } from "../../async/limiter.ts";
import { TaskGroup } from "../../async/tasks.ts";
import { drained, withTimeout } from "../../async/timeout.ts";
import { Waiters } from "../../async/waiters.ts";
import type { Client } from "../../client/client.ts";
import { ApiError } from "../../client/errors.ts";
import { type Permit, PermitEndedError } from "../../client/transport/permit.ts";
import type { ApiRequest } from "../../client/transport/transport.ts";
import { digestOf } from "../../model/encoding.ts";
import type { KubeObject } from "../../model/object.ts";
import type { ObjectReference } from "../../model/references.ts";
import type { Clock, Seconds } from "../../runtime/host.ts";
import type { Logger } from "../../runtime/logging.ts";
import type { Backoffs, PostingSettings } from "../../settings/settings.ts";
import { quietLogger } from "./log_bridge.ts";
import {
  buildEvent,
  buildRepetition,
  type EventContent,
  type EventFrame,
  isEvent,
  namespaceOf,
} from "./event.ts";

export type { EventContent } from "./event.ts";
export { bridgeLogger } from "./log_bridge.ts";

/** How many events may wait: for one object, and in all. */
const LONGEST_LANE = 100;
const LONGEST_QUEUE = 10_000;

/** How many series are remembered, and for how long after their last event. */
const MOST_SERIES = 5_000;
const SERIES_TIMEOUT: Seconds = 360;

/** How long events may still be posted when the operator stops. */
const FLUSH_TIMEOUT: Seconds = 2;

export interface PosterOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Read anew for each event, so that changes count. */
  readonly settings: PostingSettings;
  /** Called with the outcome of each event. */
  readonly onResult?: (result: "posted" | "repeated" | "dropped") => void;
}

/** How an event is posted. */
export interface PostOptions {
  /** Pauses before it is posted again, should that fail. Default: `posting.defaultBackoffs`. */
  readonly backoffs?: Backoffs;
  /** Under which it is posted: the term of the object's shard. Default: it needs none. */
  readonly permit?: Permit;
}

interface Posting {
  readonly reference: ObjectReference;
  readonly content: EventContent;
  readonly backoffs: Backoffs;
  readonly permit: Permit | undefined;
  /** How often it was said while it waited. */
  times: number;
}

/** The events of one object that wait. */
interface Lane {
  readonly queue: Posting[];
  /** Ends the wait for more. */
  alarm: AbortController | undefined;
}

interface Series {
  readonly name: string;
  readonly namespace: string;
  count: number;
  last: Seconds;
}

interface RequestOptions {
  readonly method: "POST" | "PATCH";
  readonly posting: Posting;
  readonly namespace: string;
  readonly name?: string;
  readonly body: unknown;
  readonly signal: AbortSignal;
}

/** Posts events. Disposing ends it without waiting. */
export class Poster {
  readonly #options: PosterOptions;
  readonly #tasks: TaskGroup;
  readonly #lanes = new Map<string, Lane>();
  readonly #series = new Map<string, Series>();
  readonly #limiter: Limiter;
  readonly #quiet: Logger;
  readonly #idle = new Waiters<true>();
  #waiting = 0;
  #sending = 0;
  #dropped = 0;
  #isClosing = false;

  constructor(options: PosterOptions) {
    this.#options = options;
    const { logger, settings } = options;
    this.#tasks = new TaskGroup({ onError: (error) => logger.error("Posting failed", { error }) });
    this.#limiter = new Limiter(settings.workerLimit ?? Infinity);
    this.#quiet = quietLogger(logger);
  }

  /** How many objects' events are being posted, or were a moment ago. */
  get size(): number {
    return this.#lanes.size;
  }

  /** How many events wait. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Queues an event. Never throws, never waits. */
  post(
    reference: ObjectReference,
    content: EventContent,
    { backoffs = this.#options.settings.defaultBackoffs, permit }: PostOptions = {},
  ): void {
    if (this.#isClosing || isEvent(reference)) return;
    const key = keyOf(reference);
    const lane = this.#lanes.get(key) ?? this.#open(key);
    const last = lane.queue.at(-1);
    if (last !== undefined && isSame(last.content, content)) {
      last.times++;
      return;
    }
    if (lane.queue.length >= LONGEST_LANE || this.#waiting >= LONGEST_QUEUE) {
      this.#drop(reference, new RangeError("Too many events wait to be posted"));
      return;
    }
    lane.queue.push({ reference, content, backoffs, permit, times: 1 });
    this.#waiting++;
    lane.alarm?.abort();
  }

  /** Resolves when no event waits or is being posted any more, or after a moment. */
  async flush(): Promise<void> {
    if (this.#waiting + this.#sending === 0) return;
    await withTimeout(this.#idle.wait(), { clock: this.#options.clock, timeout: FLUSH_TIMEOUT });
  }

  /** Takes no more events in, posts the waiting ones for a moment, and ends. */
  async stop(): Promise<void> {
    this.#isClosing = true;
    for (const lane of this.#lanes.values()) lane.alarm?.abort();
    await drained(this.#tasks, { clock: this.#options.clock, timeout: FLUSH_TIMEOUT });
    await this.#tasks.stop();
  }

  #open(key: string): Lane {
    const lane: Lane = { queue: [], alarm: undefined };
    this.#lanes.set(key, lane);
    this.#tasks.start(`post ${key}`, async (signal) => {
      // Lets the caller put its event in.
      await Promise.resolve();
      try {
        while (await this.#hasMore(lane, signal)) await this.#next(lane, signal);
      } finally {
        this.#lanes.delete(key);
        this.#waiting -= lane.queue.length;
      }
    });
    return lane;
  }

  /** Waits for more, if there is none, for as long as the settings say. */
  async #hasMore(lane: Lane, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    if (lane.queue.length > 0) return true;
    if (this.#isClosing) return false;
    const { clock, settings } = this.#options;
    lane.alarm = new AbortController();
    await clock.sleep(settings.idleTimeout, AbortSignal.any([signal, lane.alarm.signal]));
    lane.alarm = undefined;
    return lane.queue.length > 0;
  }

  async #next({ queue }: Lane, signal: AbortSignal): Promise<void> {
    using slot = await this.#limiter.enter(signal);
    const posting = queue.shift();
    if (slot === undefined || posting === undefined) return;
    this.#waiting--;
    this.#sending++;
    try {
      await this.#send(posting, signal);
      this.#recover();
    } catch (error) {
      if (!signal.aborted) this.#drop(posting.reference, error);
    }
    this.#sending--;
    if (this.#waiting + this.#sending === 0) this.#idle.serveAll(true);
  }

  async #send(posting: Posting, signal: AbortSignal): Promise<void> {
    const { clock, onResult } = this.#options;
    const key = seriesKey(posting);
    const known = this.#series.get(key);
    if (known !== undefined && clock.monotonic() - known.last < SERIES_TIMEOUT) {
      if (await this.#repeat(known, posting, signal)) return onResult?.("repeated");
    }
    const frame = this.#frame();
    const namespace = namespaceOf(posting.reference, frame);
    const body = buildEvent(posting.reference, posting.content, frame);
    const name = await this.#create({ posting, namespace, body, signal });
    onResult?.("posted");
    const series: Series = { name, namespace, count: 1, last: clock.monotonic() };
    this.#remember(key, series);
    if (posting.times > 1) await this.#repeat(series, { ...posting, times: posting.times - 1 }, signal);
  }

  /** Returns the name of the event. */
  async #create(options: Omit<RequestOptions, "method" | "name">): Promise<string> {
    try {
      const { metadata } = await this.#request({ method: "POST", ...options });
      return metadata.name ?? "";
    } catch (error) {
      // An attempt without an answer has made it: the name is used only once.
      const { name } = error instanceof ApiError && error.reason === "AlreadyExists"
        ? error.details ?? {}
        : {};
      if (name === undefined) throw error;
      return name;
    }
  }

  /** Counts it on the event that is there; false if that has gone, or must not be changed. */
  async #repeat(series: Series, posting: Posting, signal: AbortSignal): Promise<boolean> {
    const frame = this.#frame();
    const { name, namespace } = series;
    const body = buildRepetition(series.count + posting.times, frame);
    try {
      await this.#request({ method: "PATCH", posting, namespace, name, body, signal });
    } catch (error) {
      const isRefused = error instanceof ApiError && [403, 404, 405, 422].includes(error.status);
      if (!isRefused) throw error;
      return false;
    }
    series.count += posting.times;
    series.last = this.#options.clock.monotonic();
    return true;
  }

  async #request(options: RequestOptions): Promise<KubeObject> {
    const { method, posting, namespace, name, body, signal } = options;
    const isCore = this.#options.settings.api === "v1";
    const root = isCore ? "/api/v1" : "/apis/events.k8s.io/v1";
    const resource = { group: isCore ? "" : "events.k8s.io", version: "v1", plural: "events" };
    const request: ApiRequest = {
      method,
      path: `${root}/namespaces/${encodeURIComponent(namespace)}/events${
        name === undefined ? "" : `/${name}`
      }`,
      body,
      contentType: method === "PATCH" ? "application/merge-patch+json" : undefined,
      backoffs: posting.backoffs,
      signal,
      // NB: the task may have been started by a handler of another object, whose permit is not this event's.
      permit: posting.permit ?? null,
      logger: this.#quiet,
      subject: { verb: method === "POST" ? "create" : "patch", resource, namespace, name },
    };
    const answer = await this.#options.client.transport.request<KubeObject>(request);
    return answer.body;
  }

  #frame(): EventFrame {
    const { client, clock, settings } = this.#options;
    const { api, eventNamePrefix, reportingComponent, reportingInstance } = settings;
    const { defaultNamespace, host } = client.transport;
    return {
      api,
      eventNamePrefix,
      suffix: host.random.uuid().slice(-12),
      reportingComponent,
      reportingInstance,
      defaultNamespace,
      now: clock.now(),
    };
  }

  #remember(key: string, series: Series): void {
    this.#series.delete(key);
    this.#series.set(key, series);
    if (this.#series.size <= MOST_SERIES) return;
    const [oldest] = this.#series.keys();
    if (oldest !== undefined) this.#series.delete(oldest);
  }

  #drop(reference: ObjectReference, error: unknown): void {
    const { logger, onResult } = this.#options;
    onResult?.("dropped");
    // The object is another replica's, which posts events of its own.
    if (error instanceof PermitEndedError) return;
    const { kind, namespace, name } = reference;
    const fields = { kind, namespace, name, error, stack: false };
    if (this.#dropped++ === 0) {
      logger.warn("Cannot post an event: it is dropped, and so are others until it works again", fields);
    } else {
      logger.debug("Cannot post an event: it is dropped", fields);
    }
  }

  #recover(): void {
    if (this.#dropped === 0) return;
    this.#options.logger.info("Events are posted again", { dropped: this.#dropped });
    this.#dropped = 0;
  }
}

function isSame(a: EventContent, b: EventContent): boolean {
  return a.type === b.type && a.reason === b.reason && a.message === b.message;
}

/** Source: scenarios C1–C32: by uid, else by kind, namespace and name. */
function keyOf({ uid, apiVersion = "", kind = "", namespace = "", name = "" }: ObjectReference): string {
  return uid ?? `${apiVersion}/${kind}/${namespace}/${name}`;
}

/** Thousands are kept, and messages may be long: their digest is enough. */
function seriesKey({ reference, content: { type, reason, message } }: Posting): string {
  return `${keyOf(reference)} ${digestOf([type, reason, message])}`;
}
