import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { describe, it } from "node:test";
import { ResponseReader } from "../../../lib/runtime/node/response_reader.ts";

/** What a reader has told about one response. */
interface Told {
  status?: number;
  headers?: Record<string, string>;
  body: string;
  end?: "reusable" | "last";
}

/** Feeds a reader with bytes, in pieces of that many. */
function read(text: string, { method = "GET", pieces = Infinity } = {}): { told: Told; isClean: boolean } {
  const reader = new ResponseReader();
  const told: Told = { body: "" };
  reader.expect(method, {
    head: (status, { all }) => Object.assign(told, { status, headers: { ...all } }),
    data: (chunk) => void (told.body += chunk.toString()),
    end: (isReusable) => void (told.end = isReusable ? "reusable" : "last"),
  });
  const bytes = Buffer.from(text);
  const size = Math.min(pieces, bytes.length);
  for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
  return { told, isClean: told.end === undefined && reader.close() };
}

const CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

describe("ResponseReader", () => {
  const whole: Record<string, [text: string, told: Told, method?: string]> = {
    "a body of a given length": [
      "HTTP/1.1 201 Created\r\nContent-Length: 5\r\nX-A: 1\r\nx-a:  2 \r\n\r\nhello",
      { status: 201, headers: { "content-length": "5", "x-a": "1, 2" }, body: "hello", end: "reusable" },
    ],
    "chunks, with an extension and a trailer": [
      `${CHUNKED}5;x=y\r\nhello\r\nA\r\n, you all!\r\n0\r\nX-T: z\r\n\r\n`,
      {
        status: 200,
        headers: { "transfer-encoding": "chunked" },
        body: "hello, you all!",
        end: "reusable",
      },
    ],
    "nothing at all": [
      "HTTP/1.1 204 No Content\r\n\r\n",
      { status: 204, headers: {}, body: "", end: "reusable" },
    ],
    "a length of zero": [
      "HTTP/1.1 200\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
      { status: 200, headers: { "content-length": "0", connection: "close" }, body: "", end: "last" },
    ],
    "an answer to HEAD, which has a length and no body": [
      "HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n",
      { status: 200, headers: { "content-length": "500" }, body: "", end: "reusable" },
      "HEAD",
    ],
    "interim responses before the real one": [
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok",
      { status: 200, headers: { "content-length": "2" }, body: "ok", end: "reusable" },
    ],
    "an old server's answer, which closes unless it says otherwise": [
      "HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok",
      { status: 200, headers: { "content-length": "2" }, body: "ok", end: "last" },
    ],
    "both a length and chunks: the chunks count, and nothing more is read from there": [
      "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ncontent-length: 3\r\n\r\n2\r\nok\r\n0\r\n\r\n",
      {
        status: 200,
        headers: { "transfer-encoding": "chunked", "content-length": "3" },
        body: "ok",
        end: "last",
      },
    ],
  };
  for (const [title, [text, expected, method]] of Object.entries(whole)) {
    it(`reads ${title}, however it is cut into pieces`, () => {
      for (let pieces = 1; pieces <= text.length; pieces++) {
        assert.deepEqual(read(text, { method, pieces }).told, expected, `pieces of ${pieces}`);
      }
    });
  }

  it("reads up to the end of the connection where no length is said", () => {
    const { told, isClean } = read("HTTP/1.1 200 OK\r\n\r\nall of it", { pieces: 3 });
    assert.deepEqual(told, { status: 200, headers: {}, body: "all of it", end: "last" });
    assert.equal(isClean, true);
  });

  it("tells a response that was cut off from one that is whole", () => {
    for (
      const text of [
        "HTTP/1.1 200 OK\r\ncontent-le",
        "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhell",
        `${CHUNKED}5\r\nhel`,
        `${CHUNKED}5\r\nhello\r\n0\r\n`,
      ]
    ) assert.equal(read(text).isClean, false, text);
  });

  it("reads responses one after another from one connection", () => {
    const reader = new ResponseReader();
    const bodies: string[] = [];
    for (const text of ["one", "two"]) {
      reader.expect("GET", {
        head: () => {},
        data: (chunk) => void bodies.push(chunk.toString()),
        end: () => {},
      });
      reader.push(Buffer.from(`HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\n${text}`));
      assert.equal(reader.isIdle, true);
    }
    assert.deepEqual(bodies, ["one", "two"]);
    assert.throws(() => reader.push(Buffer.from("HTTP/1.1 408 Request Timeout\r\n\r\n")), /nobody has asked/);
  });

  const broken: Record<string, string> = {
    "another protocol": "SSH-2.0-OpenSSH\r\n\r\n",
    "the answer of HTTP/2": "HTTP/2 200\r\n\r\n",
    "a status that is none": "HTTP/1.1 20 OK\r\n\r\n",
    "a header without a name": "HTTP/1.1 200 OK\r\n: x\r\n\r\n",
    "a header that is folded": "HTTP/1.1 200 OK\r\nx: y\r\n z\r\n\r\n",
    "a blank before the colon": "HTTP/1.1 200 OK\r\ncontent-length : 3\r\n\r\n",
    "two lengths": "HTTP/1.1 200 OK\r\ncontent-length: 3\r\ncontent-length: 4\r\n\r\n",
    "a negative length": "HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n",
    "a coding that nobody asked for": "HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n",
    "another protocol to go on with": "HTTP/1.1 101 Switching Protocols\r\n\r\n",
    "a chunk without a length": `${CHUNKED}\r\nx`,
    "a chunk that is longer than it said": `${CHUNKED}2\r\nabc\r\n`,
    "more than the length": "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nabc",
    "a head without an end": `HTTP/1.1 200 OK\r\nx: ${"y".repeat(70_000)}`,
  };
  for (const [title, text] of Object.entries(broken)) {
    it(`refuses ${title}`, () => {
      assert.throws(() => read(text), { code: "HPE_INVALID" });
      assert.throws(() => read(text, { pieces: 7 }), { code: "HPE_INVALID" });
    });
  }
});
