/**
 * Words of riddles in comments: pronouns that stand for a thing of the code without naming it. They are counted by folder.
 */

/** *what, who, those, nobody, somebody, nothing, something, that of*: a sentence with a noun in their place is read once. */
const RIDDLES = /\b(what|who|those|nobody|somebody|nothing|something|that of)\b/gi;
const WORDS = /[A-Za-z][\w'’-]*/g;
/** Block comments, and line comments that begin a line or stand after a space: "https://" is none. */
const COMMENTS = /\/\*[^]*?\*\/|(?:^|\s)\/\/[^\n]*/g;
const EXAMPLES = /```[^]*?```/g;

/** How many in 1,000 words of comments a folder may have. */
export const CEILING = 5;

/** The words of some comments, and how many of them are riddles. */
export interface WordCount {
  readonly words: number;
  readonly riddles: number;
}

/** Counts the words in the comments of a source, but for examples. */
export function countWords(source: string): WordCount {
  const text = (source.match(COMMENTS) ?? []).join("\n").replaceAll(EXAMPLES, "");
  return { words: text.match(WORDS)?.length ?? 0, riddles: text.match(RIDDLES)?.length ?? 0 };
}

/** The folder in which a file's words count: the layer, or the part of a layer whose parts are separate. */
export function folderOf(path: string): string {
  const [lib, layer, part, ...rest] = path.split("/");
  const isPart = (layer === "engines" || layer === "kits" || layer === "handlers") && rest.length > 0;
  return isPart ? `${lib}/${layer}/${part}` : `${lib}/${layer}`;
}

/** Returns the riddles in 1,000 words. */
export function rateOf({ words, riddles }: WordCount): number {
  return words === 0 ? 0 : (1000 * riddles) / words;
}
