/** Imports go down only, for the whole tree; and made-up graphs that prove that each rule of the table bites. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  findCycles,
  findFolderCycles,
  findUnusedPackages,
  findViolations,
  type Info,
  type Module,
  readGraph,
} from "./graph.ts";
import { PACKAGES } from "./layers.ts";
import { assertNone, readTree } from "./tree.ts";
import { readTreeGraph } from "./tree_graph.ts";

const skip = "Deno" in globalThis
  ? false
  : "the graph of the tree comes from `deno info`; it is the same on every runtime";

/** Credentials are got by requests of their own, and transports send credentials. */
const KNOWN_CIRCLES = ["lib/client/auth > lib/client/transport > lib/client/auth"];

describe("The module graph", () => {
  const modules = skip ? [] : readTreeGraph();
  const dependencies = Object.keys(JSON.parse(readTree("package.json")).dependencies);

  it("of the tree has no forbidden import", { skip }, () => {
    assert.ok(modules.length > 20, `only ${modules.length} modules were found`);
    assertNone(findViolations(modules), "forbidden imports");
  });

  it("of the tree has no cycle", { skip }, () => assertNone(findCycles(modules), "cycles"));

  it("of the tree has no circle of folders", { skip }, () => {
    assertNone(findFolderCycles(modules).filter((cycle) => !KNOWN_CIRCLES.includes(cycle)), "circles");
  });

  it("uses each package that the package depends on", { skip }, () => {
    assertNone(findUnusedPackages(modules, dependencies), "packages without use");
  });

  it("has a row in the table for each package that the package depends on, and no other rows", () => {
    assert.deepEqual(Object.keys(PACKAGES).sort(), dependencies.sort());
  });
});

describe("findViolations()", () => {
  const forbidden: [why: string, from: string, target: string][] = [
    ["an import that goes up", "lib/client/watch/watcher.ts", "lib/operator/operator_run.ts"],
    ["runtime importing async", "lib/runtime/node/host.ts", "lib/async/queue.ts"],
    ["model importing anything of ours", "lib/model/diff.ts", "lib/runtime/host.ts"],
    ["one engine in another", "lib/engines/daemons.ts", "lib/engines/posting/poster.ts"],
    ["one engine's folder in another's", "lib/engines/probing/app.ts", "lib/engines/metrics/registry.ts"],
    ["one kit in another", "lib/kits/testing/runner.ts", "lib/kits/hierarchies/adopt.ts"],
    ["the API server using our patching", "lib/kits/apiserver/patch.ts", "lib/model/patch.ts"],
    ["the API server using the client", "lib/kits/apiserver/app.ts", "lib/client/errors.ts"],
    ["cli using an inner file", "lib/cli/run.ts", "lib/operator/operator.ts"],
    ["cli using a kit's inner file", "lib/cli/dev.ts", "lib/kits/apiserver/app.ts"],
    ["cli.ts using an inner file", "cli.ts", "lib/operator/operator.ts"],
    ["mod.ts exporting the command line", "mod.ts", "lib/cli/run.ts"],
    ["mod.ts exporting a test", "mod.ts", "tests/run.ts"],
    ["a shipped file using a test's", "lib/client/watch/watcher.ts", "tests/client/fakes.ts"],
    ["a folder that the table does not know", "lib/utils/strings.ts", "lib/model/object.ts"],
    [
      "importing a folder that the table does not know",
      "lib/client/watch/watcher.ts",
      "lib/utils/strings.ts",
    ],
    ["an example using an inner file", "examples/01-minimal/handlers.ts", "lib/operator/operator.ts"],
    ["an example using another", "examples/01-minimal/handlers.ts", "examples/02-database/handlers.ts"],
    ["a package outside its file", "lib/client/auth/kubeconfig.ts", "npm:js-yaml"],
    ["a package without a row", "lib/runtime/yaml.ts", "npm:left-pad"],
    ["a package named like an object's own member", "lib/runtime/yaml.ts", "npm:constructor"],
    ["a built-in outside runtime", "lib/client/auth/kubeconfig.ts", "node:fs"],
  ];
  for (const [why, from, target] of forbidden) {
    it(`reports ${why}`, () => assert.equal(findViolations([moduleOf(from, target)]).length, 1));
  }

  it("reports a value of a module of which only types may be used", () => {
    const target = "lib/model/object.ts";
    assert.equal(findViolations([moduleOf("lib/kits/apiserver/app.ts", target)]).length, 1);
    assert.equal(findViolations([moduleOf("lib/kits/apiserver/app.ts", `type ${target}`)]).length, 0);
  });

  const allowed: [from: string, target: string][] = [
    ["lib/operator/operator_run.ts", "lib/engines/daemons.ts"],
    ["lib/engines/probing/app.ts", "lib/engines/probing/routes.ts"],
    ["lib/engines/probing.ts", "lib/async/gate.ts"],
    ["lib/cli/dev.ts", "lib/kits/apiserver/mod.ts"],
    ["lib/cli/run.ts", "mod.ts"],
    ["cli.ts", "lib/cli/program.ts"],
    ["mod.ts", "lib/operator/operator.ts"],
    ["examples/01-minimal/handlers.ts", "npm:@lotse/lotse"],
    ["examples/01-minimal/handlers.ts", "examples/01-minimal/names.ts"],
    ["tests/client/watch/watcher_test.ts", "lib/client/watch/watcher.ts"],
    ["tests/client/watch/watcher_test.ts", "node:test"],
    ["lib/runtime/node/host.ts", "node:fs"],
    ["lib/runtime/yaml.ts", "npm:js-yaml"],
    ["lib/kits/apiserver/app.ts", "npm:hono"],
  ];
  for (const [from, target] of allowed) {
    it(`lets ${from} import ${target}`, () => assert.deepEqual(findViolations([moduleOf(from, target)]), []));
  }
});

