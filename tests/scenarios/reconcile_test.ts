import assert from "node:assert/strict";
import { exponential, operator, ownerReference, PermanentError, TemporaryError } from "../../mod.ts";
import { suite } from "../support/scenario.ts";
import { Example, FINALIZER, notesOf, Objects, PLAINS } from "../support/worlds.ts";

/** Counts calls that go on at the same time. */
function overlap(): { readonly most: number; run<T>(work: () => Promise<T>): Promise<T> } {
  let [now, most] = [0, 0];
  return {
    get most() {
      return most;
    },
    run: async (work) => {
      most = Math.max(most, ++now);
      try {
        return await work();
      } finally {
        now -= 1;
      }
    },
  };
}

/** Times on the virtual clock, as differences. */
function gaps(times: readonly number[]): number[] {
  return times.slice(1).map((time, number) => Math.round((time - times[number]!) * 10) / 10);
}

suite("reconcile", (scenario) => {
  scenario(
    "[N1.1] what is there is reconciled once at the start, what is made or changed once each",
    async (world) => {
      const objects = new Objects(world);
      await objects.create("old", { spec: { size: 1 } });
      const op = operator();
      const seen: unknown[] = [];
      op.reconcile(Example, function follow({ name, spec, reasons, attempt }) {
        seen.push([name, spec.size, reasons.map(({ kind }) => kind).join(), attempt]);
      });
      const running = await world.start(op);
      await world.until(() => seen.length === 1);
      await objects.create("new", { spec: { size: 1 } });
      await world.until(() => seen.length === 2);
      await objects.patch("new", { spec: { size: 2 } });
      await world.until(() => seen.length === 3);
      await world.settle();
      assert.deepEqual(seen, [["old", 1, "start", 1], ["new", 1, "create", 1], ["new", 2, "change", 1]]);
      await running.stop();
    },
  );

  scenario(
    "[N1.2] the object's status and our own notes wake nobody; labels, annotations and owners do",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const seen: string[] = [];
      op.reconcile(Example, function follow({ patch, labels, annotations }) {
        seen.push(`${labels.a} ${annotations.b}`);
        patch.status.calls = seen.length;
      });
      const running = await world.start(op);
      await objects.create("one");
      await world.until(() => seen.length === 1);
      await world.until(async () => (await objects.get("one")).status?.calls === 1);
      await objects.patch("one", { status: { other: 1 } }, "status");
      await objects.patch("one", { metadata: { annotations: { "lotse.dev/note": "ours" } } });
      await world.settle();
      assert.equal(seen.length, 1);
      await objects.patch("one", { metadata: { labels: { a: "x" } } });
      await world.until(() => seen.length === 2);
      await objects.patch("one", { metadata: { annotations: { b: "y" } } });
      await world.until(() => seen.length === 3);
      const owner = await world.client.create(PLAINS, {
        apiVersion: "lotse.test/v1",
        kind: "Plain",
        metadata: { name: "owner", namespace: world.namespace },
      });
      await objects.patch("one", { metadata: { ownerReferences: [ownerReference(owner)] } });
      await world.until(() => seen.length === 4);
      await objects.patch("one", { metadata: { ownerReferences: null } });
      await world.until(() => seen.length === 5);
      await world.settle();
      assert.deepEqual(seen, ["undefined undefined", "x undefined", "x y", "x y", "x y"]);
      assert.deepEqual(notesOf(await objects.get("one")), { "lotse.dev/note": "ours" });
      await running.stop();
    },
  );

  scenario(
    "[N1.3] it is never called twice at once, and what comes meanwhile is one more call",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const gate = Promise.withResolvers<void>();
      const calls = overlap();
      const seen: unknown[] = [];
      op.reconcile(Example, async function follow({ spec }) {
        seen.push(spec.size);
        await calls.run(() => gate.promise);
      });
      const running = await world.start(op);
      await objects.create("one", { spec: { size: 0 } });
      await world.until(() => seen.length === 1);
      for (const size of [1, 2, 3]) await objects.patch("one", { spec: { size } });
      op.trigger({ name: "one", namespace: world.namespace });
      await world.settle();
      gate.resolve();
      await world.until(() => seen.length === 2);
      await world.settle();
      assert.deepEqual([seen, calls.most], [[0, 3], 1]);
      await running.stop();
    },
  );

  scenario("[N1.4] what it returns calls it again in time, and the next result counts", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    const seen: string[] = [];
    op.reconcile(Example, function follow({ reasons }) {
      seen.push(reasons.map(({ kind }) => kind).join());
      return seen.length < 3 ? { requeueAfter: 0.2 } : undefined;
    });
    const running = await world.start(op);
    await objects.create("one");
    await world.until(() => seen.length === 3);
    await world.settle();
    assert.deepEqual(seen, ["create", "requeue", "requeue"]);
    await running.stop();
  });

  scenario.timed(
    "[N1.5] failures are retried after one to three hundred seconds, and a success resets that",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const times: number[] = [];
      const attempts: number[] = [];
      op.reconcile(Example, { backoff: exponential({ factor: 4 }) }, function follow({ attempt, spec }) {
        times.push(world.host.clock.monotonic());
        attempts.push(attempt);
        if (attempt < 7 && spec.bad !== undefined) throw new Error("Not yet");
      });
      const running = await world.start(op);
      await objects.create("one", { spec: { bad: 1 } });
      await world.until(() => times.length === 7, 3000);
      await world.settle();
      await objects.patch("one", { spec: { bad: 2 } });
      await world.until(() => times.length === 8, 10);
      const pauses = gaps(times).slice(0, 6);
      for (const [number, ideal] of [1, 4, 16, 64, 256, 300].entries()) {
        const pause = pauses[number]!;
        assert.ok(pause >= 0.79 * ideal && pause <= 1.21 * ideal, `${pause} s for ${ideal} s`);
      }
      assert.ok(pauses.some((pause) => Math.abs(pause - Math.round(pause)) > 0.01), "jitter");
      assert.deepEqual(attempts, [1, 2, 3, 4, 5, 6, 7, 1]);
      await running.stop();
    },
  );

  scenario.timed(
    "[N1.6] a TemporaryError says when, a PermanentError waits for what wakes it",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const times: number[] = [];
      op.reconcile(Example, function follow({ spec, attempt }) {
        times.push(world.host.clock.monotonic());
        if (spec.bad !== undefined) throw new PermanentError("For good");
        if (attempt === 1) throw new TemporaryError("Later", { delay: 33 });
      });
      const running = await world.start(op);
      await objects.create("one");
      await world.until(() => times.length === 2, 100);
      assert.deepEqual(gaps(times), [33]);
      await objects.patch("one", { spec: { bad: true } });
      await world.until(() => times.length === 3, 10);
      await world.host.clock.advance(3600);
      assert.equal(times.length, 3);
      await objects.patch("one", { spec: { bad: null } });
      await world.until(() => times.length === 5, 100);
      await running.stop();
    },
  );

  scenario(
    "[N1.7] `finalize` holds the object back until it has succeeded; without it there is no finalizer",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const seen: string[] = [];
      const finalizers: unknown[] = [];
      op.reconcile(Example, {
        labels: { kept: "yes" },
        backoff: 0.1,
        finalize: ({ attempt, reasons, meta }) => {
          seen.push(`finalize ${attempt} ${reasons.map(({ kind }) => kind).join()}`);
          finalizers.push(meta.finalizers);
          if (attempt < 3) throw new Error("Not yet");
        },
      }, function follow({ name, meta }) {
        seen.push(`reconcile ${name}`);
        finalizers.push(meta.finalizers);
      });
      op.reconcile(Example, { id: "other" }, () => {});
      const running = await world.start(op);
      await objects.create("plain");
      await objects.create("one", { metadata: { labels: { kept: "yes" } } });
      await world.until(() => seen.length === 1);
      assert.equal((await objects.get("plain")).metadata.finalizers, undefined);
      await objects.delete("plain");
      await world.until(async () => await objects.find("plain") === undefined);
      await objects.delete("one");
      await world.until(async () => await objects.find("one") === undefined);
      assert.deepEqual(seen, [
        "reconcile one",
        "finalize 1 delete",
        "finalize 2 retry,delete",
        "finalize 3 retry,delete",
      ]);
      assert.deepEqual(finalizers, Array(4).fill([FINALIZER]));
      await running.stop();
    },
  );

  scenario(
    "[N1.8] it may be triggered from anywhere, by an object or its address, with a reason",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const seen: unknown[] = [];
      op.reconcile(Example, function follow({ reasons }) {
        seen.push(...reasons.map((reason) => "reason" in reason ? reason.reason : reason.kind));
      });
      const running = await world.start(op);
      const made = await objects.create("one");
      await world.until(() => seen.length === 1);
      assert.equal(op.trigger({ name: "one", namespace: world.namespace }, "by address"), true);
      await world.until(() => seen.length === 2);
      assert.equal(op.trigger({ kind: Example, name: "one", namespace: world.namespace }, "by kind"), true);
      await world.until(() => seen.length === 3);
      assert.equal(op.trigger(made, "by object"), true);
      await world.until(() => seen.length === 4);
      assert.equal(op.trigger({ name: "two", namespace: world.namespace }), false);
      assert.equal(op.trigger({ ...made, metadata: { ...made.metadata, uid: "another" } }), false);
      assert.deepEqual(seen, ["create", "by address", "by kind", "by object"]);
      await running.stop();
      assert.throws(() => op.trigger({ name: "one" }), TypeError);
    },
  );

  scenario.timed(
    "[N1.9] it is called again after ten hours in which nothing has happened, at different times",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const seen = new Map<string, number[]>();
      // Each hour costs the streams of a real server seconds.
      const hours = world.place === "in the process" ? 10 : 0.5;
      const options = hours === 10 ? {} : { resync: hours * 3600 };
      op.reconcile(Example, options, function follow({ name, reasons }) {
        if (reasons.some(({ kind }) => kind === "resync")) {
          seen.set(name, [...seen.get(name) ?? [], world.host.clock.monotonic()]);
        }
      });
      const running = await world.start(op);
      await objects.create("one");
      await objects.create("two");
      await world.host.clock.advance(0.89 * hours * 3600);
      assert.equal(seen.size, 0);
      world.requests.length = 0;
      await world.host.clock.advance(0.22 * hours * 3600);
      const [one, two] = [seen.get("one"), seen.get("two")];
      assert.deepEqual([one?.length, two?.length], [1, 1]);
      assert.notEqual(one?.[0], two?.[0]);
      assert.deepEqual(world.writes(), []);
      const said = running.logs.filter(({ message }) => message === "Handler succeeded");
      assert.deepEqual(said.map(({ level }) => level), ["info", "info", "debug", "debug"]);
      await running.stop();
    },
  );

  scenario(
    "[N1.10] change handlers live beside it, on the same objects, in the same turns",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const calls = overlap();
      const seen: string[] = [];
      const pause = (): Promise<boolean> => Promise.resolve(true);
      op.on.create(Example, async function make({ patch }) {
        seen.push("create");
        await calls.run(pause);
        patch.status.made = true;
      });
      op.on.update(Example, async function change() {
        seen.push("update");
        await calls.run(pause);
      });
      op.reconcile(Example, { finalize: () => void seen.push("finalize") }, async function follow({ patch }) {
        seen.push("reconcile");
        await calls.run(pause);
        patch.status.followed = true;
      });
      op.on.delete(Example, () => void seen.push("delete"));
      const running = await world.start(op);
      await objects.create("one", { spec: { size: 1 } });
      await world.until(async () => {
        const { status = {} } = await objects.get("one");
        return status.made === true && status.followed === true;
      });
      await objects.patch("one", { spec: { size: 2 } });
      await world.until(() => seen.length === 4);
      await world.settle();
      await objects.delete("one");
      await world.until(async () => await objects.find("one") === undefined);
      assert.deepEqual(seen.slice(0, 4), ["create", "reconcile", "update", "reconcile"]);
      assert.deepEqual(seen.slice(4).sort(), ["delete", "finalize"]);
      assert.equal(calls.most, 1);
      await running.stop();
    },
  );
});
