/**
 * What the compiler must infer and refuse. `deno check` proves it; running the file only shows that nothing throws.
 */

import { it } from "node:test";
import { operator, PRESENT, resource } from "../../mod.ts";

interface DatabaseSpec {
  engine: "postgresql" | "mysql";
  version: string;
  replicas?: number;
  storage?: { size: string; class?: string };
  tags?: Record<string, string>;
}

interface DatabaseStatus {
  state?: string;
  readyReplicas?: number;
}

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;

function expectType<T extends true>(..._: T[]): void {}

const Database = resource<DatabaseSpec, DatabaseStatus>({
  group: "example.com",
  version: "v1",
  plural: "databases",
});

it("handlers see the types of the kind", () => {
  const op = operator();

  op.on.create(Database, ({ spec, status, patch, old, name }) => {
    expectType<Equal<typeof spec.engine, "postgresql" | "mysql">>();
    expectType<Equal<typeof spec.replicas, number | undefined>>();
    expectType<Equal<typeof status.readyReplicas, number | undefined>>();
    expectType<Equal<typeof name, string>>();
    expectType<Equal<NonNullable<typeof old>["spec"], typeof spec | undefined>>();
    patch.status.state = "Ready";
    patch.status.readyReplicas = null;
    // @ts-expect-error There is no such status.
    patch.status.stat = "Ready";
    // @ts-expect-error It is a number.
    patch.spec.replicas = "3";
    // @ts-expect-error Objects are for reading.
    spec.replicas = 3;
    // @ts-expect-error There is no such field.
    void spec.replica;
  });

  op.on.field(Database, "spec.replicas", function scale({ old, new: wanted }) {
    expectType<Equal<typeof old, number | undefined>>();
    expectType<Equal<typeof wanted, number | undefined>>();
  });

  op.on.field(Database, "spec.storage.size", function resize({ new: wanted }) {
    expectType<Equal<typeof wanted, string | undefined>>();
  });

  op.on.field(Database, "spec.tags.any-key", function tag({ new: wanted }) {
    void wanted;
  });

  // @ts-expect-error The path is misspelt.
  op.on.field(Database, "spec.replica", function misspelt() {});

  op.on.update(Database, { id: "engine", field: "spec.engine", new: "mysql" }, ({ old }) => {
    expectType<Equal<typeof old, "postgresql" | "mysql" | undefined>>();
  });
  op.on.update(Database, {
    id: "present",
    field: "spec.replicas",
    old: PRESENT,
    new: (value) => (value ?? 0) > 3,
  }, () => {});

  // @ts-expect-error There is no such engine.
  op.on.update(Database, { id: "wrong", field: "spec.engine", new: "oracle" }, () => {});

  op.on.create(Database, { id: "param", param: { tier: 3 } }, ({ param }) => {
    expectType<Equal<typeof param, { tier: number }>>();
  });

  op.on.event(Database, ({ type, event, spec }) => {
    expectType<Equal<typeof type, "ADDED" | "MODIFIED" | "DELETED" | null>>();
    expectType<Equal<typeof spec.version, string>>();
    void event.object.spec?.engine;
  });
});

it("kinds named by text are untyped, and take any field", () => {
  const op = operator();
  op.on.create("configmaps", { field: "data.key" }, ({ spec, new: now }) => {
    void spec.anything;
    void now;
  });
});
