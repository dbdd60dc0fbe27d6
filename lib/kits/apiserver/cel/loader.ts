/**
 * The evaluator, loaded when the first expression is declared.
 *
 * Whoever writes an object that may hold expressions waits for load(); from then on all of it is synchronous.
 */

import type { Engine } from "./engine.ts";

export class CelLoader {
  #engine: Engine | undefined;
  #loading: Promise<void> | undefined;

  /** Loads the evaluator, once. */
  load(): Promise<void> {
    this.#loading ??= import("./engine.ts").then(({ Engine }) => {
      this.#engine = new Engine();
    });
    return this.#loading;
  }

  /**
   * The evaluator.
   *
   * @throws {TypeError} If load() has not been waited for.
   */
  get engine(): Engine {
    if (this.#engine === undefined) {
      throw new TypeError("Cannot evaluate expressions: the evaluator is not loaded");
    }
    return this.#engine;
  }
}
