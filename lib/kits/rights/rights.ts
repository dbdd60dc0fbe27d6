/**
 * Rights at an API server: a verb on a kind in a place; and the file in which used ones are kept.
 *
 * The file is JSON, sorted, with one line for each kind and place, so that it can be committed and its differences be read.
 */

import { isObject } from "../../model/json.ts";

/** One right, in Kubernetes' words. */
export interface Right {
  /** Such as "apps"; "" is the core group. */
  readonly group: string;
  /** Plural, with a subresource behind a slash: "statefulsets", "databases/status". "*" is any. */
  readonly resource: string;
  /** Such as "patch". */
  readonly verb: string;
  /** Undefined: in all namespaces, or of a kind without namespaces. */
  readonly namespace?: string;
  /** Undefined: objects of any name. */
  readonly name?: string;
}

const FORMAT = "lotse.dev/rights/v1";

/** Returns a text that two rights share only if they are the same. */
export function rightKey({ group, resource, verb, namespace = "", name = "" }: Right): string {
  // NB: a space sorts before all that names are made of, so that "pods" stands before "pods/status".
  return [group, resource, namespace, verb, name].join(" ");
}

/** Returns each right once, in the order of groups, resources, namespaces and verbs. */
export function sortRights(rights: Iterable<Right>): Right[] {
  const unique = new Map([...rights].map((right) => [rightKey(right), right]));
  return [...unique].sort(([a], [b]) => a < b ? -1 : 1).map(([, right]) => right);
}

/** Writes rights as a file has them. */
export function formatRights(rights: Iterable<Right>): string {
  const places = new Map<string, { group: string; resource: string; namespace?: string; verbs: string[] }>();
  for (const { group, resource, namespace, verb } of sortRights(rights)) {
    const key = rightKey({ group, resource, namespace, verb: "" });
    const place = places.get(key) ??
      { group, resource, ...namespace !== undefined && { namespace }, verbs: [] };
    place.verbs.push(verb);
    places.set(key, place);
  }
  const lines = [...places.values()].map((place) => `    ${JSON.stringify(place)}`);
  return `{\n  "format": "${FORMAT}",\n  "rights": [\n${lines.join(",\n")}\n  ]\n}\n`;
}

/**
 * Reads the text that `formatRights()` has written.
 *
 * @throws {SyntaxError} If it is no such file.
 */
export function parseRights(text: string): Right[] {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch (error) {
    throw new SyntaxError("It is no file of recorded rights: it is no JSON", { cause: error });
  }
  if (!isObject(file) || file.format !== FORMAT || !Array.isArray(file.rights)) {
    throw new SyntaxError(
      `It is no file of recorded rights: expected "format": "${FORMAT}", and a list of rights`,
    );
  }
  return file.rights.flatMap((entry: unknown, index): Right[] => {
    const { group, resource, namespace, verbs } = isObject(entry) ? entry : {};
    const isPlace = typeof group === "string" && typeof resource === "string" && Array.isArray(verbs) &&
      (namespace === undefined || typeof namespace === "string");
    if (!isPlace || !verbs.every((verb) => typeof verb === "string")) {
      throw new SyntaxError(
        `It is no file of recorded rights: entry ${index} needs a group, a resource and verbs`,
      );
    }
    return verbs.map((verb) => ({ group, resource, verb, ...namespace !== undefined && { namespace } }));
  });
}
