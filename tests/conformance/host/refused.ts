/** A program for refused_suite.ts: is refused many times, and prints by how many kilobytes the heap has grown. */

import process from "node:process";
import { currentHost } from "../../../lib/runtime/current_host.ts";

const { gc, Bun } = globalThis as { gc?: () => void; Bun?: { gc(force: boolean): void } };
const { network } = currentHost();
// Nobody listens there.
using connection = network.connect({ server: "https://127.0.0.1:1" });

async function beRefused(times: number): Promise<void> {
  for (let count = 0; count < times; count++) {
    await connection.request({ method: "GET", path: "/", headers: {} }).then(
      () => process.exit(1),
      () => {},
    );
  }
}

async function heap(): Promise<number> {
  // What is closed is let go of a little later.
  await currentHost().clock.sleep(0.1);
  for (let round = 0; round < 3; round++) Bun === undefined ? gc?.() : Bun.gc(true);
  return process.memoryUsage().heapUsed / 1024;
}

await beRefused(100);
const before = await heap();
await beRefused(400);
console.log(Math.round(await heap() - before));
