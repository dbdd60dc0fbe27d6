/** The figures of docs/architecture.md are what the command counts that the page names. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { countFigures } from "./figures.ts";
import { readTree } from "./tree.ts";

const skip = "Deno" in globalThis ? false : "the way of an event is counted by V8, in a process of Deno's";

/** The cells "now" of the table of figures, by the first cell of their row. */
function cellsNow(): ReadonlyMap<string, string> {
  const [, section = ""] = readTree("docs/architecture.md").split("\n## Figures\n");
  const rows = section.split("\n## ")[0]?.split("\n").filter((line) => line.startsWith("| ")) ?? [];
  return new Map(rows.map((row) => {
    const [, name = "", , now = ""] = row.split("|").map((cell) => cell.trim());
    return [name, now];
  }));
}

/** Returns the numbers in a cell: "47,358" is one. */
function numbersIn(cell: string): number[] {
  return [...cell.matchAll(/\d[\d,]*(\.\d+)?/g)].map(([number]) => Number(number.replaceAll(",", "")));
}

describe("The figures of docs/architecture.md", () => {
  it("are those that tests/architecture/figures.ts counts", { skip, timeout: 60_000 }, () => {
    const cells = cellsNow();
    for (const { name, counted, slack = 0 } of countFigures()) {
      const cell = cells.get(name);
      assert.ok(cell !== undefined, `the page has no row "${name}"`);
      const written = numbersIn(cell).slice(0, counted.length);
      const isRight = counted.every((number, at) =>
        Math.abs((written[at] ?? NaN) - number) <= slack * number
      );
      assert.ok(isRight, `"${name}" is ${counted.join("; ")}, and the page says ${written.join("; ")}`);
    }
  });
});
