/**
 * Each example as its own service account on a real control plane, with the manifests and exactly the rights that are
 * generated for it: from its declarations, and from what it was recorded to use in the process.
 */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import type { Addressable, Client } from "../../lib/client/client.ts";
import { ApiError } from "../../lib/client/errors.ts";
import { parseRights, type Right } from "../../lib/kits/rights/rights.ts";
import { toYaml } from "../../lib/kits/generate/manifests.ts";
import { manifestsOf } from "../support/manifests.ts";
import type { PolicyRule } from "../../lib/kits/rights/rbac.ts";
import { isOperator } from "../../lib/operator/operator.ts";
import type { KubeObject } from "../../lib/model/object.ts";
import { currentHost } from "../../lib/runtime/current_host.ts";
import { createLogger, type LogRecord } from "../../lib/runtime/logging.ts";
import { parseYaml } from "../../lib/runtime/yaml.ts";
import type { Operator } from "../../mod.ts";
import { findControlPlane } from "../control_plane/control_plane.ts";
import { EXAMPLES, examples } from "../examples/performance.ts";
import { RealPlace } from "../support/real_world.ts";
import { virtualWorld } from "../support/virtual_world.ts";
import { until } from "./operator_process.ts";

const RIGHTS = "rights.json";

/** The example that takes Leases: in the namespace in which it is deployed. */
const REPLICAS = "33-replicas";

/** Which peering object an example is about. */
const PEERING: Readonly<Record<string, string>> = { "22-peering": "default" };

/** One example, in whichever cluster. */
class Example {
  readonly folder: string;
  readonly name: string;
  readonly op: Operator;
  readonly #manifests: readonly KubeObject[];

  constructor(folder: string, op: Operator) {
    this.folder = folder;
    this.name = folder.replace(/^\d+-/, "");
    this.op = op;
    const path = join(EXAMPLES, folder);
    const files = readdirSync(path).filter((file) => file.endsWith(".yaml")).sort();
    // They are ours, and kubectl takes them.
    this.#manifests = files.flatMap((file) =>
      parseYaml(readFileSync(join(path, file), "utf8")) as KubeObject[]
    );
  }

  static async load(folder: string): Promise<Example> {
    const module = await import(pathToFileURL(join(EXAMPLES, folder, "handlers.ts")).href);
    assert.ok(isOperator(module.default), folder);
    return new Example(folder, module.default);
  }

  get crds(): readonly KubeObject[] {
    return this.#manifests.filter(({ kind }) => kind === "CustomResourceDefinition");
  }

  get objects(): readonly KubeObject[] {
    return this.#manifests.filter(({ kind }) => kind !== "CustomResourceDefinition");
  }

  get runOptions(): { readonly peering?: string; readonly standalone?: boolean } {
    const peering = PEERING[this.folder];
    return peering === undefined ? { standalone: true } : { peering };
  }

  /** Runs it in the process, changes and deletes its objects, and returns the rights that it used. */
  async record(): Promise<Right[]> {
    const world = await virtualWorld({ kinds: false });
    for (const crd of this.crds) await create(world.client, crd);
    for (const object of this.objects) await create(world.client, object);
    const running = await world.start(this.op, { ...this.runOptions, recordRights: RIGHTS });
    await world.settle();
    await world.host.clock.advance(90);
    await this.touch(world.client);
    await world.host.clock.advance(90);
    await this.remove(world.client);
    await world.host.clock.advance(90);
    await running.stop();
    const { files, process } = world.host;
    return parseRights(await files.readText(files.resolve(process.cwd(), RIGHTS)));
  }

  async touch(client: Client): Promise<void> {
    for (const object of this.#own()) {
      const body = { metadata: { labels: { touched: "yes" } } };
      await client.patch(await kindOf(client, object), addressOf(object), { type: "merge", body });
    }
  }

  async remove(client: Client): Promise<void> {
    for (const object of this.#own()) {
      await client.delete(await kindOf(client, object), addressOf(object)).catch(ignoreGone);
    }
  }

  async isGone(client: Client): Promise<boolean> {
    for (const object of this.#own()) {
      const kind = await kindOf(client, object);
      if (await client.get(kind, addressOf(object)).then(() => true, () => false)) return false;
    }
    return true;
  }

  /** Objects of custom kinds; others belong to the scene. */
  #own(): readonly KubeObject[] {
    return this.objects.filter(({ apiVersion = "" }) => apiVersion.startsWith("example.com/"));
  }
}

/** Makes an object as it stands; unknown fields are errors. */
async function create(client: Client, object: KubeObject): Promise<void> {
  const kind = await kindOf(client, object);
  const namespace = kind.namespaced ? object.metadata.namespace ?? "default" : undefined;
  const body = { ...object, metadata: { ...object.metadata, ...namespace && { namespace } } };
  await client.create(kind, body, { fieldValidation: "Strict" }).catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.status !== 409) throw error;
  });
}

