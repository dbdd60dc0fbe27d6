/**
 * An operator as a service account that may see some namespaces only, on a real control plane, while its rights come and go.
 */

import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { createServer } from "node:net";
import { after, describe, it } from "node:test";
import type { Client } from "../../lib/client/client.ts";
import type { Authority } from "../../lib/runtime/certificates.ts";
import { currentHost } from "../../lib/runtime/current_host.ts";
import { createLogger, type LogRecord } from "../../lib/runtime/logging.ts";
import { type Condition, type Operator, operator, type OperatorOptions } from "../../mod.ts";
import { findControlPlane } from "../control_plane/control_plane.ts";
import { RealPlace } from "../support/real_world.ts";
import { startKubelet } from "../support/kubelet.ts";
import { Example, EXAMPLES } from "../support/worlds.ts";
import { until } from "./operator_process.ts";

const RBAC = { group: "rbac.authorization.k8s.io", version: "v1" };
const BINDINGS = { ...RBAC, plural: "rolebindings", namespaced: true };
const CLUSTER_BINDINGS = { ...RBAC, plural: "clusterrolebindings", namespaced: false };
const ROLES = { ...RBAC, plural: "clusterroles", namespaced: false };
const ACCOUNTS = { group: "", version: "v1", plural: "serviceaccounts", namespaced: true };
const MAPS = { group: "", version: "v1", plural: "configmaps", namespaced: true };
const PODS = { ...MAPS, plural: "pods" };
const NAMESPACES = { group: "", version: "v1", plural: "namespaces", namespaced: false };

const SEE = [{ apiGroups: [""], resources: ["namespaces"], verbs: ["list", "watch"] }];
const WORK = [{
  apiGroups: [EXAMPLES.group],
  resources: ["examples", "examples/status"],
  verbs: ["get", "list", "watch", "patch"],
}, {
  apiGroups: [""],
  resources: ["configmaps"],
  verbs: ["get", "list", "create", "patch"],
}, {
  apiGroups: [""],
  resources: ["secrets"],
  verbs: ["get", "list"],
}];

const LOGS = [
  { apiGroups: [""], resources: ["pods/log"], verbs: ["get"] },
  { apiGroups: [""], resources: ["pods/exec"], verbs: ["get", "create"] },
];

type Role = "see" | "work" | "logs";

interface StartOptions extends OperatorOptions {
  /** Declares more handlers. */
  readonly declare?: (op: Operator) => void;
}

/** Names of namespaces differ from test to test, by their prefix. */
class Stage implements AsyncDisposable {
  readonly made: string[] = [];
  readonly gone: string[] = [];
  readonly logs: LogRecord[] = [];
  readonly prefix: string;
  readonly #place: RealPlace;
  readonly #controller = new AbortController();
  #run: Promise<void> = Promise.resolve();
  #port = 0;

  constructor(place: RealPlace, prefix: string) {
    this.#place = place;
    this.prefix = prefix;
  }

  get client(): Client {
    return this.#place.client;
  }

  get authority(): Authority {
    return this.#place.plane.authority;
  }

  /** Makes namespaces, a service account without any rights, and the roles that it could have. */
  async prepare(...names: string[]): Promise<this> {
    const { client, prefix } = this;
    for (const name of names) await this.namespace(name);
    const metadata = { name: prefix, namespace: "default" };
    await client.create(ACCOUNTS, { apiVersion: "v1", kind: "ServiceAccount", metadata });
    for (const [name, rules] of [["see", SEE], ["work", WORK], ["logs", LOGS]] as const) {
      const role = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", rules };
      await client.create(ROLES, { ...role, metadata: { name: `${prefix}-${name}` } });
    }
    return this;
  }

