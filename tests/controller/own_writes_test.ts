import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { OwnWrites, type Telling } from "../../lib/controller/own_writes.ts";
import type { KubeObject } from "../../lib/model/object.ts";
import type { Resource } from "../../lib/model/resource.ts";

const MAPS = { group: "", version: "v1", plural: "configmaps", kind: "ConfigMap" } as Resource;
const SECRETS = { ...MAPS, plural: "secrets", kind: "Secret" } as Resource;

function map(version: number, data: object = {}, name = "a"): KubeObject {
  const metadata = { name, namespace: "n", uid: `u-${name}`, resourceVersion: String(version) };
  return { apiVersion: "v1", kind: "ConfigMap", metadata, data };
}

/** Writes of an owner "o", and what it was told. */
function bench() {
  const writes = new OwnWrites();
  const told: string[] = [];
  return {
    writes,
    told,
    begin: (name = "a", resource = MAPS) =>
      writes.begin(resource, { author: "o", target: { name, namespace: "n" } }),
    see: (object: KubeObject, old?: KubeObject, more: Partial<Telling> = {}): boolean =>
      writes.hold({
        resource: MAPS,
        owner: "o",
        event: { type: "MODIFIED", object, old },
        tell: () => told.push(`${object.metadata.name} ${object.metadata.resourceVersion}`),
        ...more,
      }),
    answer: (object: KubeObject, data: object) =>
      writes.answered(object, { sent: { metadata: {}, data }, author: "o" }),
  };
}

describe("OwnWrites", () => {
  it("drops the event of a write that came before its answer", () => {
    const { begin, see, answer, told } = bench();
    const write = begin();
    assert.equal(see(map(2, { x: "1" }), map(1)), true);
    answer(map(2, { x: "1" }), { x: "1" });
    write[Symbol.dispose]();
    assert.deepEqual(told, []);
  });

  it("tells an event, when the write has ended, in which others had a part", () => {
    const { begin, see, answer, told } = bench();
    const write = begin();
    see(map(2, { x: "1", y: "webhook" }), map(1));
    answer(map(2, { x: "1", y: "webhook" }), { x: "1" });
    assert.deepEqual(told, []);
    write[Symbol.dispose]();
    assert.deepEqual(told, ["a 2"]);
  });

  it("tells what others have written meanwhile, in its order; also where the write has failed", () => {
    const { begin, see, answer, told } = bench();
    const write = begin();
    see(map(2, { y: "theirs" }), map(1));
    see(map(3, { x: "1", y: "theirs" }), map(2, { y: "theirs" }));
    see(map(4, { x: "2" }), map(3));
    answer(map(3, { x: "1", y: "theirs" }), { x: "1" });
    write[Symbol.dispose]();
    assert.deepEqual(told, ["a 2", "a 4"]);
    const failing = begin();
    see(map(5), map(4));
    failing[Symbol.dispose]();
    assert.deepEqual(told, ["a 2", "a 4", "a 5"]);
  });

  it("lets nothing wait that is about another object, kind or owner, or comes when nothing is written", () => {
    const { begin, see } = bench();
    assert.equal(see(map(1)), false);
    const write = begin();
    assert.equal(see(map(1, {}, "b")), false);
    assert.equal(see(map(1), undefined, { resource: SECRETS }), false);
    assert.equal(see(map(1), undefined, { owner: "p" }), false);
    const { metadata } = map(1);
    assert.equal(see({ ...map(1), metadata: { ...metadata, namespace: "m" } }), false);
    write[Symbol.dispose]();
    assert.equal(see(map(1)), false);
  });

  it("lets what is seen wait for the other write of the same object, and knows the events of both", () => {
    const { begin, see, answer, told } = bench();
    const [first, second] = [begin(), begin()];
    see(map(2, { x: "1" }), map(1));
    see(map(3, { x: "1", y: "2" }), map(2, { x: "1" }));
    see(map(4, { x: "9" }), map(3));
    answer(map(2, { x: "1" }), { x: "1" });
    first[Symbol.dispose]();
    assert.deepEqual(told, [], "the other one is under way");
    answer(map(3, { x: "1", y: "2" }), { y: "2" });
    second[Symbol.dispose]();
    assert.deepEqual(told, ["a 4"]);
  });

  it("knows what gets its name from the server by its prefix", () => {
    const { writes, see, told } = bench();
    const write = writes.begin(MAPS, { author: "o", target: { namespace: "n", generateName: "a-" } });
    const made = map(1, { x: "1" }, "a-7");
    const named = { ...made, metadata: { ...made.metadata, generateName: "a-" } };
    assert.equal(see(named), true);
    assert.equal(see(map(1, {}, "a-8")), false);
    const sent = { metadata: { namespace: "n", generateName: "a-" }, data: { x: "1" } };
    writes.answered(named, { sent, author: "o" });
    write[Symbol.dispose]();
    assert.deepEqual(told, []);
  });

  it("tells the first of very many while they wait", () => {
    const { begin, see, told } = bench();
    using _write = begin();
    for (let version = 1; version <= 102; version++) see(map(version), map(version - 1));
    assert.deepEqual(told, ["a 1", "a 2"]);
  });
});
