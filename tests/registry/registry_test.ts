import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { calculateDiff } from "../../lib/model/diff.ts";
import { Patch } from "../../lib/model/patch.ts";
import type { Resource } from "../../lib/model/resource.ts";
import { ChangeArgs } from "../../lib/registry/args.ts";
import type { ChangeCause } from "../../lib/registry/causes.ts";
import { EVERYTHING } from "../../lib/model/selector.ts";
import { declareInto, type On } from "../../lib/registry/on.ts";
import { Registry, selectChanges } from "../../lib/registry/registry.ts";
import { resource } from "../../lib/registry/resource.ts";
import { silentLogger } from "../../lib/runtime/logging.ts";

const Kind = resource({ group: "example.com", version: "v1", plural: "databases" });

const DATABASES: Resource = {
  group: "example.com",
  version: "v1",
  plural: "databases",
  kind: "Database",
  singular: "database",
  shortcuts: ["db"],
  categories: [],
  subresources: [],
  namespaced: true,
  preferred: true,
  verbs: ["list", "watch", "patch"],
};

function select(declare: (on: On) => void, changes: Partial<ChangeCause> = {}): string[] {
  const registry = new Registry();
  declare(declareInto(registry).on);
  const old = changes.old;
  const now = changes.new ?? { spec: { a: 1 } };
  const cause: ChangeCause = {
    resource: DATABASES,
    body: { metadata: { name: "one", labels: { a: "b" } }, spec: { a: 1 } },
    patch: new Patch(),
    logger: silentLogger(),
    memo: {},
    indices: {},
    reason: "create",
    initial: false,
    old,
    new: now,
    diff: calculateDiff(old, now),
    ...changes,
  };
  const onFailure = (_: unknown, error: unknown): never => {
    throw error;
  };
  return selectChanges(registry.of(DATABASES).changes, {
    cause,
    args: () => new ChangeArgs(cause),
    onFailure,
  })
    .map(({ id }) => id);
}

describe("selectChanges()", () => {
  it("[A13] gives one handler for a function that was registered twice under one id", () => {
    function fn(): void {}
    assert.deepEqual(
      select((on) => {
        on.create(Kind, fn);
        on.create(Kind, fn);
        on.resume(Kind, fn);
      }, { initial: true }),
      ["fn"],
    );
  });

  it("[A14] gives two handlers for a function under two ids", () => {
    function fn(): void {}
    assert.deepEqual(
      select((on) => {
        on.create(Kind, { id: "a" }, fn);
        on.create(Kind, { id: "b" }, fn);
      }),
      ["a", "b"],
    );
  });

  it("[A16] gives the relevant ones, in the order of registration", () => {
    assert.deepEqual(
      select((on) => {
        on.create(Kind, { id: "first" }, () => {});
        on.update(Kind, { id: "no1" }, () => {});
        on.create(Kind, { id: "second", labels: { a: "b" } }, () => {});
        on.create("others.example.com", { id: "no2" }, () => {});
        on.create("databases", { id: "by name" }, () => {});
        on.create(EVERYTHING, { id: "for all" }, () => {});
        on.field(Kind, "spec.a", { id: "third" }, () => {});
        on.create(Kind, { id: "last" }, () => {});
      }),
      ["first", "second", "by name", "for all", "third/spec.a", "last"],
    );
  });
});

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
