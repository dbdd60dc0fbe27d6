/**
 * An operator with one of each engine as a process of its own, on a real control plane: through creation, a restart of the
 * API server, deletion and SIGTERM.
 */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { lotse, type Program } from "../cli/processes.ts";
import { type ControlPlane, findControlPlane, startControlPlane } from "../control_plane/control_plane.ts";
import { definitionOf, EXAMPLES } from "../support/worlds.ts";
import { until } from "./operator_process.ts";

const { reason, binaries } = findControlPlane();
const skip = reason ?? (binaries?.kubectl === undefined ? "there is no kubectl" : false);

describe("An operator with one of each engine", () => {
  it(
    "[N13] runs through creation, a restart of the API server, deletion and SIGTERM, and exits with 0",
    { skip, timeout: 300_000 },
    async () => {
      await using plane = await startControlPlane();
      await plane.kubectl(["apply", "-f", "-"], { input: JSON.stringify(definitionOf(EXAMPLES)) });
      await plane.kubectl(["wait", "--for=condition=Established", "crd/examples.lotse.test"]);
      const trace = join(plane.directory, "trace.log");
      const port = await freePort();
      const args = ["run", fileURLToPath(new URL("engines.ts", import.meta.url)), "-A", "--standalone"];
      await using program = lotse(
        [...args, "--kubeconfig", plane.kubeconfig, "-L", `http://127.0.0.1:${port}/healthz`],
        { env: { TRACE: trace } },
      );
      const story = new Story(plane, { program, trace, port });
      await story.create();
      await story.restart();
      await story.delete();
      await story.stop();
    },
  );
});

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
      ["get", "events.events.k8s.io", "-o", "jsonpath={.items[*].note}"],
    );
    assert.deepEqual(events.split(" is there").map((name) => name.trim()).sort(), ["", "first", "second"]);
  }

  /** Readiness says so while nothing can be seen of the cluster; nobody is started anew on account of it. */
  async restart(): Promise<void> {
    await this.#plane.stopApiServer("SIGKILL");
    await this.#becomes(503);
    assert.match(
      await this.#ask("/readyz"),
      /\[-\]watch examples\.v1\.lotse\.test failed: no stream for \d+ s/,
    );
    assert.equal(await this.#ask("/livez"), "ok");
    await this.#plane.startApiServer();
    await this.#becomes(200);
    const runs = Number(await this.#status("first", "runs"));
    await until(async () => Number(await this.#status("first", "runs")) > runs + 1, () => "The timer stays");
    await this.#make("third", "red");
    await this.#reaches("first", "friends", "3");
    assert.deepEqual(this.#told().sort(), [
      "daemon begins first",
      "daemon begins second",
      "daemon begins third",
      "made first",
      "made second",
      "made third",
      "startup",
    ]);
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
    // After an outage, streams may wait for as long as 45 s before they try again, twice if their version is too old then.
    await until(isSo, explain).catch(() => until(isSo, explain));
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
