import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { CORE } from "../../../../lib/kits/apiserver/types/core.ts";
import { DEFINITIONS } from "../../../../lib/kits/apiserver/types/definitions.ts";
import { GROUPS } from "../../../../lib/kits/apiserver/types/groups.ts";
import {
  definitionName,
  fieldOf,
  fieldsOf,
  isAtomic,
  typeOfKind,
} from "../../../../lib/kits/apiserver/types/mod.ts";
import { type Swagger, toNotation } from "../../../conformance/apiserver/notation.ts";

const SWAGGER = join(homedir(), "go/pkg/mod/k8s.io/kubernetes@v1.36.3/api/openapi-spec/swagger.json");

describe("typeOfKind()", () => {
  it("finds the built-in kinds in their own groups only", () => {
    assert.equal(typeOfKind("v1", "Pod"), "core.Pod");
    assert.equal(typeOfKind("rbac.authorization.k8s.io/v1", "Role"), "rbac.Role");
    assert.equal(typeOfKind("apps.example.com/v1", "Deployment"), undefined);
    assert.equal(typeOfKind("apps/v1beta1", "Deployment"), undefined);
    assert.equal(typeOfKind("v1", "__proto__"), undefined);
  });
});

describe("fieldOf()", () => {
  it("reads shapes and flags", () => {
    assert.deepEqual(fieldOf("core.Container", "ports"), {
      name: "ports",
      shape: { kind: "list", of: { kind: "type", name: "core.ContainerPort" } },
      required: false,
      merges: true,
      retainsKeys: false,
      replaces: false,
      atomicMap: false,
      mergeKey: "containerPort",
      listType: "map",
      listKeys: ["containerPort", "protocol"],
    });
    assert.equal(fieldOf("core.Container", "name")?.required, true);
    assert.equal(fieldOf("meta.ObjectMeta", "finalizers")?.merges, true);
    assert.equal(fieldOf("apps.DeploymentSpec", "strategy")?.retainsKeys, true);
    assert.equal(fieldOf("core.Container", "nothing"), undefined);
  });

  it("resolves every type that a field names", () => {
    for (const type of Object.keys({ ...CORE, ...GROUPS, ...DEFINITIONS })) {
      for (const { shape } of fieldsOf(type) ?? []) {
        const inner = shape.kind === "list" || shape.kind === "map" ? shape.of : shape;
        if (inner.kind === "type") assert.match(definitionName(inner.name), /^io\.k8s\./);
      }
    }
    assert.equal(isAtomic("meta.LabelSelector"), true);
    assert.equal(isAtomic("core.Pod"), false);
  });
});

describe("The tables of types", () => {
  const missing = existsSync(SWAGGER) ? false : `needs ${SWAGGER}`;
  it("are those of Kubernetes' swagger.json", { skip: missing, timeout: 30_000 }, () => {
    // What JSON.parse gives is checked by what is read from it.
    const swagger = JSON.parse(readFileSync(SWAGGER, "utf8")) as Swagger;
    const tables = { ...CORE, ...GROUPS, ...DEFINITIONS };
    const kinds = Object.keys(tables).filter((type) => {
      const names = new Set(fieldsOf(type)?.map(({ name }) => name));
      return names.has("apiVersion") && names.has("kind") && names.has("metadata");
    });
    assert.ok(kinds.length >= 29);
    assert.deepEqual(Object.fromEntries(toNotation(swagger, kinds.map(definitionName))), tables);
  });
});
