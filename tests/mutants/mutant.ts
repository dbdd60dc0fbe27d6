/** What a mutant is: one small break of the code, and the test files that must notice it. */

/** A break. */
export interface Mutant {
  /** The file to break, from the root. */
  readonly file: string;
  /** The function that is broken: `reconcile`, `WorkQueue.add`, `WorkQueue.constructor`. Default: the whole file. */
  readonly in?: string;
  /** What is replaced: text that occurs exactly once in that function, or in the file. */
  readonly replace: string;
  /** What takes its place. It should still load: a file that cannot be loaded breaks every test and proves nothing. */
  readonly by: string;
  /** Test files that are to notice. */
  readonly tests: readonly string[];
}

/**
 * Returns the mutants of one file: what is replaced, and by what; before that the function that it is in, if one is named.
 *
 * @param tests Who is to notice. Default: the file's own test, `tests/model/diff_test.ts` for `lib/model/diff.ts`.
 */
export function breaksOf(
  file: string,
  breaks: readonly (
    | readonly [replace: string, by: string]
    | readonly [
      inside: string,
      replace: string,
      by: string,
    ]
  )[],
  tests: readonly string[] = [file.replace(/^lib\/(.*)\.ts$/, "tests/$1_test.ts")],
): Mutant[] {
  return breaks.map((each) => {
    if (each.length === 2) return { file, replace: each[0], by: each[1], tests };
    return { file, in: each[0], replace: each[1], by: each[2], tests };
  });
}

/** A text with the break in it, or why it cannot be made. */
export function breakText(
  text: string,
  { file, in: inside, replace, by }: Mutant,
): { text: string } | { problem: string } {
  const [start, end] = inside === undefined ? [0, text.length] : findFunction(text, inside);
  if (start < 0) return { problem: `there is no function "${inside}" in ${file}` };
  const part = text.slice(start, end);
  const count = part.split(replace).length - 1;
  if (count !== 1) {
    const place = inside === undefined ? file : `"${inside}" of ${file}`;
    return { problem: `"${firstLine(replace)}" occurs ${count} times in ${place}, not once` };
  }
  return { text: text.slice(0, start) + part.replace(replace, () => by) + text.slice(end) };
}

/** Returns where a function begins and ends; -1 if there is none. The formatter's indentation tells its end. */
export function findFunction(text: string, name: string): readonly [start: number, end: number] {
  const [owner = "", method] = name.split(".");
  if (method === undefined) {
    return findBlock(text, new RegExp(`^(export )?(async )?function\\*? ${owner}\\b`, "m"), "\n}\n");
  }
  const [from, to] = findBlock(text, new RegExp(`^(export )?(abstract )?class ${owner}\\b`, "m"), "\n}\n");
  if (from < 0) return [from, to];
  const head = new RegExp(`^  ((static|async|get|set|override) )*\\*?${method}[<(]`, "m");
  const [start, end] = findBlock(text.slice(from, to), head, "\n  }\n");
  return start < 0 ? [start, end] : [from + start, from + end];
}

function findBlock(text: string, head: RegExp, foot: string): readonly [start: number, end: number] {
  const start = head.exec(text)?.index ?? -1;
  return [start, start < 0 ? -1 : text.indexOf(foot, start) + foot.length];
}

/** How a mutant is called in reports. */
export function describeMutant({ file, in: inside, replace, by }: Mutant): string {
  return `${file}${inside === undefined ? "" : `, ${inside}`}: ${firstLine(replace)} → ${
    by === "" ? "(nothing)" : firstLine(by)
  }`;
}

/** The tags of scenarios in the names of tests, each once, in order. */
export function tagsIn(names: readonly string[]): string[] {
  return [...new Set(names.flatMap((name) => name.match(/\[[ABC]\d+\]/g) ?? []))];
}

function firstLine(text: string): string {
  const [first = "", ...others] = text.trim().split("\n");
  return others.length === 0 ? first : `${first} …`;
}
