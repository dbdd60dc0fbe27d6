/**
 * The bytes of a connection on Bun, past its `node:stream`: read and written where Bun's own socket has them.
 *
 * The connection is opened by `node:tls` as everywhere, which checks names and certificates; when that is done, the socket
 * underneath is given other listeners (`reload()`, which Bun documents). Streams take a tenth of the price of an object, most
 * of it for compiling them. docs/decisions/0020-own-http-client.md.
 */

import { Buffer } from "node:buffer";
import type { Socket } from "node:net";
import type { Wire, WireEvents } from "./node/wire.ts";

/** The part of a `Bun.Socket` that is used here. */
interface Handle {
  reload(options: { readonly socket: Listeners }): void;
  /** Returns how many bytes were taken; -1 if it is closed. */
  write(bytes: Uint8Array): number;
  pause(): void;
  resume(): void;
  ref(): void;
  unref(): void;
}

interface Listeners {
  data(handle: Handle, bytes: Buffer): void;
  drain(handle: Handle): void;
  end(handle: Handle): void;
  close(handle: Handle, error?: unknown): void;
  error(handle: Handle, error: unknown): void;
}

/** Takes over an open connection; undefined if Bun does not show the socket underneath. */
export function tapBun(socket: Socket, events: WireEvents): Wire | undefined {
  const { _handle: handle } = socket as { readonly _handle?: Partial<Handle> };
  return isHandle(handle) ? new BunWire(socket, handle, events) : undefined;
}

function isHandle(handle: Partial<Handle> | undefined): handle is Handle {
  const methods = [handle?.reload, handle?.write, handle?.pause, handle?.resume, handle?.ref, handle?.unref];
  return methods.every((method) => typeof method === "function");
}

class BunWire implements Wire {
  readonly #socket: Socket;
  readonly #handle: Handle;
  /** Bytes that the connection has not taken yet. */
  #rest: Uint8Array | undefined;
  #isClosed = false;

  constructor(socket: Socket, handle: Handle, events: WireEvents) {
    this.#socket = socket;
    this.#handle = handle;
    const close = (): void => {
      this.#isClosed = true;
      events.closed();
    };
    handle.reload({
      socket: {
        data: (_, bytes) => events.data(bytes),
        drain: () => this.#drain(),
        end: close,
        close,
        error: (_, error) => events.broken(error),
      },
    });
  }

  get isBusy(): boolean {
    return this.#isClosed || this.#rest !== undefined;
  }

  send(bytes: string | Uint8Array): void {
    const next = typeof bytes === "string" ? Buffer.from(bytes) : bytes;
    if (this.#rest === undefined) this.#write(next);
    else this.#rest = Buffer.concat([this.#rest, next]);
  }

  hold(isHeld: boolean): void {
    if (this.#isClosed) return;
    if (isHeld) this.#handle.pause();
    else this.#handle.resume();
  }

  keep(isKept: boolean): void {
    if (isKept) this.#handle.ref();
    else this.#handle.unref();
  }

  destroy(): void {
    this.#isClosed = true;
    this.#socket.destroy();
  }

  #drain(): void {
    const rest = this.#rest;
    this.#rest = undefined;
    if (rest !== undefined) this.#write(rest);
  }

  #write(bytes: Uint8Array): void {
    const taken = Math.max(0, this.#handle.write(bytes));
    if (taken < bytes.length) this.#rest = bytes.subarray(taken);
  }
}
