/**
 * What the compiler must infer and refuse. `deno check` proves it; running the file only shows that nothing throws.
 */

import assert from "node:assert/strict";
import { it } from "node:test";
import { z } from "zod";
import { type ChangeHandlerArguments, type Index, kinds, operator, PRESENT, resource } from "../../mod.ts";

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
    expectType<Equal<typeof old, undefined>>();
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

it("indexes have the keys and values that their functions return", () => {
  const op = operator();
  const byEngine = op.index(Database, function byEngine({ spec, name }) {
    return { [spec.engine]: { name, replicas: spec.replicas } };
  });
  expectType<
    Equal<
      ReturnType<typeof byEngine.get>,
      readonly { name: string; replicas: number | undefined }[] | undefined
    >
  >();
  void byEngine.get("mysql");
  // @ts-expect-error Nobody can change an index.
  void byEngine.set;

  const versions = op.index(
    Database,
    { id: "versions", labels: { tier: PRESENT } },
    ({ spec }) => spec.version,
  );
  expectType<Equal<typeof versions, Index<null, string>>>();

  const owners = op.index(Database, { id: "owners" }, async ({ namespace, name }) => {
    return await Promise.resolve(new Map([[[namespace, name] as const, 1]]));
  });
  expectType<Equal<typeof owners, Index<readonly [string | undefined, string], number>>>();

  const some = op.index(Database, { id: "some", field: "spec.replicas", value: 3 }, ({ spec, name }) => {
    if (spec.replicas === 1) return null;
    return spec.replicas === 2 ? {} : { [name]: spec.replicas };
  });
  void some.get("name")?.map((replicas) => (replicas ?? 0) + 1);
  // @ts-expect-error The path is misspelt.
  op.index(Database, { id: "wrong", field: "spec.replica" }, () => ({}));
});

it("kinds named by text are untyped, and take any field", () => {
  const op = operator();
  op.on.create("configmaps", { field: "data.key" }, ({ spec, new: now }) => {
    void spec.anything;
    void now;
  });
});

it("built-in kinds have the types of the official client, with times as texts", () => {
  const op = operator();

  op.on.event(kinds.Pod, ({ spec, status, patch }) => {
    expectType<Equal<typeof status.phase, string | undefined>>();
    expectType<Equal<typeof status.startTime, string | undefined>>();
    expectType<Equal<typeof spec.containers[number]["image"], string | undefined>>();
    patch.spec.activeDeadlineSeconds = 30;
    // @ts-expect-error There is no such status.
    void status.phases;
    // @ts-expect-error It is a number.
    patch.spec.activeDeadlineSeconds = "30";
  });

  op.on.field(kinds.Deployment, "spec.replicas", ({ new: wanted }) => {
    expectType<Equal<typeof wanted, number | undefined>>();
  });
  op.on.field(kinds.StatefulSet, "spec.template.spec.nodeName", { id: "node" }, ({ new: wanted }) => {
    expectType<Equal<typeof wanted, string | undefined>>();
  });
  // @ts-expect-error The path is misspelt.
  op.on.field(kinds.Deployment, "spec.replica", { id: "misspelt" }, () => {});

  async function calls(): Promise<void> {
    const { spec, status } = await op.api.get(kinds.Deployment, { name: "web", namespace: "default" });
    expectType<Equal<NonNullable<typeof spec>["replicas"], number | undefined>>();
    expectType<Equal<NonNullable<typeof status>["readyReplicas"], number | undefined>>();
    // @ts-expect-error A Deployment must have a selector and a template.
    await op.api.create(kinds.Deployment, { metadata: { name: "web" }, spec: { replicas: 1 } });
    await op.api.create(kinds.Service, { metadata: { name: "web" }, spec: { ports: [{ port: 80 }] } });
    await op.api.create(kinds.ConfigMap, { metadata: { name: "web" }, data: { any: "text" } });
    for await (const { spec } of op.api.list(kinds.Lease)) {
      expectType<Equal<NonNullable<typeof spec>["renewTime"], string | undefined>>();
    }
  }
  void calls;
});

