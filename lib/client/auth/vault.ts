/**
 * Holds the ways into an API server, and gets new ones when a server refuses the present ones.
 *
 * Everybody who sends a request takes an info from here and says when the server did not accept it. The first one to find
 * the vault empty starts one login; everybody else waits for the same one. An info that was refused is remembered, so that a
 * login that can only repeat it ends in an error instead of a loop. Infos are renewed before they expire, while the old
 * ones still work.
 *
 * NB: servers also answer 401 to good credentials, while they start, or while their authenticator of tokens does not answer;
 * and files are read while others write them. So, once a server has taken anything from here, a login has a minute of
 * failures before it counts as failed for good. Until then it fails at once: most probably it is wrong.
 *
 * Source: scenarios B260–B278, D10.
 */

import type { Host, Seconds } from "../../runtime/host.ts";
import type { Logger } from "../../runtime/logging.ts";
import { type ConnectionInfo, type Credentials, describeInfo, equalInfos } from "./connection_info.ts";
import { isNamed, LoginError, messageOf } from "../errors.ts";

/** Gets infos by key (whose login it was): all that can be had now. Empty: there are none. */
export type Login = () => Promise<ReadonlyMap<string, ConnectionInfo>>;

export interface VaultOptions {
  readonly host: Host;
  readonly logger: Logger;
  readonly login: Login;
  /** For how long a refused info is not accepted again, in seconds. Default: 60. */
  readonly memory?: Seconds;
  /** For how long a login may fail after a server has taken credentials from here, in seconds. Default: 60. */
  readonly loginTimeout?: Seconds;
  /** Called for each login that has failed for good; an operator stops then. */
  readonly onFailure?: (error: LoginError) => void;
}

interface Item {
  info: ConnectionInfo;
  renewal?: Promise<void>;
  /** When the info was taken, on the monotonic clock. */
  takenAt: Seconds;
  /** When a failed renewal may be tried again, on the monotonic clock. */
  pausedUntil: Seconds;
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

/** For how long a file that was read counts as new, when a server turns out not to be trusted. */
const REREAD_PAUSE: Seconds = 5;

/** The pauses between logins that fail; the last one repeats. */
const LOGIN_PAUSES: readonly Seconds[] = [1, 2, 3, 5];

/** How many sets of credentials may be refused in a row, however fresh they are, when the login's time is over. */
const REFUSED_LIMIT = 5;

/** Failures since a server has last taken credentials. */
interface Trouble {
  /** On the monotonic clock. */
  readonly since: Seconds;
  refused: number;
}

/** Credentials that renew themselves. */
export class Vault implements Credentials {
  readonly #options: VaultOptions;
  readonly #memory: Seconds;
  readonly #items = new Map<string, Item>();
  readonly #refusals = new Map<string, Refusal[]>();
  #login: Promise<void> | undefined;
  #latest: ConnectionInfo | undefined;
  #lastRefusal: unknown;
  /** Whether a server has ever taken anything. */
  #isProven = false;
  #trouble: Trouble | undefined;
  /** Requests that wait for a login. */
  #waiting = 0;
  /** Ends the pause between two logins when no caller waits any more. */
  #pause: AbortController | undefined;

  constructor(options: VaultOptions) {
    this.#options = options;
    this.#memory = options.memory ?? 60;
  }

