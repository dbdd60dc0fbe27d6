/**
 * Puts the answer to an admission review together. Source: scenarios B101–B127, D11 (no patch for refused requests).
 */

import { AdmissionError, PermanentError, TemporaryError, toError } from "../../execution/errors.ts";
import { toBase64 } from "../../model/encoding.ts";
import { type JsonPatchOperation, toJsonPatch } from "../../model/json_patch.ts";
import type { Patch } from "../../model/patch.ts";
import { formatJson } from "../../runtime/json.ts";
import type { Logger } from "../../runtime/logging.ts";
import type { AdmissionAnswer } from "../../settings/admission_server.ts";
import type { Review } from "./review.ts";

export interface AnswerOptions {
  readonly review: Review;
  /** The errors that handlers threw, in their order. */
  readonly failures: readonly Error[];
  /** Whatever handlers have put there. */
  readonly warnings: readonly unknown[];
  /** The changes that handlers want. */
  readonly patch: Patch;
  readonly logger: Logger;
}

/** Answers with the verdict. Never throws: a patch that cannot be made is a refusal. */
export function answer({ review, failures, warnings, patch, logger }: AnswerOptions): AdmissionAnswer {
  const { operations, error } = failures.length > 0 ? nothing : operationsOf(patch, review, logger);
  const refusal = refusalOf(error === undefined ? failures : [error]);
  return {
    apiVersion: review.apiVersion,
    kind: review.kind,
    response: {
      uid: review.uid,
      allowed: refusal === undefined,
      ...warnings.length > 0 && { warnings: warnings.map(textOf) },
      ...operations.length > 0 &&
        { patch: toBase64(formatJson(operations)), patchType: "JSONPatch" as const },
      ...refusal !== undefined && { status: refusal },
    },
  };
}

interface Operations {
  readonly operations: readonly JsonPatchOperation[];
  readonly error?: Error;
}

const nothing: Operations = { operations: [] };

function operationsOf(patch: Patch, { body }: Review, logger: Logger): Operations {
  try {
    return { operations: toJsonPatch(patch, body) };
  } catch (thrown) {
    const error = toError(thrown);
    logger.error("Cannot change the object as handlers want it: the request is refused", { error });
    return { operations: [], error };
  }
}

/** How much an error has to say to whoever made the request: handlers refuse by admission errors, others just happen. */
const WEIGHTS = [AdmissionError, PermanentError, TemporaryError] as const;

/** Of several errors, one is told: the first of the weightiest class. */
function refusalOf(failures: readonly Error[]): AdmissionAnswer["response"]["status"] {
  const told = WEIGHTS.map((Class) => failures.find((error) => error instanceof Class))
    .find((error) => error !== undefined) ?? failures[0];
  if (told === undefined) return undefined;
  return { message: told.message === "" ? String(told) : told.message, code: codeOf(told) };
}

function codeOf(error: Error): number {
  const code: unknown = error instanceof AdmissionError ? error.code : undefined;
  // NB: API servers fail at codes that HTTP does not have.
  return Number.isSafeInteger(code) && Number(code) <= 599 ? Number(code) : 500;
}

function textOf(value: unknown): string {
  try {
    return String(value);
  } catch {
    return "A warning that cannot be read";
  }
}
