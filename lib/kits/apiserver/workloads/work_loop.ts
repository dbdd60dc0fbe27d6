/**
 * The queue that all controllers share: one object at a time, soon after it has changed, or later if its controller says so.
 *
 * Time comes from the host's clock, so that a virtual clock sees all of it.
 */

import type { Clock, Seconds } from "../../../runtime/host.ts";

/** Brings one object in order; returns when it wants to look again, if time alone makes a difference. */
export type Task = () => Promise<Seconds | undefined>;

/** How long a controller waits that failed. In seconds. */
const FIRST_PAUSE = 1;
const LONGEST_PAUSE = 60;

export class WorkLoop {
  readonly #clock: Clock;
  readonly #tasks = new Map<string, Task>();
  readonly #planned = new Map<string, { readonly due: Seconds; readonly timer: Disposable }>();
  readonly #failures = new Map<string, number>();
  #isRunning = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Runs a task soon; once, however often the same key is added before that. */
  add(key: string, task: Task): void {
    this.#planned.get(key)?.timer[Symbol.dispose]();
    this.#planned.delete(key);
    this.#tasks.set(key, task);
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#clock.after(0, () => void this.#run());
  }

  /** Runs a task when the time has passed, unless it is planned for an earlier one. */
  #plan(key: string, task: Task, seconds: Seconds): void {
    if (this.#tasks.has(key)) return;
    const due = this.#clock.monotonic() + seconds;
    const planned = this.#planned.get(key);
    if (planned !== undefined && planned.due <= due) return;
    planned?.timer[Symbol.dispose]();
    const timer = this.#clock.after(seconds, () => this.add(key, task));
    this.#planned.set(key, { due, timer });
  }

  async #run(): Promise<void> {
    for (const [key, task] of this.#tasks) {
      this.#tasks.delete(key);
      try {
        const again = await task();
        this.#failures.delete(key);
        if (again !== undefined) this.#plan(key, task, again);
      } catch {
        // Whatever it is (another client was faster, a webhook refused, a quota is used up): controllers try again.
        const failures = (this.#failures.get(key) ?? 0) + 1;
        this.#failures.set(key, failures);
        this.#plan(key, task, Math.min(FIRST_PAUSE * 2 ** (failures - 1), LONGEST_PAUSE));
      }
    }
    this.#isRunning = false;
    if (this.#tasks.size > 0) this.#restart();
  }

  #restart(): void {
    this.#isRunning = true;
    this.#clock.after(0, () => void this.#run());
  }
}
