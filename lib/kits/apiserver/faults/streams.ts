/**
 * Answers that change on their way to the client, line by line.
 */

import type { Clock, Seconds } from "../../../runtime/host.ts";

/** The bytes of an answer, in pieces of any size. */
export type Chunks = AsyncIterable<Uint8Array>;

/** Returns the error that a client sees when a connection breaks, as Node's sockets have it. */
export function connectionReset(): Error {
  return Object.assign(new Error("The connection was reset"), { code: "ECONNRESET" });
}

/** Returns the response with its body changed; the original is read only as far as the change reads it. */
export function throughStream(response: Response, change: (chunks: Chunks) => Chunks): Response {
  if (response.body === null) return response;
  const reader = response.body.getReader();
  const changed = change(chunksOf(reader))[Symbol.asyncIterator]();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await changed.next();
        if (done !== true) return controller.enqueue(value);
        controller.close();
      } catch (error) {
        controller.error(error);
      }
      reader.cancel().catch(() => {});
    },
    cancel: () => void reader.cancel().catch(() => {}),
  }, { highWaterMark: 0 });
  const headers = new Headers(response.headers);
  headers.delete("content-length");
  return new Response(body, { status: response.status, headers });
}

async function* chunksOf(reader: ReadableStreamDefaultReader<Uint8Array>): AsyncGenerator<Uint8Array> {
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

/** Cuts a stream into its lines, each with its end; the last one may have none. */
export async function* linesOf(chunks: Chunks): AsyncGenerator<Uint8Array> {
  let rest = new Uint8Array();
  for await (const chunk of chunks) {
    const bytes = new Uint8Array(rest.length + chunk.length);
    bytes.set(rest);
    bytes.set(chunk, rest.length);
    let start = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
      yield bytes.slice(start, end + 1);
      start = end + 1;
    }
    rest = bytes.slice(start);
  }
  if (rest.length > 0) yield rest;
}

/** Lets so many lines through, and no more. */
export async function* firstLines(chunks: Chunks, count: number): AsyncGenerator<Uint8Array> {
  if (count <= 0) return;
  let left = count;
  for await (const line of linesOf(chunks)) {
    yield line;
    if (--left === 0) return;
  }
}

/**
 * Lets some lines through and a part of the next one, up to the middle of it, or of one of its characters.
 *
 * @throws The error, then.
 */
export async function* cutInLine(
  chunks: Chunks,
  { lines, inCharacter, error }: {
    readonly lines: number;
    readonly inCharacter: boolean;
    readonly error: Error | undefined;
  },
): AsyncGenerator<Uint8Array> {
  let left = lines;
  for await (const line of linesOf(chunks)) {
    // NB: lines of ASCII alone have no character that could be cut.
    const wide = inCharacter ? line.findIndex((byte) => byte >= 0x80) : line.length >> 1;
    if (left-- > 0 || wide < 0) {
      yield line;
      continue;
    }
    yield line.subarray(0, inCharacter ? wide + 1 : wide);
    if (error !== undefined) throw error;
    return;
  }
}

/** Says each line twice. */
export async function* duplicateLines(chunks: Chunks): AsyncGenerator<Uint8Array> {
  for await (const line of linesOf(chunks)) {
    yield line;
    yield line;
  }
}

/** Changes the places of the first two events. */
export async function* reorderLines(chunks: Chunks): AsyncGenerator<Uint8Array> {
  let first: Uint8Array | undefined;
  let isDone = false;
  for await (const line of linesOf(chunks)) {
    if (isDone || new TextDecoder().decode(line).includes('"BOOKMARK"')) {
      // NB: a bookmark must not overtake the event that is held back, or a client would miss the event after a restart of its
      // watch.
      if (first !== undefined && !isDone) yield first;
      isDone ||= first !== undefined;
      yield line;
    } else if (first === undefined) {
      first = line;
    } else {
      yield line;
      yield first;
      isDone = true;
    }
  }
}

/** Lets each line through only after a while. */
export async function* delayLines(
  chunks: Chunks,
  { clock, seconds }: { readonly clock: Clock; readonly seconds: () => Seconds },
): AsyncGenerator<Uint8Array> {
  for await (const line of linesOf(chunks)) {
    await clock.sleep(seconds());
    yield line;
  }
}

/** Lets some lines through, and then keeps silent for ever. */
export async function* fallSilent(chunks: Chunks, lines: number): AsyncGenerator<Uint8Array> {
  yield* firstLines(chunks, lines);
  await new Promise(() => {});
}
