import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { textSink, type TextSinkOptions } from "../../lib/runtime/log_format.ts";
import type { LogRecord } from "../../lib/runtime/logging.ts";
import { assertLinear } from "../support/growth.ts";

const RECORD: LogRecord = {
  level: "info",
  logger: "lotse.objects",
  message: "Handler succeeded",
  fields: { handler: "provision" },
  time: Date.UTC(2026, 10, 21, 12, 30, 45, 678),
  reference: { apiVersion: "example.com/v1", kind: "Database", name: "db", uid: "u-1", namespace: "default" },
};

function lineOf(record: Partial<LogRecord>, options: Partial<TextSinkOptions>): string {
  let text = "";
  textSink({ format: "plain", level: "debug", write: (line) => text += line, ...options }).write({
    ...RECORD,
    ...record,
  });
  assert.ok(text.endsWith("\n"));
  return text.slice(0, -1);
}

function jsonOf(record: Partial<LogRecord>, options: Partial<TextSinkOptions> = {}): Record<string, unknown> {
  return JSON.parse(lineOf(record, { format: "json", ...options }));
}

describe("textSink() in plain", () => {
  it("[B287] [B288] writes prefix, message and fields", () => {
    assert.equal(lineOf({}, {}), "[default/db] Handler succeeded handler=provision");
    assert.equal(lineOf({ reference: undefined }, {}), "Handler succeeded handler=provision");
    assert.equal(lineOf({ reference: { name: "db" } }, {}), "[db] Handler succeeded handler=provision");
    assert.equal(lineOf({ fields: {} }, { prefix: false }), "Handler succeeded");
    assert.match(lineOf({ namesKind: true }, {}), /^\[Database default\/db\] /);
    assert.match(lineOf({ namesKind: true, reference: { name: "db" } }, {}), /^\[db\] /);
  });

  it("quotes strings that could be mistaken, and writes everything else as JSON", () => {
    const fields = {
      a: "two words",
      b: 'q"',
      c: "",
      d: 1,
      e: null,
      f: { x: ["y"] },
      g: undefined,
      h: 2n ** 64n,
      i: "x=y",
    };
    assert.equal(
      lineOf({ fields, reference: undefined, message: "M" }, {}),
      'M a="two words" b="q\\"" c="" d=1 e=null f={"x":["y"]} h="18446744073709551616" i="x=y"',
    );
  });

  it("writes an error after the message, with its causes, and its stack where it is asked for", () => {
    const error = new RangeError("too far", { cause: new Error("inner", { cause: "text" }) });
    const record = { fields: { error, handler: "h" }, reference: undefined, message: "Failed" };
    const head = "Failed: RangeError: too far, caused by Error: inner, caused by text handler=h";
    assert.equal(lineOf({ ...record, level: "warn" }, {}), head);
    assert.equal(lineOf({ ...record, level: "error" }, { stacks: "never" }), head);
    const withStack = lineOf({ ...record, level: "error" }, {});
    assert.ok(withStack.startsWith(`${head}\n  `));
    assert.match(withStack, /too far[^]*log_format_test[^]*Caused by: Error: inner[^]*Caused by: text$/);
    assert.match(lineOf({ ...record, level: "info" }, { stacks: "always" }), /log_format_test/);
    assert.equal(lineOf({ ...record, fields: { error: "a string" } }, {}), "Failed: a string");
  });

  it("does not repeat an error below the line that has no more to say", () => {
    const error = new TypeError("spec.size: NaN is no JSON");
    error.stack = `${error.name}: ${error.message}`;
    const record = { fields: { error }, reference: undefined, message: "Failed", level: "error" } as const;
    assert.equal(lineOf(record, {}), "Failed: TypeError: spec.size: NaN is no JSON");
    error.cause = new Error("inner");
    assert.match(lineOf(record, {}), /\n {2}TypeError: spec.size[^]*Caused by: Error: inner/);
  });

  it("does not say in the line what the error has said of its cause already", () => {
    const error = new Error('Cannot make "a": too far', {
      cause: new RangeError("too far", { cause: "text" }),
    });
    const record = { fields: { error }, reference: undefined, message: "Failed", level: "warn" } as const;
    assert.equal(lineOf(record, {}), 'Failed: Error: Cannot make "a": too far, caused by text');
    // Nor what follows the subject of the cause, unless that is a word that may stand there by chance.
    const refused = new Error('Server refused "PATCH /a?force=true": 403 Forbidden: you must not');
    const outer = new Error('Cannot make "a": 403 Forbidden: you must not', { cause: refused });
    assert.equal(lineOf({ ...record, fields: { error: outer } }, {}), `Failed: Error: ${outer.message}`);
    const short = new Error("Cannot make it: no", { cause: new Error('Cannot read "b": no') });
    assert.match(
      lineOf({ ...record, fields: { error: short } }, {}),
      /, caused by Error: Cannot read "b": no$/,
    );
  });

  it("leaves out the stack of an error that was expected, unless all stacks are wanted", () => {
    const fields = { error: new RangeError("too far"), stack: false };
    const record = { fields, level: "error", message: "Failed" } as const;
    assert.equal(lineOf(record, { prefix: false }), "Failed: RangeError: too far");
    assert.match(lineOf(record, { stacks: "always" }), /log_format_test/);
    assert.equal(jsonOf(record).exception, undefined);
    assert.equal("stack" in jsonOf(record), false);
  });

  it("keeps a line a line, whatever is in message, error and fields", () => {
    const record = {
      message: "a\r\n  b",
      fields: { c: "d\ne", error: new Error("f\ng") },
      level: "warn",
    } as const;
    assert.equal(lineOf(record, { prefix: false }), 'a b: Error: f g c="d\\ne"');
  });

  it("takes no terminal's orders from what it writes", () => {
    const line = lineOf(
      { message: "\u001b[2Ja", fields: { b: "\u001b]0;title\u0007", error: "\u001b[31m" } },
      { prefix: false },
    );
    // deno-lint-ignore no-control-regex -- control characters are what is looked for
    assert.doesNotMatch(line, /[\u0000-\u001f\u007f]/);
  });

  it("colours warnings and errors when told so", () => {
    const plain = { fields: {}, reference: undefined };
    assert.equal(lineOf(plain, { color: true }), "Handler succeeded");
    assert.equal(lineOf({ ...plain, level: "warn" }, { color: true }), "\x1b[33mHandler succeeded\x1b[0m");
    assert.equal(lineOf({ ...plain, level: "error" }, { color: true }), "\x1b[31mHandler succeeded\x1b[0m");
  });

  it("writes nothing below its level", () => {
    let count = 0;
    const sink = textSink({ format: "plain", level: "warn", write: () => count++ });
    sink.write(RECORD);
    sink.write({ ...RECORD, level: "warn" });
    assert.equal(count, 1);
  });
});

