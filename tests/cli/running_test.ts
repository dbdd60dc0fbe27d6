import assert from "node:assert/strict";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, it } from "node:test";
import { OptionValues } from "../../lib/cli/command.ts";
import { runOperators } from "../../lib/cli/running.ts";
import { apiServer } from "../../lib/kits/apiserver/mod.ts";
import { silentLogger } from "../../lib/runtime/logging.ts";
import { type VirtualHost, virtualHost } from "../../lib/runtime/virtual.ts";
import { operator } from "../../mod.ts";
import { configOf } from "../client/kubeconfigs.ts";
import { lotse, PATIENCE, project } from "./processes.ts";

const HANDLERS = `import { operator } from "@lotse/lotse";
const op = operator();
op.on.event("configmaps", () => {});
op.on.probe(function pid() { return "it answers"; });
op.on.cleanup(() => console.log("cleaned up"));
export default op;
`;

/** A port that was free a moment ago. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

describe("runOperators()", () => {
  const SERVER = "https://api.test";

  /** An operator whose cleanup takes that long, told to stop after a second. */
  async function stop(limit: number | null, cleanup: number): Promise<VirtualHost> {
    const host = virtualHost({ files: { "/config": configOf({ cluster: { server: SERVER } }) } });
    const cluster = apiServer({ host });
    host.network.route(SERVER, (request) => cluster.fetch(request));
    const op = operator({ process: { ultimateExitingTimeout: limit } });
    op.on.event("configmaps", () => {});
    op.on.cleanup(({ signal }) => host.clock.sleep(cleanup, signal));
    op.on.cleanup({ id: "deaf" }, () => host.clock.sleep(cleanup));
    const options = new OptionValues(new Map([["kubeconfig", "/config"]]));
    const controller = new AbortController();
    const run = runOperators([op], { host, options, logger: silentLogger(), signal: controller.signal });
    run.catch(() => {});
    await host.clock.advance(1);
    controller.abort("SIGTERM");
    await host.clock.advance(5000).catch(() => {});
    return host;
  }

  it("[B254] ends the process when a shutdown takes longer than it may, unless it may take for ever", async () => {
    assert.deepEqual((await stop(600, 4000)).process.exits, [1]);
    assert.deepEqual((await stop(600, 250)).process.exits, []);
    assert.deepEqual((await stop(null, 4000)).process.exits, []);
  });
});

describe("lotse dev --liveness", () => {
  it(
    "answers probes over HTTP until it is stopped, and cleans up then",
    { timeout: 2 * PATIENCE },
    async () => {
      const folder = project({ "handlers.ts": HANDLERS });
      const origin = `http://127.0.0.1:${await freePort()}`;
      await using program = lotse([
        "dev",
        join(folder, "handlers.ts"),
        "--liveness",
        `${origin}/healthz`,
        "-v",
      ]);
      await program.wrote(/Operator has started/);
      const healthz = await fetch(`${origin}/healthz`);
      assert.deepEqual([healthz.status, await healthz.json()], [200, { pid: "it answers" }]);
      for (;;) {
        const readyz = await fetch(`${origin}/readyz?verbose`);
        const text = await readyz.text();
        if (readyz.status !== 200) continue;
        assert.match(text, /\[\+\]watch configmaps.* ok/);
        break;
      }
      assert.equal(
        (await fetch(`${origin}/x`).then(async (response) => (await response.text(), response))).status,
        404,
      );
      assert.equal(await program.stop(), 0);
      assert.match(program.stdout, /cleaned up/);
    },
  );

  it("ends with 1 where the address makes no sense", { timeout: PATIENCE }, async () => {
    const folder = project({ "handlers.ts": HANDLERS });
    await using program = lotse(["dev", join(folder, "handlers.ts"), "--liveness", "https://localhost:1/h"]);
    assert.equal(await program.ended(), 1);
    assert.match(
      program.stderr,
      /Cannot answer probes at "https:\/\/localhost:1\/h": give an address such as/,
    );
  });
});
