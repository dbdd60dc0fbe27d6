import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatYaml, parseLenientYaml, parseYaml } from "../../lib/runtime/yaml.ts";

describe("parseYaml()", () => {
  it("gives all documents, without the empty ones", () => {
    assert.deepEqual(parseYaml("---\na: 1\n---\n---\n# nothing\n---\n- x\n"), [{ a: 1 }, ["x"]]);
    assert.deepEqual(parseYaml(""), []);
  });

  it("reads JSON", () => {
    assert.deepEqual(parseYaml('{"a": [1, "b", null]}'), [{ a: [1, "b", null] }]);
  });

  it("leaves dates and the booleans of YAML 1.1 as strings", () => {
    const [value] = parseYaml("date: 2026-01-01\ntime: 2026-01-01T00:00:00Z\nyes: on\nreal: true");
    assert.deepEqual(value, { date: "2026-01-01", time: "2026-01-01T00:00:00Z", yes: "on", real: true });
  });

  it("knows anchors and merge keys", () => {
    const [value] = parseYaml("base: &b {x: 1, y: 2}\nuse:\n  <<: *b\n  y: 3\n");
    assert.deepEqual(value, { base: { x: 1, y: 2 }, use: { x: 1, y: 3 } });
  });

  it("makes own properties of keys such as __proto__ and constructor", () => {
    const [value] = parseYaml("__proto__: {polluted: true}\nconstructor: 1\n") as [object];
    assert.deepEqual(Object.keys(value), ["__proto__", "constructor"]);
    assert.equal(Reflect.getPrototypeOf(value), Object.prototype);
    assert.equal("polluted" in {}, false);
  });

  it("throws a SyntaxError that says where", () => {
    assert.throws(() => parseYaml("a: 1\nb: [1, 2\n"), (error: unknown) => {
      return error instanceof SyntaxError && /Cannot parse YAML: .*\(\d+:\d+\)/s.test(error.message) &&
        error.cause instanceof Error;
    });
    assert.throws(() => parseYaml("a: 1\na: 2\n"), SyntaxError);
  });
});

describe("formatYaml()", () => {
  it("writes what it can read again, also what looks like something else", () => {
    const value = {
      text: "multi\nline\n",
      list: [1, -2.5, true, null, "", [], {}],
      odd: [
        "yes",
        "on",
        "null",
        "~",
        "1_000",
        "012",
        "0x1f",
        "1e3",
        "2026-01-01",
        "12:30:45",
        "- a",
        "a: b",
        "# c",
        " d ",
        "*e",
        "&f",
        "!g",
        "@h",
      ],
      nested: { "a.b/c": "d", "": "empty" },
    };
    assert.deepEqual(parseYaml(formatYaml(value)), [value]);
  });

  it("quotes what kubectl's YAML 1.1 would take for a boolean, a number or a date", () => {
    for (const text of ["yes", "on", "off", "n", "012", "1_000", "12:30:45", "2026-01-01", "null", "~"]) {
      assert.match(formatYaml(text), /^(['"]).*\1\n$/, text);
    }
  });

  it("keeps the order of keys, leaves undefined ones out, and neither folds lines nor makes anchors", () => {
    const shared = { x: "word ".repeat(60).trim() };
    const text = formatYaml({ z: shared, a: undefined, b: shared });
    assert.deepEqual(text.split("\n").map((line) => line.slice(0, 5)), ["z:", "  x: ", "b:", "  x: ", ""]);
  });
});

describe("parseLenientYaml()", () => {
  const repeated = (text: string) => parseLenientYaml(text).repeated.map(({ key, line }) => `${line} ${key}`);

  it("keeps the last of the keys that stand twice, and says where each begins", () => {
    const text = "a: 1\nb:\n  c: 1\n  # more\n  c: 2\na: 3\n";
    assert.deepEqual(parseLenientYaml(text).documents, [{ a: 3, b: { c: 2 } }]);
    assert.deepEqual(repeated(text), ["5 c", "6 a"]);
  });

  it("names inner ones before outer ones, whatever the style", () => {
    assert.deepEqual(repeated('{"a": 1,\n"a": {"b": 1,\n"b": 2}}'), ["3 b", "2 a"]);
    assert.deepEqual(repeated("a: |\n  x\na:\n- b: 1\n  'b': >\n    text\n"), ["5 b", "4 a"]);
    assert.deepEqual(repeated("a: &x 1\nb: *x\nb: *x\n"), ["3 b"]);
    assert.deepEqual(repeated("a: 1\na:\nb: 2\n"), ["2 a"]);
  });

  it("looks at the first document alone, and refuses what is no YAML", () => {
    assert.deepEqual(repeated("a: 1\n---\na: 1\na: 2\n"), []);
    assert.throws(() => parseLenientYaml("a: [\n"), SyntaxError);
  });
});
