/**
 * Faults that wait for the requests that they are meant for.
 *
 * Everything that strikes is a function of the rules, their seeds and the order of requests: on a virtual host a run
 * with faults can be repeated.
 */

import type { Clock, Random, Seconds } from "../../../runtime/host.ts";
import { createVirtualRandom } from "../../../runtime/virtual/random.ts";
import { wishOf } from "../access/attributes.ts";
import { checkRule } from "./check.ts";
import type { Fault, FaultedRequest, FaultRule, InjectedFault } from "./fault.ts";
import { spoil } from "./spoil.ts";
import { connectionReset } from "./streams.ts";

/** One request that was struck. */
export interface Strike {
  /** The request, as far as rules choose by it. */
  readonly request: FaultedRequest;
  /** The fault that struck it. */
  readonly fault: Fault;
}

/** The faults of a server. */
export class Faults {
  readonly #clock: Clock;
  readonly #rules = new Set<Rule>();
  readonly #strikes: Strike[] = [];
  #downUntil = 0;

  /** Begins with no faults. */
  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** All that was struck so far, in order; delays do not count. */
  get strikes(): readonly Strike[] {
    return this.#strikes;
  }

  /** How many faults still wait for a request; faults that strike for ever do not count. */
  get waiting(): number {
    let sum = 0;
    for (const { left } of this.#rules) sum += left === Infinity ? 0 : left;
    return sum;
  }

  /**
   * Lets the next requests that fit go wrong. The rule that was injected first is asked first.
   *
   * @throws {TypeError} If there is no such fault, or a member of the rule has a value that it cannot have.
   */
  inject(rule: FaultRule): InjectedFault {
    checkRule(rule);
    const injected = new Rule(rule, () => this.#rules.delete(injected));
    this.#rules.add(injected);
    return injected;
  }

  /** Takes all faults back. */
  clear(): void {
    this.#rules.clear();
  }

  /** Breaks all connections for so long, beginning now. */
  goDown(seconds: Seconds): void {
    this.#downUntil = this.#clock.monotonic() + seconds;
  }

  /**
   * Lets a request through to `forward`, or strikes it.
   *
   * @throws {Error} With `code: "ECONNRESET"` where the connection breaks.
   */
  async pass(request: Request, forward: () => Promise<Response>): Promise<Response> {
    if (this.#clock.monotonic() < this.#downUntil) throw connectionReset();
    if (this.#rules.size === 0) return await forward();
    const asked = readRequest(request);
    for (const rule of [...this.#rules]) {
      const fault = rule.strike(asked);
      if (fault === undefined) continue;
      const options = { clock: this.#clock, random: rule.random, signal: request.signal };
      if (fault.type === "delay") {
        // The server is slow, and then goes on as without the fault.
        await spoil(fault, { ...options, forward: () => Promise.resolve(new Response()) });
        continue;
      }
      this.#strikes.push({ request: asked, fault });
      return await spoil(fault, { ...options, forward });
    }
    return await forward();
  }
}

class Rule implements InjectedFault {
  readonly random: Random;
  readonly #rule: FaultRule;
  readonly #remove: () => void;
  #struck = 0;

  constructor(rule: FaultRule, remove: () => void) {
    this.#rule = rule;
    this.#remove = remove;
    this.random = createVirtualRandom(rule.seed ?? 1);
  }

  get struck(): number {
    return this.#struck;
  }

  get left(): number {
    return (this.#rule.times ?? 1) - this.#struck;
  }

  /** Returns the fault of the request, if one strikes. */
  strike(request: FaultedRequest): Fault | undefined {
    const { fault, rate = 1 } = this.#rule;
    if (this.left <= 0 || !fits(this.#rule, request)) return undefined;
    if (rate < 1 && this.random.next() >= rate) return undefined;
    this.#struck++;
    if (this.left <= 0) this.#remove();
    const [...choices] = [fault].flat();
    return choices.length === 1 ? choices[0] : choices[Math.floor(this.random.next() * choices.length)];
  }

  remove(): void {
    this.#remove();
  }

  [Symbol.dispose](): void {
    this.#remove();
  }
}

function fits(rule: FaultRule, request: FaultedRequest): boolean {
  if (rule.verbs?.includes(request.verb) === false) return false;
  for (const field of ["resource", "group", "subresource", "name", "namespace"] as const) {
    if (rule[field] !== undefined && rule[field] !== request[field]) return false;
  }
  const agent = request.headers.get("user-agent") ?? "";
  if (rule.userAgent !== undefined && !agent.startsWith(rule.userAgent)) return false;
  return rule.when === undefined ? request.resource !== "" : rule.when(request);
}

function readRequest(request: Request): FaultedRequest {
  const wish = wishOf(request);
  const { pathname: path, searchParams: query } = new URL(request.url);
  const nothing = { group: "", resource: "", subresource: "", name: "", namespace: "" };
  return { ...nothing, ...wish, path, query, headers: request.headers };
}
