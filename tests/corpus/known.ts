/**
 * Differences that are known, each with its reason. They count as differences, and make no run fail.
 */

import type { Difference } from "./comparison.ts";

/** A difference with a reason. */
export interface KnownDifference {
  readonly reason: string;
  matches(difference: Difference): boolean;
}

/** Of refusals that name the same causes. */
export const ORDER = "the real server walks through the fields of an object in random order";

export const KNOWN: readonly KnownDifference[] = [
  {
    reason: "certificates in Secrets are not looked at",
    matches: ({ path, theirs }) => path.startsWith("warnings") && /"tls: /.test(String(theirs)),
  },
  {
    reason: "an empty map or list that is left out when it is read is shown as null in a refusal",
    matches: ({ ours, theirs }) =>
      ["{}", "[]"].some((empty) =>
        String(ours).includes("value: null:") &&
        String(ours).replace("value: null:", `value: ${empty}:`) === String(theirs)
      ),
  },
  {
    reason: "failure policies of Jobs are not checked",
    matches: ({ path, theirs }) =>
      path === "body.message" && String(theirs).includes("spec.podFailurePolicy"),
  },
  {
    reason: "rules below a type that is none are not refused as well",
    matches: ({ theirs }) => JSON.stringify(theirs ?? null).includes("failed to construct type information"),
  },
  {
    reason: "of a version that a refusal prints whole, only the schema has Go's names of fields",
    matches: ({ ours, theirs }) =>
      String(ours).includes('"jsonPath":') && String(theirs).includes('"JSONPath":'),
  },
];
