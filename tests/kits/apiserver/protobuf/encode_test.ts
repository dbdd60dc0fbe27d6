/** Protocol buffers there and back. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../../../lib/model/object.ts";
import { decodeProtobuf } from "../../../../lib/kits/apiserver/protobuf/decode.ts";
import { encodeEvent, encodeProtobuf } from "../../../../lib/kits/apiserver/protobuf/encode.ts";

function backAgain(object: JsonObject): JsonObject {
  const bytes = encodeProtobuf(object);
  assert.ok(bytes);
  return decodeProtobuf(bytes);
}

const OBJECTS: readonly JsonObject[] = [
  {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: "a",
      generation: 3,
      creationTimestamp: "2026-01-02T03:04:05Z",
      labels: { a: "", __proto__x: "1" },
      ownerReferences: [{ apiVersion: "v1", kind: "Node", name: "n", uid: "u", controller: false }],
      managedFields: [{
        manager: "m",
        operation: "Update",
        apiVersion: "v1",
        fieldsType: "FieldsV1",
        fieldsV1: { "f:a": {} },
      }],
    },
    spec: {
      containers: [{
        name: "c",
        image: "i",
        args: ["", "x"],
        env: [{ name: "A", valueFrom: { configMapKeyRef: { name: "m", key: "k", optional: false } } }],
        livenessProbe: { httpGet: { port: "http", path: "/" }, periodSeconds: 5 },
        readinessProbe: { tcpSocket: { port: 80 } },
        resources: { limits: { cpu: "1", memory: "1Gi" } },
      }],
      ephemeralContainers: [{ name: "e", image: "j", targetContainerName: "c" }],
      volumes: [{ name: "v", configMap: { name: "m", defaultMode: 420 } }, { name: "w", emptyDir: {} }],
      terminationGracePeriodSeconds: 0,
      priority: -10,
    },
    status: { phase: "Running" },
  },
  {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "a" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "as", kind: "A" },
      versions: [{
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              a: { type: "array", items: { type: "string", default: "x", enum: ["x", "y", null] } },
              b: { type: "object", additionalProperties: { type: "number", minimum: 0.5, maximum: -1.5 } },
              c: { type: "object", additionalProperties: true },
              d: { "x-kubernetes-preserve-unknown-fields": true, minLength: 0 },
              e: { additionalProperties: false, dependencies: { x: ["y"], z: { type: "string" } } },
            },
          },
        },
        subresources: { status: {} },
      }],
    },
  },
  {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "a" },
    spec: {
      maxReplicas: 3,
      minReplicas: 0,
      scaleTargetRef: { kind: "Deployment", name: "d" },
      metrics: [{ type: "Resource", resource: { name: "cpu", target: { type: "Value", value: "10m" } } }],
    },
  },
  {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SubjectAccessReview",
    metadata: {},
    spec: { user: "u", extra: { scopes: ["a", "b"], none: [] } },
  },
  {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name: "l" },
    spec: { renewTime: "2026-01-02T03:04:05.000600Z", leaseDurationSeconds: 15 },
  },
  {
    apiVersion: "apps/v1",
    kind: "ControllerRevision",
    metadata: { name: "r" },
    data: { spec: { a: [1, null] } },
    revision: 2 ** 40,
  },
  {
    apiVersion: "v1",
    kind: "Status",
    metadata: { resourceVersion: "1" },
    status: "Failure",
    reason: "Expired",
    code: 410,
    details: { causes: [{ reason: "X", message: "m", field: "f" }] },
  },
  { apiVersion: "meta.k8s.io/v1", kind: "PartialObjectMetadata", metadata: { name: "p" } },
  { apiVersion: "meta.k8s.io/v1beta1", kind: "PartialObjectMetadata", metadata: { name: "p" } },
];

describe("encodeProtobuf()", () => {
  for (const object of OBJECTS) {
    it(`keeps what is in a ${object.kind}`, () => {
      assert.deepEqual(backAgain(object), JSON.parse(JSON.stringify(object)));
    });
  }

  it("writes lists, whose items do not say what they are", () => {
    const list = {
      apiVersion: "v1",
      kind: "ConfigMapList",
      metadata: { resourceVersion: "7", remainingItemCount: 0 },
      items: [{ metadata: { name: "a" }, data: { x: "1" } }, {
        metadata: { name: "b" },
        binaryData: { y: "AAE=" },
      }],
    };
    assert.deepEqual(backAgain(list), list);
    for (const version of ["v1", "v1beta1"]) {
      const partial = {
        apiVersion: `meta.k8s.io/${version}`,
        kind: "PartialObjectMetadataList",
        metadata: {},
        items: [{ metadata: { name: "a" } }],
      };
      assert.deepEqual(backAgain(partial), partial);
    }
  });

  it("leaves out what does not fit, and knows no custom kinds", () => {
    const odd = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: 1, labels: "x" },
      data: { a: "%%" },
      type: null,
    };
    assert.deepEqual(backAgain(odd), { apiVersion: "v1", kind: "Secret", metadata: {}, data: { a: "" } });
    assert.equal(encodeProtobuf({ apiVersion: "example.com/v1", kind: "Database" }), undefined);
  });
});

describe("encodeEvent()", () => {
  it("puts the length before each event", () => {
    const frame = encodeEvent("ADDED", { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } });
    assert.ok(frame);
    assert.equal(new DataView(frame.buffer).getUint32(0), frame.length - 4);
    assert.equal(new TextDecoder().decode(frame.subarray(6, 11)), "ADDED");
    assert.equal(encodeEvent("ADDED", { apiVersion: "example.com/v1", kind: "Database" }), undefined);
  });
});
