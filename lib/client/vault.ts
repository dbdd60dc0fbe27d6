/**
 * Holds the ways into an API server, and gets new ones when a server refuses what it holds.
 *
 * Everybody who sends a request takes an info from here and says when the server did not accept it. The first one to find
 * the vault empty starts one login; everybody else waits for the same one. An info that was refused is remembered, so that a
 * login that can only repeat it ends in an error instead of a loop; it is given another chance after a minute, because
 * servers also answer 401 while they start. Infos are renewed before they expire, while the old ones still work.
 *
 * Source: behaviour-b §6.5; deviations D10, B-6.4.
 */

import type { Host, Seconds } from "../runtime/host.ts";
import type { Logger } from "../runtime/logging.ts";
import { type ConnectionInfo, type Credentials, describeInfo, equalInfos } from "./connection_info.ts";
import { LoginError, messageOf } from "./errors.ts";

/** Gets infos by key (whose login it was): all that can be had now. Empty: there are none. */
export type Login = () => Promise<ReadonlyMap<string, ConnectionInfo>>;

export interface VaultOptions {
  readonly host: Host;
  readonly logger: Logger;
  readonly login: Login;
  /** For how long a refused info is not accepted again, in seconds. Default: 60. */
  readonly memory?: Seconds;
  /** Called for each login that gave nothing to use; an operator stops then. */
  readonly onFailure?: (error: LoginError) => void;
}

interface Item {
  info: ConnectionInfo;
  renewal?: Promise<void>;
  /** When a failed renewal may be tried again, in milliseconds since 1970. */
  pausedUntil: number;
}

interface Refusal {
  readonly info: ConnectionInfo;
  /** On the monotonic clock. */
  readonly at: Seconds;
}

/** How many refused infos are remembered per key. Source: Kopf, `structs/credentials.py`. */
const REMEMBERED = 3;

/** How long after a failed renewal the next one is tried. */
const RENEWAL_PAUSE: Seconds = 10;

/** Credentials that renew themselves. */
export class Vault implements Credentials {
  readonly #options: VaultOptions;
  readonly #memory: Seconds;
  readonly #items = new Map<string, Item>();
  readonly #refusals = new Map<string, Refusal[]>();
  #login: Promise<void> | undefined;
  #latest: ConnectionInfo | undefined;
  #lastRefusal: unknown;

  constructor(options: VaultOptions) {
    this.#options = options;
    this.#memory = options.memory ?? 60;
  }

  /** Puts an info in, as if a login had given it. Refused and expired ones are not taken. */
  add(key: string, info: ConnectionInfo): void {
    const { expiration = Infinity } = info;
    if (expiration <= this.#options.host.clock.now() || this.#isRefused(key, info)) return;
    this.#items.set(key, { info, pausedUntil: 0 });
  }

  async current(signal?: AbortSignal): Promise<ConnectionInfo> {
    for (;;) {
      const item = this.#pick();
      if (item === undefined) {
        await unlessAborted(this.#refill(), signal);
        continue;
      }
      const now = this.#options.host.clock.now();
      const { expiration = Infinity, refreshAfter = Infinity } = item.info;
      if (now < expiration) {
        if (now >= refreshAfter) this.#renewSoon(item, now);
        this.#latest = item.info;
        return item.info;
      }
      await unlessAborted(this.#replaceExpired(item), signal);
    }
  }

  invalidate(info: ConnectionInfo, cause?: unknown): void {
    for (const [key, item] of this.#items) {
      if (item.info !== info) continue;
      this.#items.delete(key);
      this.#lastRefusal = cause;
      const refusal: Refusal = { info, at: this.#options.host.clock.monotonic() };
      this.#refusals.set(key, [...this.#refusals.get(key) ?? [], refusal].slice(-REMEMBERED));
      this.#options.logger.debug("Credentials were refused", { connection: describeInfo(info) });
    }
  }

  peek(): ConnectionInfo | undefined {
    return this.#latest ?? this.#pick()?.info;
  }

  /** Any of those with the highest priority. */
  #pick(): Item | undefined {
    if (this.#items.size <= 1) return this.#items.values().next().value;
    const items = [...this.#items.values()];
    const highest = Math.max(...items.map(({ info }) => info.priority ?? 0));
    const best = items.filter(({ info }) => (info.priority ?? 0) === highest);
    return best[Math.floor(this.#options.host.random.next() * best.length)];
  }

  /** Renews in the background, while the info at hand still works. */
  #renewSoon(item: Item, now: number): void {
    if (item.renewal !== undefined || now < item.pausedUntil || item.info.refresh === undefined) return;
    item.renewal = this.#renew(item).catch((error) => {
      item.pausedUntil = this.#options.host.clock.now() + RENEWAL_PAUSE * 1000;
      this.#options.logger.warn("Credentials could not be renewed, the old ones are used on", { error });
    }).finally(() => item.renewal = undefined);
  }

  async #renew(item: Item): Promise<void> {
    if (item.info.refresh === undefined) throw new LoginError("Cannot renew credentials: they have expired");
    const { priority } = item.info;
    item.info = { priority, ...await item.info.refresh() };
  }

  /** Nothing works with an expired info: everybody waits. */
  async #replaceExpired(item: Item): Promise<void> {
    const renewal = item.renewal ?? this.#renew(item).finally(() => item.renewal = undefined);
    item.renewal = renewal;
    try {
      await renewal;
    } catch (error) {
      this.#options.logger.debug("Expired credentials could not be renewed", { error });
    }
    const { expiration = Infinity } = item.info;
    if (this.#options.host.clock.now() < expiration) return;
    for (const [key, other] of this.#items) {
      if (other === item) this.#items.delete(key);
    }
  }

  /** Logs in, once for all who wait. @throws {LoginError} If that gives nothing to use. */
  #refill(): Promise<void> {
    this.#login ??= this.#logIn().finally(() => this.#login = undefined);
    return this.#login;
  }

  async #logIn(): Promise<void> {
    const { logger, login, onFailure } = this.#options;
    logger.debug(this.#latest === undefined ? "Logging in" : "Logging in again");
    try {
      const infos = await login();
      for (const [key, info] of infos) this.add(key, info);
      if (this.#items.size === 0) throw new LoginError(this.#failureOf(infos), { cause: this.#lastRefusal });
    } catch (error) {
      const failure = error instanceof LoginError
        ? error
        : new LoginError(`Cannot log in: ${messageOf(error)}`, { cause: error });
      onFailure?.(failure);
      throw failure;
    }
  }

  #failureOf(infos: ReadonlyMap<string, ConnectionInfo>): string {
    if (infos.size === 0) return "Cannot log in: there are no credentials";
    const tried = [...infos.values()].map(describeInfo).join(", ");
    return `Cannot log in: the credentials were refused or have expired, and there are no others: ${tried}`;
  }

  #isRefused(key: string, info: ConnectionInfo): boolean {
    const now = this.#options.host.clock.monotonic();
    return (this.#refusals.get(key) ?? [])
      .some((refusal) => now - refusal.at < this.#memory && equalInfos(refusal.info, info));
  }
}

/** Waits for something that goes on for others, also when this caller does not want it any more. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
