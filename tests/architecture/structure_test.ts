/** Where files stand and what they are called: tests mirror lib, names say something, tests can be counted. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findUntested, placesElsewhere, testFor } from "./coverage.ts";
import { LAYERS } from "./layers.ts";
import { whyBadFileName, whyBadPublicName, whyBadTest } from "./names.ts";
import { assertNone, filesBelow, readTree, ROOT } from "./tree.ts";
import { readTreeGraph } from "./tree_graph.ts";

const skip = "Deno" in globalThis ? false : "the graph of the tree comes from `deno info`";

const sources = filesBelow("lib/", ".ts");
const tests = filesBelow("tests/", "_test.ts");
const mirrored = tests.filter((path) => LAYERS.includes(path.split("/")[1] ?? ""));

describe("The tree", () => {
  it("has a file in lib for each test of a layer", () => {
    const stray = mirrored.filter((test) => !sources.some((source) => testFor(source) === test));
    assertNone(stray, "tests mirror no file");
  });

  it(
    "has a test for each file in lib that does something, or for a file that it is a part of",
    { skip },
    async () => {
      const untested = findUntested(readTreeGraph(), new Set(tests));
      const missing: string[] = [];
      for (const path of untested) if (await doesSomething(path)) missing.push(path);
      assertNone(missing, "files have no test");
    },
  );

  it("has the tests that the list of files tested elsewhere names", () => {
    for (const place of placesElsewhere()) {
      assert.ok(tests.some((path) => path.startsWith(place)), `there is no test in ${place}`);
    }
  });

  it("names its files in snake_case, with words that say something", () => {
    assertNone(sources.flatMap((path) => whyBadFileName(path) ?? []), "bad file names");
  });

  it("has tests that each runtime counts in full", () => {
    const texts = tests.filter((path) => !path.startsWith("tests/architecture/"));
    assertNone(texts.flatMap((path) => whyBadTest(path, readTree(path))), "tests that cannot be counted");
  });

  it("begins each file in lib with a comment that says what it is for", () => {
    assertNone(sources.filter((path) => !readTree(path).startsWith("/**")), "files without a comment on top");
  });
});

describe("mod.ts", () => {
  it("exports names that keep to the conventions", async () => {
    assert.deepEqual(
      Object.keys(await import(`${ROOT}mod.ts`)).flatMap((name) => whyBadPublicName(name) ?? []),
      [],
    );
  });
});

describe("findUntested()", () => {
  const file = (target: string) => ({ kind: "file", target, typeOnly: false }) as const;
  const modules = [
    {
      path: "lib/settings/kubeconfig.ts",
      imports: [file("lib/settings/fields.ts"), file("lib/model/diff.ts")],
    },
    { path: "lib/settings/fields.ts", imports: [file("lib/settings/deep.ts")] },
    { path: "lib/settings/deep.ts", imports: [] },
    { path: "lib/model/diff.ts", imports: [] },
    { path: "lib/runtime/node/host.ts", imports: [] },
    { path: "mod.ts", imports: [] },
  ];

  it("reports files that are neither tested, nor parts of a tested file of their layer, nor in the list", () => {
    const tests = new Set(["tests/settings/kubeconfig_test.ts"]);
    assert.deepEqual(findUntested(modules, tests), ["lib/settings/deep.ts", "lib/model/diff.ts"]);
  });
});

describe("whyBadFileName()", () => {
  it("reports camelCase, kebab-case, a leading underscore and empty words", () => {
    for (
      const path of [
        "lib/a/fooBar.ts",
        "lib/a/foo-bar.ts",
        "lib/a/_foo.ts",
        "lib/a/path_utils.ts",
        "lib/common/a.ts",
      ]
    ) {
      assert.notEqual(whyBadFileName(path), undefined, path);
    }
    for (const path of ["lib/a/gate.ts", "lib/kits/apiserver/json_patch2.ts"]) {
      assert.equal(whyBadFileName(path), undefined);
    }
  });
});

describe("whyBadPublicName()", () => {
  it("reports underscores, prefixes and endings that say nothing", () => {
    for (const name of ["_a", "do_it", "IHost", "HostImpl", "TaskManager"]) {
      assert.notEqual(whyBadPublicName(name), undefined, name);
    }
    for (const name of ["operator", "EVERYTHING", "MAX_SIZE", "Index", "ApiError"]) {
      assert.equal(whyBadPublicName(name), undefined, name);
    }
  });
});

describe("whyBadTest()", () => {
  it("reports what cannot be counted or runs on one runtime only", () => {
    const bad = [
      'it("a", (t) => { t.skip("b"); });',
      'it.only("a", () => {});',
      'describe.skip("a", () => {});',
      'describe("a", { skip: reason }, () => {});',
      'Deno.test("a", () => {});',
      'import { expect } from "bun:test";',
    ];
    for (const source of bad) assert.equal(whyBadTest("a_test.ts", source).length, 1, source);
    const good = 'describe("a", () => { it("b", { skip: reason }, () => {}); }); const only = [1].at(0);';
    assert.deepEqual(whyBadTest("a_test.ts", good), []);
  });
});

/** Whether anything of the module is there at run time. Modules of types alone are what `deno check` tests. */
async function doesSomething(path: string): Promise<boolean> {
  return Object.keys(await import(ROOT + path)).length > 0;
}