  async namespace(name: string): Promise<void> {
    const metadata = { name: `${this.prefix}-${name}` };
    await this.client.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata });
  }

  /** In a namespace, or (without one) in the whole cluster. */
  async grant(role: Role, namespace?: string): Promise<void> {
    const { prefix } = this;
    const metadata = { name: `${prefix}-${role}`, ...namespace && { namespace: `${prefix}-${namespace}` } };
    const subjects = [{ kind: "ServiceAccount", name: prefix, namespace: "default" }];
    const roleRef = { apiGroup: RBAC.group, kind: "ClusterRole", name: `${prefix}-${role}` };
    const kind = namespace === undefined ? "ClusterRoleBinding" : "RoleBinding";
    const binding = { apiVersion: "rbac.authorization.k8s.io/v1", kind, metadata, subjects, roleRef };
    await this.client.create(namespace === undefined ? CLUSTER_BINDINGS : BINDINGS, binding);
  }

  async revoke(role: Role, namespace?: string): Promise<void> {
    const name = `${this.prefix}-${role}`;
    if (namespace === undefined) await this.client.delete(CLUSTER_BINDINGS, { name });
    else await this.client.delete(BINDINGS, { name, namespace: `${this.prefix}-${namespace}` });
  }

  async create(namespace: string, name: string): Promise<void> {
    const metadata = { name, namespace: `${this.prefix}-${namespace}` };
    await this.client.create(EXAMPLES, { apiVersion: "lotse.test/v1", kind: "Example", metadata, spec: {} });
  }

  async delete(namespace: string, name: string): Promise<void> {
    await this.client.delete(EXAMPLES, { name, namespace: `${this.prefix}-${namespace}` });
  }

  /** Runs an operator as the service account. */
  async start(patterns: readonly string[], { declare, ...options }: StartOptions = {}): Promise<void> {
    const { plane } = this.#place;
    const op = operator({
      // Streams that are open stay open when rights are revoked: these are opened anew all the time.
      watching: { serverTimeout: 2 },
      networking: { errorBackoffs: [0.2] },
      ...options,
    });
    const short = (namespace: string | undefined): string => (namespace ?? "").slice(this.prefix.length + 1);
    op.on.create(Example, { id: "make" }, ({ namespace, name, patch }) => {
      this.made.push(`${short(namespace)}/${name}`);
      patch.status.made = true;
    });
    op.on.event(Example, { id: "see" }, ({ type, namespace, name }) => {
      if (type === "DELETED") this.gone.push(`${short(namespace)}/${name}`);
    });
    declare?.(op);
    const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
    const address = { name: this.prefix, namespace: "default", subresource: "token" };
    const made = await this.client.create<{ status: { token: string } }>(ACCOUNTS, request, address);
    const host = currentHost();
    this.#port = await freePort();
    this.#run = op.run({
      host,
      logger: createLogger({ level: "debug", write: (record) => this.logs.push(record) }, host.clock),
      signal: this.#controller.signal,
      credentials: { server: plane.server, ca: plane.caPem, token: made.status.token },
      scope: patterns.map((pattern) => `${this.prefix}-${pattern}`),
      liveness: `http://127.0.0.1:${this.#port}/healthz`,
    });
    this.#run.catch(() => {});
  }

  /** Waits for what must have been made by now, and nothing else. */
  async reaches(...made: string[]): Promise<void> {
    const isSo = (): boolean => made.every((each) => this.made.includes(each));
    await until(isSo, () => `${this.made} instead of ${made}\n${this.#tail()}`);
    assert.deepEqual(this.made.toSorted(), made.toSorted());
  }

  /** Waits until readiness has a line like that; undefined: until all is well. */
  async reports(pattern?: RegExp): Promise<void> {
    let text = "";
    const isSo = async (): Promise<boolean> => {
      const response = await fetch(`http://127.0.0.1:${this.#port}/readyz?verbose`).catch(() => undefined);
      text = await response?.text() ?? "";
      return pattern === undefined
        ? response?.status === 200
        : response?.status === 503 && pattern.test(text);
    };
    await until(isSo, () => `Not ${pattern}:\n${text}\n${this.#tail()}`);
  }

  /** Messages that were logged, of a level. */
  said(level: "info" | "warn" | "error"): string[] {
    return this.logs.filter((record) => record.level === level).map(({ message }) => message);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#controller.abort();
    await this.#run;
  }

  #tail(): string {
    return this.logs.slice(-30).map(({ level, message, fields }) =>
      `${level} ${message} ${JSON.stringify(fields)}`
    )
      .join("\n");
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

const skip = findControlPlane().reason ?? false;

