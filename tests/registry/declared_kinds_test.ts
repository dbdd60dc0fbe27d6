import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { z } from "zod";
import { declaredKinds } from "../../lib/registry/declared_kinds.ts";
import { operator, resource } from "../../mod.ts";

const NAMES = { group: "example.com", version: "v1" } as const;
const spec = z.object({ size: z.int() });
const Cat = { ...NAMES, plural: "cats", kind: "Cat", spec } as const;
const Dog = { ...NAMES, plural: "dogs", kind: "Dog", spec } as const;

describe("declaredKinds()", () => {
  it("finds the kinds of all handlers and exports, each once", () => {
    const op = operator();
    const [cats, dogs, plain] = [resource(Cat), resource(Dog), resource({ ...NAMES, plural: "birds" })];
    op.on.create(cats, { id: "a" }, () => {});
    op.on.validate(cats, { id: "b" }, () => {});
    op.timer(plain, { interval: 9 }, function tick() {});
    op.on.event("pods", { id: "c" }, () => {});
    const found = declaredKinds({ operators: [op], exports: [dogs, cats, op, undefined, "text"] });
    assert.deepEqual(found.map(({ plural }) => plural).toSorted(), ["birds", "cats", "dogs"]);
  });
});
