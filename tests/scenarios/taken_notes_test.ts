/** Notes that another writer takes off objects: an operator that writes its objects back whole, or empties a status. */

import assert from "node:assert/strict";
import { type Operator, operator, persistence, TemporaryError } from "../../mod.ts";
import { suite } from "../support/scenario.ts";
import {
  Example,
  EXAMPLES,
  FINALIZER,
  LAST_HANDLED,
  type Loose,
  notesOf,
  Objects,
  type Running,
  type World,
} from "../support/worlds.ts";

/** The annotations that the other writer knows of. */
const TEMPLATE = { "other.example.com/x": "1" };

/** The other writer has made the object, as it does with a Service or a ConfigMap of its own. */
async function make(world: World, name: string): Promise<void> {
  const metadata = { name, namespace: world.namespace, annotations: TEMPLATE };
  const body = { apiVersion: "lotse.test/v1", kind: "Example", metadata, spec: { a: 1 } };
  await world.client.create(EXAMPLES, body, { fieldManager: "other-operator" });
}

/** Writes an object back as its template is: without annotations, and without finalizers if it is so told. */
async function writeWhole(
  world: World,
  name: string,
  { spec, finalizers }: { readonly spec?: Loose; readonly finalizers?: "keep" } = {},
): Promise<void> {
  const objects = new Objects(world);
  for (;;) {
    const { metadata, ...rest } = await objects.get(name);
    const { resourceVersion } = metadata;
    const own = {
      name,
      namespace: world.namespace,
      resourceVersion,
      annotations: { "other.example.com/x": "1" },
    };
    const kept = finalizers === "keep" ? { ...own, finalizers: metadata.finalizers } : own;
    const body = { ...rest, ...spec && { spec }, metadata: kept } as Parameters<
      typeof world.client.replace
    >[1];
    const isWritten = await world.client.replace(EXAMPLES, body, { fieldManager: "other-operator" }).then(
      () => true,
      () => false, // the operator has written meanwhile
    );
    if (isWritten) return;
  }
}

/** Writes a status whole, without the notes in it. */
async function emptyStatus(world: World, name: string): Promise<void> {
  for (;;) {
    const { metadata: { resourceVersion } } = await new Objects(world).get(name);
    const metadata = { name, namespace: world.namespace, resourceVersion };
    const body = { apiVersion: "lotse.test/v1", kind: "Example", metadata, status: { state: "other" } };
    const isWritten = await world.client.replace(EXAMPLES, body, {
      subresource: "status",
      fieldManager: "other-operator",
    }).then(() => true, () => false);
    if (isWritten) return;
  }
}

/** Declares handlers that are for creations and updates, and returns the list of their calls. */
function declare(op: Operator, { writesStatus = true } = {}, calls: string[] = []): string[] {
  op.on.create(Example, { id: "make" }, ({ name, patch }) => {
    calls.push(`create ${name}`);
    if (writesStatus) patch.status.state = "made";
  });
  op.on.update(Example, { id: "change" }, ({ name }) => void calls.push(`update ${name}`));
  return calls;
}

function operatorOf(calls: string[]): Operator {
  const op = operator();
  declare(op, {}, calls);
  return op;
}

async function isNoted(world: World, name: string): Promise<boolean> {
  return LAST_HANDLED in notesOf(await new Objects(world).get(name));
}

function loopsIn({ logs }: Running): readonly unknown[] {
  return logs.filter(({ level, message }) =>
    level === "warn" && message.startsWith("Hot loop: another writer")
  )
    .map(({ fields: { fields, managers } }) => ({ fields, managers }));
}

