/** Replicas among strangers: people and programs that edit Leases, other elections, and releases with another number of shards. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LEASES, memberLeaseName } from "../../../lib/engines/replicas/lease.ts";
import type { KubeObject } from "../../../lib/model/object.ts";
import { ReplicaGroup, type ReplicaRequest } from "../../support/replica_group.ts";

const FOUR = { settings: { shards: 4 } };
const NAMESPACE = "default";

async function deleteLease(group: ReplicaGroup, name: string): Promise<void> {
  await group.client.delete(LEASES, { namespace: NAMESPACE, name });
}

async function edit(group: ReplicaGroup, name: string, spec: Record<string, unknown>): Promise<void> {
  await group.client.patch(LEASES, { namespace: NAMESPACE, name }, { type: "merge", body: { spec } });
}

describe("Leases that a stranger deletes or empties", () => {
  it("[N7.9] are made again at once, and move nothing", async () => {
    await using group = new ReplicaGroup(FOUR);
    const [one, two] = [group.add(), group.add()];
    await group.until(() => one.held.length === 2 && two.held.length === 2);
    await group.advance(10);
    const before = group.held();
    for (const { told } of group.replicas) told.length = 0;
    for (const { metadata: { name = "" } } of await group.leases()) await deleteLease(group, name);
    await group.advance(10);
    await edit(group, memberLeaseName("op", one.engine.identity), { holderIdentity: null });
    await group.advance(30);
    assert.deepEqual(group.held(), before);
    assert.deepEqual(group.replicas.flatMap(({ told }) => told), []);
    const names = (await group.leases()).map(({ metadata: { name } }) => name);
    assert.deepEqual(names.filter((name) => /-of-4$/.test(name ?? "")).length, 4);
    assert.equal(names.length, 6);
  });

  it("of a shard are made again where there is one, and its holder stays", async () => {
    await using group = new ReplicaGroup();
    const one = group.add();
    await group.until(() => one.held.length === 1);
    group.add();
    await group.advance(10);
    await deleteLease(group, "op");
    await group.advance(20);
    assert.deepEqual(one.told, ["begin 0"]);
    assert.equal((await group.lease("op")).holderIdentity, one.engine.identity);
  });

  it("all of them, while a replica starts, leave each shard with one", async () => {
    await using group = new ReplicaGroup(FOUR);
    const one = group.add();
    await group.until(() => one.held.length === 4);
    for (let round = 0; round < 5; round++) {
      for (const { metadata: { name = "" } } of await group.leases()) await deleteLease(group, name);
      group.add();
      await group.advance(20);
      assert.equal(group.held().flat().length, 4);
    }
  });
});

describe("Leases that a stranger takes", () => {
  it("[N7.9] are let go at once, and taken back when the stranger does not renew", async () => {
    await using group = new ReplicaGroup();
    const one = group.add();
    await group.until(() => one.held.length === 1);
    await edit(group, "op", { holderIdentity: "somebody", renewTime: "2026-01-01T00:00:00.000000Z" });
    await group.advance(0.5);
    assert.deepEqual(one.told, ["begin 0", "end 0 taken"]);
    const seconds = await group.until(() => one.held.length === 1);
    assert.ok(seconds > 12 && seconds < 20, `${seconds}`);
  });

  it("are left to the stranger who makes them while our answer that there is none is on its way", async () => {
    await using group = new ReplicaGroup();
    const one = group.add();
    await group.until(() => one.held.length === 1);
    const asked = (): number => one.requests.filter(isAsked).length;
    const isAsked = ({ method, path }: ReplicaRequest): boolean => method === "GET" && /\/op$/.test(path);
    one.fate = (request) => isAsked(request) ? "late" : "pass";
    const before = asked();
    await deleteLease(group, "op");
    await group.until(() => asked() > before);
    await group.client.create(LEASES, {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name: "op", namespace: NAMESPACE },
      spec: { holderIdentity: "somebody", leaseDurationSeconds: 15 },
    });
    await group.advance(5);
    assert.deepEqual(one.told, ["begin 0", "end 0 taken"]);
    assert.equal((await group.lease("op")).holderIdentity, "somebody");
  });

  it("of a member end the session, and begin another one", async () => {
    await using group = new ReplicaGroup(FOUR);
    const one = group.add();
    await group.until(() => one.held.length === 4);
    const { identity } = one.engine;
    await edit(group, memberLeaseName("op", identity), { holderIdentity: "somebody" });
    await group.until(() => one.engine.identity !== identity);
    // The stranger's record is as fresh as can be, and says nothing of the session that is over: shards that are not taken for five
    // seconds are anybody's.
    const seconds = await group.until(() => one.held.length === 4);
    assert.ok(seconds < 8, `${seconds}`);
    assert.ok(one.told.includes("end 0 lost"));
  });

  it("[N7.9] by another sort of election are left alone", async () => {
    await using group = new ReplicaGroup();
    await group.client.create(LEASES, {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name: "op", namespace: NAMESPACE },
      spec: { holderIdentity: "x", leaseDurationSeconds: 1, strategy: "OldestEmulationVersion" },
    });
    const one = group.add();
    await group.advance(60);
    assert.deepEqual(one.told, []);
    assert.deepEqual(one.engine.holders, ["x"]);
  });
});

/** Another program in the election, as client-go has it: takes and renews the Lease, and lets go of it. */
class ForeignCandidate {
  readonly #group: ReplicaGroup;
  readonly #identity = "go_1";

  constructor(group: ReplicaGroup) {
    this.#group = group;
  }

