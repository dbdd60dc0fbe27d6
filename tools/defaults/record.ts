/**
 * From what a real server makes of probes to the tables of types.
 */

import type { Rule, TypeDefaults } from "../../lib/kits/apiserver/types/completion.ts";
import {
  definitionName,
  type Field,
  fieldsOf,
  isSingle,
  type Shape,
  typeOfKind,
} from "../../lib/kits/apiserver/types/mod.ts";
import { equal } from "../../lib/kits/apiserver/values.ts";
import type { JsonObject } from "../../lib/model/object.ts";
import type { Probe, ProbedKind } from "./probe.ts";

/** The way from an object to a struct in it. */
export interface Step {
  readonly field: string;
  readonly form: "one" | "list" | "map";
}

export interface Place {
  readonly kind: ProbedKind;
  readonly steps: readonly Step[];
  readonly type: string;
}

/** In how many kinds a type is tried. */
const PLACES = 2;
/** How many objects are posted at once. */
const AT_ONCE = 8;
/** Types that are no matter of defaults, or that other modules write. */
const LEFT_OUT = /^(meta\.ObjectMeta|meta\.ManagedFieldsEntry|apiextensions\.|apiregistration\.)/;

/** Returns the tables, by type, or by type and place. */
export async function recordTypes(probe: Probe): Promise<Map<string, TypeDefaults>> {
  const schemas = await probe.schemas();
  const places = placesOf(await probe.kinds());
  const tables = new Map<string, TypeDefaults>();
  const types = [...places];
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    for (let entry = types.shift(); entry !== undefined; entry = types.shift()) {
      const [type, all] = entry;
      const found: { readonly place: Place; readonly table: TypeDefaults }[] = [];
      for (const place of all) {
        const schema = schemas.get(definitionName(type));
        const same = found.map(({ table }) => table);
        const table = await recordType(probe, place, { schema, same });
        if (table !== undefined) found.push({ place, table });
      }
      const common = mostCommon(found.map(({ table }) => table));
      if (common === undefined) continue;
      if (Object.keys(common).length > 0) tables.set(type, common);
      for (const { place, table } of found) {
        if (!equal(table, common)) tables.set(`${type}@${pathOf(place)}`, table);
      }
    }
  }));
  return tables;
}

export function pathOf({ kind, steps }: Place): string {
  return [kind.kind, ...steps.map(({ field }) => field)].join(".");
}

/** Returns places for each type: in different kinds, and of several in a kind the nearest to its root. */
export function placesOf(kinds: readonly ProbedKind[]): Map<string, Place[]> {
  const places = new Map<string, Place[]>();
  let open: Place[] = kinds.flatMap((kind) => {
    const type = typeOfKind(kind.apiVersion, kind.kind);
    return type === undefined || LEFT_OUT.test(type) ? [] : [{ kind, steps: [], type }];
  });
  while (open.length > 0) {
    const next: Place[] = [];
    for (const place of open) {
      const known = places.get(place.type) ?? [];
      const path = pathOf(place);
      if (known.some((other) => pathOf(other) === path)) continue;
      // NB: near the root, every place is tried, as kinds have defaults of their own there.
      const isNear = place.steps.length <= 4;
      const isKnownKind = known.some(({ kind }) => kind === place.kind);
      if (!isNear && (isKnownKind || known.length >= PLACES) || place.steps.length > 14) continue;
      places.set(place.type, [...known, place]);
      for (const { name, shape } of fieldsOf(place.type) ?? []) {
        const found = structIn(shape);
        if (found === undefined || LEFT_OUT.test(found.type)) continue;
        next.push({
          kind: place.kind,
          type: found.type,
          steps: [...place.steps, { field: name, form: found.form }],
        });
      }
    }
    open = next;
  }
  return places;
}

function structIn(shape: Shape): { readonly type: string; readonly form: Step["form"] } | undefined {
  const inner = shape.kind === "list" || shape.kind === "map" ? shape.of : shape;
  if (inner.kind !== "type" || isSingle(inner.name) || fieldsOf(inner.name) === undefined) return undefined;
  return { type: inner.name, form: shape.kind === "list" || shape.kind === "map" ? shape.kind : "one" };
}