describe("textSink() in full", () => {
  it("begins with local time, logger and level in columns", () => {
    const line = lineOf({}, { format: "full" });
    assert.match(
      line,
      /^\[\d{4}-\d\d-\d\d \d\d:\d\d:45,678\] lotse\.objects {8}\[INFO {4}\] \[default\/db\] Handler succeeded handler=provision$/,
    );
    const long = lineOf({ logger: "lotse.activities.authentication", level: "warn" }, { format: "full" });
    assert.match(long, /\] lotse\.activities\.aut \[WARNING \] /);
  });
});

describe("textSink() in JSON", () => {
  it("[B285] writes message, object, timestamp, severity and the fields", () => {
    assert.deepEqual(jsonOf({}), {
      message: "Handler succeeded",
      object: {
        apiVersion: "example.com/v1",
        kind: "Database",
        name: "db",
        uid: "u-1",
        namespace: "default",
      },
      timestamp: "2026-11-21T12:30:45.678+00:00",
      severity: "info",
      logger: "lotse.objects",
      handler: "provision",
    });
  });

  it("[B288] gives cluster-scoped objects the namespace null, and lines about nothing no object", () => {
    const { object } = jsonOf({ reference: { kind: "Node", name: "n" } });
    assert.deepEqual(object, { kind: "Node", name: "n", namespace: null });
    assert.equal("object" in jsonOf({ reference: undefined }), false);
  });

  it("[B286] takes another key for the object, and a prefix only when told so", () => {
    const line = jsonOf({}, { refkey: "k8s", prefix: true });
    assert.equal(line.message, "[default/db] Handler succeeded");
    assert.equal(Object.hasOwn(line, "k8s"), true);
    assert.equal(Object.hasOwn(line, "object"), false);
  });

  it("lets an explicit severity win, and keeps fields apart whose names are taken", () => {
    const line = jsonOf({ fields: { severity: "fatal", message: "mine", object: 1, fields: 2, a: 3 } });
    assert.equal(line.severity, "fatal");
    assert.equal(line.message, "Handler succeeded");
    assert.equal(line.a, 3);
    assert.deepEqual(line.fields, { message: "mine", object: 1, fields: 2 });
  });

  it("writes errors as text, with the stack beside them", () => {
    const line = jsonOf({
      level: "error",
      fields: { error: new TypeError("bad"), other: new Error("nested") },
    });
    assert.equal(line.error, "TypeError: bad");
    assert.equal(line.other, "Error: nested");
    assert.match(String(line.exception), /TypeError: bad[^]*log_format_test/);
  });

  it("survives what JSON cannot hold, and keeps the rest", () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    const fields = {
      circle,
      big: 1n,
      fn() {},
      map: new Map([["a", 1]]),
      set: new Set([1]),
      throws: {
        toJSON() {
          throw new Error("no");
        },
      },
      a: 1,
    };
    const line = jsonOf({ fields });
    assert.equal(line.message, "Handler succeeded");
    assert.deepEqual([line.a, line.big, line.map, line.set], [1, "1", { a: 1 }, [1]]);
    assert.match(lineOf({ fields }, {}), /Handler succeeded .*a=1$/);
  });

  it("takes fields such as __proto__ as data", () => {
    const text = lineOf({ fields: JSON.parse('{"__proto__": {"a": 1}, "constructor": 2}') }, {
      format: "json",
    });
    assert.match(text, /"__proto__":\{"a":1\}/);
    assert.match(text, /"constructor":2/);
    assert.match(lineOf({ fields: JSON.parse('{"__proto__": 1}') }, {}), /__proto__=1$/);
  });
});

