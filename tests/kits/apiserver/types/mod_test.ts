import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import {
  definitionName,
  fieldOf,
  fieldsOf,
  isAtomic,
  typeLines,
  typeOfKind,
} from "../../../../lib/kits/apiserver/types/mod.ts";
import { numberOf, readPackage } from "../../../conformance/apiserver/go_numbers.ts";
import { type Swagger, toNotation } from "../../../conformance/apiserver/notation.ts";

const SWAGGER = join(homedir(), "go/pkg/mod/k8s.io/kubernetes@v1.36.3/api/openapi-spec/swagger.json");

const MODULES = join(homedir(), "go/pkg/mod/k8s.io");
const V1_GROUPS =
  "admissionregistration apps authentication authorization autoscaling batch certificates coordination " +
  "core discovery events flowcontrol networking node policy rbac resource scheduling storage";

/** By group as the tables call it: where its Go types are. */
const PACKAGES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(V1_GROUPS.split(" ").map((group) => [group, `api@v0.36.3/${group}/v1`])),
  autoscaling2: "api@v0.36.3/autoscaling/v2",
  meta: "apimachinery@v0.36.3/pkg/apis/meta/v1",
  apiextensions: "apiextensions-apiserver@v0.36.3/pkg/apis/apiextensions/v1",
  apiregistration: "kube-aggregator@v0.36.3/pkg/apis/apiregistration/v1",
};

function sourcesIn(path: string): string[] {
  const folder = join(MODULES, path);
  const files = readdirSync(folder).filter((name) =>
    /^types.*\.go$/.test(name) && !name.endsWith("_test.go")
  );
  return files.map((name) => readFileSync(join(folder, name), "utf8"));
}

describe("typeOfKind()", () => {
  it("finds the built-in kinds in their own groups only", () => {
    assert.equal(typeOfKind("v1", "Pod"), "core.Pod");
    assert.equal(typeOfKind("rbac.authorization.k8s.io/v1", "Role"), "rbac.Role");
    assert.equal(typeOfKind("apps.example.com/v1", "Deployment"), undefined);
    assert.equal(typeOfKind("apps/v1beta1", "Deployment"), undefined);
    assert.equal(
      typeOfKind("autoscaling/v2", "HorizontalPodAutoscaler"),
      "autoscaling2.HorizontalPodAutoscaler",
    );
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
      numbers: [6],
      isPointer: false,
    });
    const handler = fieldOf("core.Probe", "exec");
    assert.deepEqual([handler?.numbers, handler?.isPointer], [[1, 1], true]);
    assert.equal(fieldOf("core.Container", "name")?.required, true);
    assert.equal(fieldOf("meta.ObjectMeta", "finalizers")?.merges, true);
    assert.equal(fieldOf("apps.DeploymentSpec", "strategy")?.retainsKeys, true);
    assert.equal(fieldOf("core.Container", "nothing"), undefined);
  });

  it("resolves every type that a field names", () => {
    for (const type of typeLines().map(([name]) => name)) {
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
    const packages = new Map(
      Object.entries(PACKAGES).map(([group, path]) => [group, readPackage(sourcesIn(path))]),
    );
    const tables = typeLines();
    const known = new Set(tables.map(([name]) => definitionName(name)));
    const roots = Object.keys(swagger.definitions).filter((name) => known.has(name));
    assert.ok(roots.length > 400);
    const made = toNotation(swagger, roots, (type, field) => numberOf(packages, type, field));
    assert.deepEqual([...made].sort(), tables.sort());
  });
});
