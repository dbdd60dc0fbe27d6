import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { JsonLines } from "../../../lib/client/watch/json_lines.ts";

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

describe("JsonLines", () => {
  it("gives the values of the lines that a chunk completes", () => {
    const lines = new JsonLines();
    assert.deepEqual(lines.push(bytes('{"a":1}\n{"b":2}\n{"c"')), { values: [{ a: 1 }, { b: 2 }] });
    assert.deepEqual(lines.push(bytes(":3}")), { values: [] });
    assert.deepEqual(lines.push(bytes("\n")), { values: [{ c: 3 }] });
    assert.deepEqual(lines.end(), { values: [] });
  });

  it("gives the same however the bytes are cut, also in the middle of characters", () => {
    const text = '{"a":"ü€😀"}\n\n{"b":"\\n"}\r\n[1,2]\n';
    const whole = bytes(text);
    for (let size = 1; size <= whole.length; size++) {
      const lines = new JsonLines();
      const values: unknown[] = [];
      for (let at = 0; at < whole.length; at += size) {
        values.push(...lines.push(whole.slice(at, at + size)).values);
      }
      assert.deepEqual(values, [{ a: "ü€😀" }, { b: "\n" }, [1, 2]], `in chunks of ${size}`);
    }
  });

  it("keeps whole numbers exact, wherever they stand, whatever comes with them, and however the bytes are cut", () => {
    const exact = 9007199254740993n;
    for (let before = 0; before < 40; before++) {
      const filler = `{"k":"${"ü".repeat(before)}"}\n`;
      const text = `${filler}{"n":${exact},"small":12}\n${filler}`;
      const whole = bytes(text);
      for (const size of [whole.length, 7]) {
        const lines = new JsonLines();
        const values: unknown[] = [];
        for (let at = 0; at < whole.length; at += size) {
          values.push(...lines.push(whole.slice(at, at + size)).values);
        }
        assert.deepEqual(
          values[1],
          { n: exact, small: 12 },
          `after ${before} characters, in chunks of ${size}`,
        );
      }
    }
    const last = new JsonLines();
    last.push(bytes(`{"n":-${exact}}`));
    assert.deepEqual(last.end().values, [{ n: -exact }]);
  });

  it("does not change when the caller uses the chunk's memory again", () => {
    const lines = new JsonLines();
    const chunk = bytes('1\n{"a":');
    lines.push(chunk);
    chunk.fill(0);
    assert.deepEqual(lines.push(bytes("2}\n")).values, [{ a: 2 }]);
  });

  it("gives what came before a line that is not JSON, and an error", () => {
    for (const bad of ["oops", '{"a":', "{'a':1}", "\u0000"]) {
      const { values, error } = new JsonLines().push(bytes(`1\n${bad}\n2\n`));
      assert.deepEqual(values, [1]);
      assert.ok(error instanceof SyntaxError);
      assert.match(error.message, /it is not JSON/);
    }
  });

  it("reads bytes that are not UTF-8 as U+FFFD", () => {
    const { values } = new JsonLines().push(Uint8Array.of(0x22, 0xff, 0xfe, 0x22, 0x0a));
    assert.deepEqual(values, ["\ufffd\ufffd"]);
  });

  it("keeps a line of several MB that comes in pieces", () => {
    const lines = new JsonLines();
    const whole = bytes(`${JSON.stringify("x".repeat(5_000_000))}\n`);
    const values: unknown[] = [];
    for (let at = 0; at < whole.length; at += 65_536) {
      values.push(...lines.push(whole.slice(at, at + 65_536)).values);
    }
    assert.equal((values[0] as string).length, 5_000_000);
  });

  it("refuses a line beyond its limit", () => {
    const lines = new JsonLines(10);
    assert.equal(lines.push(bytes("123456789\n12345")).error, undefined);
    const { error } = lines.push(bytes("678901"));
    assert.ok(error instanceof RangeError);
    assert.match(error.message, /a line is longer than 10 bytes/);
  });

  it("takes a last line without its end if it is whole, and not otherwise", () => {
    const whole = new JsonLines();
    whole.push(bytes('{"a":1}'));
    assert.deepEqual(whole.end(), { values: [{ a: 1 }] });
    const half = new JsonLines();
    half.push(bytes('{"a":'));
    assert.ok(half.end().error instanceof SyntaxError);
  });
});
