/**
 * Replicas of one operator: who is called, what is written, and what is left behind when an object changes hands.
 *
 * On the API server in the process alone: processes that are stopped and cut off are tested on the real one in
 * tests/e2e/replicas_test.ts.
 */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import {
  type Runner,
  start,
  type StartOptions,
  type TestCluster,
  testCluster,
} from "../../lib/kits/testing/mod.ts";
import { type JsonObject, kinds, type Operator, operator, resource } from "../../mod.ts";
import type { Clock } from "../../lib/runtime/host.ts";
import { heap } from "../support/heap.ts";
import { sized } from "../support/size.ts";

const ENDED = "The turn has ended with the term: the object is, or may be, another replica's";
const MAP = { name: "m", namespace: "default" };
const when = ({ name }: { readonly name: string }): boolean => name.startsWith("m");

/** A write that has reached the API server. */
interface Seen {
  readonly replica: number;
  readonly path: string;
}

interface World {
  readonly run: Runner;
  readonly cluster: TestCluster;
  readonly seen: Seen[];
  /** The replica whose stream of objects is silent, while it is on; `alsoLeases`: its stream of Leases, too. */
  readonly hold: { isOn: boolean; replica: number; alsoLeases?: boolean };
  /** Has the network keep the next patch of an object for so long; the answers to kept ones. */
  readonly late: { seconds: number; readonly answers: number[] };
  /** The replica of each list of objects. */
  readonly lists: number[];
  /** Told of each read of one object. */
  readonly reads: { told: (replica: number) => void };
}

/** Replicas, with all writes but of Leases as the API server takes them. */
async function world(
  make: () => Operator,
  replicas = 2,
  options: Pick<StartOptions, "remembered"> = {},
): Promise<World> {
  const cluster = await testCluster();
  const seen: Seen[] = [];
  const hold: World["hold"] = { isOn: false, replica: -1 };
  const late: World["late"] = { seconds: 0, answers: [] };
  const lists: number[] = [];
  const reads: World["reads"] = { told: () => {} };
  const fetch = async (request: Request): Promise<Response> => {
    const [, number] = /^https:\/\/replica-(\d+)\./.exec(request.url) ?? [];
    const { pathname: path, search } = new URL(request.url);
    const replica = Number(number);
    // Events about Leases tell of a replica, and of no object.
    if (number !== undefined && request.method !== "GET" && !/\/(leases|events)/.test(path)) {
      seen.push({ replica, path });
    }
    const isList = request.method === "GET" && path.endsWith("/configmaps") &&
      (!search.includes("watch=") || search.includes("sendInitialEvents"));
    if (isList) lists.push(replica);
    if (request.method === "GET" && path.includes("/configmaps/")) reads.told(replica);
    if (late.seconds > 0 && request.method === "PATCH" && path.includes("/configmaps/")) {
      const kept = new Request(request.url, {
        method: "PATCH",
        headers: request.headers,
        body: await request.text(),
      });
      const { seconds } = late;
      late.seconds = 0;
      await cluster.host.clock.sleep(seconds);
      const answer = await cluster.fetch(kept);
      late.answers.push(answer.status);
      return answer;
    }
    const response = await cluster.fetch(request);
    const isLeases = path.includes("/leases");
    const isGated = path.includes("/configmaps") || isLeases;
    if (number === undefined || !isGated || !search.includes("watch=")) return response;
    const gated = new TransformStream<Uint8Array, Uint8Array>({
      transform: async (chunk, controller) => {
        const isSilent = (): boolean =>
          hold.isOn && hold.replica === replica && (!isLeases || hold.alsoLeases === true);
        while (isSilent()) await cluster.host.clock.sleep(0.25);
        controller.enqueue(chunk);
      },
    });
    return new Response(response.body?.pipeThrough(gated), response);
  };
  const run = await start(make, { cluster: { ...cluster, fetch }, replicas, ...options });
  await run.until(() => run.messages().includes("Shard taken"));
  return { run, cluster, seen, hold, late, lists, reads };
}

function newMap(name = "m", data: JsonObject = { v: "1" }): JsonObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" }, data };
}

/** The number of the replica whose handlers were called. */
function holderOf(run: Runner): number {
  return run.replicas.findIndex(({ calls }) => calls.length > 0);
}

