/**
 * Asks a real server what it makes of an object before it checks it: a mutating webhook sees it with its defaults.
 */

import type { JsonObject } from "../../lib/model/object.ts";
import type { ServedHook, Target } from "../../tests/conformance/apiserver/target.ts";

/** A kind that can be created. */
export interface ProbedKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly path: string;
}

const CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";

export class Probe implements AsyncDisposable {
  readonly #target: Target;
  readonly #seen: Map<string, JsonObject>;
  readonly #hook: ServedHook;
  /** How many objects were posted. */
  count = 0;

  private constructor(target: Target, seen: Map<string, JsonObject>, hook: ServedHook) {
    this.#target = target;
    this.#seen = seen;
    this.#hook = hook;
  }

  static async open(target: Target): Promise<Probe> {
    const seen = new Map<string, JsonObject>();
    const hook = await target.serveHook(({ apiVersion, kind, request: { uid, object } }) => {
      if (object?.metadata?.name !== undefined) seen.set(object.metadata.name, object);
      return { apiVersion, kind, response: { uid, allowed: true } };
    });
    const probe = new Probe(target, seen, hook);
    await probe.#register();
    return probe;
  }

  async #register(): Promise<void> {
    await this.#send("POST", CONFIGURATIONS, {
      metadata: { name: "defaults" },
      webhooks: [{
        name: "defaults.lotse.dev",
        admissionReviewVersions: ["v1"],
        sideEffects: "None",
        failurePolicy: "Ignore",
        clientConfig: this.#hook.config("/"),
        rules: [{
          operations: ["CREATE"],
          apiGroups: ["*"],
          apiVersions: ["*"],
          resources: ["*"],
          scope: "*",
        }],
      }],
    });
    const config = { apiVersion: "v1", kind: "ConfigMap", path: "/api/v1/namespaces/default/configmaps" };
    for (let attempt = 0; attempt < 100; attempt++) {
      if (await this.ask(config, {}) !== undefined) return;
      await this.#target.pause(0.1);
    }
    throw new Error("The webhook is not called after 10 s");
  }

  /** Returns the kinds that can be created, of stable versions. */
  async kinds(): Promise<ProbedKind[]> {
    const { groups } = await this.#get("/apis");
    const versions = ["/api/v1"];
    for (const { versions: all } of listOf(groups)) {
      for (const { groupVersion } of listOf(all)) {
        if (/\/v\d+$/.test(String(groupVersion))) versions.push(`/apis/${groupVersion}`);
      }
    }
    const kinds: ProbedKind[] = [];
    for (const path of versions) {
      for (const { name, kind, namespaced, verbs } of listOf((await this.#get(path)).resources)) {
        if (String(name).includes("/") || !Array.isArray(verbs) || !verbs.includes("list")) continue;
        const apiVersion = path.replace(/^\/apis?\//, "");
        const place = namespaced === true ? `namespaces/default/${name}` : String(name);
        kinds.push({ apiVersion, kind: String(kind), path: `${path}/${place}` });
      }
    }
    return kinds;
  }

  /** Returns the values that fields may have, by the names of types in OpenAPI. */
  async schemas(): Promise<ReadonlyMap<string, JsonObject>> {
    const { paths } = await this.#get("/openapi/v3");
    const schemas = new Map<string, JsonObject>();
    for (const [path, place] of Object.entries(paths as JsonObject)) {
      if (!/\/v\d+$/.test(path)) continue;
      const { components } = await this.#get((place as { serverRelativeURL: string }).serverRelativeURL);
      for (const [name, schema] of Object.entries((components as { schemas: JsonObject })?.schemas ?? {})) {
        schemas.set(name, schema as JsonObject);
      }
    }
    return schemas;
  }

  /** Returns the object with its defaults; undefined if the server does not come so far with it. */
  async ask({ apiVersion, kind, path }: ProbedKind, fields: JsonObject): Promise<JsonObject | undefined> {
    const name = `probe-${++this.count}`;
    const metadata = { ...fields.metadata as JsonObject | undefined, name };
    const body = { ...fields, apiVersion, kind, metadata };
    const created = await this.#send("POST", `${path}?dryRun=All`, body);
    const found = this.#seen.get(name);
    this.#seen.delete(name);
    // NB: webhooks are not asked about their own configurations, and policies.
    return found ?? (created.kind === kind ? created : undefined);
  }

  async #send(method: string, path: string, body?: unknown): Promise<JsonObject> {
    return await (await this.#target.send({ method, path, body })).json();
  }

  #get(path: string): Promise<JsonObject> {
    return this.#send("GET", path);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#hook[Symbol.asyncDispose]();
  }
}

function listOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value : [];
}
