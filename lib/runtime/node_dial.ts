/**
 * TLS on connections that are there already: for tunnels, and for a runtime that should not open them itself.
 */

import type http from "node:http";
import type { Agent, AgentOptions } from "node:https";
import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectTls } from "node:tls";

/** The server at the other end. */
export interface DialTarget {
  readonly host: string;
  readonly port: number;
  readonly isSecure: boolean;
}

/** What agents want to be called with. */
export type Created = (error: Error | null, socket?: Duplex) => void;

export interface DialOptions {
  readonly target: DialTarget;
  readonly tls: AgentOptions & { readonly noDelay?: boolean };
  /** How long connecting may take, in milliseconds. Default: as long as the system tries. */
  readonly timeout?: number;
}

/** Whoever has asked gives up by itself, and leaves the connection to us: it is closed so much later. In milliseconds. */
const GRACE = 1000;

/** Makes an agent open its TLS connections in two steps: TCP first, and TLS when that is there. */
export function dialInSteps(agent: http.Agent | Agent, options: DialOptions): void {
  Object.defineProperty(agent, "createConnection", {
    value: (_options: unknown, created: Created) => void dial(options, created),
  });
}

function dial(options: DialOptions, created: Created): void {
  const { target: { host, port }, tls: { keepAlive, keepAliveMsecs, noDelay }, timeout } = options;
  const socket = connect({ host, port, noDelay, keepAlive, keepAliveInitialDelay: keepAliveMsecs });
  let newest: Duplex = socket;
  const timer = timeout === undefined ? undefined : setTimeout(
    () => newest.destroy(new Error("Nobody waits for the connection any more")),
    timeout + GRACE,
  );
  const finish: Created = (error, stream) => {
    clearTimeout(timer);
    created(error, stream);
  };
  socket.once("error", finish);
  socket.once("connect", () => {
    socket.off("error", finish);
    newest = secure(socket, options, finish);
  });
}

/** Begins TLS on a connection, and gives what will be secure. */
export function secure(socket: Socket, { target, tls }: DialOptions, created: Created): Duplex {
  const isAddress = /^[\d.]+$|:/.test(target.host);
  const stream = connectTls({
    ...tls,
    socket,
    host: target.host,
    servername: tls.servername ?? (isAddress ? undefined : target.host),
  });
  let isTold = false;
  const tell: Created = (error, secured) => {
    if (!isTold) created(error, secured);
    isTold = true;
  };
  stream.once("secureConnect", () => tell(null, stream));
  stream.once("error", (error) => tell(error));
  return stream;
}
