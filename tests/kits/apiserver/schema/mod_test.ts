import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Cause } from "../../../../lib/kits/apiserver/causes.ts";
import { compileSchema } from "../../../../lib/kits/apiserver/schema/mod.ts";

const DATABASE = {
  type: "object",
  required: ["spec"],
  properties: {
    spec: {
      type: "object",
      required: ["engine", "version", "storage"],
      properties: {
        engine: { type: "string", enum: ["postgresql", "mysql"] },
        version: { type: "string", minLength: 2, pattern: "^[0-9.]+$" },
        storage: { type: "string", pattern: "^[0-9]+(Gi|Mi)$" },
        replicas: { type: "integer", format: "int32", minimum: 1, maximum: 5, default: 1 },
        backupEnabled: { type: "boolean", default: true },
        port: { "x-kubernetes-int-or-string": true },
        until: { type: "string", format: "date-time" },
        note: { type: "string", nullable: true, maxLength: 10 },
        labels: { type: "object", additionalProperties: { type: "string" }, maxProperties: 2 },
        users: {
          type: "array",
          maxItems: 3,
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["name"],
          items: {
            type: "object",
            required: ["name"],
            properties: { name: { type: "string" }, role: { type: "string", default: "reader" } },
          },
        },
        free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
      },
    },
    status: { type: "object", properties: { ready: { type: "integer" } } },
  },
};

function lines(causes: readonly Cause[]): string[] {
  return causes.map(({ field, message }) => `${field}: ${message}`).sort();
}

function database(spec: Record<string, unknown>): Record<string, unknown> {
  const valid = { engine: "mysql", version: "8.0", storage: "1Gi" };
  return {
    apiVersion: "example.com/v1",
    kind: "Database",
    metadata: { name: "a" },
    spec: { ...valid, ...spec },
  };
}

function validate(spec: Record<string, unknown>): string[] {
  return lines(compileSchema(DATABASE).validate(database(spec)));
}

