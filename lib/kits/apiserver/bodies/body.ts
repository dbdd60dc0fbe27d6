/**
 * Request bodies: their size, and their form.
 */

import { parseJson } from "../../../runtime/json.ts";
import { parseLenientYaml } from "../../../runtime/yaml.ts";
import { concat } from "../formats/bytes.ts";
import type { Kind } from "../kinds.ts";
import { parseMediaTypes } from "../media_types.ts";
import { badRequest, entityTooLarge, Refusal, unsupportedMediaType } from "../refusal.ts";
import { isObject } from "../values.ts";
import { decodeBody, type Decoded } from "./decode.ts";
import { decodeProtobuf } from "../protobuf/decode.ts";
import { PROTOBUF } from "../protobuf/encode.ts";

/** Source: k8s.io/apiserver, pkg/server/config.go, MaxRequestBodyBytes. */
export const BODY_LIMIT = 3 * 1024 * 1024;

const DECODER = new TextDecoder("utf-8", { fatal: true });

/**
 * Returns the whole body as text.
 *
 * @throws {Refusal} 413 if it is too large, 400 if it is not UTF-8.
 */
export async function readText(request: Request): Promise<string> {
  const bytes = await readBytes(request);
  try {
    return DECODER.decode(bytes);
  } catch {
    throw badRequest("the request body is not valid UTF-8");
  }
}

async function readBytes(request: Request): Promise<Uint8Array> {
  const announced = Number(request.headers.get("content-length") ?? 0);
  if (announced > BODY_LIMIT) throw entityTooLarge(BODY_LIMIT);
  // A body that comes in pieces over a port may have any length; a call in the process has its body at hand.
  const bytes = request.headers.has("transfer-encoding")
    ? await readStream(request)
    : new Uint8Array(await request.arrayBuffer());
  if (bytes.length > BODY_LIMIT) throw entityTooLarge(BODY_LIMIT);
  return bytes;
}

/** A body that was read before the request is served. */
export interface CopiedBody {
  /** Undefined if there is none, or it cannot be parsed. */
  readonly value: unknown;
  /** The request to serve. */
  readonly again: Request;
}

/** @throws {Refusal} 413 */
export async function readCopy(request: Request): Promise<CopiedBody> {
  const bytes = await readBytes(request);
  const { url, method, headers, signal } = request;
  if (bytes.length === 0) return { value: undefined, again: request };
  const again = new Request(url, { method, headers, signal, body: new Uint8Array(bytes) });
  const type = contentTypeOf(request);
  try {
    const value = type === PROTOBUF
      ? decodeProtobuf(bytes)
      : parseText(new TextDecoder().decode(bytes), { yaml: type.endsWith("yaml") });
    return { value, again };
  } catch {
    // The verb that serves the request refuses the body.
    return { value: undefined, again };
  }
}

async function readStream({ body }: Request): Promise<Uint8Array> {
  if (body === null) return new Uint8Array();
  const pieces: Uint8Array[] = [];
  let length = 0;
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return concat(pieces);
    length += value.length;
    if (length > BODY_LIMIT) {
      await reader.cancel();
      throw entityTooLarge(BODY_LIMIT);
    }
    pieces.push(value);
  }
}

/** The media type of the body, in lower case, without parameters; "" if none is given. */
export function contentTypeOf(request: Request): string {
  const header = request.headers.get("content-type") ?? "";
  // Nearly all come without parameters.
  return /^[a-z.+/-]*$/.test(header) ? header : parseMediaTypes(header)[0]?.type ?? "";
}

/**
 * Reads JSON, or YAML or protocol buffers where the content type says so.
 *
 * @throws {Refusal} 415 for other content types, 400 for text that cannot be parsed.
 */
export async function readValue(request: Request, prefix = ""): Promise<unknown> {
  const type = contentTypeOf(request);
  if (type === PROTOBUF) return readProtobuf(await readBytes(request), prefix);
  if (type !== "" && type !== "application/json" && type !== "application/yaml" && type !== "*/*") {
    throw unsupportedMediaType([
      "application/json",
      "application/yaml",
      PROTOBUF,
    ]);
  }
  return parseText(await readText(request), { yaml: type === "application/yaml", prefix });
}

/** An empty body is one without an object, as with JSON. */
function readProtobuf(bytes: Uint8Array, prefix: string): unknown {
  if (bytes.length === 0) return undefined;
  try {
    return decodeProtobuf(bytes);
  } catch (error) {
    if (error instanceof TypeError) throw unsupportedMediaType(["application/json", "application/yaml"]);
    // The part of the prefix from the colon on is about JSON.
    const [about] = prefix.split(": couldn't");
    const fault = error instanceof Error ? error.message : String(error);
    throw badRequest(`${about === "" ? "" : `${about}: `}${fault} (${snippetOf(bytes)})`);
  }
}

