/**
 * What one request costs by each transport that there is: `deno run -A --no-check bench/transport/run.ts`. README.md says how.
 *
 *   [--rounds 3] [--requests 20000] [--warm 2000]
 */

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { createAuthority } from "../../lib/runtime/certificates.ts";
import { findRuntime, type RuntimeName } from "../../tests/runner/tools.ts";
import { readOptions } from "../../tools/options.ts";

const { values } = readOptions(import.meta.url, {
  options: {
    rounds: { type: "string", default: "3" },
    requests: { type: "string", default: "20000" },
    warm: { type: "string", default: "2000" },
  },
});
const TRANSPORTS = ["own", "https", "fetch", "http2"];
const RUNTIMES: Readonly<Record<string, readonly string[]>> = {
  bun: [],
  deno: ["run", "-A", "--no-check"],
  node: [],
};

const folder = mkdtempSync(join(tmpdir(), "lotse-transport-"));
try {
  await main();
} finally {
  rmSync(folder, { recursive: true });
}

async function main(): Promise<void> {
  const authority = await createAuthority({ name: "ca" });
  const server = await authority.issue({ commonName: "server", ipAddresses: ["127.0.0.1"], server: true });
  const client = await authority.issue({ commonName: "client", client: true });
  const texts = {
    ca: authority.certificate,
    cert: server.certificate,
    key: server.key,
    clientCert: client.certificate,
    clientKey: client.key,
  };
  const connection = join(folder, "connection.json");
  writeFileSync(connection, JSON.stringify(texts));
  const serving = spawn(findRuntime("node").path, [scriptOf("server.ts"), connection], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [port] = await once(serving.stdout, "data");
  const taken = new Map<string, number[]>();
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const runtime of Object.keys(RUNTIMES)) {
      for (const transport of TRANSPORTS) {
        const key = `${runtime}, ${transport}`;
        const each = measure(runtime, [transport, connection, String(port).trim()]);
        if (each !== undefined) taken.set(key, [...taken.get(key) ?? [], each]);
      }
    }
  }
  serving.kill();
  console.log("| | µs of CPU for a request: median (least, most) |\n| --- | --- |");
  for (const [key, all] of taken) {
    all.sort((a, b) => a - b);
    const [least, median, most] = [all[0], all[Math.floor(all.length / 2)], all.at(-1)];
    console.log(`| ${key} | ${median?.toFixed(0)} (${least?.toFixed(0)}–${most?.toFixed(0)}) |`);
  }
}

/** Undefined if the runtime cannot, or does not come to an end. */
function measure(runtime: string, args: readonly string[]): number | undefined {
  const { path } = findRuntime(runtime as RuntimeName);
  const options = [...RUNTIMES[runtime] ?? [], scriptOf("client.ts"), ...args, values.warm, values.requests];
  const { stdout, stderr } = spawnSync(path, options, {
    encoding: "utf8",
    timeout: 120_000,
    env: process.env,
  });
  const each = Number(stdout.trim());
  if (stdout.trim() !== "" && Number.isFinite(each)) return each;
  console.error(`${runtime}, ${args[0]}: ${stderr.trim().split("\n").slice(0, 3).join(" ") || "no end"}`);
}

function scriptOf(name: string): string {
  return new URL(name, import.meta.url).pathname;
}