describe("findFolderCycles()", () => {
  it("finds a circle of folders whose files have none, by values alone", () => {
    const files = [
      moduleOf("lib/a/one.ts", "lib/b/one.ts"),
      moduleOf("lib/b/one.ts", "type lib/a/two.ts"),
      moduleOf("lib/b/two.ts", "lib/a/two.ts"),
      moduleOf("lib/a/two.ts"),
    ];
    assert.deepEqual(findCycles(files), []);
    assert.deepEqual(findFolderCycles(files), ["lib/a > lib/b > lib/a"]);
    assert.deepEqual(findFolderCycles(files.filter(({ path }) => path !== "lib/b/two.ts")), []);
  });

  it("looks at each level: at files beside folders, and at folders in folders", () => {
    const beside = [moduleOf("lib/a/one.ts", "lib/a/b/one.ts"), moduleOf("lib/a/b/one.ts")];
    assert.deepEqual(findFolderCycles(beside), []);
    const within = [
      moduleOf("lib/a/b/one.ts", "lib/a/c/one.ts"),
      moduleOf("lib/a/c/one.ts"),
      moduleOf("lib/a/c/two.ts", "lib/a/b/two.ts"),
      moduleOf("lib/a/b/two.ts"),
    ];
    assert.deepEqual(findFolderCycles(within), ["lib/a/b > lib/a/c > lib/a/b"]);
  });
});

describe("findCycles()", () => {
  it("finds a cycle over three modules, once", () => {
    const a = moduleOf("lib/a.ts", "lib/b.ts");
    const cycle = [a, moduleOf("lib/b.ts", "type lib/c.ts"), moduleOf("lib/c.ts", "lib/a.ts")];
    assert.deepEqual(findCycles(cycle), ["lib/a.ts > lib/b.ts > lib/c.ts > lib/a.ts"]);
  });

  it("finds none where two ways lead to one module", () => {
    const a: Module = { path: "lib/a.ts", imports: [fileOf("lib/b.ts"), fileOf("lib/c.ts")] };
    assert.deepEqual(
      findCycles([a, moduleOf("lib/b.ts", "lib/c.ts"), { path: "lib/c.ts", imports: [] }]),
      [],
    );
  });
});

describe("findUnusedPackages()", () => {
  it("names a package that only tests use", () => {
    const modules = [moduleOf("tests/a_test.ts", "npm:ajv"), moduleOf("lib/runtime/yaml.ts", "npm:js-yaml")];
    assert.deepEqual(findUnusedPackages(modules, ["ajv", "js-yaml"]), ["ajv"]);
  });
});

describe("readGraph()", () => {
  it("tells files, packages, built-ins and type-only imports apart", () => {
    const info: Info = {
      modules: [{
        specifier: "file:///here/lib/a.ts",
        dependencies: [
          { specifier: "./b.ts", type: { specifier: "file:///here/lib/b.ts" } },
          { specifier: "hono/cors", code: { specifier: "npm:hono@^4.13.19/cors" } },
          { specifier: "@hono/node-server", code: { specifier: "npm:@hono/node-server@^2" } },
          { specifier: "@lotse/lotse/testing", code: { specifier: "file:///here/lib/kits/testing/mod.ts" } },
          { specifier: "node:fs", code: { specifier: "node:fs" } },
        ],
      }, { specifier: "file:///elsewhere/roots.ts" }],
    };
    assert.deepEqual(readGraph(info, "file:///here/"), [{
      path: "lib/a.ts",
      imports: [
        { kind: "file", target: "lib/b.ts", typeOnly: true },
        { kind: "package", target: "hono", typeOnly: false },
        { kind: "package", target: "@hono/node-server", typeOnly: false },
        { kind: "package", target: "@lotse/lotse", typeOnly: false },
        { kind: "builtin", target: "node:fs", typeOnly: false },
      ],
    }]);
  });
});

/** A module with one import: a path, "npm:name", "node:name", or "type path". */
function moduleOf(path: string, target?: string): Module {
  if (target === undefined) return { path, imports: [] };
  if (target.startsWith("npm:")) {
    return { path, imports: [{ kind: "package", target: target.slice(4), typeOnly: false }] };
  }
  if (target.startsWith("node:")) return { path, imports: [{ kind: "builtin", target, typeOnly: false }] };
  return { path, imports: [fileOf(target)] };
}

function fileOf(target: string): Module["imports"][number] {
  return { kind: "file", target: target.replace("type ", ""), typeOnly: target.startsWith("type ") };
}
