/** The evaluator of expressions, loaded when the first one is declared. */

import type { Process } from "../../../runtime/host.ts";
import { Late } from "../late.ts";
import type { Engine } from "./engine.ts";

export class CelLoader {
  readonly #late: Late<Engine>;

  constructor(process?: Pick<Process, "load">) {
    this.#late = new Late(async () => new (await import("./engine.ts")).Engine(), process);
  }

  /** Loads the evaluator, once. */
  load(): Promise<void> {
    return this.#late.load();
  }

  /**
   * The evaluator.
   *
   * @throws {TypeError} If load() has not been waited for.
   */
  get engine(): Engine {
    return this.#late.part;
  }
}
