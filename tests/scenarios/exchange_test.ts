/** Operators that go on with code that was loaded anew, as `lotse dev` has them do when a file is saved. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Operator, operator } from "../../mod.ts";
import { suite } from "../support/scenario.ts";
import { virtualWorld } from "../support/virtual_world.ts";
import { Example, Objects } from "../support/worlds.ts";

/** A file with an operator, as it looks when it is loaded. What it calls from `helper` is no part of its functions' texts. */
function load(
  calls: string[],
  { helper = "old", update = "first", daemon = "first", settings = {} } = {},
): Operator {
  const op = operator(settings);
  op.on.create(Example, function make({ name }) {
    calls.push(`make ${name} ${helper}`);
  });
  const updates = {
    first: ({ name }: { name: string }) => void calls.push(`update ${name} ${helper}`),
    second: ({ name }: { name: string }) => void calls.push(`updated anew ${name} ${helper}`),
  };
  op.on.update(Example, { id: "update" }, updates[update as keyof typeof updates]);
  type Stopped = { wait(seconds: number): Promise<boolean> };
  const daemons = {
    first: async ({ stopped }: { stopped: Stopped }) => {
      calls.push(`daemon ${helper}`);
      await stopped.wait(Infinity);
      calls.push(`daemon ends ${helper}`);
    },
    second: async ({ stopped }: { stopped: Stopped }) => {
      calls.push(`other daemon ${helper}`);
      await stopped.wait(Infinity);
    },
  };
  op.daemon(Example, { id: "daemon" }, daemons[daemon as keyof typeof daemons]);
  return op;
}

/** An operator with one daemon. */
function daemonOf(
  fn: (args: { name: string; stopped: { wait(seconds: number): Promise<unknown> } }) => Promise<void>,
): Operator {
  const op = operator();
  op.daemon(Example, { id: "watch" }, fn);
  return op;
}

