/** Handlers that wait for children or for their own parts, with a try and catch around their body, as tutorials have it. */

import assert from "node:assert/strict";
import type { KubeObject } from "../../lib/model/object.ts";
import type { Children, ChildrenState } from "../../lib/public/children.ts";
import { operator, PermanentError, type Sub, TemporaryError } from "../../mod.ts";
import { suite } from "../support/scenario.ts";
import { Example, type Loose, Objects, PLAINS, type World } from "../support/worlds.ts";

/** A child that is ready when its status says so. */
function waitingChild() {
  return {
    apply: { apiVersion: "lotse.test/v1", kind: "Plain", metadata: { name: "child" }, spec: { a: 1 } },
    ready: ({ status }: KubeObject): boolean | string =>
      (status as Loose | undefined)?.done === true || "not done",
  };
}

/** A list of what the handler has done, and the handler as a tutorial would have it. */
function tutorial() {
  const steps: string[] = [];
  const body = async (
    work: () => Promise<unknown>,
    { status }: { readonly status: Loose },
  ): Promise<void> => {
    try {
      steps.push("begin");
      status.phase = "Working";
      await work();
      steps.push("done");
      status.phase = "Ready";
    } catch (error) {
      steps.push(`catch ${(error as Error).name}`);
      status.phase = "Failed";
      throw error;
    } finally {
      steps.push("finally");
    }
  };
  return { steps, body };
}

async function finishChild(world: World): Promise<void> {
  await new Objects(world, PLAINS).patch("child", { status: { done: true } });
}

const isThere = (world: World) => async (): Promise<boolean> =>
  await new Objects(world, PLAINS).find("child") !== undefined;

const hasPhase = (world: World, phase: string) => async (): Promise<boolean> =>
  (await new Objects(world).get("one")).status?.phase === phase;

suite("a handler that waits for children", (scenario) => {
  for (const manner of ["create", "reconcile", "timer", "daemon"] as const) {
    scenario(`runs no catch of its own, and is called again: ${manner}`, async (world) => {
      const op = operator();
      const { steps, body } = tutorial();
      const bring = async (
        { children, patch }: { readonly children: Children; readonly patch: { readonly status: Loose } },
      ): Promise<void> =>
        await body(async () => await children({ child: waitingChild() }, { delay: 0.2 }), patch);
      if (manner === "create") op.on.create(Example, { id: "bring" }, bring);
      if (manner === "reconcile") op.reconcile(Example, { id: "bring" }, bring);
      if (manner === "timer") op.timer(Example, { id: "bring", interval: 3600 }, bring);
      if (manner === "daemon") op.daemon(Example, { id: "bring" }, bring);
      const running = await world.start(op);
      await new Objects(world).create("one", { spec: { a: 1 } });
      await world.until(isThere(world));
      await world.until(() => steps.length >= 3);
      await world.settle();
      assert.deepEqual([...new Set(steps)], ["begin"]);
      assert.equal((await new Objects(world).get("one")).status?.phase, "Working");
      await finishChild(world);
      await world.until(hasPhase(world, "Ready"));
      assert.deepEqual(steps.filter((step) => step !== "begin").slice(0, 2), ["done", "finally"]);
      const complaints = running.logs.filter(({ level }) => level === "warn" || level === "error");
      assert.deepEqual(complaints.map(({ message }) => message), []);
      await running.stop();
    });
  }

  scenario("runs its catch where a child cannot be made", async (world) => {
    const op = operator({ execution: { defaultBackoff: 0.2 } });
    const { steps, body } = tutorial();
    op.on.create(Example, { id: "bring", retries: 2 }, async ({ children, patch }) => {
      await body(
        async () => await children({ child: { apiVersion: "v1", kind: "ConfigMap", data: { a: 5 } } }),
        patch,
      );
    });
    const running = await world.start(op);
    await new Objects(world).create("one", { spec: { a: 1 } });
    await world.until(hasPhase(world, "Failed"));
    assert.ok(steps.includes("catch ChildrenError"));
    await running.stop();
  });

  scenario("may look how far they are, and is called again all the same", async (world) => {
    const op = operator();
    const states: ChildrenState<{ child: unknown; other: unknown }>[] = [];
    op.reconcile(Example, { id: "bring" }, async ({ children, patch }) => {
      const other = { apiVersion: "v1", kind: "ConfigMap", data: { a: "1" } };
      const state = await children.state({ child: waitingChild(), other }, { delay: 0.2 });
      states.push(state as typeof states[number]);
      patch.status.phase = state.ready ? `Ready ${state.live.other.metadata.name}` : "Waiting";
      patch.status.for = state.waiting.map(({ child, reason }) => `${child}: ${reason}`);
    });
    const running = await world.start(op);
    await new Objects(world).create("one", { spec: { a: 1 } });
    await world.until(async () => {
      const { status } = await new Objects(world).get("one");
      return status?.phase === "Waiting" && String(status.for) === "child: not done";
    });
    const { ready, live } = states.at(-1) ?? {};
    assert.deepEqual([ready, Object.keys(live ?? {}).toSorted()], [false, ["child", "other"]]);
    await finishChild(world);
    await world.until(hasPhase(world, "Ready one-other"));
    assert.deepEqual((await new Objects(world).get("one")).status?.for ?? [], []);
    assert.equal(running.logs.filter(({ level }) => level === "error").length, 0);
    await running.stop();
  });
});

suite("a handler that waits for its parts", (scenario) => {
  scenario("runs no catch of its own, and goes on when they have finished", async (world) => {
    const op = operator();
    const { steps, body } = tutorial();
    const deploy =
      ({ sub, spec }: { readonly sub: Sub<Loose, Loose>; readonly spec: Loose }) =>
      async (): Promise<
        void
      > => {
        sub("late", ({ retry }) => {
          if (retry < 2) throw new TemporaryError("not yet", { delay: 0.2 });
          if (spec.fails === true) {
            throw new PermanentError("never");
          }
        });
        sub("nested", async ({ sub: part }) => {
          await body(async () => {
            part("inner", ({ retry }) => {
              if (retry === 0) throw new TemporaryError("not yet", { delay: 0.2 });
            });
            await part.run();
          }, { status: {} });
        });
        for (const outcome of await sub.run()) if (outcome.kind === "failure") throw outcome.error;
      };
    op.on.create(Example, { id: "deploy" }, async (args) => await body(deploy(args), args.patch));
    const running = await world.start(op);
    await new Objects(world).create("one", { spec: { a: 1 } });
    await world.until(hasPhase(world, "Ready"));
    assert.deepEqual(steps.filter((step) => step !== "begin"), ["done", "finally", "done", "finally"]);
    steps.length = 0;
    await new Objects(world).create("two", { spec: { fails: true } });
    await world.until(() => steps.includes("catch PermanentError") || steps.includes("catch Error"));
    await world.settle();
    assert.deepEqual(steps.filter((step) => step.startsWith("catch")).length, 1);
    await running.stop();
  });
});
