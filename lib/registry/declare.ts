/**
 * Makes handlers of what users pass to `op.on`: checks options that the compiler could not, and says what is wrong.
 */

import { type FieldPath, parseField } from "../model/fields.ts";
import {
  type AdmissionHandler,
  type BackgroundHandler,
  type ChangeHandler,
  idOf,
  type ObjectHandler,
} from "./handlers.ts";
import type { Selector } from "../model/selector.ts";
import { type ResourceLike, selectorOf } from "./resource.ts";

/** The causes of change handlers. */
export type ChangeHandlerCause = "create" | "update" | "delete" | "resume" | "field";

/** Options as they come, before they are checked. */
export type RawOptions = Readonly<Record<string, unknown>>;

type HandlerFunction = (args: never) => unknown;

export interface Declaration {
  readonly cause:
    | ChangeHandlerCause
    | BackgroundHandler["type"]
    | AdmissionHandler["cause"]
    | "event"
    | "index";
  readonly resource: ResourceLike<never, never> | Selector;
  readonly options: RawOptions;
  readonly fn: HandlerFunction;
  /** Sub-handlers (and indexes) have ids without the field, and need none where their parents do. */
  readonly isSub?: boolean;
}

const COMMON = ["id", "param", "labels", "annotations", "field", "value", "when"];
const RETRY = ["errors", "timeout", "retries", "backoff"];
const CANCELLATION = ["cancellationBackoff", "cancellationTimeout", "cancellationPolling"];
const NUMBERS = ["timeout", "retries", "backoff", "interval", "idle", ...CANCELLATION];
const ADMISSION = ["operations", "operation", "subresource", "persistent", "sideEffects", "ignoreFailures"];
const KNOWN: Readonly<Record<Declaration["cause"], readonly string[]>> = {
  event: COMMON,
  index: [...COMMON, ...RETRY],
  validate: [...COMMON, ...ADMISSION],
  mutate: [...COMMON, ...ADMISSION],
  create: [...COMMON, ...RETRY],
  update: [...COMMON, ...RETRY, "old", "new"],
  field: [...COMMON, ...RETRY, "old", "new"],
  delete: [...COMMON, ...RETRY, "optional"],
  resume: [...COMMON, ...RETRY, "deleted"],
  daemon: [...COMMON, ...RETRY, "initialDelay", ...CANCELLATION],
  timer: [...COMMON, ...RETRY, "initialDelay", "interval", "sharp", "idle", "keepSchedule"],
};

/**
 * Takes `options?, fn` apart.
 *
 * @throws {TypeError} If there is no function.
 */
export function takeOptions(
  rest: readonly unknown[],
): { readonly options: RawOptions; readonly fn: HandlerFunction } {
  const [options, fn] = rest.length > 1 ? rest : [{}, rest[0]];
  if (typeof fn !== "function") {
    throw new TypeError("Cannot register a handler without a function: pass it as the last argument");
  }
  if (typeof options !== "object" || options === null) {
    throw new TypeError(`Cannot register a handler with options of type "${typeof options}": pass an object`);
  }
  // Checked above, as far as it can be.
  return { options: options as RawOptions, fn: fn as HandlerFunction };
}

/** @throws {TypeError} If options are unknown, of the wrong kind, or contradict each other. */
export function objectHandler(declaration: Declaration): ObjectHandler {
  const { cause, resource, options, fn } = declaration;
  rejectUnknown(cause, options);
  const field = fieldOf(options);
  rejectContradictions(cause, options, field);
  return {
    ...options,
    field,
    selector: typeof resource === "object" && !("selector" in resource) ? resource : selectorOf(resource),
    fn,
    id: idOf({
      id: textOf(options.id),
      fn,
      fallback: cause,
      field: declaration.isSub === true || cause === "index" ? undefined : field,
    }),
  };
}

/** @throws {TypeError} As `objectHandler()`; and if a field handler has no field. */
export function changeHandler(
  declaration: Declaration & { readonly cause: ChangeHandlerCause },
): ChangeHandler {
  const { cause, options } = declaration;
  const handler = objectHandler(declaration);
  if (cause === "field" && handler.field === undefined && declaration.isSub !== true) {
    throw new TypeError(`Cannot register field handler "${handler.id}": its field is missing`);
  }
  return {
    ...handler,
    reason: cause === "field" || cause === "resume" ? undefined : cause,
    initial: cause === "resume",
    isMixedIn: cause === "resume",
    deleted: options.deleted === true,
    requiresFinalizer: cause === "delete" && options.optional !== true,
    needsChange: cause === "update" || cause === "field",
  };
}

