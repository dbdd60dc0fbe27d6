/**
 * The waiting of one attempt of a handler: for sub-handlers, or for children.
 *
 * An attempt that waits ends without an error, and its handler is called again. The rest of its function must not run, and neither
 * must a `catch` of the author's, which would take the wait for a failure: so the promise that the function awaits never settles.
 * Source: docs/decisions/0034-waiting.md.
 */

/**
 * Ends an attempt that is no failure: sub-handlers are unfinished, or children are not ready. The handler is called again, and
 * no attempt is counted. No function of an author meets it.
 */
export class Postponed extends Error {
  override readonly name: string = "Postponed";
  /** In seconds; 0: at once. */
  readonly delay: number;

  /** @param reason The thing that the handler waits for. @param delay In seconds; 0: at once. */
  constructor(reason: string, delay: number) {
    super(reason);
    this.delay = delay;
  }
}

/** The waiting of one attempt. */
export class Waiting {
  #end: ((postponed: Postponed) => void) | undefined;
  #isOver = false;
  /** The attempt was ended before its function had returned a promise. */
  #ended: Postponed | undefined;
  #postponed: Postponed | undefined;

  /** The wait that follows an attempt whose function has returned; undefined: none does. */
  get postponed(): Postponed | undefined {
    return this.#postponed;
  }

  /** The attempt waits when its function has returned. The shortest of several waits counts. */
  later(postponed: Postponed): void {
    if (this.#postponed === undefined || postponed.delay < this.#postponed.delay) this.#postponed = postponed;
  }

  /**
   * Ends the attempt now. Returns a promise that never settles, so that the function stands still, and is collected as garbage.
   *
   * @throws {Postponed} If the function has ended already, as it has not awaited its own call.
   */
  end(postponed: Postponed): Promise<never> {
    if (this.#isOver) return Promise.reject(postponed);
    if (this.#end === undefined) this.#ended = postponed;
    else this.#end(postponed);
    // NB: a new one each time: a shared one would keep each function that has ever awaited it.
    return new Promise<never>(() => {});
  }

  /** Returns the result of the attempt's function. @throws {Postponed} If the attempt is ended before. */
  endOf(result: unknown): unknown {
    if (!isThenable(result)) {
      this.#isOver = true;
      return result;
    }
    return new Promise((resolve, reject) => {
      const isOver = (): void => void (this.#isOver = true);
      this.#end = reject;
      if (this.#ended !== undefined) reject(this.#ended);
      result.then((value) => (isOver(), resolve(value)), (error) => (isOver(), reject(error)));
    });
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}
