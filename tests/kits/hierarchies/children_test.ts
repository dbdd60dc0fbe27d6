import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { eachChild } from "../../../lib/kits/hierarchies/children.ts";
import { adopt, label } from "../../../mod.ts";

describe("eachChild()", () => {
  it("[B315] gives all objects of lists in lists, and passes over null and undefined", () => {
    const [a, b, c] = [{}, {}, {}];
    const all = [...eachChild([a, null, [undefined, [b]], new Set([c])])];
    assert.deepEqual(all.map((child) => [a, b, c].indexOf(child)), [0, 1, 2]);
    assert.deepEqual([...eachChild(undefined)], []);
  });

  it("[B316] refuses what is no object", () => {
    const owner = { apiVersion: "v1", kind: "Pod", metadata: { name: "a", uid: "u" } };
    // @ts-expect-error A number is no object.
    assert.throws(() => adopt(123, { owner }), {
      name: "TypeError",
      message: "Cannot use a number (123) as a Kubernetes object: pass an object, or a list of objects",
    });
    // @ts-expect-error Nor is a text.
    assert.throws(() => label("pod", { a: "b" }), /a string \(pod\)/);
    // @ts-expect-error Nor are texts in a list.
    assert.throws(() => label([["pod"]], { a: "b" }), /a string \(pod\)/);
    assert.throws(() => [...eachChild(new Map([["metadata", {}]]))], /a Map/);
    assert.throws(() => [...eachChild({ metadata: "name" })], /metadata is a string \(name\)/);
    assert.throws(() => [...eachChild({ metadata: [] })], /metadata is a list/);
  });
});
