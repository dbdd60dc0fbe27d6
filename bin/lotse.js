#!/usr/bin/env node
/**
 * Starts the command line on any runtime: `node bin/lotse.js` in a clone, and the command `lotse` of the package.
 *
 * Plain JavaScript that imports nothing at first, so that an older Node gets as far as the sentence.
 */

const { node, bun, deno } = process.versions;
if (bun === undefined && deno === undefined && Number.parseInt(node) < 24) {
  console.error(
    `error: Lotse needs Node 24 or newer, and this is Node ${node} (https://nodejs.org has newer ones; Bun and Deno do as well)`,
  );
  process.exit(1);
}
const { main } = await import("../cli.ts");
const { currentHost } = await import("../lib/runtime/current_host.ts");
const host = currentHost();
host.process.exit(await main(host));
