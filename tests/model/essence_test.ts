import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  buildEssence,
  clearEssence,
  isExtraField,
  isOperatorPrefix,
  withoutExtraFields,
} from "../../lib/model/essence.ts";
import type { JsonObject, KubeObject } from "../../lib/model/object.ts";

const withAnnotations = (annotations: Record<string, string>): KubeObject => ({ metadata: { annotations } });

describe("buildEssence()", () => {
  it("[A75] is empty where there is nothing but the system's own", () => {
    const body: KubeObject = {
      apiVersion: "example.com/v1",
      kind: "Database",
      metadata: {
        name: "a",
        namespace: "b",
        uid: "c",
        resourceVersion: "1",
        generation: 2,
        finalizers: ["x"],
        managedFields: [{}],
      },
      status: { state: "Ready" },
    };
    assert.deepEqual(buildEssence(body), {});
    assert.deepEqual(buildEssence({ metadata: { labels: {}, annotations: {} } }), {});
    const nulls = { labels: null, annotations: null } as unknown as KubeObject["metadata"];
    assert.deepEqual(buildEssence({ metadata: nulls }), {});
    assert.deepEqual(buildEssence({ metadata: {}, status: {} }, { extraFields: [["status"]] }), {});
  });

  it("[A76] leaves out kubectl's copy of what was applied, and keeps other annotations", () => {
    const body = withAnnotations({
      "kubectl.kubernetes.io/last-applied-configuration": "{}",
      "kubectl.kubernetes.io/restartedAt": "x",
    });
    assert.deepEqual(buildEssence(body), {
      metadata: { annotations: { "kubectl.kubernetes.io/restartedAt": "x" } },
    });
  });

  it("[A77] leaves out annotations under sub-domains of Kopf's prefix, and of ours", () => {
    for (const prefix of ["kopf.zalando.org", "sub.kopf.zalando.org", "lotse.dev", "a.b.lotse.dev"]) {
      assert.deepEqual(buildEssence(withAnnotations({ [`${prefix}/x`]: "1" })), {}, prefix);
    }
  });

  it("[A78] keeps annotations that only look like Kopf's", () => {
    for (
      const prefix of [
        "kopf.domain.tld",
        "mykopf.zalando.org",
        "kopf.zalando.org.example.com",
        "notlotse.dev",
      ]
    ) {
      assert.deepEqual(
        buildEssence(withAnnotations({ [`${prefix}/x`]: "1" })),
        { metadata: { annotations: { [`${prefix}/x`]: "1" } } },
        prefix,
      );
    }
    const plain = { "kopf.zalando.org": "1", "lotse.devs": "1" };
    assert.deepEqual(buildEssence(withAnnotations(plain)), { metadata: { annotations: plain } });
  });

  it("[A79] leaves out everything under a prefix that is marked", () => {
    const body = withAnnotations({
      "domain.tld/kopf-managed": "yes",
      "domain.tld/x": "1",
      "sub.domain.tld/x": "1",
      "plain": "1",
    });
    assert.deepEqual(buildEssence(body), {
      metadata: { annotations: { "sub.domain.tld/x": "1", plain: "1" } },
    });
  });

  it("[A80] keeps of the status only what extra fields name", () => {
    const body: KubeObject = { metadata: {}, spec: { a: 1 }, status: { some: 1, other: { deep: 2 } } };
    assert.deepEqual(buildEssence(body, { extraFields: [["status", "other"], ["status", "absent"]] }), {
      spec: { a: 1 },
      status: { other: { deep: 2 } },
    });
    assert.deepEqual(body.status, { some: 1, other: { deep: 2 } });
  });

  it("shares its parts with the body, and changes nothing in it", () => {
    const body: KubeObject = {
      metadata: { annotations: { "lotse.dev/x": "1", y: "2" } },
      spec: { a: { b: 1 } },
      data: {},
    };
    const before = structuredClone(body);
    const essence = buildEssence(body, { ignoredFields: [["spec", "a", "b"]], extraFields: [["kind"]] });
    assert.deepEqual(essence, { data: {}, metadata: { annotations: { y: "2" } } });
    assert.equal(essence.data, body.data);
    assert.deepEqual(body, before);
  });

  it("[A82] leaves ignored fields out, and takes missing ones and crossed scalars for nothing", () => {
    const body: KubeObject = {
      metadata: {},
      a: { b: 1, c: 2, e: { f: "scalar" } },
      h: { i: 1 },
      k: { l: "scalar" },
    };
    const ignoredFields = ["a.b", "a.e.f.g", "h", "k.l.m", "x.y"].map((path) => path.split("."));
    assert.deepEqual(buildEssence(body, { ignoredFields }), {
      a: { c: 2, e: { f: "scalar" } },
      k: { l: "scalar" },
    });
  });

  it("[A83] keeps data, labels and users' annotations of a ConfigMap", () => {
    const body: KubeObject = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "x", labels: { l: "1" }, annotations: { a: "1" } },
      data: { key: "value" },
    };
    assert.deepEqual(buildEssence(body), {
      data: { key: "value" },
      metadata: { labels: { l: "1" }, annotations: { a: "1" } },
    });
  });

  it("takes extra fields behind something that is not an object for absent (G8)", () => {
    const body: KubeObject = { metadata: {}, spec: { field: "text" } };
    assert.deepEqual(buildEssence(body, { extraFields: [["spec", "field", "sub"], ["status", "a", "b"]] }), {
      spec: { field: "text" },
    });
  });

  it("leaves out annotations under a given prefix, marked or not", () => {
    assert.deepEqual(
      buildEssence(withAnnotations({ "my.org/x": "1", "my.orgs/x": "1" }), { prefix: "my.org" }),
      {
        metadata: { annotations: { "my.orgs/x": "1" } },
      },
    );
  });

  it("takes keys such as __proto__ for data, and survives metadata of any shape", () => {
    const hostile: JsonObject = JSON.parse(
      '{"metadata":{"annotations":{"__proto__":"x","constructor/kopf-managed":"1"}},"__proto__":{"a":1}}',
    );
    const essence = buildEssence(hostile as KubeObject);
    assert.equal(
      JSON.stringify(essence),
      '{"__proto__":{"a":1},"metadata":{"annotations":{"__proto__":"x"}}}',
    );
    for (
      const metadata of [undefined, null, "x", 5, [], { annotations: "x" }, { annotations: [1] }, {
        labels: 5,
      }]
    ) {
      assert.equal(typeof buildEssence({ metadata, spec: 1 } as unknown as KubeObject), "object");
    }
  });

  it("copes with 10,000 annotations and 500 levels, fast", () => {
    const annotations = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, index) => [`a${index}.example.com/kopf-managed`, "1"]),
    );
    let spec: JsonObject = {};
    for (let level = 0; level < 500; level++) spec = { a: spec };
    const started = performance.now();
    assert.deepEqual(buildEssence({ metadata: { annotations }, spec }), { spec });
    assert.ok(performance.now() - started < 1_000, "quadratic would take far longer");
  });
});