describe("replicas: the fence", () => {
  it("[N28.3] lets no write through of a handler whose process was stopped meanwhile: neither patch nor op.api", async () => {
    const begun: number[] = [];
    const { run, seen } = await world(() => {
      const op = operator();
      op.on.create(kinds.ConfigMap, { id: "make", when }, async ({ patch, clock, logger }) => {
        begun.push(clock.monotonic());
        await clock.sleep(5);
        patch.metadata.labels["made"] = "yes";
        await op.api.create(kinds.ConfigMap, newMap("child")).catch((error) =>
          logger.info("Not made", { error })
        );
      });
      return op;
    });
    await run.api.create(kinds.ConfigMap, newMap());
    await run.until(() => begun.length === 1);
    const holder = holderOf(run);
    run.replicas[holder]?.suspend(40);
    await run.until(() => begun.length === 2, { within: 30 });
    await run.advance(6);
    const before = seen.length;
    assert.ok(seen.slice(-2).every(({ replica }) => replica !== holder));
    await run.advance(60);
    assert.deepEqual(seen.slice(before), [], "nothing is written when the stopped process goes on");
    assert.ok(run.messages().includes("Not made"), "its request to make a child has failed");
    assert.equal((await run.api.get(kinds.ConfigMap, MAP)).metadata.labels?.["made"], "yes");
    assert.equal(begun.length, 2);
    await run.stop();
  });

  it("[N28.4] does not repeat a creation whose note has not come on the stream of the next holder", async () => {
    const { run, hold } = await world(() => {
      const op = operator();
      op.on.create(kinds.ConfigMap, { id: "make", when }, async ({ clock }) => void await clock.sleep(1));
      op.on.resume(kinds.ConfigMap, { id: "resume", when }, () => {});
      return op;
    });
    await run.api.create(kinds.ConfigMap, newMap("m0"));
    await run.until(() => run.calls.length === 1);
    const holder = holderOf(run);
    Object.assign(hold, { isOn: false, replica: 1 - holder });
    await run.api.create(kinds.ConfigMap, newMap());
    // The other replica has seen the object, but sees nothing of its notes.
    await run.until(() => run.calls.length === 2);
    hold.isOn = true;
    await run.advance(2);
    run.replicas[holder]?.kill();
    await run.until(() => run.messages().filter((message) => message === "Shard taken").length === 2);
    await run.advance(2);
    hold.isOn = false;
    await run.advance(20);
    const made = run.calls.filter(({ handler }) => handler === "make");
    assert.equal(made.length, 2, "each creation was handled once");
    assert.equal(run.calls.filter(({ handler }) => handler === "resume").length, 2);
    await run.stop();
  });

  it("[N28.15] does not repeat what it learns late: an object that it had not seen, or saw change before its turn", async () => {
    const { run, hold } = await world(() => {
      const op = operator();
      op.on.create(kinds.ConfigMap, { id: "make", when }, () => {});
      return op;
    });
    await run.api.create(kinds.ConfigMap, newMap("m0"));
    await run.until(() => run.calls.length === 1);
    const holder = holderOf(run);
    Object.assign(hold, { isOn: true, replica: 1 - holder });
    await run.api.create(kinds.ConfigMap, newMap());
    await run.until(() => run.calls.length === 2);
    await run.advance(1);
    run.replicas[holder]?.kill();
    await run.until(() => run.messages().filter((message) => message === "Shard taken").length === 2);
    await run.advance(2);
    // Its events come now: that it was made, and then that it is handled.
    hold.isOn = false;
    await run.advance(20);
    assert.equal(run.calls.length, 2);
    await run.stop();
  });

  it("[N28.16] has the server refuse a note that the network has kept, when another replica has gone on", async () => {
    const { run, late } = await world(() => {
      const op = operator();
      op.on.create(
        kinds.ConfigMap,
        { id: "make", when },
        ({ patch }) => void (patch.metadata.labels["made"] = "yes"),
      );
      return op;
    });
    late.seconds = 40;
    await run.api.create(kinds.ConfigMap, newMap());
    await run.until(() => run.calls.length === 1);
    run.replicas[holderOf(run)]?.suspend(60);
    await run.until(() => run.calls.length === 2, { within: 30 });
    await run.advance(2);
    const { metadata: { resourceVersion } } = await run.api.get(kinds.ConfigMap, MAP);
    await run.until(() => late.answers.length === 1, { within: 60 });
    assert.deepEqual(late.answers, [409]);
    const after = await run.api.get(kinds.ConfigMap, MAP);
    assert.equal(after.metadata.resourceVersion, resourceVersion);
    await run.advance(60);
    assert.equal(run.calls.length, 2);
    await run.stop();
  });
});

