import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { eachChild, resolveOwner, warnHandled } from "../../../lib/kits/hierarchies/children.ts";
import { adopt, label } from "../../../lib/public/hierarchies.ts";
import { callWith } from "../../support/handler_calls.ts";
import { createLogger, type LogRecord } from "../../../lib/runtime/logging.ts";
import { virtualHost } from "../../../lib/runtime/virtual/host.ts";

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

const body = { kind: "Pod", metadata: { name: "a" } };
const other = { kind: "Pod", metadata: { name: "b" } };

describe("resolveOwner()", () => {
  it("gives the object of the running handler, unless one is named", async () => {
    const fn = (): void => {
      assert.equal(resolveOwner({}), body);
      assert.equal(resolveOwner({ owner: other }), other);
    };
    await callWith({ body }, { id: "a", fn });
  });

  it("finds none in handlers that are about no object, or outside of all", async () => {
    await assert.rejects(callWith({ settings: {} }, { id: "a", fn: () => resolveOwner({}) }), TypeError);
    assert.throws(() => resolveOwner({}), TypeError);
  });
});

describe("warnHandled()", () => {
  it("logs to the running handler's logger, and nowhere else", async () => {
    const lines: LogRecord[] = [];
    const logger = createLogger({ level: "debug", write: (line) => lines.push(line) }, virtualHost().clock);
    warnHandled("outside", {});
    await callWith({ body, logger }, { id: "a", fn: () => warnHandled("inside", { child: "x" }) });
    assert.deepEqual(lines.map(({ level, message }) => [level, message]), [["warn", "inside"]]);
  });
});
