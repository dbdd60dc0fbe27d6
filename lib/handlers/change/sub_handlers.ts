/**
 * Sub-handlers: parts of a handler's work that succeed, fail and are retried each on its own.
 *
 * They are declared while their handler runs, by `sub(…)`, and run when it calls `sub.run()` or has returned.
 * Source: Kopf, docs/handlers "Sub-handlers".
 */

import type { Sub, SubOutcome, SubRunOptions } from "./change_handler.ts";
import { changeHandler, checkStop } from "./change_handler.ts";
import { PermanentError } from "../../execution/errors.ts";
import { Postponed } from "../../execution/waiting.ts";
import type { Attempt } from "../call.ts";
import type { RawOptions } from "../option_checks.ts";
import { takeOptions } from "../declare.ts";
import type { ChangeHandler } from "./change_handler.ts";
import type { ChangeHandlerCause } from "./change_handler.ts";
import { errorMessage } from "../../runtime/error_text.ts";

/** Runs sub-handlers, and returns how each has ended. */
type RunSubHandlers = (children: readonly ChangeHandler[]) => Promise<readonly SubOutcome[]>;

/** Returns a sub-handler's id as it was declared. */
export function nameOf({ id, parent }: Pick<ChangeHandler, "id" | "parent">): string {
  return parent === undefined ? id : id.slice(parent.length + 1);
}

/** The sub-handlers of one attempt of a handler. */
export class SubHandlers {
  readonly #parent: ChangeHandler;
  readonly #run: RunSubHandlers;
  // Most handlers have no sub-handlers: these members are made when they are needed.
  #ids: Set<string> | undefined;
  #declared: ChangeHandler[] | undefined;
  #sub: Sub | undefined;
  #isClosed = false;

  constructor(parent: ChangeHandler, run: RunSubHandlers) {
    this.#parent = parent;
    this.#run = run;
  }

  /** Returns the argument `sub` of the handler. Where parts are unfinished, its `run()` ends the attempt. */
  subOf({ waiting }: Pick<Attempt, "waiting">): Sub {
    return this.#sub ??= Object.assign((...args: readonly unknown[]) => this.#declare(args), {
      run: async (options?: SubRunOptions) => {
        try {
          return await this.run(options);
        } catch (error) {
          if (!(error instanceof Postponed) || waiting === undefined) throw error;
          return await waiting.end(error);
        }
      },
    });
  }

  /** Whether a sub-handler was declared that has not run yet. */
  get areWaiting(): boolean {
    return this.#declared !== undefined;
  }

  /**
   * Runs the sub-handlers that were declared and have not run yet.
   *
   * @throws {Postponed} If some are unfinished.
   * @throws {TypeError} If the option is unknown.
   */
  async run({ onFailure }: SubRunOptions = {}): Promise<readonly SubOutcome[]> {
    checkStop("onFailure", onFailure);
    const declared = this.#declared ?? [];
    this.#declared = undefined;
    const children = onFailure === undefined ? declared : declared.map((child) => ({ ...child, onFailure }));
    return children.length === 0 ? [] : await this.#run(children);
  }

  /** Runs them for a handler that has returned, and does not look at their outcomes. @throws {PermanentError} If a step has failed. */
  async finish(): Promise<void> {
    const steps = (this.#declared ?? []).filter(({ onFailure }) => onFailure === "stop").map(nameOf);
    for (const outcome of await this.run()) {
      if (outcome.kind !== "failure" || !steps.includes(outcome.id)) continue;
      const { id, error } = outcome;
      throw new PermanentError(`The step "${id}" has failed: ${errorMessage(error)}`, { cause: error });
    }
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
  // NB: parts may be very many, and each call of the handler declares them anew: their place is the handler's.
  const handler = changeHandler({ resource, options: named, fn, site: parent.site }, { cause, isSub: true });
  return {
    ...handler,
    id: `${parent.id}/${handler.id}`,
    parent: parent.id,
    onFailure: options.onFailure === "stop" ? "stop" : undefined,
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
