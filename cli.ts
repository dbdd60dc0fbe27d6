/**
 * The command line: `deno run -A cli.ts`, `bun cli.ts`, `node cli.ts`; installed: `lotse`.
 *
 * Programs call it by `main(host, args)`, which gives the exit code: with a virtual host also in tests.
 * This file only starts it; the commands stand in lib/cli/, one file each.
 */

import { currentHost } from "./lib/runtime/current_host.ts";
import type { Host } from "./lib/runtime/host.ts";

/** Runs the command line. Returns the exit code, and never throws. */
export async function main(host: Host, args?: readonly string[]): Promise<number> {
  const program = await import("./lib/cli/main.ts").catch((error: unknown) => explain(error, host));
  return await program?.main(host, args) ?? 1;
}

/** In the words of Node and Bun, and of Deno. */
const MISSING = /Cannot find package '([^']+)'|Could not find "([^"]+)" in a node_modules|'npm:([^']+)'/;

/** A checkout has no packages until they are installed: that is one sentence, and no stack. */
function explain(error: unknown, { process }: Host): void {
  const name = MISSING.exec(String(error))?.slice(1).find((each) => each !== undefined);
  if (name === undefined) throw error;
  const folder = decodeURIComponent(new URL(".", import.meta.url).pathname);
  process.write(
    "stderr",
    `error: Lotse's packages are not installed, "${name}" is missing: run "npm install" (or "deno install", "bun install") in ` +
      `${folder}\n`,
  );
}

if (import.meta.main) {
  const host = currentHost();
  host.process.exit(await main(host));
}
