/** The host on Deno: Node's, through Deno's `node:` built-ins. */

import type { Socket } from "node:net";
import process from "node:process";
import type { Host } from "./host.ts";
import { nodeHost } from "./node/host.ts";
import { type Care, connectNode } from "./node/connection.ts";
import { strayListener } from "./node/stray.ts";

/** The host that Deno gives. */
export function denoHost(): Host {
  const host = nodeHost();
  return {
    ...host,
    name: "deno",
    version: process.versions.deno ?? "",
    process: {
      ...host.process,
      self: findSelf(host.process.self),
      onStray: strayListener(["setTimeout", "setInterval", "setImmediate"]),
    },
    network: { ...host.network, connect: (options) => connectNode(options, CARE) },
  };
}

/** Deno runs a script by a word of its own, with all permissions; a compiled program runs by itself. */
function findSelf([executable = "", ...script]: readonly string[]): readonly string[] {
  return Deno.build.standalone || script.length === 0
    ? [executable]
    : [executable, "run", "--allow-all", ...script];
}

/** The members of Deno's TLS sockets that their types do not show. */
interface TlsSocket extends Socket {
  readonly _handle?: { readonly _parent?: { readStart?(): void; readStop?(): void } };
}

/**
 * NB: a paused TLS socket of Deno 2.9 reads on and keeps all of it in memory (1 GB of an unread response in a few seconds);
 * only the TCP socket underneath can be stopped. The conformance suite fails if a later Deno hides it.
 */
function brake(socket: Socket, isHeld: boolean): void {
  const { _handle: handle }: TlsSocket = socket;
  if (isHeld) handle?._parent?.readStop?.();
  else handle?._parent?.readStart?.();
}

/**
 * NB: Deno 2.9 never frees a TLS socket whose TCP connection fails, 17 KB each: an operator meets hundreds of such failures whenever
 * its API server is away. The conformance suite tells when later ones do.
 */
const CARE: Care = { brake, dialsInSteps: true };
