/**
 * One turn of one who is measured: it is started in a namespace of its own, and does in order what the rows ask for.
 *
 * NB: when an operator has nothing more to do is seen from its CPU time, as nobody says so in the same way.
 */

import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Candidate } from "./candidate.ts";
import type { Peer } from "./peers.ts";
import type { Place } from "./place.ts";
import { type RowName, SCALES } from "./rows.ts";

/** What was measured, by the keys of metrics. */
export type Figures = Record<string, number>;

export interface SessionOptions {
  readonly peer: Peer;
  /** The peer's program. */
  readonly path: string;
  readonly rows: ReadonlySet<RowName>;
  /** How many objects are created by the 32 writers. */
  readonly objects: number;
  /** How many objects have not changed in a restart. */
  readonly unchanged: number;
}

/** A payload of so many bytes, or a Pod's template with so many containers. */
type Content = { readonly bytes: number } | { readonly containers: number };

/** What the load generator says about creations. */
interface Outcome {
  readonly seconds: number;
  readonly events: number;
  readonly p50: number;
  readonly p99: number;
  readonly load: number;
}

/** What the payload of an object is, so that it has about 1 or 10 KB as it is stored. */
const SMALL: Content = { bytes: 800 };
const LARGE: Content = { containers: 8 };
const PER_SECOND = 50;
const PACED = 6 * PER_SECOND;
/** After how many objects a process is warm, and how many are handled then. */
const WARM = 3000;
/** How fast events come that change nothing: much slower than anybody but Kopf can take them. */
const TOUCHES_PER_SECOND = 3000;
/** How long an operator is left alone before its memory is read, in milliseconds. */
const SETTLING = 1500;
/** The same for the row "memory-100000". */
const AT_REST = 60_000;
const TEMPLATE = "template";
/** How many objects have an event in the row "scale". */
const MOST_TOUCHED = 10_000;

export class Session {
  /** What was measured so far. */
  readonly figures: Figures = {};
  readonly #place: Place;
  readonly #options: SessionOptions;
  readonly #namespace: string;

  constructor(place: Place, options: SessionOptions) {
    this.#place = place;
    this.#options = options;
    this.#namespace = place.newNamespace();
  }

