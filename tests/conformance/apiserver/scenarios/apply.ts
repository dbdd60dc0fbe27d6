/** Server-side apply, and who owns what after all other writes. */

import assert from "node:assert/strict";
import { type Answer, APPLY, JSON_PATCH, MERGE, type Session, STRATEGIC } from "../session.ts";
import { configMap, database, databases, type Scenario } from "./scenario.ts";

const CONFIG_MAPS = (namespace: string) => `/api/v1/namespaces/${namespace}/configmaps`;

/** Applies as a manager. */
async function apply(
  api: Session,
  path: string,
  of: { as: string; force?: boolean; object: Answer },
): Promise<Answer> {
  const force = of.force === undefined ? "" : `&force=${of.force}`;
  return await api.ok("PATCH", `${path}?fieldManager=${of.as}${force}`, of.object, APPLY);
}

function managersOf(object: Answer): string[] {
  return (object.metadata.managedFields ?? []).map(({ manager, operation }: Answer) =>
    `${manager} ${operation}`
  ).sort();
}

function applied(name: string, data: Answer): Answer {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data };
}

const TEMPLATE = {
  metadata: { labels: { app: "a" } },
  spec: {
    containers: [
      { name: "one", image: "i:1", ports: [{ containerPort: 80 }], env: [{ name: "A", value: "1" }] },
      { name: "two", image: "j:1" },
    ],
  },
};

function deployment(spec: Answer): Answer {
  return { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "a" }, spec };
}

