/** The permissions that docs/cli.md lets Deno grant are enough for an operator. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { describe, it } from "node:test";
import { lotse, PATIENCE, Program, project, ROOT } from "../cli/processes.ts";

/** It makes an object, and handles it. */
const HANDLERS = `
import { kinds, operator } from "@lotse/lotse";

const op = operator();

op.every("make", { interval: 1 }, async () => {
  const metadata = { name: "mine", namespace: "default", labels: { mine: "yes" } };
  await op.api.apply(kinds.ConfigMap, { metadata });
});

op.on.create(kinds.ConfigMap, { labels: { mine: "yes" } }, function greet({ name, logger, patch }) {
  patch.metadata.annotations = { greeted: "yes" };
  logger.info("Hello " + name);
});

export default op;
`;

/** The flags of the command that runs an operator against a cluster. */
function flagsIn(page: string): string[] {
  const text = readFileSync(join(ROOT, page), "utf8");
  const [, flags] = /deno run (--allow-.*) cli\.ts run handlers\.ts --all-namespaces/.exec(text) ?? [];
  return flags?.split(" ") ?? assert.fail(`${page} names no permissions`);
}

describe("The permissions that docs/cli.md names", () => {
  it("are enough for an operator", { timeout: 2 * PATIENCE }, async () => {
    const flags = flagsIn("docs/cli.md");
    const folder = project({ "handlers.ts": HANDLERS });
    await using server = lotse(["apiserver"]);
    const [, kubeconfig = ""] = await server.wrote(/KUBECONFIG=(\S+)\n/);
    const args = ["run", "handlers.ts", "--all-namespaces", "--kubeconfig", kubeconfig];
    const command = ["run", "--no-prompt", ...flags, join(ROOT, "cli.ts"), ...args];
    await using operator = new Program(process.execPath, command, { cwd: folder });
    await operator.wrote(/Creation is processed/);
    assert.equal(await operator.stop(), 0, operator.output);
    assert.match(operator.output, /Hello mine/);
  });
});
