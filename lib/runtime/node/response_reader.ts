/**
 * Reads HTTP/1.1 responses from the bytes of a connection, one after another. Pure: it knows no socket.
 *
 * It takes the forms that servers send to clients without special wishes: bodies of a given length, in chunks, or up to the end
 * of the connection; interim responses are passed over. Whatever else is an error, since bytes that are misread would be
 * taken for another response. Source: RFC 9112.
 */

import { Buffer } from "node:buffer";
import { protocolError, ResponseFields } from "./response_fields.ts";

/** Where the parts of a response go, in order. */
export interface ResponseSink {
  head(status: number, fields: ResponseFields): void;
  /** Only called between `head()` and `end()`. The bytes belong to a larger buffer. */
  data(chunk: Buffer): void;
  /** The response is whole. `isReusable`: whether the connection takes another request. */
  end(isReusable: boolean): void;
}

/** A head that is longer is refused, in bytes. */
const HEAD_LIMIT = 64 * 1024;
/** A line that says how long a chunk is, or a field after the last one, is no longer than this, in bytes. */
const LINE_LIMIT = 16 * 1024;
const CR = 0x0d;
const LF = 0x0a;
const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: .*)?(?:\r\n|$)/;

type State =
  | "idle"
  | "head"
  | "length"
  | "until end"
  | "chunk size"
  | "chunk"
  | "after chunk"
  | "trailer";

/** Reads one response at a time. */
export class ResponseReader {
  #sink: ResponseSink | undefined;
  #method = "";
  #state: State = "idle";
  /** Bytes that do not make a whole head or line yet. */
  #rest: Buffer | undefined;
  /** How many bytes of the body or chunk are to come. */
  #remaining = 0;
  #isReusable = false;
  #mayUpgrade = false;

  /** Whether no response is awaited or under way. */
  get isIdle(): boolean {
    return this.#state === "idle";
  }

  /** A request of this method was sent: the next response is for this sink. `mayUpgrade`: it may be the start of another protocol. */
  expect(method: string, sink: ResponseSink, mayUpgrade = false): void {
    this.#method = method;
    this.#mayUpgrade = mayUpgrade;
    this.#sink = sink;
    this.#state = "head";
  }

  /**
   * Takes the next bytes.
   *
   * @throws {Error} If they are no HTTP, or there was no request. The connection is of no use then.
   */
  push(bytes: Buffer): void {
    let rest: Buffer | undefined = this.#joined(bytes);
    while (rest !== undefined && rest.length > 0) {
      switch (this.#state) {
        case "idle":
          throw protocolError("it says something that nobody has asked for");
        case "head":
          rest = this.#readHead(rest);
          break;
        case "chunk size":
        case "after chunk":
        case "trailer":
          rest = this.#readLine(rest);
          break;
        default:
          rest = this.#readBody(rest);
      }
    }
  }

  /** The connection has come to its end. Returns whether that ends the response as it should. */
  close(): boolean {
    if (this.#state !== "until end") return false;
    this.#end(false);
    return true;
  }

  #joined(bytes: Buffer): Buffer {
    const rest = this.#rest;
    if (rest === undefined) return bytes;
    this.#rest = undefined;
    return Buffer.concat([rest, bytes]);
  }

