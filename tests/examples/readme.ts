/**
 * What an example's README tells its reader to do, and to see: in order, from its code blocks and from commands within
 * its prose.
 *
 * Steps are the lines of `sh` blocks, and `kubectl …` in backticks where it changes something; what is to be seen are the
 * lines of `text` blocks.
 */

/** A command to type, or lines that the log must have. */
export type Step =
  | { readonly kind: "command"; readonly words: readonly string[] }
  | { readonly kind: "lines"; readonly lines: readonly string[] };

/** kubectl's commands that change something, or wait: others, such as `get`, are for the reader's eyes. */
const CHANGES = /^(kubectl (annotate|apply|create|delete|label|patch|scale) |sleep )/;

/** Returns the steps of a README, in order. */
export function stepsOf(readme: string): Step[] {
  const parts = readme.matchAll(/```(\w*)\n([^]*?)```|`((?:kubectl|sleep) [^`]+)`/g);
  return [...parts].flatMap(([, language, block = "", inline]) => {
    if (language === "text") return [{ kind: "lines", lines: linesOf(block) }];
    if (language !== undefined && language !== "sh") return [];
    return linesOf(inline ?? block).flatMap((line) => commandOf(line, inline !== undefined));
  });
}

function linesOf(block: string): string[] {
  return block.trim().split("\n").map((line) => line.trim());
}

/** In prose, only what changes something is a step; a file that is applied there is for another cluster. */
function commandOf(line: string, isProse: boolean): Step[] {
  if (isProse && (!CHANGES.test(line) || line.startsWith("kubectl apply"))) return [];
  const words = [...line.replace(/ +#.*$/, "").matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)];
  return [{
    kind: "command",
    words: words.map(([, single, double, plain]) => single ?? double ?? plain ?? ""),
  }];
}
