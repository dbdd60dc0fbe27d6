/**
 * From stored objects to responses.
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import { formatJson, parseJson } from "../../../runtime/json.ts";
import { formatYaml } from "../../../runtime/yaml.ts";
import type { Cluster } from "../cluster.ts";
import { isShownAsKept, servedObject } from "../definitions/conversion.ts";
import type { Kind } from "../kinds.ts";
import { encodeProtobuf, PROTOBUF } from "../protobuf/encode.ts";
import type { Refusal } from "../refusal.ts";
import { bodyText, type Stored } from "../storage/stored.ts";
import { toTable } from "../tables.ts";
import { checkCount, type Shape } from "./shape.ts";

/** Returns the object's JSON without the part that headOf() returns. */
export function servedText(kind: Kind, stored: Stored): string {
  return isShownAsKept(kind) ? stored.text : bodyText(servedObject(kind, stored));
}

/** Returns the beginning of an object's JSON, up to where servedText() goes on. */
export function headOf({ apiVersion, kind }: Kind): string {
  // Names of kinds need no escapes.
  return `{"apiVersion":"${apiVersion}","kind":"${kind}",`;
}

export interface ObjectResponseOptions {
  readonly kind: Kind;
  readonly shape: Shape;
  readonly code?: number;
  readonly headers?: Headers;
  /** Leaves the columns of a table out. Default: false. */
  readonly noHeaders?: boolean;
}

/** Answers with one object. */
export function objectResponse(cluster: Cluster, stored: Stored, options: ObjectResponseOptions): Response {
  const { kind, shape, code = 200, headers = new Headers() } = options;
  headers.set("content-type", "application/json");
  if (isPlain(shape)) {
    return new Response(headOf(kind) + servedText(kind, stored), { status: code, headers });
  }
  checkCount(shape, kind, false);
  return encodedResponse(shapedObject(cluster, stored, options), { code, headers, shape });
}

/** Tells whether stored bytes may be sent as they are. */
export function isPlain({ form, encoding, pretty }: Shape): boolean {
  return form === "object" && encoding === "json" && !pretty;
}

/** The encoding, the code and the headers of an answer. */
export interface EncodedResponseOptions extends Pick<ObjectResponseOptions, "code" | "headers"> {
  readonly shape: Pick<Shape, "encoding" | "pretty">;
}

/** Answers with a value in the encoding that is asked for. */
export function encodedResponse(
  value: JsonObject,
  { shape, code = 200, headers = new Headers() }: EncodedResponseOptions,
): Response {
  const bytes = shape.encoding === "protobuf" ? encodeProtobuf(value) : undefined;
  if (bytes !== undefined) {
    headers.set("content-type", PROTOBUF);
    return new Response(bytes, { status: code, headers });
  }
  if (shape.encoding !== "yaml") return jsonResponse(value, { code, headers, pretty: shape.pretty });
  headers.set("content-type", "application/yaml");
  return new Response(formatYaml(parseJson(formatJson(value))), { status: code, headers });
}

/** Returns one object in the form that is asked for. */
export function shapedObject(
  cluster: Cluster,
  stored: Stored,
  { kind, shape, noHeaders }: ObjectResponseOptions,
): JsonObject {
  switch (shape.form) {
    case "object":
      return { apiVersion: kind.apiVersion, kind: kind.kind, ...servedObject(kind, stored) };
    case "metadata":
      return partialMetadata(stored, shape);
    case "table":
      return tableOf(cluster, [servedObject(kind, stored)], {
        kind,
        shape,
        noHeaders,
        listMetadata: { resourceVersion: stored.metadata.resourceVersion },
      });
  }
}

export function partialMetadata(
  { metadata }: Pick<KubeObject, "metadata">,
  { metaVersion }: Pick<Shape, "metaVersion">,
): JsonObject {
  return { kind: "PartialObjectMetadata", apiVersion: `meta.k8s.io/${metaVersion}`, metadata };
}

export interface TableRequest {
  readonly kind: Kind;
  readonly shape: Shape;
  readonly listMetadata: JsonObject;
  readonly noHeaders?: boolean;
  /** The objects are scales of the kind. */
  readonly subresource?: "scale";
}

export function tableOf(
  { host }: Cluster,
  objects: readonly KubeObject[],
  { kind, shape, listMetadata, noHeaders, subresource }: TableRequest,
): JsonObject {
  return toTable(objects, {
    kind,
    ...(subresource === undefined ? {} : { subresource }),
    ...(kind.columns === undefined ? {} : { columns: kind.columns }),
    includeObject: shape.includeObject,
    version: shape.metaVersion,
    listMetadata,
    noHeaders,
    nowMs: host.clock.now(),
  });
}

export interface JsonResponseOptions {
  readonly code?: number;
  readonly headers?: Headers;
  readonly pretty?: boolean;
}

/** Answers with JSON. */
export function jsonResponse(
  value: unknown,
  { code = 200, headers = new Headers(), pretty = false }: JsonResponseOptions = {},
): Response {
  if (!headers.has("content-type")) headers.set("content-type", "application/json");
  return new Response(formatJson(value, pretty ? 2 : 0) + "\n", {
    status: code,
    headers,
  });
}

/** Answers with a Status of failure. */
export function refusalResponse(
  { status, code, warning }: Refusal,
  shape: Pick<Shape, "encoding" | "pretty">,
): Response {
  const headers = new Headers();
  if (warning !== null) headers.set("warning", warning);
  const retryAfter = status.details?.retryAfterSeconds;
  if (retryAfter !== undefined) headers.set("retry-after", String(retryAfter));
  const { kind, apiVersion, metadata = {}, ...rest } = status;
  if (kind === undefined) {
    headers.set("content-type", "text/plain; charset=utf-8");
    return new Response(`${formatJson({ metadata, ...rest })}\n`, { status: code, headers });
  }
  return encodedResponse({ kind, apiVersion, metadata, ...rest }, { code, headers, shape });
}
