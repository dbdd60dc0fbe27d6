/** The OpenAPI document in protocol buffers. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { encodeOpenapi } from "../../../../lib/kits/apiserver/protobuf/openapi.ts";
import { readFields } from "../../../../lib/kits/apiserver/protobuf/wire.ts";

/** The contents of a field, as texts or as further messages. */
function contents(bytes: Uint8Array, ...path: readonly number[]): Uint8Array[] {
  const [number, ...rest] = path;
  if (number === undefined) return [bytes];
  const found = [...readFields(bytes)].filter((field) => field.number === number);
  return found.flatMap(({ value }) => value instanceof Uint8Array ? contents(value, ...rest) : []);
}

function texts(bytes: Uint8Array, ...path: readonly number[]): string[] {
  return contents(bytes, ...path).map((piece) => new TextDecoder().decode(piece));
}

const DOCUMENT = encodeOpenapi({
  swagger: "2.0",
  info: { title: "Kubernetes", version: "v1" },
  paths: {
    "/api/v1/pods": {
      patch: {
        consumes: ["application/json"],
        parameters: [{ name: "dryRun", in: "query", type: "string" }, { name: "x", in: "path" }],
        "x-kubernetes-action": "patch",
      },
    },
  },
  definitions: {
    Pod: {
      type: "object",
      description: "A pod.",
      required: ["spec"],
      properties: {
        spec: { $ref: "#/definitions/Spec" },
        list: { type: "array", items: { type: "string" } },
      },
      additionalProperties: { type: "integer" },
      "x-kubernetes-group-version-kind": [{ group: "", version: "v1", kind: "Pod" }],
    },
  },
});

describe("encodeOpenapi()", () => {
  it("writes the definitions with types, properties and extensions", () => {
    assert.deepEqual(texts(DOCUMENT, 1), ["2.0"]);
    assert.deepEqual(texts(DOCUMENT, 9, 1, 1), ["Pod"]);
    const [pod = new Uint8Array()] = contents(DOCUMENT, 9, 1, 2);
    assert.deepEqual(texts(pod, 22, 1), ["object"]);
    assert.deepEqual(texts(pod, 4), ["A pod."]);
    assert.deepEqual(texts(pod, 19), ["spec"]);
    assert.deepEqual(texts(pod, 25, 1, 1), ["spec", "list"]);
    assert.deepEqual(texts(pod, 25, 1, 2, 1), ["#/definitions/Spec"]);
    assert.deepEqual(texts(pod, 25, 1, 2, 23, 1, 22, 1), ["string"]);
    assert.deepEqual(texts(pod, 21, 1, 22, 1), ["integer"]);
    assert.deepEqual(texts(pod, 31, 1), ["x-kubernetes-group-version-kind"]);
    assert.deepEqual(texts(pod, 31, 2, 2), ['- group: ""\n  version: "v1"\n  kind: "Pod"\n']);
  });

  it("writes what paths take, and which parameters they have in the query", () => {
    assert.deepEqual(texts(DOCUMENT, 8, 2, 1), ["/api/v1/pods"]);
    const [patch = new Uint8Array()] = contents(DOCUMENT, 8, 2, 2, 8);
    assert.deepEqual(texts(patch, 7), ["application/json"]);
    assert.deepEqual(texts(patch, 8, 1, 2, 3, 4), ["dryRun"]);
    assert.deepEqual(texts(patch, 13, 1), ["x-kubernetes-action"]);
  });
});
