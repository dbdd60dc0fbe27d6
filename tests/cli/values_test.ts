import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CommandOption, OptionValue } from "../../lib/cli/command.ts";
import { UsageError } from "../../lib/cli/errors.ts";
import { completeValues, parseValue, variableOf } from "../../lib/cli/values.ts";

const OPTIONS: readonly CommandOption[] = [
  { flags: "-n, --namespace <pattern>", summary: "", repeatable: true, excludes: "all-namespaces" },
  { flags: "-A, --all-namespaces", summary: "" },
  { flags: "--log-format <format>", summary: "", choices: ["plain", "json"] },
  { flags: "-p, --priority <number>", summary: "", kind: "number" },
];

function complete(
  given: Record<string, OptionValue>,
  env: Record<string, string> = {},
): Map<string, OptionValue> {
  const command = { name: "run", options: OPTIONS };
  return completeValues(command, { given: new Map(Object.entries(given)), env: (name) => env[name] });
}

describe("variableOf()", () => {
  it("makes the variable's name of the command's and the option's", () => {
    const [, all] = OPTIONS;
    assert.equal(variableOf({ name: "run" }, all ?? { flags: "" }), "LOTSE_RUN_ALL_NAMESPACES");
  });
});

describe("parseValue()", () => {
  it("takes choices in any case, and gives them as they are declared", () => {
    assert.equal(parseValue({ flags: "", summary: "", choices: ["plain", "json"] }, "JSON"), "json");
  });

  it("refuses what is no choice, and names the choices", () => {
    assert.throws(
      () => parseValue({ flags: "", summary: "", choices: ["plain", "json"] }, "xml"),
      /plain, json/,
    );
  });

  it("refuses numbers that are none", () => {
    for (const text of ["", "1x", "1.5", "one"]) {
      assert.throws(() => parseValue({ flags: "", summary: "", kind: "number" }, text), UsageError);
    }
    assert.equal(parseValue({ flags: "", summary: "", kind: "number" }, "-5"), -5);
  });
});

describe("parseValue() of a port", () => {
  it("refuses numbers that are no port", () => {
    const option = { flags: "", summary: "", kind: "port" } as const;
    assert.deepEqual(["0", "65535"].map((text) => parseValue(option, text)), [0, 65535]);
    for (const text of ["-1", "65536", "http"]) {
      assert.throws(() => parseValue(option, text), UsageError, text);
    }
  });
});

describe("completeValues()", () => {
  it("[B281] completeValues() splits a repeatable option's variable by spaces", () => {
    assert.deepEqual(complete({}, { LOTSE_RUN_NAMESPACE: "a  b" }).get("namespace"), ["a", "b"]);
  });

  it("lets the command line win over the environment", () => {
    const values = complete({ "log-format": "plain" }, { LOTSE_RUN_LOG_FORMAT: "json" });
    assert.equal(values.get("log-format"), "plain");
  });

  it("reads switches as true and false, and refuses other words with the variable's name", () => {
    assert.equal(complete({}, { LOTSE_RUN_ALL_NAMESPACES: "yes" }).get("all-namespaces"), true);
    assert.equal(complete({}, { LOTSE_RUN_ALL_NAMESPACES: "0" }).get("all-namespaces"), false);
    assert.throws(
      () => complete({}, { LOTSE_RUN_ALL_NAMESPACES: "maybe" }),
      /LOTSE_RUN_ALL_NAMESPACES.*"maybe"/,
    );
  });

  it("takes an empty variable for none", () => {
    assert.equal(complete({}, { LOTSE_RUN_PRIORITY: "" }).has("priority"), false);
  });

  it("refuses options that exclude each other, wherever they come from", () => {
    assert.throws(() => complete({ "all-namespaces": true, namespace: ["x"] }), UsageError);
    assert.throws(
      () => complete({}, { LOTSE_RUN_ALL_NAMESPACES: "1", LOTSE_RUN_NAMESPACE: "x" }),
      UsageError,
    );
  });

  it("ignores a variable that the command line excludes", () => {
    const values = complete({ namespace: ["x"] }, { LOTSE_RUN_ALL_NAMESPACES: "1" });
    assert.deepEqual([...values.keys()], ["namespace"]);
    assert.deepEqual([...complete({ "all-namespaces": true }, { LOTSE_RUN_NAMESPACE: "x" }).keys()], [
      "all-namespaces",
    ]);
  });

  it("refuses a command line without a required option, unless a variable gives it", () => {
    const command = {
      name: "build",
      options: [{ flags: "-o, --output <file>", summary: "", required: true }],
    };
    assert.throws(() => completeValues(command, { given: new Map(), env: () => undefined }), /--output/);
    assert.equal(completeValues(command, { given: new Map(), env: () => "x" }).get("output"), "x");
  });
});
