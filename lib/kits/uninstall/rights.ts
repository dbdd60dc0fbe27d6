/** The rights that leaving a cluster needs: asked for before anything is changed, so that no work is left half done. */

import type { Client } from "../../client/client.ts";
import { ApiError } from "../../client/errors.ts";
import { isObject } from "../../model/json.ts";
import { groupResource, type Resource } from "../../model/resource.ts";

/** A right to act on objects of a kind. */
export interface NeededRight {
  readonly resource: Resource;
  readonly verb: "delete" | "list" | "patch";
  readonly subresource?: string;
  readonly namespace: string | undefined;
}

const REVIEWS = {
  group: "authorization.k8s.io",
  version: "v1",
  plural: "selfsubjectaccessreviews",
  namespaced: false,
} as const;

/** Asks for each right once. Returns a sentence about each that is missing; a server that does not tell has not refused. */
export async function missingRights(client: Client, needed: readonly NeededRight[]): Promise<string[]> {
  const missing: string[] = [];
  for (const right of new Map(needed.map((each) => [titleOf(each), each])).values()) {
    if (!await isAllowed(client, right)) missing.push(`You may not ${titleOf(right)}`);
  }
  return missing;
}

async function isAllowed(
  client: Client,
  { resource: { group, plural }, verb, namespace, subresource }: NeededRight,
): Promise<boolean> {
  const resourceAttributes = { group, resource: plural, verb, namespace, subresource };
  const body = {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SelfSubjectAccessReview",
    spec: { resourceAttributes },
  };
  try {
    const { status } = await client.create<{ status?: unknown }>(REVIEWS, body);
    return !isObject(status) || status.allowed !== false;
  } catch (error) {
    if (error instanceof ApiError) return true;
    throw error;
  }
}

function titleOf({ resource, verb, namespace, subresource }: NeededRight): string {
  const kind = groupResource(resource) + (subresource === undefined ? "" : `/${subresource}`);
  return `${verb} ${kind}${namespace === undefined ? "" : ` in "${namespace}"`}`;
}