describe("replicas: a process that was stopped", () => {
  it("[N28.21] calls no further handler of a turn when it goes on, as another replica has handled the object", async () => {
    const { run } = await world(() => {
      const op = operator();
      op.on.create(kinds.ConfigMap, { id: "first", when }, async ({ clock }) => void await clock.sleep(5));
      op.on.create(kinds.ConfigMap, { id: "second", when }, () => {});
      op.reconcile(kinds.ConfigMap, { id: "third", when }, () => {});
      return op;
    });
    await run.api.create(kinds.ConfigMap, newMap());
    await run.until(() => run.calls.length === 1);
    run.replicas[holderOf(run)]?.suspend(60);
    await run.until(() => run.calls.length === 4, { within: 30 });
    await run.advance(60);
    const calls = run.replicas.map(({ calls }) => calls.map(({ handler }) => handler).join(" "));
    // One change handler in each turn, then the reconcile of the object.
    assert.deepEqual(calls.sort(), ["first", "first third second"]);
    await run.stop();
  });

  it("[N28.21] calls no handler by a state that it had read before it was stopped", async () => {
    const { run, reads, hold } = await world(() => {
      const op = operator();
      op.on.create(kinds.ConfigMap, { id: "make", when }, () => {});
      op.on.resume(kinds.ConfigMap, { id: "resume", when }, () => {});
      return op;
    }, 3);
    await run.api.create(kinds.ConfigMap, newMap("m0"));
    await run.until(() => run.calls.length === 1);
    run.replicas[holderOf(run)]?.kill();
    await run.api.create(kinds.ConfigMap, newMap());
    const readers: number[] = [];
    reads.told = (replica) => {
      if (readers.push(replica) > 1) return;
      run.replicas[replica]?.suspend(60);
      // The answer to its read comes before the events on its streams.
      Object.assign(hold, { isOn: true, replica, alsoLeases: true });
    };
    const made = (): number => run.calls.filter(({ handler }) => handler === "make").length;
    await run.until(() => made() === 2, { within: 60 });
    assert.equal(
      new Set(readers).size,
      2,
      "one was stopped when it had read the object, another one has handled it",
    );
    await run.advance(60);
    hold.isOn = false;
    await run.advance(20);
    assert.equal(made(), 2);
    await run.stop();
  });
});

describe("replicas: a handler that a doubt interrupts", () => {
  it("[N28.23] is called again when the session is confirmed, whatever its errors mean, and no attempt is counted", async () => {
    const [begun, done]: [string[], string[]] = [[], []];
    const { run } = await world(() => {
      const op = operator();
      const make = (id: string) => async ({ clock, signal }: { clock: Clock; signal: AbortSignal }) => {
        begun.push(id);
        await clock.sleep(12, signal);
        signal.throwIfAborted();
        done.push(id);
      };
      op.on.create(kinds.ConfigMap, { id: "made", when, errors: "permanent" }, make("made"));
      op.reconcile(kinds.ConfigMap, { id: "kept", when: ({ name }) => name === "k" }, make("kept"));
      op.on.create(kinds.ConfigMap, { id: "sent", when: ({ name }) => name === "n" }, async ({ clock }) => {
        begun.push("sent");
        await clock.sleep(begun.length > 3 ? 1 : 11);
        await op.api.create(kinds.ConfigMap, newMap("child"));
        done.push("sent");
      });
      return op;
    }, 1);
    await run.api.create(kinds.ConfigMap, newMap("m1"));
    await run.api.create(kinds.ConfigMap, newMap("n"));
    await run.api.create(kinds.ConfigMap, newMap("k"));
    await run.until(() => begun.length >= 3);
    run.replicas[0]?.isolate();
    await run.advance(20);
    run.replicas[0]?.rejoin();
    await run.until(() => run.messages().includes("Session confirmed: work goes on"));
    await run.advance(60);
    assert.deepEqual([...new Set(done)].sort(), ["kept", "made", "sent"], begun.join(" "));
    assert.deepEqual(run.messages("error"), []);
    await run.stop();
  });
});

