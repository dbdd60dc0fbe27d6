import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ProgressRecord } from "../../../lib/settings/persistence/storage.ts";
import { decodeRecord, encodeRecord, isSameRecord } from "../../../lib/settings/persistence/record.ts";

const full: ProgressRecord = {
  started: "2026-01-31T12:00:00.123Z",
  stopped: "2026-01-31T12:00:01.000Z",
  delayed: "2026-01-31T12:00:02.000Z",
  purpose: "update",
  retries: 3,
  success: true,
  failure: false,
  message: "Not yet",
  subrefs: ["a/b", "a/c"],
  digest: "0123456789abcdef",
};

function decode(raw: unknown): { record: ProgressRecord | undefined; complaints: string[] } {
  const complaints: string[] = [];
  const record = decodeRecord(raw, { where: "x", onUnreadable: ({ reason }) => complaints.push(reason) });
  return { record, complaints };
}

describe("encodeRecord()", () => {
  it("writes Kopf's members in Kopf's order, with Kopf's timestamps", () => {
    assert.equal(
      JSON.stringify(encodeRecord(full, "kopf")),
      '{"started":"2026-01-31T12:00:00.123000+00:00","stopped":"2026-01-31T12:00:01.000000+00:00",' +
        '"delayed":"2026-01-31T12:00:02.000000+00:00","purpose":"update","retries":3,"success":true,"failure":false,' +
        '"message":"Not yet","subrefs":["a/b","a/c"]}',
    );
  });

  it("writes our own with milliseconds and the digest", () => {
    const encoded = encodeRecord(full, "lotse");
    assert.equal(encoded.started, "2026-01-31T12:00:00.123Z");
    assert.equal(encoded.digest, "0123456789abcdef");
  });

  it("writes null for what is absent", () => {
    assert.deepEqual(encodeRecord({ retries: 0, success: false, failure: false }, "kopf"), {
      started: null,
      stopped: null,
      delayed: null,
      purpose: null,
      retries: 0,
      success: false,
      failure: false,
      message: null,
      subrefs: null,
    });
  });

  it("counts waiting for sub-handlers among the retries where Kopf does, with the error that Kopf notes", () => {
    const waiting = { retries: 2, waits: 3, success: false, failure: false };
    const seen = (record: typeof waiting, form: "kopf" | "lotse"): unknown => {
      const { retries, message } = encodeRecord(record, form);
      return [retries, message];
    };
    assert.deepEqual([seen(waiting, "kopf"), seen(waiting, "lotse")], [[5, "None"], [2, null]]);
    assert.deepEqual(seen({ ...waiting, success: true }, "kopf"), [5, null]);
  });

  it("cuts long messages in the middle", () => {
    const message = String(
      encodeRecord({ ...full, message: `begin${"x".repeat(10_000_000)}end` }, "lotse").message,
    );
    assert.ok(message.length <= 1000 && message.startsWith("begin") && message.endsWith("end"));
  });
});

describe("decodeRecord()", () => {
  it("reads what was written, in both forms", () => {
    assert.deepEqual(decode(encodeRecord(full, "lotse")), { record: full, complaints: [] });
    const { digest: _, ...kopf } = full;
    assert.deepEqual(decode(encodeRecord(full, "kopf")), { record: kopf, complaints: [] });
  });

  it("reads naive timestamps as UTC, and gives them in the canonical form", () => {
    const { record } = decode({
      started: "2026-01-31T12:00:00.123456",
      delayed: "2026-01-31T14:00:00+02:00",
    });
    assert.deepEqual([record?.started, record?.delayed], [
      "2026-01-31T12:00:00.123Z",
      "2026-01-31T12:00:00.000Z",
    ]);
  });

  it("leaves the start open where there is none: whoever reads takes the present", () => {
    assert.deepEqual(decode({}), { record: { retries: 0, success: false, failure: false }, complaints: [] });
  });

  it("gives nothing for nothing, without a complaint", () => {
    for (const nothing of [undefined, null]) {
      assert.deepEqual(decode(nothing), { record: undefined, complaints: [] });
    }
  });

  it("leaves out what it does not understand, and says so", () => {
    const { record, complaints } = decode({
      started: "yesterday",
      stopped: 5,
      retries: -1,
      success: "true",
      message: {},
      subrefs: [1],
      __proto__: { failure: true },
    });
    assert.deepEqual(record, { retries: 0, success: false, failure: false });
    assert.equal(complaints.length, 6);
    for (const retries of ["5", 1.5, 1e300, NaN]) assert.equal(decode({ retries }).record?.retries, 0);
  });

  it("gives nothing where it is no record, or one for an unknown purpose", () => {
    for (const bad of ["text", 5, [], true, { purpose: "conquer", success: true }, { purpose: 1 }]) {
      const { record, complaints } = decode(bad);
      assert.deepEqual([record, complaints.length], [undefined, 1], JSON.stringify(bad));
    }
  });
});

describe("isSameRecord()", () => {
  it("compares what would be written", () => {
    assert.ok(isSameRecord(full, { ...full, started: "2026-01-31T13:00:00.123+01:00" }, "lotse"));
    assert.ok(!isSameRecord(full, { ...full, digest: "x" }, "lotse"));
    assert.ok(isSameRecord(full, { ...full, digest: "x" }, "kopf"), "Kopf's form has no digest");
    assert.ok(!isSameRecord(full, { ...full, retries: 4 }, "kopf"));
  });
});
