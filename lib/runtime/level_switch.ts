/**
 * The least level of a process's log lines, which can be another one for some time: then it goes back by itself, so that no operator
 * stays loud.
 */

import { isLevelWanted, type LogLevel, type LogRecord, type LogSink } from "./logging.ts";
import type { Clock, Seconds } from "./host.ts";

export interface LevelSwitchOptions {
  /** The level without any wish. */
  readonly level: LogLevel;
  readonly clock: Pick<Clock, "after">;
}

/** A sink with a level that can be set. */
export class LevelSwitch implements LogSink {
  readonly #sink: LogSink;
  readonly #options: LevelSwitchOptions;
  #level: LogLevel;
  #timer: Disposable | undefined;

  /** @param sink Takes lines of all levels. */
  constructor(sink: LogSink, options: LevelSwitchOptions) {
    this.#sink = sink;
    this.#options = options;
    this.#level = options.level;
  }

  get level(): LogLevel {
    return this.#level;
  }

  /** Whether it is another one than at the start. */
  get isSet(): boolean {
    return this.#timer !== undefined;
  }

  /** Sets the level for some time. */
  set(level: LogLevel, seconds: Seconds): void {
    this.reset();
    this.#level = level;
    this.#timer = this.#options.clock.after(seconds, () => this.reset());
  }

  /** Goes back to the level of the start. */
  reset(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#level = this.#options.level;
  }

  write(record: LogRecord): void {
    if (isLevelWanted(record.level, this.#level)) this.#sink.write(record);
  }
}
