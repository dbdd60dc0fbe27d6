/**
 * The way between one process of a simulated operator and the API server: each request and each event of a watch arrives when the
 * traffic lets it, and goes wrong as the plan says.
 */

import { isObject } from "../../../model/json.ts";
import type { KubeObject } from "../../../model/object.ts";
import type { Seconds } from "../../../runtime/host.ts";
import { parseJson } from "../../../runtime/json.ts";
import type { VirtualClock } from "../../../runtime/virtual/clock.ts";
import type { ReplicaClock } from "../replica_clock.ts";
import { type Journal, type SeenRequest, titleOf } from "./journal.ts";
import { type FailStep, FAULT_WORDS, type KillMoment } from "./plan.ts";
import type { Passage, Traffic } from "./traffic.ts";

/** The parts of a wire. */
export interface WireOptions {
  readonly life: number;
  readonly traffic: Traffic;
  /** The clock of the world, and the clock of the process. */
  readonly base: VirtualClock;
  readonly clock: ReplicaClock;
  readonly journal: Journal;
  /** Answers a request. */
  readonly serve: (request: Request) => Promise<Response>;
  /** Returns the fault that strikes a request of the operator, if any. */
  readonly faultOf: (request: SeenRequest) => FailStep["fault"] | undefined;
  /** Until when lists and watches do not reach the server, by the clock of the world. */
  readonly gapUntil: () => Seconds;
  /** Kills the process. */
  readonly kill: () => void;
}

/** A kill that waits for a write. */
interface ArmedKill {
  readonly at: KillMoment;
  left: number;
}

/** How long "slow" is. */
const SLOW: Seconds = 20;

const REASONS: Readonly<Record<string, string>> = {
  "409": "Conflict",
  "410": "Expired",
  "422": "Invalid",
  "429": "TooManyRequests",
  "500": "InternalError",
  "503": "ServiceUnavailable",
  "504": "Timeout",
};

/** The wire of one process. */
export class Wire {
  readonly #options: WireOptions;
  /** How often each request was made, by its title. */
  readonly #counts = new Map<string, number>();
  readonly #streams = new Set<EventStream>();
  #kills: ArmedKill[] = [];
  #isCut = false;
  #isDead = false;
  #isBuried = false;

  constructor(options: WireOptions) {
    this.#options = options;
  }

  /** Kills the process at its next write, or a later one. */
  armKill(at: KillMoment, after: number): void {
    this.#kills.push({ at, left: after });
  }

  /** Disarms all kills. */
  calm(): void {
    this.#kills = [];
    this.#isCut = false;
  }

  /** Cuts the process off from the server, or connects it again. */
  setCut(isCut: boolean): void {
    this.#isCut = isCut;
  }