/** Returns an object with a value at a place. */
export function around(steps: readonly Step[], value: unknown): JsonObject {
  return steps.reduceRight<unknown>((inner, { field, form }) => {
    return { [field]: form === "list" ? [inner] : form === "map" ? { k: inner } : inner };
  }, value) as JsonObject;
}

function at(steps: readonly Step[], object: JsonObject): JsonObject | undefined {
  let value: unknown = object;
  for (const { field, form } of steps) {
    value = (value as JsonObject | undefined)?.[field];
    if (form === "list") value = (value as unknown[] | undefined)?.[0];
    if (form === "map") value = (value as JsonObject | undefined)?.k;
  }
  return value as JsonObject | undefined;
}

async function recordType(
  probe: Probe,
  { kind, steps, type }: Place,
  { schema, same }: { readonly schema: JsonObject | undefined; readonly same: readonly TypeDefaults[] },
): Promise<TypeDefaults | undefined> {
  const fields = (fieldsOf(type) ?? []).filter(({ name }) => !isIdentity(name, steps));
  const ask = async (value: JsonObject): Promise<JsonObject | undefined> => {
    const found = await probe.ask(kind, around(steps, value));
    const result = found === undefined ? undefined : at(steps, found);
    return result === undefined ? undefined : withoutIdentity(result, steps);
  };
  const empty = await ask({});
  if (empty === undefined) return undefined;
  const filled: JsonObject = {};
  for (const { name, shape, isPointer } of fields) {
    // A time that is filled in is that of the recording.
    if (empty[name] === undefined || shape.kind === "type" && isTime(shape.name) && empty[name] !== null) {
      continue;
    }
    // The content of a struct that is always there is its type's matter.
    filled[name] = structIn(shape)?.form === "one" && !isPointer && isSimple(empty[name]) ? {} : empty[name];
  }
  // NB: places that fill in the same are taken to be the same.
  const known = same.find(({ fill }) => equal(fill ?? {}, filled));
  if (known !== undefined) return known;
  const rules: Rule[] = [];
  const kept: string[] = [];
  const dropped: string[] = [];
  const absent: string[] = [];
  for (const field of fields) {
    const changes: { readonly value: unknown; readonly rule: Rule }[] = [];
    let tried = 0;
    for (const value of valuesFor(field, schema)) {
      const found = await ask({ [field.name]: value });
      if (found === undefined) continue;
      tried++;
      const rule = ruleFor({ field: field.name, value, found, empty });
      if (rule !== undefined) changes.push({ value, rule });
    }
    rules.push(...combined(changes, tried));
    if (!field.isPointer && await keepsEmpty(ask, field, empty)) kept.push(field.name);
    if (field.isPointer || !await dropsEmpty(ask, field)) continue;
    if (field.required) dropped.push(field.name);
    else if (isFilledList(filled[field.name])) absent.push(field.name);
  }
  return {
    ...(Object.keys(filled).length > 0 ? { fill: filled } : {}),
    ...(rules.length > 0 ? { rules } : {}),
    ...(kept.length > 0 ? { kept } : {}),
    ...(dropped.length > 0 ? { dropped } : {}),
    ...(absent.length > 0 ? { absent } : {}),
  };
}

export function isIdentity(name: string, steps: readonly Step[]): boolean {
  return steps.length === 0 && ["apiVersion", "kind", "metadata"].includes(name);
}

function withoutIdentity(object: JsonObject, steps: readonly Step[]): JsonObject {
  if (steps.length > 0) return object;
  const { apiVersion: _version, kind: _kind, metadata: _metadata, ...rest } = object;
  return rest;
}