/** The first bytes, in hexadecimal numbers. */
function snippetOf(bytes: Uint8Array): string {
  return [...bytes.subarray(0, 35)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The syntax of bodies, by media type. */
const FORMS: Readonly<Record<string, "json" | "yaml">> = Object.assign(Object.create(null), {
  "": "json",
  "application/json": "json",
  "*/*": "json",
  "application/yaml": "yaml",
});

/**
 * Reads an object of that kind; `apiVersion` and `kind` may be left out. Its source is kept if it is strict.
 *
 * @throws {Refusal} 400 if it is none; 413; 415
 */
export async function readObject(
  request: Request,
  { kind, strict }: { readonly kind: Kind; readonly strict: boolean },
): Promise<Decoded> {
  const prefix =
    `the object provided is unrecognized (must be of type ${kind.kind}): couldn't get version/kind; json parse error: `;
  const form = FORMS[contentTypeOf(request)];
  const text = form === undefined ? undefined : await readText(request);
  const value = text === undefined
    ? await readValue(request, prefix)
    : parseText(text, { yaml: form === "yaml", prefix });
  // NB: for Go, null is a struct without any field set.
  if (isObject(value) || (value === null && !kind.custom)) {
    const decoded = decodeBody(value ?? {}, kind);
    return text === undefined || form === undefined || !strict
      ? decoded
      : { ...decoded, source: { text, form } };
  }
  if (value === undefined) throw badRequest(`${prefix}unexpected end of JSON input (<empty>)`);
  const word = Array.isArray(value) ? "array" : typeof value;
  throw badRequest(`${prefix}json: cannot unmarshal ${word} into Go value of type ${kind.kind}`);
}

/** @throws {Refusal} 400, with the prefix before the parser's message. */
export function parseText(text: string, { yaml = false, prefix = "" }: ParseOptions = {}): unknown {
  if (text.trim() === "") return yaml ? null : undefined;
  try {
    // Go keeps whole numbers of 64 bits, and rounds larger ones.
    if (!yaml) checkDepth(text);
    const value = yaml ? parseLenientYaml(text).documents[0] ?? null : parseJson(text, 64);
    if (yaml) checkEndless(text, { value, prefix });
    return value;
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw badRequest(prefix + (error instanceof Error ? error.message : String(error)));
  }
}

/** How deep objects and lists may stand in each other. Source: Go, encoding/json, `maxNestingDepth`. */
const DEEPEST = 10_000;
const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const OPENING = [0x7b, 0x5b];
const CLOSING = [0x7d, 0x5d];

/** NB: an engine's own parser goes as deep as the stack lets it. @throws {Refusal} 400 for values that are nested too deeply. */
function checkDepth(text: string): void {
  if (text.length < 2 * DEEPEST) return;
  let depth = 0;
  let isText = false;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (isText && char === BACKSLASH) i++;
    else if (char === QUOTE) isText = !isText;
    else if (isText) continue;
    else if (OPENING.includes(char)) depth++;
    else if (CLOSING.includes(char)) depth--;
    if (depth > DEEPEST) throw badRequest("exceeded max depth");
  }
}

/** @throws {Refusal} 400 for YAML that holds itself by an alias. */
export function checkEndless(
  text: string,
  { value, prefix }: { readonly value: unknown; readonly prefix: string },
): void {
  if (!text.includes("*") || !isEndless(value, { above: new Set(), seen: new Set() })) return;
  const [, anchor = ""] = /&([^\s,[\]{}]+)/.exec(text) ?? [];
  const bytes = new TextEncoder().encode(text);
  const about = prefix.split("couldn't", 1)[0];
  const snippet = bytes.length > 30 ? `${snippetOf(bytes.subarray(0, 30))} ...` : snippetOf(bytes);
  throw badRequest(`${about}yaml: anchor '${anchor}' value contains itself (${snippet})`);
}

interface Walk {
  readonly above: Set<unknown>;
  /** NB: aliases of aliases make one value stand in a million places. */
  readonly seen: Set<unknown>;
}

function isEndless(value: unknown, walk: Walk): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (walk.above.has(value)) return true;
  if (walk.seen.has(value)) return false;
  walk.seen.add(value);
  walk.above.add(value);
  const found = Object.values(value).some((child) => isEndless(child, walk));
  walk.above.delete(value);
  return found;
}

export interface ParseOptions {
  readonly yaml?: boolean;
  readonly prefix?: string;
}
