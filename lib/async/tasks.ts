/**
 * Background work with an owner: each task belongs to a group, every error is reported, and stopping waits for the last task.
 */

/** The way in which a group treats errors. */
export interface TaskGroupOptions {
  /**
   * Called with the error that a task threw, except for the reason it was aborted with. Must not throw.
   *
   * Without it, `stop()` and `finished()` throw the first error.
   */
  readonly onError?: (error: unknown, name: string) => void;
}

/** A task under way. */
export interface Task {
  readonly name: string;
  /** Whether it has not come to its end yet. */
  readonly isRunning: boolean;
  /** Resolves when the task has come to its end, whichever. Never rejects. */
  readonly done: Promise<void>;
  /** Aborts its signal, and waits for its end. */
  stop(reason?: unknown): Promise<void>;
}

/** Owns tasks. */
export class TaskGroup implements AsyncDisposable {
  readonly #onError: ((error: unknown, name: string) => void) | undefined;
  readonly #tasks = new Set<OwnedTask>();
  /** Made when its signal is asked for. */
  #controller: AbortController | undefined;
  #stop: { readonly reason: unknown } | undefined;
  #firstError: { readonly error: unknown } | undefined;

  constructor({ onError }: TaskGroupOptions = {}) {
    this.#onError = onError;
  }

  /** How many tasks are under way. */
  get size(): number {
    return this.#tasks.size;
  }

  /** Aborted when the group is stopped. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#stop) this.#controller.abort(this.#stop.reason);
    return this.#controller.signal;
  }

  /**
   * Starts a task; its signal is aborted when it or the group is stopped. The task's synchronous part runs at once.
   *
   * In a group that was stopped the task runs too, with a signal that is aborted already: it may have to tidy up.
   */
  start(name: string, work: (signal: AbortSignal) => Promise<void> | void): Task {
    const task = new OwnedTask(name);
    this.#run(task, () => work(task.signal));
    return task;
  }

  /** Starts a task without a signal, for work that is done very often and ends by itself: a signal would be the most of its price. */
  own(name: string | (() => string), work: () => Promise<void> | void): Task {
    const task = new OwnedTask(name);
    this.#run(task, work);
    return task;
  }

  #run(task: OwnedTask, work: () => Promise<void> | void): void {
    if (this.#stop) task.abort(this.#stop.reason);
    this.#tasks.add(task);
    task.run(work, (error) => {
      this.#tasks.delete(task);
      if (error) this.#report(error.error, task);
    });
  }

  /** Aborts all tasks, and waits until the last one has ended. */
  async stop(reason: unknown = new DOMException("The tasks were stopped", "AbortError")): Promise<void> {
    this.#stop ??= { reason };
    this.#controller?.abort(reason);
    for (const task of [...this.#tasks]) task.abort(reason);
    await this.finished();
  }

  /** Waits until no task is under way, tasks that are started meanwhile included. */
  async finished(): Promise<void> {
    while (this.#tasks.size > 0) await Promise.all([...this.#tasks].map((task) => task.done));
    if (this.#firstError) throw this.#firstError.error;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #report(error: unknown, task: OwnedTask): void {
    if (task.wasAbortedWith(error)) return;
    if (this.#onError) this.#onError(error, task.name);
    else this.#firstError ??= { error };
  }
}

class OwnedTask implements Task {
  readonly #name: string | (() => string);
  /** Made when a caller waits for the task: most tasks are never waited for. */
  #done: PromiseWithResolvers<void> | undefined;
  /** Made when it is asked for. */
  #controller: AbortController | undefined;
  #abortion: { readonly reason: unknown } | undefined;
  #isRunning = true;

  constructor(name: string | (() => string)) {
    this.#name = name;
  }

  /** Names of tasks that are started very often are made when they are asked for. */
  get name(): string {
    return typeof this.#name === "string" ? this.#name : this.#name();
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  get done(): Promise<void> {
    if (!this.#isRunning) return Promise.resolve();
    return (this.#done ??= Promise.withResolvers<void>()).promise;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#abortion) this.#controller.abort(this.#abortion.reason);
    return this.#controller.signal;
  }

  abort(reason: unknown): void {
    if (this.#abortion) return;
    this.#abortion = { reason };
    this.#controller?.abort(reason);
  }

  stop(reason: unknown = new DOMException("The task was stopped", "AbortError")): Promise<void> {
    this.abort(reason);
    return this.done;
  }

  async run(work: () => Promise<void> | void, onEnd: (error?: { error: unknown }) => void): Promise<void> {
    let failure: { error: unknown } | undefined;
    try {
      await work();
    } catch (error) {
      failure = { error };
    }
    this.#isRunning = false;
    onEnd(failure);
    this.#done?.resolve();
  }

  wasAbortedWith(error: unknown): boolean {
    if (!this.#abortion) return false;
    return error === this.#abortion.reason || error instanceof Error && error.name === "AbortError";
  }
}