function isSimple(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const SAMPLES: Readonly<Record<string, unknown>> = {
  "Quantity": "1",
  "IntOrString": 1,
  "RawExtension": { apiVersion: "v1", kind: "A" },
  "meta.Time": "2020-01-01T00:00:00Z",
  "meta.MicroTime": "2020-01-01T00:00:00.000000Z",
};

function sampleOf(shape: Shape): unknown {
  switch (shape.kind) {
    case "scalar":
      return shape.format === "byte"
        ? "YQ=="
        : shape.type === "string"
        ? "probe"
        : shape.type === "boolean"
        ? true
        : 1;
    case "list":
      return [sampleOf(shape.of)];
    case "map":
      return { k: sampleOf(shape.of) };
    case "type":
      return SAMPLES[shape.name] ?? {};
  }
}

export function valuesFor({ name, shape, isPointer }: Field, schema: JsonObject | undefined): unknown[] {
  const properties = schema?.properties as JsonObject | undefined;
  const property = properties?.[name] as JsonObject | undefined;
  const named = property?.enum;
  if (Array.isArray(named)) return named.filter((value) => value !== "");
  if (shape.kind === "scalar" && shape.type === "boolean" && isPointer) return [true, false];
  return [sampleOf(shape)];
}

function ruleFor(
  { field, value, found, empty }: {
    readonly field: string;
    readonly value: unknown;
    readonly found: JsonObject;
    readonly empty: JsonObject;
  },
): Rule | undefined {
  const then: JsonObject = {};
  const without: string[] = [];
  const copied: string[] = [];
  for (const key of new Set([...Object.keys(found), ...Object.keys(empty)])) {
    if (key === field || equal(found[key], empty[key])) continue;
    if (found[key] === undefined) without.push(key);
    // NB: a list of the sample, or its item, is no default.
    else if (isMadeOf(found[key], value) || isMoment(found[key])) continue;
    else if (equal(found[key], value) && typeof value !== "boolean" && !equal(value, {})) copied.push(key);
    else then[key] = found[key];
  }
  if (Object.keys(then).length + without.length + copied.length === 0) return undefined;
  return {
    field,
    ...(Object.keys(then).length > 0 ? { then } : {}),
    ...(without.length > 0 ? { without } : {}),
    ...(copied.length > 0 ? { copied } : {}),
  };
}

function isTime(type: string): boolean {
  return type === "meta.Time" || type === "meta.MicroTime";
}

function isMoment(value: unknown): boolean {
  return typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value);
}

function isMadeOf(found: unknown, value: unknown): boolean {
  if (value === "probe" && JSON.stringify(found).includes('"probe"')) return !equal(found, value);
  return Array.isArray(found) && !Array.isArray(value) && equal(found, [value]) ||
    Array.isArray(value) && !Array.isArray(found) && equal([found], value);
}

/** Of several values, one rule if they all do the same. */
function combined(
  changes: readonly { readonly value: unknown; readonly rule: Rule }[],
  tried: number,
): Rule[] {
  const [first] = changes;
  if (first === undefined) return [];
  if (changes.length === tried && changes.every(({ rule }) => equal(rule, first.rule))) return [first.rule];
  return changes.map(({ value, rule }) => ({ ...rule, is: value }));
}

/** Whether an empty value stays that somebody writes, although it is no pointer. */
async function keepsEmpty(
  ask: (value: JsonObject) => Promise<JsonObject | undefined>,
  { name, shape }: Field,
  empty: JsonObject,
): Promise<boolean> {
  const zero = zeroOf(shape);
  if (zero === undefined) return false;
  const found = await ask({ [name]: zero });
  return found !== undefined && equal(found[name], zero) && !equal(empty[name], zero);
}

function isFilledList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

/** Whether a written empty value goes: although the field is required, or has a default. */
async function dropsEmpty(
  ask: (value: JsonObject) => Promise<JsonObject | undefined>,
  { name, shape }: Field,
): Promise<boolean> {
  const zero = emptyOf(shape);
  if (zero === undefined) return false;
  const found = await ask({ [name]: zero });
  return found !== undefined && found[name] === undefined;
}

function zeroOf(shape: Shape): unknown {
  if (shape.kind === "list") return [];
  if (shape.kind === "map") return {};
  return undefined;
}

/** Returns the empty value of a field; undefined for structs. */
export function emptyOf(shape: Shape): unknown {
  if (shape.kind !== "scalar") return zeroOf(shape);
  return shape.type === "boolean" ? false : shape.type === "string" ? "" : 0;
}

function mostCommon(tables: readonly TypeDefaults[]): TypeDefaults | undefined {
  const counts = tables.map((table) => tables.filter((other) => equal(other, table)).length);
  return tables[counts.indexOf(Math.max(...counts))];
}
