/**
 * The way of every request: its user is found out, its answer is counted, kept and told to the audit log.
 */

import type { Hono } from "hono";
import type { Host } from "../../runtime/host.ts";
import { forbiddenWish, targetOf, type Wish, wishOf } from "./access/attributes.ts";
import type { Credentials, Gate } from "./access/gate.ts";
import type { User } from "./access/user.ts";
import type { AuditLog } from "./audit/audit_log.ts";
import type { AuditRecord } from "./audit/audit_record.ts";
import { badRequest, internal, Refusal } from "./refusal.ts";
import { refusalResponse } from "./answers/respond.ts";
import { encodingOf, isPretty } from "./answers/shape.ts";
import { timeoutIn } from "./options/timeout.ts";
import type { Asked } from "./routes.ts";
import type { RequestMetrics } from "./request_metrics.ts";
import type { StateFolder } from "./state/state_folder.ts";

const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** All that requests pass on their way. */
export interface FrontOptions {
  readonly host: Host;
  readonly app: Hono<Asked>;
  readonly gate: Gate;
  readonly metrics: RequestMetrics;
  readonly audit: AuditLog | undefined;
  readonly state: StateFolder | undefined;
}

/** Answers a request. Does not throw. */
export async function answerRequest(
  { host, app, gate, metrics, audit, state }: FrontOptions,
  request: Request,
  credentials: Credentials,
): Promise<Response> {
  const { clock } = host;
  const target = targetOf(request.url);
  const wish = wishOf(request, target);
  const [received, begin] = [clock.now(), clock.monotonic()];
  let [known, user]: (User | undefined)[] = [];
  let record: AuditRecord | undefined;
  let response: Response;
  metrics.begin();
  try {
    known = gate.authenticate(request, credentials, wish);
    record = audit?.begin(request, wish, known);
    user = admit(gate, { request, known, wish, record });
    // A `timeout` that is no duration is refused, whatever the request is about.
    timeoutIn(target.url.searchParams);
    if ("path" in wish && wish.path === "/metrics") {
      response = new Response(metrics.format(), { headers: { "content-type": METRICS_TYPE } });
    } else {
      const asked = await record?.keepRequest(request) ?? request;
      response = await app.fetch(asked, { user, target, record });
      if (state?.isBehind && !(state.hasFailed && request.method === "GET")) await state.kept();
    }
  } catch (error) {
    if (known === undefined) record = audit?.begin(request, wish, undefined);
    response = refuse(error, request, record);
  }
  if (!response.headers.has("cache-control")) response.headers.set("cache-control", "no-cache, private");
  metrics.end({ wish, code: response.status, seconds: clock.monotonic() - begin });
  if (audit === undefined || record === undefined) return response;
  await record.keepResponse(response);
  // NB: as on the real server, a client that has the answer finds it in the log.
  await audit.add(record, { code: response.status, received });
  return response;
}

interface Knock {
  readonly request: Request;
  readonly known: User;
  readonly wish: Wish;
  readonly record: AuditRecord | undefined;
}

/**
 * Returns the user of a request, after impersonation.
 *
 * @throws {Refusal} If the request may not be made.
 */
function admit(gate: Gate, { request, known, wish, record }: Knock): User {
  const user = gate.impersonate(request, known);
  if (user !== known) record?.impersonate(user, gate.constraintFor(known, user, wish));
  const decision = gate.decide(user, wish);
  record?.decide(decision);
  if (!decision.allowed) throw forbiddenWish(user, wish, decision.reason);
  return user;
}

/** The answer to an error, in the encoding that the request wants. */
export function refuse(error: unknown, request: Request, record?: AuditRecord): Response {
  const query = new URL(request.url).searchParams;
  const refusal = toRefusal(error);
  record?.refuse(refusal);
  return refusalResponse(refusal, {
    encoding: encodingOf(request),
    pretty: isPretty(request, query),
  });
}

/** NB: bodies of many thousand levels are JSON, but too deep to be walked; the real server stops at 10,000. */
function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const isTooDeep = error instanceof RangeError && error.message.includes("call stack");
  return isTooDeep
    ? badRequest("exceeded max depth")
    : internal(error instanceof Error ? error.message : String(error));
}
