/**
 * The states of a watcher, and the transitions between them: a pure function, so that the whole table can be read and tested.
 *
 * The loop in watcher.ts acts as a state calls for (list, stream, wait) and feeds the result back in. Each state holds
 * its own members, so that wrong mixtures cannot be written: a version exists only once a set is complete, faults only at a
 * version. Compare kube-rs, kube-runtime/src/watcher.rs. Source: Kubernetes API concepts, "Efficient detection of changes".
 */

/** Faults in a row at one version; forgotten as soon as the version advances. */
export interface Faults {
  /** Failures that may be the version's fault. */
  readonly broken: number;
  /** Streams without a single byte. */
  readonly silent: number;
}

/** Where a watcher is. */
export type WatcherState =
  /**
   * The set is to be fetched. `lostTokens`: lists in a row whose continue token expired. `isPaged`: in pages this once, as a
   * streamed list would only wait for the server's cache.
   */
  | { readonly at: "empty"; readonly lostTokens: number; readonly isPaged?: true }
  /** The set is being fetched. `by`: in pages, or as a streamed list, which may be given up for pages unless it is forced. */
  | { readonly at: "listing"; readonly lostTokens: number; readonly by: ListingBy; readonly isOpen: boolean }
  /** The set is complete at this version; no stream is open. */
  | { readonly at: "synced"; readonly version: string; readonly faults: Faults }
  /** A stream from this version is requested, or open. */
  | { readonly at: "watching"; readonly version: string; readonly faults: Faults; readonly isOpen: boolean }
  /** The server refuses, and the watch is not tried again. */
  | { readonly at: "ended" };

export type ListingBy = "pages" | "stream" | "forced stream";

/** An event in a watcher's life, from which the next state follows. */
export type WatcherInput =
  /** The loop begins the action that the state calls for. `by`: how a set is to be fetched now. */
  | { readonly is: "begin"; readonly by: ListingBy }
  /** The server has accepted the stream. */
  | { readonly is: "opened" }
  /** The last page, or the bookmark that ends a streamed list. */
  | { readonly is: "complete"; readonly version: string }
  /** A newer event or bookmark. */
  | { readonly is: "advanced"; readonly version: string }
  /** The stream was ended by the server, or by our own age limit. */
  | { readonly is: "ended" }
  /** No bytes came for too long. `heard`: some came before that. */
  | { readonly is: "silent"; readonly heard: boolean }
  | { readonly is: "failed"; readonly how: Failure };

/**
 * expired: 410. behind: the server's cache does not reach the version that was asked for. disorder: an old event came after a new one. rejected: 400 or 422. unstreamed: the server was asked for
 * a streamed list and sends none. garbled: the bytes of the server are no good, which may be the version's fault.
 * stop: it refuses, and is not to be asked again. other: anything else.
 */
export type Failure =
  | "expired"
  | "behind"
  | "disorder"
  | "rejected"
  | "unstreamed"
  | "garbled"
  | "stop"
  | "other";

/**
 * How long to wait before the next step. grown: longer with each failure. short: as short as at first, the first time since
 * all was well. byLifetime: not at all after a stream that lived, else grown.
 */
export type Pause = "none" | "grown" | "short" | "byLifetime";

/** The next state, and its action. */
export interface Transition {
  readonly state: WatcherState;
  readonly pause: Pause;
  /** The news for the informer. */
  readonly tell?: "listing" | "synced";
  /** The server streams no lists of this kind: it is not asked for one again. */
  readonly isUnstreamed?: boolean;
  readonly log?: readonly [level: "debug" | "warn", message: string];
}

export const INITIAL: WatcherState = { at: "empty", lostTokens: 0 };

const NO_FAULTS: Faults = { broken: 0, silent: 0 };

/** After so many streams in a row that break at one version the set is fetched anew. */
const MOST_BROKEN = 3;

/** After so many streams in a row without a single byte the set is fetched anew: the server may not know the version. */
const MOST_SILENT = 2;

const FAILED: Transition["log"] = ["warn", "Watching failed, will be tried again"];

/** Returns the state of a watcher after an input, and the action to take. */
export function transition(state: WatcherState, input: WatcherInput): Transition {
  if (input.is === "failed" && input.how === "stop") return { state: { at: "ended" }, pause: "none" };
  if (input.is === "failed" && input.how === "expired") return expired(state);
  switch (state.at) {
    case "empty":
      if (input.is !== "begin") return { state, pause: "none" };
      return {
        state: {
          at: "listing",
          lostTokens: state.lostTokens,
          by: state.isPaged ? "pages" : input.by,
          isOpen: false,
        },
        pause: "none",
        tell: "listing",
      };
    case "listing":
      return whileListing(state, input);
    case "synced":
      if (input.is !== "begin") return { state, pause: "none" };
      return { state: { ...state, at: "watching", isOpen: false }, pause: "none" };
    case "watching":
      return whileWatching(state, input);
    case "ended":
      return { state, pause: "none" };
    default:
      return state satisfies never;
  }
}

