/**
 * What a reconcile needs, made of little: the handlers of a test, an object, a writer that answers as it is told to, and
 * daemons that claim what they are told to. Everything that is called is noted in one list, in order.
 */

import { CachedObject } from "../../lib/client/cache/object_store.ts";
import type { TurnDaemons } from "../../lib/handlers/background/background_part.ts";
import { Concurrency } from "../../lib/handlers/reconcile/concurrency.ts";
import { Kinds, mannersOf } from "../../lib/handlers/manners.ts";
import { prepare, type Run, type Turn } from "../../lib/handlers/turn.ts";
import type { Claim, Matching } from "../../lib/handlers/background/daemons.ts";
import type { Term } from "../../lib/execution/fence.ts";
import { allAtOnce } from "../../lib/execution/lifecycle.ts";
import { ObjectState } from "../../lib/execution/object_state.ts";
import type { WriteRequest, WriteResult } from "../../lib/execution/object_writer.ts";
import type { Observer } from "../../lib/execution/observer.ts";
import { PODS } from "../../lib/model/kinds.ts";
import type { KubeObject } from "../../lib/model/object.ts";
import { applyMergePatch, Patch } from "../../lib/model/patch.ts";
import { BACKGROUND, backgroundHandler } from "../../lib/handlers/background/background_handler.ts";
import { CHANGE, changeHandler } from "../../lib/handlers/change/change_handler.ts";
import { EVENT, eventHandler } from "../../lib/handlers/event/event_handler.ts";
import type { RawOptions } from "../../lib/handlers/option_checks.ts";
import type { ChangeHandlerCause } from "../../lib/handlers/change/change_handler.ts";
import { type Declarations, declareInto } from "../../lib/handlers/on.ts";
import { Registry } from "../../lib/handlers/registry.ts";
import { createLogger } from "../../lib/runtime/logging.ts";
import { type VirtualHost, virtualHost } from "../../lib/runtime/virtual/host.ts";
import { currentEssence } from "../../lib/settings/persistence/storage.ts";
import { defaultSettings } from "../../lib/settings/settings.ts";

/** A handler: what it is for, its id and options, and what it does. */
export interface BenchHandler {
  readonly on: ChangeHandlerCause | "event" | "daemon";
  readonly options?: RawOptions;
  readonly fn?: (args: Record<string, never>) => unknown;
}

export interface BenchOptions {
  readonly body: KubeObject;
  readonly handlers?: readonly BenchHandler[];
  /** Declares more handlers, as operators do. */
  readonly declare?: (declare: Declarations<Record<string, unknown>>) => void;
  readonly firstSeen?: "listing" | "event";
  readonly claim?: Claim;
  readonly observer?: Observer;
  /** What becomes of the writes, in order. Default: nothing differs. */
  readonly write?: (request: WriteRequest, state: ObjectState) => WriteResult;
  /** What the server has. Default: the object as it is. */
  readonly read?: () => KubeObject | undefined;
}

export interface Bench {
  /** A new turn each time, as the work queue begins one. */
  readonly turn: Turn;
  readonly host: VirtualHost;
  readonly state: ObjectState;
  /** "fn", "daemons", "read", "write", "forget": what was called, in order. */
  readonly calls: string[];
  readonly requests: WriteRequest[];
  /** Messages of the log, from "info" on. */
  readonly messages: string[];
}

/** Makes an object, and a run that it has turns in. */
export function makeBench({ body, handlers = [], firstSeen = "event", ...options }: BenchOptions): Bench {
  const { claim = { isRequired: false, isPending: false }, observer = {}, read = () => body } = options;
  const { write = () => ({ kind: "unchanged" }) } = options;
  const host = virtualHost();
  const settings = defaultSettings();
  const [calls, requests, messages]: [string[], WriteRequest[], string[]] = [[], [], []];
  const logger = createLogger(
    { level: "info", write: ({ message }) => void messages.push(message) },
    host.clock,
  );
  const reported = new Set<string>();
  const kind = {
    resource: PODS,
    reportOnce: (what: string) => !reported.has(what) && reported.add(what).size > 0,
  };
  const state = new ObjectState({ cached: new CachedObject(body), kind, memo: {}, firstSeen });
  // Daemons and writers are classes with private parts; what a reconcile calls of them is all here.
  const fakes = {
    daemons: {
      match: (_state: unknown, _matching: Matching) => (calls.push("daemons"), Promise.resolve()),
      claimOf: () => claim,
      forget: (_subject: unknown, reason: string) => (calls.push(`forget ${reason}`), Promise.resolve()),
    },
    writer: {
      read: () => (calls.push("read"), Promise.resolve(read())),
      write: (_state: ObjectState, request: WriteRequest) => {
        calls.push("write");
        requests.push(request);
        return Promise.resolve(write(request, state));
      },
    },
    poster: { post: () => {} },
  } as unknown as { readonly daemons: TurnDaemons } & Pick<Run, "writer" | "poster">;
  const registry = registryOf(handlers, calls);
  options.declare?.(declareInto(registry));
  const { persistence } = settings;
  const { signal } = new AbortController();
  const wake = (): boolean => true;
  const { daemons, writer, poster } = fakes;
  const manners = mannersOf({ daemons, concurrency: new Concurrency({ wake }), introduce: () => {} });
  const run = {
    host,
    registry,
    writer,
    poster,
    observer,
    settings,
    persistence,
    signal,
    logger,
    manners,
    wake,
    indices: {},
    lifecycle: () => allAtOnce,
    // The rest is not for turns: clients, hot loops.
  } as Partial<Run> as Run;
  const kinds = new Kinds(manners, persistence);
  return {
    get turn() {
      return prepare(run, state, { kind: kinds.of(registry.of(PODS)), isUrgent: false });
    },
    host,
    state,
    calls,
    requests,
    messages,
  };
}

/** Returns the turn as one of a replica, in a term that ends when it is told to. */
export function inTerm(turn: Turn): { readonly turn: Turn; readonly end: () => void } {
  let left = 5;
  const { signal } = new AbortController();
  const term: Term = { shard: 0, number: 1, signal, timeLeft: () => left };
  // The signal is a timer's: a process that was stopped may not have been told yet.
  return { turn: { ...turn, term }, end: () => void (left = 0) };
}

/** Returns an object as it is when its present state was handled. */
export function handledBody(body: KubeObject): KubeObject {
  const { persistence } = defaultSettings();
  const patch = new Patch();
  const essence = currentEssence(persistence, body, { extraFields: [] });
  persistence.diffBase.store({ patch, body, essence, extraFields: [], onLoss: () => {} });
  return applyMergePatch(body, patch.toMergePatch());
}

function registryOf(handlers: readonly BenchHandler[], calls: string[]): Registry {
  const registry = new Registry();
  for (const { on, options = {}, fn: call = () => {} } of handlers) {
    const { id = on } = options;
    const fn = (args: Record<string, never>): unknown => {
      calls.push(String(id));
      return call(args);
    };
    const declared = { resource: "pods", options: { ...options, id }, fn };
    if (on === "event") registry.add(EVENT, eventHandler(declared));
    else if (on === "daemon") registry.add(BACKGROUND, backgroundHandler(declared, on));
    else registry.add(CHANGE, changeHandler(declared, { cause: on }));
  }
  return registry;
}
