import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Gate, GateSet } from "../../lib/async/gate.ts";

describe("Gate", () => {
  it("opened() resolves at once while it is open, and with the opening otherwise", async () => {
    const gate = new Gate();
    const seen: string[] = [];
    const waiting = gate.opened().then((isOpen) => seen.push(`opened ${isOpen}`));
    await Promise.resolve();
    assert.deepEqual(seen, []);
    gate.open();
    await waiting;
    assert.deepEqual(seen, ["opened true"]);
    assert.equal(await gate.opened(), true);
  });

  it("opened() goes on waiting when the gate is closed again in the same breath", async () => {
    const gate = new Gate();
    let isThrough = false;
    const waiting = gate.opened().then(() => isThrough = true);
    gate.open();
    gate.close();
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    assert.equal(isThrough, false);
    gate.open();
    await waiting;
  });

  it("closed() gives false when its signal is aborted", async () => {
    const gate = new Gate(true);
    assert.equal(await gate.closed(AbortSignal.abort()), false);
    gate.close();
    assert.equal(await gate.closed(), true);
  });
});

describe("A gate's listener", () => {
  it("hears of changes alone", () => {
    let changes = 0;
    const gate = new Gate(false, () => changes++);
    gate.close();
    assert.equal(changes, 0);
    gate.open();
    gate.open();
    assert.equal(changes, 1);
  });
});

describe("GateSet", () => {
  it("is open without gates, and then only while all are", () => {
    const row = new GateSet();
    assert.equal(row.isOpen, true);
    const left = row.add();
    const right = row.add(false);
    assert.equal(row.isOpen, false);
    right.open();
    assert.equal(row.isOpen, true);
    left.close();
    assert.equal(row.isOpen, false);
    row.remove(left);
    assert.equal(row.isOpen, true);
  });

  it("opened() waits for the last gate", async () => {
    const row = new GateSet();
    const [left, right] = [row.add(false), row.add(false)];
    let isThrough = false;
    const waiting = row.opened().then(() => isThrough = true);
    left.open();
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    assert.equal(isThrough, false);
    right.open();
    await waiting;
  });
});
