/** What is left of connections that never were. */

import assert from "node:assert/strict";
import process from "node:process";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import type { Host } from "../../../lib/runtime/host.ts";

const PROGRAM = fileURLToPath(new URL("refused.ts", import.meta.url));
const FLAGS = { deno: ["run", "-A", "--v8-flags=--expose-gc"], bun: [], node: ["--expose-gc"] };

export function refusedSuite(makeHost: () => Host): void {
  describe("host.network.connect(), where nobody listens", () => {
    it("leaves nothing of 400 attempts in memory", async () => {
      const host = makeHost();
      const flags = FLAGS[host.name as keyof typeof FLAGS];
      const { code, stdout, stderr } = await host.process.run(process.execPath, [...flags, PROGRAM]);
      assert.equal(code, 0, stderr);
      assert.ok(Number(stdout) < 1500, `${stdout.trim()} KB`);
    });
  });
}