  /** Keeps bytes that are not whole yet. */
  #keep(bytes: Buffer, limit: number): undefined {
    if (bytes.length > limit) throw protocolError(`a part of its head has more than ${limit} bytes`);
    this.#rest = bytes;
  }

  #readHead(bytes: Buffer): Buffer | undefined {
    const end = findEmptyLine(bytes);
    if (end < 0) {
      if (bytes.length >= 5 && bytes.toString("latin1", 0, 5) !== "HTTP/") {
        throw protocolError("it does not speak HTTP/1.1");
      }
      return this.#keep(bytes, HEAD_LIMIT);
    }
    const text = bytes.toString("latin1", 0, end);
    const [statusLine = "", minor, code] = STATUS_LINE.exec(text) ?? [];
    if (code === undefined) throw protocolError("it does not speak HTTP/1.1");
    const status = Number(code);
    const rest = bytes.subarray(end + 4);
    const fields = new ResponseFields(text, statusLine.length);
    if (status < 200) {
      if (status !== 101) return rest; // An interim response: the real one follows.
      if (!this.#mayUpgrade) throw protocolError("it wants to speak another protocol");
      // From here on the bytes are not HTTP.
      this.#state = "until end";
      this.#isReusable = false;
      this.#sink?.head(status, fields);
      return rest;
    }
    const connection = fields.connection?.toLowerCase() ?? "";
    this.#isReusable = minor === "1" ? !connection.includes("close") : connection.includes("keep-alive");
    this.#state = this.#bodyOf(status, fields);
    this.#sink?.head(status, fields);
    if (this.#state === "length" && this.#remaining === 0) this.#end(this.#isReusable);
    return rest;
  }

  #bodyOf(status: number, { transferEncoding: encoding, contentLength: length }: ResponseFields): State {
    this.#remaining = 0;
    if (this.#method === "HEAD" || status === 204 || status === 304) return "length";
    if (encoding !== undefined) {
      if (encoding.toLowerCase() !== "chunked") throw protocolError(`it sends in the coding "${encoding}"`);
      // NB: a server that sends both may smuggle a response in: no more is read from there.
      if (length !== undefined) this.#isReusable = false;
      return "chunk size";
    }
    if (length === undefined) {
      this.#isReusable = false;
      return "until end";
    }
    // The same length may be said twice.
    const [first = "", ...others] = length.split(",").map((each) => each.trim());
    if (!/^\d{1,15}$/.test(first) || others.some((other) => other !== first)) {
      throw protocolError(`its length is "${length}"`);
    }
    this.#remaining = Number(first);
    return "length";
  }

  #readBody(bytes: Buffer): Buffer | undefined {
    if (this.#state === "until end") {
      this.#sink?.data(bytes);
      return undefined;
    }
    const part = bytes.length <= this.#remaining ? bytes : bytes.subarray(0, this.#remaining);
    this.#remaining -= part.length;
    this.#sink?.data(part);
    if (this.#remaining === 0) {
      if (this.#state === "chunk") this.#state = "after chunk";
      else this.#end(this.#isReusable);
    }
    return part === bytes ? undefined : bytes.subarray(part.length);
  }

  #readLine(bytes: Buffer): Buffer | undefined {
    const end = findLineEnd(bytes, 0);
    if (end < 0) return this.#keep(bytes, LINE_LIMIT);
    const line = bytes.toString("latin1", 0, end);
    if (this.#state === "after chunk") {
      if (line !== "") throw protocolError("a chunk is longer than it said");
      this.#state = "chunk size";
    } else if (this.#state === "chunk size") {
      const [, size] = /^([0-9a-fA-F]{1,12})[ \t]*(?:;.*)?$/.exec(line) ?? [];
      if (size === undefined) throw protocolError("a chunk does not say how long it is");
      this.#remaining = parseInt(size, 16);
      this.#state = this.#remaining === 0 ? "trailer" : "chunk";
    } else if (line === "") {
      this.#end(this.#isReusable);
    }
    return bytes.subarray(end + 2);
  }

  #end(isReusable: boolean): void {
    const sink = this.#sink;
    this.#sink = undefined;
    this.#state = "idle";
    sink?.end(isReusable);
  }
}

/** Returns where a line ends; -1 if it does not. Deno looks for a text in bytes seven times as long as for a byte. */
function findLineEnd(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(CR, from); at >= 0; at = bytes.indexOf(CR, at + 1)) {
    if (bytes[at + 1] === LF) return at;
  }
  return -1;
}

/** Returns where the line before an empty one ends; -1 if there is none. */
function findEmptyLine(bytes: Buffer): number {
  for (let at = findLineEnd(bytes, 0); at >= 0; at = findLineEnd(bytes, at + 1)) {
    if (bytes[at + 2] === CR && bytes[at + 3] === LF) return at;
  }
  return -1;
}
