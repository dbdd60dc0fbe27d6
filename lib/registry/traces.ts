/**
 * The traces that an operator leaves in a cluster: finalizers and notes on objects, and the names of the objects that it writes as a
 * whole.
 *
 * They follow from its declarations and settings. The generated Deployment carries them in an annotation, so that an operator can be
 * taken out of a cluster without its code. Pure.
 */

import type { FieldPath } from "../model/fields.ts";
import { isObject } from "../model/json.ts";
import { EVERYTHING, type Selector } from "../model/selector.ts";
import type { Settings } from "../settings/settings.ts";
import type { DeclaredHandler } from "./declared.ts";
import { declaredKinds } from "./declared_kinds.ts";
import { hasConversion, hasSchema, type ResourceOptions } from "./resource.ts";

/** The traces of one operator. */
export interface Traces {
  /** The kinds whose objects may have marks. */
  readonly kinds: readonly Selector[];
  readonly finalizers: readonly string[];
  /** The prefixes of its annotations, without a slash. */
  readonly prefixes: readonly string[];
  /** The names of its annotations that are known. */
  readonly annotations: readonly string[];
  /** The fields of the status that hold notes. */
  readonly fields: readonly FieldPath[];
  /** The names of webhook configurations. */
  readonly configurations: readonly string[];
  /** The definitions whose objects it converts. */
  readonly converted: readonly string[];
  /** The definitions of its own kinds. */
  readonly definitions: readonly string[];
  /** The place of its Leases, as far as the code names it; undefined: it has none. */
  readonly replicas: { readonly name?: string; readonly namespace?: string } | undefined;
}

/** Where traces are declared. */
export interface TracesOptions {
  readonly operators: readonly {
    readonly declared: readonly DeclaredHandler[];
    readonly settings: Settings;
  }[];
  /** The exports of the operator's modules, for kinds that no handler is for. */
  readonly exports?: readonly unknown[];
}

/** The annotation of a Deployment that holds the traces of its operator. */
export const TRACES_ANNOTATION = "lotse.dev/traces";

const FORMAT = "lotse.dev/traces/v1";

/** Declarations for kinds that are looked at only: no release leaves marks on their objects. */
const MARKLESS: readonly string[] = ["cache", "event", "index", "owns", "watches"];

/** The marks of an operator that keeps its notes in the default way. */
export const DEFAULT_MARKS = {
  finalizers: ["lotse.dev/finalizer"],
  prefixes: ["lotse.dev"],
  annotations: [],
  fields: [],
} as const;

/** Returns the traces of operators. */
export function tracesOf({ operators, exports }: TracesOptions): Traces {
  const kinds = declaredKinds({ operators, exports });
  const nameOf = ({ plural, group }: ResourceOptions): string[] =>
    plural === undefined || group === undefined ? [] : [`${plural}.${group}`];
  const notes = operators.map(({ settings: { persistence } }) => persistence);
  const storages = notes.flatMap(({ diffBase, progress }) => [diffBase, progress]);
  const finalizers = notes.map(({ finalizer }) => finalizer);
  // Names of fields of the status have no slash.
  const annotations = storages.flatMap((each) => each.reserved?.() ?? []).filter((name) =>
    name.includes("/")
  );
  const fields = storages.flatMap((each) => each.statusFields?.() ?? []);
  const shared = operators.find(({ settings }) => settings.replicas.enabled)?.settings.replicas;
  const handled = operators.flatMap(({ declared }) =>
    declared.filter(({ cause }) => !MARKLESS.includes(cause)).map(({ selector }) => selector)
  );
  // A former release may have handled kinds of its own that have no handler now.
  const own = kinds.filter(hasSchema).filter(({ plural, group }) =>
    !handled.some((each) => each.plural === plural && each.group === group)
  );
  return {
    kinds: [...handled, ...own.map(({ group, plural }) => ({ group, plural }))],
    finalizers: unique(finalizers),
    prefixes: unique([...finalizers, ...annotations].map((name) => name.slice(0, name.indexOf("/")))),
    annotations: unique(annotations),
    fields: [...new Map(fields.map((path) => [JSON.stringify(path), path])).values()],
    configurations: unique(operators.flatMap(({ settings }) => settings.admission.managed ?? [])),
    converted: kinds.filter(hasConversion).flatMap(nameOf),
    definitions: kinds.filter(({ spec, status }) => spec !== undefined || status !== undefined).flatMap(
      nameOf,
    ),
    replicas: shared && { name: shared.name ?? undefined, namespace: shared.namespace ?? undefined },
  };
}

/** Returns the text of traces, for an annotation. Kinds that only code can tell become all kinds. */
export function formatTraces({ kinds, ...rest }: Traces): string {
  const isOpen = kinds.some(({ anyName, predicate }) => anyName === EVERYTHING || predicate !== undefined);
  const named = new Map(kinds.map((selector) => [JSON.stringify(selector), selector]));
  return JSON.stringify({
    format: FORMAT,
    kinds: isOpen ? "all" : [...named.values()],
    ...rest,
  });
}

/** Reads the annotation. @throws {SyntaxError} If it is of another form. */
export function parseTraces(text: string): Traces {
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch {
    raw = undefined;
  }
  if (!isObject(raw) || raw.format !== FORMAT) {
    throw new SyntaxError(`The annotation "${TRACES_ANNOTATION}" is not of the form ${FORMAT}`);
  }
  const texts = (key: string): readonly string[] => {
    if (isTexts(raw[key])) return raw[key];
    throw new SyntaxError(`"${key}" in the annotation "${TRACES_ANNOTATION}" is no list of texts`);
  };
  const { kinds, replicas, fields } = raw;
  if (!Array.isArray(fields) || !fields.every(isTexts)) {
    throw new SyntaxError(`"fields" in the annotation "${TRACES_ANNOTATION}" is no list of paths`);
  }
  const isList = Array.isArray(kinds) && kinds.every(isObject);
  if (!isList && kinds !== "all") {
    throw new SyntaxError(`"kinds" in the annotation "${TRACES_ANNOTATION}" is no list of kinds`);
  }
  return {
    // Members of other types match no kind.
    kinds: isList ? kinds as readonly Selector[] : [{ anyName: EVERYTHING }],
    finalizers: texts("finalizers"),
    prefixes: texts("prefixes"),
    annotations: texts("annotations"),
    fields,
    configurations: texts("configurations"),
    converted: texts("converted"),
    definitions: texts("definitions"),
    replicas: isObject(replicas)
      ? { ...textIn(replicas, "name"), ...textIn(replicas, "namespace") }
      : undefined,
  };
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

function textIn(object: Readonly<Record<string, unknown>>, key: "name" | "namespace"): object {
  return typeof object[key] === "string" ? { [key]: object[key] } : {};
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)].filter(Boolean);
}
