/** What few clients still say, and all servers understand: old paths and parameters, repeated owners, short patience. */

import assert from "node:assert/strict";
import { type Answer, APPLY, MERGE } from "../session.ts";
import { configMap, database, databases, type Scenario } from "./scenario.ts";

const REGISTRATION = "/apis/admissionregistration.k8s.io/v1";
const OLD_TABLE = { accept: "application/json;as=Table;v=v1beta1;g=meta.k8s.io" };
const owner = (uid: string, more: Answer = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  name: "p",
  uid,
  ...more,
});

export const OLD_WAYS: readonly Scenario[] = [
  {
    name: "watches by paths with /watch/ in them",
    async run(api) {
      await api.namespace("old-watches");
      const path = "/api/v1/namespaces/old-watches/configmaps";
      for (const name of ["a", "b"]) await api.ok("POST", path, configMap(name));
      const one = await api.watch("/api/v1/watch/namespaces/old-watches/configmaps/a?resourceVersion=0");
      const namespace = await api.watch("/api/v1/watch/namespaces/old-watches?timeoutSeconds=60");
      const labelled = await api.watch("/api/v1/watch/configmaps?labelSelector=old%3Dwatches");
      await api.ok(
        "PATCH",
        `${path}/a`,
        { data: { a: "2" }, metadata: { labels: { old: "watches" } } },
        MERGE,
      );
      await api.ok("PATCH", `${path}/b`, { data: { a: "2" } }, MERGE);
      assert.deepEqual((await one.take(2)).map(({ type }) => type), ["ADDED", "MODIFIED"]);
      assert.equal((await namespace.take(1))[0].object.metadata.name, "old-watches");
      assert.equal((await labelled.take(1))[0].type, "ADDED");
      for (const watch of [one, namespace, labelled]) {
        assert.equal(watch.left, 0);
        await watch.stop();
      }
      await api.refused(404, "GET", "/api/v1/watch/nothings");
      await api.refused(405, "POST", "/api/v1/watch/namespaces/old-watches/configmaps", configMap("c"));
    },
  },
  {
    name: "exports nothing any more, and knows the core group by its empty name",
    async run(api) {
      const path = "/api/v1/namespaces/default";
      for (const value of ["true", "1", ""]) await api.refused(400, "GET", `${path}?export=${value}`);
      for (const value of ["false", "0"]) {
        assert.equal((await api.peek("GET", `${path}?export=${value}`)).code, 200);
      }
      assert.equal((await api.peek("GET", "/api/v1/namespaces?export=true")).code, 200);
      // The core group may be called by its empty name.
      const object = { ...configMap("old-version"), apiVersion: "/v1" };
      await api.ok("POST", `${path}/configmaps?dryRun=All`, object);
    },
  },
  {
    name: "shows rows of old tables with old metadata",
    accepted: [{ line: /columnDefinitions.*description/, because: "columns are described in fewer words" }],
    async run(api) {
      await api.namespace("old-tables");
      const path = "/api/v1/namespaces/old-tables/configmaps";
      await api.ok("POST", path, configMap("a"));
      const table = await api.ok("GET", `${path}/a`, undefined, OLD_TABLE);
      assert.equal(table.rows[0].object.apiVersion, "meta.k8s.io/v1beta1");
      await api.ok("GET", `${path}/a?includeObject=Object`, undefined, OLD_TABLE);
      const watch = await api.watch(
        `${path}?watch=1&resourceVersion=0&fieldSelector=metadata.name%3Da`,
        OLD_TABLE,
      );
      const [event] = await watch.take(1);
      assert.equal(event.object.rows[0].object.apiVersion, "meta.k8s.io/v1beta1");
      await watch.stop();
    },
  },
  {
    name: "answers 202 where what shall cascade stays for a while",
    async run(api) {
      await api.namespace("old-deletions");
      const path = "/api/v1/namespaces/old-deletions/configmaps";
      const held = { metadata: { finalizers: ["example.com/held"] } };
      for (
        const [name, options] of [["a", { orphanDependents: false }], ["b", {
          propagationPolicy: "Foreground",
        }]]
      ) {
        const object = configMap(String(name));
        await api.peek("POST", path, { ...object, metadata: { ...object.metadata, ...held.metadata } });
        const body = { kind: "DeleteOptions", apiVersion: "v1", ...options as Answer };
        assert.equal((await api.call("DELETE", `${path}/${name}`, body)).code, name === "a" ? 202 : 200);
      }
    },
  },
  {
    name: "drops owners that are there twice, with a warning",
    async run(api) {
      const group = "old-owners.example.com";
      await api.define(databases(group));
      const twice = [owner("u1"), owner("u1"), owner("u2"), owner("u1", { controller: true }), owner("u2")];
      for (
        const [path, object] of [
          ["/api/v1/namespaces/default/configmaps", configMap("old-owners")],
          [`/apis/${group}/v1/namespaces/default/databases`, database(group, "old-owners")],
        ] as const
      ) {
        const owned = { ...object, metadata: { ...object.metadata, ownerReferences: twice } };
        // NB: a dry run, because a garbage collector would delete it.
        const dry = "?dryRun=All";
        const made = await api.ok("POST", path + dry, owned);
        assert.equal(made.metadata.ownerReferences.length, 3);
        await api.peek("POST", path, object);
        await api.ok("PUT", `${path}/old-owners${dry}`, {
          ...owned,
          metadata: {
            ...owned.metadata,
            resourceVersion: (await api.peek("GET", `${path}/old-owners`)).body.metadata.resourceVersion,
          },
        });
        await api.ok("PATCH", `${path}/old-owners${dry}`, { metadata: { ownerReferences: twice } }, MERGE);
        await api.call("PATCH", `${path}/old-owners${dry}&fieldManager=m`, {
          ...owned,
          spec: undefined,
          data: undefined,
        }, APPLY);
      }
    },
  },
  {
    name: "waits for webhooks no longer than the client waits",
    async run(api) {
      const scenario = "old-patience";
      await api.peek("POST", "/api/v1/namespaces", { metadata: { name: scenario, labels: { scenario } } });
      let asked = 0;
      let release = () => {};
      const held = new Promise<void>((resolve) => release = resolve);
      await using served = await api.serveHook(async ({ request, apiVersion, kind }) => {
        asked++;
        await held;
        return { apiVersion, kind, response: { uid: request.uid, allowed: true } };
      });
      const webhook = (name: string) => ({
        name: `${name}.lotse.dev`,
        clientConfig: served.config("/"),
        rules: [{ apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"], operations: ["CREATE"] }],
        namespaceSelector: { matchLabels: { scenario } },
        objectSelector: { matchLabels: { scenario } },
        admissionReviewVersions: ["v1"],
        sideEffects: "None",
        failurePolicy: "Ignore",
        timeoutSeconds: 10,
      });
      await api.ok("POST", `${REGISTRATION}/mutatingwebhookconfigurations`, {
        metadata: { name: scenario },
        webhooks: [webhook("one"), webhook("two")],
      });
      const object = (name: string) => ({ data: {}, metadata: { name, labels: { scenario } } });
      const path = `/api/v1/namespaces/${scenario}/configmaps`;
      // The real server needs a moment until it knows a webhook.
      await api.pause(2);
      const refused = api.call("POST", `${path}?timeout=1s`, object("a"));
      for (let i = 0; i < 30; i++) await api.pause(0.1);
      const { code, body } = await refused;
      assert.equal(code, 504);
      assert.match(JSON.stringify(body), /request did not complete within the allotted timeout/);
      // The real server has now and then begun to ask the second one when the time was over.
      assert.ok(asked === 1 || asked === 2, `${asked} were asked`);
      release();
      assert.equal(
        (await api.peek("DELETE", `${REGISTRATION}/mutatingwebhookconfigurations/${scenario}`)).code,
        200,
      );
    },
  },
  {
    name: "makes tokens void with what they are bound to",
    async run(api) {
      await api.namespace("bound-tokens");
      const path = "/api/v1/namespaces/bound-tokens";
      await api.until(
        async () => (await api.peek("GET", `${path}/serviceaccounts/default`)).code === 200,
        "the default account",
      );
      await api.peek("POST", `${path}/serviceaccounts`, { metadata: { name: "robot" } });
      const containers = [{ name: "c", image: "i" }];
      const pod = {
        metadata: { name: "p" },
        spec: { serviceAccountName: "robot", automountServiceAccountToken: false, containers },
      };
      await api.peek("POST", `${path}/pods`, pod);
      await api.peek("POST", `${path}/secrets`, { metadata: { name: "s" } });
      const request = (reference: Answer, account = "robot") =>
        api.peek("POST", `${path}/serviceaccounts/${account}/token`, { spec: { boundObjectRef: reference } });
      const refused = async (reference: Answer, account?: string) => {
        const { code, body } = await request(reference, account);
        api.note(`a token bound to ${reference.apiVersion} ${reference.kind}`, { code, body });
        assert.ok(code >= 400, `${code}`);
      };
      const ref = (kind: string, name: string, more: Answer = {}) => ({
        apiVersion: "v1",
        kind,
        name,
        ...more,
      });
      await refused(ref("Pod", "none"));
      await refused(ref("Secret", "s", { uid: "another" }));
      await refused(ref("Pod", "p"), "default");
      await refused(ref("ConfigMap", "kube-root-ca.crt"));
      await refused({ ...ref("Deployment", "d"), apiVersion: "apps/v1" });
      const review = async (token: string) => {
        const { body } = await api.peek("POST", "/apis/authentication.k8s.io/v1/tokenreviews", {
          spec: { token },
        });
        return body.status;
      };
      for (const [kind, name] of [["Pod", "p"], ["Secret", "s"]] as const) {
        const { body: { status: { token } } } = await request(ref(kind, name));
        const { user } = await review(token);
        api.note(`who has a token bound to a ${kind}`, Object.keys(user.extra).sort());
        const claims = JSON.parse(atob(token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/")));
        api.note("its claims", Object.keys(claims["kubernetes.io"]).sort());
        await api.peek("DELETE", `${path}/${kind.toLowerCase()}s/${name}?gracePeriodSeconds=0`);
        await api.until(
          async () => (await review(token)).authenticated !== true,
          `the token of the ${kind} is void`,
        );
      }
    },
  },
];