describe("replicas: a standby", () => {
  it("[N7.4] has listed everything before it takes over, and handles the object that waits at once", async () => {
    const { run, cluster, lists } = await world(() => {
      const op = operator();
      op.on.create(kinds.ConfigMap, { id: "make", when }, () => {});
      op.on.update(kinds.ConfigMap, { id: "change", when }, () => {});
      op.on.resume(kinds.ConfigMap, { id: "resume", when }, () => {});
      return op;
    });
    for (let number = 0; number < 30; number++) await run.api.create(kinds.ConfigMap, newMap(`m${number}`));
    await run.until(() => run.calls.length === 30);
    await run.advance(5);
    const holder = holderOf(run);
    run.replicas[holder]?.kill();
    lists.length = 0;
    await run.api.patch(kinds.ConfigMap, { name: "m17", namespace: "default" }, { data: { v: "2" } });
    await run.until(() =>
      run.calls.some(({ handler, object }) => handler === "change" && object?.name === "m17")
    );
    assert.deepEqual(lists.filter((replica) => replica === 1 - holder), [], "nothing is listed anew");
    const taken = run.logs.findLast(({ message }) => message === "Shard taken")?.time ?? 0;
    assert.ok(
      cluster.host.clock.now() - taken <= 500,
      `${cluster.host.clock.now() - taken} ms after it was taken`,
    );
    await run.stop();
  });
});

describe("replicas: the last second of a session", () => {
  it("[N28.17] begins no turn again and again while nothing may be sent any more, and goes on when the session is renewed", async () => {
    const { run, cluster } = await world(() => {
      const op = operator();
      op.on.create(
        kinds.ConfigMap,
        { id: "make", when },
        ({ patch }) => void (patch.metadata.labels["made"] = "yes"),
      );
      op.timer(kinds.ConfigMap, { id: "tick", when, interval: 0.3 }, ({ patch, clock }) => {
        patch.metadata.labels["tick"] = String(clock.monotonic()).replaceAll(".", "-");
      });
      return op;
    }, 1);
    await run.api.create(kinds.ConfigMap, newMap("m0"));
    await run.until(() => run.calls.length > 3);
    const refused = cluster.inject({
      fault: { type: "refuse", code: 500 },
      resource: "leases",
      verbs: ["update"],
      times: Infinity,
    });
    // The session is in doubt ten seconds after the last renewal, which was in the last two.
    await run.advance(7);
    for (let number = 1; number <= 40; number++) {
      await run.api.create(kinds.ConfigMap, newMap(`m${number}`));
      await run.advance(0.1);
    }
    const tries = run.messages().filter((message) => message === ENDED).length;
    assert.ok(tries > 0 && tries <= 40, `${tries} turns that could write nothing`);
    refused.remove();
    await run.until(kinds.ConfigMap, "m40", { metadata: { labels: { made: "yes" } } }, { within: 30 });
    await run.stop();
  });
});

describe("replicas: daemons and timers", () => {
  it("[N28.5] run in one replica at a time, and go on in the next one", async () => {
    let running = 0;
    let most = 0;
    const ticks: number[] = [];
    const { run } = await world(() => {
      const op = operator({ replicas: { drainTimeout: 5 } });
      op.daemon(kinds.ConfigMap, { id: "watch", when, cancellationTimeout: 2 }, async ({ stopped }) => {
        most = Math.max(most, ++running);
        await stopped.wait(1e9);
        running--;
      });
      op.timer(
        kinds.ConfigMap,
        { id: "tick", when, interval: 1 },
        ({ clock }) => void ticks.push(clock.now()),
      );
      return op;
    }, 3);
    await run.api.create(kinds.ConfigMap, newMap());
    await run.until(() => running === 1);
    await run.advance(10);
    assert.ok(ticks.length >= 10 && ticks.length <= 12, `${ticks.length} ticks`);
    const holder = holderOf(run);
    run.replicas[holder]?.stop();
    await run.until(() => run.replicas[holder]?.isRunning === false);
    await run.until(() => running === 1, { within: 3 });
    assert.equal(most, 1);
    ticks.length = 0;
    await run.advance(10);
    assert.ok(ticks.length >= 10 && ticks.length <= 12, `${ticks.length} ticks`);
    await run.stop();
    assert.equal(running, 0);
  });

  it("[N28.6] rest while the session is in doubt, and go on without a resumption when it is confirmed", async () => {
    let resumed = 0;
    const ticks: number[] = [];
    const { run } = await world(() => {
      const op = operator();
      op.on.resume(kinds.ConfigMap, { id: "resume", when }, () => void resumed++);
      op.timer(
        kinds.ConfigMap,
        { id: "tick", when, interval: 1 },
        ({ clock }) => void ticks.push(clock.now()),
      );
      return op;
    }, 1);
    await run.api.create(kinds.ConfigMap, newMap());
    await run.until(() => ticks.length > 2);
    const before = resumed;
    run.replicas[0]?.isolate();
    await run.advance(11);
    ticks.length = 0;
    await run.advance(20);
    assert.deepEqual(ticks, [], "no timer runs in doubt");
    run.replicas[0]?.rejoin();
    await run.until(() => ticks.length > 3, { within: 60 });
    assert.equal(resumed, before);
    assert.ok(run.messages().includes("Session confirmed: work goes on"));
    await run.stop();
  });
});