async function kindOf(client: Client, { apiVersion = "", kind }: KubeObject): Promise<Addressable> {
  const [group = "", version = ""] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
  for (let attempt = 0;; attempt++) {
    const served = await client.discovery.refresh(group).catch(() => []);
    const found = served.find((each) =>
      each.kind === kind && each.version === version && each.group === group
    );
    if (found !== undefined) return found;
    assert.ok(attempt < 50, `${apiVersion} ${kind} is not served`);
    await new Promise((resolve) => setTimeout(resolve, 100)); // A new kind takes a moment on a real server.
  }
}

function addressOf(
  { metadata: { name = "", namespace = "default" } }: KubeObject,
): { name: string; namespace: string } {
  return { name, namespace };
}

function ignoreGone(error: unknown): void {
  if (!(error instanceof ApiError) || error.status !== 404) throw error;
}

/** An example as its service account on the real control plane. */
class Deployed implements AsyncDisposable {
  readonly logs: LogRecord[] = [];
  readonly #example: Example;
  readonly #place: RealPlace;
  readonly #stop = new AbortController();
  #run: Promise<void> = Promise.resolve();

  constructor(example: Example, place: RealPlace) {
    this.#example = example;
    this.#place = place;
  }

  /** Applies the generated manifests, and runs the operator with the account's token. */
  async start(
    rights: readonly Right[],
    change: (rules: PolicyRule[]) => PolicyRule[] = (rules) => rules,
  ): Promise<void> {
    const { op, name, folder, crds } = this.#example;
    const { client, plane } = this.#place;
    for (const crd of crds) await create(client, crd);
    const manifests = manifestsOf({
      ...{
        operators: [op],
        name,
        home: name,
        image: `${name}:1`,
        recorded: rights,
        peering: PEERING[folder],
      },
    });
    // Only the example of all selectors names kinds by words that just a cluster knows: what it was recorded to use must do.
    assert.equal(manifests.unknown.length > 0, folder === "21-selectors", manifests.unknown.join());
    for (
      const object of parseYaml(toYaml(manifests, { monitoring: false, networkPolicy: true })) as KubeObject[]
    ) {
      if (Array.isArray(object.rules)) object.rules = change(object.rules);
      await create(client, object);
    }
    const accounts = { group: "", version: "v1", plural: "serviceaccounts", namespaced: true };
    const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
    const address = { name, namespace: name, subresource: "token" };
    const { status: { token } } = await client.create<{ status: { token: string } }>(
      accounts,
      request,
      address,
    );
    const host = currentHost();
    this.#run = op.run({
      ...this.#example.runOptions,
      ...folder === REPLICAS && { replicas: { namespace: name } },
      host,
      logger: createLogger({ level: "info", write: (record) => this.logs.push(record) }, host.clock),
      signal: this.#stop.signal,
      credentials: { server: plane.server, ca: plane.caPem, token },
      scope: "cluster",
      selfCheck: true,
    });
    this.#run.catch(() => {});
  }

  /** Everything in the log that speaks of rights. */
  complaints(): string[] {
    return this.logs.map(({ message, fields }) => `${message} ${fields.error ?? ""}`)
      .filter((line) => /403|forbidden|A right is missing/i.test(line));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#run;
  }
}

const skip = findControlPlane().reason ?? false;

