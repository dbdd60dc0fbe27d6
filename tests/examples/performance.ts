/**
 * An example on stage: its operator in virtual time, the API server in the process, and somebody who types what the README
 * says.
 */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { applyManifests, type Manifest } from "../../lib/cli/apply.ts";
import { clientOf } from "../support/virtual_world.ts";
import { apiServer } from "../../lib/kits/apiserver/mod.ts";
import { type Runner, start } from "../../lib/kits/testing/mod.ts";
import type { JsonObject } from "../../lib/model/object.ts";
import type { Resource } from "../../lib/model/resource.ts";
import { textSink } from "../../lib/runtime/log_format.ts";
import { silentLogger } from "../../lib/runtime/logging.ts";
import { virtualHost } from "../../lib/runtime/virtual/host.ts";
import { parseYaml } from "../../lib/runtime/yaml.ts";
import { stepsOf } from "./readme.ts";

export const EXAMPLES: string = fileURLToPath(new URL("../../examples/", import.meta.url));

/** How long a line may take to come, in seconds of virtual time. */
const PATIENCE = 300;

/** The folders that `lotse dev` can run. */
export function examples(): string[] {
  return readdirSync(EXAMPLES).filter((name) => readdirSync(join(EXAMPLES, name)).includes("handlers.ts"))
    .sort();
}

/** Does what the README of an example says. @throws {AssertionError} If a line does not come, or a command is not known. */
export async function perform(example: string): Promise<void> {
  const performance = new Performance(join(EXAMPLES, example));
  let isTold = false;
  for (const step of stepsOf(readFileSync(join(EXAMPLES, example, "README.md"), "utf8"))) {
    if (step.kind === "command" && isForOthers(step.words)) break;
    if (step.kind === "command") await performance.type(step.words);
    else if (isTold || await performance.shows(step.lines)) await performance.find(step.lines);
    else break; // something was to be done by hand
    isTold = step.kind === "command";
  }
  await performance.end();
}

/** Whether a command needs processes beside `lotse dev`: what comes then is told in stages_test.ts. */
function isForOthers([program, ...args]: readonly string[]): boolean {
  return program === "deno" && args[2] === "cli.ts" && ["freeze", "resume"].includes(args[3] ?? "");
}

