/**
 * The server's own switches over HTTP, below `/lotse/`, for tests in other languages, which cannot call functions.
 *
 * Only administrators may use them, in every mode. No fault strikes them, and they are no part of Kubernetes' API. The paths stand
 * in docs/api-server-for-tests.md.
 */

import { forbiddenWish, targetOf, wishOf } from "../access/attributes.ts";
import type { Credentials, Gate } from "../access/gate.ts";
import { MASTERS } from "../access/user.ts";
import type { FaultRule, InjectedFault } from "../faults/fault.ts";
import type { Faults } from "../faults/faults.ts";
import { refuse } from "../front.ts";
import { badRequest, methodNotAllowed, noSuchResource } from "../refusal.ts";
import { isObject } from "../values.ts";

const ROOT = "/lotse/";
const FAULTS = `${ROOT}faults`;

/** The parts of a server that can be switched. */
export interface Switches {
  readonly faults: Faults;
  readonly resourceVersion: string;
  checkpoint(): void;
  reset(): void;
  compact(): void;
  closeWatches(): void;
  restart(options: { readonly downFor?: number; readonly compact?: boolean }): void;
}

export class Control {
  readonly #gate: Gate;
  readonly #server: Switches;
  readonly #injected = new Map<string, InjectedFault>();

  constructor(gate: Gate, server: Switches) {
    this.#gate = gate;
    this.#server = server;
  }

  /** Whether a request is about the server itself. */
  static isAsked({ url }: Request): boolean {
    return url.includes(ROOT) && new URL(url).pathname.startsWith(ROOT);
  }

  /** Answers such a request. Does not throw. */
  async answer(request: Request, credentials: Credentials): Promise<Response> {
    try {
      const target = targetOf(request.url);
      const wish = wishOf(request, target);
      const user = this.#gate.impersonate(request, this.#gate.authenticate(request, credentials, wish));
      if (!user.groups.includes(MASTERS)) throw forbiddenWish(user, wish);
      const { pathname } = target.url;
      if (pathname.startsWith(`${FAULTS}/`)) {
        return this.#oneFault(request, pathname.slice(FAULTS.length + 1));
      }
      return pathname === FAULTS ? await this.#allFaults(request) : await this.#switch(request, pathname);
    } catch (error) {
      return refuse(error, request);
    }
  }

  async #switch(request: Request, pathname: string): Promise<Response> {
    const action = pathname.slice(ROOT.length);
    const server = this.#server;
    const actions: Readonly<Record<string, (options: Record<string, unknown>) => void>> = {
      "checkpoint": () => server.checkpoint(),
      "reset": () => this.#reset(),
      "compact": () => server.compact(),
      "close-watches": () => server.closeWatches(),
      "restart": (options) => server.restart(readRestart(options)),
    };
    const act = Object.hasOwn(actions, action) ? actions[action] : undefined;
    if (act === undefined) throw noSuchResource();
    if (request.method !== "POST") throw methodNotAllowed();
    act(await readBody(request));
    return Response.json({ resourceVersion: server.resourceVersion });
  }

  #reset(): void {
    this.#injected.clear();
    this.#server.reset();
  }

  async #allFaults(request: Request): Promise<Response> {
    switch (request.method) {
      case "GET":
        return Response.json({ items: [...this.#injected].map(([id, fault]) => shown(id, fault)) });
      case "POST": {
        const id = String(this.#injected.size + 1);
        const injected = this.#inject(await readBody(request));
        this.#injected.set(id, injected);
        return Response.json(shown(id, injected), { status: 201 });
      }
      case "DELETE":
        for (const fault of this.#injected.values()) fault.remove();
        this.#injected.clear();
        return Response.json({ items: [] });
      default:
        throw methodNotAllowed();
    }
  }

  /** @throws {Refusal} 400 if it is no rule. */
  #inject({ times, ...rule }: Record<string, unknown>): InjectedFault {
    try {
      // JSON has no word for infinity; all else is checked by `inject()`.
      const given = {
        ...rule,
        ...(times === undefined ? {} : { times: times === "all" ? Infinity : times }),
      };
      return this.#server.faults.inject(given as unknown as FaultRule);
    } catch (error) {
      if (error instanceof TypeError) throw badRequest(error.message);
      throw error;
    }
  }

  #oneFault({ method }: Request, id: string): Response {
    const fault = this.#injected.get(id);
    if (fault === undefined) throw noSuchResource();
    if (method === "DELETE") fault.remove();
    else if (method !== "GET") throw methodNotAllowed();
    return Response.json(shown(id, fault));
  }
}

/** A fault as clients see it; one that strikes for ever has no number left. */
function shown(id: string, { struck, left }: InjectedFault): Record<string, unknown> {
  return { id, struck, left: left === Infinity ? "all" : left };
}

/** @throws {Refusal} 400 if it is no object in JSON; an empty body is an empty object. */
async function readBody(request: Request): Promise<Record<string, unknown>> {
  const text = await request.text();
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // It is told below.
  }
  throw badRequest("the body is no object in JSON");
}

function readRestart({ downFor, compact, ...rest }: Record<string, unknown>): {
  readonly downFor?: number;
  readonly compact?: boolean;
} {
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) {
    throw badRequest(`there is no option "${unknown}": known are "downFor" and "compact"`);
  }
  if (downFor !== undefined && (typeof downFor !== "number" || !(downFor >= 0))) {
    throw badRequest('"downFor" must be a number of seconds from 0 on');
  }
  if (compact !== undefined && typeof compact !== "boolean") {
    throw badRequest('"compact" must be true or false');
  }
  return { ...(downFor === undefined ? {} : { downFor }), ...(compact === undefined ? {} : { compact }) };
}
