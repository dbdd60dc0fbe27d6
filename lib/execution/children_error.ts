/**
 * The error of children that cannot be brought in line.
 *
 * It stands here, since the code that runs handlers has to tell it from other errors: if the server is the cause, its one line
 * says it all.
 */

import { ApiError, messageOf } from "../client/errors.ts";
import { blamedOn } from "../runtime/call_site.ts";

/** A child that cannot be brought in line. */
export interface FailedChild {
  /** The author's name of it; of a map, "name.key". Of a kind of which no child is wanted any more, its plural. */
  readonly child: string;
  /** Its kind and its name, such as `Deployment "default/web"`; undefined where its kind is not known. */
  readonly title?: string;
  /** Why. */
  readonly error: unknown;
}

/** So many are named in a message: a map may have a thousand. */
const MOST_NAMED = 5;

/** The server repeats whole values, templates of Pods included. Longer ones are left out. In characters. */
const LONGEST_EXPLANATION = 400;

/**
 * Some children cannot be brought in line: the message names each child, its kind and the reason. Its `cause` is the first
 * error that a function of the author has thrown, else the error of the first child; none if the error repeats whole values
 * (`failed` has it).
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
    const first = failed.find(isThrown) ?? failed[0];
    const what = failed.length === 1 ? "child" : `${failed.length} children:`;
    // The log prints causes, too: an error that is too long for the message is too long for the log.
    const cause = isTooLong(first?.error) ? undefined : first?.error;
    super(`Cannot bring about ${what} ${listSome(explain(failed))}`, { cause });
    this.failed = failed;
    blamedOn(this);
  }

  /** Whether the author's code is at fault, such as `ready`, and not the server's answer: then the stack helps. */
  get isThrown(): boolean {
    return this.failed.some(isThrown);
  }
}

/** NB: a kind that is not served is a TypeError, too; but then there is no title. */
function isThrown({ title, error }: FailedChild): boolean {
  const isFault = error instanceof TypeError || error instanceof RangeError ||
    error instanceof ReferenceError;
  return title !== undefined && isFault;
}

/** Joins parts of a message; of many, the first ones. */
export function listSome(texts: readonly string[]): string {
  const more = texts.length - MOST_NAMED;
  return [...texts.slice(0, MOST_NAMED), ...more > 0 ? [`and ${more} more`] : []].join("; ");
}

/** Children with one and the same cause, such as a kind that must not be listed, are one part. */
function explain(failed: readonly FailedChild[]): readonly string[] {
  const byError = new Map<unknown, string[]>();
  for (const { child, title, error } of failed) {
    const titles = byError.get(error) ?? [];
    titles.push(title === undefined ? `"${child}"` : `"${child}" (${title})`);
    byError.set(error, titles);
  }
  return [...byError].map(([error, titles]) => `${listSome(titles)}: ${reasonOf(error)}${hint(error)}`);
}

/** Returns the reason of an error. A refusal is told without its request, as the child's title names it. */
function reasonOf(error: unknown): string {
  if (!(error instanceof ApiError)) return messageOf(error);
  const { status, reason = "", explanation } = error;
  if (!isTooLong(error)) return explanation;
  const fields = (error.details?.causes ?? []).map(({ field = "", message = "" }) =>
    `${field}: ${withoutValue(message)}`
  );
  return `${status} ${reason}: ${listSome(fields)}`;
}

function isTooLong(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 422 &&
    error.explanation.length > LONGEST_EXPLANATION &&
    (error.details?.causes ?? []).length > 0;
}

/** `Invalid value: {…}: field is immutable`. */
function withoutValue(message: string): string {
  const last = message.lastIndexOf(": ");
  return last < 0 || message.length <= LONGEST_EXPLANATION / 4 ? message : message.slice(last + 2);
}

/**
 * Says how the object can be made anew, where the server says of fields that they cannot be changed; the address of a Service
 * "may not change once set", and is named as an item of a list. Source: Kubernetes, `apimachinery/pkg/api/validation`: "field
 * is immutable".
 */
function hint(error: unknown): string {
  if (!(error instanceof ApiError) || error.status !== 422) return "";
  const causes = (error.details?.causes ?? []).filter(({ message = "" }) =>
    /immutable|forbidden|may not (be )?change/i.test(message)
  );
  const fields = [
    ...new Set(causes.map(({ field = "" }) => field.replace(/\[\d+\]$/, "")).filter((field) => field !== "")),
  ];
  if (fields.length === 0) return "";
  return ` (to have the object deleted and made anew: recreateOn: ${JSON.stringify(fields)})`;
}
