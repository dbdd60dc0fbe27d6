/** Objects that are made with the annotations of another object: copies under another name, and restored backups. */

import assert from "node:assert/strict";
import type { Operator } from "../../lib/operator/operator.ts";
import type { OperatorOptions } from "../../lib/operator/operator.ts";
import { operator, PermanentError, persistence, TemporaryError } from "../../mod.ts";
import { suite } from "../support/scenario.ts";
import {
  Example,
  FINALIZER,
  LAST_HANDLED,
  type Loose,
  notesOf,
  Objects,
  Plain,
  PLAINS,
  type World,
} from "../support/worlds.ts";

/** An operator with a handler of each cause, and the list of their calls. */
function observed(
  options: OperatorOptions = { persistence: persistence.annotations() },
): { readonly op: Operator; readonly calls: string[] } {
  const op = operator(options);
  const calls: string[] = [];
  for (const kind of [Example, Plain]) {
    op.on.create(kind, { id: "make" }, ({ name }) => void calls.push(`create ${name}`));
    op.on.update(kind, { id: "change" }, ({ name }) => void calls.push(`update ${name}`));
    op.on.resume(kind, { id: "resume" }, ({ name }) => void calls.push(`resume ${name}`));
    op.on.delete(kind, { id: "drop" }, ({ name }) => void calls.push(`delete ${name}`));
  }
  return { op, calls };
}

/** What `kubectl get -o yaml` shows of an object, as far as it can be created again. */
async function manifestOf(objects: Objects, name: string): Promise<Loose & { metadata: Loose }> {
  const { metadata: { annotations, labels, finalizers }, spec, status } = await objects.get(name);
  return { metadata: { annotations, labels, finalizers }, spec, status };
}

async function isHandled(objects: Objects, name: string): Promise<boolean> {
  const { metadata, status } = await objects.get(name);
  const note = metadata.annotations?.[LAST_HANDLED] ??
    (status?.lotse as Loose | undefined)?.["last-handled-configuration"];
  return typeof note === "string" && note.includes(`/${name}/${metadata.uid}"`);
}

async function restore(world: World, objects: Objects, name: string): Promise<void> {
  const backup = await manifestOf(objects, name);
  await objects.delete(name);
  await world.until(async () => await objects.find(name) === undefined);
  await objects.create(name, backup);
  await world.until(() => isHandled(objects, name));
  await world.settle();
}

suite("a copied object", (scenario) => {
  scenario(
    "is a new one, whatever notes and finalizers came with it, and whatever its spec is",
    async (world) => {
      const objects = new Objects(world);
      const { op, calls } = observed();
      const running = await world.start(op);
      await objects.create("one", { spec: { leaf: "green" } });
      await world.until(() => isHandled(objects, "one"));
      const manifest = await manifestOf(objects, "one");
      assert.deepEqual(manifest.metadata.finalizers, [FINALIZER]);
      await objects.create("two", manifest);
      await objects.create("three", { ...manifest, spec: { leaf: "black" } });
      await world.until(async () => await isHandled(objects, "two") && await isHandled(objects, "three"));
      await world.settle();
      assert.deepEqual(calls.toSorted(), ["create one", "create three", "create two"]);
      await objects.patch("two", { spec: { leaf: "white" } });
      await world.until(() => calls.includes("update two"));
      for (const name of ["two", "three"]) {
        await objects.delete(name);
        await world.until(async () => await objects.find(name) === undefined);
      }
      assert.deepEqual(calls.slice(3), ["update two", "delete two", "delete three"]);
      const told = running.logs.filter(({ message }) => message.includes("notes of another object"));
      assert.deepEqual(told.map(({ level }) => level), ["info", "info"]);
      await objects.delete("one");
      await running.stop();
    },
  );

  scenario("that was made while no operator ran is a new one", async (world) => {
    const objects = new Objects(world);
    const first = observed();
    const running = await world.start(first.op);
    await objects.create("one", { spec: { leaf: "green" } });
    await world.until(() => isHandled(objects, "one"));
    await running.stop();
    await objects.create("two", await manifestOf(objects, "one"));
    const second = observed();
    const again = await world.start(second.op);
    await world.until(() => isHandled(objects, "two"));
    await world.settle();
    assert.deepEqual(second.calls.toSorted(), ["create two", "resume one"]);
    await objects.delete("one");
    await objects.delete("two");
    await world.until(async () => await objects.find("two") === undefined);
    await again.stop();
  });

  scenario("is a new one where its notes are in the status, and came with it", async (world) => {
    for (const [index, notes] of [persistence.status(), persistence.auto()].entries()) {
      const objects = new Objects(world, PLAINS);
      const { op, calls } = observed({ persistence: notes });
      const running = await world.start(op);
      await objects.create(`one-${index}`, { spec: { leaf: "green" } });
      await world.until(() => isHandled(objects, `one-${index}`));
      await objects.create(`two-${index}`, await manifestOf(objects, `one-${index}`));
      await world.until(() => isHandled(objects, `two-${index}`));
      await world.settle();
      assert.deepEqual(calls, [`create one-${index}`, `create two-${index}`]);
      await objects.delete(`one-${index}`);
      await objects.delete(`two-${index}`);
      await world.until(async () => await objects.find(`two-${index}`) === undefined);
      await running.stop();
    }
  });

  scenario("takes over no attempt of the other one, neither a success nor a failure", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    const calls: string[] = [];
    op.on.create(Example, { id: "first" }, ({ name }) => void calls.push(`first ${name}`));
    op.on.create(Example, { id: "second" }, ({ name, retry }) => {
      calls.push(`second ${name} ${retry}`);
      throw new TemporaryError("Not yet", { delay: 3600 });
    });
    op.on.create(Example, { id: "third" }, ({ name }) => {
      calls.push(`third ${name}`);
      throw new PermanentError("Never");
    });
    const running = await world.start(op);
    await objects.create("one", { spec: { leaf: "green" } });
    await world.until(async () => "lotse.dev/third" in notesOf(await objects.get("one")));
    const manifest = await manifestOf(objects, "one");
    const others = {
      ...manifest.metadata.annotations as Loose,
      "lotse.dev/stranger": notesOf(await objects.get("one"))["lotse.dev/first"],
    };
    await objects.create("two", { ...manifest, metadata: { annotations: others } });
    await world.until(async () =>
      notesOf(await objects.get("two"))["lotse.dev/third"]?.includes("/two/") === true
    );
    await world.settle();
    assert.deepEqual(calls, [
      "first one",
      "second one 0",
      "third one",
      "first two",
      "second two 0",
      "third two",
    ]);
    assert.deepEqual(Object.keys(notesOf(await objects.get("two"))).toSorted(), [
      "lotse.dev/first",
      "lotse.dev/second",
      "lotse.dev/third",
    ]);
    await running.stop();
  });

  scenario("of which the old place of notes is read, too, is a new one", async (world) => {
    const objects = new Objects(world);
    const { op, calls } = observed({
      persistence: persistence.migrate({ to: persistence.annotations(), from: [persistence.kopf()] }),
    });
    const running = await world.start(op);
    await objects.create("one", { spec: { leaf: "green" } });
    await world.until(() => isHandled(objects, "one"));
    const manifest = await manifestOf(objects, "one");
    const annotations = {
      ...manifest.metadata.annotations as Loose,
      "kopf.zalando.org/last-handled-configuration": '{"spec":{"leaf":"white"}}\n',
    };
    await objects.create("two", { ...manifest, metadata: { annotations } });
    await world.until(() => isHandled(objects, "two"));
    await world.settle();
    assert.deepEqual(calls, ["create one", "create two"]);
    for (const name of ["one", "two"]) {
      await objects.delete(name);
      await world.until(async () => await objects.find(name) === undefined);
    }
    await running.stop();
  });

  scenario("goes on as the other one with Kopf's notes, which name no object", async (world) => {
    const objects = new Objects(world);
    const { op, calls } = observed({ persistence: persistence.kopf() });
    const running = await world.start(op);
    await objects.create("one", { spec: { leaf: "green" } });
    const key = "kopf.zalando.org/last-handled-configuration";
    await world.until(async () => key in ((await objects.get("one")).metadata.annotations ?? {}));
    await objects.create("two", { ...await manifestOf(objects, "one"), spec: { leaf: "black" } });
    await world.until(() => calls.length > 1);
    assert.deepEqual(calls, ["create one", "update two"]);
    assert.equal((await objects.get("one")).metadata.annotations?.[key], '{"spec":{"leaf":"green"}}\n');
    await objects.delete("one");
    await objects.delete("two");
    await world.until(async () => await objects.find("two") === undefined);
    await running.stop();
  });
});

