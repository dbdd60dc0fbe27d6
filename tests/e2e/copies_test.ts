/**
 * Two processes of one operator at once on a real control plane: as in a rolling update without peering, and with it.
 */

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { lotse, type Program } from "../cli/processes.ts";
import { type ControlPlane, findControlPlane, startControlPlane } from "../control_plane/control_plane.ts";
import { until } from "./operator_process.ts";

const { reason, binaries } = findControlPlane();
const skip = reason ?? (binaries?.kubectl === undefined ? "there is no kubectl" : false);

const HANDLERS = fileURLToPath(new URL("copies.ts", import.meta.url));
const PEERING = fileURLToPath(new URL("../../examples/22-peering/peering.yaml", import.meta.url));

/** Objects in each test. */
const COUNT = 15;

describe("Two copies of an operator", () => {
  let plane: Promise<ControlPlane> | undefined;
  after(async () => {
    await (await plane)?.stop();
  });

  it("lose nothing without peering: each change is handled by one of them, or by both", {
    skip,
    timeout: 300_000,
  }, async () => {
    plane ??= startControlPlane();
    await using story = new Story(await plane, "beside");
    await Promise.all([story.start("old", "--standalone"), story.start("new", "--standalone")]);
    await story.make();
    await story.change(1);
    await story.change(2);
    await story.delete();
    for (const [name, calls] of story.callsByName()) {
      for (const what of ["make", "change-2", "clean"]) {
        const copies = calls.filter((call) => call.endsWith(` ${what}`));
        assert.ok(copies.length >= 1, `${name}: no ${what} among ${calls}`);
        assert.equal(new Set(copies).size, copies.length, `${name}: one copy was called twice: ${calls}`);
      }
    }
    await story.stop("old");
    await story.stop("new");
  });

  it("work one at a time with peering: the other takes over what is left, and repeats nothing", {
    skip,
    timeout: 300_000,
  }, async () => {
    plane ??= startControlPlane();
    await using story = new Story(await plane, "peers");
    await story.preparePeering();
    await story.start("old", "--peering=default", "--priority=1");
    await story.kubectl("create", "configmap", "watched");
    await story.kubectl("label", "configmap", "watched", "watched=yes");
    await story.traced("old watch-begins watched");
    await story.start("new", "--peering=default", "--priority=2");
    await story.traced("new watch-begins watched");
    await story.traced("old watch-ends watched");
    await story.make();
    await story.change(1);
    // The new one leaves while there is work: the old one goes on.
    const leaving = story.stop("new");
    const [peers] = await Promise.all([
      leaving.then(() => story.kubectl("get", "kopfpeering", "default", "-o", "jsonpath={.status}")),
      story.change(2),
    ]);
    assert.doesNotMatch(peers, /new-peers/, "who leaves takes its record along: nobody waits for its end");
    await story.traced("old watch-begins watched", 2);
    await story.delete();
    const calls = [...story.callsByName()].filter(([name]) => name !== "watched").flatMap(([, each]) => each);
    const by = (copy: string, what: string): number =>
      calls.filter((call) => call === `${copy} ${what}`).length;
    assert.deepEqual([by("old", "make"), by("new", "make")], [0, COUNT]);
    assert.deepEqual([by("old", "change-1"), by("new", "change-1")], [0, COUNT]);
    assert.equal(by("old", "change-2") + by("new", "change-2"), COUNT, calls.join("\n"));
    assert.deepEqual([by("old", "clean"), by("new", "clean")], [COUNT, 0]);
    await story.stop("old");
  });
});

/** A namespace, its objects, and the copies. */
class Story implements AsyncDisposable {
  readonly #plane: ControlPlane;
  readonly #namespace: string;
  readonly #copies = new Map<string, Program>();
  readonly #names: readonly string[];
  #isThere: Promise<unknown> | undefined;

  constructor(plane: ControlPlane, namespace: string) {
    this.#plane = plane;
    this.#namespace = namespace;
    this.#names = Array.from({ length: COUNT }, (_, index) => `one-${index}`);
  }