/**
 * Makes a daemon or a timer. Options that are null count as left out.
 *
 * @throws {TypeError} As `objectHandler()`; and if the initial delay is neither a number nor a function.
 * @throws {RangeError} If a time is negative.
 */
export function backgroundHandler(
  declaration: Declaration & { readonly cause: BackgroundHandler["type"] },
): BackgroundHandler {
  const { cause } = declaration;
  const given = Object.entries(declaration.options).filter(([, value]) => value !== null);
  const options: RawOptions = Object.fromEntries(given);
  const { initialDelay } = options;
  if (typeof initialDelay !== "function") rejectNegative("initialDelay", initialDelay);
  return { ...objectHandler({ ...declaration, options }), type: cause };
}

/** Checks options of handlers that are not about objects. Gives the id. @throws {TypeError | RangeError} As `objectHandler()`. */
export function rejectOptions(activity: string, options: RawOptions): string | undefined {
  rejectUnknownNames(activity, { options, known: ["id", "param", ...RETRY] });
  rejectContradictions(activity, options, undefined);
  return textOf(options.id);
}

function rejectUnknown(cause: Declaration["cause"], options: RawOptions): void {
  rejectUnknownNames(cause, { options, known: KNOWN[cause] });
}

function rejectUnknownNames(
  cause: string,
  { options, known }: { readonly options: RawOptions; readonly known: readonly string[] },
): void {
  for (const name of Object.keys(options)) {
    if (known.includes(name)) continue;
    throw new TypeError(
      `Cannot register a handler of "${cause}" with option "${name}": known are ${known.join(", ")}`,
    );
  }
}

function rejectContradictions(cause: string, options: RawOptions, field: FieldPath | undefined): void {
  const criteria = ["value", "old", "new"].filter((name) => options[name] !== undefined);
  if (criteria.length > 0 && field === undefined) {
    throw new TypeError(
      `Cannot filter a handler of "${cause}" by "${criteria[0]}": it needs a field to look at`,
    );
  }
  if (criteria[0] === "value" && criteria.length > 1) {
    throw new TypeError(
      `Cannot filter a handler of "${cause}" by "value" and "${criteria[1]}": take one or the other`,
    );
  }
  for (const name of ["labels", "annotations"]) rejectNulls(name, options[name]);
  for (const name of NUMBERS) rejectNegative(name, options[name]);
  if (
    options.errors !== undefined && !["temporary", "permanent", "ignored"].includes(String(options.errors))
  ) {
    throw new TypeError(
      `Cannot treat errors as "${options.errors}": take "temporary", "permanent" or "ignored"`,
    );
  }
}

function rejectNulls(name: string, filter: unknown): void {
  if (filter === undefined) return;
  if (typeof filter !== "object" || filter === null) {
    throw new TypeError(`Cannot filter by "${name}": it must be an object of names and values`);
  }
  for (const [key, value] of Object.entries(filter)) {
    if (value !== null && value !== undefined) continue;
    throw new TypeError(`Cannot filter by "${name}" where "${key}" is ${value}: take PRESENT or ABSENT`);
  }
}

function rejectNegative(name: string, value: unknown): void {
  if (value === undefined || value === null || (typeof value === "number" && value >= 0)) return;
  throw new RangeError(`Cannot take ${String(value)} for "${name}": it must be a number of at least 0`);
}

function fieldOf(options: RawOptions): FieldPath | undefined {
  const { field } = options;
  if (field === undefined || field === null || field === "") return undefined;
  if (typeof field !== "string" && !isKeys(field)) {
    throw new TypeError(
      'Cannot take the field: it must be a dotted path ("spec.replicas") or a list of keys',
    );
  }
  const path = parseField(field);
  return path.length === 0 ? undefined : path;
}

function isKeys(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((key) => typeof key === "string");
}

function textOf(id: unknown): string | undefined {
  if (id === undefined || id === null) return undefined;
  if (typeof id !== "string") throw new TypeError(`Cannot take ${String(id)} for an id: it must be a text`);
  return id;
}
