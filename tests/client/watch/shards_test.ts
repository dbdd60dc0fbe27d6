import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseShards, shardHash } from "../../../lib/client/watch/shards.ts";
import type { KubeObject } from "../../../lib/model/object.ts";
import { bookmark, event, FakeStream, listOf, widget } from "../fake_server.ts";
import { PAGES, serve, start } from "../watch_world.ts";

const LOWER = "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')";
const UPPER = "shardRange(object.metadata.uid, '0x8000000000000000', '0x10000000000000000')";

function object(uid: string, namespace = "ns"): KubeObject {
  return { metadata: { name: "x", uid, namespace } };
}

/** A text that looks like a uid: those that differ in their last letters only have hashes close together. */
function uidOf(number: number): string {
  return (Math.imul(number + 1, 2654435761) >>> 0).toString(16).padStart(8, "0").repeat(4);
}

describe("shardHash()", () => {
  it("is FNV-1a over 64 bits", () => {
    // Source: the test vectors of draft-eastlake-fnv.
    assert.equal(shardHash(""), 0xcbf29ce484222325n);
    assert.equal(shardHash("a"), 0xaf63dc4c8601ec8cn);
    assert.equal(shardHash("foobar"), 0x85944171f73967e8n);
  });

  it("agrees with the definition for any text", () => {
    for (let number = 0; number < 500; number++) {
      const text = `uid-${number * 7919}-é漢`;
      let hash = 0xcbf29ce484222325n;
      for (const byte of new TextEncoder().encode(text)) {
        hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn;
      }
      assert.equal(shardHash(text), hash);
    }
  });
});

describe("parseShards()", () => {
  it("gives each object to exactly one of the shards that make up the whole", () => {
    const shards = [LOWER, UPPER].map((text) => parseShards(text) ?? assert.fail(text));
    const counts = [0, 0];
    for (let number = 0; number < 200; number++) {
      const mine = shards.map((isOurs) => isOurs(object(uidOf(number))));
      assert.equal(mine.filter(Boolean).length, 1);
      counts[mine.indexOf(true)]! += 1;
    }
    assert.ok(Math.min(...counts) > 50, `${counts}`);
  });

  it("knows several ranges, the namespace, and both quotes", () => {
    const both = parseShards(`${LOWER}||${UPPER}`);
    assert.equal(both?.(object("a")), true);
    const start = `0x${shardHash("ns").toString(16).padStart(16, "0")}`;
    const end = `0x${(shardHash("ns") + 1n).toString(16).padStart(16, "0")}`;
    const one = parseShards(` shardRange( object.metadata.namespace ,"${start}","${end}" ) `);
    assert.deepEqual([one?.(object("a")), one?.(object("a", "other"))], [true, false]);
  });

  it("leaves to the server what it does not know", () => {
    for (const text of ["S1", "", `${LOWER} && ${UPPER}`, `!${LOWER}`, LOWER.replace("uid", "labels")]) {
      assert.equal(parseShards(text), undefined, text);
    }
  });
});

describe("A watch of a shard", () => {
  const names = [...Array(20).keys()].map(uidOf);
  const mine = names.filter((name) => parseShards(LOWER)?.(widget(name, 1)));

  it("drops what belongs to others where the server ignores it, and says so once", async () => {
    const watch = { shardSelector: LOWER };
    const lines = names.map((name, index) => event("ADDED", widget(name, 10 + index)));
    for (const initialStreaming of [true, false]) {
      const stream = initialStreaming ? new FakeStream(...lines, bookmark(40, true)) : new FakeStream();
      const world = start(
        serve(() => listOf(40, names.map((name) => widget(name, 5))), () => stream.response),
        { watching: { initialStreaming }, watch },
      );
      await world.host.clock.advance(1);
      assert.ok(mine.length > 3 && mine.length < 17);
      assert.deepEqual(world.items, [...mine.map((name) => `null ${name}`), "LISTED"]);
      const other = names.find((name) => !mine.includes(name)) ?? "";
      stream.send(event("DELETED", widget(other, 50)));
      stream.send(event("DELETED", widget(mine[0] ?? "", 51)));
      await world.host.clock.advance(1);
      assert.deepEqual(world.items.slice(mine.length + 1), [`DELETED ${mine[0]}`]);
      assert.deepEqual(world.messages("warn"), [
        "The server ignores the shard selector: objects of other shards are dropped here",
      ]);
      await world.stop();
    }
  });

  it("trusts the server where it says what it has given, or gives nothing else", async () => {
    for (const shardSelector of [LOWER, "some new form"]) {
      const shardInfo = { selector: shardSelector };
      const list = {
        kind: "WidgetList",
        apiVersion: "example.com/v1",
        metadata: { resourceVersion: "5", shardInfo },
      };
      const items = mine.map((name) => widget(name, 5));
      const world = start(
        serve(() => Response.json({ ...list, items }), () => new FakeStream().response),
        { watching: PAGES, watch: { shardSelector } },
      );
      await world.host.clock.advance(1);
      assert.deepEqual([world.items.length, world.messages("warn")], [mine.length + 1, []]);
      await world.stop();
    }
  });

  it("warns where the server says nothing, and the form is not known here", async () => {
    const world = start(serve(() => listOf(5, []), () => new FakeStream().response), {
      watching: PAGES,
      watch: { shardSelector: "some new form" },
    });
    await world.host.clock.advance(1);
    assert.match(world.messages("warn").join(), /^The server seems to ignore the shard selector/);
    await world.stop();
  });
});
