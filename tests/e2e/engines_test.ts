/**
 * An operator with one of each engine as a process of its own, on a real control plane: through creation, a pause, a restart
 * of the API server, deletion and SIGTERM.
 */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { lotse, type Program } from "../cli/processes.ts";
import { type ControlPlane, findControlPlane, startControlPlane } from "../control_plane/control_plane.ts";
import { CLUSTER, peeringDefinitionOf } from "../support/meeting.ts";
import { definitionOf, EXAMPLES } from "../support/worlds.ts";
import { until } from "./operator_process.ts";

const { reason, binaries } = findControlPlane();
const skip = reason ?? (binaries?.kubectl === undefined ? "there is no kubectl" : false);

describe("An operator with one of each engine", () => {
  it(
    "[N13] runs through creation, a pause, a restart of the API server, deletion and SIGTERM, and exits with 0",
    { skip, timeout: 300_000 },
    async () => {
      await using plane = await startControlPlane();
      await prepare(plane);
      const trace = join(plane.directory, "trace.log");
      const port = await freePort();
      const args = [
        "run",
        fileURLToPath(new URL("engines.ts", import.meta.url)),
        "-A",
        "--peering",
        PEERING.metadata.name,
      ];
      await using program = lotse(
        [...args, "--kubeconfig", plane.kubeconfig, "-L", `http://127.0.0.1:${port}/healthz`],
        { env: { TRACE: trace } },
      );
      const story = new Story(plane, { program, trace, port });
      await story.create();
      await story.pause();
      await story.restart();
      await story.delete();
      await story.stop();
    },
  );
});

const PEERING = {
  apiVersion: `${CLUSTER.group}/${CLUSTER.version}`,
  kind: CLUSTER.kind,
  metadata: { name: "engines" },
};

/** Makes the kinds, and the object at which whoever pauses the operator meets it. */
async function prepare(plane: ControlPlane): Promise<void> {
  const definitions = [definitionOf(EXAMPLES), peeringDefinitionOf(CLUSTER)];
  for (const definition of definitions) {
    await plane.kubectl(["apply", "-f", "-"], { input: JSON.stringify(definition) });
  }
  await plane.kubectl(["wait", "--for=condition=Established", "crd", "--all"]);
  await plane.kubectl(["apply", "-f", "-"], { input: JSON.stringify(PEERING) });
}

interface Stage {
  readonly program: Program;
  readonly trace: string;
  readonly port: number;
}

class Story {
  readonly #plane: ControlPlane;
  readonly #stage: Stage;

  constructor(plane: ControlPlane, stage: Stage) {
    this.#plane = plane;
    this.#stage = stage;
  }

  async create(): Promise<void> {
    await this.#becomes(200);
    await this.#make("first", "red");
    await this.#make("second", "red");
    await this.#reaches("first", "friends", "2");
    await this.#reaches("second", "friends", "2");
    assert.equal(await this.#ask("/healthz"), '{"objects":1}');
    const metrics = await this.#ask("/metrics");
    assert.match(metrics, /^lotse_objects{kind="examples\.lotse\.test"} 2$/m);
    assert.match(metrics, /^lotse_handlers_active{noun="Daemon"} 2$/m);
    assert.match(metrics, /^lotse_posted_events_total{result="posted"} 2$/m);
    const events = await this.#plane.kubectl(
      // NB: the control plane posts events of its own into the namespace.
      ["get", "events.events.k8s.io", "-o", 'jsonpath={.items[?(@.regarding.kind=="Example")].note}'],
    );
    assert.deepEqual(events.split(" is there").map((name) => name.trim()).sort(), ["", "first", "second"]);
  }