describe("replicas: shares", () => {
  it("[N28.20] do nearly three times the work of one where handlers wait, and workers are few", async () => {
    const count = sized({ short: 120, full: 2400 });
    const rates: number[] = [];
    for (const replicas of [1, 3]) {
      let done = 0;
      const { run } = await world(() => {
        const op = operator({ replicas: { shards: 24 }, queueing: { workerLimit: 2 } });
        op.on.create(kinds.ConfigMap, { id: "make", when }, async ({ clock }) => {
          await clock.sleep(0.05);
          done++;
        });
        return op;
      }, replicas);
      await run.advance(15);
      const begun = run.host.clock.monotonic();
      for (let number = 0; number < count; number++) {
        await run.api.create(kinds.ConfigMap, newMap(`m${number}`));
      }
      await run.until(() => done === count, { within: 3600 });
      rates.push(count / (run.host.clock.monotonic() - begun));
      await run.stop();
    }
    const [one = 0, three = 0] = rates;
    // The hash spreads few objects less evenly than many.
    assert.ok(three / one >= sized({ short: 2.2, full: 2.7 }), `${one} and ${three} objects a second`);
  });
});

describe("replicas: promotions", () => {
  it("[N28.7] leave a handler behind that does not end, and handle its object without it", async () => {
    const begun: string[] = [];
    const { run } = await world(() => {
      const op = operator({ replicas: { drainTimeout: 5 } });
      op.on.create(kinds.ConfigMap, { id: "make", when }, async ({ clock }) => {
        begun.push("make");
        if (begun.length === 1) await clock.sleep(1e9);
      });
      return op;
    }, 1);
    await run.api.create(kinds.ConfigMap, newMap());
    await run.until(() => begun.length === 1);
    run.replicas[0]?.isolate();
    await run.advance(20);
    run.replicas[0]?.rejoin();
    await run.until(() => run.messages().includes("Session confirmed: work goes on"));
    assert.equal(begun.length, 1, "not beside the handler that still runs");
    await run.until(() => begun.length === 2, { within: 10 });
    await run.advance(5);
    const { metadata } = await run.api.get(kinds.ConfigMap, MAP);
    assert.ok(metadata.annotations?.["lotse.dev/last-handled-configuration"]);
    await run.stop();
  });

  it("[N28.8] leave nothing in a process: no state, daemon, timer, listener or plan", async () => {
    const promotions = sized({ short: 4, full: 1000 });
    const { run, cluster } = await world(
      () => {
        const op = operator({
          replicas: { leaseDuration: 3, renewDeadline: 2, retryPeriod: 0.5, drainTimeout: 2 },
        });
        op.on.create(kinds.ConfigMap, { id: "make", when }, () => {});
        op.on.resume(kinds.ConfigMap, { id: "resume", when }, () => {});
        op.daemon(
          kinds.ConfigMap,
          { id: "watch", when },
          async ({ stopped }) => void await stopped.wait(1e9),
        );
        op.timer(kinds.ConfigMap, { id: "tick", when, interval: 3600 }, () => {});
        return op;
      },
      2,
      { remembered: 500 },
    );
    for (let number = 0; number < 5; number++) await run.api.create(kinds.ConfigMap, newMap(`m${number}`));
    await run.advance(10);
    const takenAt = (): number => run.logs.findLast(({ message }) => message === "Shard taken")?.time ?? 0;
    const timers: number[] = [];
    const sizes: number[] = [];
    for (let round = 0; round < promotions; round++) {
      const before = takenAt();
      const holder = run.replicas.findIndex(({ calls }) => calls.at(-1) === run.calls.at(-1));
      run.replicas[holder]?.suspend(6);
      await run.until(() => takenAt() > before, { within: 30 });
      await run.advance(15);
      timers.push(cluster.host.clock.pending);
      if (round % 100 === 99) sizes.push((await heap()).size);
    }
    assert.ok((timers.at(-1) ?? 0) <= (timers[2] ?? 0) + 2, `timers: ${timers.join(" ")}`);
    const [, second = 0] = sizes;
    const last = sizes.at(-1) ?? 0;
    // What the API server in the process remembers of the past has its limit in the first hundreds.
    assert.ok(last <= second * 1.2, `bytes after each 100: ${sizes.join(" ")}`);
    await run.stop();
  });
});