it("daemons and timers see the types of the kind, and a flag to stop", () => {
  const op = operator();

  op.daemon(Database, async ({ spec, status, patch, stopped, signal, param }) => {
    expectType<Equal<typeof spec.replicas, number | undefined>>();
    expectType<Equal<typeof status.state, string | undefined>>();
    expectType<Equal<typeof param, undefined>>();
    patch.status.readyReplicas = 3;
    // @ts-expect-error There is no such status.
    patch.status.ready = 3;
    const isOver = await stopped.wait(10);
    expectType<Equal<typeof isOver, boolean>>();
    const passedOn: AbortSignal[] = [stopped, signal];
    void passedOn;
    void stopped.reasons.has("RESOURCE_DELETED");
    // @ts-expect-error There is no such reason.
    void stopped.reasons.has("BORED");
  });
  op.daemon(Database, {
    id: "filtered",
    field: "spec.engine",
    value: "mysql",
    param: { tier: 3 },
    initialDelay: ({ spec }) => spec.replicas ?? 0,
    cancellationBackoff: 1,
    cancellationTimeout: 2,
    when: ({ spec }) => spec.version !== "",
  }, ({ param }) => {
    expectType<Equal<typeof param, { tier: number }>>();
  });
  op.timer(Database, { interval: 10, sharp: true, idle: 5 }, ({ spec }) => ({ engine: spec.engine }));

  // @ts-expect-error There is no such engine.
  op.daemon(Database, { id: "wrong", field: "spec.engine", value: "oracle" }, () => {});
  // @ts-expect-error The path is misspelt.
  op.timer(Database, { id: "misspelt", field: "spec.replica" }, () => {});
});

it("schemas give the types of spec and status, with defaults filled in", () => {
  const op = operator();
  const Bakery = resource({
    ...{ group: "example.com", version: "v1", plural: "bakeries", kind: "Bakery" },
    spec: z.object({
      bread: z.enum(["rye", "wheat"]),
      loaves: z.int().default(20),
      note: z.string().optional(),
    }),
    status: z.object({ baked: z.int().optional() }),
  });
  op.on.update(Bakery, { field: "spec.loaves" }, ({ spec, patch, new: loaves }) => {
    expectType<Equal<typeof spec.bread, "rye" | "wheat">>();
    expectType<Equal<typeof spec.loaves, number>>();
    expectType<Equal<typeof spec.note, string | undefined>>();
    expectType<Equal<typeof loaves, number | undefined>>();
    patch.status.baked = 3;
    // @ts-expect-error it is a number
    patch.status.baked = "3";
  });
  // @ts-expect-error there is no such field
  op.on.field(Bakery, "spec.loafs", () => {});
  const Oven = resource({ group: "example.com", plural: "ovens", spec: z.object({ heat: z.int() }) });
  op.on.create(Oven, ({ spec, status }) => {
    expectType<Equal<typeof spec.heat, number>>();
    expectType<Equal<typeof status.anything, unknown>>();
  });
  // @ts-expect-error a type is no schema
  assert.throws(() => resource({ group: "example.com", plural: "ovens", spec: "string" }), TypeError);
});

it("`old` is what the cause says, and `new` is always there", () => {
  const op = operator();
  op.on.create(Database, { id: "1" }, ({ old, new: now, reason }) => {
    expectType<Equal<typeof old, undefined>>();
    expectType<Equal<typeof reason, "create" | "update" | "delete" | "resume">>();
    void now.spec?.replicas;
  });
  op.on.update(Database, { id: "2" }, ({ old, new: now }) => {
    const [before, after]: [string | undefined, string | undefined] = [old.spec?.engine, now.spec?.engine];
    void [before, after];
  });
  op.on.update(Database, function change({ old }) {
    void old.spec?.engine;
  });
  op.on.delete(Database, { id: "3", optional: true }, ({ old }) => {
    // @ts-expect-error It may be deleted without ever having been handled.
    void (() => old.spec);
  });
  op.on.resume(Database, { id: "4", deleted: true }, ({ old }) => {
    // @ts-expect-error The same.
    void (() => old.spec);
  });
  op.on.update(Database, { id: "5", field: "spec.replicas", retries: 3 }, ({ old, new: now }) => {
    expectType<Equal<typeof old, number | undefined>>();
    expectType<Equal<typeof now, number | undefined>>();
  });
});

