/**
 * Writes `lib/cli/bytecode_order.ts` anew: `deno task bytecode-order` compiles an operator, runs it against an API server in
 * another process, and records which functions a start and a scrape call. Takes half a minute; worth it when the core or Bun has
 * changed much. It needs Bun.
 */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { lotse, Program, ROOT } from "../tests/cli/processes.ts";
import { readOptions } from "./options.ts";

const BENCH = join(ROOT, "bench/start");
const TARGET = join(ROOT, "lib/cli/bytecode_order.ts");
/** How long the operator is left alone after its first handler. In milliseconds. */
const IDLE = 5_000;
const PER_LINE = 6;
const PROBES = "http://127.0.0.1:39391";

readOptions(import.meta.url, { options: {} });
const work = mkdtempSync(join(tmpdir(), "lotse-order-"));
try {
  const names = await record(join(work, "order"));
  writeFileSync(TARGET, pageOf(names));
  console.log(`${TARGET}: ${names.length} functions`);
} finally {
  rmSync(work, { recursive: true });
}

/** Returns the names of the functions that were called, in order. */
async function record(order: string): Promise<string[]> {
  const operator = join(work, "operator");
  await using build = lotse(["build", join(BENCH, "handlers.ts"), "-o", operator]);
  if (await build.ended() !== 0) throw new Error(build.output);
  const manifests = ["--apply", join(BENCH, "widgets.yaml"), "-n", "nowhere"];
  await using server = lotse(["dev", join(BENCH, "handlers.ts"), ...manifests]);
  const [, kubeconfig = ""] = await server.wrote(/KUBECONFIG=(\S+);/);
  await server.wrote(/widgets\/one result=created/);
  const args = [
    "-A",
    "--kubeconfig",
    kubeconfig,
    "--log-format",
    "json",
    "--liveness",
    `${PROBES}/healthz`,
  ];
  await using program = new Program(operator, args, { env: { BUN_BYTECODE_ORDER_OUT: order } });
  await program.wrote(/FIRST HANDLER/);
  for (const page of ["/livez", "/readyz", "/metrics"]) await (await fetch(PROBES + page)).text();
  await sleep(IDLE);
  await program.stop();
  return readFileSync(order, "utf8").split("\n").filter((line) => /^F [0-9a-f]{16}$/.test(line)).map((line) =>
    line.slice(2)
  );
}

function pageOf(names: readonly string[]): string {
  const lines: string[] = [];
  for (let at = 0; at < names.length; at += PER_LINE) lines.push(names.slice(at, at + PER_LINE).join(" "));
  return `/**
 * The functions that an operator calls from its start until it idles, by Bun's names for them: \`build\` puts their bytecode
 * together, so that 2.5 MB less of an executable are read into memory. Names that there are no more do no harm.
 *
 * Written by \`deno task bytecode-order\`; changes by hand are lost.
 */
export const BYTECODE_ORDER = \`
${lines.join("\n")}
\`;
`;
}
