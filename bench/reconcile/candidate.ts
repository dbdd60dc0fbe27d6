/** A candidate's process, and what it has cost. */

import { type ChildProcess, spawn } from "node:child_process";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import type { ControlPlane } from "../../tests/control_plane/control_plane.ts";
import type { Api } from "../creations/api.ts";
import { cpuMs, readRequests, subtract } from "../creations/measure.ts";

/** How long no request must be sent, and hardly any CPU used, for a start to be over. In milliseconds. */
const QUIET = 1500;

/** "Hardly any": as a share of one core. */
const REST = 0.1;

/** What one stretch of time has cost. */
export interface Cost {
  readonly calls: number;
  readonly cpuMs: number;
  readonly requests: ReadonlyMap<string, number>;
}

/** What a process and the server have counted so far. */
export interface Snapshot {
  readonly calls: number;
  readonly cpuMs: number;
  readonly requests: ReadonlyMap<string, number>;
}

/** A candidate's process. */
export class Operator implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  /** It prints how often it has reconciled when it listens to signals. */
  readonly #ready: Promise<number>;
  #told: (calls: number) => void = () => {};

  /** @param resync In seconds; undefined: never. */
  constructor([path = "", ...args]: readonly string[], plane: ControlPlane, resync?: number) {
    const env: NodeJS.ProcessEnv = { ...process.env, KUBECONFIG: plane.kubeconfig };
    if (resync !== undefined) env["BENCH_RESYNC"] = String(resync);
    this.#child = spawn(path, args, { stdio: ["ignore", "pipe", "ignore"], env });
    this.#ended = new Promise((resolve) => this.#child.on("close", resolve));
    this.#ready = this.#next();
    let text = "";
    this.#child.stdout?.on("data", (chunk) => {
      text += chunk;
      const lines = text.split("\n");
      text = lines.pop() ?? "";
      for (const line of lines) if (line.startsWith("calls ")) this.#told(Number(line.slice(6)));
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async snapshot(api: Api): Promise<Snapshot> {
    return { calls: await this.#calls(), cpuMs: cpuMs(this.pid), requests: await readAll(api) };
  }

  /** Waits until so many reconciles have begun, and no more requests are sent. (Resyncs must not have begun.) */
  async quiet(least: number, api: Api): Promise<void> {
    for (let before = await this.snapshot(api);;) {
      await sleep(QUIET);
      const now = await this.snapshot(api);
      // NB: ten thousand reconciles that have begun at once keep a core busy for seconds before they ask for anything.
      const isCalm = now.cpuMs - before.cpuMs < QUIET * REST;
      if (now.calls >= least && isCalm && count(now) === count(before)) return;
      before = now;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    process.kill(this.pid, "SIGTERM");
    await this.#ended;
  }

  async #calls(): Promise<number> {
    await this.#ready;
    const calls = this.#next();
    // NB: on Deno a child's own `kill()` sends one signal only.
    process.kill(this.pid, "SIGUSR2");
    return await calls;
  }

  #next(): Promise<number> {
    const { promise, resolve } = Promise.withResolvers<number>();
    this.#told = resolve;
    return promise;
  }
}

function count({ requests }: Snapshot): number {
  return [...requests.values()].reduce((all, each) => all + each, 0);
}

async function readAll(api: Api): Promise<Map<string, number>> {
  const all = await Promise.all(
    ["items", "configmaps"].map(async (plural) =>
      [...await readRequests(api, plural)].map(([verb, count]) => [`${verb} ${plural}`, count] as const)
    ),
  );
  return new Map(all.flat());
}

/** Returns what has happened between two looks. */
export function cost(before: Snapshot, after: Snapshot): Cost {
  const requests = subtract(after.requests, before.requests);
  return { calls: after.calls - before.calls, cpuMs: after.cpuMs - before.cpuMs, requests };
}
