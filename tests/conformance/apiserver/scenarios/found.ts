/** What the suites of others have found: Kubernetes' own tests of its API, of kubectl, and those of controller-runtime. */

import assert from "node:assert/strict";
import { type Answer, APPLY, MERGE, STRATEGIC } from "../session.ts";
import { database, databases, type Scenario } from "./scenario.ts";

/** A request for a certificate of "user1", as PEM in base64. */
const CSR =
  "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlITE1ISUNBUUF3RURFT01Bd0dBMVVFQXd3RmRYTmxjakV3V1RBVEJnY3Foa2pPUFFJQkJnZ3Foa2pPUFFNQgpCd05DQUFSenRUVXJScTFqOWlDSVFEV2FUejdXWENlM1NvY0ZnaVFXSWliT0s4aEIvYUxuU2s4M0pXaGlUQjJ1CnBLUEQ3dVVZVHp6dEZJUjRsY3habzNybUJsa3ZvQUF3Q2dZSUtvWkl6ajBFQXdJRFNRQXdSZ0loQUtTK1hIaWYKZ3ZtbGNzZk9mKy9sem4rbXZhNW5lcllvNXVJUXBqREdmVDkrQWlFQTY2WmFGR1p4Tm41Mk9jbkt3RXgvZzYrVwpzQ3lqbnE2NCtBV2JDaW1rZGE4PQotLS0tLUVORCBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0K";
const EVENT = {
  regarding: { kind: "ConfigMap", namespace: "found-events", name: "a", uid: "u", apiVersion: "v1" },
  eventTime: "2026-01-01T00:00:00.000000Z",
  reportingController: "one.example.com/c",
  reportingInstance: "one-1",
  action: "Act",
  reason: "Because",
  type: "Normal",
};

