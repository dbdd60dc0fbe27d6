import assert from "node:assert/strict";
import { operator } from "../../mod.ts";
import { suite } from "../support/scenario.ts";
import { Example, Objects } from "../support/worlds.ts";

suite("the pace of reconciles", (scenario) => {
  scenario.timed(
    "[N1.11] a debounce makes one call of many changes, and a rate limit keeps calls apart",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const [calm, limited]: [number[], number[]] = [[], []];
      const now = (): number => world.host.clock.monotonic();
      op.reconcile(Example, { debounce: 2 }, function debounced() {
        calm.push(now());
      });
      op.reconcile(Example, { rateLimit: { calls: 2, within: 10 } }, function rated() {
        limited.push(now());
      });
      const running = await world.start(op);
      await objects.create("one");
      await world.settle();
      for (let size = 1; size <= 5; size++) {
        await objects.patch("one", { spec: { size } });
        await world.host.clock.advance(1);
      }
      await world.host.clock.advance(30);
      assert.equal(calm.length, 2);
      assert.ok(
        limited.every((time, number) => number < 2 || time - limited[number - 2]! >= 9.9),
        String(limited),
      );
      assert.ok(limited.length >= 3);
      await running.stop();
    },
  );

  scenario.timed(
    "[N1.12] only so many objects of a kind are reconciled at the same time, and none is forgotten",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      let [running, most] = [0, 0];
      const done = new Set<string>();
      op.reconcile(Example, { concurrency: 2, backoff: 1 }, async function follow({ name, signal, attempt }) {
        most = Math.max(most, ++running);
        try {
          await world.host.clock.sleep(1, signal);
          if (attempt === 1 && name.endsWith("3")) throw new Error("Once");
          done.add(name);
        } finally {
          running -= 1;
        }
      });
      for (let number = 0; number < 9; number++) await objects.create(`one-${number}`);
      const runner = await world.start(op);
      await world.until(() => done.size === 9, 60);
      assert.equal(most, 2);
      await runner.stop();
    },
  );

  scenario.timed(
    "[N1.13] an attempt that takes too long is aborted, and not repeated before it has ended",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const gate = Promise.withResolvers<void>();
      const seen: string[] = [];
      let running = 0;
      op.reconcile(Example, { timeout: 3, backoff: 1 }, async function follow({ attempt, signal }) {
        seen.push(`${attempt} beside ${running++}`);
        signal.addEventListener("abort", () => seen.push("aborted"));
        if (attempt === 1) await gate.promise;
        running -= 1;
      });
      const runner = await world.start(op);
      await objects.create("one");
      await world.host.clock.advance(60);
      assert.deepEqual(seen, ["1 beside 0", "aborted"]);
      assert.ok(runner.logs.some(({ message }) => message.includes("still runs after its timeout")));
      gate.resolve();
      await world.until(() => seen.length === 3, 10);
      assert.equal(seen[2], "2 beside 0");
      await runner.stop();
    },
  );

  scenario(
    "[N1.14] a requeueAfter that is no time is an error of the attempt, and the others go on",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const values: Record<string, unknown> = {
        nan: { requeueAfter: NaN },
        zero: { requeueAfter: 0 },
        year: { requeueAfter: 365 * 24 * 3600 },
        text: { requeueAfter: "5" },
        other: { after: 5 },
        good: { requeueAfter: 0.2 },
      };
      const calls: Record<string, number> = {};
      op.reconcile(Example, { backoff: 1000 }, function follow({ name }) {
        calls[name] = (calls[name] ?? 0) + 1;
        return values[name] as { requeueAfter: number };
      });
      const runner = await world.start(op);
      for (const name of Object.keys(values)) await objects.create(name);
      await world.until(() => Object.keys(values).every((name) => calls[name]) && Number(calls.good) > 2, 60);
      await world.settle();
      assert.deepEqual({ ...calls, good: 3 }, { nan: 1, zero: 1, year: 1, text: 1, other: 1, good: 3 });
      const errors = runner.logs.filter(({ message }) => message === "Handler failed temporarily");
      const texts = errors.map(({ fields }) => (fields.error as Error).message);
      assert.equal(texts.filter((text) => /^Cannot (requeue|take)/.test(text)).length, 5, texts.join("\n"));
      for (const { fields: { error } } of errors) {
        const frames = (error as Error).stack?.split("\n").filter((line) => /^\s+at /.test(line)) ?? [];
        assert.ok(frames.length > 0 && frames.every((line) => !line.includes("/lib/")), "the author's lines");
      }
      await runner.stop();
    },
  );

  scenario(
    "[N1.15] a predicate narrows what changes matter; one that fails lets them through",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const seen: unknown[] = [];
      op.reconcile(Example, {
        predicate: ({ spec, old }) => {
          if (spec.size === 9) throw new Error("own fault");
          return spec.size !== (old.spec as { size?: number } | undefined)?.size;
        },
      }, function follow({ spec }) {
        seen.push(spec.size);
      });
      const runner = await world.start(op);
      await objects.create("one", { spec: { size: 1 } });
      await world.until(() => seen.length === 1);
      await objects.patch("one", { spec: { color: "red" } });
      await world.settle();
      await objects.patch("one", { spec: { size: 2 } });
      await world.until(() => seen.length === 2);
      await objects.patch("one", { spec: { size: 9 } });
      await world.until(() => seen.length === 3);
      assert.deepEqual(seen, [1, 2, 9]);
      await runner.stop();
    },
  );

  scenario(
    "[N1.16] what the server refuses of its writes fails the attempt, which is repeated",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const attempts: number[] = [];
      op.reconcile(Example, { backoff: 0.2 }, function follow({ patch, attempt }) {
        attempts.push(attempt);
        if (attempt < 3) patch.metadata.labels = { bad: "no label at all!" };
        else patch.metadata.labels = { good: "yes" };
      });
      const runner = await world.start(op);
      await objects.create("one");
      await world.until(async () => (await objects.get("one")).metadata.labels?.good === "yes");
      assert.deepEqual(attempts.slice(0, 3), [1, 2, 3]);
      await runner.stop();
    },
  );
});