class Performance {
  readonly #folder: string;
  readonly #host = virtualHost();
  readonly #server = apiServer({ host: this.#host });
  readonly #lines: string[] = [];
  /** How many records of the log stand in `#lines`. */
  #written = 0;
  readonly #client = clientOf({ host: this.#host, fetch: (request) => this.#server.fetch(request) });
  #runner: Runner | undefined;
  /** Where the next line about an object is to be looked for; objects are handled side by side, so each has its own order. */
  readonly #seen = new Map<string, number>();
  #found = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** @throws {AssertionError} If the README has shown nothing. */
  async end(): Promise<void> {
    await this.#runner?.stop();
    assert.ok(this.#found > 0, "the README shows nothing of the log: give it `text` blocks");
  }

  /** Tells whether the first of the lines comes; if it is not there yet, time passes. */
  async shows([first = ""]: readonly string[]): Promise<boolean> {
    for (let waited = 0; waited < PATIENCE; waited++) {
      if (this.#log().includes(first, this.#seen.get(subjectOf(first)))) return true;
      await this.#running().advance(1);
    }
    return false;
  }

  /** Each line must come after the one before that is about the same object. */
  async find(lines: readonly string[]): Promise<void> {
    for (const line of lines) {
      const isThere = await this.shows([line]);
      const from = this.#seen.get(subjectOf(line));
      const rest = this.#log().slice(from).join("\n");
      assert.ok(isThere, `"${line}" does not come; what came after the line before it:\n${rest}`);
      this.#seen.set(subjectOf(line), this.#log().indexOf(line, from) + 1);
      this.#found++;
    }
  }

  async type(words: readonly string[]): Promise<void> {
    const [program, ...args] = words;
    if (program === "deno" && args[2] === "cli.ts") await this.#start();
    else if (program === "sleep") await this.#running().advance(Number(args[0]));
    else if (program === "kubectl") await this.#kubectl(args);
    else {assert.fail(
        `"${words.join(" ")}" cannot be done here: show \`deno run -A cli.ts dev\`, kubectl or sleep`,
      );}
    await this.#runner?.settle();
  }

  /** As `lotse dev handlers.ts --apply <folder>` does. Only the first time: later ones are for clusters. */
  async #start(): Promise<void> {
    if (this.#runner !== undefined) return;
    const files = readdirSync(this.#folder).filter((name) => name.endsWith(".yaml")).sort();
    const texts = files.map((file) => readFileSync(join(this.#folder, file), "utf8"));
    // They are ours, and kubectl takes them.
    const manifests = texts.flatMap((text) => parseYaml(text)) as Manifest[];
    const fetch = (request: Request) => this.#server.fetch(request);
    await applyManifests(manifests, { host: this.#host, fetch, logger: silentLogger() });
    const { default: op } = await import(pathToFileURL(join(this.#folder, "handlers.ts")).href);
    this.#runner = await start(op, { cluster: { host: this.#host, fetch }, level: "info" });
  }

  async #kubectl([verb = "", ...args]: readonly string[]): Promise<void> {
    if (["get", "describe", "logs"].includes(verb)) return;
    const client = this.#client;
    const { target: [kind = "", name = ""], options, pairs } = readArguments(args);
    const resource = await this.#resource(kind);
    const address = { name, namespace: resource.namespaced ? options.get("n") ?? "default" : undefined };
    if (verb === "delete") {
      await client.delete(resource, address);
      return;
    }
    const body = bodyFor(verb, { options, pairs });
    const subresource = options.get("subresource");
    await client.patch(resource, { ...address, subresource }, { type: "merge", body });
  }

  async #resource(name: string): Promise<Resource> {
    const all = await this.#client.discovery.all();
    const found = all.find(({ plural, singular, shortcuts, kind }) =>
      [plural, singular, ...shortcuts, kind.toLowerCase()].includes(name.toLowerCase())
    );
    return found ?? assert.fail(`kubectl knows no kind "${name}"`);
  }

  #running(): Runner {
    return this.#runner ?? assert.fail("the README must begin with `deno run -A cli.ts dev …`");
  }

  /** The log as `lotse dev` prints it. */
  #log(): readonly string[] {
    const { logs } = this.#running();
    const sink = textSink({
      format: "plain",
      level: "info",
      write: (line) => this.#lines.push(line.trim()),
    });
    logs.slice(this.#written).forEach((record) => sink.write(record));
    this.#written = logs.length;
    return this.#lines;
  }
}

/** "[namespace/name]", or "" for lines about no object. */
function subjectOf(line: string): string {
  return /^\[[^\]]+\]/.exec(line)?.[0] ?? "";
}

interface Arguments {
  /** Kind and name. */
  readonly target: readonly string[];
  readonly options: ReadonlyMap<string, string>;
  /** "key=value", or "key-". */
  readonly pairs: readonly string[];
}

/** Takes apart "greeting hello --type=merge -p {…}", "db/orders tier=gold". */
function readArguments(args: readonly string[]): Arguments {
  const options = new Map<string, string>();
  const plain: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const [, name, value] = /^--?([\w-]+)(?:=([^]*))?$/.exec(args[at] ?? "") ?? [];
    if (name === undefined) plain.push(args[at] ?? "");
    else options.set(name, value ?? (name === "overwrite" ? "" : args[++at] ?? ""));
  }
  const [first = "", ...rest] = plain;
  if (first.includes("/")) return { target: first.split("/"), options, pairs: rest };
  return { target: [first, ...rest.slice(0, 1)], options, pairs: rest.slice(1) };
}

function bodyFor(verb: string, { options, pairs }: Omit<Arguments, "target">): JsonObject {
  if (verb === "patch") return JSON.parse(options.get("p") ?? "");
  if (verb === "scale") return { spec: { replicas: Number(options.get("replicas")) } };
  const stanza = { label: "labels", annotate: "annotations" }[verb];
  if (stanza === undefined) assert.fail(`"kubectl ${verb}" cannot be done here`);
  const entries = pairs.map((pair) => {
    const [key = "", ...value] = pair.split("=");
    return value.length > 0 ? [key, value.join("=")] : [key.replace(/-$/, ""), null];
  });
  return { metadata: { [stanza]: Object.fromEntries(entries) } };
}
