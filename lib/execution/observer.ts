/**
 * The hooks of observers: metrics, traces, the ledger, the detector of hot loops.
 *
 * One interface for all of them, whose methods are all optional, so that the observed code calls `observer.written?.(...)`:
 * without an observer, not even the arguments are made. Observers must not throw, and must not wait.
 */

import type { VersionOrder } from "../client/cache/object_store.ts";
import type { HeaderFields } from "../client/auth/connection_info.ts";
import type { RequestObserver } from "../client/transport/transport.ts";
import type { WatchState } from "../client/watch/watcher.ts";
import type { Diff } from "../model/diff.ts";
import type { JsonObject, KubeObject, WatchEvent } from "../model/object.ts";
import type { Resource } from "../model/resource.ts";
import type { Seconds } from "../runtime/host.ts";
import type { Logger } from "../runtime/logging.ts";
import type { Outcome } from "./handler.ts";

/** The object that it is about; the same value for as long as the operator remembers the object. */
export interface Subject {
  /** The key that tells it from all other objects. */
  readonly key: string;
  readonly resource: Resource;
  /** The newest state known. */
  readonly body: KubeObject;
}

/** The beginning of a reconcile. */
export interface ReconcileStart {
  /** Why: "event", "retry", "write", "error", "dependency". */
  readonly wake: string;
  readonly events: readonly WatchEvent[];
  /** How long the object has waited for it. */
  readonly waited: Seconds;
}

/** The end of a reconcile. */
export interface ReconcileEnd {
  readonly seconds: Seconds;
  /** Undefined: it went well. */
  readonly error?: unknown;
  /** When the object is reconciled again without an event; undefined: not at all. */
  readonly after?: Seconds;
  /** Why it is reconciled then. */
  readonly wake?: string;
  /** Whether the object had no news. */
  readonly unchanged?: boolean;
  /** Whether the object has gone. */
  readonly gone?: boolean;
}

/** One call of a handler. */
export interface AttemptStart {
  /** "Handler", "Daemon", "Timer", "Activity", and so on. */
  readonly noun: string;
  readonly handler: string;
  /** For counting: sub-handlers have names of their own making, this one has not. */
  readonly family: string;
  readonly retry: number;
}

/** How it ended. */
export interface AttemptEnd extends AttemptStart {
  /** The same value as at its beginning. */
  readonly start: AttemptStart;
  readonly outcome: Outcome;
  readonly seconds: Seconds;
  /** Whether the log has not said yet that it has succeeded: its write is still to be done. Default: false. */
  readonly isUnsaid?: boolean;
}

/** The changes that were written onto an object. */
export interface Written {
  /** The fields that handlers wanted to change, as dotted paths; without the framework's notes. */
  readonly paths: readonly string[];
  /** How many requests changed the object. */
  readonly writes: number;
  /** The object's version after it; undefined if it has gone. */
  readonly version: string | undefined;
  /** Whether handlers of raw events had a part in it. */
  readonly byEvent: boolean;
  /** Whether everything that the object called for is done. */
  readonly concluded: boolean;
  /** Whether our finalizer was put on the object, or taken off it; undefined: neither. */
  readonly finalizer?: boolean;
  /** The daemon or timer that wrote it, beside the object's reconciles. */
  readonly by?: BackgroundWriter;
}

/** A daemon or timer that has written. */
export interface BackgroundWriter {
  /** Its id. */
  readonly handler: string;
  readonly type: "daemon" | "timer";
  /** Whether it runs because the object has changed, and not because of the time. */
  readonly onChange: boolean;
  /** The object's version after the write; undefined if it has gone. */
  readonly version: string | undefined;
  /** The object before the write. */
  readonly before: KubeObject;
  /** How versions of the object compare. */
  readonly order: Pick<VersionOrder, "compare">;
  /** The content that was to be written, as a merge patch. */
  readonly content: JsonObject;
}

/** Slows down daemons and timers that wake themselves by their own writes. */
export interface Brake {
  /** Called before a write: finds out the object's other writers, if that may be needed. */
  findOtherWriters(subject: Subject, logger: Logger): Promise<void> | undefined;
  /** Called after a write. Returns how long the next run has to wait at least; undefined: not at all. */
  pauseAfter(subject: Subject, logger: Logger): Seconds | undefined;
}

/** A loop of writes and wake-ups. */
export interface HotLoop {
  readonly fields: readonly string[];
  /** The field managers that write them. Empty: only we do, or the server does not know who takes them off. */
  readonly managers: readonly string[];
}

