/** One list of packages for all runtimes: Deno reads deno.json, Bun and Node read package.json. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { PACKAGES } from "./layers.ts";
import { readTree } from "./tree.ts";

const deno = JSON.parse(readTree("deno.json"));
const npm = JSON.parse(readTree("package.json"));

describe("package.json", () => {
  it("has the dependencies of deno.json, with the same versions; those of tests and examples apart", () => {
    const wanted = Object.fromEntries(
      Object.entries<string>(deno.imports).map((
        [name, specifier],
      ) => [name, specifier.replace(`npm:${name}@`, "")]),
    );
    assert.deepEqual({ ...npm.dependencies, ...npm.devDependencies }, wanted);
  });

  it("lets authors install only what lib/ imports", () => {
    assert.deepEqual(Object.keys(npm.dependencies), Object.keys(PACKAGES));
  });

  it("has the name, type and exports of deno.json, so that the package finds itself by its name", () => {
    assert.equal(npm.name, deno.name);
    assert.equal(npm.type, "module");
    assert.deepEqual(npm.exports, deno.exports);
  });
});

describe("deno.json", () => {
  it("names packages by their own names, because Bun and Node know no aliases", () => {
    for (const [name, specifier] of Object.entries<string>(deno.imports)) {
      assert.ok(specifier.startsWith(`npm:${name}@`), `"${name}" is an alias of ${specifier}`);
    }
  });

  it("has packages laid out as npm does, which otherwise dies in the folder that Deno has made (decision 0035)", () => {
    assert.equal(deno.nodeModulesLinker, "hoisted");
    assert.equal(deno.nodeModulesDir, "manual");
  });

  it("keeps package.json out of what is published, where it would take the place of the generated one", () => {
    assert.ok(deno.publish.exclude.includes("package.json"));
  });
});