describe("validate()", () => {
  it("accepts a valid object", () => {
    assert.deepEqual(validate({ replicas: 5, port: "http", until: "2026-01-02T03:04:05Z", note: null }), []);
  });

  it("words bounds as Kubernetes does", () => {
    assert.deepEqual(compileSchema(DATABASE).validate(database({ replicas: 7 })), [{
      reason: "FieldValueInvalid",
      field: "spec.replicas",
      message: "Invalid value: 7: spec.replicas in body should be less than or equal to 5",
    }]);
  });

  it("words unsupported values as Kubernetes does", () => {
    assert.deepEqual(compileSchema(DATABASE).validate(database({ engine: "x" })), [{
      reason: "FieldValueNotSupported",
      field: "spec.engine",
      message: 'Unsupported value: "x": supported values: "postgresql", "mysql"',
    }]);
  });

  it("words missing fields as Kubernetes does", () => {
    const causes = compileSchema(DATABASE).validate({ spec: { engine: "mysql", storage: "1Gi" } });
    assert.deepEqual(causes, [{
      reason: "FieldValueRequired",
      field: "spec.version",
      message: "Required value",
    }]);
  });

  it("words wrong types as Kubernetes does, with the type's name as the value", () => {
    assert.deepEqual(compileSchema(DATABASE).validate(database({ backupEnabled: "yes" })), [{
      reason: "FieldValueTypeInvalid",
      field: "spec.backupEnabled",
      message: 'Invalid value: "string": spec.backupEnabled in body must be of type boolean: "string"',
    }]);
    assert.deepEqual(validate({ replicas: true }), [
      'spec.replicas: Invalid value: "": spec.replicas in body must be of type int32: ""',
    ]);
    assert.deepEqual(validate({ users: { a: 1 } }), [
      'spec.users: Invalid value: "object": spec.users in body must be of type array: "object"',
    ]);
  });

  it("tells integers from other numbers, twice, as Kubernetes does", () => {
    const schema = compileSchema({ type: "object", properties: { n: { type: "integer" } } });
    assert.deepEqual(lines(schema.validate({ n: 1.5 })), [
      '<nil>: Invalid value: "": Checked value must be of type integer (default format) in n',
      'n: Invalid value: "number": n in body must be of type integer: "number"',
    ]);
    assert.deepEqual(schema.validate({ n: 1.0 }), []);
  });

  it("reports all that is wrong, but of a text only the first", () => {
    assert.deepEqual(validate({ version: "x", storage: "1", note: "12345678901" }), [
      "spec.note: Too long: may not be more than 10 bytes",
      `spec.storage: Invalid value: "1": spec.storage in body should match '^[0-9]+(Gi|Mi)$'`,
      'spec.version: Invalid value: "x": spec.version in body should be at least 2 chars long',
    ]);
  });

  it("checks formats by Kubernetes' rules and ignores those it does not know", () => {
    assert.deepEqual(validate({ until: "tomorrow" }), [
      'spec.until: Invalid value: "tomorrow": spec.until in body must be of type date-time: "tomorrow"',
    ]);
    const schema = { type: "object", properties: { a: { type: "string", format: "starship" } } };
    assert.deepEqual(compileSchema(schema).validate({ a: "any" }), []);
    assert.deepEqual(validate({ replicas: 2 ** 31 }), [
      '<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.replicas',
      "spec.replicas: Invalid value: 2147483648: spec.replicas in body should be less than or equal to 5",
    ]);
  });

  it("takes integers and texts where int-or-string is set, and nothing else", () => {
    assert.deepEqual(validate({ port: 80 }), []);
    assert.deepEqual(validate({ port: true }), [
      'spec.port: Invalid value: "boolean": spec.port in body must be of type integer,string: "boolean"',
    ]);
  });

  it("refuses null where the schema does not say nullable", () => {
    assert.deepEqual(validate({ note: null, engine: null }), [
      'spec.engine: Invalid value: "null": spec.engine in body must be of type string: "null"',
      'spec.engine: Unsupported value: null: supported values: "postgresql", "mysql"',
    ]);
  });

  it("counts items and properties", () => {
    const users = ["a", "b", "c", "d"].map((name) => ({ name }));
    assert.deepEqual(validate({ users, labels: { a: "1", b: "2", c: "3" } }), [
      "spec.labels: Too many: 3: must have at most 2 items",
      "spec.users: Too many: 4: must have at most 3 items",
    ]);
  });

  it("names items and entries of maps by their paths", () => {
    assert.deepEqual(validate({ users: [{ name: "a" }, {}], labels: { "x/y~z": 1 } }), [
      'spec.labels.x/y~z: Invalid value: "integer": spec.labels.x/y~z in body must be of type string: "integer"',
      "spec.users[1].name: Required value",
    ]);
  });

  it("reports combinations without a field, and the best branch", () => {
    const schema = {
      type: "object",
      properties: { a: { type: "integer" }, b: { type: "string" } },
      oneOf: [{ required: ["a"] }, { required: ["b"] }],
    };
    const whole = { type: "object", properties: { spec: schema } };
    assert.deepEqual(lines(compileSchema(whole).validate({ spec: {} })), [
      '<nil>: Invalid value: "": "spec" must validate one and only one schema (oneOf). Found none valid',
      "spec.a: Required value",
    ]);
    assert.deepEqual(lines(compileSchema(whole).validate({ spec: { a: 1, b: "" } })), [
      '<nil>: Invalid value: "": "spec" must validate one and only one schema (oneOf). Found 2 valid alternatives',
    ]);
    const all = {
      type: "object",
      properties: { spec: { type: "object", allOf: [{ required: ["a"] }, {}] } },
    };
    assert.deepEqual(lines(compileSchema(all).validate({ spec: {} })), [
      '<nil>: Invalid value: "": "spec" must validate all the schemas (allOf)',
      "spec.a: Required value",
    ]);
    const not = { type: "object", properties: { spec: { type: "object", not: { required: ["a"] } } } };
    assert.deepEqual(lines(compileSchema(not).validate({ spec: { a: 1 } })), [
      '<nil>: Invalid value: "": "spec" must not validate the schema (not)',
    ]);
  });

  it("finds duplicates in maps and sets", () => {
    assert.deepEqual(validate({ users: [{ name: "a" }, { name: "a" }] }), [
      'spec.users[1]: Duplicate value: {"name":"a"}',
    ]);
    const set = { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } };
    const schema = { type: "object", properties: { tags: set } };
    assert.deepEqual(lines(compileSchema(schema).validate({ tags: ["a", "b", "a", "a"] })), [
      'tags[2]: Duplicate value: "a"',
    ]);
  });

  it("lets what was wrong before pass when it did not change", () => {
    const schema = compileSchema(DATABASE);
    const old = database({ replicas: 9, users: [{ name: "a", role: 1 }] });
    assert.deepEqual(lines(schema.validate(database({ replicas: 9, note: "new" }), { old })), []);
    assert.deepEqual(lines(schema.validate(database({ replicas: 8 }), { old })).length, 1);
    const users = [{ name: "b" }, { name: "a", role: 1 }];
    assert.deepEqual(lines(schema.validate(database({ users }), { old })), []);
  });

  it("checks only the status in an update of the status", () => {
    const object = { ...database({ replicas: 9 }), status: { ready: "x" } };
    assert.deepEqual(lines(compileSchema(DATABASE).validate(object, { part: "status" })), [
      'status.ready: Invalid value: "string": ready in body must be of type integer: "string"',
    ]);
  });

  it("requires apiVersion and kind of embedded resources", () => {
    const template = {
      type: "object",
      "x-kubernetes-embedded-resource": true,
      "x-kubernetes-preserve-unknown-fields": true,
    };
    const schema = { type: "object", properties: { template } };
    assert.deepEqual(lines(compileSchema(schema).validate({ template: { kind: "" } })), [
      "template.apiVersion: Required value",
      'template.kind: Invalid value: "": must not be empty',
    ]);
  });

  it("does not mind x-kubernetes-validations", () => {
    const schema = { type: "object", "x-kubernetes-validations": [{ rule: "self.a > 1" }] };
    assert.deepEqual(compileSchema(schema).validate({}), []);
  });

  it("takes __proto__ and constructor for data", () => {
    const schema = compileSchema({
      type: "object",
      required: ["constructor"],
      properties: { map: { type: "object", additionalProperties: { type: "integer" } } },
    });
    const object = JSON.parse('{"map": {"__proto__": "x", "toString": 1}}');
    assert.deepEqual(lines(schema.validate(object)), [
      "constructor: Required value",
      'map.__proto__: Invalid value: "string": map.__proto__ in body must be of type integer: "string"',
    ]);
  });
});

