/**
 * The numbers of fields in protocol buffers, read from the struct tags in Kubernetes' Go sources.
 *
 * A field is written as its number, "?" after it where the field is a pointer (zero is a value then, and not the lack of
 * one); fields of a struct that JSON flattens stand in a message of their own: "2.1" is field 1 of the message in field 2.
 */

/** The fields of a Go struct, by their names in JSON. */
interface Struct {
  readonly fields: ReadonlyMap<string, string>;
  readonly inlined: readonly { readonly number: string; readonly type: string }[];
}

/** What is known of a package: its structs by name. */
export type Package = ReadonlyMap<string, Struct>;

const FIELD = /^\s+(?:(\w+)\s+)?(\*?)([\w.[\]*]+)\s+`([^`]*)`/;

/** Reads the structs of a package from its sources. */
export function readPackage(sources: readonly string[]): Package {
  const structs = new Map<string, Struct>();
  for (const [, name = "", body = ""] of sources.join("\n").matchAll(/^type (\w+) struct \{\n([^]*?)^\}/gm)) {
    structs.set(name, readStruct(body));
  }
  return structs;
}

function readStruct(body: string): Struct {
  const fields = new Map<string, string>();
  const inlined: { number: string; type: string }[] = [];
  for (const line of body.split("\n")) {
    const [, , pointer = "", type = "", tags = ""] = FIELD.exec(line) ?? [];
    const json = /json:"([^"]*)"/.exec(tags)?.[1];
    const number = /protobuf:"\w+,(\d+)/.exec(tags)?.[1];
    if (json === undefined || number === undefined) continue;
    const name = json.split(",")[0] ?? "";
    if (name === "") inlined.push({ number, type });
    else fields.set(name, number + (pointer === "*" ? "?" : ""));
  }
  return { fields, inlined };
}

/** Returns a field's number; undefined for fields that are not sent (apiVersion and kind). */
export function numberOf(
  packages: ReadonlyMap<string, Package>,
  type: string,
  field: string,
): string | undefined {
  const [group = "", name = ""] = type.split(".");
  const struct = packages.get(group)?.get(name);
  const own = struct?.fields.get(field);
  if (own !== undefined) return own;
  for (const { number, type: inner } of struct?.inlined ?? []) {
    const place = inner.includes(".")
      ? inner.replace(/^v1\./, "core.").replace(/^metav1\./, "meta.")
      : `${group}.${inner}`;
    const found = numberOf(packages, place, field);
    if (found !== undefined) return `${number}.${found}`;
  }
  return undefined;
}
