/**
 * Log records and where they go.
 *
 * Every layer logs through a `Logger`; the form of a line (plain, full, JSON) is decided once, at the sink.
 * Messages are constant sentences, variables are fields, so that lines can be counted and searched. Secrets never get here.
 */

import type { Clock } from "./host.ts";

/** From chatty to urgent. debug: each step. info: the work of handlers. warn: works, but look. error: someone must act. */
export type LogLevel = "debug" | "info" | "warn" | "error";

/**
 * Variables of a line. `error` is special: an Error there is printed with its causes (and its stack where asked for).
 * `stack: false` beside it says that the error was expected, so that its stack is of no interest.
 */
export type LogFields = Readonly<Record<string, unknown>>;

/** The object that a line is about. */
export interface LogReference {
  /** "group/version", or "version" in the core group. */
  readonly apiVersion?: string;
  /** Such as "Pod". */
  readonly kind?: string;
  /** In its namespace. */
  readonly name?: string;
  /** Unique over all objects that ever were. */
  readonly uid?: string;
  /** Absent on cluster-scoped objects. */
  readonly namespace?: string;
}

/** One line, before it is written. */
export interface LogRecord {
  /** How urgent it is. */
  readonly level: LogLevel;
  /** Dotted, such as "lotse.objects" or "lotse.activities.startup". */
  readonly logger: string;
  /** A constant sentence. */
  readonly message: string;
  /** The variables that belong to it. */
  readonly fields: LogFields;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** The object that the line is about, if any. */
  readonly reference?: LogReference;
  /** Whether the object's kind is to be named before its name. Default: no. */
  readonly namesKind?: boolean;
  /**
   * By which lines are found that belong together, such as the ids of a reconcile, a trace and a span. Machines read them; text
   * formats leave them out.
   */
  readonly context?: Readonly<Record<string, string>>;
}

/** Takes records. Must not throw. */
export interface LogSink {
  /** The least level that is wanted; lower ones are not even built. */
  readonly level: LogLevel;
  /** Writes a record. */
  write(record: LogRecord): void;
}

/** The interface that code logs with. */
export interface Logger {
  /** Tells each step. */
  debug(message: string, fields?: LogFields): void;
  /** Tells the work of handlers. */
  info(message: string, fields?: LogFields): void;
  /** Tells of a fault that needs no action, but a look. */
  warn(message: string, fields?: LogFields): void;
  /** Tells of a fault that someone must act on. */
  error(message: string, fields?: LogFields): void;
  /** Whether such lines are written at all; to skip costly fields. */
  enabled(level: LogLevel): boolean;
  /** The same sink with more fields, another name or a reference to an object. */
  child(options: LoggerChild): Logger;
}

/** The differences of a logger's child from it. */
export interface LoggerChild {
  /** Dotted. Default: the same. */
  readonly name?: string;
  /** Added to the fields that are there. */
  readonly fields?: LogFields;
  /** The object that its lines are about. Default: the same. */
  readonly reference?: LogReference;
  /** Whether kinds are named before objects' names, as there are several. Default: the same. */
  readonly namesKinds?: boolean;
  /** Added to the ids by which lines are found that belong together. */
  readonly context?: Readonly<Record<string, string>>;
}

/** Makes a logger that writes to a sink. `name` defaults to "lotse". */
export function createLogger(sink: LogSink, clock: Pick<Clock, "now">, name = "lotse"): Logger {
  return new SinkLogger({ sink, clock, name, fields: {} });
}

/** A logger that writes no lines. */
export function silentLogger(): Logger {
  return createLogger({ level: "error", write() {} }, { now: () => 0 });
}

/** Whether lines of a level are wanted where `least` is the least one wanted. */
export function isLevelWanted(level: LogLevel, least: LogLevel): boolean {
  return RANKS[level] >= RANKS[least];
}

const RANKS: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };

interface LoggerState {
  readonly sink: LogSink;
  readonly clock: Pick<Clock, "now">;
  readonly name: string;
  readonly fields: LogFields;
  readonly reference?: LogReference;
  readonly namesKinds?: boolean;
  readonly context?: Readonly<Record<string, string>>;
}

/**
 * A logger whose levels all end in one place.
 *
 * Its methods are getters, so that they work when they are taken off their object, as `const { info } = logger` does. A
 * closure is made for each call, and none for each child: there are more children than lines.
 */
abstract class LevelLogger implements Logger {
  get debug(): Logger["debug"] {
    return (message, fields) => this.write("debug", message, fields);
  }

  get info(): Logger["info"] {
    return (message, fields) => this.write("info", message, fields);
  }

  get warn(): Logger["warn"] {
    return (message, fields) => this.write("warn", message, fields);
  }

  get error(): Logger["error"] {
    return (message, fields) => this.write("error", message, fields);
  }

  get enabled(): Logger["enabled"] {
    return (level) => this.isEnabled(level);
  }

  get child(): Logger["child"] {
    return (options) => this.makeChild(options);
  }

  protected abstract isEnabled(level: LogLevel): boolean;
  protected abstract makeChild(options: LoggerChild): Logger;
  protected abstract write(level: LogLevel, message: string, fields: LogFields | undefined): void;
}

class SinkLogger extends LevelLogger {
  readonly #state: LoggerState;

