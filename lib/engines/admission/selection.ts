/**
 * Which admission handlers a request is for.
 *
 * Source: Kopf, B §3.2, item 5; deviation D11 (operations count here, too, whatever the webhook's configuration says).
 */

import type { Resource } from "../../model/resource.ts";
import { AdmissionArgs } from "../../registry/args.ts";
import type { AdmissionCause } from "../../registry/causes.ts";
import { findMismatch } from "../../registry/filters.ts";
import type { AdmissionHandler } from "../../registry/handlers.ts";
import type { ReviewHints } from "../../settings/admission_server.ts";
import type { Review } from "./review.ts";

export interface SelectionOptions {
  readonly review: Pick<Review, "operation" | "subresource">;
  readonly resource: Resource;
  readonly hints: ReviewHints;
  readonly served: ReadonlyMap<AdmissionHandler, readonly Resource[]>;
}

/** Gives the handlers whose declaration fits the request, in order; what they filter by was not looked at yet. */
export function candidatesFor({ review, resource, hints, served }: SelectionOptions): AdmissionHandler[] {
  const { reason, webhook } = hints;
  const cause = reason && (reason === "validating" ? "validate" : "mutate");
  return [...served].flatMap(([handler, resources]) => {
    const isCandidate = resources.includes(resource) &&
      (cause === undefined || handler.cause === cause) &&
      (webhook === undefined || handler.id === webhook) &&
      isForSubresource(handler, review.subresource) &&
      isForOperation(handler, review.operation);
    return isCandidate ? [handler] : [];
  });
}

/** Gives the first of the handler's filters that does not hold; undefined if all do. @throws What a predicate throws. */
export function mismatchOf(handler: AdmissionHandler, cause: AdmissionCause): string | undefined {
  return findMismatch(handler, { body: cause.body, args: () => new AdmissionArgs(cause) });
}

function isForSubresource({ subresource }: AdmissionHandler, wanted: string | undefined): boolean {
  return subresource === "*" || subresource === wanted;
}

/** What is deleted cannot be changed: handlers that mutate must ask for it explicitly. */
function isForOperation({ cause, operations }: AdmissionHandler, wanted: Review["operation"]): boolean {
  if (wanted === "DELETE" && cause === "mutate") return operations?.join() === "DELETE";
  return operations === undefined || operations.includes(wanted);
}
