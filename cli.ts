/**
 * The command line: `deno run -A cli.ts`, `bun cli.ts`, `node cli.ts`; installed: `lotse`.
 *
 * This file only starts it; the commands stand in lib/cli/, one file each.
 */

import { main } from "./lib/cli/main.ts";
import { currentHost } from "./lib/runtime/current.ts";

if (import.meta.main) {
  const host = currentHost();
  host.process.exit(await main(host));
}
