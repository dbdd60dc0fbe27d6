import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  configurationFault,
  type Source,
  strictFaults,
  warningsOf,
} from "../../../../lib/kits/apiserver/bodies/strict_faults.ts";

const TWICE = '{"b":1,"b":2}';
const UNKNOWN = ["z", "a.b"];

function faults(form: Source["form"], { text = TWICE, unknown = UNKNOWN, custom = false } = {}): string[] {
  return strictFaults({ source: { text, form }, unknown, custom });
}

describe("strictFaults()", () => {
  it("tells keys of built-in kinds in the order of the text, those of others after keys that stand twice", () => {
    const text = '{"z":1,"b":1,"b":2}';
    assert.deepEqual(faults("json", { text, unknown: ["z"] }), ['unknown field "z"', 'duplicate field "b"']);
    const custom = faults("json", { text, unknown: ["z"], custom: true });
    assert.deepEqual(custom, ['duplicate field "b"', 'unknown field "z"']);
  });

  it("sorts what is unknown in patches of built-in kinds", () => {
    for (const form of ["merge patch", "strategic patch"] as const) {
      assert.deepEqual(faults(form), ['duplicate field "b"', 'unknown field "a.b"', 'unknown field "z"']);
    }
    assert.deepEqual(faults("merge patch", { custom: true }).slice(1), [
      'unknown field "z"',
      'unknown field "a.b"',
    ]);
  });

  it("reads a JSON patch strictly, but not what it adds", () => {
    const text = '[{"op":"add","foo":{"x":1,"x":2},"path":"/a","path":"/b","value":{"c":1,"c":2}}]';
    assert.deepEqual(faults("json patch", { text, unknown: [] }), [
      'json patch unknown field "[0].foo"',
      'json patch duplicate field "[0].path"',
      'json patch duplicate field "[0].value.c"',
    ]);
  });

  it("names lines of YAML in one fault, which makes a warning of each", () => {
    const [fault = "", ...others] = faults("yaml", { text: "b: 1\nb: 2\nb: 3\n" });
    assert.equal(
      fault,
      'yaml: unmarshal errors:\n  line 2: key "b" already set in map\n  line 3: key "b" already set in map',
    );
    assert.equal(others.length, 2);
    assert.deepEqual(warningsOf(fault), [
      'line 2: key "b" already set in map',
      'line 3: key "b" already set in map',
    ]);
    assert.equal(configurationFault(["x"]), undefined);
    assert.match(configurationFault([fault]) ?? "", /^error strict decoding YAML: .*line 3/s);
  });

  it("tells only what is unknown where there is no text", () => {
    assert.deepEqual(strictFaults({ unknown: ["z"], custom: false }), ['unknown field "z"']);
  });
});