/** How a watch is doing at the moment; see `WatchState` of the client. */
export type WatchSnapshot = Readonly<WatchState>;

/** A watch that has entered another phase. */
export interface WatchChange {
  /** "plural.version.group|namespace". */
  readonly key: string;
  readonly state: WatchSnapshot;
}

/** A piece of work that may be wrapped: for observers that must know where it begins and ends, and which calls it makes. */
export type Step =
  | { readonly kind: "reconcile"; readonly subject: Subject; readonly wake: string }
  | { readonly kind: "attempt"; readonly subject: Subject | undefined; readonly attempt: AttemptStart };

/** The webhook that an admission review asked: "/" for all handlers, "/<id>" for one, "unknown" for a path without a handler. */
export type ReviewedWebhook = string;

/** Observes: one hook for each station on the way of an event, and for the work beside it. */
export interface Observer extends RequestObserver {
  /** An event was put into the queue. */
  enqueued?(subject: Subject, type: WatchEvent["type"]): void;
  /** Events that were put into the queue during a turn show the state with which it has ended: no reconcile comes of them. */
  dropped?(subject: Subject): void;
  /** An event has changed only fields that no handler looks at: no reconcile comes of it. */
  passed?(subject: Subject, states: { readonly before: KubeObject; readonly after: KubeObject }): void;
  /** An object that has come for the first time is as its notes say: it has no first turn. */
  settled?(subject: Subject, type: WatchEvent["type"]): void;
  reconcileBegins?(subject: Subject, start: ReconcileStart): void;
  /** A newer state was adopted, from an event or a response. An observer that needs the difference computes it. */
  adopted?(subject: Subject, states: { readonly before: KubeObject; readonly after: KubeObject }): void;
  /** The cause that the object's state calls for was found out. */
  decided?(subject: Subject, cause: { readonly reason: string; readonly diff: Diff }): void;
  /** A handler was found to match, or not: `mismatch` names the criterion that does not hold. */
  judged?(
    subject: Subject,
    verdict: { readonly handler: string; readonly mismatch: string | undefined },
  ): void;
  attemptBegins?(subject: Subject | undefined, attempt: AttemptStart): void;
  /** The handler's code goes on to run: when it is called, and when an answer of `op.api` has come. */
  codeRuns?(subject: Subject | undefined, attempt: AttemptStart): void;
  /** It waits, or has ended. */
  codeWaits?(subject: Subject | undefined, attempt: AttemptStart): void;
  /** The handler has computed for so long before it waited for the first time that other work was held up. */
  attemptBlocks?(subject: Subject | undefined, attempt: AttemptStart): void;
  attemptEnds?(subject: Subject | undefined, attempt: AttemptEnd): void;
  /**
   * An attempt counts as this: as it ended; but while the server may still refuse its write, the hook waits. Of an attempt that
   * failed by a refusal, `seconds` is 0.
   */
  attemptCounts?(subject: Subject | undefined, attempt: AttemptEnd): void;
  written?(subject: Subject, written: Written): void;
  /** The server has refused the changes of handlers: their attempts, which had ended well, have failed by that. */
  refused?(subject: Subject, refusal: { readonly handlers: readonly string[]; readonly error: Error }): void;
  reconcileEnds?(subject: Subject, end: ReconcileEnd): void;
  /** A shard was taken by this replica ("taken"), or its term has ended here: by which reason. */
  shardMoved?(reason: string): void;
  /** A renewal of the operator's Leases was refused, or not answered in time. */
  slowRenewal?(name: string): void;
  /** A daemon or timer of the object was told to stop: it is not called again, unless it is started anew. */
  backgroundStops?(subject: Subject, background: { readonly handler: string }): void;
  /** A watch has entered another phase. */
  watchChanged?(resource: Resource, change: WatchChange): void;
  /** A watch is no more, since its resource or namespace is served no more. */
  watchEnded?(resource: Resource, watch: { readonly key: string }): void;
  /** A Kubernetes event was posted, counted on an earlier one, or dropped. */
  eventPosted?(result: "posted" | "repeated" | "dropped"): void;
  hotLoop?(subject: Subject, loop: HotLoop): void;
  /** An error of the author's code that was not caught. */
  strayError?(kind: "rejection" | "exception"): void;
  /** An admission review has come. */
  reviewBegins?(webhook: ReviewedWebhook): void;
  reviewEnds?(webhook: ReviewedWebhook, end: { readonly code: number; readonly seconds: Seconds }): void;
  /** The certificate of webhooks was read, from files or from the Secret that replicas share: whether it could be used. */
  certificateRead?(isGood: boolean): void;
  /** Another client had changed a webhook configuration, or that Secret, and the operator has put it right. */
  webhooksRepaired?(kind: string): void;
  /** Runs a piece of work, from inside. */
  around?<Result>(step: Step, run: () => Promise<Result>): Promise<Result>;
}

