/**
 * In which form a client wants its answer: the object, a table for humans, or the metadata alone.
 *
 * Source: Kubernetes documentation, "Kubernetes API Concepts", "Receiving resources as Tables", "Alternate representations".
 */

import type { Kind } from "../kinds.ts";
import { hasMessage, PROTOBUF } from "../protobuf/encode.ts";
import { notAcceptable, onlyAccepted } from "../refusal.ts";

export interface Shape {
  readonly form: "object" | "table" | "metadata";
  readonly encoding: "json" | "yaml" | "protobuf";
  /** Indented JSON. */
  readonly pretty: boolean;
  /** The form of objects in the rows of a table. */
  readonly includeObject: "None" | "Metadata" | "Object";
  /** The version of a table. */
  readonly tableVersion: "v1" | "v1beta1";
}

/** One entry of an `Accept` header. */
export interface MediaType {
  /** Such as "application/json". */
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** Reads an `Accept` or `Content-Type` header. */
export function parseMediaTypes(header: string): MediaType[] {
  return header.split(",").filter((part) => part.trim() !== "").map((part) => {
    const [type = "", ...rest] = part.split(";").map((piece) => piece.trim());
    const parameters = new Map<string, string>();
    for (const piece of rest) {
      const [key = "", value = ""] = piece.split("=");
      parameters.set(key.toLowerCase(), value);
    }
    return { type: type.toLowerCase(), parameters };
  });
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
  "PartialObjectMetadataList;meta.k8s.io;v1": "metadata",
};

/** Whether somebody wants to read the answer: they say so, or ask with a tool for people. */
export function isPretty({ headers }: Request, query: URLSearchParams): boolean {
  const wanted = query.get("pretty");
  if (wanted !== null && wanted !== "") return isTrue(wanted);
  return /^(curl|Wget|Mozilla\/5\.0)/.test(headers.get("user-agent") ?? "");
}

/**
 * Returns the first form and encoding that the client accepts and we can give.
 *
 * @throws {Refusal} 406
 */
export function shapeOf(request: Request, query: URLSearchParams, kind: Kind): Shape {
  const includeObject = query.get("includeObject") ?? "Metadata";
  const shape = {
    encoding: "json",
    pretty: isPretty(request, query),
    includeObject: includeObject === "None" || includeObject === "Object" ? includeObject : "Metadata",
    tableVersion: "v1",
  } as const;
  const accept = request.headers.get("accept");
  if (accept === null || accept === "" || accept === "application/json") return { ...shape, form: "object" };
  const speaks = !kind.custom && hasMessage(kind.apiVersion, kind.kind);
  for (const { type, parameters } of parseMediaTypes(accept)) {
    const encoding = Object.hasOwn(ENCODINGS, type) ? ENCODINGS[type] : undefined;
    const form = encoding === undefined ? undefined : formOf(parameters);
    if (encoding === undefined || form === undefined) continue;
    if (encoding === "yaml" && isTrue(query.get("watch"))) continue;
    if (encoding === "protobuf" && (form === "table" || (form === "object" && !speaks))) continue;
    const tableVersion = parameters.get("v") === "v1beta1" ? "v1beta1" : "v1";
    return { ...shape, form, encoding, tableVersion };
  }
  const accepted = ["application/json", "application/yaml", PROTOBUF];
  if (kind.custom) throw onlyAccepted(accepted);
  throw notAcceptable([...accepted, "application/json;stream=watch", `${PROTOBUF};stream=watch`]);
}

function formOf(parameters: ReadonlyMap<string, string>): Shape["form"] | undefined {
  const as = parameters.get("as");
  if (as === undefined) return "object";
  const key = `${as};${parameters.get("g")};${parameters.get("v")}`;
  return Object.hasOwn(FORMS, key) ? FORMS[key] : undefined;
}

/** Reads a switch in a query. */
export function isTrue(value: string | null): boolean {
  return value !== null && value !== "0" && value.toLowerCase() !== "false";
}