suite("exchange", (scenario) => {
  scenario(
    "[N31.1] daemons that have not changed live on, and what has changed is called from then on",
    async (world) => {
      const objects = new Objects(world);
      const calls: string[] = [];
      const op = load(calls);
      await world.start(op);
      await objects.create("one", { spec: { size: 1 } });
      await world.until(() => calls.length === 2);
      assert.deepEqual(calls.splice(0).sort(), ["daemon old", "make one old"]);

      const next = load(calls, { helper: "new", update: "second" });
      assert.equal(await op.exchange(next), true);
      await world.settle();
      assert.deepEqual(calls, [], "nothing begins anew");
      await objects.patch("one", { spec: { size: 2 } });
      await world.until(() => calls.length > 0);
      await objects.create("two", {});
      await world.until(() => calls.length === 3);
      assert.deepEqual(calls.sort(), ["daemon new", "make two new", "updated anew one new"]);
      const { api } = next;
      assert.equal(
        (await api.get(Example, { name: "two", namespace: world.namespace })).metadata.name,
        "two",
      );
    },
  );

  scenario("[N31.2] a daemon that has changed ends, and begins with its new code", async (world) => {
    const objects = new Objects(world);
    const calls: string[] = [];
    const op = load(calls);
    await world.start(op);
    await objects.create("one", {});
    await world.until(() => calls.length === 2);
    calls.length = 0;
    assert.equal(await op.exchange(load(calls, { helper: "new", daemon: "second" })), true);
    await world.until(() => calls.length === 2);
    assert.deepEqual(calls, ["daemon ends old", "other daemon new"]);
  });

  scenario(
    "[N31.2] a daemon that has changed begins anew on each of several objects, also where it had ended",
    async (world) => {
      const objects = new Objects(world);
      const calls: string[] = [];
      const op = daemonOf(async ({ name, stopped }) => {
        calls.push(`old ${name}`);
        if (name !== "ended") await stopped.wait(Infinity);
      });
      await world.start(op);
      for (const name of ["one", "two", "ended"]) await objects.create(name, {});
      await world.until(() => calls.length === 3);
      await world.settle();
      calls.length = 0;
      const next = daemonOf(async ({ name, stopped }) => {
        calls.push(`new ${name}`);
        await stopped.wait(Infinity);
      });
      assert.equal(await op.exchange(next), true);
      await world.until(() => calls.length === 3);
      await world.settle();
      assert.deepEqual(calls.sort(), ["new ended", "new one", "new two"]);
    },
  );

  scenario(
    "[N31.3] where only something has changed that handlers call, all of them count as changed",
    async (world) => {
      const objects = new Objects(world);
      const calls: string[] = [];
      const op = load(calls);
      await world.start(op);
      await objects.create("one", {});
      await world.until(() => calls.length === 2);
      calls.length = 0;
      assert.equal(await op.exchange(load(calls, { helper: "new" })), true);
      await world.until(() => calls.length === 2);
      assert.deepEqual(calls, ["daemon ends old", "daemon new"]);
    },
  );

  scenario(
    "[N31.4] a reconcile that has changed is called for each object, another one is not",
    async (world) => {
      const objects = new Objects(world);
      const calls: string[] = [];
      const before = operator();
      before.reconcile(Example, { id: "changed" }, ({ name }) => void calls.push(`before ${name}`));
      before.on.event(Example, function note() {});
      await world.start(before);
      await objects.create("one", {});
      await objects.create("two", {});
      await world.until(() => calls.length === 2);
      const after = operator();
      after.reconcile(Example, { id: "changed" }, ({ name }) => void calls.push(`after ${name}`));
      after.on.event(Example, function note() {});
      assert.equal(await before.exchange(after), true);
      await world.until(() => calls.length === 4);
      await world.settle();
      const all = ["after one", "after two", "before one", "before two"];
      assert.deepEqual(calls.toSorted(), all);
      const again = operator();
      again.reconcile(Example, { id: "changed" }, ({ name }) => void calls.push(`after ${name}`));
      again.on.event(Example, function note() {
        calls.push("noted");
      });
      assert.equal(await before.exchange(again), true);
      await world.settle();
      assert.deepEqual(calls.filter((call) => call !== "noted").sort(), all);
    },
  );

  scenario(
    "[N31.5] other settings, indexes, startup handlers and admission handlers take another run",
    async (world) => {
      const calls: string[] = [];
      const op = load(calls);
      await world.start(op);
      const others: Operator[] = [load(calls, { settings: { execution: { defaultBackoff: 1 } } })];
      for (
        const change of [
          (other: Operator) => void other.index(Example, function sizes() {}),
          (other: Operator) => other.on.startup(function begin() {}),
          (other: Operator) => other.on.validate(Example, function check() {}),
        ]
      ) {
        const other = load(calls, { update: "second" });
        change(other);
        others.push(other);
      }
      for (const other of others) assert.equal(await op.exchange(other), false);
      const objects = new Objects(world);
      await objects.create("one", {});
      await world.until(() => calls.length === 2);
      assert.deepEqual(calls.sort(), ["daemon old", "make one old"]);
      assert.equal(await operator().exchange(op), false, "what does not run cannot go on");
    },
  );
});

// In the process alone: requests are counted.
describe("op.exchange()", () => {
  it("lists and watches nothing anew, but kinds that are new", async () => {
    const world = await virtualWorld();
    const calls: string[] = [];
    const op = load(calls);
    await world.start(op);
    await new Objects(world).create("one", {});
    await world.settle();
    const before = world.requests.length;
    assert.equal(await op.exchange(load(calls, { update: "second" })), true);
    await world.settle();
    const reads = () =>
      world.requests.slice(before).filter(({ method, path }) => method === "GET" && path.includes("?"));
    assert.deepEqual(reads(), []);
    const wider = load(calls, { update: "first" });
    wider.on.event("configmaps", () => {});
    assert.equal(await op.exchange(wider), true);
    await world.settle();
    assert.ok(
      reads().length > 0 && reads().every(({ path }) => path.includes("configmaps")),
      JSON.stringify(reads()),
    );
    await world.close();
  });

  it("shows indexes that go on to the new code", async () => {
    const world = await virtualWorld();
    const declare = (reply: () => void) => {
      const op = operator();
      const index = op.index(Example, function names({ name }) {
        return { all: name };
      });
      op.on.event(Example, { id: "reply" }, reply);
      return { op, index };
    };
    const one = declare(() => {});
    const other = declare(() => void 0);
    await world.start(one.op);
    await new Objects(world).create("one", {});
    await world.settle();
    assert.equal(await one.op.exchange(other.op), true);
    assert.deepEqual(other.index.get("all"), ["one"]);
    await world.close();
  });
});
