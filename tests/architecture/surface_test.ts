/** The public surface: which names are behind which door. A name that comes or goes changes the list on purpose, or is a mistake. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { MOST, namesIn, SURFACE } from "./surface.ts";
import { BINDING } from "./lint_plugin.ts";
import { filesBelow, readTree } from "./tree.ts";

const { exports: doors, tasks } = JSON.parse(readTree("deno.json"));

describe("The public surface", () => {
  it("is what the list says, door by door", () => {
    assert.deepEqual(Object.keys(doors).sort(), Object.keys(SURFACE).sort(), "doors");
    for (const [door, path] of Object.entries<string>(doors)) {
      assert.deepEqual(namesIn(readTree(path)), (SURFACE[door] ?? "").trim().split(/\s+/).sort(), door);
    }
  });

  it("has few names at the main door", () => {
    const count = namesIn(readTree("mod.ts")).length;
    assert.ok(count <= MOST, `${count} names: put some behind a subpath`);
  });

  it("has nothing but re-exports in the files of doors", () => {
    for (const path of ["mod.ts", ...filesBelow("lib/public/", ".ts")].filter((each) => each !== BINDING)) {
      const code = readTree(path).replaceAll(/\/\*\*[^]*?\*\//g, "").trim();
      for (const statement of code.split(";").map((each) => each.trim()).filter((each) => each !== "")) {
        assert.match(statement, /^export (type )?(\{[^}]*\}|\* as \w+) from "[^"]+"$/, path);
      }
    }
  });

  it("is documented: the documentation is checked from all doors, but those of programs", () => {
    const tools = ["./cli", "./executable"];
    const files = Object.entries<string>(doors).filter(([door]) => !tools.includes(door))
      .map(([, path]) => path.replace("./", ""));
    const [, checked = ""] = /deno doc --lint ([^&]*)/.exec(tasks.static.command) ?? [];
    assert.deepEqual(checked.trim().split(" ").sort(), files.sort());
  });
});

describe("namesIn()", () => {
  it("finds what a module exports, whatever the form", () => {
    const text = [
      'export { a, type B, c as d } from "./x.ts";',
      'export type { E } from "./x.ts";',
      'export * as f from "./x.ts";',
      "export interface G {}",
      "export async function h(): Promise<void> {}",
      "export const I = 1;",
      "/**\n * ```ts\n * export { no };\n * ```\n */",
      "const inside = 1;",
    ].join("\n");
    assert.deepEqual(namesIn(text), ["B", "E", "G", "I", "a", "d", "f", "h"]);
  });
});
