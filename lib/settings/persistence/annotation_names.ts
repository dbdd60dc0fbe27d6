/**
 * Names of annotations that hold notes: made of a prefix and a handler's id, within the limits of Kubernetes.
 *
 * The part after the slash may have 63 letters, digits, "-", "_" and ".", and begins and ends with a letter or digit.
 * Kopf's two ways of shortening (V1: the whole key has 63; V2: the name has 63) are kept byte for byte; see its
 * `conventions.py` and scenarios A139–A164. Our own way is V2, which also copes with characters that Kopf lets through.
 */

import { suffixOf } from "../../model/encoding.ts";
import { getField } from "../../model/fields.ts";
import { isObject } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";

/** How names are made: our own way, Kopf's V2, or Kopf's V2 and V1. */
export type KeyForm = "lotse" | "kopf-v2" | "kopf-v1";

/** Options of {@linkcode annotationKeys}. */
export interface KeyOptions {
  /** The part before the slash. */
  readonly prefix: string;
  /** How names are made. */
  readonly form: KeyForm;
  /** The object that the note is for, which can matter; see `isCopied()`. */
  readonly body?: KubeObject;
}

const LIMIT = 63;
const VALID_NAME = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const VALID_PREFIX = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;

/** The ending of ids on objects whose annotations are copied down from their owners. */
const COPIED = "-ofDRS";

/** Returns the names of the annotations for an id: the one to be read first comes first. */
export function annotationKeys(id: string, options: KeyOptions): readonly string[] {
  const { prefix, form, body } = options;
  const name = body !== undefined && isCopied(body) ? id + COPIED : id;
  if (form === "lotse") return [`${prefix}/${lotseName(name)}`];
  const v2 = `${prefix}/${shorten(safeName(name), LIMIT, name)}`;
  if (form === "kopf-v2") return [v2];
  const v1 = `${prefix}/${shorten(safeName(name), LIMIT - prefix.length - 1)}`;
  return v1 === v2 ? [v2] : [v2, v1];
}

/** Whether Kubernetes takes the part of an annotation's name that stands after its prefix. */
export function isAnnotationName(key: string): boolean {
  const name = key.slice(key.indexOf("/") + 1);
  return name.length <= LIMIT && VALID_NAME.test(name);
}

/** Returns an annotation's name without its prefix: an id, mangled as its key was. */
export function idOfKey(key: string, { prefix, body }: Omit<KeyOptions, "form">): string {
  const name = key.slice(prefix.length + 1);
  return body !== undefined && isCopied(body) && name.endsWith(COPIED) ? name.slice(0, -COPIED.length) : name;
}

/**
 * Tells whether an object's annotations may be another object's: the deployment controller copies the annotations
 * of a Deployment to its ReplicaSets, our notes included.
 */
export function isCopied(body: KubeObject): boolean {
  if (body.kind !== "ReplicaSet") return false;
  const owners = getField(body, ["metadata", "ownerReferences"]);
  return Array.isArray(owners) && owners.some((owner) => isObject(owner) && owner.kind === "Deployment");
}

/**
 * Returns the warnings about a prefix.
 *
 * @throws {RangeError} If Kubernetes would not take it: it is empty, longer than 253, or not a DNS name.
 */
export function checkPrefix(prefix: string): readonly string[] {
  if (prefix.length > 253 || !VALID_PREFIX.test(prefix)) {
    throw new RangeError(
      `Cannot keep notes under the prefix "${prefix}": expected a DNS name such as "example.com"`,
    );
  }
  if (prefix.length <= 189) return [];
  return [`The prefix of the notes is very long (${prefix.length} characters; 189 are safe): "${prefix}"`];
}

function lotseName(id: string): string {
  const name = id.replaceAll("/", ".");
  if (name.length <= LIMIT && VALID_NAME.test(name)) return name;
  const cleaned = name.replace(/[^-A-Za-z0-9_.]/g, "_").replace(/^[^A-Za-z0-9]+/, "");
  const suffix = suffixOf(id);
  return (cleaned || "handler").slice(0, LIMIT - suffix.length) + suffix;
}

function safeName(id: string): string {
  return id.replaceAll("/", ".").replace(/[<>]/g, "_");
}

/** Cuts a name that is too long, and adds a digest of its source. */
function shorten(name: string, room: number, source: string = name): string {
  if (name.length <= room) return name;
  const suffix = suffixOf(source);
  return name.slice(0, Math.max(0, room - suffix.length)) + suffix;
}