describe("An operator as a service account of few rights", () => {
  let place: Promise<RealPlace> | undefined;
  after(async () => await (await place)?.[Symbol.asyncDispose]());
  const stage = async (prefix: string): Promise<Stage> =>
    new Stage(await (place ??= RealPlace.open({})), prefix); // with an authority that signs certificates

  it(
    "serves the namespaces of a pattern in which it may work, as rights are granted, revoked and granted again",
    { skip, timeout: 180_000 },
    async () => {
      await using story = await (await stage("team")).prepare("a", "b", "other");
      await story.grant("see");
      await story.grant("work", "a");
      for (const namespace of ["a", "b", "other"]) await story.create(namespace, "one");
      await story.start(["*"]);
      await story.reaches("a/one");
      await story.reports(
        /^\[-\]watch examples\.v1\.lotse\.test\|team-b failed: not listed yet: .*403 Forbidden/m,
      );
      await story.grant("work", "b");
      await story.reaches("a/one", "b/one");
      await story.namespace("c");
      await story.grant("work", "c");
      await story.create("c", "one");
      await story.grant("work", "other");
      await story.reaches("a/one", "b/one", "c/one", "other/one");
      await story.reports();
      // Revoked: the rest goes on, and readiness says what is not seen.
      await story.revoke("work", "a");
      await story.reports(
        /^\[-\]watch examples\.v1\.lotse\.test\|team-a failed: no stream for \d+ s: .*403 Forbidden/m,
      );
      await story.create("a", "two");
      await story.delete("a", "one");
      await story.create("b", "two");
      await story.reaches("a/one", "b/one", "c/one", "other/one", "b/two");
      assert.deepEqual(story.gone, []);
      await story.grant("work", "a");
      await story.reaches("a/one", "b/one", "c/one", "other/one", "b/two", "a/two");
      await until(() => story.gone.length > 0, () => "What vanished unseen is not announced");
      await story.reports();
      assert.deepEqual(story.gone, ["a/one"]);
      assert.deepEqual(story.said("error"), []);
    },
  );

  it(
    "serves named namespaces where it may not see namespaces, and those of patterns as soon as it may",
    { skip, timeout: 180_000 },
    async () => {
      await using story = await (await stage("named")).prepare("a", "b");
      for (const namespace of ["a", "b"]) {
        await story.grant("work", namespace);
        await story.create(namespace, "one");
      }
      await story.start(["a", "b*"]);
      await story.reaches("a/one");
      const refusals = (): number =>
        story.said("warn").filter((message) => message.startsWith("Namespaces cannot be watched")).length;
      assert.equal(refusals(), 1);
      await story.grant("see");
      await story.reaches("a/one", "b/one");
      await story.revoke("see");
      // What was found so far is served on.
      await until(() => refusals() === 2, () => story.said("warn").join("\n"));
      await story.create("a", "two");
      await story.create("b", "two");
      await story.reaches("a/one", "b/one", "a/two", "b/two");
    },
  );

  it(
    "goes on with a stream per namespace where the right to see all of them is revoked, and misses nothing",
    { skip, timeout: 180_000 },
    async () => {
      await using story = await (await stage("wide")).prepare("a", "b", "c");
      await story.grant("see");
      await story.grant("work");
      for (const namespace of ["a", "b", "c"]) await story.create(namespace, "one");
      await story.start(["*"], {
        scanning: { clusterwideFrom: 2 },
        watching: { serverTimeout: 2 },
        networking: { errorBackoffs: [0.2] },
      });
      await story.reaches("a/one", "b/one", "c/one");
      await story.grant("work", "a");
      await story.grant("work", "b");
      await story.revoke("work");
      const isDivided = (): boolean =>
        story.said("info").some((message) => message.includes("each namespace gets a stream"));
      await until(isDivided, () => story.said("info").join("\n"));
      await story.create("a", "two");
      await story.create("b", "two");
      await story.delete("b", "one");
      await story.reaches("a/one", "b/one", "c/one", "a/two", "b/two");
      await until(() => story.gone.length > 0, () => "What has gone is not announced");
      assert.deepEqual(story.gone, ["b/one"]);
      await story.reports(/^\[-\]watch examples\.v1\.lotse\.test\|wide-c failed: not listed yet: .*403/m);
      await story.grant("work", "c");
      await story.reports();
      assert.equal(story.made.length, 5);
    },
  );

  it(
    "[N5.8] makes the children that it may make, and names the right that it lacks for another",
    { skip, timeout: 180_000 },
    async () => {
      await using story = await (await stage("parent")).prepare("a");
      await story.grant("work", "a");
      const said: string[] = [];
      await story.start(["a"], {
        declare: (op) =>
          op.reconcile(Example, { backoff: 0.5 }, async function bring({ spec, children }) {
            const [secret, data] = ["Secret", "ConfigMap"].map((kind) => ({ apiVersion: "v1", kind }));
            const name = String(spec.map ?? "data");
            await children({ secret, [name]: data }, { condition: "Furnished" }).catch((error) => {
              if (error.name === "ChildrenError") said.push(error.message);
              throw error;
            });
          }),
      });
      await story.create("a", "one");
      await story.reaches("a/one");
      await until(() => said.length > 0, () => story.said("error").join("\n"));
      assert.match(
        said[0] ?? "",
        /"secret" \(Secret ".*\/one-secret"\): 403 Forbidden: .*a role must allow "patch" on "secrets"/,
      );
      const namespace = `${story.prefix}-a`;
      assert.ok(await story.client.get(MAPS, { name: "one-data", namespace }));
      const isTold = async (): Promise<boolean> => {
        const { status } = await story.client.get(EXAMPLES, { name: "one", namespace });
        const { conditions = [] } = (status ?? {}) as { readonly conditions?: readonly Condition[] };
        return conditions.some(({ reason, message }) =>
          reason === "ChildFailed" && message.includes('a role must allow "patch" on "secrets"')
        );
      };
      await until(isTold, () => said.join("\n"));
      // Where a kind must not be listed, the others are made, and nothing is deleted.
      const rules = WORK.filter(({ resources }) => !resources.includes("secrets"));
      const change = (body: object) => ({ type: "merge", body }) as const;
      await story.client.patch(ROLES, { name: `${story.prefix}-work` }, change({ rules }));
      await story.client.patch(EXAMPLES, { name: "one", namespace }, change({ spec: { map: "fresh" } }));
      const lacksList = (): boolean =>
        /"secret" .*a role must allow "list" on "secrets"/.test(said.at(-1) ?? "");
      await until(lacksList, () => said.join("\n"));
      for (const name of ["one-data", "one-fresh"]) {
        await until(
          () => story.client.get(MAPS, { name, namespace }).then(() => true, () => false),
          () => name,
        );
      }
      await story.create("a", "two");
      await story.reaches("a/one", "a/two");
    },
  );

  it(
    "[N4.11] [N58.4] reads the log of a Pod from a node, line by line, until its signal, and names the rights that it and commands need",
    { skip, timeout: 180_000 },
    async () => {
      await using story = await (await stage("logs")).prepare("a");
      await story.grant("work", "a");
      const open: ServerResponse[] = [];
      await using kubelet = await startKubelet(story.client, {
        name: story.prefix,
        authority: story.authority,
        answer: (response, query) => {
          response.write("one\ntw");
          response.write("o\nthr");
          if (query.has("follow")) open.push(response);
          else response.end("ee");
        },
      });
      const pod = { namespace: `${story.prefix}-a`, name: "web" };
      const spec = { nodeName: story.prefix, containers: [{ name: "main", image: "none" }] };
      await story.client.create(PODS, { apiVersion: "v1", kind: "Pod", metadata: pod, spec });
      const ops: Operator[] = [];
      await story.start(["a"], { declare: (op) => ops.push(op) });
      await story.create("a", "one");
      await story.reaches("a/one");
      const [{ api }] = ops as [Operator];
      const read = () => Array.fromAsync(api.logs(pod, { tailLines: 5 }));
      await assert.rejects(read, /403 Forbidden: .*a role must allow "get" on "pods\/log"$/);
      // It has no node, so that a command in it comes as far as the API server.
      const idle = { ...pod, name: "idle" };
      const containers = [{ name: "main", image: "none" }];
      await story.client.create(PODS, {
        apiVersion: "v1",
        kind: "Pod",
        metadata: idle,
        spec: { containers },
      });
      const run = () => api.exec(idle, ["true"]);
      await assert.rejects(run, /403 Forbidden: .*a role must allow "(get|create)" on "pods\/exec"$/);
      await story.grant("logs", "a");
      let lines: string[] = [];
      await until(async () => (lines = await read().catch(() => [])).length > 0, () => "Not granted");
      assert.deepEqual(lines, ["one", "two", "three"]);
      await assert.rejects(run, { status: 400, message: /pod idle does not have a host assigned/ });
      assert.equal(kubelet.asked.at(-1), `/containerLogs/${pod.namespace}/web/main?tailLines=5`);
      const [ending, seen] = [new AbortController(), [] as string[]];
      for await (const line of api.logs(pod, { follow: true, signal: ending.signal })) {
        seen.push(line);
        if (line === "two") open[0]?.write("ee\nfour\n");
        if (line === "four") ending.abort();
      }
      assert.deepEqual(seen, ["one", "two", "three", "four"]);
    },
  );
});
