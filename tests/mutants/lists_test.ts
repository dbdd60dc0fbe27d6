/** Each mutant in the lists fits the code that it breaks, and names tests that exist: otherwise it breaks nothing, and proves nothing. */

import { existsSync } from "node:fs";
import { it } from "node:test";
import { assertNone, filesBelow, readTree, ROOT } from "../architecture/tree.ts";
import { breakText, type Mutant } from "./mutant.ts";

const isFile = (path: string): boolean => existsSync(new URL(path, ROOT));

for (const path of filesBelow("tests/mutants/lists/", ".ts")) {
  it(`${path} fits the code`, async () => {
    const { default: mutants } = await import(ROOT + path) as { default: readonly Mutant[] };
    assertNone(mutants.flatMap((mutant) => whyUnfit(mutant)), "mutants break nothing");
  });
}

function whyUnfit(mutant: Mutant): string[] {
  const missing = mutant.tests.filter((test) => !isFile(test)).map((test) => `${test} is not there`);
  if (!isFile(mutant.file)) return [...missing, `${mutant.file} is not there`];
  const broken = breakText(readTree(mutant.file), mutant);
  return "problem" in broken ? [...missing, broken.problem] : missing;
}
