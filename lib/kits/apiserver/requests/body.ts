/**
 * Request bodies: how large they may be, and what they must hold.
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import { parseYaml } from "../../../runtime/yaml.ts";
import type { Kind } from "../kinds.ts";
import { badRequest, entityTooLarge, unsupportedMediaType } from "../refusal.ts";
import { isObject } from "../values.ts";
import { concat } from "./respond.ts";
import { parseMediaTypes } from "./shape.ts";

/** Source: k8s.io/apiserver, pkg/server/config.go, MaxRequestBodyBytes. */
export const BODY_LIMIT = 3 * 1024 * 1024;

/**
 * Gives the whole body as text.
 *
 * @throws {Refusal} 413 if it is too large, 400 if it is not UTF-8.
 */
export async function readText(request: Request): Promise<string> {
  const announced = Number(request.headers.get("content-length") ?? 0);
  if (announced > BODY_LIMIT) throw entityTooLarge(BODY_LIMIT);
  const bytes = announced > 0 ? new Uint8Array(await request.arrayBuffer()) : await readStream(request);
  if (bytes.length > BODY_LIMIT) throw entityTooLarge(BODY_LIMIT);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw badRequest("the request body is not valid UTF-8");
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
  return parseMediaTypes(request.headers.get("content-type") ?? "")[0]?.type ?? "";
}

/**
 * Reads JSON, or YAML where the content type says so.
 *
 * @throws {Refusal} 415 for other content types, 400 for text that cannot be parsed.
 */
export async function readValue(request: Request): Promise<unknown> {
  const type = contentTypeOf(request);
  if (type !== "" && type !== "application/json" && type !== "application/yaml" && type !== "*/*") {
    throw unsupportedMediaType([
      "application/json",
      "application/yaml",
      "application/vnd.kubernetes.protobuf",
    ]);
  }
  return parseText(await readText(request), type === "application/yaml");
}

/** @throws {Refusal} 400 */
export function parseText(text: string, yaml = false): unknown {
  if (text.trim() === "") return undefined;
  try {
    return yaml ? parseYaml(text)[0] : JSON.parse(text);
  } catch (error) {
    throw badRequest(
      `couldn't get version/kind; json parse error: ${error instanceof Error ? error.message : error}`,
    );
  }
}

/**
 * Reads an object of that kind; `apiVersion` and `kind` may be left out.
 *
 * @throws {Refusal} 400 if it is none.
 */
export async function readObject(request: Request, kind: Kind): Promise<KubeObject> {
  const value = await readValue(request);
  if (!isObject(value)) throw badRequest(`the request body is not an object of kind ${kind.kind}`);
  return asKind(value, kind);
}

/**
 * Takes a value for an object of that kind, in the shape in which it is stored. Its metadata is still unchecked.
 *
 * @throws {Refusal} 400 if it says that it is something else.
 */
export function asKind(value: JsonObject, kind: Kind): KubeObject {
  const { apiVersion = kind.apiVersion, kind: name = kind.kind } = value;
  if (name !== kind.kind) {
    throw badRequest(
      `the object provided is unrecognized (must be of type ${kind.kind}): ${name} in version ${apiVersion}`,
    );
  }
  if (apiVersion !== kind.apiVersion) {
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${kind.apiVersion})`,
    );
  }
  const stored = kind.conversion?.toStored(value) ?? value;
  const { metadata = {}, ...rest } = stored;
  // readMetadata() narrows `metadata` before anything else reads it.
  const object = { apiVersion, kind: name, metadata, ...rest } as KubeObject;
  return object;
}
