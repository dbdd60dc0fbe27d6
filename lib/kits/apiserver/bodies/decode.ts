/**
 * From a JSON value to an object of a kind, as Go's decoder reads it for the real server, with its words for faults.
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import { formatJson } from "../../../runtime/json.ts";
import { groupOf, type Kind } from "../kinds.ts";
import { badRequest, invalid, invalidPatch, storageFault } from "../refusal.ts";
import { typeOfKind } from "../types/mod.ts";
import { getOwn, isObject, objectAt } from "../values.ts";
import { decodeMetadata } from "./metadata_decode.ts";
import type { Source } from "./strict_faults.ts";
import { decodeTyped } from "./typed_decode.ts";

/** An object whose metadata has the right types, and the paths of its unknown fields. */
export interface Decoded {
  readonly object: KubeObject;
  readonly unknown: readonly string[];
  /** The body, for warnings about its keys, or their refusal. */
  readonly source?: Source;
}

/**
 * Reads an object of that kind from a request's body.
 *
 * @throws {Refusal} 400
 */
export function decodeBody(value: JsonObject, kind: Kind): Decoded {
  if (kind.custom) checkNamed(value, kind);
  const { kind: name, version } = namesOf(value, kind);
  return decode(value, kind, (fault) => {
    throw badRequest(`${name} in version "${version}" cannot be handled as a ${kind.kind}: ${fault}`);
  });
}

/**
 * Reads the object that a patch has made. Strategic patches have words of their own for faults.
 *
 * @throws {Refusal} 422
 */
export function decodePatched(value: JsonObject, kind: Kind, isStrategic = false): Decoded {
  if (kind.custom) {
    checkName(value, "kind", kind);
    checkName(value, "apiVersion", kind);
  }
  return decode(value, kind, (fault) => {
    const [, found, wanted] = /cannot unmarshal (\w+) .* of type (map|\[\])/.exec(isStrategic ? fault : "") ??
      [];
    const shape = wanted === "map" ? "map" : "slice";
    const from = found === "array" ? "slice" : found === "number" ? "int64" : found;
    throw invalidPatch(value, wanted === undefined ? fault : `cannot restore ${shape} from ${from}`);
  });
}

/**
 * Reads the object that an applied configuration has made.
 *
 * @throws {Refusal} 500 for members of a wrong type, as on the real server; 422 for other names of a custom kind.
 */
export function decodeApplied(value: JsonObject, kind: Kind): Decoded {
  if (kind.custom) return decodePatched(value, kind);
  return decode(value, kind, (fault) => {
    const { namespace = "", name = "" } = objectAt(value, "metadata") ?? {};
    const type = `${kind.group === "" ? `/${kind.version}` : kind.apiVersion}, Kind=${kind.kind}`;
    const place = `${namespace}/${name}; ${type}`;
    throw storageFault(
      `failed to convert new object (${place}) to proper version: unable to convert unstructured object to ${type}: ${fault}`,
    );
  });
}

/** NB: custom kinds, unlike the others, cannot go without `apiVersion` and `kind`. */
function checkNamed(value: JsonObject, kind: Kind): void {
  for (const [field, word] of [["kind", "Kind"], ["apiVersion", "apiVersion"]] as const) {
    if (typeof getOwn(value, field) === "string" && value[field] !== "") continue;
    const text = JSON.stringify(value);
    const short = text.length > 35 ? `${text.slice(0, 35)} ...` : text;
    throw badRequest(
      `the object provided is unrecognized (must be of type ${kind.kind}): Object '${word}' is missing in '${text}' (${short})`,
    );
  }
  const { apiVersion } = value;
  if (apiVersion !== kind.apiVersion) {
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${kind.apiVersion})`,
    );
  }
  checkName(value, "kind", kind);
}

/** The refusal has the object's own names. */
function checkName(value: JsonObject, field: "apiVersion" | "kind", kind: Kind): void {
  if (value[field] === kind[field]) return;
  const { metadata } = value;
  const name = isObject(metadata) && typeof metadata.name === "string" ? metadata.name : "";
  const names = { ...kind, kind: String(value.kind), group: groupOf(String(value.apiVersion)) };
  throw invalid(names, name, [{
    reason: "FieldValueInvalid",
    message: `Invalid value: ${formatJson(value[field])}: must be ${kind[field]}`,
    field,
  }]);
}

function namesOf(value: JsonObject, kind: Kind): { kind: string; version: string } {
  const apiVersion = getOwn(value, "apiVersion");
  const version = typeof apiVersion === "string" && apiVersion !== ""
    ? apiVersion.slice(apiVersion.indexOf("/") + 1)
    : kind.version;
  return { kind: String(getOwn(value, "kind") || kind.kind), version };
}

function decode(value: JsonObject, kind: Kind, fail: (fault: string) => never): Decoded {
  const { apiVersion: given, kind: called, metadata: found, ...rest } = value;
  // NB: to Go, the core group may be written as an empty text before a slash.
  const apiVersion = given === "/v1" && !kind.custom ? "v1" : given || kind.apiVersion;
  const name = called || kind.kind;
  if (name !== kind.kind || apiVersion !== kind.apiVersion) {
    fail(`no kind "${name}" is registered for version "${apiVersion}"`);
  }
  const unknown: string[] = [];
  const metadata = decodeMetadata(found, {
    prefix: kind.custom ? "ObjectMeta" : "ObjectMeta.metadata",
    unknown,
    fail,
  });
  const object: KubeObject = { apiVersion: kind.apiVersion, kind: kind.kind, metadata, ...rest };
  const type = kind.custom ? undefined : typeOfKind(apiVersion, name);
  if (type !== undefined) decodeTyped(object, type, { fail, unknown });
  // The converted object has metadata as before.
  const stored = kind.conversion === undefined ? object : kind.conversion.toStored(object) as KubeObject;
  return { object: stored, unknown };
}
