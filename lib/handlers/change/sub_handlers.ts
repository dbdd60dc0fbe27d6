/**
 * Sub-handlers: parts of a handler's work that succeed, fail and are retried each on its own.
 *
 * They are declared while their handler runs, by `sub(…)`, and run when it calls `sub.run()` or has returned.
 * Source: Kopf, docs/handlers "Sub-handlers".
 */

import type { Sub } from "./change_handler.ts";
import { changeHandler } from "./change_handler.ts";
import type { RawOptions } from "../option_checks.ts";
import { takeOptions } from "../declare.ts";
import type { ChangeHandler } from "./change_handler.ts";
import type { ChangeHandlerCause } from "./change_handler.ts";

/** The sub-handlers of one attempt of a handler. */
export class SubHandlers {
  readonly #parent: ChangeHandler;
  readonly #run: (children: readonly ChangeHandler[]) => Promise<void>;
  // Most handlers have no sub-handlers: these members are made when they are needed.
  #ids: Set<string> | undefined;
  #declared: ChangeHandler[] | undefined;
  #sub: Sub | undefined;
  #isClosed = false;

  constructor(parent: ChangeHandler, run: (children: readonly ChangeHandler[]) => Promise<void>) {
    this.#parent = parent;
    this.#run = run;
  }

  /** The argument `sub` of the handler. */
  get sub(): Sub {
    return this.#sub ??= Object.assign((...args: readonly unknown[]) => this.#declare(args), {
      run: () => this.run(),
    });
  }

  /** Whether a sub-handler was declared that has not run yet. */
  get areWaiting(): boolean {
    return this.#declared !== undefined;
  }

  /** Runs the sub-handlers that were declared and have not run yet. */
  async run(): Promise<void> {
    const declared = this.#declared;
    this.#declared = undefined;
    if (declared !== undefined) await this.#run(declared);
  }

  /** The handler has ended: it can declare no more sub-handlers. */
  close(): void {
    this.#isClosed = true;
  }

  #declare(args: readonly unknown[]): void {
    if (this.#isClosed) {
      throw new ReferenceError(
        `Cannot add a sub-handler to "${this.#parent.id}": the handler has ended (await what it starts)`,
      );
    }
    const child = subHandler({ parent: this.#parent, args });
    const ids = this.#ids ??= new Set();
    if (ids.has(child.id)) {
      throw new TypeError(
        `Cannot add two sub-handlers with the id "${child.id}": give one of them another id`,
      );
    }
    ids.add(child.id);
    (this.#declared ??= []).push(child);
  }
}

export interface SubDeclaration {
  readonly parent: ChangeHandler;
  /** The arguments that were passed to `sub`. */
  readonly args: readonly unknown[];
}

/**
 * Makes a handler of the arguments that were passed to `sub`.
 *
 * @throws {TypeError} As for `op.on`; and if `old` or `new` are given where the parent is not about a change.
 */
export function subHandler({ parent, args }: SubDeclaration): ChangeHandler {
  const [first, ...others] = args;
  const { options, fn } = takeOptions(typeof first === "string" ? others : args);
  const named: RawOptions = typeof first === "string" ? { ...options, id: first } : options;
  const cause: ChangeHandlerCause = parent.needsChange === true ? "field" : "create";
  const resource = { options: {}, selector: parent.selector };
  const handler = changeHandler({ resource, options: named, fn }, { cause, isSub: true });
  return {
    ...handler,
    id: `${parent.id}/${handler.id}`,
    reason: undefined,
    initial: false,
    isMixedIn: parent.isMixedIn,
    deleted: false,
    // NB: ids of sub-handlers may hold anything, also names of objects: they are no label of a metric.
    family: parent.family ?? `${parent.id}/*`,
    requiresFinalizer: false,
    needsChange: parent.needsChange === true && handler.field !== undefined,
  };
}
