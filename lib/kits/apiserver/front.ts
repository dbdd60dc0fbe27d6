/**
 * The way of every request: who asks is found out, the answer is counted, kept and told to the audit log.
 */

import type { Hono } from "hono";
import type { Host } from "../../runtime/host.ts";
import { targetOf, wishOf } from "./access/attributes.ts";
import type { Credentials, Gate } from "./access/gate.ts";
import type { User } from "./access/user.ts";
import type { AuditLog } from "./audit_log.ts";
import type { FlowControl } from "./flowcontrol/flow_control.ts";
import { badRequest, internal, Refusal } from "./refusal.ts";
import { refusalResponse } from "./requests/respond.ts";
import { encodingOf, isPretty } from "./requests/shape.ts";
import { timeoutIn } from "./requests/timeout.ts";
import type { Asked } from "./routes.ts";
import type { RequestMetrics } from "./request_metrics.ts";
import type { StateFolder } from "./state/state_folder.ts";

const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** All that requests pass on their way. */
export interface FrontOptions {
  readonly host: Host;
  readonly app: Hono<Asked>;
  readonly gate: Gate;
  readonly flows: FlowControl;
  readonly metrics: RequestMetrics;
  readonly audit: AuditLog | undefined;
  readonly state: StateFolder | undefined;
}

/** Answers a request. Does not throw. */
export async function answerRequest(
  { host, app, gate, flows, metrics, audit, state }: FrontOptions,
  request: Request,
  credentials: Credentials,
): Promise<Response> {
  const { clock } = host;
  const target = targetOf(request.url);
  const wish = wishOf(request, target);
  const [received, begin] = [clock.now(), clock.monotonic()];
  let user: User | undefined;
  let response: Response;
  metrics.begin();
  try {
    user = gate.admit(request, credentials, wish);
    // What is no duration is refused, whatever the request is about.
    timeoutIn(target.url.searchParams);
    if ("path" in wish && wish.path === "/metrics") {
      response = new Response(metrics.format(), { headers: { "content-type": METRICS_TYPE } });
    } else {
      response = await app.fetch(request, { user, target });
      if (request.method !== "GET") await state?.kept();
    }
  } catch (error) {
    response = refuse(error, request);
  }
  if (!response.headers.has("cache-control")) response.headers.set("cache-control", "no-cache, private");
  if (user !== undefined) flows.mark(response.headers, { user, wish });
  metrics.end({ wish, code: response.status, seconds: clock.monotonic() - begin });
  audit?.add({ request, wish, user, code: response.status, received });
  return response;
}

/** The answer to an error, in the encoding that the request wants. */
export function refuse(error: unknown, request: Request): Response {
  const query = new URL(request.url).searchParams;
  return refusalResponse(toRefusal(error), {
    encoding: encodingOf(request),
    pretty: isPretty(request, query),
  });
}

/** NB: bodies of many thousand levels are JSON, but nothing that could be walked; the real server stops at 10,000. */
function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const isTooDeep = error instanceof RangeError && error.message.includes("call stack");
  return isTooDeep
    ? badRequest("exceeded max depth")
    : internal(error instanceof Error ? error.message : String(error));
}
