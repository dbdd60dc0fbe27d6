/**
 * Two answers to the same request, and what differs between them.
 *
 * Not compared: identities, versions, times and addresses, which a server chooses.
 */

import { isObject } from "./documents.ts";

/** What a server answered. */
export interface Answer {
  readonly code: number;
  readonly warnings: readonly string[];
  readonly body: unknown;
}

/** A place in which two answers differ; the value is undefined where one has nothing there. */
export interface Difference {
  /** Such as "code", "warnings", "body.spec.replicas". */
  readonly path: string;
  readonly ours: unknown;
  readonly theirs: unknown;
}

/**
 * Returns the differences; of answers with different codes only that, and the messages.
 *
 * @param prefix The `generateName` of the object that was posted.
 */
export function compareAnswers(one: Answer, other: Answer, prefix?: string): Difference[] {
  const [ours, theirs] = [withoutChoices(one, prefix), withoutChoices(other, prefix)];
  if (ours.code !== theirs.code) {
    return [
      { path: "code", ours: ours.code, theirs: theirs.code },
      { path: "body.message", ours: messageOf(ours.body), theirs: messageOf(theirs.body) },
    ];
  }
  const found: Difference[] = [];
  walk(ours.warnings, theirs.warnings, { path: "warnings", found });
  walk(ours.body, theirs.body, { path: "body", found });
  return found;
}

/** Tells whether two refusals name the same causes, in another order: the real server walks maps in random order. */
export function differInOrderOnly(ours: Answer, theirs: Answer): boolean {
  return ours.code === theirs.code && causesOf(ours).length > 1 &&
    JSON.stringify(causesOf(ours)) === JSON.stringify(causesOf(theirs)) &&
    JSON.stringify(ours.warnings) === JSON.stringify(theirs.warnings);
}

function causesOf({ body }: Answer): string[] {
  const details = isObject(body) && isObject(body.details) ? body.details : {};
  return (Array.isArray(details.causes) ? details.causes : []).map((cause) => textOf(cause)).sort();
}

function textOf(cause: unknown): string {
  const { field, message } = isObject(cause) ? cause : {};
  return `${field}: ${message}`;
}

function messageOf(body: unknown): unknown {
  return isObject(body) && body.kind === "Status" ? body.message : undefined;
}

const UID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Puts placeholders where identities and generated names stand, which go into labels and selectors, too. */
function withoutChoices({ body, ...answer }: Answer, prefix?: string): Answer {
  let text = JSON.stringify(body).replaceAll(UID, "<uid>");
  const metadata = isObject(body) && isObject(body.metadata) ? body.metadata : {};
  const { name, generateName } = metadata;
  if (typeof name === "string" && typeof generateName === "string") {
    text = text.replaceAll(name, `${generateName}<random>`);
  }
  const details = isObject(body) && isObject(body.details) ? body.details : {};
  if (prefix !== undefined && String(details.name).startsWith(prefix)) {
    text = text.replaceAll(String(details.name), `${prefix}<random>`);
  }
  return { ...answer, body: JSON.parse(text) };
}

interface Place {
  readonly path: string;
  readonly found: Difference[];
}

/** Fields of metadata and the like that a server chooses. */
const CHOSEN = new Set([
  "resourceVersion",
  "creationTimestamp",
  "time",
  "lastTransitionTime",
  "lastPhaseTransitionTime",
  "clusterIP",
  "clusterIPs",
  "nodePort",
  "healthCheckNodePort",
]);

function walk(ours: unknown, theirs: unknown, { path, found }: Place): void {
  if (Object.is(ours, theirs)) return;
  if (Array.isArray(ours) && Array.isArray(theirs)) {
    for (let i = 0; i < Math.max(ours.length, theirs.length); i++) {
      walk(ours[i], theirs[i], { path: `${path}[${i}]`, found });
    }
  } else if (isObject(ours) && isObject(theirs)) {
    for (const key of new Set([...Object.keys(ours), ...Object.keys(theirs)])) {
      if (CHOSEN.has(key) && (ours[key] === undefined) === (theirs[key] === undefined)) continue;
      walk(ours[key], theirs[key], { path: `${path}.${key}`, found });
    }
  } else found.push({ path, ours, theirs });
}
