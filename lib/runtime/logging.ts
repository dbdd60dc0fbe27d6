/**
 * Log records and where they go.
 *
 * Every layer logs through a `Logger`; what a line looks like (plain, full, JSON) is decided once, at the sink.
 * Messages are constant sentences, variables are fields, so that lines can be counted and searched. Secrets never get here.
 */

/** From chatty to urgent. debug: each step. info: what handlers did. warn: works, but look. error: someone must act. */
export type LogLevel = "debug" | "info" | "warn" | "error";

/** Variables of a line. `error` is special: an Error there is printed with its causes (and its stack where asked for). */
export type LogFields = Readonly<Record<string, unknown>>;

/** The object that a line is about. */
export interface LogReference {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly namespace?: string;
}

/** One line, before it is written. */
export interface LogRecord {
  readonly level: LogLevel;
  /** Dotted, such as "lotse.objects" or "lotse.activities.startup". */
  readonly logger: string;
  readonly message: string;
  readonly fields: LogFields;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** The object that the line is about, if any. */
  readonly reference?: LogReference;
}

/** Takes records. Must not throw. */
export interface LogSink {
  /** The least level that is wanted; lower ones are not even built. */
  readonly level: LogLevel;
  write(record: LogRecord): void;
}

/** What code logs with. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** Whether such lines are written at all; to skip costly fields. */
  enabled(level: LogLevel): boolean;
  /** The same sink with more fields, another name or a reference to an object. */
  child(options: LoggerChild): Logger;
}

export interface LoggerChild {
  readonly name?: string;
  readonly fields?: LogFields;
  readonly reference?: LogReference;
}
