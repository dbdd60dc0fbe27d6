import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Engine } from "../../../../lib/kits/apiserver/cel/engine.ts";
import {
  addInitializers,
  configurationOf,
  operationsOf,
} from "../../../../lib/kits/apiserver/cel/initializers.ts";

const engine = new Engine();

function make(source: string): unknown {
  const environment = engine.environment().variable("object", "dyn");
  addInitializers(environment);
  const { program, error } = engine.compile(environment, source, []);
  if (program === undefined) throw new SyntaxError(error);
  return program.evaluate({ object: new Map<string, unknown>([["Object", "field"], ["size", 2n]]) });
}

describe("initializers", () => {
  it("make objects, in maps, lists and choices", () => {
    const made = make(`Object{
      // Object{comment: "{,"}
      spec: Object.spec{replicas: object.size + 1, names: ["a", "Object{x: 1}"]},
      items: [1, 2].map(i, Object.items{at: i}),
      data: {"a,b": dyn("c"), "d": object.Object},
      flag: object.size > 1 ? Object.flag{} : Object.flag{x: null},
    }`);
    assert.deepEqual(configurationOf(made), {
      spec: { replicas: 3, names: ["a", "Object{x: 1}"] },
      items: [{ at: 1 }, { at: 2 }],
      data: { "a,b": "c", "d": "field" },
      flag: {},
    });
  });

  it("make operations of JSON patches", () => {
    const made = make(
      '[JSONPatch{op: "add", path: "/a/" + jsonpatch.escapeKey("b/c~"), value: Object.x{y: 1}}, JSONPatch{op: "move", from: "/a", path: "/b"}]',
    );
    assert.deepEqual(operationsOf(made), [
      { op: "add", path: "/a/b~1c~0", value: { y: 1 } },
      { op: "move", from: "/a", path: "/b" },
    ]);
  });

  it("refuse a type in a place of another name", () => {
    assert.throws(
      () => configurationOf(make("Object{spec: Object.status{}}")),
      /unexpected type name "Object.status", expected "Object.spec"/,
    );
    assert.throws(() => configurationOf(make("Object.spec{}")), /unexpected type name "Object.spec"/);
  });

  it("leave optional fields and entries out that have no value", () => {
    const made = make(`Object{
      ?a: optional.of("x"), ?b: optional.none(),
      data: {?"c": optional.of(dyn(string(object.size + 1))), "d": dyn("e"), ?"f": object.?nothing},
      list: [Object.list{?g: optional.of(Object.list.g{ ?h : optional.none() })}, Object.list{}],
      flag: object.?size.hasValue() ? [object[?"size"].orValue(7)] : [],
    }`);
    assert.deepEqual(configurationOf(made), {
      a: "x",
      data: { c: "3", d: "e" },
      list: [{ g: {} }, {}],
      flag: [2],
    });
    assert.throws(
      () => make('Object{?spec: "a"}'),
      /expected type 'optional_type\(string\)' but found 'string'/,
    );
  });

  it("refuse fields that a patch does not have", () => {
    assert.throws(() => make('[JSONPatch{op: "add", where: "/a"}]'), /undefined field 'where'/);
  });
});
