/**
 * The text of an expression, apart from what stands in its string literals and comments.
 */

/** NB: in raw texts, a backslash is a backslash. */
const TOKEN =
  /(?:[rR][bB]?|[bB][rR])(?:"""[^]*?"""|'''[^]*?'''|"[^"\n]*"|'[^'\n]*')|[bB]?(?:"""[^]*?"""|'''[^]*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|\/\/[^\n]*|[A-Za-z_]\w*|[^]/g;

/** Returns the text with each identifier replaced; the fourth argument tells whether it stands after a dot. */
export function mapIdentifiers(source: string, replace: (name: string, isMember: boolean) => string): string {
  let last = "";
  return source.replace(TOKEN, (token) => {
    const result = /^[A-Za-z_]\w*$/.test(token) ? replace(token, last === ".") : token;
    if (token.trim() !== "") last = token;
    return result;
  });
}

/** Returns the parts of a text, which together are the text: names, texts, comments, and single characters. */
export function tokensOf(source: string): string[] {
  return source.match(TOKEN) ?? [];
}

/** Tells whether a variable is used. */
export function usesVariable(source: string, variable: string): boolean {
  let isUsed = false;
  mapIdentifiers(source, (name, isMember) => {
    if (name === variable && !isMember) isUsed = true;
    return name;
  });
  return isUsed;
}

/** Words of the language, which fields cannot be called by. */
const KEYWORDS = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while"
    .split(" "),
);

const SPELLINGS: readonly (readonly [RegExp, string])[] = [
  [/__/g, "__underscores__"],
  [/\./g, "__dot__"],
  [/-/g, "__dash__"],
  [/\//g, "__slash__"],
];

/**
 * Returns the name by which expressions call a field; undefined if they cannot.
 *
 * Source: Kubernetes documentation, "Validation rules", on escaping; k8s.io/apiserver, pkg/cel/escaping.go.
 */
export function escapeField(name: string): string | undefined {
  if (!/^[A-Za-z_./-][\w./-]*$/.test(name)) return undefined;
  if (KEYWORDS.has(name)) return `__${name}__`;
  return SPELLINGS.reduce((text, [from, to]) => text.replace(from, to), name);
}
