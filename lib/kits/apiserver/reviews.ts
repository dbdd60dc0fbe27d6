/**
 * Questions to the server that are posted as objects and never stored: about a user's name, and about the rights of users.
 *
 * Source: Kubernetes API reference, TokenReview, SelfSubjectReview, SubjectAccessReview and their like.
 */

import type { JsonObject } from "../../model/object.ts";
import type { Resource } from "../../model/resource.ts";
import type { ResourceWish, Wish } from "./access/attributes.ts";
import type { Gate } from "./access/gate.ts";
import { ISSUER } from "./access/tokens.ts";
import { ADMIN, type User, userInfo } from "./access/user.ts";
import { type Cause, invalid } from "./causes.ts";
import { badRequest, invalid as invalidObject } from "./refusal.ts";
import { getOwn, isObject, objectAt } from "./values.ts";

/** The user that asks, and the namespace. */
export interface Asking {
  readonly gate: Gate;
  readonly user: User;
  /** The namespace of the URL. */
  readonly namespace?: string;
}

interface Review {
  readonly group: string;
  readonly kind: string;
  readonly namespaced?: boolean;
  /** Returns the status that answers. */
  readonly answer: (spec: JsonObject, asking: Asking) => JsonObject;
  /** Returns the faults of the question. */
  readonly check?: (spec: JsonObject) => Cause[];
}

const ACCESS = { group: "authorization.k8s.io" };

const REVIEWS: readonly Review[] = [
  {
    group: "authentication.k8s.io",
    kind: "SelfSubjectReview",
    answer: (_spec, { user }) => ({ userInfo: userInfo(user) }),
  },
  { group: "authentication.k8s.io", kind: "TokenReview", answer: reviewToken },
  {
    ...ACCESS,
    kind: "LocalSubjectAccessReview",
    namespaced: true,
    check: subjectCauses,
    answer: reviewSubject,
  },
  {
    ...ACCESS,
    kind: "SelfSubjectAccessReview",
    check: attributeCauses,
    answer: (spec, { gate, user }) => decide(gate, user, spec),
  },
  {
    ...ACCESS,
    kind: "SelfSubjectRulesReview",
    answer: (spec, { gate, user }) => listRules(gate, user, String(getOwn(spec, "namespace") ?? "")),
  },
  { ...ACCESS, kind: "SubjectAccessReview", check: subjectCauses, answer: reviewSubject },
];

/** Returns the reviews as entries for discovery. */
export function reviewResources(): Resource[] {
  return REVIEWS.map(({ group, kind, namespaced = false }) => ({
    group,
    version: "v1",
    plural: `${kind.toLowerCase()}s`,
    singular: kind.toLowerCase(),
    kind,
    shortcuts: [],
    categories: [],
    subresources: [],
    namespaced,
    preferred: true,
    verbs: ["create"],
  }));
}

/** Finds the function that answers such a review; undefined if the kind is none. */
export function findReview(
  apiVersion: string,
  plural: string,
): ((question: JsonObject, asking: Asking) => JsonObject) | undefined {
  const review = REVIEWS.find(({ group, kind }) =>
    apiVersion === `${group}/v1` && plural === `${kind.toLowerCase()}s`
  );
  if (review === undefined) return undefined;
  const { group, kind } = review;
  return (question, asking) => {
    const spec = isObject(question.spec) ? question.spec : {};
    const causes = review.check?.(spec) ?? [];
    // NB: the real server forgets to say which kind it is.
    if (causes.length > 0) throw invalidObject({ group, plural, kind: "" }, "", causes);
    return {
      ...question,
      kind,
      apiVersion,
      metadata: {
        ...(isObject(question.metadata) ? question.metadata : {}),
        ...(asking.namespace === undefined ? {} : { namespace: asking.namespace }),
      },
      status: review.answer(spec, asking),
    };
  };
}

/** NB: a token that is unknown is an answer, not an error of the request. */
function reviewToken(spec: JsonObject, { gate }: Asking): JsonObject {
  const token = getOwn(spec, "token");
  if (typeof token !== "string" || token === "") {
    throw badRequest("token is required for TokenReview in authentication");
  }
  if (!gate.rbac && token === gate.adminToken) return { authenticated: true, user: userInfo(ADMIN) };
  const found = token === gate.adminToken ? { user: ADMIN, audiences: [ISSUER] } : gate.tokens.userOf(token);
  const wanted = Array.isArray(spec.audiences) ? spec.audiences.map(String) : [ISSUER];
  const audiences = found?.audiences.filter((audience) => wanted.includes(audience)) ?? [];
  if (found === undefined || audiences.length === 0) return { user: {}, error: "invalid bearer token" };
  return { authenticated: true, user: userInfo(found.user), audiences };
}

function reviewSubject(spec: JsonObject, { gate, namespace }: Asking): JsonObject {
  const attributes = objectAt(spec, "resourceAttributes");
  if (namespace !== undefined && String(attributes?.namespace ?? "") !== namespace) {
    throw badRequest(`spec.resourceAttributes.namespace must match namespace: ${namespace}`);
  }
  const groups = Array.isArray(spec.groups) ? spec.groups.map(String) : [];
  return decide(gate, { username: String(spec.user ?? ""), groups }, spec);
}

function decide(gate: Gate, user: User, spec: JsonObject): JsonObject {
  const { allowed, reason } = gate.decide(user, wishIn(spec));
  return { allowed, ...(reason === "" ? {} : { reason }) };
}

function wishIn(spec: JsonObject): Wish {
  const path = objectAt(spec, "nonResourceAttributes");
  if (path !== undefined) return { verb: String(path.verb ?? ""), path: String(path.path ?? "") };
  const attributes = objectAt(spec, "resourceAttributes") ?? {};
  const wish: Record<keyof ResourceWish, string> = {
    verb: "",
    group: "",
    resource: "",
    subresource: "",
    name: "",
    namespace: "",
  };
  for (const key of ["verb", "group", "resource", "subresource", "name", "namespace"] as const) {
    wish[key] = String(getOwn(attributes, key) ?? "");
  }
  return wish;
}

function attributeCauses(spec: JsonObject): Cause[] {
  const [resource, path] = [objectAt(spec, "resourceAttributes"), objectAt(spec, "nonResourceAttributes")];
  if (resource !== undefined && path !== undefined) {
    const detail = "cannot be specified in combination with resourceAttributes";
    const value = { Path: path.path ?? "", Verb: path.verb ?? "" };
    return [invalid("spec.nonResourceAttributes", { value, detail })];
  }
  if (resource !== undefined || path !== undefined) return [];
  const detail = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
  return [invalid("spec.resourceAttributes", { value: null, detail })];
}

function subjectCauses(spec: JsonObject): Cause[] {
  const isNamed = (spec.user ?? "") !== "" || (Array.isArray(spec.groups) && spec.groups.length > 0);
  if (isNamed) return attributeCauses(spec);
  const detail = "at least one of user or group must be specified";
  return [...attributeCauses(spec), invalid("spec.user", { value: "", detail })];
}

function listRules(gate: Gate, user: User, namespace: string): JsonObject {
  if (namespace === "") throw badRequest("no namespace on request");
  const everything = [
    { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
    { verbs: ["*"], nonResourceURLs: ["*"] },
  ];
  const rules = gate.rbac ? gate.authorizer.rulesFor(user, namespace) : everything;
  return {
    resourceRules: rules.filter(({ nonResourceURLs }) => nonResourceURLs === undefined),
    nonResourceRules: rules.filter(({ nonResourceURLs }) => nonResourceURLs !== undefined),
    incomplete: false,
  };
}
