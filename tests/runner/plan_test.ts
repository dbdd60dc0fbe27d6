import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { filesBelow } from "../architecture/tree.ts";
import { type Part, runsOn } from "./plan.ts";
import { type RuntimeName, RUNTIMES } from "./tools.ts";

const files = filesBelow("tests/", "_test.ts");

function runtimesOf(file: string, part: Part): RuntimeName[] {
  return RUNTIMES.filter((name) => runsOn(name, file, part));
}

describe("runsOn()", () => {
  it("leaves stories on virtual hosts to the rest on Bun, but for those of the runtime itself", () => {
    assert.deepEqual(runtimesOf("tests/scenarios/causes_test.ts", "first"), ["deno"]);
    assert.deepEqual(runtimesOf("tests/scenarios/causes_test.ts", "rest"), ["bun"]);
    assert.deepEqual(runtimesOf("tests/scenarios/large_numbers_test.ts", "first"), ["deno", "bun"]);
    assert.deepEqual(runtimesOf("tests/scenarios/large_numbers_test.ts", "rest"), []);
  });

  it("keeps the host, whole operators, clients and the API server on both runtimes first", () => {
    for (
      const file of [
        "tests/runtime/json_test.ts",
        "tests/e2e/engines_test.ts",
        "tests/conformance/client/client_test.ts",
        "tests/kits/apiserver/client_test.ts",
        "tests/model/patterns_test.ts",
      ]
    ) assert.deepEqual(runtimesOf(file, "first"), ["deno", "bun"], file);
  });

  it("lets both parts together run each file wherever it can run, once", () => {
    for (const file of files) {
      const parts = [...runtimesOf(file, "first"), ...runtimesOf(file, "rest")];
      assert.deepEqual(parts.toSorted(), runtimesOf(file, "all").toSorted(), file);
      assert.ok(runsOn("deno", file, "first"), file);
    }
  });
});
