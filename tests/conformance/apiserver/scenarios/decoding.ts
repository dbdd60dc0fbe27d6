/** Bodies that do not fit their type, hold what nobody knows, or say a thing twice. */

import assert from "node:assert/strict";
import { type Answer, MERGE } from "../session.ts";
import { configMap, database, databases, type Scenario } from "./scenario.ts";

function deployment(spec: Answer, pod: Answer = {}): Answer {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "a" },
    spec: {
      replicas: 0,
      selector: { matchLabels: { a: "1" } },
      template: {
        metadata: { labels: { a: "1" } },
        spec: { containers: [{ name: "c", image: "i" }], ...pod },
      },
      ...spec,
    },
  };
}

const container = (more: Answer) => ({ containers: [{ name: "c", image: "i", ...more }] });

/** Wrong types in a Deployment. */
const MISFITS: readonly Answer[] = [
  deployment({ replicas: "3" }),
  deployment({ replicas: 1.5 }),
  deployment({ paused: 1 }),
  deployment({ selector: [] }),
  deployment({ selector: { matchLabels: { a: 1 } } }),
  deployment({ template: "x" }),
  deployment({}, { containers: {} }),
  deployment({}, container({ name: 1 })),
  deployment({}, container({ args: "x" })),
  deployment({}, container({ ports: [{ containerPort: "80" }] })),
  deployment({}, container({ env: [{ name: "A", value: 1 }] })),
  deployment({}, container({ resources: { limits: { cpu: "x" } } })),
  deployment({}, container({ stdin: "yes" })),
  deployment({}, { nodeSelector: { a: true } }),
];

const TWICE =
  '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"t","labels":{"l":"1","l":"2"}},"data":{"a":"1","a":"2"}}';

export const DECODING: readonly Scenario[] = [
  {
    name: "refuses what does not fit the type of a built-in kind",
    async run(api) {
      await api.namespace("misfits");
      const path = "/apis/apps/v1/namespaces/misfits/deployments";
      for (const object of MISFITS) {
        api.note("object", object);
        await api.refused(400, "POST", path, object);
      }
      await api.refused(400, "POST", "/api/v1/namespaces/misfits/configmaps", configMap("a", { a: 1 }));
      await api.refused(400, "POST", "/api/v1/namespaces/misfits/configmaps", configMap("a", ["a"]));
      await api.refused(400, "POST", "/api/v1/namespaces/misfits/secrets", {
        metadata: { name: "s" },
        data: { a: "%" },
      });
    },
  },
  {
    name: "warns of, ignores or refuses unknown fields of built-in kinds",
    accepted: [{
      line: /\/deployments.*\.(status|metadata\.(annotations|generation))/,
      because: "the real controllers work on deployments",
    }, {
      line: /PATCH .*fieldValidation=Strict .body.(message|details)/,
      because: "the object in the message has its keys in another order",
    }],
    async run(api) {
      await api.namespace("unknown-fields");
      const path = "/apis/apps/v1/namespaces/unknown-fields/deployments";
      const odd = deployment({ replicaz: 1 }, {
        containers: [{ name: "c", image: "i", imagge: "x", env: [{ name: "A", valu: "1" }] }],
      });
      await api.refused(400, "POST", `${path}?fieldValidation=Strict`, odd);
      const made = await api.ok("POST", path, odd);
      assert.equal(made.spec.replicaz, undefined);
      await api.ok("PUT", `${path}/a?fieldValidation=Ignore`, odd);
      await api.refused(422, "PATCH", `${path}/a?fieldValidation=Strict`, { spec: { replicaz: 2 } }, MERGE);
      await api.ok("PATCH", `${path}/a?fieldValidation=Ignore`, { spec: { replicaz: 2 } }, MERGE);
      await api.refused(400, "POST", "/api/v1/namespaces/unknown-fields/configmaps?fieldValidation=Strict", {
        ...configMap("a"),
        datta: {},
        metadata: { name: "a", labls: {} },
      });
    },
  },
  {
    name: "warns of or refuses keys that stand twice",
    async run(api) {
      await api.namespace("twice");
      const path = "/api/v1/namespaces/twice/configmaps";
      await api.refused(400, "POST", `${path}?fieldValidation=Strict`, TWICE);
      const made = await api.ok("POST", path, TWICE);
      assert.deepEqual(made.data, { a: "2" });
      await api.ok("PUT", `${path}/t?fieldValidation=Ignore`, TWICE);
      await api.refused(400, "PUT", `${path}/t?fieldValidation=Strict`, TWICE);
      const group = "twice.example.com";
      await api.define(databases(group));
      const custom = JSON.stringify(database(group, "a")).replace(
        '"engine":',
        '"engine":"postgresql","engine":',
      );
      const databasePath = `/apis/${group}/v1/namespaces/default/databases`;
      await api.refused(400, "POST", `${databasePath}?fieldValidation=Strict`, custom);
      await api.ok("POST", databasePath, custom);
    },
  },
  {
    name: "reads bytes as Go does, and keeps them without line breaks",
    async run(api) {
      await api.namespace("decoding-bytes");
      const maps = "/api/v1/namespaces/decoding-bytes/configmaps";
      const secrets = "/api/v1/namespaces/decoding-bytes/secrets";
      const hooks = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
      const metadata = { name: "a" };
      const texts = [
        "!!",
        "a",
        "ab",
        "ab==",
        "ab=",
        "YQ==\n",
        "Y\r\nQ==",
        "Y Q==",
        "-_-_",
        "ab==ab==",
        "",
        "abcde",
        null,
      ];
      for (const text of texts) {
        await api.call("POST", `${maps}?dryRun=All`, { metadata, binaryData: { k: text } });
        await api.call("POST", `${secrets}?dryRun=All`, { metadata, data: { k: text } });
        const clientConfig = { url: "https://hook.example.com", caBundle: text };
        const hook = { name: "a.b.c", sideEffects: "None", admissionReviewVersions: ["v1"], clientConfig };
        await api.call("POST", `${hooks}?dryRun=All`, { metadata, webhooks: [hook] });
      }
      await api.ok("POST", secrets, { metadata, data: { k: "YWJj\nZGVm\n" } });
      const { data } = await api.ok("GET", `${secrets}/a`);
      assert.deepEqual(data, { k: "YWJjZGVm" });
      const { code } = await api.peek("PATCH", `${secrets}/a`, { data: { k: "!" } }, MERGE);
      assert.equal(code, 422);
    },
  },
];