export const FOUND: readonly Scenario[] = [
  {
    name: "lists the parts of its health, and answers for each",
    async run(api) {
      for (const path of ["/healthz", "/livez", "/readyz"]) {
        await api.until(async () => (await api.peek("GET", path)).code === 200, `${path} is well`);
        const whole = await api.ok("GET", `${path}?verbose`);
        assert.match(whole, /^\[\+\]ping ok$/m);
        for (const part of ["ping", "etcd", "poststarthook/crd-informer-synced"]) {
          assert.equal(await api.ok("GET", `${path}/${part}`), "ok");
        }
        await api.ok("GET", `${path}?exclude=etcd&exclude=nothing&verbose=1`);
        await api.refused(404, "GET", `${path}/nothing`);
      }
    },
  },
  {
    name: "tells in which version each kind is kept",
    async run(api) {
      const { body } = await api.peek("GET", "/apis");
      const stable = body.groups.flatMap(({ name, versions }: Answer) =>
        versions.map(({ version }: Answer) => `/apis/${name}/${version}`)
      ).filter((path: string) => /(k8s\.io|\/[a-z]+)\/v\d$/.test(path));
      for (const path of ["/api/v1", ...stable.sort()]) {
        const { resources } = (await api.peek("GET", path)).body;
        const kept = resources.filter(({ name, storageVersionHash }: Answer) =>
          storageVersionHash !== undefined && name !== "componentstatuses"
        );
        api.note(
          `kept of ${path}`,
          kept.map(({ name, storageVersionHash }: Answer) => [name, storageVersionHash]).sort(),
        );
      }
    },
  },
  {
    name: "warns of deprecated versions in reads and writes",
    async run(api) {
      const group = "deprecated.found.example.com";
      const [version] = databases(group).spec.versions;
      const old = { ...version, name: "v1beta1", storage: false, deprecated: true };
      await api.define(databases(group, { spec: { versions: [version, old] } }));
      const path = `/apis/${group}/v1beta1/namespaces/default/databases`;
      const object = { ...database(group, "a"), apiVersion: `${group}/v1beta1` };
      const made = await api.call("POST", path, { ...object, unknown: 1 });
      assert.match(made.headers.get("warning") ?? "", /Database is deprecated; use /);
      for (const one of [path, `${path}/a`]) {
        const { headers } = await api.call("GET", one);
        assert.equal(
          headers.get("warning"),
          `299 - "${group}/v1beta1 Database is deprecated; use ${group}/v1 Database"`,
        );
      }
      const { headers } = await api.call("GET", `/apis/${group}/v1/namespaces/default/databases/a`);
      assert.equal(headers.get("warning"), null);
      await api.call("PATCH", `${path}/a`, { spec: { replicas: 2 } }, MERGE);
      await api.call("DELETE", `${path}/a`);
    },
  },
  {
    name: "remembers the revisions that a ReplicaSet had been before it came back",
    async run(api) {
      await api.namespace("found-history");
      const path = "/apis/apps/v1/namespaces/found-history";
      const labels = { app: "a" };
      const template = (image: string) => ({
        metadata: { labels },
        spec: { automountServiceAccountToken: false, containers: [{ name: "c", image }] },
      });
      await api.ok("POST", `${path}/deployments`, {
        metadata: { name: "a" },
        spec: { selector: { matchLabels: labels }, template: template("one") },
      });
      const sets = async () => (await api.peek("GET", `${path}/replicasets`)).body.items;
      const ofImage = async (image: string) =>
        (await sets()).find(({ spec }: Answer) => spec.template.spec.containers[0].image === image)?.metadata
          .annotations ?? {};
      const isAt = async (image: string, revision: string) =>
        (await ofImage(image))["deployment.kubernetes.io/revision"] === revision;
      await api.until(() => isAt("one", "1"), "the first is there");
      for (
        const [image, revision, cause] of [["two", "2", "x"], ["one", "3", "y"], ["two", "4", "z"]] as const
      ) {
        const change = { metadata: { annotations: { cause } }, spec: { template: template(image) } };
        await api.until(
          async () => (await api.peek("PATCH", `${path}/deployments/a`, change, MERGE)).code === 200,
          "the change is taken",
        );
        await api.until(() => isAt(image, revision), `${image} is revision ${revision}`);
      }
      api.note("one", await ofImage("one"));
      const { cause, "deployment.kubernetes.io/revision-history": history } = await ofImage("two");
      assert.deepEqual([cause, history], ["z", "2"]);
      const conditions = async () => (await api.peek("GET", `${path}/deployments/a`)).body.status.conditions;
      const reason = async () =>
        (await conditions()).find(({ type }: Answer) => type === "Progressing").reason;
      // NB: which one stays depends on whether the status was written before the set was scaled: a race.
      const reasons = ["ReplicaSetUpdated", "FoundNewReplicaSet", "NewReplicaSetCreated"];
      await api.until(async () => reasons.includes(await reason()), "the rollout goes on");
    },
  },
  {
    name: "keeps what annotations a workload had with each of its revisions",
    async run(api) {
      await api.namespace("found-revisions");
      const path = "/apis/apps/v1/namespaces/found-revisions";
      const labels = { app: "a" };
      await api.ok("POST", `${path}/daemonsets`, {
        metadata: { name: "a", annotations: { "kubernetes.io/change-cause": "the test" } },
        spec: {
          selector: { matchLabels: labels },
          template: {
            metadata: { labels },
            spec: { automountServiceAccountToken: false, containers: [{ name: "c", image: "i" }] },
          },
        },
      });
      const revisions = async () => (await api.peek("GET", `${path}/controllerrevisions`)).body.items;
      await api.until(async () => (await revisions()).length === 1, "there is a revision");
      const [{ metadata }] = await revisions();
      api.note("annotations of the revision", metadata.annotations);
      assert.equal(metadata.annotations["kubernetes.io/change-cause"], "the test");
    },
  },
  {
    name: "writes for people if they read it with tools of theirs",
    async run(api) {
      const path = "/api/v1/namespaces/default";
      const review = { spec: { user: "bob", resourceAttributes: { verb: "get", resource: "pods" } } };
      const reviews = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
      for (const agent of ["curl/8.0", "Wget/1", "Mozilla/5.0 (X11)", "deno"]) {
        const headers = { "user-agent": agent };
        const lines = async (...ask: [string, string, unknown?]) =>
          (await api.text(ask[0], ask[1], ask[2], headers)).split("\n").length > 2;
        assert.equal(await lines("GET", path), agent !== "deno", agent);
        assert.equal(await lines("GET", `${path}?pretty=true`), true);
        assert.equal(await lines("GET", `${path}?pretty=0`), false);
        assert.equal(await lines("POST", reviews, review), agent !== "deno", agent);
      }
    },
  },
  {
    name: "says who has made a request for a certificate",
    accepted: [{ line: /managedFields/, because: "the real server keeps no owners of such requests" }],
    async run(api) {
      const path = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
      const spec = {
        request: CSR,
        signerName: "example.com/signer",
        usages: ["client auth"],
        username: "nobody",
      };
      const bindings = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings";
      await api.ok("POST", bindings, {
        metadata: { name: "found" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
        subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "user1" }],
      });
      const headers = { "impersonate-user": "user1", "impersonate-group": ",,chameleon,x" };
      const isTaken = async () =>
        (await api.peek("POST", `${path}?dryRun=All`, { metadata: { name: "found" }, spec }, headers))
          .code === 201;
      await api.until(isTaken, "the binding counts");
      const made = await api.ok("POST", path, { metadata: { name: "found" }, spec }, headers);
      assert.equal(made.spec.username, "user1");
      assert.deepEqual(made.spec.groups, [",,chameleon,x", "system:authenticated"]);
      const shown = await api.ok("GET", `${path}/found`);
      assert.equal(shown.spec.username, "user1");
      await api.ok("DELETE", `${path}/found`);
      await api.ok("DELETE", `${bindings}/found`);
    },
  },
  {
    name: "tells what a strategic patch would have to become",
    async run(api) {
      await api.namespace("found-patches");
      const path = "/api/v1/namespaces/found-patches/configmaps";
      await api.ok("POST", path, { metadata: { name: "a" } });
      for (
        const metadata of [{ labels: "text" }, { labels: ["a"] }, { annotations: 1 }, { finalizers: "text" }]
      ) {
        const { code, body } = await api.peek("PATCH", `${path}/a`, { metadata }, STRATEGIC);
        assert.equal(code, 422);
        api.note("the end of the message", body.message.replace(/.*": /s, ""));
        assert.match(body.message, /cannot restore (map|slice) from /);
      }
    },
  },
  {
    name: "minds the version of a new object only when it is written, after all else",
    async run(api) {
      await api.namespace("found-versions");
      const path = "/api/v1/namespaces/found-versions/configmaps";
      const object = (name: string, data: Answer = {}) => ({
        metadata: { name, resourceVersion: "7" },
        data,
      });
      await api.refused(422, "POST", path, object("a", { "no key": "" }));
      await api.refused(422, "POST", path, object("A"));
      await api.refused(500, "POST", path, object("a"));
      const { code } = await api.peek("POST", `${path}?dryRun=All`, object("a"));
      assert.equal(code, 201);
      await api.refused(404, "GET", `${path}/a`);
      for (const [name, resourceVersion] of [["b", "0"], ["c", "none"]]) {
        const made = await api.ok("POST", path, { metadata: { name, resourceVersion } });
        assert.match(made.metadata.resourceVersion, /^[1-9]/);
      }
    },
  },
  {
    name: "selects events by the names that fields have in their group",
    async run(api) {
      await api.namespace("found-events");
      const path = "/apis/events.k8s.io/v1/namespaces/found-events/events";
      await api.ok("POST", path, { metadata: { name: "a" }, ...EVENT });
      await api.ok("POST", path, {
        metadata: { name: "b" },
        ...EVENT,
        regarding: { ...EVENT.regarding, name: "b", fieldPath: "spec.x" },
        reportingController: "two.example.com/c",
      });
      const select = async (selector: string) => {
        const { items } = await api.ok("GET", `${path}?fieldSelector=${encodeURIComponent(selector)}`);
        return items.map(({ metadata }: Answer) => metadata.name);
      };
      assert.deepEqual(await select("reportingController=two.example.com/c"), ["b"]);
      assert.deepEqual(await select("regarding.name=a,reason=Because,type=Normal"), ["a"]);
      assert.deepEqual(await select("regarding.fieldPath!=spec.x,regarding.kind=ConfigMap"), ["a"]);
      assert.deepEqual(await select("regarding.uid=u,regarding.apiVersion=v1"), ["a", "b"]);
      for (const field of ["involvedObject.name", "note", "source", "reportingComponent"]) {
        await api.refused(400, "GET", `${path}?fieldSelector=${field}%3Da`);
      }
    },
  },
  {
    name: "names IP addresses by themselves",
    async run(api) {
      const path = "/apis/networking.k8s.io/v1/ipaddresses";
      const make = (name: string): Answer => ({
        metadata: { name, labels: { found: "1" } },
        spec: { parentRef: { group: "example.com", resource: "things", namespace: "default", name: "a" } },
      });
      for (const name of ["192.0.2.7", "2001:db8::f9e2"]) {
        await api.ok("POST", path, make(name));
        await api.ok("PATCH", `${path}/${name}`, { metadata: { annotations: { a: "1" } } }, MERGE);
        await api.ok("DELETE", `${path}/${name}`);
      }
      for (
        const name of [
          "a",
          "192.0.2",
          "192.0.02.7",
          "2001:DB8::1",
          "2001:db8:0::1",
          "::ffff:192.0.2.7",
          "1.2.3.4.5",
        ]
      ) await api.refused(422, "POST", path, make(name));
    },
  },
  {
    name: "says from which range the addresses of Services come",
    accepted: [
      { line: /managedFields|finalizers/, because: "the real controller manager looks after it as well" },
      { line: /cidrs/, because: "the range is the operator's choice" },
      { line: /message/, because: "the real controller manager says it anew, in words of its own" },
    ],
    async run(api) {
      const range = await api.ok("GET", "/apis/networking.k8s.io/v1/servicecidrs/kubernetes");
      assert.equal(range.status.conditions[0].status, "True");
    },
  },
  {
    name: "counts claims in the scopes of all classes of attributes that they have or want",
    accepted: [{
      line: /finalizers/,
      because: "ours protects claims a moment after their creation, as a controller",
    }],
    async run(api) {
      await api.namespace("found-claims");
      const path = "/api/v1/namespaces/found-claims";
      const classes = ["gold", "silver"];
      for (const name of classes) {
        const selector = { scopeName: "VolumeAttributesClass", operator: "In", values: [name] };
        await api.ok("POST", `${path}/resourcequotas`, {
          metadata: { name },
          spec: { hard: { persistentvolumeclaims: "1" }, scopeSelector: { matchExpressions: [selector] } },
        });
      }
      const used = async (name: string) =>
        (await api.peek("GET", `${path}/resourcequotas/${name}`)).body.status?.used?.persistentvolumeclaims;
      const isUsed = async (...wanted: string[]) =>
        (await Promise.all(classes.map(used))).join() === wanted.join();
      await api.until(() => isUsed("0", "0"), "the quotas are counted");
      const spec = {
        accessModes: ["ReadWriteOnce"],
        storageClassName: "",
        resources: { requests: { storage: "1Gi" } },
      };
      const attributes = { volumeAttributesClassName: "gold" };
      await api.ok("POST", `${path}/persistentvolumeclaims`, {
        metadata: { name: "a" },
        spec: { ...spec, ...attributes, volumeName: "found-volume" },
      });
      await api.peek("POST", "/api/v1/persistentvolumes", {
        metadata: { name: "found-volume" },
        spec: {
          accessModes: spec.accessModes,
          capacity: { storage: "1Gi" },
          csi: { driver: "example.com", volumeHandle: "v" },
          ...attributes,
        },
      });
      const claim = `${path}/persistentvolumeclaims/a`;
      const isBound = async () => (await api.peek("GET", claim)).body.status.phase === "Bound";
      await api.until(isBound, "the claim is bound");
      const { status } = await api.ok("GET", claim);
      assert.equal(status.currentVolumeAttributesClassName, "gold");
      await api.until(() => isUsed("1", "0"), "gold is counted");
      const wish = { spec: { volumeAttributesClassName: "silver" } };
      await api.until(async () => (await api.peek("PATCH", claim, wish, MERGE)).code === 200, "it is taken");
      await api.until(() => isUsed("1", "1"), "both are counted");
      const other = { metadata: { name: "b" }, spec: { ...spec, ...attributes } };
      await api.refused(403, "POST", `${path}/persistentvolumeclaims`, other);
      const done = { status: { currentVolumeAttributesClassName: "silver" } };
      await api.peek("PATCH", `${claim}/status`, done, MERGE);
      await api.until(() => isUsed("0", "1"), "silver alone is counted");
    },
  },
  {
    name: "takes a Pod as it was sent at first in place of what it has become",
    async run(api) {
      await api.namespace("found-pods");
      const path = "/api/v1/namespaces/found-pods/pods";
      const pod = (labels: Answer) => ({
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "a", labels },
        spec: {
          serviceAccountName: "default",
          automountServiceAccountToken: false,
          containers: [{ name: "c", image: "i" }],
          volumes: [{ name: "empty" }],
        },
      });
      const accounts = "/api/v1/namespaces/found-pods/serviceaccounts/default";
      await api.until(async () => (await api.peek("GET", accounts)).code === 200, "there is an account");
      const made = await api.ok("POST", path, pod({ a: "1" }));
      assert.deepEqual(made.spec.volumes, [{ name: "empty", emptyDir: {} }]);
      const replaced = await api.ok("PUT", `${path}/a`, pod({ a: "2" }));
      assert.deepEqual(replaced.spec, made.spec);
      const { spec, ...rest } = pod({ a: "3" });
      // The real server says at length what differs.
      const refused = await api.peek("PUT", `${path}/a`, { ...rest, spec: { ...spec, priority: 7 } });
      assert.equal(refused.code, 422);
    },
  },
  {
    name: "gives namespaces and claims a phase if their status is written without one",
    async run(api) {
      await api.namespace("found-phase");
      const path = "/api/v1/namespaces/found-phase";
      const { body } = await api.peek("GET", path);
      const conditions = [{ type: "NamespaceDeletionContentFailure", status: "Unknown", message: "a" }];
      const put = await api.ok("PUT", `${path}/status`, { ...body, status: { conditions } });
      assert.equal(put.status.phase, "Active");
      await api.ok("PATCH", `${path}/status`, { status: { phase: null } }, MERGE);
      await api.ok("GET", path);
      const claim = {
        metadata: { name: "a" },
        spec: {
          accessModes: ["ReadWriteOnce"],
          resources: { requests: { storage: "1" } },
          storageClassName: "nobodys",
        },
      };
      const claims = `${path}/persistentvolumeclaims`;
      // NB: claims are protected by a finalizer there.
      assert.equal((await api.peek("POST", claims, claim)).code, 201);
      const told = await api.peek("PATCH", `${claims}/a/status`, { status: { phase: null } }, MERGE);
      assert.equal(told.body.status.phase, "Pending");
    },
  },
  {
    name:
      "notes the requester of a certificate in place of what the object claims, and gives the spec to no manager",
    async run(api) {
      const path = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
      const object = (name: string) => ({
        apiVersion: "certificates.k8s.io/v1",
        kind: "CertificateSigningRequest",
        metadata: { name },
        spec: {
          request: CSR,
          signerName: "example.com/signer",
          usages: ["client auth"],
          username: "b",
          uid: "1",
        },
      });
      const { username: _username, ...unclaimed } = object("").spec;
      const posted = await api.peek("POST", path, object("found-a"));
      const applied = await api.peek(
        "PATCH",
        `${path}/found-b?fieldManager=me`,
        { ...object("found-b"), spec: unclaimed },
        APPLY,
      );
      for (const { code, body } of [posted, applied]) {
        assert.equal(code, 201, JSON.stringify(body));
        assert.ok(body.spec.groups.includes("system:authenticated"));
        assert.notEqual(body.spec.username, "b");
        assert.notEqual(body.spec.uid, "1");
        api.note("its managers", body.metadata.managedFields);
      }
    },
  },
  {
    name: "gives no default to an empty list of scaling policies, and refuses it",
    async run(api) {
      await api.namespace("found-scaling");
      const path = "/apis/autoscaling/v2/namespaces/found-scaling/horizontalpodautoscalers";
      for (const direction of ["scaleUp", "scaleDown"]) {
        await api.refused(422, "POST", path, {
          metadata: { name: "a" },
          spec: {
            scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "a" },
            maxReplicas: 2,
            behavior: { [direction]: { policies: [] } },
          },
        });
      }
    },
  },
  {
    name: "treats custom kinds that are named like built-in ones as custom",
    async run(api) {
      const group = "found-names.example.com";
      await api.define(definition(group, { kind: "Deployment", schema: { type: "object", ...PRESERVE } }));
      const path = `/apis/${group}/v1/namespaces/default/deployments`;
      const object = {
        apiVersion: `${group}/v1`,
        kind: "Deployment",
        metadata: { name: "a" },
        spec: { a: 1 },
      };
      assert.equal((await api.ok("POST", path, object)).metadata.generation, 1);
      const annotated = await api.ok("PATCH", `${path}/a`, { metadata: { annotations: { a: "1" } } }, MERGE);
      assert.equal(annotated.metadata.generation, 1);
      assert.equal((await api.ok("PATCH", `${path}/a`, { spec: { a: 2 } }, MERGE)).metadata.generation, 2);
    },
  },
  {
    name: "refuses a type that is none, with and without a default",
    async run(api) {
      for (const field of [{ type: "number5" }, { type: "number5", default: 1 }]) {
        const schema = { type: "object", properties: { a: field } };
        const wrong = definition("found-types.example.com", { kind: "Thing", schema });
        await api.refused(422, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", wrong);
      }
    },
  },
  {
    name: "tells what is missing and what is out of range in one order",
    async run(api) {
      const group = "found-order.example.com";
      const number = { type: "integer", maximum: 3 };
      const schema = {
        type: "object",
        required: ["z"],
        properties: {
          z: number,
          spec: { type: "object", required: ["a", "c"], properties: { a: number, b: number, c: number } },
        },
      };
      await api.define(definition(group, { kind: "Thing", schema }));
      const object = { apiVersion: `${group}/v1`, kind: "Thing", metadata: { name: "a" }, spec: { b: 5 } };
      await api.refused(422, "POST", `/apis/${group}/v1/namespaces/default/things`, object);
    },
  },
];

const PRESERVE = { "x-kubernetes-preserve-unknown-fields": true };

function definition(
  group: string,
  { kind, schema }: { readonly kind: string; readonly schema: Answer },
): Answer {
  const plural = `${kind.toLowerCase()}s`;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural, kind, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  };
}
