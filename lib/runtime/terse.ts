/** A logger for what happens too often to be told: info becomes debug, and debug is not written. Source: Kopf, A §8.6. */

import type { Logger } from "./logging.ts";

/** Gives a logger that is one level quieter; warnings and errors are written as ever. */
export function terseLogger(logger: Logger): Logger {
  return {
    debug: () => {},
    info: (message, fields) => logger.debug(message, fields),
    warn: (message, fields) => logger.warn(message, fields),
    error: (message, fields) => logger.error(message, fields),
    enabled: (level) => level !== "debug" && logger.enabled(level === "info" ? "debug" : level),
    child: (options) => terseLogger(logger.child(options)),
  };
}
