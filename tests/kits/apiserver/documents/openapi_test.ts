import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openapiV2, openapiV3, openapiV3Index } from "../../../../lib/kits/apiserver/documents/openapi.ts";
import { loadDescriptions } from "../../../../lib/kits/apiserver/documents/descriptions.ts";
import { servedResources } from "../../../../lib/kits/apiserver/definitions/crd.ts";
import type { JsonObject, KubeObject } from "../../../../lib/model/object.ts";
import type { Resource } from "../../../../lib/model/resource.ts";

const VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];
const PODS: Resource = {
  group: "",
  version: "v1",
  plural: "pods",
  kind: "Pod",
  singular: "pod",
  shortcuts: [],
  categories: [],
  subresources: ["status"],
  namespaced: true,
  preferred: true,
  verbs: VERBS,
};
const CRD: KubeObject = {
  metadata: { name: "databases.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "databases", kind: "Database" },
    versions: [{
      name: "v1",
      served: true,
      storage: true,
      schema: {
        openAPIV3Schema: { type: "object", properties: { spec: { type: "object", nullable: true } } },
      },
    }],
  },
};
const RESOURCES = [PODS, ...servedResources(CRD)];
const describeType = await loadDescriptions();
const SERVED = { resources: RESOURCES, crds: [CRD], describe: describeType };

/** Returns what stands at a path of keys. */
function at(value: unknown, ...path: string[]): unknown {
  return path.reduce<unknown>((found, key) => (found as JsonObject | undefined)?.[key], value);
}

describe("openapiV3Index()", () => {
  it("lists one document per group and version", () => {
    const paths = openapiV3Index(RESOURCES, [CRD]).paths as Record<string, { serverRelativeURL: string }>;
    assert.deepEqual(Object.keys(paths), ["api/v1", "apis/example.com/v1"]);
    assert.match(paths["api/v1"]!.serverRelativeURL, /^\/openapi\/v3\/api\/v1\?hash=[0-9A-F]{16}$/);
  });

  it("gives a document a new address when a definition changes", () => {
    const changed = structuredClone(CRD);
    changed.spec = { ...changed.spec, scope: "Cluster" };
    const [before, after] = [CRD, changed].map((crd) => openapiV3Index(RESOURCES, [crd]).paths as JsonObject);
    assert.notDeepEqual(before!["apis/example.com/v1"], after!["apis/example.com/v1"]);
    assert.deepEqual(before!["api/v1"], after!["api/v1"]);
  });
});

describe("openapiV3()", () => {
  it("describes types and their fields, of custom kinds, too", () => {
    const schemas = at(openapiV3("api/v1", SERVED), "components", "schemas");
    const pod = at(schemas, "io.k8s.api.core.v1.Pod");
    assert.match(String(at(pod, "description")), /^Pod is a collection of containers/);
    assert.match(
      String(at(pod, "properties", "spec", "description")),
      /^Specification of the desired behavior/,
    );
    const custom = at(
      openapiV3("apis/example.com/v1", SERVED),
      "components",
      "schemas",
      "com.example.v1.Database",
    );
    assert.match(String(at(custom, "properties", "kind", "description")), /^Kind is a string value/);
  });

  it("says that PATCH takes fieldValidation, and which patches", () => {
    const path = "/api/v1/namespaces/{namespace}/pods/{name}";
    const patch = at(openapiV3("api/v1", SERVED), "paths", path, "patch");
    assert.ok(
      (at(patch, "parameters") as JsonObject[]).some(({ name, in: place }) =>
        name === "fieldValidation" && place === "query"
      ),
    );
    assert.deepEqual(at(patch, "x-kubernetes-group-version-kind"), { group: "", version: "v1", kind: "Pod" });
    assert.ok(at(patch, "requestBody", "content", "application/strategic-merge-patch+json"));
    const custom = openapiV3("apis/example.com/v1", SERVED);
    const content = at(
      custom,
      "paths",
      "/apis/example.com/v1/namespaces/{namespace}/databases/{name}",
      "patch",
      "requestBody",
      "content",
    );
    assert.deepEqual(Object.keys(content as JsonObject), [
      "application/json-patch+json",
      "application/merge-patch+json",
      "application/apply-patch+yaml",
    ]);
  });

  it("tells how lists merge", () => {
    const schemas = at(openapiV3("api/v1", SERVED), "components", "schemas");
    const containers = at(schemas, "io.k8s.api.core.v1.PodSpec", "properties", "containers") as JsonObject;
    assert.deepEqual({ ...containers, description: "" }, {
      description: "",
      type: "array",
      items: { $ref: "#/components/schemas/io.k8s.api.core.v1.Container" },
      "x-kubernetes-list-map-keys": ["name"],
      "x-kubernetes-list-type": "map",
      "x-kubernetes-patch-merge-key": "name",
      "x-kubernetes-patch-strategy": "merge",
    });
  });

  it("tells which values fields and the items of lists may have", () => {
    const schemas = at(openapiV3("api/v1", SERVED), "components", "schemas");
    const fieldsOf = (type: string) => at(schemas, `io.k8s.api.core.v1.${type}`, "properties");
    assert.deepEqual(at(fieldsOf("Container"), "imagePullPolicy", "enum"), [
      "Always",
      "IfNotPresent",
      "Never",
    ]);
    const modes = at(fieldsOf("PersistentVolumeClaimSpec"), "accessModes");
    assert.equal(at(modes, "enum"), undefined);
    assert.ok((at(modes, "items", "enum") as string[]).includes("ReadWriteOnce"));
    const pod = at(openapiV2(SERVED), "definitions", "io.k8s.api.core.v1.PodSpec", "properties");
    assert.deepEqual(at(pod, "restartPolicy", "enum"), ["Always", "Never", "OnFailure"]);
  });

  it("resolves all its references", () => {
    for (const path of ["api/v1", "apis/example.com/v1"]) {
      const document = openapiV3(path, SERVED);
      const schemas = at(document, "components", "schemas") as JsonObject;
      for (const [, name] of JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
        assert.ok(Object.hasOwn(schemas, name!), `${name}`);
      }
    }
  });

  it("holds the schemas of custom kinds", () => {
    const schema = at(
      openapiV3("apis/example.com/v1", SERVED),
      "components",
      "schemas",
      "com.example.v1.Database",
    );
    assert.deepEqual(at(schema, "x-kubernetes-group-version-kind"), [{
      group: "example.com",
      version: "v1",
      kind: "Database",
    }]);
    assert.deepEqual(at(schema, "properties", "spec"), { type: "object", nullable: true });
    assert.ok(at(schema, "properties", "metadata"));
  });

  it("gives undefined where nothing is served", () => {
    assert.equal(openapiV3("apis/other/v1", SERVED), undefined);
  });
});

describe("openapiV2()", () => {
  it("describes fields beside their references, as its readers want it", () => {
    const spec = at(openapiV2(SERVED), "definitions", "io.k8s.api.core.v1.Pod", "properties", "spec");
    assert.deepEqual(Object.keys(spec as JsonObject).sort(), ["$ref", "description"]);
  });

  it("holds what version 2 knows", () => {
    const document = openapiV2(SERVED);
    assert.equal(document.swagger, "2.0");
    assert.deepEqual(at(document, "definitions", "com.example.v1.Database", "properties", "spec"), {});
    assert.ok(at(document, "definitions", "io.k8s.api.core.v1.Pod"));
    assert.equal(JSON.stringify(document).includes("#/components/"), false);
  });
});
