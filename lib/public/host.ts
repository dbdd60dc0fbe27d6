/**
 * `@lotse/lotse/host`: the world around an operator, to be put in place of the real one, and logging.
 *
 * @module
 */

export { currentHost } from "../runtime/current_host.ts";
export type {
  Block,
  Clock,
  Connection,
  ConnectOptions,
  Files,
  Host,
  HttpRequest,
  HttpResponse,
  Network,
  Peer,
  Process,
  Random,
  RunOptions,
  RunResult,
  Seconds,
  ServeOptions,
  Server,
  ServerLimits,
  ServerTls,
  Terminal,
  TerminalOptions,
} from "../runtime/host.ts";
export type { LogFields, Logger, LoggerChild, LogLevel, LogReference } from "../runtime/logging.ts";
