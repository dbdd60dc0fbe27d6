/**
 * Says how many tagged scenarios run on a real kube-apiserver, and which do not: `deno run -A tools/real_server_tags.ts [--rest]`.
 */

import process from "node:process";
import { tagsInTests, tagsOnRealServer } from "../tests/architecture/scenarios.ts";
import { filesBelow, readTree } from "../tests/architecture/tree.ts";

process.chdir(new URL("..", import.meta.url).pathname);
const sources = filesBelow("tests/", "_test.ts").filter((path) => !path.startsWith("tests/architecture/"))
  .map(readTree);
const all = tagsInTests(sources);
const real = tagsOnRealServer(sources);
console.log(`${real.size} of ${all.size} tags run on a real server`);
if (process.argv.includes("--rest")) {
  console.log([...all].filter((tag) => !real.has(tag)).sort().join(" "));
}
