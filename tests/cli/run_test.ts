import assert from "node:assert/strict";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { describe, it } from "node:test";
import { runOperators } from "../../lib/cli/run.ts";
import { listenForSignals } from "../../lib/cli/signals.ts";
import { fixedCredentials } from "../../lib/client/auth/connection_info.ts";
import { createClient } from "../../lib/client/object_client.ts";
import { Transport } from "../../lib/client/transport/transport.ts";
import { apiServer } from "../../lib/kits/apiserver/mod.ts";
// A virtual clock does not wait for files that are loaded late.
import "../../lib/kits/testing/loaded_modules.ts";
import { silentLogger } from "../../lib/runtime/logging.ts";
import { type VirtualHost, virtualHost } from "../../lib/runtime/virtual/host.ts";
import { defaultSettings } from "../../lib/settings/settings.ts";
import { type Operator, operator } from "../../mod.ts";
import { configOf } from "../client/kubeconfigs.ts";
import { makePeeringKinds, Meeting } from "../support/meeting.ts";
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
  it("refuses operators whose replicas would have Leases of one name", async () => {
    const run = (names: readonly (string | undefined)[], env: Readonly<Record<string, string>> = {}) =>
      runOperators(names.map((name) => operator({ replicas: { name } })), {
        host: virtualHost({ env }),
        flags: {},
        logger: silentLogger(),
        signal: AbortSignal.abort(),
      });
    await run(["a", "b"]);
    await assert.rejects(run(["a", "a"]), /under one name, "a"/);
    await assert.rejects(run(["a", "b"], { LOTSE_REPLICAS_NAME: "c" }), /under one name, "c"/);
  });

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
    const flags = { kubeconfig: "/config" };
    const controller = new AbortController();
    const run = runOperators([op], { host, flags, logger: silentLogger(), signal: controller.signal });
    run.catch(() => {});
    await host.clock.advance(1);
    controller.abort("SIGTERM");
    await host.clock.advance(5000).catch(() => {});
    return host;
  }

  interface Watched {
    readonly op: Operator;
    readonly flags?: Parameters<typeof runOperators>[1]["flags"];
    /** As `lotse dev` gives it. */
    readonly kubeconfig?: string;
  }

  /** Runs an operator for a minute, and returns which Leases it asked for, and how. */
  async function leasesOf({ op, flags = {}, kubeconfig }: Watched): Promise<string[]> {
    const env = { LOTSE_REPLICAS_NAME: "zoo", LOTSE_REPLICAS_NAMESPACE: "default" };
    const host = virtualHost({ env, files: { "/config": configOf({ cluster: { server: SERVER } }) } });
    const cluster = apiServer({ host });
    const asked = new Set<string>();
    host.network.route(SERVER, (request) => {
      const { pathname } = new URL(request.url);
      if (pathname.includes("/leases")) asked.add(`${request.method} ${pathname.split("/").at(-1)}`);
      return cluster.fetch(request);
    });
    let handled = 0;
    op.on.event("namespaces", () => void handled++);
    const controller = new AbortController();
    const logger = silentLogger();
    const run = runOperators([op], { host, flags, kubeconfig, logger, signal: controller.signal });
    let hasEnded = false;
    const ended = run.finally(() => hasEnded = true);
    await host.clock.advance(30);
    controller.abort("SIGTERM");
    await host.clock.until(() => hasEnded);
    await ended;
    assert.ok(handled > 0);
    return [...asked];
  }

  it("[N28.24] takes no Lease on a cluster of one's own, as of `lotse dev`, whatever the code says", async () => {
    assert.deepEqual(await leasesOf({ op: operator({ replicas: true }), kubeconfig: "/config" }), []);
    const asked = await leasesOf({ op: operator({ replicas: true }), flags: { kubeconfig: "/config" } });
    assert.ok(asked.includes("PUT zoo"), String(asked));
  });

  it("[N28.24] shares the objects of an operator whose code has no `replicas` with --replicas, and does not without", async () => {
    const flags = { kubeconfig: "/config" };
    const asked = await leasesOf({ op: operator(), flags: { ...flags, replicas: true } });
    assert.ok(asked.includes("PUT zoo"), String(asked));
    assert.deepEqual(await leasesOf({ op: operator(), flags }), []);
  });

  it("[B254] ends the process when a shutdown takes longer than it may, unless it may take for ever", async () => {
    assert.deepEqual((await stop(600, 4000)).process.exits, [1]);
    assert.deepEqual((await stop(600, 250)).process.exits, []);
    assert.deepEqual((await stop(null, 4000)).process.exits, []);
  });

  it("[B249] at SIGTERM ends streams, then daemons, runs cleanup handlers, and then takes the peering record away", async () => {
    const host = virtualHost({ files: { "/config": configOf({ cluster: { server: SERVER } }) } });
    const cluster = apiServer({ host });
    const steps: string[] = [];
    host.network.route(SERVER, async (request) => {
      const { pathname, searchParams } = new URL(request.url);
      const kind = pathname.split("/").at(-1);
      if (searchParams.has("watch")) {
        request.signal.addEventListener("abort", () => steps.push(`stream of ${kind} ends`));
      }
      const isFarewell = request.method === "PATCH" && /:null}/.test(await request.clone().text());
      if (isFarewell && pathname.includes("kopfpeerings")) steps.push("record goes");
      return await cluster.fetch(request);
    });
    const { networking } = defaultSettings();
    const transport = new Transport({
      ...{ host, networking, logger: silentLogger(), credentials: fixedCredentials({ server: SERVER }) },
    });
    const client = createClient(transport);
    const until = (condition: () => boolean | Promise<boolean>): Promise<void> => host.clock.until(condition);
    await makePeeringKinds({ client, until });
    const meeting = await new Meeting(client, { namespace: "default" }).create();
    const configMap = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "one", namespace: "default" },
    };
    await client.create({ group: "", version: "v1", plural: "configmaps", namespaced: true }, configMap);
    const op = operator();
    op.daemon("configmaps", { when: ({ name }) => name === "one" }, async ({ stopped }) => {
      steps.push("daemon begins");
      await stopped.wait(1e9);
      await host.clock.sleep(1);
      steps.push("daemon ends");
    });
    op.on.cleanup(async () => {
      steps.push(`cleanup with ${Object.keys(await meeting.records()).length} record`);
      await host.clock.sleep(1);
      steps.push("cleanup ends");
    });
    using stop = listenForSignals(host);
    const flags = { kubeconfig: "/config", namespace: ["default"] };
    const run = runOperators([op], { host, flags, logger: silentLogger(), signal: stop.signal });
    await until(async () => steps.length === 1 && Object.keys(await meeting.records()).length === 1);
    assert.deepEqual(steps.splice(0), ["daemon begins"]);
    host.process.signal("SIGTERM");
    await host.clock.advance(30);
    // It does not throw: the code is 0.
    await run;
    const streams = steps.splice(0, steps.indexOf("daemon ends"));
    assert.deepEqual(streams.sort(), [
      "stream of configmaps ends",
      "stream of customresourcedefinitions ends",
      "stream of kopfpeerings ends",
    ]);
    assert.deepEqual(steps, ["daemon ends", "cleanup with 1 record", "cleanup ends", "record goes"]);
    assert.deepEqual([await meeting.records(), host.process.exits], [{}, []]);
    transport[Symbol.dispose]();
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

  it("ends with 1 and one sentence where the port is in use, its own or that of the API server", {
    timeout: 2 * PATIENCE,
  }, async () => {
    const folder = project({ "handlers.ts": HANDLERS });
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    for (
      const [args, said] of [
        [
          ["--liveness", `http://127.0.0.1:${port}/healthz`],
          `Cannot answer probes at "http://127.0.0.1:${port}/healthz"`,
        ],
        [["--port", `${port}`], `Cannot listen on 127.0.0.1:${port}`],
      ] as const
    ) {
      await using program = lotse(["dev", join(folder, "handlers.ts"), ...args]);
      assert.equal(await program.ended(), 1);
      assert.ok(program.stderr.includes(`error: ${said}: the port is in use`), program.stderr);
    }
    await new Promise((resolve) => server.close(resolve));
  });

  it("[B294] ends with 1 where the address makes no sense", { timeout: PATIENCE }, async () => {
    const folder = project({ "handlers.ts": HANDLERS });
    await using program = lotse(["dev", join(folder, "handlers.ts"), "--liveness", "https://localhost:1/h"]);
    assert.equal(await program.ended(), 1);
    assert.match(
      program.stderr,
      /Cannot answer probes at "https:\/\/localhost:1\/h": give an address such as/,
    );
  });
});
