/**
 * Reviews over HTTP: a POST with an admission review to a path asks all handlers, one below the path the handler of that name.
 * A conversion review is known by its content, wherever it is sent.
 *
 * The client is not checked here: handlers are told the headers, and the client's certificate where one was verified.
 * Source: scenarios B128–B157.
 */

import { Hono, type MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { JsonObject } from "../../model/object.ts";
import { certificateFacts } from "../../runtime/certificate_facts.ts";
import type { Peer } from "../../runtime/host.ts";
import type { Logger } from "../../runtime/logging.ts";
import type {
  AdmissionAnswer,
  ConversionAnswer,
  ConvertFn,
  ReviewFn,
} from "../../settings/admission_server.ts";
import { isConversionReview } from "./conversion.ts";
import { parseReviewText, ReviewError } from "./review.ts";

export interface AdmissionAppOptions {
  readonly review: ReviewFn;
  readonly convert: ConvertFn;
  readonly logger: Logger;
  /** Begins with a slash, and does not end with one. Default: "", the root. */
  readonly path?: string;
  /** Whether each answer ends its connection. Default: it does not. */
  readonly isLeaving?: () => boolean;
}

/** Answers requests. */
export interface AdmissionApp {
  fetch(request: Request, peer?: Peer): Promise<Response>;
}

/** In bytes. Kubernetes takes requests of 3 MiB, and a review has an object twice. */
const LARGEST = 7 * 1024 * 1024;

/** All reviews that are being read and answered, in bytes: a review beyond this is told to come again. */
const LARGEST_TOGETHER = 64 * 1024 * 1024;

/** How many reviews are read and answered at once. */
const MOST_AT_ONCE = 500;

/** Makes the app that answers requests. */
export function admissionApp(options: AdmissionAppOptions): AdmissionApp {
  const app = new Hono<{ Bindings: { readonly peer: Peer | undefined } }>();
  const refuse = (): Response => plain("The review is too large", 413);
  const unsized = bodyLimit({ maxSize: LARGEST, onError: refuse });
  // `bodyLimit` asks for the body as a stream, whose making costs half of a review: API servers say how long it is.
  const limit: MiddlewareHandler = async (context, next) => {
    const length = context.req.header("content-length");
    if (length === undefined || context.req.header("transfer-encoding") !== undefined) {
      return await unsized(context, next);
    }
    if (!(Number(length) <= LARGEST)) return refuse();
    await next();
  };
  const open = { bytes: 0, reviews: 0 };
  app.use("*", async (context, next) => {
    if (context.req.method !== "POST") return await next();
    const bytes = Math.min(Number(context.req.header("content-length") ?? LARGEST) || 0, LARGEST);
    if (open.bytes + bytes > LARGEST_TOGETHER || open.reviews >= MOST_AT_ONCE) {
      return plain("There are too many reviews at once", 429, { "retry-after": "1", connection: "close" });
    }
    open.bytes += bytes;
    open.reviews++;
    try {
      await next();
    } finally {
      open.bytes -= bytes;
      open.reviews--;
    }
  });
  const { isLeaving = () => false } = options;
  app.post("*", limit, async (context) => {
    const response = await respond(context.req.raw, context.env.peer, options);
    if (isLeaving()) response.headers.set("connection", "close");
    return response;
  });
  app.all("*", () => plain("Method not allowed: reviews come by POST", 405, { allow: "POST" }));
  return { fetch: async (request, peer) => await app.fetch(request, { peer }) };
}

async function respond(
  request: Request,
  peer: Peer | undefined,
  options: AdmissionAppOptions,
): Promise<Response> {
  const { logger } = options;
  try {
    return Response.json(await answer(request, peer, options));
  } catch (error) {
    if (error instanceof ReviewError) {
      logger.warn("A review cannot be answered", { status: error.status, error, stack: false });
      return plain(error.message, error.status);
    }
    logger.error("A review cannot be answered, unexpectedly", { error });
    return plain("Internal server error", 500);
  }
}

/** @throws {ReviewError} If there is no answer. */
async function answer(
  request: Request,
  peer: Peer | undefined,
  { review, convert, path = "" }: AdmissionAppOptions,
): Promise<AdmissionAnswer | ConversionAnswer> {
  const webhook = webhookOf(request, path);
  requireJson(request);
  const payload = parseReviewText(await request.text());
  if (isConversionReview(payload)) return convert(payload);
  return await review(payload, {
    webhook: webhook === "" ? undefined : webhook,
    headers: Object.fromEntries(request.headers),
    sslpeer: peerOf(peer),
    signal: request.signal,
  });
}

/** Returns the part of the path below the server's own: an id may have slashes. @throws {ReviewError} */
function webhookOf(request: Request, path: string): string {
  const { pathname } = new URL(request.url);
  if (pathname !== path && !pathname.startsWith(`${path}/`)) {
    throw new ReviewError(404, `There is nothing at "${pathname}": reviews go to "${path}/"`);
  }
  try {
    return decodeURIComponent(pathname.slice(path.length + 1));
  } catch {
    throw new ReviewError(400, `Cannot read the path "${pathname}": it is not well encoded`);
  }
}

/** @throws {ReviewError} */
function requireJson(request: Request): void {
  const type = request.headers.get("content-type") ?? "";
  if (type.split(";")[0]?.trim().toLowerCase() === "application/json") return;
  throw new ReviewError(415, `Reviews are "application/json", not "${type.slice(0, 100)}"`);
}

function peerOf(peer: Peer | undefined): JsonObject {
  const certificate = peer?.certificate;
  return certificate === undefined ? {} : { ...certificateFacts(certificate) };
}

function plain(text: string, status: number, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(`${text}\n`, {
    status,
    headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store", ...headers },
  });
}
