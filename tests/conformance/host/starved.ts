/**
 * A program, run with few descriptors: it uses them all up, lets somebody connect to its server, and frees them again. It prints
 * whether the server takes connections before that and after, as it says itself and as a client finds.
 */

import { closeSync, openSync } from "node:fs";
import { connect } from "node:net";
import process from "node:process";
import { currentHost } from "../../../lib/runtime/current_host.ts";

const { network, clock } = currentHost();

function openAll(): number[] {
  const files: number[] = [];
  for (;;) {
    try {
      files.push(openSync("/dev/null", "r"));
    } catch {
      return files;
    }
  }
}

// NB: Deno 2.9 opens what it needs for signals late, and crashes where it cannot.
process.on("SIGHUP", () => {});
const server = await network.serve({ fetch: () => new Response("ok") });
const before = await server.accepts(5);
const files = openAll();
// One is left, for the client: there is none to accept it with.
closeSync(files.pop() ?? -1);
const client = connect({ host: "127.0.0.1", port: server.port });
client.on("error", () => {});
await clock.sleep(0.5);
client.destroy();
for (const file of files) closeSync(file);
await clock.sleep(0.5);
using connection = network.connect({ server: `http://127.0.0.1:${server.port}` });
const answer = connection.request({
  method: "GET",
  path: "/",
  headers: {},
  signal: AbortSignal.timeout(3000),
}).then(({ status }) => status === 200, () => false);
const heard = await answer;
const accepts = await server.accepts(3);
console.log(JSON.stringify({ before, heard, accepts }));
process.exit(0);
