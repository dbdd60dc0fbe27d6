/** What client-go, kubectl and Kubernetes' own tests of its API machinery lean on: pages, versions, bookmarks, names, dry runs. */

import assert from "node:assert/strict";
import { type Answer, APPLY, JSON_PATCH, MERGE, TABLE } from "../session.ts";
import { configMap, database, databases, type Scenario } from "./scenario.ts";

const PARTIAL = { accept: "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json" };
const PARTIAL_LIST = {
  accept: "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json",
};

function names(list: Answer): string[] {
  return list.items.map(({ metadata }: Answer) => metadata.name);
}

const BROKEN = {
  line: /error decoding patch|json parse error|strconv|cannot be handled as|decoding|couldn't get version/,
  because: "the reasons are those of a Go decoder",
};

export const MACHINERY: readonly Scenario[] = [
  {
    name: "pages through custom objects, and says how many are left",
    async run(api) {
      const group = "pages.machinery.example.com";
      await api.define(databases(group));
      const path = `/apis/${group}/v1/namespaces/default/databases`;
      for (const name of ["a", "b", "c", "d", "e"]) await api.ok("POST", path, database(group, name));
      const first = await api.ok("GET", `${path}?limit=2`);
      assert.equal(first.metadata.remainingItemCount, 3);
      const token = encodeURIComponent(first.metadata.continue);
      await api.ok("DELETE", `${path}/d`);
      const second = await api.ok("GET", `${path}?limit=2&continue=${token}`);
      assert.deepEqual([names(second), second.metadata.remainingItemCount], [["c", "d"], 1]);
      await api.ok("GET", `${path}?limit=10`);
      await api.ok("GET", `${path}?limit=0`);
      await api.refused(400, "GET", `${path}?limit=x`);
      await api.refused(400, "GET", `${path}?limit=2&continue=${token}&resourceVersion=5`);
      await api.refused(422, "GET", `${path}?limit=2&continue=${token}&resourceVersionMatch=Exact`);
    },
  },
  {
    name: "matches versions as the options of a list say",
    async run(api) {
      await api.namespace("matching");
      const path = "/api/v1/namespaces/matching/secrets";
      const { metadata: { resourceVersion: first } } = await api.ok("POST", path, {
        metadata: { name: "a" },
      });
      const { metadata: { resourceVersion: second } } = await api.ok("POST", path, {
        metadata: { name: "b" },
      });
      const exact = (version: string) =>
        api.ok("GET", `${path}?resourceVersion=${version}&resourceVersionMatch=Exact`);
      assert.deepEqual(names(await exact(first)), ["a"]);
      assert.deepEqual(names(await exact(second)), ["a", "b"]);
      const notOlder = await api.ok(
        "GET",
        `${path}?resourceVersion=${first}&resourceVersionMatch=NotOlderThan`,
      );
      assert.deepEqual(names(notOlder), ["a", "b"]);
      assert.deepEqual(names(await api.ok("GET", `${path}?resourceVersion=${first}&limit=5`)), ["a"]);
      await api.refused(422, "GET", `${path}?resourceVersion=${first}&resourceVersionMatch=Newest`);
      await api.refused(422, "GET", `${path}?resourceVersionMatch=NotOlderThan`);
    },
  },
  {
    name: "refuses options of watches that do not go together",
    async run(api) {
      const path = "/api/v1/namespaces/default/configmaps";
      await api.refused(422, "GET", `${path}?watch=1&resourceVersionMatch=NotOlderThan`);
      await api.refused(422, "GET", `${path}?watch=1&sendInitialEvents=true`);
      await api.refused(422, "GET", `${path}?watch=1&sendInitialEvents=true&resourceVersionMatch=Exact`);
      await api.refused(422, "GET", `${path}?sendInitialEvents=true&resourceVersionMatch=NotOlderThan`);
    },
  },
  {
    name: "watches on from the end of a streamed list",
    async run(api) {
      await api.namespace("streamed");
      const path = "/api/v1/namespaces/streamed/secrets";
      await api.ok("POST", path, { metadata: { name: "a" } });
      const query =
        "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
      const watch = await api.watch(`${path}?${query}`, PARTIAL);
      const [added, end] = await watch.take(2);
      assert.deepEqual([added.type, end.type], ["ADDED", "BOOKMARK"]);
      assert.equal(end.object.metadata.annotations["k8s.io/initial-events-end"], "true");
      watch.ignoreBookmarks();
      await api.ok("PATCH", `${path}/a`, { metadata: { labels: { x: "y" } } }, MERGE);
      await api.ok("DELETE", `${path}/a`);
      const types = (await watch.take(2)).map(({ type }: Answer) => type);
      assert.deepEqual(types, ["MODIFIED", "DELETED"]);
      await watch.stop();
      const none = await api.watch(
        `${path}?watch=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan`,
      );
      await api.ok("POST", path, { metadata: { name: "b" } });
      await none.take(1);
      await none.stop();
    },
  },
  {
    name: "watches metadata alone, and tables",
    accepted: [{ line: /columnDefinitions\.\d\.description/, because: "descriptions are left out" }],
    async run(api) {
      await api.namespace("shapes");
      const path = "/api/v1/namespaces/shapes/secrets";
      const made = await api.ok("POST", path, {
        metadata: { name: "a", labels: { l: "1" } },
        stringData: { a: "b" },
      });
      await api.ok("GET", `${path}/a`, undefined, PARTIAL);
      await api.ok("GET", path, undefined, PARTIAL_LIST);
      await api.ok("PATCH", `${path}/a`, { metadata: { labels: { m: "2" } } }, { ...MERGE, ...PARTIAL });
      const from = `watch=1&resourceVersion=${made.metadata.resourceVersion}`;
      for (const headers of [PARTIAL, TABLE]) {
        const watch = await api.watch(`${path}?${from}`, headers);
        await watch.take(1);
        await watch.stop();
      }
      await api.ok("GET", `${path}?includeObject=None`, undefined, TABLE);
      await api.ok("GET", `${path}/a?includeObject=Object`, undefined, TABLE);
      await api.ok("DELETE", `${path}/a`, undefined, PARTIAL);
    },
  },
  {
    name: "shortens generated names, and refuses names that cannot be",
    accepted: [
      { line: /step 1|A_/, because: "generated names are random" },
    ],
    async run(api) {
      await api.namespace("naming");
      const path = "/api/v1/namespaces/naming/configmaps";
      const made = await api.ok("POST", path, { metadata: { generateName: "x".repeat(70) } });
      assert.equal(made.metadata.name.length, 63);
      await api.refused(422, "POST", path, { metadata: { generateName: "A_" } });
      await api.refused(422, "POST", path, { metadata: { name: "x".repeat(254) } });
      await api.refused(422, "POST", path, { metadata: { name: "a/b" } });
      await api.refused(422, "POST", "/api/v1/namespaces", { metadata: { name: "x".repeat(64) } });
      await api.ok("POST", "/api/v1/namespaces/naming/services", {
        metadata: { name: "1a" },
        spec: { ports: [{ port: 1 }] },
      });
    },
  },
  {
    name: "tries changes, deletions and applies without doing them",
    async run(api) {
      await api.namespace("trying");
      const path = "/api/v1/namespaces/trying/configmaps";
      const made = await api.ok("POST", path, configMap("a"));
      await api.ok("PUT", `${path}/a?dryRun=All`, { ...made, data: { a: "2" } });
      await api.ok("PATCH", `${path}/a?dryRun=All`, { data: { a: "3" } }, MERGE);
      await api.ok("PATCH", `${path}/a?dryRun=All&fieldManager=m&force=true`, {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "a" },
        data: { a: "4" },
      }, APPLY);
      await api.ok(
        "PATCH",
        `${path}/new?dryRun=All&fieldManager=m`,
        { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "new" } },
        APPLY,
      );
      await api.ok("DELETE", `${path}/a`, { dryRun: ["All"] });
      const now = await api.ok("GET", `${path}/a`);
      assert.deepEqual([now.data, now.metadata.resourceVersion], [{ a: "1" }, made.metadata.resourceVersion]);
      await api.refused(404, "GET", `${path}/new`);
      await api.refused(422, "PATCH", `${path}/a?dryRun=some`, {}, MERGE);
      await api.refused(422, "DELETE", `${path}/a?dryRun=some`);
      await api.refused(409, "POST", `${path}?dryRun=All`, configMap("a"));
    },
  },
  {
    name: "refuses unknown and double fields in patches of each type",
    accepted: [BROKEN, { line: /fieldValidation=Strict/, because: "Go writes keys in its own order" }],
    async run(api) {
      const group = "strict.machinery.example.com";
      await api.define(databases(group));
      const path = `/apis/${group}/v1/namespaces/default/databases`;
      await api.ok("POST", path, database(group, "a"));
      const strict = `${path}/a?fieldValidation=Strict`;
      await api.refused(422, "PATCH", strict, { spec: { typo: 1 } }, MERGE);
      await api.refused(422, "PATCH", strict, [{ op: "add", path: "/spec/typo", value: 1 }], JSON_PATCH);
      await api.call("PATCH", `${strict}&fieldManager=m`, {
        apiVersion: `${group}/v1`,
        kind: "Database",
        metadata: { name: "a" },
        spec: { engine: "mysql", typo: 1 },
      }, APPLY);
      await api.ok("PATCH", `${path}/a?fieldValidation=Warn`, { spec: { typo: 1 } }, MERGE);
      await api.ok("PATCH", `${path}/a?fieldValidation=Ignore`, { spec: { typo: 1 } }, MERGE);
      await api.refused(422, "PATCH", `${path}/a?fieldValidation=Never`, {}, MERGE);
      await api.ok("GET", `${path}/a`);
    },
  },
  {
    name: "refuses patches that are broken, and tells why",
    accepted: [BROKEN],
    async run(api) {
      await api.namespace("broken");
      const path = "/api/v1/namespaces/broken/configmaps";
      await api.ok("POST", path, configMap("a"));
      const one = `${path}/a`;
      await api.refused(400, "PATCH", one, "{", MERGE);
      await api.refused(400, "PATCH", one, "[]", MERGE);
      await api.refused(400, "PATCH", one, "{}", JSON_PATCH);
      await api.refused(422, "PATCH", one, [{ op: "test", path: "/data/a", value: "9" }], JSON_PATCH);
      await api.refused(422, "PATCH", one, [{ op: "remove", path: "/data/zzz" }], JSON_PATCH);
      await api.refused(422, "PATCH", one, [{ op: "replace", path: "/nothing/here", value: 1 }], JSON_PATCH);
      await api.refused(415, "PATCH", one, {}, { "content-type": "application/json" });
      await api.refused(404, "PATCH", `${path}/b`, {}, MERGE);
      await api.refused(404, "PATCH", `${path}/b`, [], JSON_PATCH);
      await api.refused(409, "PATCH", one, { metadata: { resourceVersion: "1" } }, MERGE);
      await api.refused(400, "PATCH", one, { metadata: { namespace: "other" } }, MERGE);
    },
  },
  {
    name: "deletes collections with options, and leaves what has finalizers",
    accepted: [{
      line: /items\.\d+\.metadata\.(deletion|generation)/,
      because: "the real one deletes in parallel",
    }],
    async run(api) {
      await api.namespace("cleared");
      const path = "/api/v1/namespaces/cleared/secrets";
      for (const name of ["a", "b"]) await api.ok("POST", path, { metadata: { name } });
      await api.ok("POST", path, { metadata: { name: "c", finalizers: ["example.com/f"] } });
      await api.ok("DELETE", `${path}?fieldSelector=metadata.name=a`);
      assert.deepEqual(names(await api.ok("GET", path)), ["b", "c"]);
      await api.ok("DELETE", path, { dryRun: ["All"] });
      assert.deepEqual(names(await api.ok("GET", path)), ["b", "c"]);
      await api.refused(422, "DELETE", `${path}?propagationPolicy=Sideways`);
      await api.call("DELETE", `${path}?labelSelector=a`, { propagationPolicy: "Background" });
      await api.peek("DELETE", path);
      const left = await api.ok("GET", path);
      assert.ok(left.items[0].metadata.deletionTimestamp);
      await api.ok("PATCH", `${path}/c`, { metadata: { finalizers: null } }, MERGE);
      assert.deepEqual(names(await api.ok("GET", path)), []);
    },
  },
  {
    name: "refuses deletions that are not meant for what there is",
    accepted: [BROKEN],
    async run(api) {
      await api.namespace("meant");
      const path = "/api/v1/namespaces/meant/configmaps";
      const made = await api.ok("POST", path, configMap("a"));
      await api.refused(409, "DELETE", `${path}/a`, {
        preconditions: { uid: "00000000-0000-0000-0000-000000000000" },
      });
      await api.refused(409, "DELETE", `${path}/a`, { preconditions: { resourceVersion: "1" } });
      await api.refused(422, "DELETE", `${path}/a?propagationPolicy=Sideways`);
      await api.refused(422, "DELETE", `${path}/a`, { propagationPolicy: "Orphan", orphanDependents: true });
      await api.call("DELETE", `${path}/a`, "nonsense");
      await api.ok("DELETE", `${path}/a`, {
        preconditions: { uid: made.metadata.uid, resourceVersion: made.metadata.resourceVersion },
      });
    },
  },
  {
    name: "selects by fields of built-in kinds, and refuses others",
    async run(api) {
      await api.namespace("fields");
      const pods = "/api/v1/namespaces/fields/pods";
      const pod = (name: string, spec: Answer) => ({
        metadata: { name },
        spec: { automountServiceAccountToken: false, containers: [{ name: "c", image: "i" }], ...spec },
      });
      await api.ok("POST", pods, pod("a", { nodeName: "x" }));
      await api.ok("POST", pods, pod("b", { restartPolicy: "Never" }));
      const select = async (selector: string) =>
        names(await api.ok("GET", `${pods}?fieldSelector=${encodeURIComponent(selector)}`));
      assert.deepEqual(await select("spec.nodeName=x"), ["a"]);
      assert.deepEqual(await select("spec.nodeName="), ["b"]);
      assert.deepEqual(await select("spec.restartPolicy=Never,status.phase=Pending"), ["b"]);
      assert.deepEqual(await select("status.phase!=Pending"), []);
      await api.refused(400, "GET", `${pods}?fieldSelector=spec.hostname%3Dx`);
      await api.refused(400, "GET", `${pods}?fieldSelector=nonsense`);
      await api.refused(400, "GET", "/apis/apps/v1/deployments?fieldSelector=spec.replicas%3D1");
      await api.ok("GET", "/api/v1/namespaces?fieldSelector=status.phase%3DActive,metadata.name%3Dfields");
      await api.ok("DELETE", `${pods}/a?gracePeriodSeconds=0`);
    },
  },
  {
    name: "refuses labels selectors that cannot be read",
    accepted: [{
      line: /unable to parse requirement|found|expected|couldn't parse/,
      because: "the parser's words",
    }],
    async run(api) {
      const path = "/api/v1/namespaces/default/configmaps";
      for (const selector of ["a in", "a in ()", "(a)", "a=b c", "a,,b", "=x", "a in (b", "-a", "a=%2F"]) {
        await api.call("GET", `${path}?labelSelector=${encodeURIComponent(selector)}`);
      }
    },
  },
  {
    name: "refuses a timeout that is none, and takes one that is",
    async run(api) {
      const path = "/api/v1/namespaces/default/configmaps";
      await api.refused(400, "GET", `${path}/x?timeout=abc`);
      await api.refused(400, "GET", "/version?timeout=abc");
      await api.refused(400, "POST", `${path}?timeout=-`, configMap("timely"));
      await api.ok("POST", `${path}?timeout=10s`, configMap("timely"));
      await api.ok("GET", `${path}/timely?timeout=1m`);
      await api.ok("DELETE", `${path}/timely?timeout=5s`);
    },
  },
  {
    name: "creates by PUT only kinds that may be made so",
    async run(api) {
      await api.namespace("put");
      const lease = "/apis/coordination.k8s.io/v1/namespaces/put/leases/a";
      await api.ok("PUT", lease, { metadata: { name: "a" }, spec: { holderIdentity: "x" } });
      await api.refused(404, "PUT", "/api/v1/namespaces/put/configmaps/a", configMap("a"));
      await api.refused(422, "PUT", lease, { metadata: { name: "a" }, spec: { holderIdentity: "y" } });
      await api.ok("PUT", "/api/v1/namespaces/put/endpoints/a", { metadata: { name: "a" }, subsets: [] });
    },
  },
  {
    name: "answers unknown paths, methods and subresources",
    accepted: [{ line: /404 page not found|the server could not find/, because: "text of the mux" }],
    async run(api) {
      const path = "/api/v1/namespaces/default/configmaps";
      for (
        const unknown of [
          "/api/v2/pods",
          "/apis/nowhere.example.com",
          "/apis/nowhere.example.com/v1",
          "/apis/apps/v9/deployments",
          "/apis/apps/v1/nothings",
        ]
      ) {
        await api.refused(404, "GET", unknown);
      }
      await api.refused(404, "GET", `${path}/a/nothing`);
      await api.refused(405, "POST", `${path}/a`, configMap("a"));
      await api.refused(405, "PUT", path, configMap("a"));
      await api.refused(405, "PATCH", path, {}, MERGE);
      await api.refused(405, "DELETE", "/api/v1/namespaces");
      await api.refused(405, "POST", "/api/v1/configmaps", configMap("a"));
      await api.refused(404, "GET", "/api/v1/namespaces/default/nodes");
    },
  },
  {
    name: "keeps finalizers, propagation and owners in their order of precedence",
    async run(api) {
      await api.namespace("precedence");
      const path = "/api/v1/namespaces/precedence/configmaps";
      const make = (name: string, metadata: Answer = {}) =>
        api.ok("POST", path, { metadata: { name, ...metadata } });
      const owner = await make("owner");
      const reference = {
        apiVersion: "v1",
        kind: "ConfigMap",
        name: "owner",
        uid: owner.metadata.uid,
        blockOwnerDeletion: true,
        controller: true,
      };
      await make("child", { ownerReferences: [reference] });
      await make("keeps", { ownerReferences: [reference], finalizers: ["example.com/f"] });
      const deleted = await api.ok("DELETE", `${path}/owner`, { propagationPolicy: "Foreground" });
      assert.deepEqual(deleted.metadata.finalizers, ["foregroundDeletion"]);
      const gone = async (name: string) => (await api.peek("GET", `${path}/${name}`)).code === 404;
      await api.until(() => gone("child"), "the child is gone");
      assert.equal(await gone("owner"), false);
      await api.ok("PATCH", `${path}/keeps`, { metadata: { finalizers: null } }, MERGE);
      await api.until(() => gone("owner"), "the owner is gone");
    },
  },
  {
    name: "collects circles of owners when nobody else holds them",
    async run(api) {
      await api.namespace("circles");
      const path = "/api/v1/namespaces/circles/configmaps";
      const a = await api.ok("POST", path, { metadata: { name: "a" } });
      const reference = ({ metadata }: Answer) => ({
        apiVersion: "v1",
        kind: "ConfigMap",
        name: metadata.name,
        uid: metadata.uid,
        blockOwnerDeletion: true,
      });
      const b = await api.ok("POST", path, { metadata: { name: "b", ownerReferences: [reference(a)] } });
      await api.ok("PATCH", `${path}/a`, { metadata: { ownerReferences: [reference(b)] } }, MERGE);
      await api.pause(2);
      await api.ok("GET", `${path}/a`);
      await api.ok("DELETE", `${path}/a`, { propagationPolicy: "Foreground" });
      const gone = async (name: string) => (await api.peek("GET", `${path}/${name}`)).code === 404;
      await api.until(async () => await gone("a") && await gone("b"), "both are gone");
    },
  },
  {
    name: "applies the scale of a Deployment with an owner of its own",
    accepted: [
      { line: /\.status|generation|annotations/, because: "the real controller works on it" },
      { line: /using autoscaling\/v1/, because: "owners are called by the version of the object" },
      { line: /managedFields/, because: "owners of the scale are shown by the version of the object" },
    ],
    async run(api) {
      await api.namespace("scaled");
      const path = "/apis/apps/v1/namespaces/scaled/deployments";
      await api.ok("POST", path, {
        metadata: { name: "a" },
        spec: {
          replicas: 0,
          selector: { matchLabels: { a: "1" } },
          template: { metadata: { labels: { a: "1" } }, spec: { containers: [{ name: "c", image: "i" }] } },
        },
      });
      const scale = (replicas: number) => ({
        apiVersion: "autoscaling/v1",
        kind: "Scale",
        metadata: { name: "a", namespace: "scaled" },
        spec: { replicas },
      });
      await api.refused(409, "PATCH", `${path}/a/scale?fieldManager=hpa`, scale(0 + 1), APPLY);
      const scaled = await api.ok("PATCH", `${path}/a/scale?fieldManager=hpa&force=true`, scale(1), APPLY);
      assert.equal(scaled.spec.replicas, 1);
      const { metadata } = await api.ok("GET", `${path}/a`);
      assert.ok(
        metadata.managedFields.some(({ manager, subresource }: Answer) =>
          manager === "hpa" && subresource === "scale"
        ),
      );
      await api.refused(422, "PATCH", `${path}/a/scale?fieldManager=hpa&force=true`, scale(-1), APPLY);
    },
  },
  {
    name: "defends the fields of the server in every write",
    async run(api) {
      const group = "system.machinery.example.com";
      await api.define(databases(group));
      const path = `/apis/${group}/v1/namespaces/default/databases`;
      const made = await api.ok("POST", path, database(group, "a"));
      const change = (metadata: Answer) => api.call("PATCH", `${path}/a`, { metadata }, MERGE);
      await change({ uid: "00000000-0000-0000-0000-000000000000" });
      await change({ generation: 77 });
      await change({ creationTimestamp: "2001-01-01T00:00:00Z" });
      await change({ deletionTimestamp: "2001-01-01T00:00:00Z" });
      await change({ selfLink: "/x" });
      await change({ generateName: "x-" });
      await change({ managedFields: [{}] });
      const now = await api.ok("GET", `${path}/a`);
      assert.deepEqual([now.metadata.uid, now.metadata.generation], [made.metadata.uid, 1]);
    },
  },
  {
    name: "keeps the status out of the object's writes, and the rest out of the status'",
    async run(api) {
      const group = "parts.machinery.example.com";
      await api.define(databases(group));
      const path = `/apis/${group}/v1/namespaces/default/databases`;
      await api.ok("POST", path, { ...database(group, "a"), status: { state: "no" } });
      await api.ok("PATCH", `${path}/a`, { status: { state: "no" } }, MERGE);
      await api.ok("PATCH", `${path}/a/status`, {
        status: { state: "yes" },
        spec: { replicas: 5 },
        metadata: { labels: { l: "1" }, annotations: { a: "1" }, finalizers: ["example.com/f"] },
      }, MERGE);
      await api.ok(
        "PATCH",
        `${path}/a/status`,
        [{ op: "replace", path: "/status/state", value: "more" }],
        JSON_PATCH,
      );
      await api.refused(422, "PATCH", `${path}/a/status`, [{
        op: "test",
        path: "/status/state",
        value: "less",
      }], JSON_PATCH);
      await api.ok("GET", `${path}/a`);
      await api.refused(405, "DELETE", `${path}/a/status`);
      await api.refused(405, "POST", `${path}/a/status`, database(group, "a"));
    },
  },
];
