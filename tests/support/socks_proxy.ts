/** A SOCKS5 proxy for tests: it leads to servers by their names, and asks for a name and password if it is to. */

import { Buffer } from "node:buffer";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface SocksProxy extends Disposable {
  readonly port: number;
  /** Which servers were asked for: "type address:port", and by whom. */
  readonly asked: readonly string[];
}

export interface SocksProxyOptions {
  /** "name:password". Default: nobody is asked. */
  readonly user?: string;
  /** The code with which all are refused. */
  readonly refusal?: number;
  /** Where every name leads to. */
  readonly to?: { readonly host: string; readonly port: number };
}

export async function startSocksProxy({ user, refusal, to }: SocksProxyOptions = {}): Promise<SocksProxy> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    serve(socket).catch(() => socket.destroy());
  });
  async function serve(socket: Socket): Promise<void> {
    const bytes = reader(socket);
    const [, count = 0] = await bytes(2);
    const methods = [...await bytes(count)];
    const method = user === undefined ? 0 : methods.includes(2) ? 2 : 255;
    socket.write(Buffer.from([5, method]));
    let who = "";
    if (method === 2) {
      const [, length = 0] = await bytes(2);
      const name = (await bytes(length)).toString();
      const [size = 0] = await bytes(1);
      who = ` by ${name}:${await bytes(size)}`;
      const isKnown = who === ` by ${user}`;
      // Bytes come one by one, as a network may have it.
      socket.write(Buffer.from([1]));
      socket.write(Buffer.from([isKnown ? 0 : 1]));
      if (!isKnown) return;
    }
    const [, , , type = 0] = await bytes(4);
    const [length = 0] = type === 3 ? await bytes(1) : [type === 1 ? 4 : 16];
    const address = await bytes(length);
    const port = (await bytes(2)).readUInt16BE();
    const host = type === 3 ? address.toString() : type === 1 ? address.join(".") : address.toString("hex");
    asked.push(`${type} ${host}:${port}${who}`);
    if (refusal !== undefined) return void socket.write(Buffer.from([5, refusal, 0, 1, 0, 0, 0, 0, 0, 0]));
    const target = connect(to ?? { host, port });
    sockets.add(target);
    target.on("error", () => socket.destroy());
    await once(target, "connect");
    socket.write(Buffer.from([5, 0, 0, 3, 4, 104, 111]));
    socket.write(Buffer.from([115, 116, 0, 80]));
    bytes.end();
    target.pipe(socket).pipe(target);
  }
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    [Symbol.dispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Returns so many bytes at a time. */
function reader(socket: Socket): ((count: number) => Promise<Buffer>) & { end(): void } {
  let received = Buffer.alloc(0);
  let wake = (): void => {};
  const take = (chunk: Buffer): void => {
    received = Buffer.concat([received, chunk]);
    wake();
  };
  socket.on("data", take);
  const read = async (count: number): Promise<Buffer> => {
    while (received.length < count) await new Promise<void>((resolve) => wake = resolve);
    const bytes = received.subarray(0, count);
    received = received.subarray(count);
    return bytes;
  };
  return Object.assign(read, { end: () => void socket.off("data", take) });
}
