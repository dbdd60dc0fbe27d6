import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { decodeProtobuf } from "../../../../lib/kits/apiserver/protobuf/decode.ts";

const ENCODER = new TextEncoder();

/** A field of bytes: a text, or the fields of a message. */
function field(number: number, ...content: readonly (string | Uint8Array)[]): Uint8Array {
  const bytes = content.flatMap((part) => [...typeof part === "string" ? ENCODER.encode(part) : part]);
  assert.ok(bytes.length < 128 && number < 16);
  return Uint8Array.from([number << 3 | 2, bytes.length, ...bytes]);
}

function varint(number: number, ...bytes: number[]): Uint8Array {
  return Uint8Array.from([number << 3, ...bytes]);
}

/** A whole body. */
function body(kind: string, ...fields: Uint8Array[]): Uint8Array {
  const groups: Record<string, string> = { Deployment: "apps/v1", PriorityClass: "scheduling.k8s.io/v1" };
  const group = Object.hasOwn(groups, kind) ? groups[kind] : undefined;
  const type = field(1, field(1, group ?? "v1"), field(2, kind));
  return Uint8Array.from([0x6b, 0x38, 0x73, 0, ...type, ...field(2, ...fields)]);
}

describe("decodeProtobuf()", () => {
  it("gives the JSON of an object, without texts that are empty and times that are not set", () => {
    const metadata = field(1, field(1, "a"), field(2, ""), varint(7, 0), field(8));
    assert.deepEqual(decodeProtobuf(body("Namespace", metadata, field(2), field(3, field(1, "Active")))), {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: "a" },
      spec: {},
      status: { phase: "Active" },
    });
  });

  it("gives maps, bytes as base64, and keys such as __proto__ as data", () => {
    const entries = [field(2, field(1, "k"), field(2, "v")), field(2, field(1, "__proto__"), field(2, "x"))];
    const { data } = decodeProtobuf(body("Secret", ...entries));
    assert.deepEqual(Object.entries(data as object), [["k", "dg=="], ["__proto__", "eA=="]]);
  });

  it("gives times, numbers or texts, and quantities in their JSON forms", () => {
    const time = field(9, varint(1, 0x80, 0xa3, 0x05)); // 86400 s
    const deletion = decodeProtobuf(body("Namespace", field(1, time))).metadata;
    assert.deepEqual(deletion, { deletionTimestamp: "1970-01-02T00:00:00Z" });
    const port = field(1, varint(3, 80), field(4, varint(1, 1), varint(2, 0), field(3, "http")));
    assert.deepEqual(decodeProtobuf(body("Service", field(2, port))).spec, {
      ports: [{ port: 80, targetPort: "http" }],
    });
    const hard = field(1, field(1, "pods"), field(2, field(1, "3")));
    assert.deepEqual(decodeProtobuf(body("ResourceQuota", field(2, hard))).spec, { hard: { pods: "3" } });
  });

  it("keeps a zero where zero is a value, and negative numbers", () => {
    const { spec } = decodeProtobuf(body("Deployment", field(2, varint(1, 0), varint(5, 0))));
    assert.deepEqual(spec, { replicas: 0 });
    const minus = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1];
    assert.equal(decodeProtobuf(body("PriorityClass", varint(2, ...minus))).value, -1);
  });

  it("puts the fields of messages that are inline in JSON where they belong", () => {
    const volume = field(1, field(1, "data"), field(2, field(2)));
    assert.deepEqual(decodeProtobuf(body("Pod", field(2, volume))).spec, {
      volumes: [{ name: "data", emptyDir: {} }],
    });
  });

  it("skips fields that it does not know", () => {
    assert.deepEqual(decodeProtobuf(body("Namespace", field(15, "new"), varint(14, 1))), {
      apiVersion: "v1",
      kind: "Namespace",
    });
  });

  it("refuses what ends too early, what is not such a body, and kinds that it does not know", () => {
    const whole = body("Namespace", field(1, field(1, "a")));
    for (let length = 0; length < 4; length++) {
      assert.throws(() => decodeProtobuf(whole.subarray(0, length)), /does not appear to be a protobuf/);
    }
    assert.throws(() => decodeProtobuf(whole.subarray(0, -1)), {
      name: "RangeError",
      message: "unexpected EOF",
    });
    const wrong = body("Namespace", varint(1, 1));
    assert.throws(() => decodeProtobuf(wrong), { name: "RangeError", message: /bytes were expected/ });
    assert.throws(
      () => decodeProtobuf(body("Namespace", field(1, field(1, Uint8Array.of(0xff))))),
      RangeError,
    );
    assert.throws(() => decodeProtobuf(body("constructor")), { name: "TypeError", message: /"constructor"/ });
  });
});
