/**
 * Questions to the server that are posted as objects and never stored: who am I, and what may I do.
 *
 * Everyone may do everything here.
 */

import type { JsonObject } from "../../model/object.ts";
import type { Resource } from "../../model/resource.ts";
import { isObject } from "./values.ts";

interface Review {
  readonly group: string;
  readonly kind: string;
  readonly namespaced?: boolean;
  /** Gives the status that answers. */
  readonly answer: (spec: JsonObject) => JsonObject;
}

const USER = { username: "kubernetes-admin", groups: ["system:masters", "system:authenticated"] };
const ALLOWED = { allowed: true };
const EVERYTHING = {
  resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }],
  nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
  incomplete: false,
};

const REVIEWS: readonly Review[] = [
  { group: "authentication.k8s.io", kind: "SelfSubjectReview", answer: () => ({ userInfo: USER }) },
  {
    group: "authentication.k8s.io",
    kind: "TokenReview",
    answer: () => ({ authenticated: true, user: USER }),
  },
  {
    group: "authorization.k8s.io",
    kind: "LocalSubjectAccessReview",
    namespaced: true,
    answer: () => ALLOWED,
  },
  { group: "authorization.k8s.io", kind: "SelfSubjectAccessReview", answer: () => ALLOWED },
  { group: "authorization.k8s.io", kind: "SelfSubjectRulesReview", answer: () => EVERYTHING },
  { group: "authorization.k8s.io", kind: "SubjectAccessReview", answer: () => ALLOWED },
];

/** Gives the reviews as entries for discovery. */
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
): ((question: JsonObject) => JsonObject) | undefined {
  const review = REVIEWS.find(({ group, kind }) =>
    apiVersion === `${group}/v1` && plural === `${kind.toLowerCase()}s`
  );
  if (review === undefined) return undefined;
  return (question) => ({
    ...question,
    kind: review.kind,
    apiVersion,
    metadata: isObject(question.metadata) ? question.metadata : {},
    status: review.answer(isObject(question.spec) ? question.spec : {}),
  });
}
