/**
 * Replicas as processes on a real kube-apiserver: killed, stopped with SIGSTOP, and beside a program that elects with client-go.
 *
 * NB: time is real here: how long a takeover takes is what is tested.
 */

import assert from "node:assert/strict";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { findClient } from "../clients/binaries.ts";
import { Program } from "../cli/processes.ts";
import { type ControlPlane, findControlPlane, startControlPlane } from "../control_plane/control_plane.ts";

const PROGRAM = fileURLToPath(new URL("replica_program.ts", import.meta.url));
const skip = findControlPlane().reason ?? false;
const go = findClient("go");
const skipGo = skip || (go.reason ?? false);

/** Kubernetes' durations, divided by five and by four: runs stay short. */
const FAST = { leaseDuration: 3, renewDeadline: 2, retryPeriod: 0.5 };

/** A line of a replica: a word, the shard and the time in milliseconds. */
interface Line {
  readonly word: string;
  readonly shard: number;
  readonly time: number;
}

function linesOf({ stdout }: Program): Line[] {
  return stdout.split("\n").slice(0, -1).map((line) => {
    const [word = "", ...numbers] = line.split(" ");
    const [shard = 0, time = 0] = numbers.length === 1 ? [0, Number(numbers[0])] : numbers.map(Number);
    return { word, shard, time };
  });
}

/** The shards that the process may write for now. */
function heldBy(program: Program): number[] {
  const since = Date.now() - 250;
  const shards = linesOf(program).filter(({ word, time }) => word === "works" && time >= since);
  return [...new Set(shards.map(({ shard }) => shard))];
}

/** No shard was worked on by two processes at once: of each, the times of one lie before those of the next. */
function assertApart(programs: readonly Program[]): void {
  const works = programs.flatMap((program, index) =>
    linesOf(program).filter(({ word }) => word === "works").map((line) => ({ ...line, index }))
  ).sort((a, b) => a.time - b.time);
  const seen = new Map<number, { index: number; past: Set<number>; time: number }>();
  for (const { shard, index, time } of works) {
    const last = seen.get(shard);
    if (last === undefined) seen.set(shard, { index, past: new Set(), time });
    else if (last.index !== index) {
      assert.ok(time > last.time, `two processes work on shard ${shard} at ${time}`);
      seen.set(shard, { index, past: last.past, time });
    } else seen.set(shard, { ...last, time });
  }
  // A change of hands back and forth within a moment is an overlap, too.
  const changes = new Map<number, number[]>();
  let previous = new Map<number, number>();
  for (const { shard, index, time } of works) {
    if (previous.get(shard) !== undefined && previous.get(shard) !== index) {
      changes.set(shard, [...changes.get(shard) ?? [], time]);
    }
    previous = previous.set(shard, index);
  }
  for (const [shard, times] of changes) {
    for (const [at, time] of times.entries()) {
      const before = times[at - 1];
      assert.ok(before === undefined || time - before > 100, `shard ${shard} goes back and forth at ${time}`);
    }
  }
}

async function until(
  condition: () => boolean,
  seconds: number,
  programs: readonly Program[],
): Promise<number> {
  const begun = Date.now();
  while (!condition()) {
    if (Date.now() - begun > seconds * 1000) {
      assert.fail(`not within ${seconds} s:\n${programs.map(({ stderr }) => stderr).join("\n---\n")}`);
    }
    await sleep(20);
  }
  return (Date.now() - begun) / 1000;
}

