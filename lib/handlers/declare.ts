/**
 * Takes the arguments that users pass to `op.on` and its like apart, and makes of them the part that handlers of objects have in
 * common: repeats the compiler's checks at run time, with messages that name the mistake.
 */

import { type FieldPath, parseField } from "../model/fields.ts";
import type { Selector } from "../model/selector.ts";
import { type ResourceLike, selectorOf } from "../registry/resource.ts";
import { calledFrom, CallSite } from "../runtime/call_site.ts";
import { idOf, type ObjectHandler } from "./handlers.ts";
import { checkOptions, type OptionChecks, type RawOptions, rejectAsync } from "./option_checks.ts";

type HandlerFunction = (args: never) => unknown;

/** The arguments of a registration of an object's handler. */
export interface Declaration {
  readonly resource: ResourceLike<never, never>;
  readonly options: RawOptions;
  readonly fn: HandlerFunction;
  /** Where it was called. Default: unknown. */
  readonly site?: CallSite;
}

/** The rules of one way to declare handlers. */
export interface DeclarationRules {
  /** The name of the way, such as "create"; also the id of functions without a name. */
  readonly cause: string;
  readonly known: OptionChecks;
  /** Whether the field is left out of the id, as in sub-handlers, whose parents need none, and indexes. Default: no. */
  readonly hasPlainId?: boolean;
}

/**
 * Returns a function that takes `resource, options?, fn`; its errors point to its caller.
 *
 * @param take Takes the arguments apart. Default: as said.
 */
export function declaring<Result>(
  register: (declaration: Declaration, site: CallSite) => Result,
  take: (args: readonly unknown[]) => Declaration = takeDeclaration,
): (...args: readonly unknown[]) => Result {
  const declare: (...args: readonly unknown[]) => Result = calledFrom((...args: readonly unknown[]) => {
    const site = new CallSite(declare);
    return register({ ...take(args), site }, site);
  });
  return declare;
}

/**
 * Takes `resource, options?, fn` apart.
 *
 * @throws {TypeError} If there is no function, or options are no object.
 */
export function takeDeclaration([resource, ...rest]: readonly unknown[]): Declaration {
  if (rest.length === 0 && typeof resource === "function") {
    throw new TypeError(
      'Cannot register a handler without a kind: pass it first, a constant of resource() or a name such as "pods.v1"',
    );
  }
  // The name of the kind is checked by `selectorOf()`.
  return { resource: resource as ResourceLike<never, never>, ...takeOptions(rest) };
}

/**
 * Takes `options?, fn` apart.
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
  // Checked above, as far as it can be.
  return { options: options as RawOptions, fn: fn as HandlerFunction };
}

/**
 * Makes the part that all handlers of objects have in common, with the options of its own.
 *
 * @throws {TypeError | RangeError} If options are unknown, of the wrong type or size, or contradict each other.
 */
export function objectHandler(
  { resource, options: given, fn, site }: Declaration,
  { cause, known, hasPlainId = false }: DeclarationRules,
): ObjectHandler {
  const options = checkOptions(cause, given, known);
  const field = fieldOf(options);
  rejectContradictions(cause, options, field);
  const selector = selectorOf(resource);
  if (typeof options.field === "string") rejectSplitKey(field, selector);
  return {
    ...options,
    field,
    selector,
    fn,
    site,
    id: idOf({ id: idOption(options), fn, fallback: cause, field: hasPlainId ? undefined : field }),
  };
}

/** Returns the `id` among options that were checked. */
export function idOption({ id }: RawOptions): string | undefined {
  return id as string | undefined;
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

/** The stanzas of ConfigMaps and Secrets that map keys, which often have dots, to texts. */
const TEXTS: readonly string[] = ["data", "stringData", "binaryData"];
const HOLDERS: readonly string[] = ["configmaps", "configmap", "cm", "secrets", "secret"];

/** @throws {SyntaxError} If a dotted text means a key of a ConfigMap or Secret that has dots itself: below the key there is nothing. */
function rejectSplitKey(
  field: FieldPath | undefined,
  { plural, kind, anyName, group = "" }: Selector,
): void {
  const [stanza = "", ...keys] = field ?? [];
  const names = [plural, kind, anyName].map((name) => String(name).toLowerCase());
  const holdsTexts = group === "" && names.some((name) => HOLDERS.includes(name));
  if (!holdsTexts || keys.length < 2 || !TEXTS.includes(stanza)) return;
  throw new SyntaxError(
    `Cannot parse field "${
      [stanza, ...keys].join(".")
    }": a key with dots in it must stand in a list of keys, such as ${
      JSON.stringify([stanza, keys.join(".")])
    }`,
  );
}

function isKeys(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((key) => typeof key === "string");
}
