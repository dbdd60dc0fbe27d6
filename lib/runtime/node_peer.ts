/** Who is at the other end of a server's connection, looked up only when somebody asks. */

import { X509Certificate } from "node:crypto";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { Peer } from "./host.ts";

/** The peer behind a socket. */
export class NodePeer implements Peer {
  readonly #socket: Socket | undefined;

  constructor(socket: Socket | undefined) {
    this.#socket = socket;
  }

  get address(): string | undefined {
    return this.#socket?.remoteAddress;
  }

  get certificate(): string | undefined {
    const socket = this.#socket as TLSSocket | undefined; // a plain socket has none of the methods
    if (!socket?.authorized) return undefined;
    const { raw } = socket.getPeerCertificate?.() ?? {};
    return raw ? new X509Certificate(raw).toString() : undefined;
  }
}
