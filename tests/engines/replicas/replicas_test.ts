import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LEASES } from "../../../lib/engines/replicas/lease.ts";
import { ReplicaGroup } from "../../support/replica_group.ts";

const EIGHT = { settings: { shards: 8 } };

describe("Replicas, with one shard", () => {
  it("take it within a moment, and one keeps it while all are well", async () => {
    await using group = new ReplicaGroup();
    const one = group.add();
    const seconds = await group.until(() => one.held.length === 1);
    assert.ok(seconds < 1, `${seconds}`);
    const two = group.add();
    await group.advance(60);
    assert.deepEqual(one.told, ["begin 0"]);
    assert.deepEqual(two.told, []);
  });

  it("take over from a replica that was killed within its lease and two seconds", async () => {
    await using group = new ReplicaGroup();
    const one = group.add();
    await group.until(() => one.held.length === 1);
    const two = group.add();
    const three = group.add();
    await group.advance(20.7);
    const { identity } = one.engine;
    one.kill();
    const seconds = await group.until(() => two.held.length + three.held.length === 1);
    assert.ok(seconds > 10 && seconds < 17, `${seconds}`);
    const { leaseTransitions, holderIdentity } = await group.lease("op");
    assert.equal(leaseTransitions, 1);
    assert.notEqual(holderIdentity, identity);
  });

  it("hand over within a second when the holder stops, which removes its member Lease as the last act", async () => {
    await using group = new ReplicaGroup();
    const one = group.add();
    await group.until(() => one.held.length === 1);
    const two = group.add();
    await group.advance(10);
    const stopped = one.stop();
    const seconds = await group.until(() => two.held.length === 1);
    assert.ok(seconds < 1, `${seconds}`);
    await group.advance(1);
    await stopped;
    assert.deepEqual(one.told, ["begin 0", "drain 0", "end 0 released"]);
    const names = (await group.leases()).map(({ metadata }) => metadata.name);
    assert.equal(names.length, 2, names.join(" "));
    const writes = one.requests.filter(({ method }) => method !== "GET");
    assert.match(writes.at(-1)?.path ?? "", /op-member-/);
    assert.equal(writes.at(-1)?.method, "DELETE");
  });

  it("write as often as their members renew, and once more for the Lease of the election", async () => {
    await using group = new ReplicaGroup();
    const all = [group.add(), group.add(), group.add()];
    await group.advance(20);
    for (const { requests } of all) requests.length = 0;
    await group.advance(100);
    const counts = all.map(({ requests }) => requests.length);
    assert.ok(counts.every((count) => count > 40 && count < 120), counts.join(" "));
    assert.ok(all.every(({ requests }) => requests.every(({ method }) => method === "PUT")));
  });
});

