import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { frameOf, readMessages } from "../../../lib/client/transport/web_socket.ts";

const RANDOM = { bytes: (length: number) => new Uint8Array(length).fill(0x5a) };

async function* chunks(...all: readonly (readonly number[])[]): AsyncGenerator<Uint8Array> {
  for (const each of all) yield await Promise.resolve(new Uint8Array(each));
}

async function read(
  ...all: readonly (readonly number[])[]
): Promise<{ messages: string[]; pongs: string[] }> {
  const pongs: string[] = [];
  const messages: string[] = [];
  const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
  for await (const message of readMessages(chunks(...all), (bytes) => pongs.push(text(bytes)))) {
    messages.push(text(message));
  }
  return { messages, pongs };
}

const bytesOf = (text: string): number[] => [...new TextEncoder().encode(text)];

describe("readMessages()", () => {
  it("reads messages however their bytes are cut", async () => {
    const all = [0x82, 2, 0x68, 0x69, 0x82, 126, 0, 200, ...Array(200).fill(0x61), 0x82, 0];
    const wanted = ["hi", "a".repeat(200), ""];
    assert.deepEqual((await read(all)).messages, wanted);
    assert.deepEqual((await read(...all.map((byte) => [byte]))).messages, wanted);
  });

  it("joins the frames of a message, with a ping between them, and ends at a close", async () => {
    const ping = [0x89, 1, 0x70];
    const { messages, pongs } = await read(
      [0x02, 1, 0x61],
      ping,
      [0x80, 1, 0x62],
      [0x88, 0],
      [0x82, 1, 0x63],
    );
    assert.deepEqual([messages, pongs], [["ab"], ["p"]]);
  });

  it("refuses bytes that no server sends", async () => {
    for (
      const [bytes, message] of [
        [[0x82, 0x81, 0, 0, 0, 0, 1], /bits that no server sets/],
        [[0xc2, 1, 1], /bits that no server sets/],
        [[0x83, 0], /the code 3/],
        [[0x80, 1, 1], /out of order/],
        [[0x02, 1, 1, 0x82, 1, 1], /out of order/],
        [[0x82, 127, 0, 0, 0, 1, 0, 0, 0, 0], /too long/],
        [[0x82, 9, 1], /ended within a message/],
        [[0x02, 1, 1], /ended within a message/],
      ] as const
    ) {
      await assert.rejects(read(bytes), message, String(bytes));
    }
  });
});

describe("frameOf()", () => {
  it("masks the payload, and says how long it is in the shortest way", () => {
    const plain = (frame: Uint8Array, head: number): number[] =>
      [...frame.subarray(head)].map((b) => b ^ 0x5a);
    const short = frameOf(2, new Uint8Array(bytesOf("hi")), RANDOM);
    assert.deepEqual([...short.subarray(0, 6)], [0x82, 0x82, 0x5a, 0x5a, 0x5a, 0x5a]);
    assert.deepEqual(plain(short, 6), bytesOf("hi"));
    assert.deepEqual([...frameOf(2, new Uint8Array(126), RANDOM).subarray(0, 4)], [0x82, 0xfe, 0, 126]);
    const long = frameOf(2, new Uint8Array(70_000), RANDOM);
    assert.deepEqual([...long.subarray(0, 10)], [0x82, 0xff, 0, 0, 0, 0, 0, 1, 0x11, 0x70]);
    assert.equal(long.length, 14 + 70_000);
  });
});