it("options that a cause does not have do not compile", () => {
  const op = operator();
  const refused = [
    // @ts-expect-error Only deletions can be optional.
    () => op.on.create(Database, { id: "1", optional: true }, () => {}),
    // @ts-expect-error Misspelt.
    () => op.on.update(Database, { id: "2", retrys: 3 }, () => {}),
    // @ts-expect-error A time is a number.
    () => op.on.delete(Database, { id: "3", timeout: "3" }, () => {}),
    // @ts-expect-error Raw events are not retried.
    () => op.on.event(Database, { id: "4", retries: 3 }, () => {}),
    // @ts-expect-error Daemons have no interval.
    () => op.daemon(Database, { id: "5", interval: 3 }, () => {}),
    // @ts-expect-error There is no such operation.
    () => op.on.validate(Database, { id: "6", operation: "PATCH" }, () => {}),
    // @ts-expect-error Several kinds are several registrations.
    () => op.on.create([Database], () => {}),
  ];
  // @ts-expect-error A login does not return just anything; what it returns is known when it is called.
  op.on.login({ id: "7" }, () => 3);
  for (const refuse of refused) assert.throws(refuse, TypeError, `${refuse}`);
});

it("one function can serve several causes, and be declared without its object", () => {
  const op = operator();
  const { create, update, delete: remove } = op.on;
  function shared({ old }: { old: unknown }): void {
    void old;
  }
  function typed({ old, spec }: ChangeHandlerArguments<DatabaseSpec, DatabaseStatus>): void {
    void old?.spec?.engine;
    void spec.engine;
  }
  create(Database, shared);
  update(Database, shared);
  create(Database, typed);
  update(Database, typed);
  remove(Database, typed);
});

it("objects of other kinds are typed by the kind: a misspelt field does not compile", () => {
  const { api } = operator();
  const address = { name: "a", namespace: "default" };
  async function calls(): Promise<void> {
    await api.patch(Database, address, { spec: { replicas: 3, storage: null } });
    await api.patch(Database, address, { metadata: { labels: { a: null } }, data: { any: "thing" } });
    await api.patch(Database, { ...address, subresource: "status" }, { status: { state: "Up" } });
    await api.patch(Database, address, [{ op: "replace", path: "/spec/replicas", value: 3 }]);
    // @ts-expect-error Misspelt.
    await api.patch(Database, address, { spec: { replicass: 3 } });
    // @ts-expect-error Of the wrong type.
    await api.patch(Database, address, { spec: { replicas: "3" } });
    // @ts-expect-error There is no such operation.
    await api.patch(Database, address, [{ op: "merge", path: "/spec" }]);
    // @ts-expect-error There is no such field.
    await api.patch(kinds.Deployment, address, { spec: { replica: 3 } });
    // @ts-expect-error Nor is there one in what is made.
    await api.create(Database, { metadata: { name: "a" }, spec: { engine: "mysql", version: "8", size: 3 } });
    const Dated = resource({
      ...{ group: "example.com", version: "v1", plural: "dated", kind: "Dated" },
      spec: z.object({ text: z.string(), copies: z.int().default(1) }),
    });
    await api.create(Dated, { spec: { text: "what has a default may be left out" } });
    // @ts-expect-error: but nothing else
    await api.create(Dated, { spec: { copies: 1 } });
    // @ts-expect-error: nor may it be of another type
    await api.create(Dated, { spec: { text: "", copies: "1" } });
    (await api.get(Dated, { name: "a" })).spec?.copies satisfies number | undefined;
    await api.apply(Database, { metadata: address, spec: { replicas: 3 } });
    await api.apply(kinds.ConfigMap, { metadata: address, data: { a: "b" } }, { force: true });
    // @ts-expect-error Of the wrong type.
    await api.apply(Database, { metadata: address, spec: { replicas: "3" } });
    // @ts-expect-error Misspelt.
    await api.apply(Database, { metadata: address, spec: { replica: 3 } });
    // @ts-expect-error An object has a name.
    await api.apply(Database, { metadata: { namespace: "default" } });
    await api.delete(Database, address, { ifExists: true, signal: AbortSignal.timeout(1) });
    // @ts-expect-error A watch needs a signal, or it would never end.
    for await (const event of api.watch(Database, {})) void event;
    for await (const { type, object } of api.watch(Database, { signal: AbortSignal.timeout(1) })) {
      expectType<Equal<typeof type, "ADDED" | "MODIFIED" | "DELETED" | null>>();
      expectType<Equal<NonNullable<typeof object.spec>["engine"], "postgresql" | "mysql">>();
    }
  }
  void calls;
});
