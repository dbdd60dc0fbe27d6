/**
 * The settings that the client reads. `settings/` holds the whole tree, of which these are parts by their shape; so a test
 * or a small program can write down just these.
 */

import type { Seconds } from "../runtime/host.ts";

/** How requests are made. Source: Kopf, `settings.networking`. */
export interface NetworkingSettings {
  /** For one attempt of a request as a whole, in seconds; null: no limit. Default: 300. */
  readonly requestTimeout: Seconds | null;
  /** For TCP and TLS, in seconds; null: `requestTimeout` counts. Default: null. */
  readonly connectTimeout: Seconds | null;
  /** Pauses between attempts, in seconds; one number is one pause, none is one attempt only. Default: 1, 1, 2, 3, 5, 8, 13, 21. */
  readonly errorBackoffs: Seconds | Iterable<Seconds>;
  /** Whether a server's Retry-After replaces the pause even if it is shorter. Default: false. */
  readonly enforceRetryAfter: boolean;
  /** Whether proxies are taken from the environment (HTTPS_PROXY, HTTP_PROXY, NO_PROXY). Default: false. */
  readonly trustEnv: boolean;
}

/** How objects are watched. Source: Kopf, `settings.watching`. */
export interface WatchingSettings {
  /** After how many seconds the server is asked to end a stream; null: as it likes. Default: null. */
  readonly serverTimeout: Seconds | null;
  /** After how many seconds we reopen a stream; null: never. Default: null. */
  readonly clientTimeout: Seconds | null;
  /** For opening a stream, in seconds; null: as `networking` says. Default: null. */
  readonly connectTimeout: Seconds | null;
  /** The first pause before a stream is opened again, in seconds; it grows while streams fail. Default: 0.1. */
  readonly reconnectBackoff: Seconds;
  /** After how many seconds of silence (no event, no bookmark) a stream is reopened. Default: 70. */
  readonly inactivityTimeout: Seconds;
  /** Objects per page of a list; null: no limit. Default: 500. */
  readonly chunkSize: number | null;
  /** Streams instead of lists: "auto" where the server has them; true and false force. Default: "auto". */
  readonly initialStreaming: boolean | "auto";
}
