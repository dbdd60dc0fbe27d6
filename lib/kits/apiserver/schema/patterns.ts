/**
 * `pattern`: Go's regular expressions (RE2) on JavaScript's.
 *
 * The two agree on what CRDs use in practice. What is only spelt differently is respelt; what RE2 does not have
 * (look-around, back references) is refused, as Kubernetes refuses it.
 */

const CLASSES: Readonly<Record<string, string>> = {
  alnum: "0-9A-Za-z",
  alpha: "A-Za-z",
  ascii: "\\x00-\\x7F",
  blank: "\\t ",
  cntrl: "\\x00-\\x1F\\x7F",
  digit: "0-9",
  graph: "!-~",
  lower: "a-z",
  print: " -~",
  punct: "!-\\/:-@\\[-`{-~",
  space: "\\t\\n\\v\\f\\r ",
  upper: "A-Z",
  word: "0-9A-Za-z_",
  xdigit: "0-9A-Fa-f",
};

/**
 * Compiles a pattern.
 *
 * @throws {SyntaxError} If Go would not compile it.
 */
export function compilePattern(pattern: string): RegExp {
  refuseUnsupported(pattern);
  const { flags, body } = splitFlags(pattern);
  const source = respell(body);
  try {
    return new RegExp(source, `u${flags}`);
  } catch {
    // Without "u", escapes of characters that need none (`\-`, `\_`) are allowed, as they are in Go.
    return compileLoosely(source, { flags, pattern });
  }
}

function compileLoosely(source: string, { flags, pattern }: { flags: string; pattern: string }): RegExp {
  try {
    return new RegExp(source, flags);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const word = /Unterminated group|missing \)/i.test(reason) ? "missing closing )" : reason;
    throw new SyntaxError(`error parsing regexp: ${word}: \`${pattern}\``, { cause: error });
  }
}

function refuseUnsupported(pattern: string): void {
  const around = /(?:^|[^\\])(\(\?(?:=|!|<=|<!))/.exec(pattern);
  if (around !== null) {
    throw new SyntaxError(`error parsing regexp: invalid or unsupported Perl syntax: \`${around[1]}\``);
  }
  const reference = /(?:^|[^\\])(\\[1-9])/.exec(pattern);
  if (reference !== null) {
    throw new SyntaxError(`error parsing regexp: invalid escape sequence: \`${reference[1]}\``);
  }
}

function splitFlags(pattern: string): { flags: string; body: string } {
  const found = /^\(\?([ims]+)\)/.exec(pattern);
  if (found === null) return { flags: "", body: pattern };
  return { flags: [...new Set(found[1])].join(""), body: pattern.slice(found[0].length) };
}

function respell(body: string): string {
  return body
    .replace(
      /\[:(\^?)(\w+):\]/g,
      (all, not: string, name: string) => not === "" && Object.hasOwn(CLASSES, name) ? CLASSES[name]! : all,
    )
    .replace(/\(\?P</g, "(?<")
    .replace(/\\A/g, "^")
    .replace(/\\z/g, "$")
    .replace(/\\([pP])([A-Z])(?![a-z{])/g, "\\$1{$2}");
}
