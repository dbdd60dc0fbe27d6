/**
 * Kubernetes events in both of their APIs: pure, and within the limits that API servers hold us to.
 *
 * The limits count bytes, as Go does. Source: Kubernetes, pkg/apis/core/validation/events.go; scenarios B295–B309.
 */

import type { JsonObject } from "../../model/object.ts";
import type { ObjectReference } from "../../model/references.ts";

/** The statement about an object. */
export interface EventContent {
  /** "Normal" or "Warning"; others only where the API takes them (`posting.api: "v1"`). */
  readonly type: string;
  /** Why: one CamelCase word. */
  readonly reason: string;
  /** For readers. */
  readonly message: string;
}

/** The author of an event, and its words. */
export interface EventFrame {
  readonly api: "events.k8s.io/v1" | "v1";
  readonly eventNamePrefix: string;
  /** Makes the name unlike all others. */
  readonly suffix: string;
  readonly reportingComponent: string;
  readonly reportingInstance: string;
  /** Where events about cluster-scoped objects go. */
  readonly defaultNamespace: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** In bytes: of messages, and of words such as reasons. */
const LONGEST_MESSAGE = 1024;
const LONGEST_WORD = 128;

/** As much as the server leaves of such a prefix: it appends five characters, and gives a name 63 in all. */
const LONGEST_PREFIX = 58;

/** Which kinds events themselves are. */
const EVENTS = /^(v1|events\.k8s\.io\/.*)$/;

/** Tells whether an object is an event: no events are posted about events, or there would be no end of it. */
export function isEvent({ apiVersion, kind }: ObjectReference): boolean {
  return kind === "Event" && EVENTS.test(apiVersion ?? "");
}

/** Returns the namespace in which events about an object are. */
export function namespaceOf(reference: ObjectReference, { defaultNamespace }: EventFrame): string {
  return reference.namespace ?? defaultNamespace;
}

/** Makes an event that is to be created. */
export function buildEvent(reference: ObjectReference, content: EventContent, frame: EventFrame): JsonObject {
  const namespace = namespaceOf(reference, frame);
  const generateName = frame.eventNamePrefix.slice(0, LONGEST_PREFIX);
  const common = {
    apiVersion: frame.api,
    kind: "Event",
    // A name of our own, so that a request that is sent again makes no second event.
    metadata: { generateName, name: generateName + frame.suffix, namespace },
    type: typeIn(frame.api, content.type),
    reason: cutBytes(content.reason, LONGEST_WORD) || "Unknown",
    // Required by the server. The reason and the message say exactly what was done.
    action: "Handling",
    eventTime: toMicroTime(frame.now),
    reportingInstance: cutBytes(frame.reportingInstance, LONGEST_WORD),
  };
  const about = { ...reference, namespace };
  const message = cutMessage(content.message);
  return frame.api === "v1"
    ? legacyEvent(common, { about, message, frame })
    : { ...common, note: message, regarding: about, reportingController: frame.reportingComponent };
}

/** Returns the patch that says how often an event was seen by now; the event in its words is left as it is. */
export function buildRepetition(count: number, { api, now }: EventFrame): JsonObject {
  return api === "v1"
    ? { count, lastTimestamp: toTime(now) }
    : { series: { count, lastObservedTime: toMicroTime(now) } };
}

/** Cuts the middle out of a message that is too long; the beginning and the end say most. */
export function cutMessage(message: string): string {
  const short = message.length > LONGEST_MESSAGE ? withoutMiddle(message, 511, 510) : message;
  // NB: the server counts bytes: other letters than English ones take two to four.
  for (let keep = 510;; keep -= 10) {
    const text = keep === 510 ? short : withoutMiddle(message, keep, keep);
    if (byteLength(text) <= LONGEST_MESSAGE) return text;
  }
}

function withoutMiddle(text: string, head: number, tail: number): string {
  return `${text.slice(0, head)}...${text.slice(-tail)}`.toWellFormed();
}

function legacyEvent(
  common: JsonObject,
  { about, message, frame }: { about: ObjectReference; message: string; frame: EventFrame },
): JsonObject {
  const time = toTime(frame.now);
  return {
    ...common,
    message,
    involvedObject: about,
    reportingComponent: frame.reportingComponent,
    source: { component: frame.reportingComponent },
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
  };
}

/** The newer API takes two types only. */
function typeIn(api: EventFrame["api"], type: string): string {
  if (api === "v1") return type;
  return type === "Normal" || type === "Debug" ? "Normal" : "Warning";
}

function toTime(now: number): string {
  return new Date(now).toISOString().replace(/\.\d+Z$/, "Z");
}

function toMicroTime(now: number): string {
  return new Date(now).toISOString().replace("Z", "000Z");
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

function cutBytes(text: string, limit: number): string {
  let cut = text.slice(0, limit);
  while (byteLength(cut) > limit) cut = cut.slice(0, -1);
  return cut.toWellFormed();
}
