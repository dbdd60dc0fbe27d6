/**
 * Both servers, as a corpus is posted to them: every request goes to the real one and to ours, and what kinds there are is known
 * from the real one's discovery.
 */

import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { JsonObject } from "../../lib/model/object.ts";
import { inProcessTarget, realTarget, type Target } from "../conformance/apiserver/target.ts";
import type { Answer } from "./comparison.ts";
import { isObject } from "./documents.ts";

/** The answers of both servers. */
export interface Answers {
  readonly ours: Answer;
  readonly theirs: Answer;
}

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** The requests that go to both. */
export class Servers implements AsyncDisposable {
  readonly #ours: Target;
  readonly #theirs: RealAnswers;
  /** Paths of collections, by "apiVersion Kind". */
  readonly #paths = new Map<string, string>();
  readonly #installed: JsonObject[] = [];

  private constructor(ours: Target, theirs: RealAnswers) {
    this.#ours = ours;
    this.#theirs = theirs;
  }

  /**
   * Starts both.
   *
   * @param options.answers A file with answers of the real server, which is only started for requests that are not in it.
   */
  static async open(options: { readonly answers?: string } = {}): Promise<Servers> {
    const servers = new Servers(inProcessTarget(), new RealAnswers(options.answers));
    await servers.#learnBuiltinKinds();
    return servers;
  }

  /** Creates a definition in both, to be posted to; nothing happens if one of them does not take it. */
  async install(definition: JsonObject): Promise<boolean> {
    const { ours, theirs } = await this.post(DEFINITIONS, definition);
    if (ours.code !== 201 || theirs.code !== 201) return false;
    this.#installed.push(definition);
    for (const [version, path] of pathsOf(definition)) this.#paths.set(version, path);
    return true;
  }

  /** Waits until the real server serves all definitions. */
  async settle(): Promise<void> {
    for (const definition of this.#installed) {
      for (const [, path] of pathsOf(definition)) {
        await this.#theirs.until(path.replace("/namespaces/default", ""));
      }
    }
  }

  /** Posts an object with dryRun=All; undefined if nobody serves its kind. */
  async tryOut(object: JsonObject): Promise<Answers | undefined> {
    const path = isDefinition(object) ? DEFINITIONS : this.#paths.get(`${object.apiVersion} ${object.kind}`);
    if (path === undefined) return undefined;
    const isNamespaced = path.includes("/namespaces/");
    const metadata = isObject(object.metadata) ? object.metadata : {};
    const placed = { ...object, metadata: { ...metadata, namespace: isNamespaced ? "default" : undefined } };
    return await this.post(`${path}?dryRun=All`, placed);
  }

  /** Posts to both. */
  async post(path: string, object: JsonObject): Promise<Answers> {
    const body = JSON.stringify(object, (_key, value) => typeof value === "bigint" ? Number(value) : value);
    const [ours, theirs] = await Promise.all([post(this.#ours, path, body), this.#theirs.post(path, body)]);
    return { ours, theirs };
  }

  async #learnBuiltinKinds(): Promise<void> {
    const groups = await get(this.#ours, "/apis");
    const versions = [
      "/api/v1",
      ...listAt(groups, "groups").flatMap((group) => {
        return listAt(group, "versions").map(({ groupVersion }) => `/apis/${groupVersion}`);
      }),
    ];
    for (const path of versions) {
      const list = await get(this.#ours, path);
      for (const { name, kind, namespaced } of listAt(list, "resources")) {
        if (String(name).includes("/")) continue;
        const place = namespaced === true ? `${path}/namespaces/default/${name}` : `${path}/${name}`;
        this.#paths.set(`${path.replace(/^\/apis?\//, "")} ${kind}`, place);
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#theirs[Symbol.asyncDispose]();
    await this.#ours[Symbol.asyncDispose]();
  }
}

/**
 * The real server, which is started when it is needed. Answers that are in the file are taken from there: they depend on
 * everything that was written before, so that the key of each is the history of what was created.
 */
class RealAnswers implements AsyncDisposable {
  readonly #file: string | undefined;
  readonly #known = new Map<string, Answer>();
  readonly #written: { readonly path: string; readonly body: string }[] = [];
  /** Of the bodies that were written. */
  readonly #history = createHash("sha256");
  readonly #awaited: string[] = [];
  #starting: Promise<Target> | undefined;

  constructor(file: string | undefined) {
    this.#file = file;
    if (file === undefined || !existsSync(file)) return;
    for (const line of readFileSync(file, "utf8").split("\n").filter((line) => line !== "")) {
      const { key, answer } = JSON.parse(line);
      this.#known.set(key, answer);
    }
  }

  async post(path: string, body: string): Promise<Answer> {
    const key = this.#history.copy().update(path).update(body).digest("hex").slice(0, 24);
    let answer = this.#known.get(key);
    if (answer === undefined) {
      answer = await post(await this.#target(), path, body);
      this.#known.set(key, answer);
    }
    if (!path.includes("dryRun=All")) {
      this.#written.push({ path, body });
      this.#history.update(body);
    }
    return answer;
  }

  async until(path: string): Promise<void> {
    if (this.#starting === undefined) this.#awaited.push(path);
    else await served(await this.#starting, path);
  }

  /** NB: what was written according to the file is written then. */
  #target(): Promise<Target> {
    return this.#starting ??= (async () => {
      const target = await realTarget();
      for (const { path, body } of this.#written) await post(target, path, body);
      for (const path of this.#awaited) await served(target, path);
      return target;
    })();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#file !== undefined) {
      const lines = [...this.#known].map(([key, answer]) => JSON.stringify({ key, answer }));
      writeFileSync(this.#file, `${lines.join("\n")}\n`);
    }
    await (await this.#starting)?.[Symbol.asyncDispose]();
  }
}

async function served(target: Target, path: string): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt++) {
    const response = await target.send({ method: "GET", path });
    await response.body?.cancel();
    if (response.status === 200) return;
    await sleep(100);
  }
  throw new Error(`The real server does not serve ${path} after a minute`);
}

async function post(target: Target, path: string, body: string): Promise<Answer> {
  const headers = { "content-type": "application/json", "user-agent": "corpus" };
  const response = await target.send({ method: "POST", path, body, headers });
  const warnings = response.headers.get("warning");
  return {
    code: response.status,
    // Node joins headers that come several times by commas.
    warnings: warnings === null ? [] : warnings.split(/, (?=299 )/),
    body: JSON.parse(await response.text()),
  };
}

async function get(target: Target, path: string): Promise<JsonObject> {
  return await (await target.send({ method: "GET", path })).json();
}

function listAt(object: JsonObject, key: string): JsonObject[] {
  const list = object[key];
  return Array.isArray(list) ? list.filter(isObject) : [];
}

function isDefinition({ kind }: JsonObject): boolean {
  return kind === "CustomResourceDefinition";
}

/** "apiVersion Kind" of each served version, and the path of its collection. */
function pathsOf({ spec }: JsonObject): [string, string][] {
  if (!isObject(spec) || !isObject(spec.names)) return [];
  const { group, scope, names: { plural, kind } } = spec;
  const place = scope === "Namespaced" ? `namespaces/default/${plural}` : plural;
  return listAt(spec, "versions").filter(({ served }) => served === true).map(({ name }) => [
    `${group}/${name} ${kind}`,
    `/apis/${group}/${name}/${place}`,
  ]);
}