/** Where to tell what becomes of attempts, and which object they are about. */
export interface Observed {
  readonly observer: Observer;
  readonly subject: Subject | undefined;
  /** Takes the attempts that have succeeded: the holder of this set tells later how they count. Default: that is told at once. */
  readonly succeeded?: Set<AttemptEnd>;
}

/** The names of the hooks that are told, and return no value. */
export const HOOKS = [
  "requestEnds",
  "decoded",
  "enqueued",
  "dropped",
  "passed",
  "settled",
  "reconcileBegins",
  "adopted",
  "decided",
  "judged",
  "attemptBegins",
  "codeRuns",
  "codeWaits",
  "attemptBlocks",
  "attemptEnds",
  "attemptCounts",
  "written",
  "refused",
  "reconcileEnds",
  "shardMoved",
  "slowRenewal",
  "backgroundStops",
  "watchChanged",
  "watchEnded",
  "eventPosted",
  "hotLoop",
  "strayError",
  "reviewBegins",
  "reviewEnds",
  "certificateRead",
  "webhooksRepaired",
] as const satisfies readonly (keyof Observer)[];

/** Called when an observer has thrown, with the name of its method. Must not throw. */
export type OnObserverFailure = (error: unknown, method: string) => void;

/**
 * Combines observers; hooks that none of them implements are left out.
 *
 * Some of them call code that is not ours (an OpenTelemetry SDK): their errors go to `onFailure`, and never to the observed code.
 */
export function combineObservers(
  observers: readonly Observer[],
  onFailure: OnObserverFailure = () => {},
): Observer {
  const combined: Record<string, unknown> = {};
  for (const name of HOOKS) {
    const tell = observers.flatMap((each) => {
      // All hooks take three arguments at most; hooks of one name take the same ones.
      const fn = each[name] as ((...args: unknown[]) => void) | undefined;
      return fn === undefined ? [] : [fn.bind(each)];
    });
    if (tell.length === 0) continue;
    combined[name] = (a: unknown, b: unknown, c: unknown) => {
      for (const fn of tell) {
        try {
          fn(a, b, c);
        } catch (error) {
          onFailure(error, name);
        }
      }
    };
  }
  const heading = observers.filter(({ requestBegins }) => requestBegins !== undefined);
  if (heading.length > 0) combined.requestBegins = collectHeaders(heading, onFailure);
  const wrapping = observers.filter(({ around }) => around !== undefined);
  if (wrapping.length > 0) combined.around = wrapAll(wrapping, onFailure);
  return combined;
}

function wrapAll(
  observers: readonly Observer[],
  onFailure: OnObserverFailure,
): NonNullable<Observer["around"]> {
  return (step, run) =>
    observers.reduceRight((inner, each) => () => wrap(each, { step, inner, onFailure }), run)();
}

/** The piece of work runs once, and its outcome counts, whatever the observer around it does. */
function wrap<Result>(
  observer: Observer,
  { step, inner, onFailure }: {
    readonly step: Step;
    readonly inner: () => Promise<Result>;
    readonly onFailure: OnObserverFailure;
  },
): Promise<Result> {
  let running: Promise<Result> | undefined;
  const once = (): Promise<Result> => running ??= inner();
  const recover = (error: unknown): Promise<Result> => {
    const outcome = once();
    // An error of the work itself is none of the observer's failures.
    outcome.then(() => onFailure(error, "around"), (own) => own === error || onFailure(error, "around"));
    return outcome;
  };
  try {
    return observer.around?.(step, once).catch(recover) ?? once();
  } catch (error) {
    return recover(error);
  }
}

function collectHeaders(
  observers: readonly Observer[],
  onFailure: OnObserverFailure,
): NonNullable<Observer["requestBegins"]> {
  return (request, attempt) => {
    let headers: HeaderFields | undefined;
    for (const each of observers) {
      try {
        const more = each.requestBegins?.(request, attempt);
        headers = headers === undefined ? more ?? undefined : { ...headers, ...more };
      } catch (error) {
        onFailure(error, "requestBegins");
      }
    }
    return headers;
  };
}
