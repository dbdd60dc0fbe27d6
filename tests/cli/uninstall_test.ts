import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { runExecutable } from "../../lib/cli/executable.ts";
// A virtual clock does not wait for files that are loaded late.
import "../../lib/cli/uninstall.ts";
import { virtualHost } from "../../lib/runtime/virtual/host.ts";
import { operator } from "../../mod.ts";
import { type VirtualWorld, virtualWorld } from "../support/virtual_world.ts";
import { Example, EXAMPLES } from "../support/worlds.ts";

const KUBECONFIG = JSON.stringify({
  apiVersion: "v1",
  kind: "Config",
  "current-context": "it",
  clusters: [{ name: "it", cluster: { server: "https://cluster.test" } }],
  users: [{ name: "me", user: {} }],
  contexts: [{ name: "it", context: { cluster: "it", user: "me" } }],
});

/** Runs an executable with an operator inside against a world, and returns its code and its output. */
async function run(world: VirtualWorld, ...args: string[]): Promise<{ code: number; output: string }> {
  const host = virtualHost({
    args: ["uninstall", "--kubeconfig", "/config", ...args],
    files: { "/config": KUBECONFIG },
  });
  host.network.route("https://cluster.test", (request) => world.server.fetch(request));
  const op = operator();
  op.on.delete(Example, function clean() {});
  const files = [{ path: "handlers.ts", load: () => Promise.resolve({ default: op }) }];
  let code: number | undefined;
  void runExecutable(host, { name: "shop", files }).then((ended) => code = ended);
  await host.clock.until(() => code !== undefined, { within: 600 });
  return { code: code ?? -1, output: host.process.stdout + host.process.stderr };
}

async function worldWith(count: number): Promise<VirtualWorld> {
  const world = await virtualWorld({ wallClock: "steady" });
  for (let number = 0; number < count; number++) {
    await world.client.create(EXAMPLES, {
      apiVersion: "lotse.test/v1",
      kind: "Example",
      metadata: { name: `it-${number}`, namespace: "default", finalizers: ["lotse.dev/finalizer"] },
    });
  }
  return world;
}

describe("uninstall", () => {
  it("says what there is, and changes nothing without --yes", async () => {
    const world = await worldWith(12);
    const { code, output } = await run(world);
    assert.equal(code, 0, output);
    assert.match(
      output,
      /^12 objects wait for a cleanup \(choose --delete or --waive\):\n {2}examples\.lotse\.test default\/it-0\n/,
    );
    assert.match(output, /\n {2}and 2 more\nNothing was changed: add --yes to do it\.\n$/);
    const { metadata } = await world.client.get(EXAMPLES, { namespace: "default", name: "it-0" });
    assert.deepEqual(metadata.finalizers, ["lotse.dev/finalizer"]);
  });

  it("does nothing before it is decided what becomes of the objects", async () => {
    const world = await worldWith(2);
    const { code, output } = await run(world, "--yes");
    assert.equal(code, 1);
    assert.match(
      output,
      /^error: 2 objects wait for cleanups, so nothing was done \(add --delete, .*or --waive/,
    );
  });

  it("takes everything away, lists what was waived, and can be repeated", async () => {
    const world = await worldWith(2);
    const { code, output } = await run(world, "--yes", "--waive");
    assert.equal(code, 0, output);
    assert.match(
      output,
      /Let go: 2 objects\nCleanups that did not run \(2\):\n {2}examples\.lotse\.test default\/it-0\n/,
    );
    const again = await run(world, "--json");
    assert.deepEqual(JSON.parse(again.output), { objects: [], things: [], problems: [] });
  });

  it("refuses a time that is none", async () => {
    const { code, output } = await run(await worldWith(0), "--yes", "--timeout", "0");
    assert.deepEqual([code, output], [2, "error: --timeout must be at least 1 second\n"]);
  });
});