  async write(spec: Record<string, unknown>): Promise<void> {
    const found: KubeObject | undefined = await this.#group.client.get(LEASES, {
      namespace: NAMESPACE,
      name: "op",
    }).catch(() => undefined);
    const now = new Date(this.#group.host.clock.now()).toISOString().replace("Z", "000Z");
    const content = {
      holderIdentity: this.#identity,
      leaseDurationSeconds: 15,
      acquireTime: now,
      renewTime: now,
      leaseTransitions: 0,
      ...spec,
    };
    if (found !== undefined) await edit(this.#group, "op", content);
    else {
      const metadata = { name: "op", namespace: NAMESPACE };
      const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec: content };
      await this.#group.client.create(LEASES, lease);
    }
  }

  async renewFor(seconds: number): Promise<void> {
    for (let passed = 0; passed < seconds; passed += 2) {
      await this.write({});
      await this.#group.advance(2);
    }
  }
}

describe("An election with another program", () => {
  it("waits while the other one renews, and takes over when it dies, or at once when it lets go", async () => {
    await using group = new ReplicaGroup();
    const foreign = new ForeignCandidate(group);
    await foreign.write({});
    const one = group.add();
    await foreign.renewFor(40);
    assert.deepEqual(one.told, []);
    const seconds = await group.until(() => one.held.length === 1);
    assert.ok(seconds > 10 && seconds < 16, `${seconds}`);
    assert.equal((await group.lease("op")).leaseTransitions, 1);
    await foreign.write({});
    await group.advance(1);
    assert.deepEqual(one.held, []);
    await foreign.renewFor(20);
    await foreign.write({ holderIdentity: "", leaseDurationSeconds: 1 });
    assert.ok(await group.until(() => one.held.length === 1) < 1);
  });

  it("does not lose the Lease over a label or annotation that the other one does not know", async () => {
    await using group = new ReplicaGroup();
    const one = group.add();
    await group.until(() => one.held.length === 1);
    await group.client.patch(LEASES, { namespace: NAMESPACE, name: "op" }, {
      type: "merge",
      body: { metadata: { labels: { "lotse.dev/replicas": null }, annotations: { a: "b" } } },
    });
    await group.advance(30);
    assert.deepEqual(one.told, ["begin 0"]);
  });

  it("holds back replicas that would divide the objects otherwise", async () => {
    await using group = new ReplicaGroup(FOUR);
    const foreign = new ForeignCandidate(group);
    await foreign.write({});
    const one = group.add();
    await foreign.renewFor(30);
    assert.deepEqual(one.held, []);
    await foreign.write({ holderIdentity: "", leaseDurationSeconds: 1 });
    assert.ok(await group.until(() => one.held.length === 4) < 2);
  });
});

describe("A release with another number of shards", () => {
  it("[N28.19] waits until the last replica of the old one has gone, forth and back", async () => {
    await using group = new ReplicaGroup({ settings: { shards: 8 } });
    let old = [group.add(), group.add()];
    await group.until(() => group.held().flat().length === 8);
    for (const shards of [4, 8]) {
      await group.advance(10);
      const before = group.held().flat().length;
      const fresh = [group.add({ settings: { shards } }), group.add({ settings: { shards } })];
      await group.advance(20);
      assert.ok(fresh.every(({ held }) => held.length === 0));
      assert.equal(group.held().flat().length, before);
      const [first, last] = old;
      const stopped = first?.stop();
      await group.until(() => last?.held.length === before, 10);
      await group.advance(2);
      await stopped;
      const stoppedToo = last?.stop();
      assert.ok(await group.until(() => group.held().flat().length === shards) < 6);
      await group.advance(2);
      await stoppedToo;
      old = fresh;
    }
  });

  it("takes over one lease after the old ones were killed", async () => {
    await using group = new ReplicaGroup({ settings: { shards: 8 } });
    const one = group.add();
    await group.until(() => one.held.length === 8);
    const two = group.add({ settings: { shards: 3 } });
    await group.advance(20);
    one.kill();
    const seconds = await group.until(() => two.held.length === 3);
    assert.ok(seconds < 22, `${seconds}`);
  });

  it("stands alone, whichever it is, when both start at once", async () => {
    for (let seed = 1; seed <= 5; seed++) {
      await using group = new ReplicaGroup({ seed });
      for (const shards of [1, 5, 5, 3, 1, 3]) group.add({ settings: { shards } });
      await group.until(() => [1, 3, 5].includes(group.held().flat().length), 30);
      await group.advance(30);
      const sizes = new Set(
        group.replicas.filter(({ held }) => held.length > 0).map(({ settings }) => settings.shards),
      );
      assert.equal(sizes.size, 1);
      assert.equal(group.held().flat().length, [...sizes][0]);
    }
  });
});

describe("Leases of the past", () => {
  it("are swept after an hour, and those of strangers are not", async () => {
    const slow = { leaseDuration: 600, renewDeadline: 500, retryPeriod: 100 };
    await using group = new ReplicaGroup({ settings: { shards: 4, ...slow } });
    const [one, two] = [group.add(), group.add()];
    await group.client.create(LEASES, {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name: "op-1-of-2", namespace: NAMESPACE },
      spec: {},
    });
    await group.until(() => group.held().flat().length === 4);
    two.kill();
    await group.host.clock.advance(1000);
    assert.equal(one.held.length, 4);
    assert.equal((await group.leases()).length, 7);
    await group.host.clock.advance(2000);
    assert.equal((await group.leases()).length, 7);
    await group.host.clock.advance(2800);
    const names = (await group.leases()).map(({ metadata: { name } }) => name);
    assert.equal(names.length, 6);
    assert.ok(names.includes("op-1-of-2"));
  });
});
