/**
 * `pattern`: Go's regular expressions, by the only file that knows re2js.
 *
 * It is a port of Go's own package: the same syntax, the same words where one is wrong, and linear time whatever a pattern
 * meets. JavaScript's engine, which was here before, differs in all three. Source: Go, regexp/syntax.
 */

import { RE2JS } from "re2js";

/** A compiled pattern. */
export interface Pattern {
  /** Tells whether it is somewhere in the text. */
  test(text: string): boolean;
  /** Returns the matches in the text, from left to right, without overlaps. */
  findAll(text: string): Generator<string, void, void>;
}

/**
 * Compiles a pattern.
 *
 * @throws {SyntaxError} If Go would not compile it, in Go's words.
 */
export function compilePattern(pattern: string): Pattern {
  const compiled = compile(pattern);
  return {
    test: (text) => compiled.matcher(text).find(),
    *findAll(text) {
      const matcher = compiled.matcher(text);
      while (matcher.find()) yield matcher.group() ?? "";
    },
  };
}

function compile(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    throw new SyntaxError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