suite("an operator whose notes another writer takes off", (scenario) => {
  for (const finalizers of [undefined, "keep"] as const) {
    const how = finalizers === "keep" ? "with finalizers that stay" : "and its finalizer, too";
    scenario(`repeats no creation, puts the notes back, and names the writer: ${how}`, async (world) => {
      const op = operator({ persistence: persistence.annotations() });
      const calls: string[] = [];
      op.on.create(Example, { id: "make" }, () => void calls.push("create"));
      op.on.update(Example, { id: "change" }, ({ diff }) => void calls.push(`update ${diff.length}`));
      op.on.delete(Example, { id: "drop" }, () => void calls.push("delete"));
      const running = await world.start(op);
      await make(world, "one");
      await world.until(() => isNoted(world, "one"));
      for (let turn = 0; turn < 3; turn++) {
        await writeWhole(world, "one", { finalizers });
        await world.until(() => isNoted(world, "one"));
      }
      assert.deepEqual(loopsIn(running), [{
        fields: [`metadata.annotations.${LAST_HANDLED}`],
        managers: ["other-operator"],
      }]);
      // What is changed together with the notes is a change.
      await writeWhole(world, "one", { spec: { a: 2 }, finalizers });
      await world.until(() => calls.length > 1);
      await world.until(() => isNoted(world, "one"));
      await world.settle();
      assert.deepEqual(calls, ["create", "update 1"]);
      await new Objects(world).delete("one");
      await world.until(async () => await new Objects(world).find("one") === undefined);
      assert.deepEqual(calls, ["create", "update 1", "delete"]);
      // Its namesake is a new object.
      await make(world, "one");
      await world.until(() => calls.includes("create", 1));
      await running.stop();
    });
  }

  scenario.virtual("writes the notes more and more rarely", async (world) => {
    const op = operator({ persistence: persistence.annotations() });
    let calls = 0;
    op.on.create(Example, { id: "make" }, () => void calls++);
    op.on.update(Example, { id: "change" }, () => void calls++);
    const running = await world.start(op);
    await make(world, "one");
    await running.advance(1);
    const before = world.writes().length;
    for (let second = 0; second < 600; second++) {
      if (await isNoted(world, "one")) await writeWhole(world, "one");
      await running.advance(1);
    }
    assert.equal(calls, 1);
    const own = world.writes().length - before;
    assert.ok(own >= 7 && own <= 12, `${own} writes in ten minutes`);
    assert.equal(loopsIn(running).length, 1);
    await running.stop();
  });

  scenario(
    "remembers attempts: a success is not repeated, and a retry waits as long as it was to wait",
    async (world) => {
      const objects = new Objects(world);
      const op = operator({ persistence: persistence.annotations() });
      const calls: string[] = [];
      op.on.create(Example, { id: "parent" }, ({ sub, retry }) => {
        calls.push(`parent ${retry}`);
        sub("part", () => void calls.push("part"));
        sub("late", () => {
          calls.push("late");
          throw new TemporaryError("Not yet", { delay: 3600 });
        });
      });
      op.on.create(Example, { id: "flaky" }, ({ retry }) => {
        calls.push(`flaky ${retry}`);
        throw new TemporaryError("Not yet", { delay: 3600 });
      });
      const running = await world.start(op);
      await make(world, "one");
      const isRecorded = async (): Promise<boolean> => {
        const notes = Object.keys(notesOf(await objects.get("one")));
        return ["flaky", "parent", "parent.late", "parent.part"].every((id) =>
          notes.includes(`lotse.dev/${id}`)
        );
      };
      await world.until(isRecorded);
      await writeWhole(world, "one");
      await world.until(isRecorded);
      await world.settle();
      assert.deepEqual(calls, ["parent 0", "part", "parent 0", "late", "flaky 0"]);
      await running.stop();
    },
  );

  scenario(
    "puts all records back that are taken off while a turn goes on that writes nothing",
    async (world) => {
      const objects = new Objects(world);
      const op = operator({ persistence: persistence.annotations() });
      const calls: string[] = [];
      let [isSlow, isHeld, go] = [false, false, (): void => {}];
      op.on.create(Example, { id: "parent" }, ({ sub }) => {
        sub("part", () => void calls.push("part"));
        sub("late", () => {
          throw new TemporaryError("Not yet", { delay: 3600 });
        });
      });
      op.reconcile(Example, { id: "slow" }, async () => {
        if (!isSlow) return;
        [isSlow, isHeld] = [false, true];
        await new Promise<void>((resolve) => go = resolve);
      });
      const running = await world.start(op);
      await make(world, "one");
      const isRecorded = async (): Promise<boolean> => {
        const notes = notesOf(await objects.get("one"));
        return ["parent", "parent.late", "parent.part"].every((id) => `lotse.dev/${id}` in notes);
      };
      await world.until(isRecorded);
      await world.settle();
      isSlow = true;
      await objects.patch("one", { metadata: { labels: { a: "1" } } });
      await world.until(() => isHeld);
      await writeWhole(world, "one");
      await world.settle();
      go();
      await world.until(isRecorded);
      await world.settle();
      assert.deepEqual(calls, ["part"]);
      await running.stop();
    },
  );

  scenario("and one that emptied the status, repeats no creation either", async (world) => {
    const objects = new Objects(world);
    const op = operator({ persistence: persistence.status() });
    const calls = declare(op);
    const running = await world.start(op);
    await make(world, "one");
    const isInStatus = async (): Promise<boolean> => (await objects.get("one")).status?.lotse !== undefined;
    await world.until(isInStatus);
    for (let turn = 0; turn < 3; turn++) {
      await emptyStatus(world, "one");
      await world.until(isInStatus);
    }
    await world.settle();
    assert.deepEqual(calls, ["create one"]);
    assert.deepEqual(loopsIn(running), [{
      fields: ["status.lotse.last-handled-configuration"],
      managers: ["other-operator"],
    }]);
    await objects.delete("one");
    await running.stop();
  });

  scenario(
    "goes back to annotations by itself, where the status is emptied: it says so once, and repeats no creation",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const calls = declare(op);
      const running = await world.start(op);
      const isIn = async (place: "status" | "annotations", name: string): Promise<boolean> => {
        const { metadata, status } = await objects.get(name);
        const inAnnotations = LAST_HANDLED in (metadata.annotations ?? {});
        return place === "annotations" ? inAnnotations : !inAnnotations && status?.lotse !== undefined;
      };
      for (const name of ["one", "two"]) {
        await make(world, name);
        await world.until(() => isIn("status", name));
      }
      await emptyStatus(world, "one");
      await world.until(() => isIn("annotations", "one"));
      // What is new from now on has its notes there at once; what is changed moves.
      await make(world, "three");
      await world.until(() => isIn("annotations", "three"));
      await objects.patch("two", { spec: { a: 2 } });
      await world.until(() => isIn("annotations", "two"));
      for (let turn = 0; turn < 3; turn++) await emptyStatus(world, "one");
      await world.settle();
      assert.deepEqual(calls, ["create one", "create two", "create three", "update two"]);
      const said = running.logs.filter(({ level }) => level === "warn" || level === "error");
      assert.deepEqual(
        said.map(({ message, fields: { kind, fields, managers } }) => ({
          message: message.slice(0, message.indexOf(":")),
          kind,
          fields,
          managers,
        })),
        [{
          message: "Another writer has taken the operator's notes out of the status",
          kind: "examples.v1.lotse.test",
          fields: ["status.lotse.last-handled-configuration"],
          managers: ["other-operator"],
        }],
      );
      await running.stop();
      // The next process finds the notes, wherever they are, and calls nobody.
      const again = await world.start(operatorOf(calls));
      await world.settle();
      await again.stop();
      assert.equal(calls.length, 4);
    },
  );

  scenario.virtual("goes back to annotations where it may not patch the status", async (world) => {
    const objects = new Objects(world);
    world.intercept = ({ method, url }) => {
      if (method !== "PATCH" || !url.endsWith("/status")) return undefined;
      const message =
        'examples.lotse.test "one" is forbidden: User "u" cannot patch resource "examples/status" in API ' +
        'group "lotse.test" in the namespace "default"';
      return Response.json({ kind: "Status", message, reason: "Forbidden", code: 403 }, { status: 403 });
    };
    const op = operator();
    const calls = declare(op, { writesStatus: false });
    const running = await world.start(op);
    await make(world, "one");
    await running.advance(60);
    assert.ok(LAST_HANDLED in ((await objects.get("one")).metadata.annotations ?? {}));
    assert.deepEqual(calls, ["create one"]);
    const warned = running.logs.filter(({ message }) =>
      message.startsWith("Notes on objects of this kind go to")
    );
    assert.equal(warned.length, 1);
    await running.stop();
  });

  scenario("before it started remembers what it has found on the object", async (world) => {
    const start = async (calls: string[]): Promise<Running> => {
      const op = operator();
      op.on.create(Example, { id: "make" }, () => void calls.push("create"));
      op.on.resume(Example, { id: "go on" }, () => void calls.push("resume"));
      return await world.start(op);
    };
    const [first, second]: [string[], string[]] = [[], []];
    const running = await start(first);
    await make(world, "one");
    await world.until(() => isNoted(world, "one"));
    await running.stop();
    const again = await start(second);
    await world.until(() => second.length > 0);
    await writeWhole(world, "one");
    await world.until(() => isNoted(world, "one"));
    await world.settle();
    assert.deepEqual([first, second], [["create"], ["resume"]]);
    await again.stop();
  });

  scenario("puts its notes over the notes of another object that were pasted there", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    const calls: string[] = [];
    op.on.create(Example, { id: "make" }, ({ name }) => void calls.push(`create ${name}`));
    op.on.update(Example, { id: "change" }, ({ name }) => void calls.push(`update ${name}`));
    const running = await world.start(op);
    for (const name of ["one", "two"]) await objects.create(name, { spec: { name } });
    await world.until(async () => await isNoted(world, "one") && await isNoted(world, "two"));
    const own = notesOf(await objects.get("two"));
    await objects.patch("two", { metadata: { annotations: notesOf(await objects.get("one")) } });
    await world.until(async () => notesOf(await objects.get("two"))[LAST_HANDLED] === own[LAST_HANDLED]);
    await world.settle();
    assert.deepEqual(calls.toSorted(), ["create one", "create two"]);
    assert.equal((await objects.get("two")).metadata.finalizers?.includes(FINALIZER) ?? false, false);
    await running.stop();
  });
});