  async kubectl(...args: readonly string[]): Promise<string> {
    this.#isThere ??= this.#plane.kubectl(["create", "namespace", this.#namespace]);
    await this.#isThere;
    return await this.#plane.kubectl([...args, "-n", this.#namespace]);
  }

  /** A peering object of the namespace. */
  async preparePeering(): Promise<void> {
    await this.#plane.kubectl(["apply", "-f", PEERING]).catch(() => {});
    await this.#plane.kubectl(["wait", "--for=condition=Established", "crd", "--all"]);
    const object = { apiVersion: "kopf.dev/v1", kind: "KopfPeering", metadata: { name: "default" } };
    await this.kubectl("get", "namespaces");
    await this.#plane.kubectl(["apply", "-n", this.#namespace, "-f", "-"], { input: JSON.stringify(object) });
  }

  /** Starts a copy, and waits until it is ready for work, or for its turn. */
  async start(copy: string, ...flags: readonly string[]): Promise<void> {
    await this.kubectl("get", "namespaces");
    const args = ["run", HANDLERS, "-n", this.#namespace, "--kubeconfig", this.#plane.kubeconfig];
    const env = { TRACE: this.#trace, COPY: copy, POD_ID: `${copy}-${this.#namespace}` };
    const program = lotse([...args, ...flags, "--log-format", "plain"], { env });
    this.#copies.set(copy, program);
    await until(() => /Operator has started/.test(program.output), () => program.output);
  }

  async stop(copy: string): Promise<void> {
    const program = this.#copies.get(copy) ?? assert.fail();
    assert.equal(await program.stop(), 0, program.output);
  }

  async make(): Promise<void> {
    const items = this.#names.map((name) => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, labels: { worked: "yes" } },
      data: { n: "0" },
    }));
    await this.kubectl("get", "namespaces");
    await this.#plane.kubectl(["create", "-n", this.#namespace, "-f", "-"], {
      input: JSON.stringify({ apiVersion: "v1", kind: "List", items }),
    });
    await this.#settled("made", "yes");
  }

  async change(n: number): Promise<void> {
    await this.kubectl(
      "patch",
      "configmap",
      ...this.#names,
      "--patch",
      JSON.stringify({ data: { n: String(n) } }),
    );
    await this.#settled("seen", String(n));
  }

  /** Deletes them; kubectl waits until the finalizers are gone. */
  async delete(): Promise<void> {
    await this.kubectl("delete", "configmap", ...this.#names, "--timeout=120s");
  }

  /** Waits until all objects have the annotation. */
  async #settled(key: string, value: string): Promise<void> {
    const path = `jsonpath={range .items[*]}{.metadata.annotations.${key}}{" "}{end}`;
    let found: string[] = [];
    await until(async () => {
      const text = await this.kubectl("get", "configmap", "-l", "worked=yes", "-o", path);
      found = text.trim().split(/\s+/);
      return found.filter((each) => each === value).length === COUNT;
    }, () => `${key}: ${found}\n${[...this.#copies.values()].map(({ output }) => output).join("\n\n")}`);
  }

  async traced(line: string, times = 1): Promise<void> {
    const count = (): number => this.#lines().filter((each) => each === line).length;
    await until(() => count() >= times, () => `No "${line}" in\n${this.#lines().join("\n")}`);
  }

  /** By the object's name: "copy what", in order. */
  callsByName(): Map<string, string[]> {
    const found = new Map<string, string[]>();
    for (const line of this.#lines()) {
      const [copy, what, name = ""] = line.split(" ");
      found.set(name, [...found.get(name) ?? [], `${copy} ${what}`]);
    }
    return found;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const program of this.#copies.values()) await program[Symbol.asyncDispose]();
  }

  get #trace(): string {
    return join(this.#plane.directory, `${this.#namespace}.log`);
  }

  #lines(): string[] {
    return existsSync(this.#trace) ? readFileSync(this.#trace, "utf8").trim().split("\n") : [];
  }
}
