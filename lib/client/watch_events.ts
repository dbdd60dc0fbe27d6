/**
 * Reads the lines of a watch stream: which are events of objects, which are bookmarks, which are errors.
 *
 * Pure. Source: Kubernetes API concepts, "Efficient detection of changes", "Watch bookmarks", "Streaming lists".
 */

import type { KubeObject } from "../model/object.ts";
import { ApiError, asStatus } from "./errors.ts";
import { dropManagedFields } from "./listing.ts";

/** The annotation of the bookmark that ends a streamed list. */
const INITIAL_END = "k8s.io/initial-events-end";

/** One line, understood. */
export type StreamEvent =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: KubeObject }
  | { readonly type: "BOOKMARK"; readonly version: string | undefined; readonly initialEnd: boolean }
  | { readonly type: "ERROR"; readonly error: ApiError }
  | { readonly type: "UNKNOWN"; readonly name: string };

/** Says what a line of a watch stream is. What has not the form of an event is unknown. */
export function readStreamEvent(line: unknown, request: string): StreamEvent {
  if (!isRecord(line)) return { type: "UNKNOWN", name: typeof line };
  const { type, object } = line;
  switch (type) {
    case "ADDED":
    case "MODIFIED":
    case "DELETED":
      return isObject(object) ? { type, object: dropManagedFields(object) } : { type: "UNKNOWN", name: type };
    case "BOOKMARK":
      return readBookmark(object);
    case "ERROR":
      return { type, error: toStreamError(object, request) };
    default:
      return { type: "UNKNOWN", name: String(type) };
  }
}

function readBookmark(object: unknown): StreamEvent {
  const metadata = isObject(object) ? object.metadata : {};
  const initialEnd = metadata.annotations?.[INITIAL_END] === "true";
  return { type: "BOOKMARK", version: metadata.resourceVersion, initialEnd };
}

/** An ERROR event is a refusal that came late, and is treated as one. */
function toStreamError(object: unknown, request: string): ApiError {
  const body = asStatus(object);
  const status = typeof body?.code === "number" ? body.code : 500;
  return new ApiError({
    status,
    request,
    body,
    text: body === undefined ? "an ERROR event in the stream" : undefined,
  });
}

function isObject(value: unknown): value is KubeObject {
  return isRecord(value) && isRecord(value["metadata"]);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
