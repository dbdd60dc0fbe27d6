/**
 * Loggers that post their lines as events, or lower the level of the lines.
 */

import { textSink } from "../../runtime/log_format.ts";
import {
  createLogger,
  isLevelWanted,
  type LogFields,
  type Logger,
  type LogLevel,
} from "../../runtime/logging.ts";
import type { EventContent } from "./event.ts";

const TYPES: Readonly<Record<LogLevel, string>> = {
  debug: "Debug",
  info: "Normal",
  warn: "Warning",
  error: "Error",
};

export interface BridgeOptions {
  /** The least level that is posted; asked anew for each line. */
  readonly level: () => LogLevel;
  readonly post: (content: EventContent) => void;
}

/** Returns a logger that also posts each line as an event, with its variables, whether or not the log wants it. */
export function bridgeLogger(logger: Logger, options: BridgeOptions): Logger {
  const { level: least, post } = options;
  function tell(level: LogLevel, message: string, fields?: LogFields): void {
    if (isLevelWanted(level, least())) {
      post({ type: TYPES[level], reason: "Logging", message: toText(level, message, fields) });
    }
  }
  return {
    ...writers((level, message, fields) => {
      logger[level](message, fields);
      tell(level, message, fields);
    }),
    enabled: (level) => logger.enabled(level) || isLevelWanted(level, least()),
    child: (child) => bridgeLogger(logger.child(child), options),
  };
}

/** Returns a logger whose warnings are lines of level "debug": their consequences are logged elsewhere. */
export function quietLogger(logger: Logger): Logger {
  return {
    ...writers((_level, message, fields) => logger.debug(message, fields)),
    enabled: () => logger.enabled("debug"),
    child: (child) => quietLogger(logger.child(child)),
  };
}

type Write = (level: LogLevel, message: string, fields?: LogFields) => void;

function writers(write: Write): Pick<Logger, LogLevel> {
  return {
    debug: (message, fields) => write("debug", message, fields),
    info: (message, fields) => write("info", message, fields),
    warn: (message, fields) => write("warn", message, fields),
    error: (message, fields) => write("error", message, fields),
  };
}

/** The line as people read it in the log, without the parts that the event has already. */
function toText(level: LogLevel, message: string, fields?: LogFields): string {
  let text = "";
  const sink = textSink({
    format: "plain",
    level,
    prefix: false,
    stacks: "never",
    write: (line) => text = line,
  });
  createLogger(sink, { now: () => 0 })[level](message, fields);
  return text.trimEnd();
}