describe("textSink() with texts of strangers", () => {
  const FORMATS = ["plain", "full", "json"] as const;

  it("cuts each text at 8192 characters, and says how much is missing", () => {
    const long = "x".repeat(10_000);
    for (const format of FORMATS) {
      const line = lineOf({
        message: long,
        fields: { [long]: long, error: new Error(long), list: [long, long] },
      }, {
        format,
      });
      assert.match(line, /x… and 1808 more/);
      assert.ok(line.length < 9 * 8192, `${format}: ${line.length}`);
      if (format === "json") assert.equal(typeof JSON.parse(line).list, "string");
    }
  });

  it("stays fast with blanks around a line break, however many", () => {
    const hostile = `${" ".repeat(80_000)}\t`;
    for (const format of FORMATS) {
      const take = (length: number) => () =>
        void lineOf({
          message: `a\n${hostile.slice(-length)}b`,
          fields: { error: new Error(hostile.slice(-length)) },
        }, {
          format,
        });
      assertLinear(take, { name: format, small: 20_000 });
    }
  });

  it("lets nobody forge lines: breaks, separators, directions and what is unseen are written as codes", () => {
    const forged = "a\n2026 fake\u2028b\u202Ec\u200Bd\u0085e\u{E0041}f";
    for (const format of FORMATS) {
      const line = lineOf({
        message: forged,
        logger: forged,
        reference: { name: forged, namespace: forged },
        fields: { [forged]: forged, error: forged, list: [forged] },
      }, { format, prefix: true });
      assert.doesNotMatch(line.trimEnd(), /[\n\u2028\u202E\u200B\u0085\u{E0041}]/u, format);
      assert.match(line, /\\u202e/);
      assert.match(line, /\\udb40\\udc41/);
    }
    assert.match(lineOf({ message: "family 👨\u200D👩" }, {}), /👨\u200D👩/u);
  });
});
