/**
 * A WebSocket over the transport: the runtimes' own take no client certificates, no private authorities and no proxies.
 *
 * The client's half of RFC 6455, as far as Kubernetes speaks it: binary messages, and no extensions. A message may come in
 * several frames; a frame that no server sends (masked, reserved bits, an unknown code) ends the connection.
 */

import type { Random } from "../../runtime/host.ts";
import { sha1Base64 } from "../../runtime/digest.ts";
import type { ApiRequest, Transport } from "./transport.ts";

/** Source: RFC 6455, section 1.3. */
const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/** Longer messages end the connection. In bytes. */
const LONGEST_MESSAGE = 16 * 1024 * 1024;

const CODES = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** A WebSocket to open. */
export interface WebSocketRequest extends Pick<ApiRequest, "path" | "subject" | "signal"> {
  /** The protocols that the client speaks, the best one first. */
  readonly protocols: readonly string[];
}

/** An open WebSocket. Disposing closes the connection. */
export interface OpenWebSocket extends Disposable {
  /** The protocol that the server has chosen. */
  readonly protocol: string;
  /** Yields the messages of the server, until it closes the connection. @throws {Error} If the connection breaks. */
  messages(): AsyncGenerator<Uint8Array, void, void>;
  /** Sends a binary message. */
  send(message: Uint8Array): void;
}

/**
 * Opens a WebSocket. It is tried once, as the server may have begun to work.
 *
 * @throws {ApiError} If the server refuses.
 * @throws {Error} If it speaks none of the protocols, or no WebSocket.
 */
export async function openWebSocket(
  transport: Transport,
  { protocols, ...request }: WebSocketRequest,
): Promise<OpenWebSocket> {
  const { random } = transport.host;
  const key = btoa(String.fromCharCode(...random.bytes(16)));
  const response = await transport.stream({
    ...request,
    method: "GET",
    accept: "*/*",
    backoffs: [],
    upgrade: {
      "connection": "Upgrade",
      "upgrade": "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": key,
      "sec-websocket-protocol": protocols.join(", "),
    },
  });
  const { "sec-websocket-accept": accepted, "sec-websocket-protocol": protocol = "" } = response.headers;
  if (accepted !== sha1Base64(key + GUID) || !protocols.includes(protocol)) {
    response.cancel();
    throw new Error(
      accepted === undefined
        ? "The server changes the protocol, but to none that was asked for"
        : `The server speaks "${protocol}", and not ${protocols.join(" or ")}`,
    );
  }
  const send = (code: number, bytes: Uint8Array): void => response.send?.(frameOf(code, bytes, random));
  return {
    protocol,
    messages: () => readMessages(response.body, (bytes) => send(CODES.pong, bytes)),
    send: (message) => send(CODES.binary, message),
    [Symbol.dispose]: () => {
      send(CODES.close, new Uint8Array());
      response.cancel();
    },
  };
}

/** Returns a frame as clients send it: whole, and masked. Source: RFC 6455, section 5.2. */
export function frameOf(code: number, payload: Uint8Array, random: Pick<Random, "bytes">): Uint8Array {
  const { length } = payload;
  const extra = length < 126 ? 0 : length < 0x10000 ? 2 : 8;
  const frame = new Uint8Array(2 + extra + 4 + length);
  const view = new DataView(frame.buffer);
  frame[0] = 0x80 | code;
  frame[1] = 0x80 | (extra === 0 ? length : extra === 2 ? 126 : 127);
  if (extra === 2) view.setUint16(2, length);
  if (extra === 8) view.setBigUint64(2, BigInt(length));
  const mask = random.bytes(4);
  frame.set(mask, 2 + extra);
  for (let at = 0; at < length; at++) frame[6 + extra + at] = payload[at]! ^ mask[at & 3]!;
  return frame;
}

/** Yields the messages in the bytes of a server. Answers pings. @throws {Error} If the bytes are no frames of a server. */
export async function* readMessages(
  bytes: AsyncIterable<Uint8Array>,
  pong: (payload: Uint8Array) => void,
): AsyncGenerator<Uint8Array, void, void> {
  let rest = new Uint8Array();
  let parts: Uint8Array[] = [];
  for await (const chunk of bytes) {
    rest = joined([rest, chunk]);
    for (let frame = readFrame(rest); frame !== undefined; frame = readFrame(rest)) {
      const { code, isLast, payload, end } = frame;
      rest = rest.subarray(end);
      if (code === CODES.close) return;
      if (code === CODES.ping) pong(payload);
      if (code >= CODES.close) continue;
      if ((code === CODES.continuation) !== (parts.length > 0)) throw brokenBy("a frame is out of order");
      parts.push(payload);
      if (parts.reduce((sum, { length }) => sum + length, 0) > LONGEST_MESSAGE) {
        throw brokenBy("a message is too long");
      }
      if (!isLast) continue;
      const message = joined(parts);
      parts = [];
      yield message;
    }
  }
  if (rest.length > 0 || parts.length > 0) throw brokenBy("it has ended within a message");
}

interface Frame {
  readonly code: number;
  readonly isLast: boolean;
  readonly payload: Uint8Array;
  /** Where the next one begins. */
  readonly end: number;
}

/** Reads the frame at the beginning; undefined: it is not whole yet. */
function readFrame(bytes: Uint8Array): Frame | undefined {
  const [first, second] = bytes;
  if (first === undefined || second === undefined) return undefined;
  if ((first & 0x70) !== 0 || (second & 0x80) !== 0) throw brokenBy("a frame has bits that no server sets");
  const code = first & 0x0f;
  if (!Object.values<number>(CODES).includes(code)) throw brokenBy(`a frame has the code ${code}`);
  const short = second & 0x7f;
  const extra = short === 126 ? 2 : short === 127 ? 8 : 0;
  if (bytes.length < 2 + extra) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const length = extra === 0 ? short : extra === 2 ? view.getUint16(2) : Number(view.getBigUint64(2));
  if (length > LONGEST_MESSAGE) throw brokenBy("a message is too long");
  const end = 2 + extra + length;
  if (bytes.length < end) return undefined;
  return { code, isLast: (first & 0x80) !== 0, payload: bytes.slice(2 + extra, end), end };
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

function brokenBy(reason: string): Error {
  return new Error(`Cannot read the WebSocket: ${reason}`);
}
