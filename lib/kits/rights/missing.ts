/**
 * Finds the rights that an operator needs and has not.
 *
 * One SelfSubjectRulesReview for each namespace tells all rights at once, but not always the whole truth: what it does not
 * show is asked for once more, one by one, before anything is said. Source: Kubernetes, "Checking API access".
 */

import type { Client } from "../../client/client.ts";
import { ApiError } from "../../client/errors.ts";
import { isObject } from "../../model/json.ts";
import type { JsonObject } from "../../model/object.ts";
import type { Need } from "./needs.ts";
import { type Right, rightKey } from "./rights.ts";

export interface MissingOptions {
  readonly client: Client;
  readonly needs: readonly Need[];
  /** The namespaces that are served. Undefined: the whole cluster. */
  readonly namespaces?: readonly string[];
  readonly signal: AbortSignal;
}

/** A right that is missing. */
export interface MissingRight extends Right {
  /** The parts that need it, such as 'handler "create"'. */
  readonly by: readonly string[];
}

const REVIEWS = { group: "authorization.k8s.io", version: "v1", namespaced: false } as const;

/** Which namespace is asked about where the whole cluster is meant: rules for all namespaces hold there, too. */
const ANY_NAMESPACE = "default";

/** Returns the missing rights; none where the server does not tell. */
export async function findMissingRights(options: MissingOptions): Promise<MissingRight[]> {
  const wanted = new Map<string, MissingRight>();
  for (const { group, resource, verb, by, namespaced, namespace: own, name } of options.needs) {
    const places = own !== undefined ? [own] : namespaced ? options.namespaces ?? [undefined] : [undefined];
    for (const namespace of places) {
      const right = {
        group,
        resource,
        verb,
        ...namespace !== undefined && { namespace },
        ...name !== undefined && { name },
      };
      const before = wanted.get(rightKey(right))?.by ?? [];
      wanted.set(rightKey(right), { ...right, by: before.includes(by) ? before : [...before, by] });
    }
  }
  const rules = new Map<string, readonly JsonObject[] | undefined>();
  const missing: MissingRight[] = [];
  for (const right of wanted.values()) {
    const place = right.namespace ?? ANY_NAMESPACE;
    if (!rules.has(place)) rules.set(place, await readRules(place, options));
    const found = rules.get(place);
    if (found === undefined) return [];
    if (found.some((rule) => grants(rule, right)) || await isAllowed(right, options)) continue;
    missing.push(right);
  }
  return missing;
}

async function readRules(
  namespace: string,
  { client, signal }: MissingOptions,
): Promise<readonly JsonObject[] | undefined> {
  const review = await ask(client, { plural: "selfsubjectrulesreviews", spec: { namespace }, signal });
  const rules = review?.resourceRules;
  return Array.isArray(rules) ? rules.filter(isObject) : undefined;
}

async function isAllowed(right: Right, { client, signal }: MissingOptions): Promise<boolean> {
  const { group, verb, namespace, name } = right;
  const [resource, subresource] = right.resource.split("/");
  const resourceAttributes = { group, verb, namespace, resource, subresource, name };
  const review = await ask(client, {
    plural: "selfsubjectaccessreviews",
    spec: { resourceAttributes },
    signal,
  });
  // NB: a server that does not tell has not refused.
  return review === undefined || review.allowed === true;
}

/** The status of a review; undefined where the server has no such thing. */
async function ask(
  client: Client,
  { plural, spec, signal }: { readonly plural: string; readonly spec: object; readonly signal: AbortSignal },
): Promise<JsonObject | undefined> {
  const kind = plural === "selfsubjectrulesreviews" ? "SelfSubjectRulesReview" : "SelfSubjectAccessReview";
  const body = { apiVersion: "authorization.k8s.io/v1", kind, spec };
  try {
    const { status } = await client.create<{ status?: unknown }>({ ...REVIEWS, plural }, body, {
      signal,
    });
    return isObject(status) ? status : undefined;
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

function grants(rule: JsonObject, { group, resource, verb }: Right): boolean {
  const has = (key: string, ...values: readonly string[]): boolean => {
    const list = rule[key];
    return Array.isArray(list) && values.some((value) => list.includes(value));
  };
  const isForAll = !Array.isArray(rule.resourceNames) || rule.resourceNames.length === 0;
  const subresource = resource.split("/")[1];
  const anyOwner = subresource === undefined ? [] : [`*/${subresource}`];
  return isForAll && has("verbs", verb, "*") && has("apiGroups", group, "*") &&
    has("resources", resource, "*", ...anyOwner);
}