describe("Replicas, with shards", () => {
  it("share them evenly, and rest then", async () => {
    await using group = new ReplicaGroup(EIGHT);
    group.add();
    await group.until(() => group.held()[0]?.length === 8);
    const two = group.add();
    const begun = group.host.clock.monotonic();
    await group.until(() => two.held.length > 0);
    assert.ok(group.host.clock.monotonic() - begun < 5.5);
    group.add();
    await group.until(() => group.held().map((each) => each.length).sort().join() === "2,3,3");
    await group.advance(10);
    const before = group.replicas.map(({ told }) => told.length);
    for (const { requests } of group.replicas) requests.length = 0;
    await group.advance(100);
    assert.deepEqual(group.replicas.map(({ told }) => told.length), before);
    const writes = group.replicas.flatMap(({ requests }) => requests);
    assert.ok(writes.length >= 130 && writes.length <= 170, `${writes.length} requests in 100 s`);
  });

  it("move back and forth when replicas come and go, and are let go only by what is too much", async () => {
    await using group = new ReplicaGroup(EIGHT);
    const [one] = [group.add(), group.add(), group.add()];
    await group.until(() => group.held().flat().length === 8);
    await group.advance(20);
    one?.kill();
    await group.until(() => group.held().flat().length === 8, 20);
    group.add();
    await group.until(() => group.held().map((each) => each.length).sort().join() === "0,2,3,3", 20);
    await group.advance(10);
    assert.deepEqual(group.held().flat().sort(), [0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it("are not let go for a newcomer while a stopping replica, whose name sorts first, has some", async () => {
    await using group = new ReplicaGroup(EIGHT);
    const a = group.add({ podName: "a" });
    const b = group.add({ podName: "b" });
    await group.until(() => a.held.length === 4 && b.held.length === 4);
    await group.advance(10);
    b.told.length = 0;
    const running = a.run(a.held[0] ?? 0);
    const c = group.add({ podName: "c" });
    await group.advance(1);
    const stopped = a.stop(60);
    await group.advance(30);
    // What is free is taken by the newcomer; the one whose handler runs is waited for.
    assert.deepEqual([a.held.length, b.held.length, c.held.length], [1, 4, 3]);
    assert.deepEqual(b.told.filter((each) => each.startsWith("drain")), []);
    running.resolve();
    await group.until(() => c.held.length === 4);
    await group.advance(2);
    await stopped;
  });

  it("[N7.5] move nothing in an outage of the server of 60 seconds, and go on in new terms after it", async () => {
    await using group = new ReplicaGroup(EIGHT);
    for (let count = 0; count < 3; count++) group.add();
    await group.until(() => group.held().flat().length === 8);
    await group.advance(20);
    const before = group.held();
    for (const { told } of group.replicas) told.length = 0;
    group.isOut = true;
    await group.advance(15);
    assert.deepEqual(group.held(), [[], [], []]);
    await group.advance(45);
    group.isOut = false;
    const seconds = await group.until(() => group.held().flat().length === 8);
    assert.ok(seconds < 4, `${seconds}`);
    assert.deepEqual(group.held(), before);
    await group.advance(60);
    assert.deepEqual(group.held(), before);
    for (const { told } of group.replicas) {
      assert.ok(told.every((each) => /^(pause|proceed) \d$/.test(each)), told.join(", "));
    }
  });

  it("of a replica that died in an outage are taken one lease after it", async () => {
    await using group = new ReplicaGroup(EIGHT);
    const [one] = [group.add(), group.add(), group.add()];
    await group.until(() => group.held().flat().length === 8);
    await group.advance(20);
    group.isOut = true;
    await group.advance(20);
    one?.kill();
    await group.advance(40);
    group.isOut = false;
    const seconds = await group.until(() => group.held().flat().length === 8, 30);
    assert.ok(seconds > 8 && seconds < 19, `${seconds}`);
  });
});

describe("A session", () => {
  it("is doubted when a stopped process wakes, confirmed if nobody has taken over, and ended else", async () => {
    await using group = new ReplicaGroup(EIGHT);
    const one = group.add();
    await group.until(() => one.held.length === 8);
    one.clock.freeze();
    await group.advance(300);
    assert.deepEqual(one.held, []);
    one.clock.thaw();
    await group.until(() => one.held.length === 8);
    assert.equal(one.told.filter((each) => each.startsWith("proceed")).length, 8);
    const { identity } = one.engine;
    const two = group.add();
    await group.until(() => two.held.length === 4);
    await group.advance(5);
    one.clock.freeze();
    await group.until(() => two.held.length === 8);
    one.told.length = 0;
    one.clock.thaw();
    await group.until(() => one.engine.identity !== identity);
    await group.until(() => one.held.length === 4 && two.held.length === 4);
    assert.equal(one.told.filter((each) => /^end \d (lost|taken)$/.test(each)).length, 4, one.told.join());
    assert.ok(!one.told.some((each) => each.startsWith("proceed")));
  });

  it("is doubted when the machine was suspended with its monotonic clock", async () => {
    await using group = new ReplicaGroup();
    const one = group.add();
    await group.until(() => one.held.length === 1);
    const two = group.add();
    await group.advance(10);
    one.clock.freeze({ isMachine: true });
    await group.until(() => two.held.length === 1);
    one.clock.thaw();
    assert.deepEqual(one.held, []);
    await group.advance(30);
    assert.deepEqual([one.held.length, two.held.length], [0, 1]);
    assert.ok(one.told.includes("end 0 lost") || one.told.includes("end 0 taken"), one.told.join());
  });

  it("outlives a wall clock that is set, forth and back", async () => {
    await using group = new ReplicaGroup(EIGHT);
    const one = group.add();
    const two = group.add();
    await group.until(() => one.held.length === 4 && two.held.length === 4);
    one.clock.step(3600);
    await group.advance(10);
    one.clock.step(-7200);
    await group.advance(30);
    assert.deepEqual(group.held().map((each) => each.length), [4, 4]);
    assert.deepEqual(two.told.filter((each) => !each.startsWith("begin") && !/drain|end/.test(each)), []);
  });

  it("[N7.7] ends without being renewed: a write that is asked about at the deadline is refused, whatever the timers do", async () => {
    await using group = new ReplicaGroup();
    const one = group.add();
    await group.until(() => one.held.length === 1);
    await group.advance(5);
    const [term] = one.terms.values();
    assert.ok(term !== undefined);
    one.isIsolated = true;
    const left = term.timeLeft();
    assert.ok(left > 5 && left <= 10, `${left}`);
    one.clock.freeze();
    await group.host.clock.advance(left - 0.1);
    assert.ok(term.timeLeft() > 0);
    await group.host.clock.advance(0.2);
    assert.ok(!(term.timeLeft() > 0));
    assert.ok(!one.engine.fence.isResponsible("any"));
    one.isIsolated = false;
  });

  it("counts a renewal whose answer was lost from when it was sent", async () => {
    await using group = new ReplicaGroup();
    const one = group.add({ settings: { shards: 8 } });
    await group.until(() => one.held.length === 8);
    await group.advance(10);
    let lost = 0;
    one.fate = ({ method, path }) =>
      method === "PUT" && path.includes("member") && lost++ % 2 === 0 ? "lose" : "pass";
    await group.advance(60);
    assert.ok(lost > 10);
    assert.ok(!one.told.some((each) => each.startsWith("pause")), one.told.join());
    assert.equal(one.held.length, 8);
  });
});

describe("A replica", () => {
  it("takes and lets go although the answers of its writes are lost", async () => {
    await using group = new ReplicaGroup(EIGHT);
    const one = group.add();
    const two = group.add();
    for (const each of [one, two]) {
      const lost = new Set<string>();
      each.fate = ({ method, path }) => {
        if (method === "GET" || path.includes("member") || lost.has(`${method} ${path}`)) return "pass";
        lost.add(`${method} ${path}`);
        return "lose";
      };
    }
    await group.until(() => one.held.length === 4 && two.held.length === 4, 120);
    const stopped = one.stop();
    await group.until(() => two.held.length === 8, 60);
    await group.advance(10);
    await stopped;
  });

  it("that cannot write shards' Leases withdraws, says why, and leaves its share to others", async () => {
    await using group = new ReplicaGroup(EIGHT);
    const one = group.add();
    one.fate = ({ method, body }) => method !== "GET" && !body.includes("member") ? "forbid" : "pass";
    await group.advance(10);
    assert.match(one.engine.problem ?? "", /shards cannot be taken.*403/);
    const two = group.add();
    await group.until(() => two.held.length === 8, 20);
    assert.equal(one.held.length, 0);
    one.fate = () => "pass";
    await group.until(() => one.held.length === 4, 80);
    assert.equal(one.engine.problem, undefined);
  });

  it("[N7.6] that may not write or watch Leases names the right that is missing, and works when it has it", async () => {
    await using group = new ReplicaGroup(EIGHT);
    const one = group.add();
    one.fate = ({ method }) => method === "GET" ? "pass" : "forbid";
    await group.advance(10);
    assert.match(
      one.engine.problem ?? "",
      /member Lease cannot be renewed.*a role must allow "create" on "leases"/,
    );
    assert.deepEqual(one.held, []);
    one.fate = () => "pass";
    await group.until(() => one.held.length === 8);
    const two = group.add();
    two.fate = ({ path }) => /watch=|limit=/.test(path) ? "forbid" : "pass";
    await group.advance(10);
    assert.match(
      two.engine.problem ?? "",
      /Leases cannot be watched.*a role must allow "(list|watch)" on "leases"/,
    );
    assert.deepEqual(two.held, []);
    two.fate = () => "pass";
    await group.until(() => two.held.length === 4, 120);
    assert.equal(two.engine.problem, undefined);
  });

  it("leaves a handler behind that does not end, and names it", async () => {
    await using group = new ReplicaGroup({ settings: { shards: 2, drainTimeout: 10 } });
    const one = group.add();
    await group.until(() => one.held.length === 2);
    const [term] = [one.terms.get(1)];
    one.run(1);
    const two = group.add();
    await group.until(() => one.told.includes("drain 1"));
    await group.advance(9);
    assert.equal(term?.signal.aborted, false);
    assert.ok(term !== undefined && term.timeLeft() > 0);
    await group.advance(2);
    assert.equal(term.signal.aborted, true);
    assert.ok(term.timeLeft() > 0);
    await group.until(() => two.held.length === 1, 10);
    assert.ok(!(term.timeLeft() > 0));
    assert.ok(one.told.includes("end 1 overdue"));
    const line = one.logs.find(({ message, fields }) =>
      message === "Shard let go" && fields["why"] === "overdue"
    );
    assert.deepEqual(line?.fields["left"], ["handler of 1"]);
  });

  it("keeps a shard that drains when the other member is gone before", async () => {
    await using group = new ReplicaGroup({ settings: { shards: 2 } });
    const one = group.add();
    await group.until(() => one.held.length === 2);
    const running = one.run(1);
    const two = group.add();
    await group.until(() => one.told.includes("drain 1"));
    const stopped = two.stop();
    await group.advance(2);
    await stopped;
    assert.ok(one.told.includes("resume 1"), one.told.join());
    running.resolve();
    await group.advance(30);
    assert.deepEqual(one.held, [0, 1]);
  });

  it("that is not able takes nothing, answers nothing for its shards, and takes them when it is", async () => {
    await using group = new ReplicaGroup(EIGHT);
    const one = group.add({ isAble: false });
    await group.advance(30);
    assert.deepEqual(one.held, []);
    one.engine.setAble(true);
    const seconds = await group.until(() => one.held.length === 8);
    assert.ok(seconds < 1);
    assert.ok(one.engine.members.every(({ isAble }) => isAble));
  });

  it("remembers nothing of a thousand promotions", async () => {
    await using group = new ReplicaGroup({
      settings: { leaseDuration: 3, renewDeadline: 2, retryPeriod: 0.5 },
    });
    const one = group.add();
    await group.until(() => one.held.length === 1);
    const tasks = group.host.clock.pending;
    for (let round = 0; round < 1000; round++) {
      await group.client.patch(LEASES, { namespace: "default", name: "op" }, {
        type: "merge",
        body: { spec: { holderIdentity: "", leaseTransitions: round } },
      });
      await group.until(() => one.told.filter((each) => each === "begin 0").length === round + 2);
    }
    assert.equal(one.told.filter((each) => each === "begin 0").length, 1001);
    assert.ok(group.host.clock.pending <= tasks + 3, `${group.host.clock.pending} timers after ${tasks}`);
  });
});
