/** What a mutant is: one small break of the code, and the test files that must notice it. */

/** A break. */
export interface Mutant {
  /** The file to break, from the root. */
  readonly file: string;
  /** What is replaced: text that occurs exactly once in the file. */
  readonly replace: string;
  /** What takes its place. It should still load: a file that cannot be loaded breaks every test and proves nothing. */
  readonly by: string;
  /** Test files that are to notice. */
  readonly tests: readonly string[];
}

/**
 * Gives the mutants of one file: what is replaced, and by what.
 *
 * @param tests Who is to notice. Default: the file's own test, `tests/model/diff_test.ts` for `lib/model/diff.ts`.
 */
export function breaksOf(
  file: string,
  breaks: readonly (readonly [replace: string, by: string])[],
  tests: readonly string[] = [file.replace(/^lib\/(.*)\.ts$/, "tests/$1_test.ts")],
): Mutant[] {
  return breaks.map(([replace, by]) => ({ file, replace, by, tests }));
}

/** A text with the break in it, or why it cannot be made. */
export function breakText(
  text: string,
  { file, replace, by }: Mutant,
): { text: string } | { problem: string } {
  const count = text.split(replace).length - 1;
  if (count !== 1) return { problem: `"${firstLine(replace)}" occurs ${count} times in ${file}, not once` };
  return { text: text.replace(replace, () => by) };
}

/** How a mutant is called in reports. */
export function describeMutant({ file, replace, by }: Mutant): string {
  return `${file}: ${firstLine(replace)} → ${by === "" ? "(nothing)" : firstLine(by)}`;
}

/** The tags of scenarios in the names of tests, each once, in order. */
export function tagsIn(names: readonly string[]): string[] {
  return [...new Set(names.flatMap((name) => name.match(/\[[ABC]\d+\]/g) ?? []))];
}

function firstLine(text: string): string {
  const [first = "", ...others] = text.trim().split("\n");
  return others.length === 0 ? first : `${first} …`;
}
