import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Failures } from "../../lib/engines/failures.ts";
import { TemporaryError } from "../../lib/execution/errors.ts";
import type { Outcome } from "../../lib/execution/handler.ts";
import type { AttemptEnd, Subject } from "../../lib/execution/observer.ts";
import type { Resource } from "../../lib/model/resource.ts";

// Of a resource only these are looked at.
const resource = { group: "example.com", version: "v1", plural: "examples", kind: "Example" } as Resource;

function subjectOf(name: string, spec: object = {}): Subject {
  return { key: name, resource, body: { metadata: { name }, spec: { ...spec } } };
}

function endOf(handler: string, outcome: Outcome, noun = "Handler"): AttemptEnd {
  const start = { noun, handler, family: handler.replace(/\/.*/, "/*"), retry: 0 };
  return { ...start, start, outcome, seconds: 0 };
}

function retry(message = "Not yet"): Outcome {
  return { kind: "retry", delay: 7, error: new TemporaryError(message, { delay: 7 }) };
}

function failure(message = "Never"): Outcome {
  return { kind: "failure", error: new Error(message) };
}

function stand(confidential: string[][] = []) {
  const clock = { now: 0, monotonic: () => clock.now };
  const failures = new Failures({ clock, confidentialOf: () => confidential });
  const posted: string[] = [];
  failures.attach(({ key }, { reason, message }) => posted.push(`${key} ${reason} ${message}`));
  return { clock, failures, posted };
}

describe("Failures", () => {
  it("counts an object from its first failed attempt until one succeeds", () => {
    const { clock, failures } = stand();
    const one = subjectOf("one");
    failures.attemptCounts(one, endOf("make", retry()));
    clock.now = 30;
    failures.attemptCounts(one, endOf("make", retry()));
    failures.attemptCounts(subjectOf("two"), endOf("make", retry()));
    clock.now = 40;
    assert.deepEqual(failures.counts(), [{
      kind: "examples.example.com",
      handler: "make",
      objects: 2,
      oldest: 40,
    }]);
    failures.attemptCounts(one, endOf("make", { kind: "children", delay: 5 }));
    assert.equal(failures.size, 2, "to wait is neither a failure nor a success");
    failures.attemptCounts(one, endOf("make", { kind: "success" }));
    assert.deepEqual(failures.of(one), []);
    assert.equal(failures.size, 1);
  });

  it("counts an object once for all sub-handlers of a family", () => {
    const { failures } = stand();
    const one = subjectOf("one");
    for (const id of ["make/a", "make/b"]) failures.attemptCounts(one, endOf(id, failure()));
    assert.deepEqual(failures.counts().map(({ handler, objects }) => [handler, objects]), [["make/*", 1]]);
  });

  it("posts no event about an event, whose handlers would fail with that one as well", () => {
    const { failures, posted } = stand();
    const events = { ...resource, group: "events.k8s.io", plural: "events", kind: "Event" } as Resource;
    failures.attemptCounts({ ...subjectOf("one"), resource: events }, endOf("copy", failure()));
    assert.equal(failures.size, 1);
    assert.deepEqual(posted, []);
  });

  it("keeps a handler that has given up until another cause does not call it", () => {
    const { failures } = stand();
    const one = subjectOf("one");
    failures.attemptCounts(one, endOf("make", failure()));
    failures.attemptCounts(one, endOf("make/a", failure()));
    failures.decided(one, { reason: "noop" });
    failures.judged(one, { handler: "make", mismatch: "reason" });
    assert.equal(failures.of(one).length, 2, "an object without a cause calls no handler");
    failures.decided(one, { reason: "update" });
    failures.judged(one, { handler: "make", mismatch: "reason" });
    assert.equal(failures.size, 0);
  });

  it("forgets objects that have gone, and timers that were stopped while they failed", () => {
    const { failures } = stand();
    const [one, two] = [subjectOf("one"), subjectOf("two")];
    failures.attemptCounts(one, endOf("tick", retry(), "Timer"));
    failures.attemptCounts(two, endOf("tick", failure(), "Timer"));
    failures.backgroundStops(one, { handler: "tick" });
    failures.backgroundStops(two, { handler: "tick" });
    assert.deepEqual([failures.of(one).length, failures.of(two).length], [0, 1], "it has given up");
    failures.reconcileEnds(two, { gone: true });
    assert.equal(failures.size, 0);
  });

  it("names turns that the framework could not finish, until one ends well", () => {
    const { failures, posted } = stand();
    const one = subjectOf("one");
    failures.reconcileEnds(one, { error: new Error("Forbidden") });
    assert.deepEqual(failures.counts().map(({ handler }) => handler), [""]);
    assert.deepEqual(posted, ["one ReconcileError Cannot finish with the object: Error: Forbidden"]);
    failures.reconcileEnds(one, {});
    assert.equal(failures.size, 0);
  });

  it("posts the same failure once in five minutes, and another one at once", () => {
    const { clock, failures, posted } = stand();
    const one = subjectOf("one");
    const fail = (message: string): void => failures.attemptCounts(one, endOf("make", retry(message)));
    fail("Not yet");
    clock.now = 60;
    fail("Not yet");
    assert.deepEqual(posted, ['one TemporaryError Handler "make" has failed, and is tried again: Not yet']);
    fail("No room");
    clock.now = 361;
    fail("No room");
    assert.equal(posted.length, 3);
    failures.attemptCounts(one, endOf("make", failure("Full")));
    assert.equal(posted.at(-1), 'one Error Handler "make" has given up: Full');
  });

  it("posts so many failures at once, and the others with later attempts", () => {
    const { clock, failures, posted } = stand();
    const subjects = Array.from({ length: 1000 }, (_, number) => subjectOf(`${number}`));
    const all = (): void => subjects.forEach((each) => failures.attemptCounts(each, endOf("make", retry())));
    all();
    assert.equal(posted.length, 200);
    clock.now = 10;
    all();
    assert.equal(posted.length, 300);
    assert.equal(new Set(posted).size, 300, "each of another object");
  });

  it("hides the values of confidential fields, and of base64 what it stands for", () => {
    const { failures, posted } = stand([["spec", "password"]]);
    const one = subjectOf("one", { password: { a: "tops3cret", b: btoa("decoded-one"), c: "ab" } });
    failures.attemptCounts(one, endOf("make", failure("No login with tops3cret or decoded-one: ab")));
    assert.equal(
      posted[0],
      'one Error Handler "make" has given up: No login with (confidential) or (confidential): ab',
    );
    assert.ok(!failures.of(one)[0]?.message.includes("tops3cret"));
  });

  it("passes over reviews and activities", () => {
    const { failures } = stand();
    failures.attemptCounts(undefined, endOf("check", failure()));
    failures.attemptCounts(subjectOf("one"), endOf("boot", failure(), "Activity"));
    assert.equal(failures.size, 0);
  });
});
