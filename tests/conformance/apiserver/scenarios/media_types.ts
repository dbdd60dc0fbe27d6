/** Protocol buffers, YAML, and what is none of the media types that a server speaks. */

import assert from "node:assert/strict";
import type { Answer } from "../session.ts";
import { database, databases, type Scenario } from "./scenario.ts";

const PROTOBUF = "application/vnd.kubernetes.protobuf";
const PARTIAL = `${PROTOBUF};as=PartialObjectMetadata;g=meta.k8s.io;v=v1`;
const PARTIAL_LIST = `${PROTOBUF};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1`;

const POD = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "a", labels: { a: "1" }, annotations: { note: "x" } },
  spec: {
    automountServiceAccountToken: false,
    nodeName: "nowhere",
    terminationGracePeriodSeconds: 0,
    containers: [{
      name: "c",
      image: "i:1",
      env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
      readinessProbe: { httpGet: { path: "/", port: "http" } },
      ports: [{ name: "http", containerPort: 80 }],
      resources: { limits: { cpu: "1", memory: "64Mi" } },
    }],
    volumes: [{ name: "v", emptyDir: { sizeLimit: "1Gi" } }],
  },
};

export const MEDIA_TYPES: readonly Scenario[] = [
  {
    name: "takes and gives built-in kinds in protocol buffers",
    async run(api) {
      const namespace: Answer = { apiVersion: "v1", kind: "Namespace", metadata: { name: "proto" } };
      await api.proto("POST", "/api/v1/namespaces", namespace);
      const path = "/api/v1/namespaces/proto";
      const config = {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "a" },
        data: { x: "", y: "1" },
        binaryData: { z: "AAEC/w==" },
        immutable: false,
      };
      const made = await api.proto("POST", `${path}/configmaps`, config);
      assert.deepEqual(made.data, { x: "", y: "1" });
      await api.ok("GET", `${path}/configmaps/a`);
      await api.proto("PUT", `${path}/configmaps/a`, { ...config, data: { y: "2" } });
      await api.proto("POST", `${path}/secrets`, {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: "s" },
        data: { p: "cQ==" },
        type: "Opaque",
      });
      await api.proto("POST", `${path}/pods`, POD);
      await api.proto("GET", `${path}/pods/a`);
      await api.proto("GET", `${path}/secrets?labelSelector=none%3Dno`);
      await api.proto("GET", `${path}/secrets`);
      const options = {
        apiVersion: "v1",
        kind: "DeleteOptions",
        gracePeriodSeconds: 0,
        propagationPolicy: "Background",
      };
      await api.proto("DELETE", `${path}/secrets/s`, options);
      await api.proto("POST", `${path}/services`, {
        apiVersion: "v1",
        kind: "Service",
        metadata: { name: "s" },
        spec: { clusterIP: "None", ports: [{ port: 80, targetPort: "http" }] },
      });
      await api.proto("POST", "/apis/rbac.authorization.k8s.io/v1/namespaces/proto/roles", {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "Role",
        metadata: { name: "r" },
        rules: [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }],
      });
      await api.proto("POST", "/apis/coordination.k8s.io/v1/namespaces/proto/leases", {
        apiVersion: "coordination.k8s.io/v1",
        kind: "Lease",
        metadata: { name: "l" },
        spec: { holderIdentity: "h", leaseDurationSeconds: 15, renewTime: "2024-01-01T00:00:00.000001Z" },
      });
    },
  },
  {
    name: "takes definitions in protocol buffers, and gives metadata in them",
    accepted: [{ line: /customresourcedefinitions.*\.status/, because: "definitions are in force at once" }],
    async run(api) {
      const group = "proto.example.com";
      const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
      await api.proto("POST", definitions, databases(group));
      const list = `/apis/${group}/v1/namespaces/default/databases`;
      await api.until(async () => (await api.peek("GET", list)).code === 200, "databases are served");
      await api.pause(1.5);
      const read = await api.ok("GET", `${definitions}/databases.${group}`);
      assert.equal(
        read.spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.replicas.default,
        1,
      );
      await api.ok("POST", list, database(group, "a"));
      const partial = await api.ok("GET", `${list}/a`, undefined, { accept: PARTIAL });
      assert.equal(partial.kind, "PartialObjectMetadata");
      const items = await api.ok("GET", list, undefined, { accept: PARTIAL_LIST });
      assert.equal(items.items.length, 1);
      const [old, olds] = [PARTIAL, PARTIAL_LIST].map((accept) => accept.replace("v=v1", "v=v1beta1"));
      await api.ok("GET", `${list}/a`, undefined, { accept: old ?? "" });
      await api.ok("GET", list, undefined, { accept: olds ?? "" });
      await api.refused(406, "GET", `${list}/a`, undefined, { accept: PROTOBUF });
      await api.ok("GET", `${list}/a`, undefined, { accept: `${PROTOBUF},application/json` });
    },
  },
  {
    name: "takes YAML, and refuses media types that nobody knows",
    async run(api) {
      await api.namespace("media");
      const path = "/api/v1/namespaces/media/configmaps";
      const yaml = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: yaml\ndata:\n  a: 'on'\n";
      await api.ok("POST", path, yaml, { "content-type": "application/yaml" });
      const reply = await api.peek("GET", `${path}/yaml`, undefined, { accept: "application/yaml" });
      assert.match(String(reply.body), /^ {2}a: ("on"|'on')$/m);
      await api.refused(406, "GET", path, undefined, { accept: "text/html" });
      await api.refused(415, "POST", path, "x", { "content-type": "text/plain" });
      await api.refused(400, "POST", path, "x", { "content-type": PROTOBUF });
    },
  },
];