describe("prune()", () => {
  it("removes unknown fields and names them", () => {
    const object = database({
      typo: 1,
      users: [{ name: "a", x: 1 }],
      free: { kept: { x: 1 } },
      labels: { any: "1" },
    });
    object.extra = true;
    assert.deepEqual(compileSchema(DATABASE).prune(object), ["extra", "spec.typo", "spec.users[0].x"]);
    assert.deepEqual(
      object,
      database({ users: [{ name: "a" }], free: { kept: { x: 1 } }, labels: { any: "1" } }),
    );
  });

  it("keeps metadata at the root and in embedded resources", () => {
    const schema = compileSchema({
      type: "object",
      properties: {
        template: {
          type: "object",
          "x-kubernetes-embedded-resource": true,
          properties: { spec: { type: "object", properties: { a: { type: "string" } } } },
        },
      },
    });
    const object = {
      apiVersion: "v1",
      kind: "A",
      metadata: { labels: { a: "b" } },
      template: { apiVersion: "v1", kind: "B", metadata: { name: "b" }, spec: { a: "1", b: 2 }, other: 1 },
    };
    assert.deepEqual(schema.prune(object), ["template.other", "template.spec.b"]);
    assert.deepEqual(
      object.template,
      { apiVersion: "v1", kind: "B", metadata: { name: "b" }, spec: { a: "1" } } as unknown,
    );
    assert.deepEqual(object.metadata, { labels: { a: "b" } });
  });

  it("prunes what is declared inside of what is preserved", () => {
    const free = {
      type: "object",
      "x-kubernetes-preserve-unknown-fields": true,
      properties: { known: { type: "object", properties: { a: { type: "string" } } } },
    };
    const object = { free: { any: { b: 1 }, known: { a: "1", b: 2 } } };
    assert.deepEqual(compileSchema({ type: "object", properties: { free } }).prune(object), ["free.known.b"]);
    assert.deepEqual(object, { free: { any: { b: 1 }, known: { a: "1" } } } as unknown);
  });

  it("removes nulls that are neither allowed nor defaulted", () => {
    const object = database({ note: null, until: null, replicas: null });
    compileSchema(DATABASE).prune(object);
    assert.deepEqual(object, database({ note: null, replicas: null }));
  });

  it("prunes a key __proto__ and leaves prototypes alone", () => {
    const object = JSON.parse('{"spec": {"__proto__": {"polluted": 1}, "engine": "mysql"}}');
    assert.deepEqual(compileSchema(DATABASE).prune(object), ["spec.__proto__"]);
    assert.deepEqual(Object.keys(object.spec), ["engine"]);
  });

  it("keeps everything without a schema", () => {
    const object = { any: { thing: 1 } };
    assert.deepEqual(compileSchema(undefined).prune(object), []);
    assert.deepEqual(object, { any: { thing: 1 } });
  });
});

describe("default()", () => {
  it("fills in what is missing, in lists, too, and leaves what is there", () => {
    const object = database({ users: [{ name: "a" }, { name: "b", role: "owner" }], backupEnabled: false });
    compileSchema(DATABASE).default(object);
    assert.deepEqual(
      object,
      database({
        users: [{ name: "a", role: "reader" }, { name: "b", role: "owner" }],
        backupEnabled: false,
        replicas: 1,
      }),
    );
  });

  it("replaces a null that is not allowed, and keeps one that is", () => {
    const object = database({ replicas: null, backupEnabled: null, note: null });
    compileSchema(DATABASE).default(object);
    assert.deepEqual(object, database({ replicas: 1, backupEnabled: true, note: null }));
  });

  it("fills in nested defaults only below what is there or defaulted", () => {
    const inner = { type: "object", properties: { a: { type: "integer", default: 1 } } };
    const schema = { type: "object", properties: { spec: inner, other: { ...inner, default: {} } } };
    const object = {};
    compileSchema(schema).default(object);
    assert.deepEqual(object, { other: { a: 1 } });
  });

  it("gives each object its own copy", () => {
    const schema = compileSchema({ type: "object", properties: { list: { type: "array", default: [1] } } });
    const [a, b]: { list?: number[] }[] = [{}, {}];
    schema.default(a!);
    schema.default(b!);
    a!.list!.push(2);
    assert.deepEqual(b, { list: [1] });
  });
});
