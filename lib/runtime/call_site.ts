/**
 * Errors that point to the line of the author who called us, not to one of ours.
 *
 * V8 and JavaScriptCore both have `Error.captureStackTrace()`; where it is missing, stacks stay as they are.
 */

/** Returns the function, with what it throws pointing to its caller: the stack begins at the line of the call. */
export function calledFrom<Args extends readonly unknown[], Result>(
  fn: (...args: Args) => Result,
): (...args: Args) => Result {
  return function called(...args) {
    try {
      return fn(...args);
    } catch (error) {
      pointTo(error, called);
      throw error;
    }
  };
}

/** Makes the stack of an error that is being thrown begin at the caller of this function, which is running. */
export function pointTo(error: unknown, callee: (...args: never) => unknown): void {
  if (error instanceof Error) Error.captureStackTrace?.(error, callee);
}