  constructor(state: LoggerState) {
    super();
    this.#state = state;
  }

  protected override isEnabled(level: LogLevel): boolean {
    return isLevelWanted(level, this.#state.sink.level);
  }

  protected override makeChild({ name, fields, reference, namesKinds, context }: LoggerChild): Logger {
    const state = this.#state;
    return new SinkLogger({
      sink: state.sink,
      clock: state.clock,
      name: name ?? state.name,
      fields: fields ? { ...state.fields, ...fields } : state.fields,
      reference: reference ?? state.reference,
      namesKinds: namesKinds ?? state.namesKinds,
      context: context && state.context ? { ...state.context, ...context } : context ?? state.context,
    });
  }

  protected override write(level: LogLevel, message: string, fields: LogFields | undefined): void {
    const { sink, clock, name, reference, namesKinds, context, fields: own } = this.#state;
    if (!isLevelWanted(level, sink.level)) return;
    const all = fields ? { ...own, ...fields } : own;
    sink.write({
      level,
      logger: name,
      message,
      fields: all,
      time: clock.now(),
      ...reference && { reference },
      ...namesKinds && { namesKind: true },
      ...context && { context },
    });
  }
}

/**
 * Returns a logger that never throws: an error of the given one goes to `onFailure`, which must not throw either. For loggers
 * that are not ours.
 */
export function guardedLogger(logger: Logger, onFailure: (error: unknown) => void): Logger {
  return new GuardedLogger(logger, onFailure);
}

/** A class, as there is a child for each turn of each object: closures would have to be made anew for each. */
class GuardedLogger extends LevelLogger {
  readonly #logger: Logger;
  readonly #onFailure: (error: unknown) => void;

  constructor(logger: Logger, onFailure: (error: unknown) => void) {
    super();
    this.#logger = logger;
    this.#onFailure = onFailure;
  }

  protected override isEnabled(level: LogLevel): boolean {
    try {
      return this.#logger.enabled(level);
    } catch (error) {
      this.#onFailure(error);
      return true;
    }
  }

  protected override makeChild(options: LoggerChild): Logger {
    return new GuardedLogger(this.#childOf(options), this.#onFailure);
  }

  #childOf(options: LoggerChild): Logger {
    try {
      return this.#logger.child(options);
    } catch (error) {
      this.#onFailure(error);
      return this.#logger;
    }
  }

  protected override write(level: LogLevel, message: string, fields: LogFields | undefined): void {
    try {
      this.#logger[level](message, fields);
    } catch (error) {
      this.#onFailure(error);
    }
  }
}

/**
 * Returns a logger whose lines have the ids that `contextOf` returns when they are written, such as those of the trace and span that
 * are active then; undefined: none.
 */
export function contextLogger(
  logger: Logger,
  contextOf: () => Readonly<Record<string, string>> | undefined,
): Logger {
  return new ContextLogger(logger, contextOf);
}

class ContextLogger extends LevelLogger {
  readonly #logger: Logger;
  readonly #contextOf: () => Readonly<Record<string, string>> | undefined;

  constructor(logger: Logger, contextOf: () => Readonly<Record<string, string>> | undefined) {
    super();
    this.#logger = logger;
    this.#contextOf = contextOf;
  }

  protected override isEnabled(level: LogLevel): boolean {
    return this.#logger.enabled(level);
  }

  protected override makeChild(options: LoggerChild): Logger {
    return new ContextLogger(this.#logger.child(options), this.#contextOf);
  }

  protected override write(level: LogLevel, message: string, fields: LogFields | undefined): void {
    if (!this.#logger.enabled(level)) return;
    const context = this.#contextOf();
    const logger = context === undefined ? this.#logger : this.#logger.child({ context });
    logger[level](message, fields);
  }
}

/** Returns a logger whose debug lines are written where only info is: as lines of info. For single objects that somebody looks at. */
export function verboseLogger(logger: Logger): Logger {
  return new ShiftedLogger(logger, (level, own) => level === "debug" && !own.enabled(level) ? "info" : level);
}

/**
 * Returns a logger that is one level quieter, for events that are too frequent to be told: info becomes debug, and debug is not
 * written; warnings and errors are written as ever. Source: scenarios B279–B294.
 */
export function terseLogger(logger: Logger): Logger {
  return new ShiftedLogger(
    logger,
    (level) => level === "debug" ? undefined : level === "info" ? "debug" : level,
  );
}

/** Returns the level at which a line of this level is written; undefined: it is not. */
type Shift = (level: LogLevel, logger: Logger) => LogLevel | undefined;

class ShiftedLogger extends LevelLogger {
  readonly #logger: Logger;
  readonly #shift: Shift;

  constructor(logger: Logger, shift: Shift) {
    super();
    this.#logger = logger;
    this.#shift = shift;
  }

  protected override isEnabled(level: LogLevel): boolean {
    const shifted = this.#shift(level, this.#logger);
    return shifted !== undefined && this.#logger.enabled(shifted);
  }

  protected override makeChild(options: LoggerChild): Logger {
    return new ShiftedLogger(this.#logger.child(options), this.#shift);
  }

  protected override write(level: LogLevel, message: string, fields: LogFields | undefined): void {
    const shifted = this.#shift(level, this.#logger);
    if (shifted !== undefined) this.#logger[shifted](message, fields);
  }
}
