/**
 * Checking a value against a schema: the only file that knows ajv.
 *
 * ajv finds what is wrong; `wording.ts` says it as Kubernetes does. ajv compiles on first use, because a simulated API
 * server that never sees a bad object should not pay for it at start.
 */

import { Ajv, type ErrorObject } from "ajv";
import { formatCheck, formatNames } from "./formats.ts";
import { compilePattern } from "./patterns.ts";
import { setOwn } from "../values.ts";
import type { Schema } from "./structural.ts";
import { DEFAULT_INTEGER, toJsonSchema } from "./translation.ts";

/** Something that is wrong, as ajv tells it. */
export interface Fault {
  readonly keyword: string;
  /** JSON pointer into the value. */
  readonly instancePath: string;
  /** Where the keyword stands: `#/properties/spec/anyOf/0/required`. */
  readonly schemaPath: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The keyword's own value. */
  readonly schema: unknown;
  /** The translated schema node that holds the keyword. */
  readonly parentSchema: Schema;
  /** The value that the keyword was applied to. */
  readonly data: unknown;
}

/** Returns everything that is wrong with a value. */
export type Validator = (value: unknown) => Fault[];

/** Makes a validator of an OpenAPI schema. */
export function createValidator(schema: Schema): Validator {
  let compiled: ReturnType<Ajv["compile"]> | undefined;
  return (value) => {
    compiled ??= createAjv().compile(toJsonSchema(withoutLarge(schema)));
    return compiled(withoutLarge(value)) ? [] : (compiled.errors ?? []).map(toFault);
  };
}

/** The largest number below 2^63. */
const LARGEST = 2 ** 63 - 1024;

/** ajv knows no bigints: returns the value with numbers near them in their place; the value itself if there are none. */
function withoutLarge<T>(value: T): T {
  // What is replaced has the shape of what it replaces, but for its numbers.
  if (typeof value === "bigint") return Math.min(Number(value), LARGEST) as T;
  if (typeof value !== "object" || value === null) return value;
  let copy: Record<string, unknown> | undefined;
  for (const key of Object.keys(value)) {
    const before = (value as Record<string, unknown>)[key];
    const after = withoutLarge(before);
    if (after === before) continue;
    copy ??= (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
    setOwn(copy, key, after);
  }
  return (copy ?? value) as T;
}

function toFault(error: ErrorObject): Fault {
  const { keyword, instancePath, schemaPath, params, schema, parentSchema, data } = error;
  return { keyword, instancePath, schemaPath, params, schema, parentSchema: parentSchema ?? {}, data };
}

function createAjv(): Ajv {
  const ajv = new Ajv({
    strict: false,
    allErrors: true,
    verbose: true,
    ownProperties: true,
    validateSchema: false,
    addUsedSchema: false,
    logger: false,
    code: { regExp: patternMatcher() },
  });
  for (const name of spellings()) {
    ajv.addFormat(name, {
      type: "string",
      validate: formatCheck(name) ?? (() => true),
    });
  }
  ajv.addFormat("int32", { type: "number", validate: (value: number) => fitsInto(value, 31) });
  for (const name of ["int64", DEFAULT_INTEGER]) {
    ajv.addFormat(name, { type: "number", validate: (value: number) => fitsInto(value, 63) });
  }
  ajv.addFormat("float", {
    type: "number",
    validate: (value: number) => Number.isFinite(Math.fround(value)),
  });
  ajv.addFormat("double", { type: "number", validate: () => true });
  return ajv;
}

function fitsInto(value: number, bits: number): boolean {
  return value >= -(2 ** bits) && value < 2 ** bits;
}

/** A CRD may spell a format with or without its dashes. */
function spellings(): string[] {
  return [...formatNames(), "date-time", "k8s-short-name", "k8s-long-name"];
}

/** NB: `code` is what ajv would write into standalone modules; it is never run here. */
function patternMatcher(): ((pattern: string) => { test: (text: string) => boolean }) & { code: string } {
  const compile = (pattern: string): { test: (text: string) => boolean; toString: () => string } => {
    // NB: ajv keeps patterns by their texts.
    const toString = (): string => pattern;
    try {
      return { ...compilePattern(pattern), toString };
    } catch {
      return { test: () => false, toString };
    }
  };
  return Object.assign(compile, { code: "compilePattern" });
}
