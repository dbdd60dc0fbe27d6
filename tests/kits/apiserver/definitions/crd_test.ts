import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  compareVersions,
  defaultDefinition,
  servedResources,
} from "../../../../lib/kits/apiserver/definitions/crd.ts";
import { validateDefinition } from "../../../../lib/kits/apiserver/definitions/rules.ts";
import type { JsonObject, KubeObject } from "../../../../lib/model/object.ts";

interface Changes {
  readonly name?: string;
  readonly spec?: JsonObject;
  readonly version?: JsonObject;
  readonly schema?: JsonObject;
}

function definition({ name = "databases.example.com", spec, version, schema }: Changes = {}): KubeObject {
  const openAPIV3Schema = schema ?? { type: "object", properties: { spec: { type: "object" } } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "databases", kind: "Database", shortNames: ["db"], categories: ["all"] },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema }, ...version }],
      ...spec,
    },
  };
}

function complaints(changes: Changes, old?: KubeObject): string[] {
  const crd = definition(changes);
  defaultDefinition(crd);
  if (old !== undefined) crd.status = { storedVersions: ["v1"] };
  return validateDefinition(crd, { old }).map(({ field, message }) => `${field}: ${message}`);
}

const NAMES = { plural: "databases", kind: "Database" };

describe("defaultDefinition()", () => {
  it("fills in singular, listKind and conversion", () => {
    const crd = definition();
    defaultDefinition(crd);
    assert.deepEqual(crd.spec?.names, {
      plural: "databases",
      kind: "Database",
      shortNames: ["db"],
      categories: ["all"],
      singular: "database",
      listKind: "DatabaseList",
    });
    assert.deepEqual(crd.spec?.conversion, { strategy: "None" });
  });

  it("leaves what is given", () => {
    const names = { ...NAMES, singular: "one", listKind: "Many" };
    const crd = definition({ spec: { names, conversion: { strategy: "Webhook" } } });
    defaultDefinition(crd);
    assert.deepEqual([crd.spec?.names, crd.spec?.conversion], [names, { strategy: "Webhook" }]);
  });
});

describe("validateDefinition()", () => {
  it("accepts a sound definition", () => {
    assert.deepEqual(complaints({}), []);
  });

  it("wants the name to be plural and group", () => {
    assert.deepEqual(complaints({ name: "dbs.example.com" }), [
      'metadata.name: Invalid value: "dbs.example.com": must be spec.names.plural+"."+spec.group',
    ]);
  });

  it("wants one storage version", () => {
    const found = complaints({ version: { storage: false } });
    assert.match(
      found[0]!,
      /^spec\.versions: Invalid value: .*: must have exactly one version marked as storage version$/,
    );
  });

  it("wants names that DNS would take", () => {
    const found = complaints({ spec: { names: { ...NAMES, shortNames: ["A_b"] } } });
    assert.deepEqual(found, [
      `spec.names.shortNames[0]: Invalid value: "A_b": a DNS-1035 label must consist of lower case alphanumeric ` +
      `characters or '-', start with an alphabetic character, and end with an alphanumeric character ` +
      `(e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')`,
    ]);
  });

  it("wants scope, schema and kind", () => {
    assert.deepEqual(complaints({ spec: { scope: "Everywhere" } }), [
      'spec.scope: Unsupported value: "Everywhere": supported values: "Cluster", "Namespaced"',
    ]);
    assert.deepEqual(complaints({ version: { schema: undefined } }), [
      "spec.versions[0].schema.openAPIV3Schema: Required value",
    ]);
    assert.deepEqual(complaints({ spec: { names: { plural: "databases" } } }).slice(0, 2), [
      "spec.names.singular: Required value",
      "spec.names.kind: Required value",
    ]);
  });

  it("wants structural schemas", () => {
    const path = "spec.validation.openAPIV3Schema";
    assert.deepEqual(complaints({ schema: { type: "object", properties: { spec: {} } } }), [
      `${path}.properties[spec].type: Required value: must not be empty for specified object fields`,
    ]);
    assert.deepEqual(complaints({ schema: { type: "array", items: { type: "string" } } }), [
      `${path}.type: Invalid value: "array": must be object at the root`,
    ]);
    assert.deepEqual(complaints({ schema: { type: "object", additionalProperties: { type: "string" } } }), [
      `${path}.additionalProperties: Forbidden: must not be used at the root`,
    ]);
    const nested = { type: "object", properties: { a: { type: "string", anyOf: [{ type: "string" }] } } };
    assert.deepEqual(complaints({ schema: nested }), [
      `${path}.properties[a].anyOf[0].type: Forbidden: must be empty to be structural`,
    ]);
    const intOrString = {
      "x-kubernetes-int-or-string": true,
      anyOf: [{ type: "integer" }, { type: "string" }],
    };
    assert.deepEqual(complaints({ schema: { type: "object", properties: { a: intOrString } } }), []);
  });

  it("wants defaults to be valid and known", () => {
    const path = "spec.validation.openAPIV3Schema.properties";
    const a = { type: "integer", default: "x" };
    const b = { type: "object", default: { c: 1 }, properties: { d: { type: "integer" } } };
    assert.deepEqual(complaints({ schema: { type: "object", properties: { a, b } } }), [
      `${path}[b].default: Invalid value: {"c":1}: must not have unknown fields`,
      `${path}[a].default: Invalid value: "string":  in body must be of type integer: "string"`,
    ]);
  });

  it("refuses patterns that Go cannot compile", () => {
    const a = { type: "string", pattern: "(?=x)" };
    assert.match(
      complaints({ schema: { type: "object", properties: { a } } })[0]!,
      /must be a valid regular expression/,
    );
  });

  it("refuses columns of unknown types", () => {
    const additionalPrinterColumns = [{ name: "A", type: "text", jsonPath: ".a" }];
    assert.deepEqual(complaints({ version: { additionalPrinterColumns } }), [
      'spec.additionalPrinterColumns[0].type: Invalid value: "text": must be one of boolean,date,integer,number,string',
    ]);
  });

  it("keeps scope, group and names as they were", () => {
    const plain = definition();
    const conditions = [{ type: "Established", status: "True" }];
    const old = { ...plain, status: { ...plain.status, conditions } };
    assert.deepEqual(complaints({ spec: { scope: "Cluster" } }, old), [
      'spec.scope: Invalid value: "Cluster": field is immutable',
    ]);
    assert.deepEqual(complaints({}, old), []);
  });

  it("lets the scope change as long as nobody could use it", () => {
    assert.deepEqual(complaints({ spec: { scope: "Cluster" } }, definition()), []);
  });

  it("protects the groups of Kubernetes", () => {
    const found = complaints({ name: "databases.my.k8s.io", spec: { group: "my.k8s.io" } });
    assert.match(
      found[0]!,
      /^metadata\.annotations\[api-approved\.kubernetes\.io\]: Required value: protected groups/,
    );
  });
});

