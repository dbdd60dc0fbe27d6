/**
 * Draws values that a definition's schema allows, with a liking for edges: limits of ranges, absent and null, each branch of a
 * union, empty lists, long texts, characters beyond ASCII.
 */

import { isObject, setKey } from "../../../model/json.ts";
import type { JsonObject } from "../../../model/object.ts";
import type { Random } from "../../../runtime/host.ts";
import { pick } from "./draw.ts";
import { drawText } from "./pattern.ts";

/** How deep values go where a schema has no end. */
const DEEPEST = 6;

/** How often an optional value is there. */
const PRESENT = 0.6;

/** How often a nullable value is null. */
const NULL = 0.1;

const TEXTS = ["a", "b", "ab-1", "", "größer 漢字 🙂", "x".repeat(80), "__proto__", "0", "null"] as const;

/** Where a schema gives no upper limit, numbers are below this one. */
const LARGE = 1_000_000;

const FORMATS: Readonly<Record<string, readonly string[]>> = {
  "date-time": ["2026-01-01T00:00:00Z", "1999-12-31T23:59:59.5+01:00"],
  date: ["2026-02-28", "2024-02-29"],
  duration: ["1h", "90s", "0s"],
  uri: ["https://example.com/a?b=c"],
  email: ["a@example.com"],
  hostname: ["example.com", "a"],
  ipv4: ["10.0.0.1", "255.255.255.255"],
  ipv6: ["::1", "2001:db8::1"],
  cidr: ["10.0.0.0/8"],
  mac: ["00:00:5e:00:53:01"],
  uuid: ["6ba7b810-9dad-11d1-80b4-00c04fd430c8"],
  byte: ["YQ==", ""],
  password: ["secret"],
};

/** Returns a value that the schema allows, as far as it can be told without its rules; undefined if there is none. */
export function drawValue(schema: unknown, random: Random, depth = 0): unknown {
  if (!isObject(schema)) return undefined;
  if (schema.nullable === true && random.next() < NULL) return null;
  if (Array.isArray(schema.enum)) return pick(random, schema.enum);
  if (schema["x-kubernetes-int-or-string"] === true) return pick(random, [0, 80, "50%", "1"]);
  switch (schema.type) {
    case "string":
      return drawString(schema, random);
    case "integer":
    case "number":
      return drawNumber(schema, random);
    case "boolean":
      return random.next() < 0.5;
    case "array":
      return drawList(schema, random, depth);
    case "object":
      return drawObject(schema, random, depth);
    default:
      return pick(random, [1, "a", true, { a: 1 }, ["a"]]);
  }
}

/** Returns a merge patch that changes some of the values of an object with that schema. */
export function drawChange(schema: unknown, random: Random): JsonObject {
  const { properties, required = [] } = isObject(schema) ? schema : {};
  const patch: JsonObject = {};
  if (!isObject(properties)) return { [pick(random, ["a", "b"])]: drawValue({}, random) };
  const keys = Object.keys(properties);
  if (keys.length === 0) return patch;
  for (let count = 1 + Math.floor(random.next() * 2); count > 0; count--) {
    const key = pick(random, keys);
    const isRequired = Array.isArray(required) && required.includes(key);
    const value = !isRequired && random.next() < 0.15 ? null : drawValue(properties[key], random, 1);
    if (value !== undefined) setKey(patch, key, value);
  }
  return patch;
}

function drawString(schema: JsonObject, random: Random): string | undefined {
  const { pattern, format, minLength, maxLength } = schema;
  if (typeof pattern === "string") return drawText(pattern, random);
  const ofFormat = typeof format === "string" ? FORMATS[format] : undefined;
  if (ofFormat !== undefined) return pick(random, ofFormat);
  const least = typeof minLength === "number" ? minLength : 0;
  const most = typeof maxLength === "number" ? maxLength : 200;
  const text = random.next() < 0.1 ? "y".repeat(Math.min(most, 300)) : pick(random, TEXTS);
  return [...text.padEnd(least, "z")].slice(0, most).join("");
}

function drawNumber(schema: JsonObject, random: Random): number {
  const isWhole = schema.type === "integer";
  const step = typeof schema.multipleOf === "number" ? schema.multipleOf : isWhole ? 1 : 0.5;
  const isOpenBelow = schema.exclusiveMinimum === true;
  const isOpenAbove = schema.exclusiveMaximum === true;
  const least = typeof schema.minimum === "number" ? schema.minimum + (isOpenBelow ? step : 0) : -1;
  const top = typeof schema.maximum === "number" ? schema.maximum - (isOpenAbove ? step : 0) : undefined;
  const most = top ?? Math.max(LARGE, least);
  const middle = least + Math.floor(random.next() * Math.min(most - least, 10));
  const number = pick(random, [least, Math.min(least + step, most), middle, middle, top ?? least + 3]);
  const stepped = Math.ceil(number / step) * step;
  return stepped > most ? least : stepped;
}

function drawList(schema: JsonObject, random: Random, depth: number): unknown[] | undefined {
  const least = typeof schema.minItems === "number" ? schema.minItems : 0;
  const most = typeof schema.maxItems === "number" ? schema.maxItems : least + 3;
  const count = depth > DEEPEST ? least : least + Math.floor(random.next() * (Math.min(most - least, 3) + 1));
  const keys = Array.isArray(schema["x-kubernetes-list-map-keys"])
    ? schema["x-kubernetes-list-map-keys"]
    : [];
  const isSet = schema.uniqueItems === true || schema["x-kubernetes-list-type"] === "set";
  const items: unknown[] = [];
  const seen = new Set<string>();
  for (let tries = 0; items.length < count && tries < 5 * count; tries++) {
    const item = drawValue(schema.items, random, depth + 1);
    if (item === undefined) continue;
    const key = JSON.stringify(
      keys.length > 0 && isObject(item) ? keys.map((each) => item[String(each)]) : item,
    );
    if ((keys.length > 0 || isSet) && seen.has(key)) continue;
    seen.add(key);
    items.push(item);
  }
  return items.length < least ? undefined : items;
}

function drawObject(schema: JsonObject, random: Random, depth: number): JsonObject | undefined {
  const { properties, additionalProperties, required } = schema;
  const object: JsonObject = {};
  const wanted = [...Array.isArray(required) ? required : [], ...branchOf(schema, random)];
  for (const [key, each] of Object.entries(isObject(properties) ? properties : {})) {
    const isRequired = wanted.includes(key);
    if (!isRequired && (depth > DEEPEST || random.next() >= PRESENT)) continue;
    const value = drawValue(each, random, depth + 1);
    if (value !== undefined) setKey(object, key, value);
    else if (isRequired) return undefined;
  }
  if (isObject(additionalProperties) && depth <= DEEPEST) {
    for (const key of ["a", "b", "long-key"]) {
      const value = random.next() < 0.4 ? drawValue(additionalProperties, random, depth + 1) : undefined;
      if (value !== undefined) setKey(object, key, value);
    }
  }
  return object;
}

/** Returns the keys that one branch of the object's unions wants. */
function branchOf(schema: JsonObject, random: Random): readonly unknown[] {
  return ["oneOf", "anyOf"].flatMap((name) => {
    const branches = schema[name];
    if (!Array.isArray(branches) || branches.length === 0) return [];
    const branch: unknown = pick(random, branches);
    return isObject(branch) && Array.isArray(branch.required) ? branch.required : [];
  });
}
