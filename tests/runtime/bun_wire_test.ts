/** Bytes on Bun past its streams. That a whole connection behaves is tested by tests/conformance/host. */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import process from "node:process";
import { describe, it } from "node:test";
import { tapBun } from "../../lib/runtime/bun_wire.ts";
import type { Wire } from "../../lib/runtime/node/wire.ts";

type Listener = (handle: unknown, value?: unknown) => void;

/** A socket underneath that takes so many bytes at a time. */
class FakeHandle {
  listeners: Record<string, Listener> = {};
  readonly written: string[] = [];
  readonly calls: string[] = [];
  room = Infinity;

  reload({ socket }: { readonly socket: Record<string, Listener> }): void {
    this.listeners = socket;
  }

  write(bytes: Uint8Array): number {
    const taken = Math.min(this.room, bytes.length);
    this.room -= taken;
    this.written.push(Buffer.from(bytes.subarray(0, taken)).toString());
    return taken;
  }

  pause(): void {
    this.calls.push("pause");
  }

  resume(): void {
    this.calls.push("resume");
  }

  ref(): void {
    this.calls.push("ref");
  }

  unref(): void {
    this.calls.push("unref");
  }
}

interface World {
  readonly handle: FakeHandle;
  readonly wire: Wire;
  readonly told: string[];
}

function start(): World {
  const handle = new FakeHandle();
  const told: string[] = [];
  const destroy = (): void => void told.push("destroyed");
  const socket = { _handle: handle, destroy } as unknown as Socket; // all that is asked of one
  const wire = tapBun(socket, {
    data: (bytes) => void told.push(String(bytes)),
    closed: () => void told.push("closed"),
    broken: (error) => void told.push(String(error)),
  });
  assert.ok(wire !== undefined);
  return { handle, wire, told };
}

describe("tapBun()", () => {
  it("sends what the connection does not take at once when there is room again, in order", () => {
    const { handle, wire } = start();
    wire.send("one ");
    assert.equal(wire.isBusy, false);
    handle.room = 2;
    wire.send("two ");
    wire.send(Buffer.from("three "));
    assert.equal(wire.isBusy, true);
    handle.room = 3;
    handle.listeners.drain?.(handle);
    assert.equal(wire.isBusy, true);
    handle.room = Infinity;
    handle.listeners.drain?.(handle);
    handle.listeners.drain?.(handle);
    assert.equal(wire.isBusy, false);
    assert.equal(handle.written.join(""), "one two three ");
  });

  it("keeps what a closed connection did not take, and can send nothing more", () => {
    const { handle, wire, told } = start();
    handle.room = -1;
    wire.send("lost");
    assert.equal(wire.isBusy, true);
    handle.listeners.close?.(handle);
    assert.deepEqual(told, ["closed"]);
    assert.equal(wire.isBusy, true);
  });

  it("tells of bytes, of faults, and of the end of what is sent", () => {
    const { handle, wire, told } = start();
    handle.listeners.data?.(handle, Buffer.from("bytes"));
    handle.listeners.error?.(handle, new Error("torn"));
    handle.listeners.end?.(handle);
    assert.deepEqual(told, ["bytes", "Error: torn", "closed"]);
    assert.equal(wire.isBusy, true);
  });

  it("stops, goes on, keeps the process alive or does not, and is destroyed with its socket", () => {
    const { handle, wire, told } = start();
    wire.hold(true);
    wire.hold(false);
    wire.keep(true);
    wire.keep(false);
    assert.deepEqual(handle.calls, ["pause", "resume", "ref", "unref"]);
    wire.destroy();
    wire.hold(true);
    assert.deepEqual(handle.calls.slice(4), []);
    assert.deepEqual(told, ["destroyed"]);
    assert.equal(wire.isBusy, true);
  });

  it("takes over Bun's sockets, and none of others", async () => {
    const server = createServer((socket) => void socket.on("error", () => {}));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    await once(socket, "connect");
    const wire = tapBun(socket, { data() {}, closed() {}, broken() {} });
    // NB: where Bun does not show the socket underneath any more, all works as before, and costs more.
    assert.equal(wire !== undefined, process.versions.bun !== undefined);
    socket.destroy();
    server.close();
  });
});
