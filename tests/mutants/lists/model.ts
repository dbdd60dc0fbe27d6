/** Breaks in lib/model. */

import type { Mutant } from "../mutant.ts";

const DIFF = { file: "lib/model/diff.ts", tests: ["tests/model/diff_test.ts"] };

const mutants: Mutant[] = [
  { ...DIFF, replace: "const old = values.old ?? undefined;", by: "const old = undefined;" },
];

export default mutants;
