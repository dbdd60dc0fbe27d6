import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  buildEvent,
  buildRepetition,
  cutMessage,
  type EventFrame,
  isEvent,
} from "../../../lib/engines/posting/event.ts";

const FRAME: EventFrame = {
  api: "events.k8s.io/v1",
  eventNamePrefix: "lotse-event-",
  suffix: "1a2b3c",
  reportingComponent: "lotse",
  reportingInstance: "dev",
  defaultNamespace: "default",
  now: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
};
const ABOUT = { apiVersion: "example.com/v1", kind: "Example", name: "one", uid: "u-1", namespace: "ns" };

describe("buildEvent()", () => {
  it("makes an event of the newer API, with its two types only", () => {
    const event = buildEvent(ABOUT, { type: "Normal", reason: "Ready", message: "It is" }, FRAME);
    assert.deepEqual(event, {
      apiVersion: "events.k8s.io/v1",
      kind: "Event",
      metadata: { generateName: "lotse-event-", name: "lotse-event-1a2b3c", namespace: "ns" },
      type: "Normal",
      reason: "Ready",
      action: "Handling",
      eventTime: "2026-01-02T03:04:05.678000Z",
      reportingInstance: "dev",
      reportingController: "lotse",
      note: "It is",
      regarding: ABOUT,
    });
    const types = ["Normal", "Debug", "Warning", "Error", "Fatal"].map((type) =>
      buildEvent(ABOUT, { type, reason: "R", message: "" }, FRAME).type
    );
    assert.deepEqual(types, ["Normal", "Normal", "Warning", "Warning", "Warning"]);
  });

  it("makes an event of the core API, with any type", () => {
    const event = buildEvent(ABOUT, { type: "Error", reason: "Bad", message: "It is" }, {
      ...FRAME,
      api: "v1",
    });
    assert.deepEqual(event, {
      apiVersion: "v1",
      kind: "Event",
      metadata: { generateName: "lotse-event-", name: "lotse-event-1a2b3c", namespace: "ns" },
      type: "Error",
      reason: "Bad",
      action: "Handling",
      eventTime: "2026-01-02T03:04:05.678000Z",
      reportingInstance: "dev",
      message: "It is",
      involvedObject: ABOUT,
      reportingComponent: "lotse",
      source: { component: "lotse" },
      firstTimestamp: "2026-01-02T03:04:05Z",
      lastTimestamp: "2026-01-02T03:04:05Z",
      count: 1,
    });
  });

  it("keeps words within the server's limits, and never leaves the reason out", () => {
    const long = { type: "Normal", reason: "R".repeat(200), message: "" };
    const event = buildEvent(ABOUT, long, {
      ...FRAME,
      eventNamePrefix: "x".repeat(70),
      reportingInstance: "ü".repeat(100),
    });
    assert.equal(String(event.reason).length, 128);
    assert.equal((event.metadata as { generateName: string }).generateName.length, 58);
    assert.equal(event.reportingInstance, "ü".repeat(64));
    assert.equal(buildEvent(ABOUT, { ...long, reason: "" }, FRAME).reason, "Unknown");
  });
});

describe("buildRepetition()", () => {
  it("counts a series in the newer API, and just counts in the core one", () => {
    assert.deepEqual(buildRepetition(3, FRAME), {
      series: { count: 3, lastObservedTime: "2026-01-02T03:04:05.678000Z" },
    });
    assert.deepEqual(buildRepetition(3, { ...FRAME, api: "v1" }), {
      count: 3,
      lastTimestamp: "2026-01-02T03:04:05Z",
    });
  });
});

describe("cutMessage()", () => {
  it("leaves 1024 characters as they are, and cuts the middle out of more", () => {
    assert.equal(cutMessage("a".repeat(1024)), "a".repeat(1024));
    const cut = cutMessage(`${"a".repeat(1000)}${"z".repeat(1000)}`);
    assert.equal(cut, `${"a".repeat(511)}...${"z".repeat(510)}`);
    assert.equal(cut.length, 1024);
  });

  it("keeps to 1024 bytes where letters take more, and cuts no letter in two", () => {
    for (const letter of ["ж", "漢", "😀"]) {
      const cut = cutMessage(letter.repeat(700));
      assert.ok(new TextEncoder().encode(cut).length <= 1024, letter);
      assert.ok(new TextEncoder().encode(cut).length > 900, letter);
      assert.ok(cut.isWellFormed());
    }
  });
});

describe("isEvent()", () => {
  it("knows events of both APIs, and no others", () => {
    assert.ok(isEvent({ apiVersion: "v1", kind: "Event" }));
    assert.ok(isEvent({ apiVersion: "events.k8s.io/v1", kind: "Event" }));
    assert.ok(!isEvent({ apiVersion: "example.com/v1", kind: "Event" }));
    assert.ok(!isEvent({ apiVersion: "v1", kind: "Pod" }));
  });
});
