/** The error of children that cannot be brought in line. */

import { ApiError, messageOf } from "../../client/errors.ts";

/** A child that cannot be brought in line. */
export interface FailedChild {
  /** The author's name of it; of a map, "name.key". */
  readonly child: string;
  /** Why. */
  readonly error: unknown;
}

/**
 * Some children cannot be brought in line: the message says which, and why. Its `cause` is the error of the first.
 *
 * It counts as any other error of a handler: it is tried again unless the handler says otherwise.
 */
export class ChildrenError extends Error {
  /** Always "ChildrenError". */
  override readonly name = "ChildrenError";
  /** All of them. */
  readonly failed: readonly FailedChild[];

  /** Makes the error. */
  constructor(failed: readonly FailedChild[]) {
    const said = failed.map(({ child, error }) => `"${child}": ${messageOf(error)}${hint(error)}`);
    super(`Cannot bring about ${said.join("; ")}`, { cause: failed[0]?.error });
    this.failed = failed;
  }
}

/** Source: Kubernetes, `apimachinery/pkg/api/validation`: "field is immutable". */
function hint(error: unknown): string {
  if (!(error instanceof ApiError) || error.status !== 422) return "";
  const causes = (error.details?.causes ?? []).filter(({ message = "" }) =>
    /immutable|forbidden/i.test(message)
  );
  const fields = [...new Set(causes.map(({ field = "" }) => field).filter((field) => field !== ""))];
  if (fields.length === 0) return "";
  return ` (to have the object deleted and made anew: recreateOn: ${JSON.stringify(fields)})`;
}
