/**
 * Errors that point to the line of the author who called us, not to one of ours.
 *
 * V8 and JavaScriptCore both have `Error.captureStackTrace()`; where it is missing, stacks stay as they are.
 */

/** Returns the function, with its errors pointing to its caller: the stack begins at the line of the call. */
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

/** The place from which a function was called. It has no text of its own: a declaration that has moved is the same. */
export class CallSite {
  readonly #error = new Error();

  /** @param callee A function that is running. */
  constructor(callee: (...args: never) => unknown) {
    Error.captureStackTrace?.(this.#error, callee);
  }

  /** The caller's lines. Stacks are made into text when they are read. */
  get frames(): readonly string[] {
    return framesIn(this.#error);
  }

  /** The caller's file and line, such as "/app/handlers.ts:12:4"; undefined if the runtime does not tell. */
  get place(): string | undefined {
    for (const frame of this.frames) {
      const line = frame.trim();
      const place = line.endsWith(")")
        ? line.slice(line.lastIndexOf("(") + 1, -1)
        : line.slice(line.lastIndexOf(" ") + 1);
      // Frames of the runtime itself have none.
      if (/:\d+$/.test(place)) return place.replace(/^file:\/\//, "");
    }
    return undefined;
  }
}

/**
 * Returns the error with the frames of that place and no others; without a place, with none: where the author is at fault, ours
 * do not help, and `awaitedFrom()` adds the author's.
 */
export function blamedOn<E extends Error>(error: E, site?: CallSite): E {
  setStack(error, [`${error.name}: ${error.message}`, ...site?.frames ?? []]);
  return error;
}

/** Makes the stack of an error that is being thrown begin at the caller of this function, which is running. */
export function pointTo(error: unknown, callee: (...args: never) => unknown): void {
  if (error instanceof Error) Error.captureStackTrace?.(error, callee);
}

export interface BlameOptions {
  /** Called with an error before the caller's frames are added. Must not throw. Default: not called. */
  readonly before?: (error: Error) => void;
}

/**
 * The same for functions that return promises: their errors point to the caller, which is on no stack by then.
 *
 * Engines keep the lines of functions that await; whoever returns a promise, or chains one, is lost without this. The frames
 * of the caller follow the frames of the error itself, which show its origin.
 */
export function awaitedFrom<Args extends readonly unknown[], Result>(
  fn: (...args: Args) => Promise<Result>,
  { before, tell }: BlameOptions & { readonly tell?: (answer: Promise<unknown>) => void } = {},
): (...args: Args) => Promise<Result> {
  return function called(...args) {
    // Stacks are made into text when they are read: a stack that is never read costs little. Not by `captureStackTrace()`, which
    // costs three times as much on JavaScriptCore.
    const site = new Error();
    const answer = fn(...args).catch((error: unknown) => {
      if (error instanceof Error) {
        before?.(error);
        addFrames(error, callersIn(site));
      }
      throw error;
    });
    tell?.(answer);
    return answer;
  };
}

/** The same for functions that return iterators. */
export function iteratedFrom<Args extends readonly unknown[], Item>(
  fn: (...args: Args) => AsyncIterable<Item>,
  { before, tell }: BlameOptions & {
    readonly tell?: (items: AsyncGenerator<unknown, void, void>) => void;
  } = {},
): (...args: Args) => AsyncGenerator<Item, void, void> {
  return function called(...args) {
    const site = new Error();
    const items = pointed(fn(...args), { site, before });
    tell?.(items);
    return items;
  };
}

async function* pointed<Item>(
  items: AsyncIterable<Item>,
  { site, before }: BlameOptions & { readonly site: Error },
): AsyncGenerator<Item, void, void> {
  try {
    yield* items;
  } catch (error) {
    if (error instanceof Error) {
      before?.(error);
      addFrames(error, callersIn(site));
    }
    throw error;
  }
}

/**
 * Cuts off the frames below a handler that has failed: they are ours, and the same each time. `caller` is the
 * name of the function that has called it. Other stacks, and stacks without it, stay as they are. Never throws, whatever the
 * author has thrown.
 */
export function cutAtCaller(error: Error, caller: string): void {
  let cause: unknown = error;
  try {
    for (let depth = 0; cause instanceof Error && depth < MOST_CAUSES; cause = cause.cause, depth++) {
      const lines = cause.stack?.split("\n") ?? [];
      let last = lines.findIndex((line) => isFrameOf(line, caller));
      // The frames that pass the context on are in between.
      while (last > 1 && PASSES_CONTEXT.test(lines[last - 1] ?? "")) last--;
      if (last > 1) setStack(cause, lines.slice(0, last));
    }
  } catch {
    // A cause that throws when it is looked at: the stack is the author's as it is.
  }
}

/** Puts another stack on an error. One that is frozen keeps its own. */
function setStack(error: Error, lines: readonly string[]): void {
  Reflect.set(error, "stack", lines.join("\n"));
}

const MOST_CAUSES = 8;

const PASSES_CONTEXT = /\b(async_hooks|AsyncLocalStorage\.run|Context\.run)\b/;

function isFrameOf(line: string, name: string): boolean {
  const words = line.trim().split(" ");
  return words[0] === "at" && (words[1] === name || (words[1] === "async" && words[2] === name));
}

function addFrames(error: Error, frames: readonly string[]): void {
  const [first] = frames;
  const { stack = `${error.name}: ${error.message}` } = error;
  if (first === undefined || stack.includes(first.trim())) return;
  setStack(error, [stack, ...frames]);
}

/** The frames below the one in which the error was made. */
function callersIn(error: Error): readonly string[] {
  return framesIn(error).slice(1);
}

function framesIn({ stack = "" }: Error): readonly string[] {
  return stack.split("\n").filter((line) => /^\s+at /.test(line));
}
