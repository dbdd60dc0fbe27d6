/**
 * Pools of connections, one per distinct server and TLS identity, and the headers that go with each connection info.
 *
 * Infos that differ in their tokens only share a pool, so that a renewed token costs no handshake. A pool that a renewed
 * certificate left behind is closed when only watches can be in flight on it, which then resume elsewhere.
 */

import type { Connection, Host, Seconds } from "../../runtime/host.ts";
import type { Logger } from "../../runtime/logging.ts";
import type { NetworkingSettings } from "../../settings/sections.ts";
import {
  authHeaders,
  type ConnectionInfo,
  connectionKey,
  type HeaderFields,
} from "../auth/connection_info.ts";
import { LoginError, messageOf } from "../errors.ts";
import { proxyFromEnvironment, withoutPassword } from "./proxy.ts";

/** For how long a pool stays open after its last use, where requests have no timeout. */
const LINGER: Seconds = 300;

interface Pool {
  readonly connection: Connection;
  usedAt: Seconds;
}

/** One way to send requests. */
export interface Session {
  readonly connection: Connection;
  /** The headers that every request has. Frozen: hosts make the text of such headers once. */
  readonly headers: Readonly<HeaderFields>;
  /** The same for a request with a body, by its type. Frozen, too. */
  readonly typed: Map<string, Readonly<HeaderFields>>;
  /** Whether answers may be compressed. */
  readonly isCompressed: boolean;
  readonly pool: Pool;
}

export interface SessionsOptions {
  readonly host: Host;
  readonly networking: NetworkingSettings;
  readonly userAgent: string;
  /** Where it is said that a server's certificate is not looked at. */
  readonly logger: Logger;
}

/** The sessions of one transport. Disposing closes all connections. */
export class Sessions implements Disposable {
  readonly #options: SessionsOptions;
  readonly #sessions = new WeakMap<ConnectionInfo, Session>();
  readonly #pools = new Map<string, Pool>();
  readonly #timers = new Set<Disposable>();
  /** Servers whose certificates are not looked at, and of which that was said. */
  readonly #trusted = new Set<string>();

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  /** @throws {LoginError} If the info's certificates cannot be used. */
  for(info: ConnectionInfo): Session {
    let session = this.#sessions.get(info);
    if (session === undefined || session.pool.usedAt === Infinity) {
      session = this.#open(info);
      this.#sessions.set(info, session);
    }
    session.pool.usedAt = this.#options.host.clock.monotonic();
    return session;
  }

  [Symbol.dispose](): void {
    for (const timer of this.#timers) timer[Symbol.dispose]();
    this.#timers.clear();
    for (const [key, pool] of this.#pools) this.#close(key, pool);
  }

  #open(info: ConnectionInfo): Session {
    const key = connectionKey(info);
    let pool = this.#pools.get(key);
    if (pool === undefined) {
      pool = { connection: this.#connect(info), usedAt: 0 };
      if (this.#pools.size > 0) this.#retireLater();
      this.#pools.set(key, pool);
    }
    const userAgent = info.userAgent ?? this.#options.userAgent;
    const headers = { "accept": "application/json", "user-agent": userAgent, ...authHeaders(info) };
    return {
      connection: pool.connection,
      headers: Object.freeze(headers),
      typed: new Map(),
      isCompressed: info.disableCompression !== true,
      pool,
    };
  }

  #connect(info: ConnectionInfo): Connection {
    const { host, networking } = this.#options;
    const { server, ca, cert, key, insecure, serverName } = info;
    if (insecure === true && server.startsWith("https:")) this.#warn(server);
    const proxy = info.proxy ?? (networking.trustEnv ? proxyFromEnvironment(host, server) : undefined);
    try {
      return host.network.connect({
        server,
        ca,
        cert,
        key,
        insecure,
        serverName,
        proxy,
        connectTimeout: networking.connectTimeout ?? undefined,
      });
    } catch (error) {
      throw new LoginError(
        `Cannot prepare a connection to "${withoutPassword(server)}": ${messageOf(error)}`,
        {
          cause: error,
        },
      );
    }
  }

  #warn(server: string): void {
    if (this.#trusted.has(server)) return;
    this.#trusted.add(server);
    this.#options.logger.warn(
      'The server\'s certificate is not checked ("insecure-skip-tls-verify"): whoever is on the way can read the credentials ' +
        "and pretend to be the server (give its certificate authority instead)",
      { server: withoutPassword(server) },
    );
  }

  /** Closes the pools that were not used for a while, once. */
  #retireLater(): void {
    const { clock } = this.#options.host;
    const linger = this.#options.networking.requestTimeout ?? LINGER;
    const timer = clock.after(linger, () => {
      this.#timers.delete(timer);
      for (const [key, pool] of this.#pools) {
        if (clock.monotonic() - pool.usedAt >= linger) this.#close(key, pool);
      }
    });
    this.#timers.add(timer);
  }

  #close(key: string, pool: Pool): void {
    this.#pools.delete(key);
    pool.usedAt = Infinity; // closed: sessions that still know it open a new one
    pool.connection[Symbol.dispose]();
  }
}
