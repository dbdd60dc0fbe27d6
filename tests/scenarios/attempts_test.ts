import assert from "node:assert/strict";
import { exponential, operator } from "../../mod.ts";
import { suite } from "../support/scenario.ts";
import { Example, Objects } from "../support/worlds.ts";

/** Whether each pause is as it should be, give or take a fifth for jitter. */
function assertPauses(times: readonly number[], wanted: readonly number[]): void {
  const pauses = times.slice(1).map((time, number) => time - times[number]!);
  assert.equal(pauses.length, wanted.length);
  for (const [number, ideal] of wanted.entries()) {
    const pause = pauses[number]!;
    assert.ok(pause >= 0.79 * ideal && pause <= 1.21 * ideal + 0.5, `${pause} s for ${ideal} s`);
  }
}

suite("attempts", (scenario) => {
  scenario.timed(
    "[N10.1] pauses of change handlers and of timers grow where that is asked for, up to the longest",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const backoff = exponential({ from: 2, to: 30, factor: 3 });
      const [changes, ticks]: [number[], number[]] = [[], []];
      const now = (): number => world.host.clock.monotonic();
      op.on.create(Example, { backoff }, function make() {
        if (changes.push(now()) < 6) throw new Error("Not yet");
      });
      op.timer(Example, { interval: 3600, backoff }, function tick() {
        if (ticks.push(now()) < 6) throw new Error("Not yet");
      });
      const running = await world.start(op);
      await objects.create("slower");
      await world.until(() => changes.length === 6 && ticks.length === 6, 600);
      await world.settle();
      assertPauses(changes, [2, 6, 18, 30, 30]);
      assertPauses(ticks, [2, 6, 18, 30, 30]);
      await running.stop();
    },
  );

  scenario.timed(
    "[N10.2] an attempt of a change handler that takes too long is aborted, and is tried again",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const seen: string[] = [];
      const begun = world.host.clock.monotonic();
      const at = (): number => Math.floor((world.host.clock.monotonic() - begun) / 10) * 10;
      op.on.create(Example, { attemptTimeout: 20, backoff: 10 }, async function make({ retry, signal }) {
        seen.push(`${retry}`);
        if (retry === 2) return;
        await world.host.clock.sleep(1000, signal);
        if (signal.aborted) seen.push(`aborted at ${at()}`);
      });
      const running = await world.start(op);
      await objects.create("limited");
      await world.until(() => seen.length === 5, 200);
      assert.deepEqual(seen, ["0", "aborted at 20", "1", "aborted at 50", "2"]);
      const errors = running.logs.filter(({ message }) => message === "Handler failed temporarily");
      const [first] = errors.map(({ fields }) => (fields.error as Error).message);
      assert.match(`${first}`, /its attempt was still running after 20 s/);
      assert.equal(errors.length, 2);
      await running.stop();
    },
  );
});
