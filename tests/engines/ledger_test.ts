import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Ledger } from "../../lib/engines/ledger.ts";
import type { Subject } from "../../lib/execution/observer.ts";
import type { Resource } from "../../lib/model/resource.ts";

const resource = { group: "", version: "v1", plural: "pods", kind: "Pod", namespaced: true } as Resource;

function subjectOf(name: string): Subject {
  return { key: name, resource, body: { metadata: { name, uid: `u-${name}`, namespace: "ns" } } };
}

function look(ledger: Ledger, subject: Subject, wake = "event"): void {
  ledger.reconcileBegins(subject, { wake, events: [], waited: 0 });
  ledger.reconcileEnds(subject, { seconds: 1 });
}

describe("Ledger", () => {
  it("is bounded for each object and in all, and forgets the object that was looked at longest ago", () => {
    const ledger = new Ledger({ clock: { now: () => 0, monotonic: () => 0 }, perObject: 3, objects: 5 });
    for (let number = 0; number < 8; number++) {
      for (let time = 0; time < 4; time++) look(ledger, subjectOf(`pod-${number}`), String(time));
      look(ledger, subjectOf("pod-0"));
    }
    assert.equal(ledger.size, 5);
    const wakes = ledger.of({ metadata: { name: "pod-7" } })?.entries.map(({ wake }) => wake);
    assert.deepEqual(wakes, ["1", "2", "3"]);
    assert.ok(ledger.of({ metadata: { name: "pod-0" } }) !== undefined);
    assert.equal(ledger.of({ metadata: { name: "pod-1" } }), undefined);
  });

  it("bounds what it keeps of one reconcile", () => {
    const ledger = new Ledger({ clock: { now: () => 0, monotonic: () => 0 } });
    const subject = subjectOf("pod");
    ledger.reconcileBegins(subject, { wake: "event", events: [], waited: 0 });
    for (let number = 0; number < 1000; number++) {
      ledger.judged(subject, { handler: `h${number}`, mismatch: "when" });
      ledger.adopted(subject, { before: subject.body, after: { ...subject.body, [`f${number}`]: 1 } });
      ledger.written(subject, {
        paths: [`status.f${number}`],
        writes: 0,
        version: "1",
        concluded: false,
        byEvent: false,
      });
    }
    ledger.reconcileEnds(subject, { seconds: 1 });
    const [entry] = ledger.of(subject.body)?.entries ?? [];
    assert.equal(entry?.handlers.length, 64);
    assert.equal(entry?.changed.length, 16);
    assert.equal(entry?.written.length, 16);
  });

  it("does not keep events that tell nothing new", () => {
    const ledger = new Ledger({ clock: { now: () => 0, monotonic: () => 0 } });
    const subject = subjectOf("pod");
    ledger.reconcileBegins(subject, { wake: "event", events: [], waited: 0 });
    ledger.reconcileEnds(subject, { seconds: 1, unchanged: true });
    assert.equal(ledger.size, 0);
  });

  it("tells objects of one name apart by their uid, kind and namespace", () => {
    const ledger = new Ledger({ clock: { now: () => 0, monotonic: () => 0 } });
    look(ledger, subjectOf("pod"));
    assert.ok(ledger.of({ kind: "Pod", metadata: { name: "pod", namespace: "ns" } }) !== undefined);
    assert.equal(ledger.of({ kind: "Pod", metadata: { name: "pod", namespace: "other" } }), undefined);
    assert.equal(ledger.of({ kind: "Job", metadata: { name: "pod" } }), undefined);
    assert.equal(ledger.of({ metadata: { name: "pod", uid: "another" } }), undefined);
  });
});