  /** Puts an info in, as if a login had given it. Refused and expired ones are not taken. */
  add(key: string, info: ConnectionInfo): void {
    const { expiration = Infinity } = info;
    if (expiration <= this.#options.host.clock.now() || this.#isRefused(key, info)) return;
    this.#items.set(key, { info, takenAt: this.#options.host.clock.monotonic(), pausedUntil: -Infinity });
  }

  async current(signal?: AbortSignal): Promise<ConnectionInfo> {
    for (;;) {
      const item = this.#pick();
      if (item === undefined) {
        await this.#untilRefilled(signal);
        continue;
      }
      const now = this.#options.host.clock.now();
      const { expiration = Infinity, refreshAfter = Infinity } = item.info;
      if (now < expiration) {
        if (now >= refreshAfter || this.#isOld(item)) this.#renewSoon(item);
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
      this.#inTrouble().refused++;
      const refusal: Refusal = { info, at: this.#options.host.clock.monotonic() };
      this.#refusals.set(key, [...this.#refusals.get(key) ?? [], refusal].slice(-REMEMBERED));
      this.#options.logger.debug("Credentials were refused", { connection: describeInfo(info) });
    }
  }

  confirm(info: ConnectionInfo): void {
    if (this.#trouble === undefined && this.#isProven) return;
    if (![...this.#items.values()].some((item) => item.info === info)) return;
    this.#isProven = true;
    this.#trouble = undefined;
  }

  async reread(info: ConnectionInfo): Promise<boolean> {
    const item = [...this.#items.values()].find((each) => each.info === info);
    if (item === undefined) return true;
    if (item.renewal === undefined) {
      const isFresh = this.#options.host.clock.monotonic() - item.takenAt < REREAD_PAUSE;
      if (info.refresh === undefined || isFresh) return false;
      this.#renewSoon(item);
    }
    await item.renewal;
    return !equalInfos(item.info, info);
  }

  peek(): ConnectionInfo | undefined {
    return this.#latest ?? this.#pick()?.info;
  }

  /** Any of the infos with the highest priority. */
  #pick(): Item | undefined {
    if (this.#items.size <= 1) return this.#items.values().next().value;
    const items = [...this.#items.values()];
    const highest = Math.max(...items.map(({ info }) => info.priority ?? 0));
    const best = items.filter(({ info }) => (info.priority ?? 0) === highest);
    return best[Math.floor(this.#options.host.random.next() * best.length)];
  }

  #isOld({ info: { refreshEvery = Infinity }, takenAt }: Item): boolean {
    return refreshEvery !== Infinity && this.#options.host.clock.monotonic() - takenAt >= refreshEvery;
  }

  /** Renews in the background, while the info at hand still works. */
  #renewSoon(item: Item): void {
    const { clock } = this.#options.host;
    if (item.renewal !== undefined || item.info.refresh === undefined) return;
    if (clock.monotonic() < item.pausedUntil) return;
    item.renewal = this.#renew(item).catch((error) => {
      item.pausedUntil = clock.monotonic() + RENEWAL_PAUSE;
      this.#options.logger.warn("Credentials could not be renewed, the old ones are used on", { error });
    }).finally(() => item.renewal = undefined);
  }

  async #renew(item: Item): Promise<void> {
    if (item.info.refresh === undefined) throw new LoginError("Cannot renew credentials: they have expired");
    const { priority } = item.info;
    item.info = { priority, ...await item.info.refresh() };
    item.takenAt = this.#options.host.clock.monotonic();
  }

  /** No request works with an expired info: all callers wait. */
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

  async #untilRefilled(signal: AbortSignal | undefined): Promise<void> {
    this.#waiting++;
    try {
      await unlessAborted(this.#refill(), signal);
    } finally {
      if (--this.#waiting === 0) this.#pause?.abort();
    }
  }

  /** Logs in, once for all waiting callers. @throws {LoginError} If that gives no usable info. */
  #refill(): Promise<void> {
    this.#login ??= this.#logIn().finally(() => this.#login = undefined);
    return this.#login;
  }

  async #logIn(): Promise<void> {
    const { host: { clock }, logger, onFailure } = this.#options;
    logger.debug(this.#latest === undefined ? "Logging in" : "Logging in again");
    for (let attempt = 1;; attempt++) {
      const error = await this.#tryLogin();
      if (error === undefined) return;
      const delay = this.#delayAfter(error);
      if (delay === undefined) {
        onFailure?.(error);
        throw error;
      }
      logger.warn("Cannot log in, will try again", { attempt, delay, error });
      this.#pause = new AbortController();
      await clock.sleep(delay, this.#pause.signal);
      if (this.#waiting === 0) throw error;
      // An info that was refused then may be taken now.
      this.#refusals.clear();
    }
  }

  /** Returns the fault, if it gave no usable info. */
  async #tryLogin(): Promise<LoginError | undefined> {
    try {
      const infos = await this.#options.login();
      for (const [key, info] of infos) this.add(key, info);
      if (this.#items.size > 0 && !this.#isHopeless()) return undefined;
      this.#items.clear();
      return new LoginError(this.#failureOf(infos), { cause: this.#lastRefusal });
    } catch (error) {
      if (error instanceof LoginError) return error;
      return new LoginError(`Cannot log in: ${messageOf(error)}`, { cause: error });
    }
  }

  /** Undefined if it is of no use to try again. Handlers that fail have tried again already, as often as they wanted to. */
  #delayAfter({ cause }: LoginError): Seconds | undefined {
    if (!this.#isProven || isNamed(cause, "ActivityError")) return undefined;
    const trouble = this.#inTrouble();
    if (this.#isOver(trouble)) return undefined;
    return LOGIN_PAUSES[Math.min(trouble.refused, LOGIN_PAUSES.length) - 1] ?? LOGIN_PAUSES[0];
  }

  #inTrouble(): Trouble {
    return this.#trouble ??= { since: this.#options.host.clock.monotonic(), refused: 0 };
  }

  #isOver({ since }: Trouble): boolean {
    const timeout = this.#isProven ? this.#options.loginTimeout ?? 60 : 0;
    return this.#options.host.clock.monotonic() - since >= timeout;
  }

  /** Whether servers refuse all that logins give, however fresh it is. */
  #isHopeless(): boolean {
    const trouble = this.#trouble;
    return trouble !== undefined && trouble.refused >= REFUSED_LIMIT && this.#isOver(trouble);
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

/** Waits for work that goes on for others, also when this caller does not want it any more. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
