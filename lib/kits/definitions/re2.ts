/**
 * JavaScript's regular expressions as RE2, the syntax of Go, which the API server knows.
 *
 * RE2 has neither looking around nor backreferences, and writes code points otherwise.
 * Source: RE2, "Syntax" (https://github.com/google/re2/wiki/Syntax).
 */

/** A pattern that the API server takes, or why there is none. */
export type Re2 = { readonly pattern: string } | { readonly reason: string };

/** Translates the source of a regular expression. */
export function toRe2(source: string): Re2 {
  let pattern = "";
  let isInClass = false;
  for (let i = 0; i < source.length; i++) {
    const rest = source.slice(i, i + 12);
    const char = source[i] ?? "";
    if (char === "\\") {
      const escape = translateEscape(rest, isInClass);
      if ("reason" in escape) return escape;
      pattern += escape.pattern;
      i += escape.length - 1;
      continue;
    }
    if (isInClass) {
      // RE2 reads "[:" as the beginning of a named class.
      pattern += char === "[" ? "\\[" : char;
      isInClass = char !== "]";
      continue;
    }
    if (/^\(\?<?[=!]/.test(rest)) {
      return { reason: `it looks ${rest.startsWith("(?<") ? "behind" : "ahead"} ("${rest.slice(0, 4)}")` };
    }
    if (rest.startsWith("(?<")) {
      pattern += "(?P<";
      i += 2;
      continue;
    }
    if (rest.startsWith("[^]")) {
      pattern += "[\\s\\S]";
      i += 2;
      continue;
    }
    isInClass = char === "[";
    pattern += char;
  }
  return { pattern };
}

function translateEscape(
  rest: string,
  isInClass: boolean,
): { readonly pattern: string; readonly length: number } | { readonly reason: string } {
  const code = /^\\u\{([0-9a-fA-F]+)\}|^\\u([0-9a-fA-F]{4})/.exec(rest);
  if (code !== null) return { pattern: `\\x{${code[1] ?? code[2]}}`, length: code[0].length };
  if (/^\\[1-9]/.test(rest) || rest.startsWith("\\k<")) {
    return { reason: `it refers back to a group ("${rest.slice(0, 2)}")` };
  }
  if (rest.startsWith("\\c")) return { reason: `it has a control character ("${rest.slice(0, 3)}")` };
  if (isInClass && rest.startsWith("\\b")) return { pattern: "\\x08", length: 2 };
  return { pattern: rest.slice(0, 2), length: 2 };
}
