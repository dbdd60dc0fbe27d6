import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EVERYTHING } from "../../lib/model/selector.ts";
import { declareInto, type On } from "../../lib/handlers/on.ts";
import { Registry } from "../../lib/handlers/registry.ts";
import { resource } from "../../lib/registry/resource.ts";

const Kind = resource({ group: "example.com", version: "v1", plural: "databases" });

describe("Registry", () => {
  it("serves several kinds where handlers name two, or a group of them", () => {
    const Other = resource({ group: "example.com", version: "v1", plural: "backups" });
    const serves = (declare: (on: On) => void): boolean => {
      const registry = new Registry();
      declare(declareInto(registry).on);
      return registry.servesSeveral;
    };
    const nothing = (): void => {};
    assert.equal(serves(() => {}), false);
    assert.equal(serves((on) => on.create(Kind, nothing)), false);
    assert.equal(serves((on) => [on.create(Kind, nothing), on.event(Kind, nothing)]), false);
    assert.equal(serves((on) => [on.create(Kind, nothing), on.event(Other, nothing)]), true);
    assert.equal(serves((on) => on.event(EVERYTHING, nothing)), true);
    assert.equal(serves((on) => on.event(() => true, nothing)), true);
  });
});
