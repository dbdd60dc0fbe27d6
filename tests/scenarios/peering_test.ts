import assert from "node:assert/strict";
import { type Operator, operator } from "../../mod.ts";
import { makePeeringKinds, Meeting, NAMESPACED, peeringLog } from "../support/meeting.ts";
import { jumpingClock } from "../support/jumping_clock.ts";
import { suite } from "../support/scenario.ts";
import type { TimedWorld, VirtualWorld } from "../support/virtual_world.ts";
import { Example, Objects } from "../support/worlds.ts";

/** What operators in the process are told, so that they serve one namespace. */
const HERE = { scope: ["default"] } as const;

/** An operator that notes which objects it has created something for. */
function noting(
  settings: Parameters<typeof operator>[0] = {},
): { readonly op: Operator; readonly made: string[] } {
  const op = operator(settings);
  const made: string[] = [];
  op.on.create(Example, function make({ name }) {
    made.push(name);
  });
  return { op, made };
}

/** A world with the kinds, and a peering object. */
async function meetingIn(world: TimedWorld): Promise<Meeting> {
  await makePeeringKinds(world);
  return await new Meeting(world.client, { namespace: "default" }).create();
}

/** A record that was written this moment, in Kopf's form. */
function record({ host }: TimedWorld, fields: Record<string, unknown> = {}): Record<string, unknown> {
  const lastseen = new Date(host.clock.now()).toISOString().replace("Z", "000+00:00");
  return { priority: 0, lifetime: 60, lastseen, ...fields };
}

/** Requests to peering objects of this method. */
function asked({ requests }: TimedWorld, method: string): { path: string; body: string }[] {
  return requests.filter((each) => each.method === method && /peerings(\/|\?|$)/.test(each.path));
}

/** Requests for the kind that operators serve. */
function looks({ requests }: TimedWorld): string[] {
  return requests.filter(({ path }) =>
    path.includes("/examples") && !path.includes("/customresourcedefinitions/")
  ).map(({ path }) => path);
}