export const APPLYING: readonly Scenario[] = [
  {
    name: "creates and changes by server-side apply",
    async run(api) {
      await api.namespace("apply");
      const path = `${CONFIG_MAPS("apply")}/a`;
      const reply = await api.call(
        "PATCH",
        `${path}?fieldManager=one`,
        applied("a", { x: "1", y: "1" }),
        APPLY,
      );
      assert.equal(reply.code, 201);
      assert.deepEqual(managersOf(reply.body), ["one Apply"]);
      const again = await apply(api, path, { as: "one", object: applied("a", { x: "1", y: "1" }) });
      assert.equal(again.metadata.resourceVersion, reply.body.metadata.resourceVersion);
      const less = await apply(api, path, { as: "one", object: applied("a", { x: "2" }) });
      assert.deepEqual(less.data, { x: "2" });
      const shared = await apply(api, path, { as: "two", object: applied("a", { x: "2", z: "1" }) });
      assert.deepEqual(managersOf(shared), ["one Apply", "two Apply"]);
      const rest = await apply(api, path, { as: "one", object: applied("a", {}) });
      assert.deepEqual(rest.data, { x: "2", z: "1" });
      const nothing = await apply(api, path, {
        as: "two",
        object: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } },
      });
      assert.equal(nothing.data, undefined);
      await api.ok("PATCH", `${path}?fieldManager=one&dryRun=All`, applied("a", { dry: "run" }), APPLY);
      await api.ok("GET", path);
    },
  },
  {
    name: "refuses conflicts of field managers, unless forced",
    async run(api) {
      await api.namespace("conflicts");
      const path = `${CONFIG_MAPS("conflicts")}/a`;
      await apply(api, path, { as: "one", object: applied("a", { x: "1", y: "1", z: "1" }) });
      const refused = await api.refused(
        409,
        "PATCH",
        `${path}?fieldManager=two`,
        applied("a", { x: "2" }),
        APPLY,
      );
      assert.equal(refused.reason, "Conflict");
      assert.equal(refused.details.causes[0].reason, "FieldManagerConflict");
      await api.refused(409, "PATCH", `${path}?fieldManager=two`, applied("a", { x: "2", y: "2" }), APPLY);
      const forced = await apply(api, path, { as: "two", force: true, object: applied("a", { x: "2" }) });
      assert.deepEqual(forced.data, { x: "2", y: "1", z: "1" });
      await api.ok("PATCH", `${path}?fieldManager=hand`, { data: { y: "3" } }, MERGE);
      await api.refused(
        409,
        "PATCH",
        `${path}?fieldManager=one`,
        applied("a", { x: "3", y: "4", z: "1" }),
        APPLY,
      );
      await apply(api, path, { as: "one", object: applied("a", { z: "1" }) });
      await api.ok("PUT", `${path}?fieldManager=put`, applied("a", { z: "2" }));
      await api.refused(409, "PATCH", `${path}?fieldManager=one`, applied("a", { z: "3" }), APPLY);
    },
  },
  {
    name: "refuses what is no configuration",
    accepted: [{ line: /error decoding YAML/, because: "two libraries call broken YAML different names" }],
    async run(api) {
      await api.namespace("wrong-apply");
      const path = `${CONFIG_MAPS("wrong-apply")}/a`;
      const as = `${path}?fieldManager=one`;
      await api.refused(422, "PATCH", path, applied("a", {}), APPLY);
      await api.refused(422, "PATCH", `${path}?fieldManager=${"x".repeat(129)}`, applied("a", {}), APPLY);
      await api.refused(422, "PATCH", `${path}?fieldManager=a%01b`, applied("a", {}), APPLY);
      await api.refused(422, "PATCH", `${path}?force=true`, { data: {} }, MERGE);
      await api.refused(
        422,
        "POST",
        `${CONFIG_MAPS("wrong-apply")}?fieldManager=${"x".repeat(129)}`,
        configMap("a"),
      );
      await api.refused(
        422,
        "POST",
        `${CONFIG_MAPS("wrong-apply")}?fieldValidation=Sometimes`,
        configMap("a"),
      );
      await api.refused(400, "PATCH", as, { metadata: { name: "a" } }, APPLY);
      await api.refused(400, "PATCH", as, { ...applied("a", {}), kind: "Secret" }, APPLY);
      await api.refused(400, "PATCH", as, { ...applied("a", {}), apiVersion: "v2" }, APPLY);
      await api.refused(400, "PATCH", as, applied("b", {}), APPLY);
      await api.refused(400, "PATCH", as, "a: b: c", APPLY);
      await api.refused(400, "PATCH", as, "[1]", APPLY);
      await api.refused(400, "PATCH", as, {
        ...applied("a", {}),
        metadata: { name: "a", managedFields: [{ manager: "x" }] },
      }, APPLY);
      await api.refused(500, "PATCH", as, { ...applied("a", {}), nonsense: 1 }, APPLY);
      await api.refused(500, "PATCH", as, applied("a", { x: 1 }), APPLY);
      await api.refused(500, "PATCH", as, applied("a", { x: { y: "z" } }), APPLY);
      await api.refused(500, "PATCH", as, applied("a", "text"), APPLY);
      await api.refused(404, "GET", path);
    },
  },
  {
    name: "owns what plain writes change",
    async run(api) {
      await api.namespace("owners2");
      const list = CONFIG_MAPS("owners2");
      const path = `${list}/a`;
      const created = await api.ok("POST", `${list}?fieldManager=maker`, configMap("a", { a: "1", b: "1" }));
      assert.deepEqual(managersOf(created), ["maker Update"]);
      await api.ok("PATCH", `${path}?fieldManager=merger`, { data: { b: "2", c: "1" } }, MERGE);
      await api.ok("PATCH", `${path}?fieldManager=json`, [{ op: "remove", path: "/data/c" }], JSON_PATCH);
      await api.ok(
        "PATCH",
        `${path}?fieldManager=strategic`,
        { metadata: { labels: { l: "1" } } },
        STRATEGIC,
      );
      await api.ok("PUT", `${path}?fieldManager=putter`, {
        ...configMap("a", { a: "9" }),
        metadata: { name: "a", labels: { l: "1" } },
      });
      await api.ok("PATCH", path, { data: { agent: "1" } }, {
        ...MERGE,
        "user-agent": "my-agent/v1.2 (linux)",
      });
      await api.ok("PATCH", path, { data: { agent: "2" } }, { ...MERGE, "user-agent": "my-agent" });
      const same = await api.ok("PATCH", `${path}?fieldManager=nobody`, { data: { agent: "2" } }, MERGE);
      assert.ok(!managersOf(same).includes("nobody Update"));
      const cleared = await api.ok("PATCH", path, { metadata: { managedFields: [{}] } }, MERGE);
      assert.equal(cleared.metadata.managedFields, undefined);
      const untracked = await api.ok("PATCH", `${path}?fieldManager=late`, { data: { late: "1" } }, MERGE);
      assert.equal(untracked.metadata.managedFields, undefined);
      const first = await apply(api, path, { as: "first", object: applied("a", { mine: "1" }) });
      assert.deepEqual(managersOf(first), ["before-first-apply Update", "first Apply"]);
      await api.ok("PATCH", path, { metadata: { managedFields: [] } }, MERGE);
      await api.ok("GET", path);
    },
  },
  {
    name: "keeps owners that a client writes, unless they are broken",
    async run(api) {
      await api.namespace("given-owners");
      const path = `${CONFIG_MAPS("given-owners")}/a`;
      await apply(api, path, { as: "one", object: applied("a", { x: "1" }) });
      const entry = {
        manager: "given",
        operation: "Update",
        apiVersion: "v1",
        time: "2024-01-01T00:00:00Z",
        fieldsType: "FieldsV1",
        fieldsV1: { "f:data": { "f:x": {} } },
      };
      await api.ok("PATCH", path, { metadata: { managedFields: [entry] } }, MERGE);
      await api.ok("PATCH", path, { metadata: { managedFields: [{ ...entry, operation: "Guess" }] } }, MERGE);
      await api.ok("PATCH", path, { metadata: { managedFields: [{ ...entry, apiVersion: "" }] } }, MERGE);
      await api.ok("PATCH", path, { metadata: { managedFields: null } }, MERGE);
      await api.ok("GET", path);
    },
  },
  {
    name: "merges lists by their types when applying to built-in kinds",
    accepted: [
      {
        line: /\/deployments.*\.(status|metadata\.(annotations|generation))/,
        because: "the real controllers work on deployments",
      },
    ],
    async run(api) {
      await api.namespace("apply-lists");
      const path = "/apis/apps/v1/namespaces/apply-lists/deployments/a";
      await apply(api, path, {
        as: "one",
        object: deployment({ replicas: 0, selector: { matchLabels: { app: "a" } }, template: TEMPLATE }),
      });
      const sidecar = await apply(api, path, {
        as: "two",
        object: deployment({
          template: {
            spec: {
              containers: [{ name: "side", image: "s:1" }, { name: "one", env: [{ name: "B", value: "2" }] }],
            },
          },
        }),
      });
      assert.equal(sidecar.spec.template.spec.containers.length, 3);
      await api.refused(
        409,
        "PATCH",
        `${path}?fieldManager=two`,
        deployment({
          template: {
            spec: {
              containers: [{
                name: "one",
                image: "i:2",
                ports: [{ containerPort: 80, protocol: "TCP", name: "p" }],
              }],
            },
          },
        }),
        APPLY,
      );
      await apply(api, path, {
        as: "two",
        object: deployment({
          template: {
            spec: { containers: [{ name: "one", ports: [{ containerPort: 80, protocol: "UDP" }] }] },
          },
        }),
      });
      const left = await apply(api, path, {
        as: "one",
        object: deployment({
          replicas: 0,
          selector: { matchLabels: { app: "a" } },
          template: { ...TEMPLATE, spec: { containers: [{ name: "one", image: "i:3" }] } },
        }),
      });
      assert.deepEqual(left.spec.template.spec.containers.map(({ name }: Answer) => name), ["one"]);
      await api.refused(
        422,
        "PATCH",
        `${path}?fieldManager=two`,
        deployment({
          template: { spec: { containers: [{ image: "i" }] } },
        }),
        APPLY,
      );
      await api.refused(
        500,
        "PATCH",
        `${path}?fieldManager=two`,
        deployment({
          template: { spec: { containers: [{ name: "a", image: "i" }, { name: "a", image: "j" }] } },
        }),
        APPLY,
      );
      await api.refused(500, "PATCH", `${path}?fieldManager=two`, deployment({ replicas: "3" }), APPLY);
      await api.refused(500, "PATCH", `${path}?fieldManager=two`, deployment({ typo: 1 }), APPLY);
      await api.refused(500, "PATCH", `${path}?fieldManager=two`, deployment({ paused: "yes" }), APPLY);
      await api.refused(
        500,
        "PATCH",
        `${path}?fieldManager=two`,
        deployment({ template: { spec: { containers: {} } } }),
        APPLY,
      );
    },
  },
  {
    name: "applies services, pods and scales",
    accepted: [
      { line: /\.spec\.tolerations\.[12]/, because: "the admission plugin works on creations only" },
    ],
    async run(api) {
      await api.namespace("apply-more");
      const service = {
        apiVersion: "v1",
        kind: "Service",
        metadata: { name: "s", labels: { a: "1" } },
        spec: { selector: { a: "1" }, ports: [{ name: "http", port: 80 }] },
      };
      const services = "/api/v1/namespaces/apply-more/services/s";
      await apply(api, services, { as: "one", object: service });
      await apply(api, services, {
        as: "one",
        object: {
          ...service,
          spec: { selector: { b: "2" }, ports: [{ name: "http", port: 80 }, { name: "https", port: 443 }] },
        },
      });
      const replicas = "/apis/apps/v1/namespaces/apply-more/replicasets/r";
      await apply(api, replicas, {
        as: "one",
        object: {
          apiVersion: "apps/v1",
          kind: "ReplicaSet",
          metadata: { name: "r" },
          spec: {
            replicas: 0,
            selector: { matchLabels: { app: "r" } },
            template: {
              metadata: { labels: { app: "r" } },
              spec: { containers: [{ name: "c", image: "i" }] },
            },
          },
        },
      });
      await api.ok("PATCH", `/api/v1/namespaces/apply-more/services/s?fieldManager=labels`, {
        metadata: { labels: { x: "y" } },
      }, MERGE);
    },
  },
  {
    name: "applies custom objects by their schema",
    async run(api) {
      const group = "apply.example.com";
      await api.define(databases(group));
      const path = `/apis/${group}/v1/namespaces/default/databases/a`;
      const db = (spec: Answer, more: Answer = {}) => ({ ...database(group, "a", spec), ...more });
      await apply(api, path, {
        as: "one",
        object: db({ engine: "mysql", tags: ["x", "y"], users: [{ name: "u", role: "r" }] }),
      });
      const two = await apply(api, path, {
        as: "two",
        object: db({
          engine: "mysql",
          tags: ["z"],
          users: [{ name: "v" }, { name: "u", role: "r" }],
          labels: { l: "1" },
          free: { a: { b: [1] } },
        }),
      });
      assert.deepEqual(two.spec.tags, ["x", "y", "z"]);
      await api.refused(
        409,
        "PATCH",
        `${path}?fieldManager=two`,
        db({ engine: "postgresql", users: [{ name: "u", role: "s" }] }),
        APPLY,
      );
      await apply(api, path, { as: "one", object: db({ engine: "mysql", tags: ["y"] }) });
      await apply(api, path, { as: "two", object: db({ engine: "mysql", free: { a: { c: 1 } } }) });
      await api.refused(500, "PATCH", `${path}?fieldManager=two`, db({ engine: "mysql", typo: 1 }), APPLY);
      await api.refused(500, "PATCH", `${path}?fieldManager=two`, db({ engine: 1 }), APPLY);
      await api.refused(
        500,
        "PATCH",
        `${path}?fieldManager=two`,
        db({ engine: "mysql", replicas: "1" }),
        APPLY,
      );
      await api.refused(
        500,
        "PATCH",
        `${path}?fieldManager=two`,
        db({ engine: "mysql", tags: ["a", "a"] }),
        APPLY,
      );
      await api.refused(
        500,
        "PATCH",
        `${path}?fieldManager=two`,
        db({ engine: "mysql", users: [{ role: "x" }] }),
        APPLY,
      );
      await api.refused(
        422,
        "PATCH",
        `${path}?fieldManager=two&force=true`,
        db({ engine: "mysql", replicas: 9 }),
        APPLY,
      );
      await api.refused(422, "PATCH", `${path}?fieldManager=two&force=true`, db({ engine: "none" }), APPLY);
      await api.ok("GET", path);
    },
  },
  {
    name: "applies the status apart from the rest",
    async run(api) {
      const group = "applystatus.example.com";
      await api.define(databases(group));
      const path = `/apis/${group}/v1/namespaces/default/databases/a`;
      const object = (more: Answer) => ({
        apiVersion: `${group}/v1`,
        kind: "Database",
        metadata: { name: "a" },
        ...more,
      });
      await api.refused(
        404,
        "PATCH",
        `${path}/status?fieldManager=ctl`,
        object({ status: { state: "x" } }),
        APPLY,
      );
      await apply(api, path, {
        as: "user",
        object: object({ spec: { engine: "mysql" }, status: { state: "ignored" } }),
      });
      const status = await apply(api, `${path}/status`, {
        as: "ctl",
        object: object({ status: { state: "Fine", n: 1 } }),
      });
      assert.deepEqual(status.status, { state: "Fine", n: 1 });
      await apply(api, `${path}/status`, {
        as: "ctl",
        object: object({ spec: { engine: "postgresql" }, status: { state: "Good" } }),
      });
      await api.refused(
        409,
        "PATCH",
        `${path}/status?fieldManager=other`,
        object({ status: { state: "Bad" } }),
        APPLY,
      );
      await api.ok("PATCH", `${path}/status?fieldManager=hand`, { status: { state: "Hand" } }, MERGE);
      await api.refused(
        409,
        "PATCH",
        `${path}/status?fieldManager=ctl`,
        object({ status: { state: "Good" } }),
        APPLY,
      );
      await apply(api, `${path}/status`, {
        as: "ctl",
        force: true,
        object: object({ status: { state: "Good" } }),
      });
      const read = await api.ok("GET", path);
      assert.deepEqual([read.spec.engine, read.status], ["mysql", { state: "Good" }]);
    },
  },
  {
    name: "lets kubectl go from its own apply to the server's",
    async run(api) {
      await api.namespace("kubectl-apply");
      const list = CONFIG_MAPS("kubectl-apply");
      const config = {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { annotations: {}, name: "a", namespace: "kubectl-apply" },
        data: { x: "1" },
      };
      const annotations = {
        "kubectl.kubernetes.io/last-applied-configuration": `${JSON.stringify(config)}\n`,
      };
      const object = { ...config, metadata: { ...config.metadata, annotations } };
      await api.ok("POST", `${list}?fieldManager=kubectl-client-side-apply`, object);
      const path = `${list}/a`;
      await api.refused(409, "PATCH", `${path}?fieldManager=someone`, applied("a", { x: "2" }), APPLY);
      const taken = await apply(api, path, { as: "kubectl", object: applied("a", { x: "2" }) });
      assert.match(taken.metadata.annotations["kubectl.kubernetes.io/last-applied-configuration"], /"x":"2"/);
      await api.ok("PATCH", `${path}?fieldManager=hand`, { data: { x: "3" } }, MERGE);
      await api.refused(409, "PATCH", `${path}?fieldManager=kubectl`, applied("a", { x: "4" }), APPLY);
    },
  },
  {
    name: "merges the oldest owners when there are too many",
    async run(api) {
      await api.namespace("many-owners");
      const list = CONFIG_MAPS("many-owners");
      await api.ok("POST", `${list}?fieldManager=m00`, configMap("a", { k00: "1" }));
      let last: Answer;
      for (let i = 1; i <= 12; i++) {
        const name = String(i).padStart(2, "0");
        last =
          (await api.peek("PATCH", `${list}/a?fieldManager=m${name}`, { data: { [`k${name}`]: "1" } }, MERGE))
            .body;
        await api.pause(1);
      }
      assert.ok(managersOf(last).includes("ancient-changes Update"));
      await api.ok("GET", `${list}/a`);
    },
  },
];
