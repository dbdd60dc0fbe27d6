/**
 * Names that Kubernetes accepts, and its words for others.
 *
 * Source: k8s.io/apimachinery, pkg/util/validation and pkg/api/validate/content.
 */

const ENCODER = new TextEncoder();
const LABEL_1035 = "[a-z]([-a-z0-9]*[a-z0-9])?";
const LABEL_1123 = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const SUBDOMAIN = `${LABEL_1123}(\\.${LABEL_1123})*`;
const QUALIFIED = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const LABEL_VALUE = `(${QUALIFIED})?`;
// Compiled once, because every write checks some names.
const COMPILED: ReadonlyMap<string, RegExp> = new Map(
  [LABEL_1035, LABEL_1123, SUBDOMAIN, QUALIFIED, LABEL_VALUE].map((
    pattern,
  ) => [pattern, new RegExp(`^${pattern}$`)]),
);
const QUALIFIED_SAYS =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

/** Returns the faults of a name such as a CRD's plural: a DNS label that begins with a letter. */
export function dns1035Errors(name: string): string[] {
  return check(name, {
    pattern: LABEL_1035,
    maximum: 63,
    message:
      "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
    examples: ["my-name", "abc-123"],
  });
}

/** Returns the faults of a name such as a namespace's: a DNS label. */
export function dnsLabelErrors(name: string): string[] {
  // Of a name that would do as a subdomain, only the dots are wrong.
  if (matches(name, SUBDOMAIN) && name.includes(".")) {
    return [...tooLongFor(name, { maximum: 63, unit: "characters" }), "must not contain dots"];
  }
  return check(name, {
    pattern: LABEL_1123,
    maximum: 63,
    message:
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
    examples: ["my-name", "123-abc"],
  });
}

/** Returns the faults of most objects' names: a DNS subdomain. */
export function dnsSubdomainErrors(name: string): string[] {
  return check(name, {
    pattern: SUBDOMAIN,
    maximum: 253,
    message:
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
    examples: ["example.com"],
  });
}

/** Returns the faults of the key of a label or an annotation, or with a finalizer: `prefix/name` or `name`. */
export function qualifiedNameErrors(key: string): string[] {
  const parts = key.split("/");
  const examples = ["MyName", "my.name", "123-abc"];
  if (parts.length > 2) {
    const whole = explain(`a valid label key ${QUALIFIED_SAYS}`, { pattern: QUALIFIED, examples });
    return [`${whole} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const [name, prefix] = [parts.at(-1) ?? "", parts.length === 2 ? parts[0] : undefined];
  const errors: string[] = [];
  if (prefix === "") errors.push("prefix part must be non-empty");
  else if (prefix !== undefined) {
    errors.push(...dnsSubdomainErrors(prefix).map((error) => `prefix part ${error}`));
  }
  if (name === "") errors.push("name part must be non-empty");
  else if (name.length > 63) errors.push(`name part must be no more than 63 bytes`);
  if (!matches(name, QUALIFIED)) {
    errors.push(`name part ${explain(QUALIFIED_SAYS, { pattern: QUALIFIED, examples })}`);
  }
  return errors;
}

/** Returns the faults of a label's value. */
export function labelValueErrors(value: string): string[] {
  return check(value, {
    pattern: LABEL_VALUE,
    maximum: 63,
    message:
      `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', ${"and must start and end with an alphanumeric character"}`,
    examples: ["MyValue", "my_value", "12345"],
    unit: "bytes",
  });
}

interface Rule {
  readonly pattern: string;
  readonly maximum: number;
  readonly message: string;
  readonly examples: readonly string[];
  /** The unit of the count: names have characters, labels bytes. Default: "characters". */
  readonly unit?: "bytes" | "characters";
}

function check(text: string, { pattern, maximum, message, examples, unit = "characters" }: Rule): string[] {
  const errors = tooLongFor(text, { maximum, unit });
  return matches(text, pattern) ? errors : [...errors, explain(message, { pattern, examples })];
}

function matches(text: string, pattern: string): boolean {
  return COMPILED.get(pattern)?.test(text) === true;
}

function tooLongFor(
  text: string,
  { maximum, unit }: { readonly maximum: number; readonly unit: string },
): string[] {
  // No character takes more than three bytes.
  if (text.length * 3 <= maximum) return [];
  return ENCODER.encode(text).length > maximum ? [`must be no more than ${maximum} ${unit}`] : [];
}

function explain(
  message: string,
  { pattern, examples }: { pattern: string; examples: readonly string[] },
): string {
  // NB: Kubernetes' own list reads "'my-name',  or 'abc-123', ", with both commas and both spaces.
  const list = examples.map((example) => `'${example}', `).join(" or ");
  return `${message} (e.g. ${list}regex used for validation is '${pattern}')`;
}

/** Returns the faults of a key of a ConfigMap or Secret. */
export function configKeyErrors(key: string): string[] {
  const errors = key.length > 253 ? ["must be no more than 253 characters"] : [];
  if (!/^[-._a-zA-Z0-9]+$/.test(key)) {
    errors.push(
      "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
    );
  }
  if (key === "." || key === "..") errors.push(`must not be '${key}'`);
  else if (key.startsWith("..")) errors.push("must not start with '..'");
  return errors;
}

/** Returns the faults of a name that only has to fit into a path. */
export function pathSegmentErrors(name: string): string[] {
  if (name === "." || name === "..") return [`may not be '${name}'`];
  return ["/", "%"].filter((char) => name.includes(char)).map((char) => `may not contain '${char}'`);
}

/** Returns the faults of the name of a port. */
export function portNameErrors(name: string): string[] {
  const errors = name.length > 15 ? ["must be no more than 15 characters"] : [];
  if (!/^[-a-z0-9]+$/.test(name)) {
    errors.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (!/[a-z]/.test(name)) errors.push("must contain at least one letter (a-z)");
  if (name.includes("--")) errors.push("must not contain consecutive hyphens");
  if (name.startsWith("-") || name.endsWith("-")) errors.push("must not begin or end with a hyphen");
  return errors;
}
