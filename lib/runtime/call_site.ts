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

/**
 * The same for functions that return promises: what they reject with points to the caller, who is on no stack by then.
 *
 * Engines keep the lines of functions that await; whoever returns a promise, or chains one, is lost without this. The frames
 * of the caller follow those of the error itself, which is where it came from.
 */
export function awaitedFrom<Args extends readonly unknown[], Result>(
  fn: (...args: Args) => Promise<Result>,
): (...args: Args) => Promise<Result> {
  return function called(...args) {
    // Stacks are made into text when they are read: one that nobody reads costs little. NB: not by `captureStackTrace()`, which
    // costs three times as much on JavaScriptCore.
    const site = new Error();
    return fn(...args).catch((error: unknown) => {
      if (error instanceof Error) addFrames(error, callersIn(site));
      throw error;
    });
  };
}

/** The same for functions that return what is iterated over. */
export function iteratedFrom<Args extends readonly unknown[], Item>(
  fn: (...args: Args) => AsyncIterable<Item>,
): (...args: Args) => AsyncGenerator<Item, void, void> {
  return function called(...args) {
    const site = new Error();
    return pointed(fn(...args), site);
  };
}

async function* pointed<Item>(
  items: AsyncIterable<Item>,
  site: Error,
): AsyncGenerator<Item, void, void> {
  try {
    yield* items;
  } catch (error) {
    if (error instanceof Error) addFrames(error, callersIn(site));
    throw error;
  }
}

function addFrames(error: Error, frames: readonly string[]): void {
  const [first] = frames;
  const { stack = `${error.name}: ${error.message}` } = error;
  if (first === undefined || stack.includes(first.trim())) return;
  error.stack = [stack, ...frames].join("\n");
}

/** The frames below the one in which the error was made. */
function callersIn({ stack = "" }: Error): readonly string[] {
  return stack.split("\n").filter((line) => /^\s+at /.test(line)).slice(1);
}
