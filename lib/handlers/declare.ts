/**
 * Makes handlers of the arguments that users pass to `op.on`: repeats the compiler's checks at run time, with messages that
 * name the mistake.
 *
 * Options that are null or undefined count as left out.
 */

import { type FieldPath, parseField } from "../model/fields.ts";
import { type ResourceLike, selectorOf } from "../registry/resource.ts";
import { nearest } from "../settings/rules.ts";
import {
  type ActivityHandler,
  type ActivityName,
  type AdmissionHandler,
  type AdmissionOperation,
  type BackgroundHandler,
  type ChangeHandler,
  type EventHandler,
  idOf,
  type ObjectHandler,
} from "./handlers.ts";
import type { IndexHandle, IndexHandler } from "./index/index_handle.ts";
import { CHECKS, rejectAsync, show } from "./option_checks.ts";
import type { ChangeHandlerCause } from "./options.ts";

/** Options as they come, before they are checked. */
export type RawOptions = Readonly<Record<string, unknown>>;

type HandlerFunction = (args: never) => unknown;

/** The arguments of a registration of an object's handler. */
export interface Declaration {
  readonly cause:
    | ChangeHandlerCause
    | BackgroundHandler["type"]
    | AdmissionHandler["cause"]
    | "event"
    | "index"
    | "child"
    | "reconcile";
  readonly resource: ResourceLike<never, never>;
  readonly options: RawOptions;
  readonly fn: HandlerFunction;
  /** Sub-handlers (and indexes) have ids without the field, and need none where their parents do. */
  readonly isSub?: boolean;
}

const COMMON = ["id", "param", "labels", "annotations", "field", "value", "when"];
const RETRY = ["errors", "timeout", "attemptTimeout", "retries", "backoff"];
const CANCELLATION = ["cancellationBackoff", "cancellationTimeout", "cancellationPolling"];
const ADMISSION = ["operations", "operation", "subresource", "persistent", "sideEffects", "ignoreFailures"];
const RECONCILE = ["predicate", "finalize", "resync", "concurrency", "rateLimit", "debounce"];
const KNOWN: Readonly<Record<Declaration["cause"], readonly string[]>> = {
  event: COMMON,
  index: [...COMMON, ...RETRY],
  validate: [...COMMON, ...ADMISSION],
  mutate: [...COMMON, ...ADMISSION],
  create: [...COMMON, ...RETRY],
  update: [...COMMON, ...RETRY, "old", "new"],
  field: [...COMMON, ...RETRY, "old", "new"],
  delete: [...COMMON, ...RETRY, "optional", "onFailure"],
  resume: [...COMMON, ...RETRY, "deleted"],
  daemon: [...COMMON, ...RETRY, "initialDelay", ...CANCELLATION],
  child: ["id", "param", ...RETRY],
  reconcile: [...COMMON, "errors", "timeout", "retries", "backoff", ...RECONCILE],
  timer: [...COMMON, ...RETRY, "initialDelay", "interval", "sharp", "idle", "keepSchedule"],
};
const OPERATIONS: readonly AdmissionOperation[] = ["CREATE", "UPDATE", "DELETE", "CONNECT"];

/**
 * Takes `resource, options?, fn` apart; for fields also `resource, field, options?, fn`.
 *
 * @throws {TypeError} If there is no function, or options are no object.
 */
export function takeDeclaration(cause: Declaration["cause"], args: readonly unknown[]): Declaration {
  const [resource, ...rest] = args;
  if (rest.length === 0 && typeof resource === "function") {
    throw new TypeError(
      'Cannot register a handler without a kind: pass it first, a constant of resource() or a name such as "pods.v1"',
    );
  }
  const [first, ...others] = rest;
  const isPath = cause === "field" && (typeof first === "string" || Array.isArray(first));
  const { options, fn } = takeOptions(isPath ? others : rest);
  // The name of the kind is checked by `selectorOf()`.
  const like = resource as ResourceLike<never, never>;
  return { cause, resource: like, options: isPath ? { ...options, field: first } : options, fn };
}

/**
 * Takes `options?, fn` apart, without the options that are null or undefined.
 *
 * @throws {TypeError} If there is no function, options are no object, or an argument follows the function.
 */
export function takeOptions(
  rest: readonly unknown[],
): { readonly options: RawOptions; readonly fn: HandlerFunction } {
  const [options, fn] = rest.length > 1 ? rest : [{}, rest[0]];
  if (typeof fn !== "function") {
    throw new TypeError("Cannot register a handler without a function: pass it as the last argument");
  }
  if (rest.length > 2) {
    throw new TypeError(
      "Cannot register a handler with arguments behind its function: pass it as the last one",
    );
  }
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    const type = Array.isArray(options) ? "list" : options === null ? "null" : typeof options;
    throw new TypeError(`Cannot register a handler with options of type "${type}": pass an object`);
  }
  const given = Object.entries(options).filter(([name, value]) =>
    value !== undefined && (value !== null || !CHECKS[name])
  );
  // Checked above, as far as it can be.
  return { options: Object.fromEntries(given), fn: fn as HandlerFunction };
}

