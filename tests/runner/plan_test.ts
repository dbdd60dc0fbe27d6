import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { filesBelow } from "../architecture/tree.ts";
import { type Part, runsOn, sharesProcess } from "./plan.ts";
import { type RuntimeName, RUNTIMES } from "./tools.ts";

const files = filesBelow("tests/", "_test.ts");

function runtimesOf(file: string, part: Part): RuntimeName[] {
  return RUNTIMES.filter((name) => runsOn(name, file, part));
}

describe("runsOn()", () => {
  it("leaves to the rest on Bun what is not about the runtime", () => {
    for (
      const file of [
        "tests/scenarios/causes_test.ts",
        "tests/e2e/rights_test.ts",
        "tests/kits/testing/cluster_test.ts",
      ]
    ) {
      assert.deepEqual(runtimesOf(file, "first"), ["deno"], file);
      assert.deepEqual(runtimesOf(file, "rest"), ["bun"], file);
    }
    assert.deepEqual(runtimesOf("tests/scenarios/large_numbers_test.ts", "first"), ["deno", "bun"]);
    assert.deepEqual(runtimesOf("tests/scenarios/large_numbers_test.ts", "rest"), []);
  });

  it("leaves whole operators on Node to the rest, but not the host's conformance", () => {
    assert.deepEqual(runtimesOf("tests/e2e/stopping_test.ts", "rest"), ["bun", "node"]);
    assert.deepEqual(runtimesOf("tests/conformance/host/host_test.ts", "first"), ["deno", "bun", "node"]);
  });

  it("leaves comparisons, executables and the longest stories to the rest on all runtimes", () => {
    for (const file of ["tests/oracle/kopf_test.ts", "tests/conformance/apiserver/apiserver_test.ts"]) {
      assert.deepEqual(runtimesOf(file, "first"), [], file);
    }
    assert.deepEqual(runtimesOf("tests/cli/build_test.ts", "rest"), ["deno", "bun"]);
  });

  it("keeps the host, the client and parsers on both runtimes first", () => {
    for (
      const file of [
        "tests/runtime/json_test.ts",
        "tests/e2e/engines_test.ts",
        "tests/conformance/client/client_test.ts",
        "tests/kits/apiserver/cel/evaluator_test.ts",
        "tests/model/patterns_test.ts",
      ]
    ) assert.deepEqual(runtimesOf(file, "first"), ["deno", "bun"], file);
  });

  it("lets both parts together run each file wherever it can run, once", () => {
    for (const file of files) {
      const parts = [...runtimesOf(file, "first"), ...runtimesOf(file, "rest")];
      assert.deepEqual(parts.toSorted(), runtimesOf(file, "all").toSorted(), file);
    }
  });
});

describe("sharesProcess()", () => {
  it("holds for no file that changes its process, or that has hooks outside its suites", () => {
    const shared = files.filter((file) => sharesProcess(file));
    assert.ok(shared.length > 400);
    const leaves =
      /^(?:before|after)(?:Each)?\(|^\s*(?:delete )?process\.(?:env\S* = |env\[\S+;|chdir\(|exit|on\()|^\s*Deno\.chdir/m;
    assert.deepEqual(shared.filter((file) => leaves.test(readFileSync(file, "utf8"))), []);
  });
});
