/**
 * The names by which expressions call fields.
 */

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

/**
 * Returns what an expression means by a field's name: words of the language are understood unescaped, too.
 *
 * Source: k8s.io/apiserver, pkg/cel/types.go, `recognizeKeywordAsFieldName`.
 */
export function fieldNamed<Field>(fields: ReadonlyMap<string, Field>, name: string): Field | undefined {
  return fields.get(name) ?? (KEYWORDS.has(name) ? fields.get(`__${name}__`) : undefined);
}
