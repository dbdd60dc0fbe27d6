/**
 * Writes a `Response` to a `node:http` response: short ones in one piece, streams chunk by chunk as they come.
 *
 * What the client does not read is not pulled from the stream; when the client goes away the stream is cancelled, and
 * when the stream breaks the connection is cut at once, so that nobody takes half an answer for a whole one.
 */

import type { ServerResponse } from "node:http";
import { setImmediate } from "node:timers";

type Reader = ReadableStreamDefaultReader<Uint8Array>;
type Chunk = ReadableStreamReadResult<Uint8Array>;

/** Writes the response, and resolves when it has been written or the client has gone. Does not throw. */
export async function respond(response: Response, outgoing: ServerResponse): Promise<void> {
  if (outgoing.destroyed) return await response.body?.cancel().catch(() => {});
  const headers = toHeaders(response.headers);
  if (!response.body) {
    outgoing.writeHead(response.status, headers);
    outgoing.end();
    return;
  }
  const reader: Reader = response.body.getReader();
  const onClose = () => void reader.cancel("The client has gone").catch(() => {});
  outgoing.on("close", onClose);
  // A stream may break while the client does not read, so that nobody asks it for more.
  reader.closed.catch(() => outgoing.destroy());
  try {
    await write(reader, outgoing, { status: response.status, headers });
  } catch {
    outgoing.destroy();
  } finally {
    outgoing.off("close", onClose);
  }
}

interface Head {
  readonly status: number;
  readonly headers: Record<string, string | string[]>;
}

async function write(reader: Reader, outgoing: ServerResponse, { status, headers }: Head): Promise<void> {
  // Most bodies are one chunk that is there at once: they go out with their length, and in one piece.
  let next = reader.read();
  const first = await soon(next);
  if (first && !first.done) next = reader.read();
  const second = first && !first.done ? await soon(next) : undefined;
  if (first?.done || second?.done) {
    const whole = first?.value ?? new Uint8Array();
    outgoing.writeHead(status, { ...headers, "content-length": String(whole.length) });
    outgoing.end(whole);
    return;
  }
  outgoing.writeHead(status, headers);
  if (first) outgoing.write(first.value);
  else outgoing.flushHeaders();
  await pump(reader, outgoing, next);
}

async function pump(reader: Reader, outgoing: ServerResponse, first: Promise<Chunk>): Promise<void> {
  for (let next = await first; !next.done; next = await reader.read()) {
    if (outgoing.destroyed) return;
    if (!outgoing.write(next.value)) await drained(outgoing);
  }
  outgoing.end();
}

/** Resolves when more can be written, or the client has gone. */
function drained(outgoing: ServerResponse): Promise<void> {
  if (outgoing.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const finish = () => {
      outgoing.off("drain", finish);
      outgoing.off("close", finish);
      resolve();
    };
    outgoing.on("drain", finish);
    outgoing.on("close", finish);
  });
}

/** The chunk, if it comes within this turn of the event loop. */
function soon(chunk: Promise<Chunk>): Promise<Chunk | undefined> {
  return Promise.race([
    chunk,
    new Promise<undefined>((resolve) => void setImmediate(() => resolve(undefined))),
  ]);
}

function toHeaders(headers: Headers): Record<string, string | string[]> {
  const plain: Record<string, string | string[]> = Object.fromEntries(headers);
  const cookies = headers.getSetCookie();
  if (cookies.length > 0) plain["set-cookie"] = cookies;
  return plain;
}
