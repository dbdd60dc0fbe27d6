/// <reference lib="deno.unstable" />
/**
 * No regular expression of ours takes quadratic time: objects, reviews, files and answers come from strangers, and one that
 * backtracks freezes the whole operator for as long as the stranger likes.
 *
 * All literals of lib are taken, whether or not foreign text meets them today, and fed with long runs of what they repeat.
 */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assertLinear } from "../support/growth.ts";
import { assertNone, filesBelow, readTree } from "./tree.ts";

const skip = "Deno" in globalThis ? false : "literals are found by Deno's linter";

interface Pattern {
  readonly file: string;
  readonly source: string;
  readonly flags: string;
}

describe("The regular expressions of lib", () => {
  it("are found", { skip }, () => {
    assert.ok(repeating().length > 70, `there are only ${repeating().length}`);
  });

  it("take linear time, whatever they are fed with", { skip, timeout: 120_000 }, () => {
    assertNone(repeating().flatMap((pattern) => whySlow(pattern) ?? []), "patterns backtrack");
  });

  it("would be reported if they did not", () => {
    for (
      const source of ["\\s*[\\r\\n]+\\s*", "^(a+)+$", "\\[(.*)\\]x", "([\\w.]+)*!", "(\\d*)\\.?(\\d*)(ms|s)"]
    ) {
      assert.ok(whySlow({ file: "a.ts", source, flags: "g" }), source);
    }
  });
});

/** All literals with a repetition that has no small bound. */
function repeating(): Pattern[] {
  const found: Pattern[] = [];
  const visit = (file: string): Deno.lint.Plugin => ({
    name: "patterns",
    rules: {
      all: {
        create: () => ({
          Literal(node) {
            if ("regex" in node && node.regex) {
              found.push({ file, source: node.regex.pattern, flags: node.regex.flags });
            }
          },
        }),
      },
    },
  });
  for (const file of filesBelow("lib/", ".ts")) Deno.lint.runPlugin(visit(file), file, readTree(file));
  return found.filter(({ source }) => /[*+]|\{\d+,\}/.test(source));
}

/** Says with which text the pattern takes more than linear time. */
function whySlow({ file, source, flags }: Pattern): string | undefined {
  const seeds = new Set([" ", "\t", "\n", "a", "A", "0", "-", ".", "/", "é", ...literals(source)]);
  const pairs = [...seeds].slice(0, 40).flatMap((seed) => [seed, `a${seed}`, `${seed}0`]);
  for (const seed of new Set(pairs)) {
    for (const tail of ["", "\u0000", "!\n"]) {
      const prepare = (length: number) => {
        const text = seed.repeat(Math.ceil(length / seed.length)) + tail;
        return () => void text.replace(new RegExp(source, flags), "");
      };
      try {
        // NB: where each character more doubles the time, or where it grows with the third power, 10,000 of them would never end.
        for (const small of [6, 50, 300]) {
          assertLinear(prepare, { name: `${file}: /${source}/${flags} with ${JSON.stringify(seed)}`, small });
        }
        assertLinear(prepare, {
          name: `${file}: /${source}/${flags} with ${JSON.stringify(seed)}`,
          small: 2_500,
        });
      } catch (error) {
        return (error as Error).message;
      }
    }
  }
  return undefined;
}

/** The characters that the pattern itself names: what it repeats is among them. */
function literals(source: string): string[] {
  return [...source.replace(/\\[a-zA-Z]/g, "")].filter((one) => !/[()?*+|{}^$\\]/.test(one));
}