/** Only a whole set counts: whatever else ends a listing makes it begin again. */
function whileListing(state: WatcherState & { at: "listing" }, input: WatcherInput): Transition {
  const { by, lostTokens, isOpen } = state;
  const again = { at: "empty", lostTokens } as const;
  switch (input.is) {
    case "opened":
      return { state: { ...state, isOpen: true }, pause: "none" };
    case "complete":
      return { state: completeAt(input.version, by), pause: "none", tell: "synced" };
    case "begin":
    case "advanced": // The versions of single objects are not the version of the set.
      return { state, pause: "none" };
    case "ended":
      return { state: again, pause: "grown", log: FAILED };
    case "silent":
      return by === "stream" && isOpen ? unstreamed(again) : { state: again, pause: "grown", log: FAILED };
    case "failed": {
      if (by === "stream" && input.how === "behind") return behind(again);
      const isUnstreamed = by === "stream" && (input.how === "rejected" || input.how === "unstreamed");
      return isUnstreamed ? unstreamed(again) : { state: again, pause: "grown", log: FAILED };
    }
    default:
      return input satisfies never;
  }
}

/** The stream of a streamed list goes on with later events; pages are followed by a stream. */
function completeAt(version: string, by: ListingBy): WatcherState {
  if (by === "pages") return { at: "synced", version, faults: NO_FAULTS };
  return { at: "watching", version, faults: NO_FAULTS, isOpen: true };
}

function unstreamed(state: WatcherState): Transition {
  const message = "Server does not stream lists of this kind, taking pages";
  return { state, pause: "none", isUnstreamed: true, log: ["debug", message] };
}

/**
 * A streamed list waits until the server's cache is as new as etcd was at the request, 3 s at most. Pages are read from etcd
 * then, so a server that is busy is not waited for again and again.
 *
 * Source: Kubernetes 1.36, apiserver/pkg/storage/cacher/delegator.go; client-go's reflector does the same.
 */
function behind(state: WatcherState & { at: "empty" }): Transition {
  const message = "Cache of the server is behind, taking pages this once";
  return { state: { ...state, isPaged: true }, pause: "none", log: ["debug", message] };
}

function expired(state: WatcherState): Transition {
  const lostTokens = state.at === "listing" ? state.lostTokens + 1 : 0;
  const message = "Version is too old, listing again";
  return { state: { at: "empty", lostTokens }, pause: "short", log: ["debug", message] };
}

function whileWatching(state: WatcherState & { at: "watching" }, input: WatcherInput): Transition {
  const { version, faults, isOpen } = state;
  switch (input.is) {
    case "opened":
      return { state: { ...state, isOpen: true }, pause: "none" };
    case "complete": // Another bookmark that says so is a bookmark.
    case "advanced":
      return { state: { at: "watching", version: input.version, faults: NO_FAULTS, isOpen }, pause: "none" };
    case "begin":
      return { state, pause: "none" };
    case "ended":
      return { state: { at: "synced", version, faults: { ...faults, silent: 0 } }, pause: "byLifetime" };
    case "silent": {
      const silent = input.heard ? 0 : faults.silent + 1;
      // NB: a server that accepts and is silent may have no events; one that does not even accept has a problem.
      const pause = isOpen ? "byLifetime" : "grown";
      if (silent >= MOST_SILENT) {
        return { state: INITIAL, pause, log: ["warn", "Watch streams stay mute, listing again"] };
      }
      const log = isOpen ? undefined : FAILED;
      return { state: { at: "synced", version, faults: { ...faults, silent } }, pause, log };
    }
    case "failed":
      return brokenStream(state, input.how);
    default:
      return input satisfies never;
  }
}

function brokenStream({ version, faults }: WatcherState & { at: "watching" }, how: Failure): Transition {
  if (how === "disorder") {
    return { state: INITIAL, pause: "grown", log: ["warn", "Watch stream is out of order, listing again"] };
  }
  // Of a server that was set back to an older state the version is unknown for good.
  const isSuspicious = how === "rejected" || how === "garbled" || how === "behind";
  const broken = faults.broken + (isSuspicious ? 1 : 0);
  if (broken >= MOST_BROKEN) {
    const message = "Watching fails at the same version again and again, listing again";
    return { state: INITIAL, pause: "grown", log: ["warn", message] };
  }
  return { state: { at: "synced", version, faults: { ...faults, broken } }, pause: "grown", log: FAILED };
}