  /** Measures what the rows ask for, but for requests and reviews, which have places of their own. */
  async measure(): Promise<void> {
    const { rows, peer } = this.#options;
    if (peer.raw !== undefined) {
      return await this.#handleRaw();
    }
    if (rows.has("memory-100000")) await this.#measure100000();
    if (
      asks(rows, [
        "handled",
        "warm",
        "latency",
        "start",
        "restart",
        "unchanged",
        "memory",
        "restart-50000",
        "scale",
      ])
    ) {
      await this.#live(SMALL);
    }
    if (asks(rows, ["restart", "unchanged", "memory"])) await this.#restart();
    if (rows.has("restart-50000")) await this.#restartOver50000();
    if (rows.has("scale")) await this.#scale();
    await this.#clear("");
    if (rows.has("memory")) await new Session(this.#place, this.#options).#measureLarge(this.figures);
    if (rows.has("reviews") && peer.webhook !== undefined) await this.#review();
  }

  /** Measures requests, in a place that writes them down; bytes are counted between the operator and the API server. */
  async count(): Promise<void> {
    const { peer: { marker }, objects } = this.#options;
    using proxy = this.#place.begin("proxy");
    const { port } = await proxy.next<{ port: number }>();
    const bytes = () => {
      proxy.ask();
      return proxy.next<{ sent: number; received: number }>();
    };
    await using _candidate = await this.#start(SMALL, `https://127.0.0.1:${port}`);
    await sleep(SETTLING);
    const [asked, before] = [this.#place.requests().length, await bytes()];
    const flags = { namespace: this.#namespace, prefix: "counted", count: objects, marker };
    const { events } = await this.#place.load<Outcome>("burst", flags);
    await sleep(SETTLING);
    const [requests, after] = [this.#place.requests().slice(asked), await bytes()];
    console.error(`  ${describe(requests, objects)}`);
    Object.assign(this.figures, {
      requests: requests.length / objects,
      sentKb: (after.sent - before.sent) / objects / 1024,
      receivedKb: (after.received - before.received) / objects / 1024,
      events: events / objects,
    });
  }

  async #handleRaw(): Promise<void> {
    const { objects, peer: { raw } } = this.#options;
    await this.#place.plane.kubectl(["create", "namespace", this.#namespace]);
    const flags = { namespace: this.#namespace, prefix: "raw", count: objects, raw };
    const served = this.#place.serverCpuMs();
    const { seconds } = await this.#place.load<Outcome>("burst", flags);
    this.figures["perSecond"] = objects / seconds;
    this.figures["serverMs"] = (this.#place.serverCpuMs() - served) / objects;
    await this.#clear("");
  }

  /** From the start, through creations, to the stop. */
  async #live(content: Content): Promise<void> {
    const { rows, objects, peer: { marker } } = this.#options;
    await using candidate = await this.#start(content);
    await sleep(SETTLING);
    this.figures["idleMb"] = candidate.memoryMb();
    const flags = { namespace: this.#namespace, marker };
    if (rows.has("handled")) {
      const [before, served] = [candidate.cpuMs(), this.#place.serverCpuMs()];
      const burst = await this.#place.load<Outcome>("burst", { ...flags, prefix: "burst", count: objects });
      await sleep(300);
      this.figures["perSecond"] = objects / burst.seconds;
      this.figures["cpuMs"] = (candidate.cpuMs() - before) / objects;
      this.figures["serverMs"] = (this.#place.serverCpuMs() - served) / objects;
      this.figures["load"] = burst.load;
    }
    if (rows.has("latency")) {
      const paced = { prefix: "paced", count: PACED, "per-second": PER_SECOND };
      const { p50, p99 } = await this.#place.load<Outcome>("paced", { ...flags, ...paced });
      Object.assign(this.figures, { p50, p99 });
    }
    if (!rows.has("warm")) return;
    const done = (rows.has("handled") ? objects : 0) + (rows.has("latency") ? PACED : 0);
    if (done < WARM) {
      await this.#place.load("burst", { ...flags, prefix: "warming", count: WARM - done });
      await sleep(300);
    }
    const before = candidate.cpuMs();
    const burst = await this.#place.load<Outcome>("burst", { ...flags, prefix: "warm", count: WARM });
    await sleep(300);
    this.figures["warmPerSecond"] = WARM / burst.seconds;
    this.figures["warmCpuMs"] = (candidate.cpuMs() - before) / WARM;
  }

  /** A restart over objects that it has handled before, and then events that change nothing of what they are about. */
  async #restart(): Promise<void> {
    const { rows, unchanged } = this.#options;
    for (const prefix of ["burst-", "paced-", "warm"]) await this.#clear(prefix);
    const { candidate, seconds, cpuMs } = await this.#startOver(unchanged);
    await using running = candidate;
    await sleep(SETTLING);
    const memory = running.memoryMb();
    this.figures["restart"] = seconds;
    this.figures["restartCpu"] = cpuMs / 1000;
    this.figures["restartMb"] = memory;
    this.figures["restartPeakMb"] = running.peakMb();
    this.figures["memory1"] = ((memory - (this.figures["idleMb"] ?? 0)) * 10_000) / unchanged;
    if (!rows.has("unchanged")) return;
    const each = await this.#touch(running, unchanged);
    this.figures["eventUs"] = each;
    this.figures["eventsPerCore"] = 1_000_000 / each;
  }

  /** Changes the status of so many objects, and returns the CPU time for each event, in microseconds. */
  async #touch(running: Candidate, count: number): Promise<number> {
    const before = running.cpuMs();
    const flags = { namespace: this.#namespace, prefix: TEMPLATE, count, "per-second": TOUCHES_PER_SECOND };
    await this.#place.load("touch", flags);
    await sleep(300);
    const quiet = await running.untilQuiet();
    return ((quiet.cpuMs - before) * 1000) / count;
  }

  /** Restarts over more and more objects. */
  async #scale(): Promise<void> {
    for (const { key, count } of SCALES) {
      const { candidate, cpuMs } = await this.#startOver(count);
      await using running = candidate;
      await sleep(SETTLING);
      const memory = running.memoryMb() - (this.figures["idleMb"] ?? 0);
      this.figures[`start${key}`] = (cpuMs * 1000) / count;
      this.figures[`memory${key}`] = (memory * 1024) / count;
      this.figures[`event${key}`] = await this.#touch(running, Math.min(count, MOST_TOUCHED));
    }
  }

  async #restartOver50000(): Promise<void> {
    const { candidate, seconds, cpuMs } = await this.#startOver(50_000);
    await using running = candidate;
    await sleep(SETTLING);
    this.figures["restart50"] = seconds;
    this.figures["restart50Cpu"] = cpuMs / 1000;
    this.figures["restart50Mb"] = running.memoryMb();
  }

  /** In a namespace of its own. */
  async #measureLarge(figures: Figures): Promise<void> {
    const { unchanged } = this.#options;
    {
      await using candidate = await this.#start(LARGE);
      await sleep(SETTLING);
      this.figures["idleMb"] = candidate.memoryMb();
    }
    const { candidate } = await this.#startOver(unchanged);
    await using running = candidate;
    await sleep(SETTLING);
    const more = running.memoryMb() - (this.figures["idleMb"] ?? 0);
    figures["memory10"] = (more * 10_000) / unchanged;
    await this.#clear("");
  }

  /** A start over 100,000 large objects, on a stand-in for the API server: a real one takes 15 GB for them. */
  async #measure100000(): Promise<void> {
    const flags = { namespace: this.#namespace, prefix: TEMPLATE, count: 100_000, ...LARGE };
    using server = this.#place.begin("stand-in", flags);
    const { url } = await server.next<{ url: string }>();
    const kubeconfig = await this.#place.kubeconfig(url);
    {
      await using candidate = this.#candidate(kubeconfig);
      await server.next();
      await sleep(AT_REST);
      this.figures["largeIdleMb"] = candidate.memoryMb();
    }
    server.ask();
    await server.next();
    const started = performance.now();
    await using candidate = this.#candidate(kubeconfig);
    const { writes, bytes } = await server.next<{ writes: number; bytes: number }>();
    const seconds = (performance.now() - started) / 1000;
    if (writes > 2) console.error(`  NB: ${writes} writes over unchanged objects`);
    console.error(`  objects of ${bytes} bytes`);
    await sleep(AT_REST);
    Object.assign(this.figures, {
      largeMb: candidate.memoryMb(),
      largePeakMb: candidate.peakMb(),
      largeStart: seconds,
      largeCpu: candidate.cpuMs() / 1000,
    });
  }

  /** Starts it where there is one object to handle, and waits for that. */
  async #start(content: Content, server?: string): Promise<Candidate> {
    using first = this.#place.begin("first", { namespace: this.#namespace, prefix: TEMPLATE, ...content });
    await first.next();
    const kubeconfig = await this.#place.kubeconfig(server);
    const started = performance.now();
    const candidate = this.#candidate(kubeconfig);
    await first.next().catch((error: unknown) => this.#fail(candidate, error));
    this.figures["cold"] = (performance.now() - started) / 1000;
    return candidate;
  }

  /** Starts it over copies of the object that it has handled. A last, new one says when it has seen them all. */
  async #startOver(count: number): Promise<{ candidate: Candidate; seconds: number; cpuMs: number }> {
    const at = { namespace: this.#namespace };
    await this.#place.load("copy", { ...at, prefix: TEMPLATE, count });
    using last = this.#place.begin("first", { ...at, prefix: `zzz-${count}` });
    await last.next();
    const writes = await this.#place.writes();
    const kubeconfig = await this.#place.kubeconfig();
    const started = performance.now();
    const candidate = this.#candidate(kubeconfig);
    await last.next().catch((error: unknown) => this.#fail(candidate, error));
    const seen = performance.now();
    const quiet = await candidate.untilQuiet();
    const more = await this.#place.writes() - writes;
    if (more > 2) console.error(`  NB: ${more} writes in a restart over unchanged objects`);
    return { candidate, seconds: (Math.max(seen, quiet.at) - started) / 1000, cpuMs: quiet.cpuMs };
  }

  async #review(): Promise<void> {
    const port = 9843;
    const { directory } = this.#place.plane;
    const kubeconfig = await this.#place.kubeconfig();
    await using candidate = this.#candidate(kubeconfig, {
      PEERS_WEBHOOK: String(port),
      PEERS_CERTIFICATES: directory,
    });
    await untilListening(port);
    using lines = this.#place.begin("review", {
      url: `https://127.0.0.1:${port}${this.#options.peer.webhook}`,
      writers: 16,
      seconds: 3,
    });
    await lines.next().catch((error: unknown) => this.#fail(candidate, error));
    const before = candidate.cpuMs();
    const done = await lines.next<{ perSecond: number; count: number; p99: number }>();
    this.figures["reviewsPerSecond"] = done.perSecond;
    this.figures["reviewP99"] = done.p99;
    this.figures["reviewUs"] = ((candidate.cpuMs() - before) * 1000) / done.count;
  }