  /** Ends all traffic for good, as the process is no more. */
  die(): void {
    this.#isDead = true;
    for (const stream of this.#streams) stream.abandon();
    this.#streams.clear();
  }

  /** Refuses all requests at once, so that the code of a dead process comes to its end. */
  bury(): void {
    this.#isBuried = true;
  }

  /** Breaks all watches, silences them, or ends them with 410. */
  strikeWatches(how: "break" | "silence" | "expire"): void {
    for (const stream of [...this.#streams]) stream.strike(how);
  }

  /** Answers a request of the process. */
  async fetch(request: Request): Promise<Response> {
    const { base, clock, journal, serve, faultOf, life, traffic } = this.#options;
    const seen = readRequest(request, life);
    const title = titleOf(seen);
    const number = (this.#counts.get(title) ?? 0) + 1;
    this.#counts.set(title, number);
    const isWrite = isAuthorsWrite(seen);
    const kill = isWrite ? this.#dueKill() : undefined;
    const fault = faultOf(seen);
    const passage = traffic.open(seen, number, request);
    if (fault !== undefined) {
      journal.say("fault", `${life} ${title} ${fault}`, `The operator's ${title} ${FAULT_WORDS[fault]}`);
    }
    if (kill === "sent") this.#options.kill();
    await passage.pass({ sort: "request", request });
    await this.#passable(request);
    const isGap = (seen.verb === "list" || seen.verb === "watch") &&
      base.monotonic() < this.#options.gapUntil();
    if (fault === "unsent" || isGap) throw connectionReset();
    if (fault !== undefined && isRefusal(fault)) {
      await passage.pass({ sort: "answer", status: Number(fault), text: "" });
      await this.#passable(request);
      return refusalOf(fault);
    }
    const response = await serve(request);
    if (seen.verb === "watch" && response.ok && response.body !== null) {
      journal.answered(seen, { status: response.status });
      const stream = new EventStream(response.body, {
        clock,
        passage,
        onEnd: () => this.#streams.delete(stream),
      });
      if (this.#isDead) stream.abandon();
      else this.#streams.add(stream);
      return new Response(stream.body, { status: response.status, headers: response.headers });
    }
    const text = await response.text();
    const after = isWrite && response.ok ? objectIn(text) : undefined;
    journal.answered(seen, { status: response.status, ...factsOf(after) });
    if (seen.kind === LEASES && response.ok && NAMING.includes(seen.verb)) this.#noteHolder(text);
    if (kill === "applied") this.#options.kill();
    if (fault === "slow") await base.sleep(SLOW);
    await passage.pass({ sort: "answer", status: response.status, text });
    if (fault === "lost") throw connectionReset();
    await this.#passable(request);
    if (kill === "answered") base.after(0.0005, this.#options.kill);
    if (fault === "504") return refusalOf(fault);
    return new Response(text === "" ? null : text, { status: response.status, headers: response.headers });
  }

  /** A process writes no other holder into a Lease than itself. */
  #noteHolder(text: string): void {
    const { spec } = objectIn(text) ?? {};
    const holder = isObject(spec) ? spec.holderIdentity : undefined;
    if (typeof holder === "string" && holder !== "") {
      this.#options.journal.identities.set(holder, this.#options.life);
    }
  }

  /** Resolves when requests and answers may arrive; never for a process that is no more. */
  async #passable(request: Request): Promise<void> {
    const { base, clock } = this.#options;
    await clock.thawed();
    if (this.#isBuried) throw connectionReset();
    if (!this.#isDead && !this.#isCut) return;
    await base.sleep(Infinity, request.signal);
    throw connectionReset();
  }

  #dueKill(): KillMoment | undefined {
    for (const kill of this.#kills) {
      if (kill.left > 0) kill.left -= 1;
      else {
        this.#kills = this.#kills.filter((each) => each !== kill);
        return kill.at;
      }
    }
  }
}

/** The events of one watch on their way. */
class EventStream {
  readonly body: ReadableStream<Uint8Array>;
  readonly #options: EventStreamOptions;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #isSilent = false;
  #isOver = false;

  constructor(source: ReadableStream<Uint8Array>, options: EventStreamOptions) {
    this.#options = options;
    this.#reader = source.getReader();
    this.body = new ReadableStream({
      start: (controller) => {
        this.#controller = controller;
      },
      cancel: () => this.#end(),
    });
    this.#pump().catch(() => this.strike("break"));
  }

  /** Breaks it, silences it, or ends it with 410. */
  strike(how: "break" | "silence" | "expire"): void {
    if (this.#isOver) return;
    if (how === "silence") {
      this.#isSilent = true;
      return;
    }
    if (how === "expire") this.#controller?.enqueue(new TextEncoder().encode(EXPIRED));
    this.#end();
    if (how === "expire") this.#controller?.close();
    else this.#controller?.error(connectionReset());
  }

  /** No event of it arrives any more. */
  abandon(): void {
    this.#end();
  }

  async #pump(): Promise<void> {
    let rest = "";
    const decoder = new TextDecoder();
    for (;;) {
      const { done, value } = await this.#reader.read();
      if (done || this.#isOver) break;
      const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) this.#options.passage.stream(line, () => this.#arrive(`${line}\n`));
    }
    this.#options.passage.stream("", () => {
      if (this.#isOver || this.#isSilent) return;
      this.#end();
      this.#controller?.close();
    });
  }

  async #arrive(line: string): Promise<void> {
    await this.#options.clock.thawed();
    if (!this.#isOver && !this.#isSilent) this.#controller?.enqueue(new TextEncoder().encode(line));
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#options.passage.close();
    this.#options.onEnd();
    this.#reader.cancel().catch(() => {});
  }
}

interface EventStreamOptions {
  readonly clock: ReplicaClock;
  readonly passage: Passage;
  readonly onEnd: () => void;
}

const EXPIRED = `${
  JSON.stringify({
    type: "ERROR",
    object: {
      kind: "Status",
      apiVersion: "v1",
      status: "Failure",
      reason: "Expired",
      code: 410,
      message: "too old",
    },
  })
}\n`;

const PATH =
  /^\/(?:api|apis\/([^/]+))\/[^/]+(?:\/namespaces\/([^/]+)(?=\/))?\/([^/]+)(?:\/([^/]+))?(?:\/([^/]+))?$/;

const VERBS: Readonly<Record<string, string>> = {
  POST: "create",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};

/** Reads the kind and object of a request from its path. */
export function readRequest({ method, url }: Request, life: number): SeenRequest {
  const { pathname, searchParams } = new URL(url);
  const [, group = "", namespace = "", plural = "", name = "", subresource = ""] = PATH.exec(pathname) ?? [];
  const reads = searchParams.get("watch") === "true" || searchParams.get("watch") === "1"
    ? "watch"
    : plural !== "" && name === ""
    ? "list"
    : "get";
  const kind = plural === "" ? "" : group === "" ? plural : `${plural}.${group}`;
  const verb = VERBS[method] ?? reads;
  const collection = pathname.replace(/\/namespaces\/[^/]+(?=\/)/, "").split("/").slice(
    0,
    group === "" ? 4 : 5,
  ).join("/");
  return {
    life,
    verb,
    kind: kind || pathname,
    name: decodeURIComponent(name),
    namespace,
    subresource,
    collection,
  };
}

/** Writes of Leases whose answers name the holder; a deleted Lease may be another process's. */
const NAMING: readonly string[] = ["create", "update", "patch"];
const LEASES = "leases.coordination.k8s.io";
const READS: readonly string[] = ["get", "list", "watch"];

/** Whether a request writes, and neither a Lease nor an event about an object. */
export function isAuthorsWrite({ verb, kind }: SeenRequest): boolean {
  return !READS.includes(verb) && !isChore(kind);
}

/** Whether objects of a kind are a framework's own business. */
export function isChore(kind: string): boolean {
  return kind === LEASES || kind === "events" || kind === "events.events.k8s.io" ||
    kind.endsWith(".authorization.k8s.io");
}

function objectIn(text: string): KubeObject | undefined {
  const value: unknown = parseJson(text);
  // The server's own answer about an object.
  return isObject(value) && isObject(value.metadata) && value.kind !== "Status"
    ? value as unknown as KubeObject
    : undefined;
}

/** NB: the answer to the write that ends an object has the version of the write before. */
function factsOf(object: KubeObject | undefined): { readonly version?: string; readonly ended?: string } {
  if (object === undefined) return {};
  const { deletionTimestamp, finalizers = [], uid, resourceVersion } = object.metadata;
  const hasEnded = deletionTimestamp !== undefined && finalizers.length === 0;
  return hasEnded ? { ended: uid } : { version: resourceVersion };
}

function isRefusal(fault: FailStep["fault"]): boolean {
  return fault !== "504" && /^\d/.test(fault);
}

function refusalOf(fault: FailStep["fault"]): Response {
  const code = Number(fault);
  const reason = REASONS[fault] ?? "";
  const body = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: `simulated: ${code} ${reason}`,
    reason,
    code,
    ...code === 429 && { details: { retryAfterSeconds: 1 } },
  };
  const headers = { "content-type": "application/json", ...code === 429 && { "retry-after": "1" } };
  return new Response(JSON.stringify(body), { status: code, headers });
}

/** The error of a connection that broke. */
export function connectionReset(): Error {
  return Object.assign(new Error("The connection was reset"), { code: "ECONNRESET" });
}
