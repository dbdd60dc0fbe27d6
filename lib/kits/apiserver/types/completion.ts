/**
 * Completes objects of the built-in kinds as Go's structs and Kubernetes' defaults do.
 *
 * The tables (`recorded.ts`) are recorded from a real server: for each type, the fields that are filled in, and how one field
 * changes the values that are filled into others. A line has the table of a type, or of a type at a place where it is different:
 * `batch.JobSpec@CronJob.spec.jobTemplate.spec`.
 */

import type { JsonObject } from "../../../model/object.ts";
import { clone, equal, isObject, setOwn } from "../values.ts";
import { type Field, fieldsByName, type Shape } from "./mod.ts";
import { RECORDED } from "./recorded.ts";

/** The table of a type. */
export interface TypeDefaults {
  /** The values of fields that are absent. */
  readonly fill?: Readonly<JsonObject>;
  readonly rules?: readonly Rule[];
  /** Fields whose empty value is kept, although it is no pointer. */
  readonly kept?: readonly string[];
  /** Fields whose empty value goes, although they have to be there. */
  readonly dropped?: readonly string[];
  /** Fields whose default is for an absent value alone: an empty value gets none, and goes. */
  readonly absent?: readonly string[];
}

/** How one field changes the values that are filled into others. */
export interface Rule {
  /** The field that is there. */
  readonly field: string;
  /** The value that it has; undefined: any. */
  readonly is?: unknown;
  /** Filled in in place of the usual. */
  readonly then?: Readonly<JsonObject>;
  /** Not filled in. */
  readonly without?: readonly string[];
  /** Filled in with the field's own value. */
  readonly copied?: readonly string[];
}

let lines: ReadonlyMap<string, string> | undefined;
const tables = new Map<string, TypeDefaults | undefined>();
const differing = new Map<string, boolean>();

/** NB: the lines are split once, and a line is read when its type is asked for. */
function lineOf(name: string): string | undefined {
  lines ??= new Map(
    RECORDED.trim().split("\n").map((
      line,
    ) => [line.slice(0, line.indexOf(" ")), line.slice(line.indexOf(" ") + 1)]),
  );
  return lines.get(name);
}

function tableOf(name: string): TypeDefaults | undefined {
  if (!tables.has(name)) {
    const line = lineOf(name);
    tables.set(name, line === undefined ? undefined : JSON.parse(line));
  }
  return tables.get(name);
}

/** Whether a type is different in some places. */
function differs(type: string): boolean {
  let known = differing.get(type);
  if (known === undefined) {
    lineOf("");
    known = [...lines?.keys() ?? []].some((name) => name.startsWith(`${type}@`));
    differing.set(type, known);
  }
  return known;
}

function tableAt(type: string, path: string): TypeDefaults | undefined {
  return (differs(type) ? tableOf(`${type}@${path}`) : undefined) ?? tableOf(type);
}

const mattering = new Map<string, boolean>();

/** Whether a type, or one in it, has a table. NB: of types that hold each other, the first answer is no. */
function matters(type: string): boolean {
  const known = mattering.get(type);
  if (known !== undefined) return known;
  mattering.set(type, false);
  const result = tableOf(type) !== undefined || differs(type) ||
    [...fieldsByName(type)?.values() ?? []].some(({ shape }) => shapeMatters(shape));
  mattering.set(type, result);
  return result;
}

function shapeMatters(shape: Shape): boolean {
  if (shape.kind === "type") return matters(shape.name);
  return shape.kind !== "scalar" && shapeMatters(shape.of);
}

/** Returns the values that are filled into a type and do not depend on other fields. */
export function recordedFill(type: string): Readonly<JsonObject> {
  return tableOf(type)?.fill ?? {};
}

/** Tells whether a written empty value of a field stays until defaults are filled in: of required fields, nearly always. */
export function keepsEmpty(type: string, { name, required }: Field): boolean {
  const { kept = [], dropped = [], absent = [] } = tableOf(type) ?? {};
  return required ? !dropped.includes(name) : kept.includes(name) || absent.includes(name);
}

