/**
 * Answers that are no resources: discovery, the version and OpenAPI, in the encoding that the client wants.
 *
 * Source: k8s.io/apiserver, pkg/endpoints/discovery; k8s.io/kube-openapi, pkg/handler.
 */

import { parseMediaTypes } from "../media_types.ts";
import { methodNotAllowed, notAcceptable, onlyAccepted } from "../refusal.ts";
import type { JsonObject } from "../../../model/object.ts";
import { encodedResponse } from "./respond.ts";
import { encodingOf, isPretty, PRODUCED } from "./shape.ts";

/** How a document is asked for. */
export interface DocumentOptions {
  /** The media types of the router before it, which knows no `application/*`. Default: there is none. */
  readonly produced?: readonly string[];
}

/**
 * Answers with a document of discovery.
 *
 * @throws {Refusal} 405 where a router is before it, and for other methods than GET; 406
 */
export function documentResponse(
  request: Request,
  document: JsonObject,
  { produced }: DocumentOptions = {},
): Response {
  if (produced !== undefined && request.method !== "GET") throw methodNotAllowed();
  const accept = request.headers.get("accept") ?? "";
  const wanted = parseMediaTypes(accept);
  if (produced !== undefined && accept !== "") {
    const isProduced = wanted.some(({ type }) => type === "*/*" || produced.includes(type));
    if (!isProduced) throw notAcceptable(produced);
  }
  const known = ["*/*", "application/*", ...produced ?? PRODUCED];
  const fits = accept === "" ||
    wanted.some(({ type, parameters }) =>
      known.includes(type) &&
      (produced?.length === 1 || !["as", "g", "v"].some((name) => parameters.has(name)))
    );
  if (!fits) throw onlyAccepted(PRODUCED);
  const encoding = produced?.length === 1 ? "json" : encodingOf(request);
  const pretty = isPretty(request, new URL(request.url).searchParams);
  return encodedResponse(document, { shape: { encoding, pretty } });
}

/** Tells whether a client takes a description of the API in one of these forms, or in any. */
export function takesDescription(request: Request, forms: readonly string[]): boolean {
  const accept = request.headers.get("accept") ?? "";
  const taken = ["*/*", "application/*", "application/json", ...forms];
  return accept === "" || parseMediaTypes(accept).some(({ type }) => taken.includes(type));
}

/** The answer to one that does not. */
export function noDescription(): Response {
  return new Response(null, { status: 406 });
}
