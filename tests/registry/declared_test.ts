import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { operator, resource } from "../../mod.ts";

describe("op.declared", () => {
  it("names each handler of objects once, with its cause, its field and what its kind was declared with", () => {
    const op = operator();
    const options = { group: "example.com", version: "v1", plural: "cats" };
    const Cat = resource(options);
    const fn = (): void => {};
    op.on.event(Cat, { id: "see" }, fn);
    op.on.create(Cat, { id: "make" }, fn);
    op.on.resume(Cat, { id: "find" }, fn);
    op.on.field("dogs", "spec.size", { id: "grow" }, fn);
    op.daemon(Cat, { id: "guard" }, fn);
    op.timer(Cat, { id: "tick", interval: 1 }, fn);
    op.index(Cat, { id: "by" }, () => ({}));
    op.on.validate(Cat, { id: "check" }, fn);
    op.on.startup(fn);
    const found = new Map(op.declared.map((each) => [each.id, each]));
    assert.deepEqual(Object.fromEntries([...found].map(([id, { cause }]) => [id, cause])), {
      see: "event",
      make: "create",
      find: "resume",
      "grow/spec.size": "change",
      guard: "daemon",
      tick: "timer",
      by: "index",
      check: "validate",
    });
    assert.equal(found.get("make")?.resource, options);
    const grow = found.get("grow/spec.size");
    assert.deepEqual([grow?.resource, grow?.field, grow?.fn], [undefined, ["spec", "size"], fn]);
  });
});
