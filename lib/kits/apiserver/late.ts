/**
 * A part of the server that is loaded when the first request needs it: the start is short, and most never do.
 *
 * Whoever writes an object that needs it waits for load(); from then on all of it is synchronous.
 */

import type { Process } from "../../runtime/host.ts";

export class Late<Part> {
  readonly #import: () => Promise<Part>;
  #part: Part | undefined;
  #loading: Promise<void> | undefined;

  /** Time of a virtual host stands still while it is loaded; `process` is the host's. */
  constructor(load: () => Promise<Part>, process?: Pick<Process, "load">) {
    this.#import = () => process?.load?.(load) ?? load();
  }

  /** Loads it, once. */
  load(): Promise<void> {
    this.#loading ??= this.#import().then((part) => {
      this.#part = part;
    });
    return this.#loading;
  }

  /**
   * The part.
   *
   * @throws {TypeError} If load() has not been waited for.
   */
  get part(): Part {
    if (this.#part === undefined) throw new TypeError("Cannot use a part of the server: it is not loaded");
    return this.#part;
  }
}