describe("Replicas on a real control plane", () => {
  let plane: ControlPlane | undefined;
  let names = 0;
  before(async () => {
    if (skip === false) plane = await startControlPlane();
  });
  after(async () => await plane?.[Symbol.asyncDispose]());

  function open(
    settings: Record<string, unknown>,
  ): { name: string; start: () => Program; elect: () => Program } {
    const name = `op${++names}`;
    const env = {
      KUBECONFIG: plane?.kubeconfig ?? "",
      REPLICAS: JSON.stringify({ name, namespace: "default", ...settings }),
      LEASE_DURATION: String(settings["leaseDuration"] ?? 15),
      RENEW_DEADLINE: String(settings["renewDeadline"] ?? 10),
      RETRY_PERIOD: String(settings["retryPeriod"] ?? 2),
    };
    const flags = "Deno" in globalThis ? ["run", "-A", "--no-check"] : [];
    return {
      name,
      start: () => new Program(process.execPath, [...flags, PROGRAM], { env }),
      elect: () => new Program(go.path ?? "", ["elect", "default", name, `go-${names}`], { env }),
    };
  }

  it(
    "[N7.1] take over within the lease and two seconds when the holder is killed, with Kubernetes' own durations",
    {
      skip,
    },
    async (t) => {
      const { start } = open({});
      await using one = start();
      await one.wrote(/works/);
      await using two = start();
      await two.wrote(/./);
      await sleep(5000);
      process.kill(one.pid, "SIGKILL");
      const killed = Date.now();
      await until(() => heldBy(two).length === 1, 20, [one, two]);
      const begun = linesOf(two).find(({ word }) => word === "begin")?.time ?? 0;
      t.diagnostic?.(`taken ${begun - killed} ms after the kill`);
      assert.ok(begun - killed < 17_000, `${begun - killed} ms`);
      assertApart([one, two]);
    },
  );

  it("[N7.2] take over within a second when the holder ends in order", { skip }, async (t) => {
    const { start } = open({});
    await using one = start();
    await one.wrote(/works/);
    await using two = start();
    await two.wrote(/./);
    await sleep(3000);
    const begunAt = Date.now();
    const ended = one.stop();
    await until(() => heldBy(two).length === 1, 5, [one, two]);
    const begun = linesOf(two).find(({ word }) => word === "begin")?.time ?? 0;
    t.diagnostic?.(`taken ${begun - begunAt} ms after SIGTERM`);
    assert.ok(begun - begunAt < 1000, `${begun - begunAt} ms`);
    assert.equal(await ended, 0);
    assertApart([one, two]);
  });

  it(
    "share eight shards, and none is worked on by two while processes are killed and stopped",
    { skip },
    async () => {
      const { start } = open({ ...FAST, shards: 8 });
      const all = [start(), start(), start()];
      try {
        const working = (): number => all.flatMap(heldBy).length;
        await until(() => working() === 8, 30, all);
        const [one, two] = all;
        assert.ok(one !== undefined && two !== undefined);
        for (let round = 0; round < 3; round++) {
          process.kill(one.pid, "SIGSTOP");
          await sleep(4500);
          await until(() => working() === 8, 10, all);
          process.kill(one.pid, "SIGCONT");
          await until(() => heldBy(one).length >= 2 && working() === 8, 20, all);
        }
        process.kill(two.pid, "SIGKILL");
        all.push(start());
        await until(() => working() === 8, 20, all);
        await sleep(1000);
        assertApart(all);
      } finally {
        for (const each of all) await each[Symbol.asyncDispose]();
      }
    },
  );

  it(
    "[N7.3] respect a program that elects with client-go, and are respected, in a kill of either",
    { skip: skipGo },
    async (t) => {
      const { start, elect } = open(FAST);
      await using foreign = elect();
      await foreign.wrote(/works/);
      await using ours = start();
      await sleep(5000);
      assert.equal(linesOf(ours).length, 0, "nothing is taken while the other one renews");
      process.kill(foreign.pid, "SIGKILL");
      const killed = Date.now();
      await until(() => heldBy(ours).length === 1, 10, [ours]);
      t.diagnostic?.(`taken from client-go ${Date.now() - killed} ms after its kill`);
      await using another = elect();
      await sleep(5000);
      assert.ok(!/begin/.test(another.stdout), "nothing is taken from us");
      process.kill(ours.pid, "SIGKILL");
      const killedToo = Date.now();
      await another.wrote(/begin/);
      t.diagnostic?.(`taken by client-go ${Date.now() - killedToo} ms after our kill`);
      assert.ok(Date.now() - killedToo < 5500);
      assertApart([foreign, ours, another]);
    },
  );

  it("[N7.3] hand over to client-go at once in an orderly end, and it to us", { skip: skipGo }, async () => {
    const { start, elect } = open(FAST);
    await using ours = start();
    await ours.wrote(/works/);
    await using foreign = elect();
    await sleep(2000);
    const begun = Date.now();
    const ended = ours.stop();
    await foreign.wrote(/begin/);
    assert.ok(Date.now() - begun < 2000, `${Date.now() - begun} ms`);
    await ended;
    await using again = start();
    await again.wrote(/Session begun/);
    await sleep(1000);
    const back = Date.now();
    foreign.kill("SIGTERM");
    await until(() => heldBy(again).length === 1, 5, [again]);
    assert.ok(Date.now() - back < 2000, `${Date.now() - back} ms`);
    assertApart([ours, foreign, again]);
  });
});