describe("replicas: tasks and peers", () => {
  it("[N28.11] run a task with `once` in one replica, and make up for a time that was missed in a failover", async () => {
    const runs: number[] = [];
    const all: number[] = [];
    const { run, cluster } = await world(() => {
      const op = operator();
      op.every("report", { cron: "* * * * *", once: true }, () => void runs.push(cluster.host.clock.now()));
      op.every("own", { interval: 60 }, () => void all.push(1));
      op.on.create(kinds.ConfigMap, { id: "make", when }, () => {});
      return op;
    });
    await run.api.create(kinds.ConfigMap, newMap());
    await run.until(() => run.calls.some(({ handler }) => handler === "make"));
    const start = cluster.host.clock.now();
    const toMinute = 60 - (start / 1000) % 60;
    await run.advance(toMinute + 120 - 5);
    assert.equal(runs.length, 2);
    assert.ok(all.length >= 2 * 3, "a task without it runs in each replica");
    run.replicas[holderOf(run)]?.kill();
    await run.advance(35);
    assert.equal(runs.length, 3, "the time in between is made up for, once");
    await run.advance(60);
    assert.equal(runs.length, 4);
    await run.stop();
  });

  it("[N28.13] meet other operators under one record, pause for them together, and not for each other", async () => {
    const peering = readFileSync(new URL("../../examples/22-peering/peering.yaml", import.meta.url), "utf8");
    await using cluster = await testCluster({ manifests: peering });
    await using run = await start(
      () => {
        const op = operator({ peering: { clusterwide: true } });
        op.on.create(kinds.ConfigMap, { id: "make", when }, () => {});
        return op;
      },
      { cluster, replicas: 2 },
    );
    await run.advance(10);
    await run.api.create(kinds.ConfigMap, newMap("m1"));
    await run.until(() => run.calls.length === 1);
    const Peering = resource({
      group: "kopf.dev",
      version: "v1",
      plural: "clusterkopfpeerings",
      namespaced: false,
    });
    const { status } = await run.api.get(Peering, { name: "default" });
    assert.deepEqual(Object.keys(Object(status)), ["default/operator"]);
    const record = { priority: 100, lifetime: 3600, lastseen: new Date(run.host.clock.now()).toISOString() };
    await run.api.patch(Peering, { name: "default" }, { status: { me: record } });
    await run.advance(5);
    await run.api.create(kinds.ConfigMap, newMap("m2"));
    await run.advance(20);
    assert.equal(run.calls.length, 1, "both are paused");
    await run.api.patch(Peering, { name: "default" }, { status: { me: null } });
    await run.until(() => run.calls.length === 2);
    run.replicas[0]?.stop();
    await run.until(() => run.replicas[0]?.isRunning === false);
    const left = await run.api.get(Peering, { name: "default" });
    assert.deepEqual(
      Object.keys(Object(left.status)),
      ["default/operator"],
      "the other one goes on under it",
    );
  });

  it("[N28.14] name another operator that has the same name by mistake", async () => {
    let count = 0;
    const { run } = await world(() => {
      const op = operator();
      op.on.event(count++ === 0 ? kinds.ConfigMap : kinds.Secret, () => {});
      return op;
    });
    await run.advance(10);
    const told = run.messages("error").filter((message) =>
      message.startsWith("Another operator has the name")
    );
    assert.equal(told.length, 2, "each names the other, once");
    const events: unknown[] = [];
    for await (const { reason, type } of run.api.list(kinds.Event, { namespace: "default" })) {
      if (reason === "NameTaken") events.push(type);
    }
    assert.ok(events.length > 0 && events.every((type) => type === "Warning"), "an Event says so, too");
    await run.stop();
  });
});
