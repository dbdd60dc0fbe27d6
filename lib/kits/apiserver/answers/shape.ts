/**
 * In which form a client wants its answer: the object, a table for humans, or the metadata alone.
 *
 * Source: Kubernetes documentation, "Kubernetes API Concepts", "Receiving resources as Tables", "Alternate representations".
 */

import type { Kind } from "../kinds.ts";
import { hasMessage, PROTOBUF } from "../protobuf/encode.ts";
import { type MediaType, parseMediaTypes } from "../media_types.ts";
import { isTrue } from "../paths.ts";
import { badRequest, notAcceptable, onlyAccepted, unwantedForm } from "../refusal.ts";

export interface Shape {
  readonly form: "object" | "table" | "metadata";
  readonly encoding: "json" | "yaml" | "protobuf";
  /** Indented JSON. */
  readonly pretty: boolean;
  /** The form of objects in the rows of a table. */
  readonly includeObject: "None" | "Metadata" | "Object";
  /** The version of a table, and of metadata alone. */
  readonly metaVersion: "v1" | "v1beta1";
  /** The form in the client's words, such as "PartialObjectMetadataList". */
  readonly as?: string;
}

const ENCODINGS: Readonly<Record<string, Shape["encoding"]>> = {
  "application/json": "json",
  "*/*": "json",
  "application/*": "json",
  "application/yaml": "yaml",
  [PROTOBUF]: "protobuf",
};
const FORMS: Readonly<Record<string, Shape["form"]>> = {
  "Table;meta.k8s.io;v1": "table",
  "Table;meta.k8s.io;v1beta1": "table",
  "PartialObjectMetadata;meta.k8s.io;v1": "metadata",
  "PartialObjectMetadata;meta.k8s.io;v1beta1": "metadata",
  "PartialObjectMetadataList;meta.k8s.io;v1": "metadata",
  "PartialObjectMetadataList;meta.k8s.io;v1beta1": "metadata",
};

/** Whether a person wants to read the answer: they say so, or ask with a tool for people. */
export function isPretty({ headers }: Request, query: URLSearchParams): boolean {
  const wanted = query.get("pretty");
  if (wanted !== null && wanted !== "") return isTrue(wanted);
  return /^(curl|Wget|Mozilla\/5\.0)/.test(headers.get("user-agent") ?? "");
}

/** The request of which the shape is asked. */
export interface ShapeOptions {
  readonly kind: Kind;
  readonly query: URLSearchParams;
  /** It is about many objects, or one. */
  readonly isList: boolean;
}

/**
 * Returns the form and encoding that the client wants most of those that we can give.
 *
 * @throws {Refusal} 400 for an unknown `includeObject`; 406
 */
export function shapeOf(request: Request, { query, kind, isList }: ShapeOptions): Shape {
  const includeObject = query.get("includeObject") ?? "Metadata";
  const pretty = isPretty(request, query);
  const shape = {
    encoding: "json",
    pretty,
    includeObject: includeObject === "None" || includeObject === "Object" ? includeObject : "Metadata",
    metaVersion: "v1",
  } as const;
  const accept = request.headers.get("accept");
  if (accept === null || accept === "" || accept === "application/json") return { ...shape, form: "object" };
  const wanted = parseMediaTypes(accept);
  const isGet = request.method === "GET";
  const streams = isGet && isTrue(query.get("watch"));
  if (!kind.custom) checkProduced(wanted, isGet && isList);
  const speaks = !kind.custom && hasMessage(kind.apiVersion, kind.kind);
  for (const { type, parameters } of wanted) {
    const encoding = Object.hasOwn(ENCODINGS, type) ? ENCODINGS[type] : undefined;
    const form = encoding === undefined ? undefined : formOf(parameters);
    if (encoding === undefined || form === undefined) continue;
    if (encoding === "yaml" && streams) throw onlyAccepted(STREAMED);
    if (encoding === "protobuf" && (form === "table" || (form === "object" && !speaks))) continue;
    if (form === "table") checkIncluded(includeObject);
    const as = parameters.get("as");
    const metaVersion = parameters.get("v") === "v1beta1" ? "v1beta1" : "v1";
    return { ...shape, pretty: pretty || parameters.get("pretty") === "1", form, encoding, metaVersion, as };
  }
  throw onlyAccepted(PRODUCED);
}

/** The encodings of most answers. */
export const PRODUCED = ["application/json", "application/yaml", PROTOBUF];
const STREAMED = ["application/json;stream=watch", `${PROTOBUF};stream=watch`];

/** NB: requests for built-in kinds are looked at by a router first, which knows no `application/*`. @throws {Refusal} 406 */
function checkProduced(wanted: readonly MediaType[], isList: boolean): void {
  if (wanted.some(({ type }) => type === "*/*" || PRODUCED.includes(type))) return;
  throw notAcceptable(isList ? [...PRODUCED, ...STREAMED] : PRODUCED);
}

/** @throws {Refusal} 400 */
function checkIncluded(includeObject: string): void {
  if (["", "None", "Metadata", "Object"].includes(includeObject)) return;
  const value = JSON.stringify(includeObject);
  const detail = `includeObject: Invalid value: ${value}: must be 'Metadata', 'Object', 'None', or empty`;
  throw badRequest(`Unable to convert to Table as requested: ${detail}`);
}

/**
 * Checks that the metadata of one object is not asked for as a list's, or the other way round. It is called when there is an
 * answer, even after a write.
 *
 * @throws {Refusal} 406
 */
export function checkCount({ as }: Shape, kind: Kind, isList: boolean): void {
  const isWrong = as === (isList ? "PartialObjectMetadata" : "PartialObjectMetadataList");
  if (!isWrong) return;
  const [group = ""] = kind.group.split(".");
  const name = kind.custom
    ? "unstructured.Unstructured"
    : `${group === "" || group === "events" ? "core" : group}.${kind.kind}`;
  throw unwantedForm(
    isList
      ? `you requested ${as}, but the requested object is a list (*${name}List)`
      : `you requested ${as}, but the requested object is not a list (*${name})`,
  );
}

/** Returns the encoding of a refusal: the first that is wanted without another form. */
export function encodingOf(request: Request): Shape["encoding"] {
  const accept = request.headers.get("accept") ?? "";
  if (accept === "" || accept === "application/json") return "json";
  const first = parseMediaTypes(accept).find(({ type, parameters }) =>
    Object.hasOwn(ENCODINGS, type) && !["as", "g", "v"].some((name) => parameters.has(name))
  );
  return ENCODINGS[first?.type ?? ""] ?? "json";
}

function formOf(parameters: ReadonlyMap<string, string>): Shape["form"] | undefined {
  const as = parameters.get("as");
  const stream = parameters.get("stream") ?? "";
  if (stream !== "" && stream !== "watch") return undefined;
  if (as === undefined && !parameters.has("g") && !parameters.has("v")) return "object";
  const key = `${as};${parameters.get("g")};${parameters.get("v")}`;
  return Object.hasOwn(FORMS, key) ? FORMS[key] : undefined;
}
