/**
 * The marks of an operator on one object: its finalizers, its annotations, and its notes in the status.
 *
 * Under the names "lotse.dev" and "kopf.zalando.org" each annotation is a mark. Under a prefix of the author's own, people may keep
 * annotations of theirs: there a mark is a name that is known, or a text in the form of a handler's record.
 */

import { type FieldPath, formatField, getField } from "../../model/fields.ts";
import { isObject } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Traces } from "../../registry/traces.ts";

/** Prefixes of frameworks: no author keeps annotations there. */
const FRAMEWORKS: readonly string[] = ["lotse.dev", "kopf.zalando.org"];

/** Annotations by which people steer one object, after the prefix. */
const STEERING: readonly string[] = ["pause", "reconcile-now", "log-level"];

/** How annotations of owners begin that name the kinds of their children, whatever the prefix of notes is. */
const CHILDREN = "lotse.dev/children.";

/** Labels of children, and their annotation. */
const OWNER = "lotse.dev/owner";
const CHILD_LABELS: readonly string[] = [OWNER, "lotse.dev/children", "lotse.dev/child"];
const CHILD_ANNOTATION = "lotse.dev/stage";

/** Tells marks from other fields of an object. */
export class Marks {
  readonly #finalizers: ReadonlySet<string>;
  readonly #prefixes: readonly string[];
  readonly #known: ReadonlySet<string>;
  readonly fields: readonly FieldPath[];

  constructor({ finalizers, prefixes, annotations, fields }: Omit<Traces, "kinds">) {
    this.#finalizers = new Set(finalizers);
    this.#prefixes = prefixes;
    this.#known = new Set([
      ...annotations,
      ...prefixes.flatMap((prefix) => STEERING.map((name) => `${prefix}/${name}`)),
    ]);
    this.fields = fields;
  }

  /** Whether one of the finalizers is on the object. */
  isFinalized({ metadata: { finalizers = [] } }: KubeObject): boolean {
    return finalizers.some((each) => this.#finalizers.has(each));
  }

  /** Returns the finalizers of others, in their order. */
  othersFinalizers({ metadata: { finalizers = [] } }: KubeObject): readonly string[] {
    return finalizers.filter((each) => !this.#finalizers.has(each));
  }

  /** The names of the annotations that are marks. */
  annotationsOf({ metadata: { annotations = {} } }: KubeObject): readonly string[] {
    return Object.keys(annotations).filter((key) => this.#isMark(key, annotations[key]));
  }

  /** Whether there are notes on the object. */
  hasNotes(object: KubeObject): boolean {
    return this.annotationsOf(object).length > 0 || this.fieldsOf(object).length > 0;
  }

  /** Returns the paths of notes in the status; of an object that holds notes only, its path. */
  fieldsOf(object: KubeObject): readonly FieldPath[] {
    const own = new Set(this.fields.map(formatField));
    const found = this.fields.filter((path) => getField(object, path) !== undefined);
    return found.map((path) => {
      const parent = path.slice(0, -1);
      const holder = getField(object, parent);
      if (parent.length < 2 || !isObject(holder)) return path;
      return Object.keys(holder).every((key) => own.has(formatField([...parent, key]))) ? parent : path;
    });
  }

  #isMark(key: string, text: unknown): boolean {
    if (this.#known.has(key) || key.startsWith(CHILDREN)) return true;
    const prefix = key.slice(0, Math.max(0, key.indexOf("/")));
    if (!this.#prefixes.includes(prefix)) return false;
    return FRAMEWORKS.includes(prefix) || isRecord(text);
  }
}

/** Returns the kinds of an owner's children, such as "deployments.apps". */
export function kindsOfChildren({ metadata: { annotations = {} } }: KubeObject): readonly string[] {
  return Object.entries(annotations).filter(([key]) => key.startsWith(CHILDREN))
    .flatMap(([, text]) => String(text).split(" ")).filter((name) => /^[a-z0-9.-]+$/.test(name));
}

/** The selector of children, and the uid of a child's owner. */
export const CHILDREN_SELECTOR = OWNER;

/** Returns the uid of the owner that a child's label names. */
export function ownerOf({ metadata: { labels } }: KubeObject): string | undefined {
  return labels?.[OWNER];
}

/** Returns the marks of a child, each with null, for a merge patch. */
export function unmarkedChild(): { readonly labels: object; readonly annotations: object } {
  const none = (names: readonly string[]): object => Object.fromEntries(names.map((name) => [name, null]));
  return { labels: none(CHILD_LABELS), annotations: none([CHILD_ANNOTATION]) };
}

/** Whether a text is a handler's record. */
function isRecord(text: unknown): boolean {
  if (typeof text !== "string" || !text.trimStart().startsWith("{")) return false;
  try {
    const record: unknown = JSON.parse(text);
    return isObject(record) && typeof record.retries === "number" && typeof record.success === "boolean" &&
      typeof record.failure === "boolean";
  } catch {
    return false;
  }
}