  /** Nothing is called until it is over; and what has changed meanwhile is handled once, as it is by then. */
  async pause(): Promise<void> {
    await this.#make("gone", "red");
    await this.#reaches("gone", "friends", "3");
    const before = this.#told().length;
    assert.equal(await this.#command("freeze", "--lifetime", "600"), 0);
    await until(
      () => this.#told().length === before + 3,
      () => `The daemons stay:\n${this.#told().join("\n")}`,
    );
    const runs = await this.#runs();
    await this.#make("first", "green");
    await this.#make("first", "blue");
    await this.#make("late", "blue");
    await this.#plane.kubectl(["delete", "example", "gone", "--wait=false"]);
    await sleep(3000); // For real, as the operator is: six intervals of the timer.
    assert.deepEqual(await this.#runs(), runs, "timers run in the pause");
    assert.match(await this.#ask("/readyz?verbose"), /^\[\+\]peering ok: paused for .* \(priority 100\)$/m);
    assert.equal(await this.#ask("/healthz"), '{"objects":1}', "the index is as it was");
    assert.match(await this.#ask("/metrics"), /^lotse_paused 1$/m);
    const ends = ["first", "gone", "second"].map((name) => `daemon ends ${name} OPERATOR_PAUSING`);
    assert.deepEqual(this.#told().slice(before).sort(), ends);
    await this.#resume(before + ends.length);
  }

  async #resume(before: number): Promise<void> {
    assert.equal(await this.#command("resume"), 0);
    await this.#plane.kubectl(["wait", "--for=delete", "example/gone", "--timeout=60s"]);
    await this.#reaches("late", "friends", "2");
    await this.#reaches("second", "friends", "1");
    const runs = await this.#runs();
    await until(
      async () => (await this.#runs()).every((count, place) => count > (runs[place] ?? 0) + 1),
      () => "The timers stay",
    );
    assert.match(await this.#ask("/metrics"), /^lotse_paused 0$/m);
    assert.deepEqual(this.#told().slice(before).sort(), [
      "daemon begins first",
      "daemon begins late",
      "daemon begins second",
      "deleted gone",
      "made late",
      "painted first red blue",
    ]);
    await this.#make("first", "red");
    await this.#plane.kubectl(["delete", "example", "late", "--timeout=60s"]);
    await this.#reaches("first", "friends", "2");
  }

  /** How often the timers of the two that stay have run. */
  async #runs(): Promise<number[]> {
    return [Number(await this.#status("first", "runs")), Number(await this.#status("second", "runs"))];
  }

  /** Runs a command for the peering object, and gives its exit code. */
  async #command(name: "freeze" | "resume", ...options: string[]): Promise<number | string> {
    const { kubeconfig } = this.#plane;
    await using program = lotse([
      name,
      ...["--peering", PEERING.metadata.name, "--kubeconfig", kubeconfig, "--id", "test"],
      ...options,
    ]);
    return await program.ended();
  }

  /** Readiness says so while nothing can be seen of the cluster; nobody is started anew on account of it. */
  async restart(): Promise<void> {
    const before = this.#told().length;
    await this.#plane.stopApiServer("SIGKILL");
    await this.#becomes(503);
    assert.match(
      await this.#ask("/readyz?verbose"),
      /\[-\]watch examples\.v1\.lotse\.test failed: no stream for \d+ s/,
    );
    assert.equal(await this.#ask("/livez"), "ok");
    await this.#plane.startApiServer();
    await this.#becomes(200);
    const runs = Number(await this.#status("first", "runs"));
    await until(async () => Number(await this.#status("first", "runs")) > runs + 1, () => "The timer stays");
    await this.#make("third", "red");
    await this.#reaches("first", "friends", "3");
    const news = this.#told().slice(before).sort();
    assert.deepEqual(news, ["daemon begins third", "made third"], "nobody is started anew");
  }

  async delete(): Promise<void> {
    await this.#plane.kubectl(["delete", "example", "second", "--timeout=60s"]);
    assert.deepEqual(this.#told().slice(-2).sort(), [
      "daemon ends second RESOURCE_DELETED",
      "deleted second",
    ]);
    await this.#reaches("first", "friends", "2");
  }

  async stop(): Promise<void> {
    const before = this.#told().length;
    assert.equal(await this.#stage.program.stop(), 0, this.#stage.program.output);
    const [a = "", b = "", ...rest] = this.#told().slice(before);
    assert.deepEqual([a, b].sort(), [
      "daemon ends first OPERATOR_EXITING",
      "daemon ends third OPERATOR_EXITING",
    ]);
    assert.deepEqual(rest, ["cleanup"]);
  }

  async #make(name: string, colour: string): Promise<void> {
    const { group, version, kind } = EXAMPLES;
    const object = { apiVersion: `${group}/${version}`, kind, metadata: { name }, spec: { colour } };
    await this.#plane.kubectl(["apply", "-f", "-"], { input: JSON.stringify(object) });
  }

  /** Waits until readiness answers so. */
  async #becomes(status: number): Promise<void> {
    const ready = () => fetch(this.#url("/readyz")).catch(() => undefined);
    let text: string | undefined;
    const isSo = async () => {
      const response = await ready();
      text = await response?.text();
      return response?.status === status;
    };
    const explain = (): string => {
      const log = this.#stage.program.output.split("\n").filter((line) => !line.includes("succeeded"));
      return `Readiness does not become ${status}:\n${text}\n${log.join("\n")}`;
    };
    // After an outage, streams may wait for as long as 45 s before they try again.
    await until(isSo, explain);
  }

  async #ask(path: string): Promise<string> {
    return await (await fetch(this.#url(path))).text();
  }

  #url(path: string): string {
    return `http://127.0.0.1:${this.#stage.port}${path}`;
  }

  async #reaches(name: string, field: string, wanted: string): Promise<void> {
    let value = "";
    await until(
      async () => (value = await this.#status(name, field)) === wanted,
      () => `${field} of ${name} is "${value}", not "${wanted}":\n${this.#stage.program.output}`,
    );
  }

  #status(name: string, field: string): Promise<string> {
    return this.#plane.kubectl(["get", "example", name, "-o", `jsonpath={.status.${field}}`]);
  }

  #told(): string[] {
    return readFileSync(this.#stage.trace, "utf8").trim().split("\n");
  }
}

/** A port that was free a moment ago. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
