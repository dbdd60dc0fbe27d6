import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  isMemberLease,
  isSameRecord,
  memberLeaseName,
  readLease,
  releasedContent,
  shardLeaseName,
  shardPlaceOf,
  toLease,
  toMicroTime,
} from "../../../lib/engines/replicas/lease.ts";
import type { KubeObject } from "../../../lib/model/object.ts";

const LEASE: KubeObject = {
  metadata: { name: "op", namespace: "ns", uid: "u", resourceVersion: "7", labels: { other: "x" } },
  spec: {
    holderIdentity: "a",
    leaseDurationSeconds: 15,
    acquireTime: "2026-01-01T00:00:00.000000Z",
    renewTime: "2026-01-01T00:00:02.000000Z",
    leaseTransitions: 3,
    preferredHolder: "kept",
  },
};

describe("readLease()", () => {
  it("reads what client-go writes", () => {
    const { holder, duration, transitions, version, isForeign } = readLease(LEASE);
    assert.deepEqual({ holder, duration, transitions, version, isForeign }, {
      holder: "a",
      duration: 15,
      transitions: 3,
      version: "7",
      isForeign: false,
    });
  });

  it("counts what strangers have written wrongly as absent", () => {
    const spec = { holderIdentity: 7, leaseDurationSeconds: "x", leaseTransitions: -3, renewTime: null };
    for (const object of [{ ...LEASE, spec }, { metadata: {} }, { metadata: {}, spec: 7 }] as KubeObject[]) {
      const { holder, duration, transitions, renewed } = readLease(object);
      assert.deepEqual({ holder, duration, transitions, renewed }, {
        holder: "",
        duration: 0,
        transitions: 0,
        renewed: "",
      });
    }
    assert.ok(readLease({ ...LEASE, spec: { strategy: "OldestEmulationVersion" } }).isForeign);
  });
});

describe("toLease()", () => {
  it("replaces what an election is about, and keeps the labels, annotations and fields of others", () => {
    const before = readLease({
      ...LEASE,
      metadata: { ...LEASE.metadata, annotations: { "x/y": "1", "lotse.dev/able": "true" } },
    });
    const content = {
      holder: "b",
      duration: 20,
      acquired: "t1",
      renewed: "t2",
      transitions: 4,
      annotations: { "lotse.dev/able": null, "lotse.dev/release": "2" },
    };
    const { metadata, spec } = toLease(content, { name: "op", namespace: "ns", operator: "op", before });
    assert.equal(metadata.resourceVersion, "7");
    assert.deepEqual(metadata.labels, { other: "x", "lotse.dev/replicas": "op" });
    assert.deepEqual({ ...metadata.annotations }, { "x/y": "1", "lotse.dev/release": "2" });
    assert.deepEqual(spec, {
      holderIdentity: "b",
      leaseDurationSeconds: 20,
      acquireTime: "t1",
      renewTime: "t2",
      leaseTransitions: 4,
      preferredHolder: "kept",
    });
  });

  it("releases as client-go does", () => {
    assert.deepEqual(releasedContent(readLease(LEASE), "now"), {
      holder: "",
      duration: 1,
      acquired: "now",
      renewed: "now",
      transitions: 3,
    });
  });
});

describe("isSameRecord()", () => {
  it("is true of another label or annotation, and of nothing else", () => {
    const record = readLease(LEASE);
    assert.ok(isSameRecord(record, { ...record, version: "8", annotations: { a: "b" } }));
    for (
      const change of [{ holder: "b" }, { renewed: "x" }, { acquired: "x" }, { transitions: 4 }, {
        duration: 1,
      }]
    ) {
      assert.ok(!isSameRecord(record, { ...record, ...change }));
    }
  });
});

describe("The names of Leases", () => {
  it("fit into a label with the longest name of an operator", () => {
    const operator = "o".repeat(50);
    assert.ok(shardLeaseName(operator, { shard: 63, shards: 64 }).length <= 63);
    assert.ok(memberLeaseName(operator, "pod_abcdefgh").length <= 68);
  });

  it("are read back, and others are not taken for them", () => {
    for (const place of [{ shard: 0, shards: 1 }, { shard: 3, shards: 8 }, { shard: 63, shards: 64 }]) {
      assert.deepEqual(shardPlaceOf("op", shardLeaseName("op", place)), place);
    }
    const others = [
      "op-8-of-8",
      "op-1-of-1",
      "op-x-of-8",
      "other",
      "op2",
      "op-3-of-8x",
      "op-member-0123456789",
      "o",
    ];
    for (const name of others) assert.equal(shardPlaceOf("op", name), undefined, name);
    assert.ok(isMemberLease("op", memberLeaseName("op", "a")));
    assert.notEqual(memberLeaseName("op", "a"), memberLeaseName("op", "b"));
    for (
      const name of [
        "op",
        "op-member-",
        "op-member-012345678",
        "op-2-member-0123456789",
        "op-member-012345678x",
      ]
    ) {
      assert.ok(!isMemberLease("op", name), name);
    }
  });
});

describe("toMicroTime()", () => {
  it("is a time with microseconds, as Kubernetes wants it", () => {
    assert.equal(toMicroTime(Date.UTC(2026, 0, 1, 0, 0, 0, 7), 42), "2026-01-01T00:00:00.007042Z");
  });
});