  #candidate(kubeconfig: string, env?: Readonly<Record<string, string>>): Candidate {
    const { peer, path } = this.#options;
    const { directory: folder } = this.#place.plane;
    return new Candidate(peer, { path, namespace: this.#namespace, kubeconfig, folder, env });
  }

  async #fail(candidate: Candidate, error: unknown): Promise<never> {
    await candidate[Symbol.asyncDispose]();
    throw new Error(`${error instanceof Error ? error.message : error}: ${candidate.tail()}`, {
      cause: error,
    });
  }

  async #clear(prefix: string): Promise<void> {
    await this.#place.load("clear", { namespace: this.#namespace, prefix });
  }
}

function asks(rows: ReadonlySet<RowName>, names: readonly RowName[]): boolean {
  return names.some((name) => rows.has(name));
}

/** Requests for each object, by what they were. */
function describe(requests: readonly string[], objects: number): string {
  const counts = Map.groupBy(requests, (request) => request);
  return [...counts].map(([request, { length }]) => `${(length / objects).toFixed(2)} ${request}`).join(", ");
}

async function untilListening(port: number): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt++) {
    const isListening = await new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => resolve(true)).on("error", () => resolve(false));
      socket.on("connect", () => socket.destroy());
    });
    if (isListening) return;
    await sleep(100);
  }
  throw new Error(`Nobody listens at port ${port}`);
}