suite("a restored object", (scenario) => {
  scenario("has another uid, and is a new one", async (world) => {
    const objects = new Objects(world);
    const { op, calls } = observed();
    const running = await world.start(op);
    await objects.create("one", { spec: { leaf: "green" } });
    await world.until(() => isHandled(objects, "one"));
    await restore(world, objects, "one");
    assert.deepEqual(calls, ["create one", "delete one", "create one"]);
    await objects.delete("one");
    await world.until(async () => await objects.find("one") === undefined);
    await running.stop();
  });

  scenario('goes on as it was, and resumes, with `restored: "resume"`', async (world) => {
    const objects = new Objects(world);
    for (
      const options of [
        { persistence: persistence.annotations({ restored: "resume" }) },
        { persistence: { restored: "resume" } },
      ] as const
    ) {
      const { op, calls } = observed(options);
      const running = await world.start(op);
      await objects.create("one", { spec: { leaf: "green" } });
      await world.until(() => isHandled(objects, "one"));
      await restore(world, objects, "one");
      assert.deepEqual(calls, ["create one", "delete one", "resume one"]);
      // Its notes are its own now: a copy of it is no restored object.
      await objects.create("two", await manifestOf(objects, "one"));
      await world.until(() => isHandled(objects, "two"));
      assert.deepEqual(calls.slice(3), ["create two"]);
      for (const name of ["one", "two"]) {
        await objects.delete(name);
        await world.until(async () => await objects.find(name) === undefined);
      }
      await running.stop();
    }
  });
});

suite("notes of earlier releases, which name no object", (scenario) => {
  scenario("are the object's own: an update of the operator repeats no creation", async (world) => {
    const objects = new Objects(world);
    const before = { [LAST_HANDLED]: '{"spec":{"leaf":"green"}}' };
    await objects.create("one", { metadata: { annotations: before }, spec: { leaf: "green" } });
    await objects.create("two", { metadata: { annotations: before }, spec: { leaf: "black" } });
    const { op, calls } = observed();
    const running = await world.start(op);
    await world.until(() => calls.length >= 3);
    await world.settle();
    assert.deepEqual(calls.toSorted(), ["resume one", "resume two", "update two"]);
    assert.equal(notesOf(await objects.get("one"))[LAST_HANDLED], before[LAST_HANDLED]);
    assert.ok(await isHandled(objects, "two"), "a note that is written anew names its object");
    for (const name of ["one", "two"]) {
      await objects.delete(name);
      await world.until(async () => await objects.find(name) === undefined);
    }
    await running.stop();
  });
});