describe("With exactly the generated rights", () => {
  let place: Promise<RealPlace> | undefined;
  after(async () => await (await place)?.[Symbol.asyncDispose]());
  const open = (): Promise<RealPlace> => place ??= RealPlace.open();

  for (const folder of examples()) {
    it(`${folder} handles its objects from creation to deletion`, { skip, timeout: 120_000 }, async () => {
      const example = await Example.load(folder);
      const rights = await example.record();
      const { client } = await open();
      await using deployed = new Deployed(example, await open());
      await deployed.start(rights);
      const tail = (): string =>
        deployed.logs.slice(-15).map(({ message, fields }) => `${message} ${fields.error ?? ""}`).join("\n");
      await until(
        () => deployed.logs.some(({ message }) => message.startsWith("Operator has started")),
        tail,
      );
      for (const object of example.objects) await create(client, object);
      await new Promise((resolve) => setTimeout(resolve, 2000)); // What it does, it does within that time.
      await example.touch(client);
      await new Promise((resolve) => setTimeout(resolve, 1000));
      await example.remove(client);
      await until(() => example.isGone(client), tail);
      assert.ok(deployed.logs.some(({ logger }) => logger === "lotse.objects"), "It has handled nothing");
      assert.deepEqual(deployed.complaints(), []);
      // Examples have kinds of one name.
      for (const crd of example.crds) {
        const [kind, address] = [await kindOf(client, crd), { name: crd.metadata.name ?? "" }];
        await client.delete(kind, address).catch(ignoreGone);
        await until(() => client.get(kind, address).then(() => false, () => true), tail);
      }
    });
  }

  it("one right less is named, with the handler that lacks it", { skip, timeout: 120_000 }, async () => {
    const example = await Example.load("01-minimal");
    const renamed = Object.defineProperty(example, "name", { value: "lessened" });
    await using deployed = new Deployed(renamed, await open());
    const isOurs = ({ resources, apiGroups }: PolicyRule): boolean =>
      apiGroups.includes("example.com") && resources.includes("greetings");
    await deployed.start(
      [],
      (rules) =>
        rules.map((rule) =>
          isOurs(rule) ? { ...rule, verbs: rule.verbs.filter((verb) => verb !== "patch") } : rule
        ),
    );
    await until(
      () => deployed.complaints().length > 0,
      () => deployed.logs.map(({ message }) => message).join("\n"),
    );
    assert.match(
      deployed.complaints()[0] ?? "",
      /^A right is missing: handler "\w+"(, handler "\w+")* cannot patch greetings\.example\.com /,
    );
    assert.equal(deployed.complaints().length, 1);
  });
});

/** Returns what the self-check of an example says, whose account has these rules. */
async function saidOf(example: Example, rules: readonly PolicyRule[]): Promise<string[]> {
  const world = await virtualWorld({ kinds: false });
  for (const crd of example.crds) await create(world.client, crd);
  world.intercept = (request, { method, path, body }) => {
    if (method !== "POST" || !path.includes("/selfsubject")) return undefined;
    const { kind, spec } = JSON.parse(body);
    if (kind === "SelfSubjectRulesReview") {
      return Response.json({
        kind,
        status: { resourceRules: rules, nonResourceRules: [], incomplete: false },
      });
    }
    const { group = "", resource, subresource, verb } = spec.resourceAttributes ?? {};
    const name = subresource ? `${resource}/${subresource}` : resource;
    const allowed = rules.some(({ apiGroups, resources, verbs }) =>
      apiGroups.includes(group) && resources.includes(name) && verbs.includes(verb)
    );
    return Response.json({ kind, status: { allowed } }, { status: request.url === "" ? 200 : 201 });
  };
  const running = await world.start(example.op, { ...example.runOptions, selfCheck: true, scope: "cluster" });
  await world.host.clock.advance(30); // One of them tries its startup again.
  await running.stop();
  return running.logs.map(({ message }) => message).filter((line) => line.startsWith("A right is missing"));
}

describe("One right less", () => {
  for (const folder of examples()) {
    // Its kinds are known to a cluster only.
    if (folder === "21-selectors") continue;
    it(`is named by the self-check of ${folder}`, { timeout: 120_000 }, async () => {
      const example = await Example.load(folder);
      const where = { name: "x", home: "x", image: "x:1", peering: PEERING[folder] };
      const manifests = manifestsOf({ operators: [example.op], ...where });
      const rules = manifests.rbac.flatMap(({ rules = [] }) => rules as PolicyRule[]);
      assert.deepEqual(await saidOf(example, rules), []);
      // The operator's own definition, which takes the place of the older release's, has no status.
      const crds = folder === "36-versions" ? [] : example.crds;
      const kept = crds.filter(({ spec }) => JSON.stringify(spec).includes('"subresources"'));
      for (const rule of rules) {
        const [verb = "", resource = ""] = [rule.verbs.at(-1), rule.resources[0]];
        // Only some clusters ask for it, and only some kinds have it.
        // Leases, and the Events on them, are asked for by those who hold them, who name a right that is missing.
        if (resource === "leases" || (resource === "events" && folder === REPLICAS)) continue;
        if (resource.endsWith("/finalizers") || (resource.endsWith("/status") && kept.length === 0)) continue;
        const others = { ...rule, resources: rule.resources.slice(1) };
        const lessened = { ...rule, resources: [resource], verbs: rule.verbs.slice(0, -1) };
        const said = await saidOf(example, [...rules.filter((each) => each !== rule), others, lessened]);
        const [plural = "", sub] = resource.split("/");
        const title = [rule.apiGroups[0] ? `${plural}.${rule.apiGroups[0]}` : plural, sub].filter(Boolean)
          .join("/");
        assert.ok(
          said.some((line) => line.includes(` cannot ${verb} `) && line.includes(plural)),
          `${verb} ${title}: ${said}`,
        );
      }
    });
  }
});
