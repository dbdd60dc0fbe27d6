/**
 * Closes the way out of this process, for code that must reach nothing: sockets, `fetch`, WebSockets and programs are refused,
 * with an error that says so, and told of.
 *
 * Code that has taken hold of such a function before, and native modules, get past it: it is for code of one's own that is to be
 * rehearsed, and no wall against attackers.
 */

import childProcess from "node:child_process";
import dgram from "node:dgram";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";

/** Is told what was called, and where it would have gone. */
export type OnRefusal = (call: string, target: string) => void;

type Fn = (...args: never[]) => unknown;

const PROGRAMS = ["exec", "execFile", "execFileSync", "execSync", "fork", "spawn", "spawnSync"] as const;
const OF_DENO = [
  "connect",
  "connectTls",
  "connectQuic",
  "listen",
  "listenTls",
  "listenDatagram",
  "serve",
  "resolveDns",
] as const;
const OF_BUN = ["connect", "listen", "serve", "spawn", "spawnSync", "udpSocket"] as const;

/** Closes it, until disposed. */
export function closeNetwork(onRefusal: OnRefusal): Disposable {
  const undo: (() => void)[] = [];
  const refuse = (name: string) =>
    function refused(...args: unknown[]): never {
      const target = targetOf(args);
      onRefusal(name, target);
      throw new Error(`Cannot call ${name}(${target}): nothing outside of the cluster is reached here`);
    };
  const close = (holder: object | undefined, key: string, name: string): void => {
    const original: unknown = holder === undefined ? undefined : Reflect.get(holder, key);
    if (holder === undefined || typeof original !== "function") return;
    const replaced = name === "fetch" ? rejecting(refuse(name)) : refuse(name);
    if (!Reflect.set(holder, key, replaced)) return;
    undo.push(() => Reflect.set(holder, key, original));
  };
  close(net.Socket.prototype, "connect", "connect");
  close(dgram.Socket.prototype, "send", "send");
  for (const name of PROGRAMS) close(childProcess, name, name);
  close(globalThis, "fetch", "fetch");
  close(globalThis, "WebSocket", "WebSocket");
  close(globalThis, "EventSource", "EventSource");
  for (const name of OF_DENO) close(Reflect.get(globalThis, "Deno"), name, `Deno.${name}`);
  close(Reflect.get(globalThis, "Deno"), "Command", "Deno.Command");
  for (const name of OF_BUN) close(Reflect.get(globalThis, "Bun"), name, `Bun.${name}`);
  syncBuiltinESMExports();
  return {
    [Symbol.dispose]() {
      for (const each of undo.reverse()) each();
      syncBuiltinESMExports();
    },
  };
}

function rejecting(fn: Fn): Fn {
  // deno-lint-ignore require-await -- a throw must become a rejection
  return async (...args) => fn(...args);
}

/** Returns where a call would have gone, as far as its arguments show it; nothing of bodies and headers. */
function targetOf([first, second]: readonly unknown[]): string {
  const given = Array.isArray(first) ? first[0] : first;
  if (typeof given === "number") return typeof second === "string" ? `${second}:${given}` : `port ${given}`;
  if (typeof given === "string") return withoutQuery(given);
  if (given instanceof URL) return withoutQuery(given.href);
  if (typeof given !== "object" || given === null) return "";
  if ("url" in given && typeof given.url === "string") return withoutQuery(given.url);
  const [host, port] = ["host" in given ? given.host : undefined, "port" in given ? given.port : undefined];
  return [host, port].filter((part) => part !== undefined && part !== null).join(":");
}

/** NB: queries and user names of URLs may hold secrets. */
function withoutQuery(text: string): string {
  return text.replace(/\?.*$/s, "").replace(/\/\/[^/@]*@/, "//").slice(0, 200);
}
