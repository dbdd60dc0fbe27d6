/**
 * A cluster in the process for an example: its manifests, its operator, and what its README says about the log.
 */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { applyManifests, type Manifest } from "../../lib/cli/apply.ts";
import { apiServer } from "../../lib/kits/apiserver/mod.ts";
import { type Runner, start } from "../../lib/kits/testing/mod.ts";
import { textSink } from "../../lib/runtime/log_format.ts";
import { type LogRecord, silentLogger } from "../../lib/runtime/logging.ts";
import { type VirtualHost, virtualHost } from "../../lib/runtime/virtual/host.ts";
import { parseYaml } from "../../lib/runtime/yaml.ts";
import type { Operator } from "../../mod.ts";

const EXAMPLES = fileURLToPath(new URL("../../examples/", import.meta.url));

/** A cluster with an example's manifests, and hands to work in it. */
export class Stage {
  readonly host: VirtualHost = virtualHost();
  readonly fetch: (request: Request) => Promise<Response>;
  readonly #folder: string;
  /** While set, the API server is out of order for these requests, such as "PATCH https://…/statefulsets/a". */
  broken: RegExp | undefined;

  constructor(folder: string) {
    this.#folder = folder;
    const server = apiServer({ host: this.host });
    this.fetch = (request) =>
      this.broken?.test(`${request.method} ${request.url}`)
        ? Promise.resolve(new Response("{}", { status: 400 }))
        : server.fetch(request);
  }

  async apply(...files: string[]): Promise<void> {
    const texts = files.map((file) => readFileSync(join(EXAMPLES, this.#folder, file), "utf8"));
    // They are ours, and kubectl takes them.
    await this.applyObjects(texts.flatMap((text) => parseYaml(text)) as Manifest[]);
  }

  async applyObjects(manifests: readonly Manifest[]): Promise<void> {
    await applyManifests(manifests, { host: this.host, fetch: this.fetch, logger: silentLogger() });
  }

  start(op: Operator): Promise<Runner> {
    return start(op, { cluster: { host: this.host, fetch: this.fetch }, level: "info" });
  }

  /** Returns an object by its path below the API, or undefined. */
  // deno-lint-ignore no-explicit-any -- whatever the examples make, looked at by hand
  async get(path: string): Promise<any> {
    const response = await this.fetch(new Request(`http://test${path}`));
    return response.ok ? await response.json() : undefined;
  }

  async patch(path: string, body: object): Promise<void> {
    const headers = { "content-type": "application/merge-patch+json" };
    const request = new Request(`http://test${path}`, {
      method: "PATCH",
      body: JSON.stringify(body),
      headers,
    });
    assert.equal((await this.fetch(request)).status, 200);
  }

  async delete(path: string): Promise<void> {
    assert.ok((await this.fetch(new Request(`http://test${path}`, { method: "DELETE" }))).ok);
  }

  /**
   * Checks that the lines of README's log stand in the log, in their order; where objects are handled side by side, only
   * the lines about one object have an order.
   */
  compareWithReadme(
    { logs }: { readonly logs: readonly LogRecord[] },
    { sideBySide = false }: { readonly sideBySide?: boolean } = {},
  ): void {
    const readme = readFileSync(join(EXAMPLES, this.#folder, "README.md"), "utf8");
    const wanted = [...readme.matchAll(/```text\n([^]*?)```/g)].flatMap(([, block = ""]) =>
      block.trim().split("\n")
    );
    assert.ok(wanted.length >= 5);
    const lines: string[] = [];
    const write = (text: string) => void lines.push(...text.split("\n").map((line) => line.trim()));
    const sink = textSink({ format: "plain", level: "info", write });
    logs.forEach((record) => sink.write(record));
    const places = new Map<string, number>();
    for (const line of wanted) {
      const subject = sideBySide ? line.split(" ", 1)[0] ?? "" : "";
      const from = places.get(subject) ?? 0;
      const index = lines.indexOf(line, from);
      assert.ok(index >= 0, `"${line}" is not in the log from line ${from}:\n${lines.join("\n")}`);
      places.set(subject, index + 1);
    }
  }
}
