import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatJson, parseJson, parserFor, writeJson } from "../../lib/runtime/json.ts";

const BEYOND = 9007199254740993n;

/** An object in an object, and so on. */
function nested(levels: number): string {
  return '{"a":'.repeat(levels) + `${BEYOND}` + "}".repeat(levels);
}

describe("parseJson()", () => {
  it("keeps whole numbers exact, whatever their size, wherever they stand", () => {
    assert.equal(parseJson("9007199254740993"), BEYOND);
    assert.deepEqual(parseJson('{"a":[-9007199254740993, 1],"b":{"c": 18446744073709551616}}'), {
      a: [-BEYOND, 1],
      b: { c: 2n ** 64n },
    });
    assert.deepEqual(parseJson('{"a":\n1234567890123456789012345678901234567890}'), {
      a: 1234567890123456789012345678901234567890n,
    });
  });

  it("finds them wherever they begin in a text, and whatever stands around them", () => {
    for (let before = 0; before < 40; before++) {
      const text = `{"${"k".repeat(before)}":${BEYOND},"n":[1,-${BEYOND}]}`;
      assert.equal(formatJson(parseJson(text)), text);
      const blanks = `[${" ".repeat(before)}${BEYOND}\n]`;
      assert.deepEqual(parseJson(blanks), [BEYOND]);
      const after = `["${"1".repeat(before)}",${BEYOND}]`;
      assert.deepEqual(parseJson(after), ["1".repeat(before), BEYOND]);
    }
  });

  it("reads texts with escapes, and keys that stand twice, as JSON.parse() does", () => {
    const text = String
      .raw`{"a\":1":"x\\","b":"\u0041\"{[","a":1,"":{"a":[true,false,null,{}]},"a":2,"n":${BEYOND}}`;
    const expected = JSON.parse(text.replace(`${BEYOND}`, "0")) as Record<string, unknown>;
    assert.deepEqual(parseJson(text), { ...expected, n: BEYOND });
  });

  it("gives numbers for what a number holds exactly, and for fractions", () => {
    const text =
      '{"a":9007199254740991,"b":-9007199254740991,"c":12345678901234567.5,"d":1e20,"e":"9007199254740993"}';
    assert.deepEqual(parseJson(text), JSON.parse(text));
  });

  it("rounds what has more bits than wanted", () => {
    const text = "[9223372036854775807,-9223372036854775808,9223372036854775808]";
    assert.deepEqual(parseJson(text, 64), [2n ** 63n - 1n, -(2n ** 63n), 2 ** 63]);
  });

  it("takes keys of all names as data, and refuses what is no JSON", () => {
    const value = parseJson(`{"__proto__":{"x":${BEYOND}}}`) as object;
    assert.deepEqual(Object.keys(value), ["__proto__"]);
    assert.throws(() => parseJson("{"), SyntaxError);
    assert.throws(() => parseJson("[01234567890123456789]"), SyntaxError);
  });

  it("takes objects as deep as API servers do", () => {
    for (const levels of [1000, 10_000]) assert.equal(formatJson(parseJson(nested(levels))), nested(levels));
  });
});

describe("parserFor()", () => {
  it("returns what keeps whole numbers exact wherever one stands that the engine would round", () => {
    const encoder = new TextEncoder();
    for (let before = 0; before < 40; before++) {
      for (const digits of ["9007199254740993", "-9007199254740993", "12345678901234567890123456789012345"]) {
        const text = `["${"k".repeat(before)}",${digits}]`;
        assert.deepEqual(parserFor(encoder.encode(text))(text), ["k".repeat(before), BigInt(digits)]);
      }
    }
  });

  it("leaves to the engine what has no such number", () => {
    const text = `{"a":${"9".repeat(15)},"b":"1234-5678-9012-3456","c":[1,2.5e3]}`;
    const parse = parserFor(new TextEncoder().encode(text));
    assert.notEqual(parse, parseJson);
    assert.deepEqual(parse(text), JSON.parse(text));
  });
});

describe("formatJson()", () => {
  const value = {
    text: 'a "b" \n \u2028',
    list: [1, null, undefined, [], {}, { a: BEYOND }],
    gone: undefined,
    date: new Date(0),
    nested: { b: false, fraction: -1.5e-7, empty: {} },
  };

  it("writes bigints as whole numbers, and everything else as JSON.stringify() does", () => {
    const plain = { ...value, list: [...value.list.slice(0, -1), { a: 1 }] };
    for (const indent of [0, 2]) {
      assert.equal(formatJson(plain, indent), JSON.stringify(plain, undefined, indent));
      const expected = JSON.stringify(plain, undefined, indent).replace(/("a": ?)1/, `$1${BEYOND}`);
      assert.equal(formatJson(value, indent), expected);
    }
    assert.deepEqual([formatJson(BEYOND), formatJson(undefined), formatJson(null)], [
      `${BEYOND}`,
      "null",
      "null",
    ]);
  });

  it("gives back what was read", () => {
    const text = '{"a":[-9007199254740993,1.5,"x"],"b":{"c":18446744073709551616,"d":null}}';
    assert.equal(formatJson(parseJson(text)), text);
  });

  it("writes whole numbers where a program has given bigints a form of their own", () => {
    const prototype = BigInt.prototype as { toJSON?: () => string };
    prototype.toJSON = () => "a text";
    try {
      assert.equal(formatJson({ a: BEYOND }), `{"a":${BEYOND}}`);
    } finally {
      delete prototype.toJSON;
    }
  });

  it("refuses circles", () => {
    const circle: Record<string, unknown> = { large: BEYOND };
    circle.self = circle;
    assert.throws(() => formatJson(circle), /circle/);
  });
});

describe("writeJson()", () => {
  it("writes numbers as it is told", () => {
    assert.equal(
      writeJson({ a: [1, BEYOND] }, { formatNumber: (number) => `+${number}` }),
      `{"a":[+1,${BEYOND}]}`,
    );
  });
});