const forgetting = new Map<string, boolean>();

/** Whether a type, or one in it, has fields whose empty value is kept. */
function forgets(type: string): boolean {
  const known = forgetting.get(type);
  if (known !== undefined) return known;
  forgetting.set(type, false);
  const result = tableOf(type)?.kept !== undefined ||
    [...fieldsByName(type)?.values() ?? []].some(({ shape }) => innermost(shape) !== undefined);
  forgetting.set(type, result);
  return result;
}

/** The type that a shape holds, if it has such fields. */
function innermost(shape: Shape): string | undefined {
  if (shape.kind === "scalar") return undefined;
  return shape.kind === "type" ? (forgets(shape.name) ? shape.name : undefined) : innermost(shape.of);
}

/** Makes null, in place, of the empty lists that the real server keeps in protocol buffers, which do not tell these from none. */
export function forgetEmpty(object: JsonObject, type: string): void {
  if (!forgets(type)) return;
  const kept = tableOf(type)?.kept;
  for (const [key, { shape }] of fieldsByName(type) ?? []) {
    const value = object[key];
    if (value === undefined || value === null || key === "metadata") continue;
    if (Array.isArray(value) && value.length === 0) {
      if (kept?.includes(key) === true) object[key] = null;
      continue;
    }
    const below = innermost(shape);
    if (below !== undefined) forgetBelow(value, below, shape);
  }
}

function forgetBelow(value: unknown, type: string, shape: Shape): void {
  if (Array.isArray(value)) { for (const item of value) if (isObject(item)) forgetEmpty(item, type); }
  else if (isObject(value)) {
    if (shape.kind !== "map") forgetEmpty(value, type);
    else for (const item of Object.values(value)) if (isObject(item)) forgetEmpty(item, type);
  }
}

/** Completes an object of a kind, in place, but for its metadata. */
export function complete(object: JsonObject, kind: string, type: string): void {
  completeStruct(object, type, kind);
}

function completeStruct(object: JsonObject, type: string, path: string): void {
  if (!matters(type)) return;
  const table = tableAt(type, path);
  if (table !== undefined) fillIn(object, table);
  const fields = fieldsByName(type);
  if (fields === undefined) return;
  for (const key of Object.keys(object)) {
    const value = object[key];
    if (typeof value !== "object" || value === null) continue;
    const shape = fields.get(key)?.shape;
    if (shape !== undefined && !(path.indexOf(".") < 0 && key === "metadata")) {
      completeValue(value, shape, `${path}.${key}`);
    }
  }
}

function completeValue(value: unknown, shape: Shape, path: string): void {
  if (shape.kind === "type") {
    if (isObject(value)) completeStruct(value, shape.name, path);
  } else if (shape.kind === "list") {
    if (shape.of.kind !== "scalar" && Array.isArray(value)) {
      for (const item of value) completeValue(item, shape.of, path);
    }
  } else if (shape.kind === "map" && shape.of.kind !== "scalar" && isObject(value)) {
    for (const item of Object.values(value)) completeValue(item, shape.of, path);
  }
}

function fillIn(object: JsonObject, { fill = {}, rules = [], absent = [] }: TypeDefaults): void {
  const values = new Map(Object.entries(fill));
  for (const { field, is, then = {}, without = [], copied = [] } of rules) {
    const value = object[field];
    if (value === undefined || value === null || is !== undefined && !equal(value, is)) continue;
    for (const [key, other] of Object.entries(then)) values.set(key, other);
    for (const key of without) values.delete(key);
    for (const key of copied) values.set(key, value);
  }
  for (const [key, value] of values) if (object[key] === undefined) setOwn(object, key, clone(value));
  for (const key of absent) if (isEmpty(object[key])) delete object[key];
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
}