describe("servedResources()", () => {
  it("describes each served version", () => {
    const subresources = {
      status: {},
      scale: { specReplicasPath: ".spec.n", statusReplicasPath: ".status.n" },
    };
    const [resource, ...others] = servedResources(definition({ version: { subresources } }));
    assert.equal(others.length, 0);
    const { schema: _, ...rest } = resource!;
    assert.deepEqual(rest, {
      group: "example.com",
      version: "v1",
      plural: "databases",
      kind: "Database",
      listKind: "DatabaseList",
      singular: "database",
      shortcuts: ["db"],
      categories: ["all"],
      subresources: ["status", "scale"],
      namespaced: true,
      preferred: true,
      verbs: ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"],
      storedIn: "example.com/v1",
      columns: [],
      selectable: [],
      scale: { specReplicasPath: ".spec.n", statusReplicasPath: ".status.n" },
    });
  });

  it("puts the preferred version first and leaves out what is not served", () => {
    const versions = ["v1beta1", "v2", "v1", "v3alpha1"].map((name) => ({ name, served: name !== "v1" }));
    const served = servedResources(definition({ spec: { versions } }));
    assert.deepEqual(served.map(({ version, preferred }) => [version, preferred]), [
      ["v2", true],
      ["v1beta1", false],
      ["v3alpha1", false],
    ]);
  });

  it("words deprecation", () => {
    const [plain] = servedResources(definition({ version: { deprecated: true } }));
    assert.equal(plain?.deprecation, "example.com/v1 Database is deprecated");
  });
});

describe("compareVersions()", () => {
  it("orders as Kubernetes does", () => {
    const versions = [
      "foo1",
      "v1",
      "v11alpha2",
      "v10",
      "v3beta1",
      "v12alpha1",
      "v2",
      "foo10",
      "v11beta2",
      "v10beta3",
    ];
    assert.deepEqual(versions.sort(compareVersions), [
      "v10",
      "v2",
      "v1",
      "v11beta2",
      "v10beta3",
      "v3beta1",
      "v12alpha1",
      "v11alpha2",
      "foo1",
      "foo10",
    ]);
  });
});
