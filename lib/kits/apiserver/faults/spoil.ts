/**
 * One fault strikes one request.
 */

import type { Clock, Random, Seconds } from "../../../runtime/host.ts";
import { jsonResponse } from "../answers/respond.ts";
import type { Fault, RefuseFault, SilenceFault } from "./fault.ts";
import {
  connectionReset,
  cutInLine,
  delayLines,
  duplicateLines,
  fallSilent,
  firstLines,
  reorderLines,
  throughStream,
} from "./streams.ts";
import { encodeText } from "../formats/bytes.ts";

/** Kubernetes' reasons. Source: k8s.io/apimachinery, pkg/apis/meta/v1/types.go. */
const REASONS: Readonly<Record<number, string>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  406: "NotAcceptable",
  409: "Conflict",
  410: "Expired",
  413: "RequestEntityTooLarge",
  415: "UnsupportedMediaType",
  422: "Invalid",
  429: "TooManyRequests",
  500: "InternalError",
  503: "ServiceUnavailable",
  504: "Timeout",
};

/** All that a fault works with. */
export interface SpoilOptions {
  /** Lets the server serve the request. */
  readonly forward: () => Promise<Response>;
  readonly clock: Clock;
  readonly random: Random;
  /** Aborts when the client goes away. */
  readonly signal?: AbortSignal;
}

/**
 * Answers a request in the way of a fault.
 *
 * @throws {Error} With `code: "ECONNRESET"` where the connection breaks.
 */
export async function spoil(fault: Fault, options: SpoilOptions): Promise<Response> {
  const { forward, clock, random } = options;
  const after = (response: Response) => applied(fault, options, response);
  switch (fault.type) {
    case "refuse":
      return await after(refusal(fault));
    case "answer": {
      const headers = { "content-type": fault.contentType ?? "application/json" };
      return await after(new Response(fault.body, { status: fault.code ?? 200, headers }));
    }
    case "reset":
      await after(new Response());
      throw connectionReset();
    case "silence":
      return await silence(fault, options);
    case "delay":
      await clock.sleep(drawn(fault.seconds, random), options.signal);
      return await forward();
    case "cut": {
      const { lines = 0, where = "line-end", how = "reset" } = fault;
      const error = how === "reset" ? connectionReset() : undefined;
      return throughStream(await forward(), async function* (chunks) {
        if (where !== "line-end") {
          yield* cutInLine(chunks, { lines, inCharacter: where === "character", error });
          return;
        }
        yield* firstLines(chunks, lines);
        if (error !== undefined) throw error;
      });
    }
    case "error-event": {
      const { code, lines = 0 } = fault;
      const object = statusOf({ type: "refuse", code });
      return throughStream(await forward(), async function* (chunks) {
        yield* firstLines(chunks, lines);
        yield encodeText(`${JSON.stringify({ type: "ERROR", object })}\n`);
      });
    }
    case "lag": {
      const seconds = () => drawn(fault.seconds, random);
      return throughStream(await forward(), (chunks) => delayLines(chunks, { clock, seconds }));
    }
    case "duplicate":
      return throughStream(await forward(), duplicateLines);
    case "reorder":
      return throughStream(await forward(), reorderLines);
  }
}

/** Lets the server serve the request first, where the fault comes afterwards; its answer is lost. */
async function applied(fault: Fault, { forward }: SpoilOptions, response: Response): Promise<Response> {
  if (!("when" in fault) || fault.when !== "after") return response;
  const lost = await forward();
  await lost.body?.cancel();
  return response;
}

async function silence(fault: SilenceFault, options: SpoilOptions): Promise<Response> {
  const { lines } = fault;
  if (lines !== undefined) {
    return throughStream(await options.forward(), (chunks) => fallSilent(chunks, lines));
  }
  await applied(fault, options, new Response());
  return await new Promise<Response>((_resolve, reject) => {
    options.signal?.addEventListener("abort", () => reject(connectionReset()), { once: true });
  });
}

function refusal(fault: RefuseFault): Response {
  const headers = new Headers();
  if (fault.retryAfter !== undefined) headers.set("retry-after", String(fault.retryAfter));
  return jsonResponse(statusOf(fault), { code: fault.code, headers });
}

function statusOf({ code, reason = REASONS[code] ?? "", message, retryAfter }: RefuseFault): unknown {
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: message ?? `injected fault: ${code} ${reason}`.trimEnd(),
    reason,
    ...(retryAfter === undefined ? {} : { details: { retryAfterSeconds: retryAfter } }),
    code,
  };
}

function drawn(seconds: Seconds | readonly [Seconds, Seconds], random: Random): Seconds {
  if (typeof seconds === "number") return seconds;
  const [least, most] = seconds;
  return least + random.next() * (most - least);
}