describe("clearEssence()", () => {
  it("takes out of an old essence what does not count any more", () => {
    const old = { metadata: { annotations: { "my.org/x": "1" } }, spec: { a: 1, b: 2 } };
    assert.deepEqual(clearEssence(old, { prefix: "my.org", ignoredFields: [["spec", "b"]] }), {
      spec: { a: 1 },
    });
  });
});

describe("isExtraField()", () => {
  it("tells fields that no essence has by itself", () => {
    for (const path of ["status", "status.a", "kind", "apiVersion", "metadata.generation", "metadata"]) {
      assert.ok(isExtraField(path.split(".")), path);
    }
    for (
      const path of [
        "spec",
        "spec.a",
        "data",
        "metadata.labels",
        "metadata.labels.a",
        "metadata.annotations.b",
      ]
    ) {
      assert.ok(!isExtraField(path.split(".")), path);
    }
  });
});

describe("withoutExtraFields()", () => {
  it("leaves what every essence has", () => {
    assert.deepEqual(
      withoutExtraFields({
        kind: "X",
        spec: 1,
        status: { a: 1 },
        metadata: { generation: 1, labels: { a: "1" } },
      }),
      { spec: 1, metadata: { labels: { a: "1" } } },
    );
  });
});

describe("isOperatorPrefix()", () => {
  it("knows Kopf, us, and what is marked", () => {
    assert.ok(isOperatorPrefix("kopf.zalando.org", {}));
    assert.ok(isOperatorPrefix("lotse.dev", {}));
    assert.ok(isOperatorPrefix("my.org", { "my.org/kopf-managed": "no matter" }));
    assert.ok(!isOperatorPrefix("my.org", {}));
  });
});
