/**
 * One process of the measurement: so many PATCH requests by one transport, 16 at a time. Prints the CPU time of each, in microseconds.
 *
 *   TRANSPORT CONNECTION PORT WARM REQUESTS
 */

import { readFileSync } from "node:fs";
import { connect, constants } from "node:http2";
import { Agent, request as requestHttps } from "node:https";
import process from "node:process";
import { currentHost } from "../../lib/runtime/current_host.ts";

const [transport = "own", connection = "", port = "", warm = "0", requests = "0"] = process.argv.slice(2);
const { ca, clientCert: cert, clientKey: key } = JSON.parse(readFileSync(connection, "utf8"));
const server = `https://127.0.0.1:${port}`;
const PATH = "/apis/bench.lotse.dev/v1/namespaces/default/items/one/status";
const BODY = JSON.stringify({ status: { state: "Ready" }, metadata: { resourceVersion: "1" } });
const TYPE = "application/merge-patch+json";
const AT_ONCE = 16;

type Send = () => Promise<string>;

const SENDERS: Readonly<Record<string, () => Send>> = { own, https, fetch: native, http2 };
const send = SENDERS[transport]?.();
if (send === undefined) throw new Error(`There is no transport "${transport}"`);
await repeat(Number(warm), send);
const before = process.cpuUsage();
await repeat(Number(requests), send);
const { user, system } = process.cpuUsage(before);
console.log((user + system) / Number(requests));
process.exit(0);

async function repeat(count: number, send: Send): Promise<void> {
  let left = count;
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    while (left-- > 0) JSON.parse(await send());
  }));
}

function own(): Send {
  const options = { server, ca, cert, key };
  const pool = currentHost().network.connect(options);
  const headers = { "content-type": TYPE, accept: "application/json" };
  return async () => {
    const response = await pool.request({ method: "PATCH", path: PATH, headers, body: BODY });
    return await response.text();
  };
}

function https(): Send {
  const agent = new Agent({ keepAlive: true, ca, cert, key });
  const headers = { "content-type": TYPE, accept: "application/json", "content-length": BODY.length };
  return () => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const sent = requestHttps(server + PATH, { method: "PATCH", agent, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk) => text += chunk);
      response.on("end", () => resolve(text));
    });
    sent.on("error", reject);
    sent.end(BODY);
    return promise;
  };
}

/** The runtime's own: each has options of its own for certificates; Node takes them only by a package. */
function native(): Send {
  if (!("Bun" in globalThis || "Deno" in globalThis)) {
    throw new Error("It takes certificates by a package only");
  }
  const { Deno: deno } = globalThis as { Deno?: { createHttpClient(options: object): unknown } };
  const more = deno === undefined
    ? { tls: { ca, cert, key } }
    : { client: deno.createHttpClient({ caCerts: [ca], cert, key, http2: false }) };
  const headers = { "content-type": TYPE, accept: "application/json" };
  return async () => {
    const response = await fetch(server + PATH, { method: "PATCH", headers, body: BODY, ...more });
    return await response.text();
  };
}

/** All requests over one connection. */
function http2(): Send {
  const session = connect(server, { ca, cert, key });
  return () => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const stream = session.request({
      [constants.HTTP2_HEADER_METHOD]: "PATCH",
      [constants.HTTP2_HEADER_PATH]: PATH,
      "content-type": TYPE,
      accept: "application/json",
    });
    let text = "";
    stream.setEncoding("utf8");
    stream.on("data", (chunk) => text += chunk);
    stream.on("end", () => resolve(text));
    stream.on("error", reject);
    stream.end(BODY);
    return promise;
  };
}
