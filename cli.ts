/**
 * The command line: `deno run -A cli.ts`, `bun cli.ts`, `node cli.ts`; installed: `lotse`.
 *
 * Programs call it by `main(host, args)`, which gives the exit code: with a virtual host also in tests.
 * This file only starts it; the commands stand in lib/cli/, one file each.
 */

import { main } from "./lib/cli/main.ts";
import { currentHost } from "./lib/runtime/current_host.ts";

export { main };

if (import.meta.main) {
  const host = currentHost();
  host.process.exit(await main(host));
}
