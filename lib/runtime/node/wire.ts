/** The bytes of one connection, in both directions: the view of a socket that a lane of the pool has. */

import type { Socket } from "node:net";
import type { Buffer } from "node:buffer";

/** One connection's bytes. */
export interface Wire {
  /** Whether bytes are still to be sent, or cannot be sent any more. */
  readonly isBusy: boolean;
  /** Sends it; bytes that the connection does not take at once wait. */
  send(bytes: string | Uint8Array): void;
  /** Stops reading, or goes on. */
  hold(isHeld: boolean): void;
  /** Whether it keeps the process alive. */
  keep(isKept: boolean): void;
  /** Closes it at once. */
  destroy(): void;
}

/** Told of the events of a connection. */
export interface WireEvents {
  /** Bytes have come. */
  data(bytes: Buffer): void;
  /** The other end sends no more, or the connection is there no more. May come twice. */
  closed(): void;
  /** It is broken. */
  broken(error: unknown): void;
}

/** Makes a socket stop reading, or go on: for runtimes on which pausing it does not reach the socket underneath. */
export type Brake = (socket: Socket, isHeld: boolean) => void;

/** Takes the bytes of a socket past the runtime's streams; undefined: it cannot. */
export type Tap = (socket: Socket, events: WireEvents) => Wire | undefined;

/** Bytes through the runtime's stream. */
export class SocketWire implements Wire {
  readonly #socket: Socket;
  readonly #brake: Brake | undefined;

  constructor(socket: Socket, events: WireEvents, brake?: Brake) {
    this.#socket = socket;
    this.#brake = brake;
    socket.on("data", (bytes: Buffer) => events.data(bytes));
    socket.on("end", () => events.closed());
    socket.on("close", () => events.closed());
    socket.on("error", (error) => events.broken(error));
  }

  get isBusy(): boolean {
    return this.#socket.destroyed || this.#socket.writableLength > 0;
  }

  send(bytes: string | Uint8Array): void {
    if (typeof bytes === "string") this.#socket.write(bytes, "utf8");
    else this.#socket.write(bytes);
  }

  hold(isHeld: boolean): void {
    if (isHeld) this.#socket.pause();
    else this.#socket.resume();
    this.#brake?.(this.#socket, isHeld);
  }

  keep(isKept: boolean): void {
    if (isKept) this.#socket.ref();
    else this.#socket.unref();
  }

  destroy(): void {
    this.#socket.destroy();
  }
}