/** Makes the part that all handlers of objects have in common. @throws {TypeError | RangeError} As all here. */
export function objectHandler(declaration: Declaration): ObjectHandler {
  const { cause, resource, options, fn } = declaration;
  checkOptions(cause, { options, known: KNOWN[cause] });
  const field = fieldOf(options);
  rejectContradictions(cause, options, field);
  const hasPlainId = declaration.isSub === true || cause === "index";
  return {
    ...options,
    field,
    selector: selectorOf(resource),
    fn,
    id: idOf({ id: idOption(options), fn, fallback: cause, field: hasPlainId ? undefined : field }),
  };
}

/** Makes a handler of raw events. @throws {TypeError | RangeError} As all here. */
export function eventHandler(declaration: Declaration): EventHandler {
  return { ...objectHandler(declaration), type: "event" };
}

/** Makes an index function with its handle. @throws {TypeError | RangeError} As all here. */
export function indexHandler(declaration: Declaration, handle: IndexHandle): IndexHandler {
  return { ...objectHandler(declaration), type: "index", handle };
}

/** @throws {TypeError | RangeError} As all here; and if a field handler has no field. */
export function changeHandler(
  declaration: Declaration & { readonly cause: ChangeHandlerCause },
): ChangeHandler {
  const { cause, options } = declaration;
  const handler = objectHandler(declaration);
  if (cause === "field" && handler.field === undefined && declaration.isSub !== true) {
    throw new TypeError(`Cannot register field handler "${handler.id}": its field is missing`);
  }
  if (options.optional === true && options.onFailure === "keep") {
    throw new TypeError(
      `Cannot register "${handler.id}" with "optional" and "onFailure": an optional handler keeps nothing back`,
    );
  }
  return {
    ...handler,
    type: "change",
    reason: cause === "field" || cause === "resume" ? undefined : cause,
    initial: cause === "resume",
    isMixedIn: cause === "resume",
    deleted: options.deleted === true,
    requiresFinalizer: cause === "delete" && options.optional !== true,
    needsChange: cause === "update" || cause === "field",
  };
}

/** Makes a daemon or a timer. @throws {TypeError | RangeError} As all here. */
export function backgroundHandler(
  declaration: Declaration & { readonly cause: BackgroundHandler["type"] },
): BackgroundHandler {
  return { ...objectHandler(declaration), type: declaration.cause };
}

/** @throws {TypeError | RangeError} As all here; and if an operation is unknown, or none is left. */
export function admissionHandler(
  declaration: Declaration & { readonly cause: AdmissionHandler["cause"] },
): AdmissionHandler {
  const { cause, options } = declaration;
  const handler = objectHandler(declaration);
  return {
    ...handler,
    type: "admission",
    cause,
    operations: operationsOf(options),
    // Checked with all the others.
    subresource: options.subresource as string | undefined,
    persistent: options.persistent === true,
    sideEffects: options.sideEffects === true,
    ignoreFailures: options.ignoreFailures === true,
  };
}

/** Makes a handler that is not about objects. @throws {TypeError | RangeError} As all here. */
export function activityHandler(
  activity: ActivityName,
  { options, fn }: { readonly options: RawOptions; readonly fn: HandlerFunction },
): ActivityHandler {
  checkOptions(activity, { options, known: ["id", "param", ...RETRY] });
  return {
    ...options,
    type: "activity",
    activity,
    fn,
    id: idOf({ id: idOption(options), fn, fallback: activity }),
  };
}

/** Checks options by their names and types. @throws {TypeError | RangeError} As all here. */
export function checkOptions(
  cause: string,
  { options, known }: { readonly options: RawOptions; readonly known: readonly string[] },
): void {
  for (const [name, value] of Object.entries(options)) {
    if (!known.includes(name)) {
      throw new TypeError(
        `Cannot register a handler of "${cause}" with option "${name}": known are ${known.join(", ")}${
          hint(name, known)
        }`,
      );
    }
    CHECKS[name]?.(name, value);
  }
}

function hint(name: string, known: readonly string[]): string {
  const best = nearest(name, known) ?? known.find((each) => each.startsWith(name.slice(0, 4)));
  return best === undefined ? "" : ` (did you mean "${best}"?)`;
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
  for (const name of criteria) rejectAsync(name, options[name]);
}

/** Undefined: all. */
function operationsOf(options: RawOptions): readonly AdmissionOperation[] | undefined {
  const { operation, operations } = options;
  const listed: unknown = operations ?? undefined;
  if (listed !== undefined && !Array.isArray(listed)) {
    throw new TypeError(`Cannot take ${show(listed)} for "operations": it must be a list of operations`);
  }
  if (listed?.length === 0) {
    throw new RangeError('Cannot register an admission handler for no "operations": leave it out for all');
  }
  const wanted = [...listed ?? [], ...operation === undefined || operation === null ? [] : [operation]];
  for (const each of wanted) {
    if (OPERATIONS.some((known) => known === each)) continue;
    throw new TypeError(`Cannot take ${show(each)} for an operation: known are ${OPERATIONS.join(", ")}`);
  }
  return wanted.length === 0 ? undefined : OPERATIONS.filter((known) => wanted.includes(known));
}

function fieldOf({ field }: RawOptions): FieldPath | undefined {
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

function idOption({ id }: RawOptions): string | undefined {
  return id as string | undefined; // checked with all the others
}