suite("peering", (scenario) => {
  // NB: these two come first: on the real server the kinds stay once they are there.
  scenario.timed(
    "[B158] without the kinds an operator runs, and asks for no peering objects",
    async (world) => {
      const { op, made } = noting();
      const running = await world.start(op, HERE);
      await new Objects(world).create("a");
      await running.advance(300);
      assert.deepEqual(made, ["a"]);
      assert.deepEqual([asked(world, "GET"), asked(world, "PATCH")], [[], []]);
      await running.stop();
    },
  );

  scenario.timed(
    "[B159] an operator to which peering is mandatory stays paused without the kinds, and begins when they come",
    async (world) => {
      const objects = new Objects(world);
      await objects.create("a");
      const { op, made } = noting({ peering: { mandatory: true } });
      const running = await world.start(op, HERE);
      await running.advance(3600);
      assert.deepEqual([made, looks(world)], [[], []]);
      assert.match(peeringLog(running.logs).join(), /^warn Paused: peering is mandatory/);
      await meetingIn(world);
      await running.advance(5);
      assert.deepEqual(made, ["a"]);
      await running.stop();
    },
  );

  scenario.timed(
    "[B160] [B226] a mandatory peering lets go with the first look at its object, and nothing is asked before",
    async (world) => {
      await makePeeringKinds(world);
      await new Objects(world).create("a");
      const { op, made } = noting();
      const running = await world.start(op, { ...HERE, peering: "ours" });
      await running.advance(600);
      assert.deepEqual([made, looks(world)], [[], []]);
      const meeting = await new Meeting(world.client, { namespace: "default", name: "ours" }).create();
      await running.settle();
      assert.deepEqual(made, ["a"]);
      await meeting.delete();
      await running.settle();
      await new Objects(world).create("b");
      await running.advance(600);
      assert.deepEqual(made, ["a"], "without its object it is paused again");
      await running.stop();
    },
  );

  scenario.timed("[B161] a standalone operator writes no records, and heeds none", async (world) => {
    const meeting = await meetingIn(world);
    const important = { other: record(world, { priority: 1000 }) };
    await meeting.write(important);
    const { op, made } = noting();
    const running = await world.start(op, { ...HERE, standalone: true });
    await new Objects(world).create("a");
    await running.advance(300);
    assert.deepEqual([made, await meeting.records()], [["a"], important]);
    assert.deepEqual([asked(world, "GET"), asked(world, "PATCH")], [[], []]);
    await running.stop();
  });

  scenario.timed(
    "[B162] [B163] [B164] an operator pauses for a higher priority, says so once, and resumes when it has gone",
    async (world) => {
      const meeting = await meetingIn(world);
      const objects = new Objects(world);
      const { op, made } = noting();
      const running = await world.start(op, { ...HERE, priority: 100 });
      assert.deepEqual(peeringLog(running.logs), []);
      await meeting.write({ other: record(world, { priority: 101 }) });
      await running.settle();
      const pausing = "info Pausing for a peer of higher priority";
      assert.deepEqual(peeringLog(running.logs), [pausing]);
      await running.advance(10);
      await meeting.write({ other: record(world, { priority: 101 }) });
      await objects.create("a");
      await running.advance(10);
      assert.deepEqual([peeringLog(running.logs), made], [[pausing], []]);
      await meeting.write({ other: null });
      await running.settle();
      assert.deepEqual(peeringLog(running.logs), [pausing, "info Resuming: the peers in the way have gone"]);
      assert.deepEqual(made, ["a"]);
      await running.stop();
    },
  );

  scenario.timed(
    "[N48.4] a pause ends the run of a task, and none begins before it is over",
    async (world) => {
      const meeting = await meetingIn(world);
      const { op } = noting();
      const runs: string[] = [];
      op.every("long", { interval: 10 }, async ({ signal }) => {
        runs.push("begins");
        await world.host.clock.sleep(30, signal);
        runs.push(signal.aborted ? "is ended" : "ends");
      });
      const running = await world.start(op, { ...HERE, priority: 100 });
      await running.advance(35);
      assert.deepEqual(runs, ["begins", "ends"], "never two at once");
      await running.advance(10);
      assert.deepEqual(runs.splice(0), ["begins", "ends", "begins"]);
      await meeting.write({ other: record(world, { priority: 101, lifetime: 3600 }) });
      await running.advance(300);
      assert.deepEqual(runs.splice(0), ["is ended"]);
      await meeting.write({ other: null });
      await running.advance(35);
      assert.deepEqual(runs.slice(0, 2), ["begins", "ends"]);
      await running.stop();
    },
  );

  scenario.timed(
    "[B165] operators of the same priority pause each other, and each event warns",
    async (world) => {
      await meetingIn(world);
      const [one, two] = [noting(), noting()];
      const first = await world.start(one.op, { ...HERE, priority: 5 });
      const second = await world.start(two.op, { ...HERE, priority: 5 });
      await new Objects(world).create("a");
      await first.settle();
      assert.deepEqual([one.made, two.made], [[], []]);
      for (const { logs } of [first, second]) {
        const before = peeringLog(logs).length;
        assert.ok(
          before > 0 && peeringLog(logs).every((line) => line.startsWith("warn Operators of the same")),
        );
        await first.advance(60);
        assert.ok(peeringLog(logs).length >= before + 2, "each renewal is an event");
      }
      await second.stop();
      await first.settle();
      assert.deepEqual([one.made, two.made], [["a"], []]);
      await first.stop();
    },
  );

  scenario.timed(
    "[B166] [B167] [B171] others that are lower, elsewhere, or oneself are no reason to pause",
    async (world) => {
      const meeting = await meetingIn(world);
      const elsewhere = await new Meeting(world.client, { namespace: "default", name: "elsewhere" }).create();
      const { op, made } = noting();
      const running = await world.start(op, { ...HERE, priority: 10, identity: "me" });
      await meeting.write({ other: record(world, { priority: 9 }), me: record(world, { priority: 99 }) });
      await elsewhere.write({ other: record(world, { priority: 1000 }) });
      await new Objects(world).create("a");
      await running.settle();
      assert.deepEqual([made, peeringLog(running.logs)], [["a"], []]);
      await running.stop();
    },
  );

  scenario.timed(
    "[B168] [B169] when a peer falls silent, the own record is written, the dead one is removed, and work goes on",
    async (world) => {
      const meeting = await meetingIn(world);
      const { op, made } = noting();
      const running = await world.start(op, { ...HERE, identity: "me" });
      await meeting.write({ other: record(world, { priority: 100, lifetime: 10 }) });
      await new Objects(world).create("a");
      await running.advance(9);
      const before = asked(world, "PATCH").length;
      assert.deepEqual([made, before], [[], 1]);
      await running.advance(1);
      const [own, removal] = asked(world, "PATCH").slice(before);
      assert.match(own?.body ?? "", /"me":\{/);
      assert.match(removal?.body ?? "", /"other":null/);
      assert.deepEqual([made, Object.keys(await meeting.records())], [["a"], ["me"]]);
      await running.stop();
    },
  );

  scenario.timed("[B170] a record without fields has priority 0 and the defaults", async (world) => {
    const meeting = await meetingIn(world);
    const [lower, equal] = [noting(), noting()];
    const first = await world.start(lower.op, { ...HERE, priority: -1 });
    const second = await world.start(equal.op, { ...HERE, priority: 1 });
    await second.stop();
    await meeting.write({ other: {} });
    await first.advance(30);
    assert.deepEqual(peeringLog(first.logs).at(-1), "info Pausing for a peer of higher priority");
    await first.stop();
  });

  async function renewals(
    world: TimedWorld,
    [lifetime, least, most]: readonly [number, number, number],
  ): Promise<void> {
    await meetingIn(world);
    const op = operator({ peering: { lifetime } });
    op.on.event(Example, () => {});
    const times: number[] = [];
    world.intercept = ({ method }, { path }) => {
      if (method === "PATCH" && path.includes("peerings")) times.push(world.host.clock.monotonic());
      return undefined;
    };
    const running = await world.start(op, HERE);
    await running.advance(20 * most);
    const pauses = times.slice(1).map((time, index) =>
      Math.round(1000 * (time - (times[index] ?? 0))) / 1000
    );
    assert.ok(pauses.length >= 19, String(pauses));
    assert.ok(pauses.every((pause) => pause >= least && pause <= most), String(pauses));
    await running.stop();
  }

  scenario.timed(
    "[B172] records with a lifetime of 60 s are renewed every 50 to 55 s",
    (world) => renewals(world, [60, 50, 55]),
  );

  scenario.timed(
    "[B173] records with a lifetime of 3 s are renewed every second",
    (world) => renewals(world, [3, 1, 1]),
  );

  scenario(
    "[B174] an operator that stops takes its record away, after its cleanup handlers",
    async (world) => {
      await makePeeringKinds(world);
      const meeting = await new Meeting(world.client, { namespace: world.namespace }).create();
      const { op } = noting();
      let atCleanup: string[] = [];
      op.on.cleanup(async () => {
        atCleanup = Object.keys(await meeting.records());
      });
      const running = await world.start(op, { scope: [world.namespace], identity: "me" });
      await world.until(async () => (await meeting.records()).me?.priority === 0);
      await running.stop();
      assert.deepEqual([atCleanup, await meeting.records()], [["me"], {}]);
    },
  );

  scenario.virtual(
    "[B177] a stealthy operator is silent about its records, but not about a missing object",
    async (world) => {
      const meeting = await meetingIn(world);
      const op = operator({ peering: { stealth: true } });
      op.on.event(Example, () => {});
      const running = await world.start(op, HERE);
      await running.advance(120);
      const said = (): string[] =>
        running.logs.filter(({ logger }) => logger === "lotse.peering").map((each) => each.message);
      assert.deepEqual(said(), []);
      await meeting.delete();
      await running.advance(120);
      assert.deepEqual([...new Set(said())], ["There is no peering object: nobody is met"]);
      await running.stop();
    },
  );

  scenario.timed(
    "[B178] [B179] one conflict in one of several namespaces pauses the whole operator, and the cluster's kind is not used",
    async (world) => {
      await meetingIn(world);
      const namespaces = { group: "", version: "v1", plural: "namespaces", namespaced: false };
      await world.client.create(namespaces, {
        apiVersion: "v1",
        kind: "Namespace",
        metadata: { name: "two" },
      });
      const meeting = await new Meeting(world.client, { namespace: "two" }).create();
      const { op, made } = noting();
      const running = await world.start(op, { scope: ["default", "two"] });
      const places = new Set(asked(world, "PATCH").map(({ path }) => path));
      assert.deepEqual(
        [...places].sort(),
        ["default", "two"].map((each) => `/apis/kopf.dev/v1/namespaces/${each}/${NAMESPACED.plural}/default`),
      );
      await meeting.write({ other: record(world, { priority: 1 }) });
      await new Objects(world).create("a");
      await running.settle();
      assert.deepEqual(made, []);
      await meeting.write({ other: null });
      await running.settle();
      assert.deepEqual(made, ["a"]);
      assert.ok(world.requests.every(({ path }) => !path.includes("clusterkopfpeerings")));
      await running.stop();
    },
  );

  scenario.timed(
    "[B180] [B227] a pause closes the streams, lets handlers finish, and lists again only after it",
    async (world) => {
      const meeting = await meetingIn(world);
      const objects = new Objects(world);
      const op = operator();
      const done: string[] = [];
      const release = Promise.withResolvers<void>();
      op.on.create(Example, async function slow({ name }) {
        if (name === "slow") await release.promise;
        done.push(name);
      });
      op.on.create(Example, function second({ name }) {
        done.push(`second ${name}`);
      });
      const running = await world.start(op, HERE);
      await objects.create("slow");
      await running.settle();
      await meeting.write({ other: record(world, { priority: 1, lifetime: 1000 }) });
      await running.settle();
      const before = looks(world).filter((path) => !path.includes("/slow")).length;
      release.resolve();
      await objects.create("later");
      await running.advance(500);
      assert.ok(done.includes("slow") && !done.some((each) => each.includes("later")), String(done));
      assert.equal(
        looks(world).filter((path) => !path.includes("/slow")).length,
        before,
        "nothing is asked for",
      );
      await meeting.write({ other: null });
      await running.settle();
      assert.deepEqual(done.toSorted(), ["later", "second later", "second slow", "slow"]);
      assert.equal(looks(world).filter((path) => path.includes("sendInitialEvents")).length, 2);
      await running.stop();
    },
  );

  scenario.timed(
    "[B47] [A242] an object whose turn goes on when the pause comes gets no daemon before it is over",
    async (world) => {
      const meeting = await meetingIn(world);
      const op = operator();
      const calls: string[] = [];
      const reached = Promise.withResolvers<void>();
      const release = Promise.withResolvers<void>();
      op.on.event(Example, async function look({ name, type }) {
        if (name !== "late" || type !== "ADDED") return;
        reached.resolve();
        await release.promise;
      });
      op.daemon(Example, async function watch({ name, stopped }) {
        calls.push(`${name} begins`);
        await stopped.wait();
        calls.push(`${name} ends: ${[...stopped.reasons]}`);
      });
      const running = await world.start(op, HERE);
      await new Objects(world).create("late");
      await reached.promise;
      await meeting.write({ other: record(world, { priority: 1, lifetime: 1000 }) });
      await running.settle();
      release.resolve();
      await running.advance(100);
      assert.deepEqual(calls, [], "none begins while the operator is paused");
      await meeting.write({ other: null });
      await running.settle();
      assert.deepEqual(calls, ["late begins"]);
      await running.stop();
      assert.deepEqual(calls.slice(1), ["late ends: OPERATOR_EXITING"]);
    },
  );

  scenario.virtual("who is paused is ready, and says for whom it waits", async (world) => {
    const meeting = await meetingIn(world);
    const { op } = noting();
    const running = await world.start(op, { ...HERE, liveness: "http://localhost:8080/healthz" });
    const ask = async (path: string): Promise<string> => {
      using connection = world.host.network.connect({ server: "http://localhost:8080" });
      const response = await connection.request({ method: "GET", path, headers: {} });
      return `${response.status} ${await response.text()}`;
    };
    assert.match(await ask("/readyz?verbose"), /^200 [^]*\[\+\]peering ok$/m);
    assert.match(await ask("/metrics"), /^lotse_paused 0$/m);
    await meeting.write({ other: record(world, { priority: 7 }) });
    await running.settle();
    const report = await ask("/readyz?verbose");
    assert.match(report, /^200 [^]*\[\+\]peering ok: paused for other \(priority 7\)$/m);
    assert.match(report, /^\[\+\]watch .*examples.* ok: paused$/m);
    assert.match(await ask("/metrics"), /^lotse_paused 1$/m);
    await running.stop();
    const liveness = "http://localhost:8080/healthz";
    const lonely = await world.start(noting().op, { ...HERE, peering: "nowhere", liveness });
    assert.match(await ask("/readyz?verbose"), /^503 [^]*\[-\]peering failed: peering is mandatory/m);
    await lonely.stop();
  });

  scenario.timed(
    "retries wait for the end of a pause, and find objects as they are by then",
    async (world) => {
      const meeting = await meetingIn(world);
      const objects = new Objects(world);
      const op = operator({ execution: { defaultBackoff: 10 } });
      const seen: unknown[] = [];
      op.on.create(Example, function flaky({ name, spec, retry }) {
        seen.push([name, spec.size, retry]);
        if (retry === 0) throw new Error("once");
      });
      const running = await world.start(op, HERE);
      await objects.create("stays", { spec: { size: 1 } });
      await objects.create("goes", { spec: { size: 1 } });
      await running.settle();
      await meeting.write({ other: record(world, { priority: 1, lifetime: 1000 }) });
      await running.advance(100);
      assert.equal(seen.length, 2);
      await objects.patch("stays", { spec: { size: 2 } });
      await objects.delete("goes");
      await meeting.write({ other: null });
      await running.settle();
      assert.deepEqual(seen.slice(2), [["stays", 2, 1]]);
      await running.stop();
    },
  );

  scenario.timed("a peer that renews just when its record is to be purged keeps it", async (world) => {
    const meeting = await meetingIn(world);
    const { op } = noting();
    const running = await world.start(op, { ...HERE, identity: "me" });
    let isRaced = false;
    world.intercept = async ({ method, url }, { body }) => {
      if (isRaced || method !== "PATCH" || !url.includes("kopfpeerings/") || !body.includes('"other":null')) {
        return undefined;
      }
      isRaced = true;
      await meeting.write({ other: record(world) });
      return undefined;
    };
    await meeting.write({ other: record(world, { priority: -1, lastseen: "2001-01-01T00:00:00Z" }) });
    await world.until(() => isRaced);
    await running.advance(5);
    const { other } = await meeting.records();
    assert.deepEqual([other?.priority, other?.lifetime], [0, 60], "what was written meanwhile stays");
    await running.stop();
  });

  scenario.timed("a peering object that is made anew gets the operator's record at once", async (world) => {
    const meeting = await meetingIn(world);
    const { op } = noting();
    const running = await world.start(op, { ...HERE, identity: "me" });
    await world.until(async () => (await meeting.records()).me !== undefined);
    await meeting.delete();
    await running.advance(2);
    await meeting.create();
    await running.advance(3);
    assert.ok((await meeting.records()).me, "others must not take us for gone until the next renewal");
    await running.stop();
  });

  scenario.virtual(
    "a clock that is set does not make a peer dead that goes on writing, nor a dead one alive",
    async (world) => {
      const meeting = await meetingIn(world);
      const clock = jumpingClock(world.host.clock);
      const { op, made } = noting();
      const running = await world.start(op, { ...HERE, host: { ...world.host, clock } });
      // NB: the peer's clock is right by its own lights.
      const renew = async (): Promise<void> => {
        const lastseen = new Date(world.host.clock.now()).toISOString();
        await meeting.write({ other: { priority: 1, lifetime: 60, lastseen } });
      };
      await renew();
      await running.advance(5);
      await renew();
      await new Objects(world).create("a");
      for (const seconds of [7200, -14400, 7200]) {
        clock.jump(seconds);
        await running.advance(40);
        await renew();
        await running.advance(1);
      }
      assert.deepEqual(made, [], "the peer lives, whatever the clock says");
      assert.ok((await meeting.records()).other, "and its record is not purged");
      clock.jump(-7200);
      await running.advance(70);
      assert.deepEqual(made, ["a"], "it has written no more");
      await running.stop();
    },
    { wallClock: "steady" },
  );

  scenario(
    "daemons stop while their operator is paused, and start again for the objects that are there",
    async (world) => {
      await makePeeringKinds(world);
      const meeting = await new Meeting(world.client, { namespace: world.namespace }).create();
      const objects = new Objects(world);
      const op = operator();
      const log: string[] = [];
      op.daemon(Example, async function watch({ name, stopped }) {
        log.push(`start ${name}`);
        await stopped.wait(Infinity);
        log.push(`stop ${name} ${[...stopped.reasons]}`);
      });
      const running = await world.start(op, { scope: [world.namespace] });
      await objects.create("a");
      await world.until(() => log.length === 1);
      await meeting.write({ other: { priority: 1 } });
      await world.until(() => log.length === 2);
      await objects.create("b");
      await world.settle();
      assert.deepEqual(log, ["start a", "stop a OPERATOR_PAUSING"]);
      await meeting.write({ other: null });
      await world.until(() => log.length === 4);
      assert.deepEqual(log.slice(2).toSorted(), ["start a", "start b"]);
      await running.stop();
    },
  );

  scenario(
    "of two operators the lower one pauses; it resumes when the higher one leaves, and its handlers do not run twice",
    async (world) => {
      await makePeeringKinds(world);
      await new Meeting(world.client, { namespace: world.namespace }).create();
      const objects = new Objects(world);
      const [low, high] = [noting(), noting()];
      const resumed: string[] = [];
      low.op.on.resume(Example, ({ name }) => void resumed.push(name));
      const scope = [world.namespace];
      await objects.create("zero");
      const first = await world.start(low.op, { scope, priority: 1 });
      await world.until(() => low.made.length === 1);
      const second = await world.start(high.op, { scope, priority: 2 });
      await world.until(() => peeringLog(first.logs).length === 1);
      await objects.create("one");
      await world.until(() => high.made.length === 1);
      await second.stop();
      await objects.create("two");
      await world.until(() => low.made.length === 2);
      assert.deepEqual([low.made, high.made, resumed], [["zero", "two"], ["one"], ["one"]]);
      await first.stop();
    },
  );

  async function sharded(
    world: VirtualWorld,
    [title, priority]: readonly ["higher" | "equal", number],
  ): Promise<void> {
    const meeting = await meetingIn(world);
    const noted = noting({ watching: { shardSelectors: { examples: "a shard" } } });
    world.intercept = (request) => {
      const url = new URL(request.url);
      if (!url.searchParams.has("shardSelector")) return undefined;
      url.searchParams.delete("shardSelector");
      return world.server.fetch(new Request(url, request));
    };
    const running = await world.start(noted.op, { ...HERE, identity: "me" });
    await meeting.write({ other: record(world, { priority, lifetime: 10 }) });
    await new Objects(world).create("a");
    await running.advance(9);
    assert.deepEqual(noted.made, title === "equal" ? ["a"] : []);
    const before = asked(world, "PATCH").length;
    await running.advance(1);
    assert.match(
      asked(world, "PATCH")[before]?.body ?? "",
      /"me":\{/,
      "it looks again when the peer expires",
    );
    await new Objects(world).create("b");
    await running.settle();
    assert.deepEqual(noted.made, ["a", "b"]);
    if (title === "equal") assert.deepEqual(peeringLog(running.logs), []);
    await running.stop();
  }

  scenario.virtual(
    "[C20] an operator of some shards does not pause for an equal peer",
    (world) => sharded(world, ["equal", 0]),
  );

  scenario.virtual(
    "[C21] an operator of some shards pauses for a higher peer, and looks again when a peer expires",
    async (world) => {
      await sharded(world, ["higher", 1]);
    },
  );

  scenario.virtual(
    "[C22] of two equal operators the one with shards works, and the other one pauses",
    async (world) => {
      await meetingIn(world);
      world.intercept = (request) => {
        const url = new URL(request.url);
        if (!url.searchParams.has("shardSelector")) return undefined;
        url.searchParams.delete("shardSelector");
        return world.server.fetch(new Request(url, request));
      };
      const [sharded, plain] = [noting({ watching: { shardSelectors: { examples: "a shard" } } }), noting()];
      const first = await world.start(sharded.op, HERE);
      const second = await world.start(plain.op, HERE);
      await new Objects(world).create("a");
      await first.settle();
      assert.deepEqual([sharded.made, plain.made], [["a"], []]);
      await second.stop();
      await first.stop();
    },
  );
});
