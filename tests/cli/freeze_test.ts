import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { main } from "../../lib/cli/main.ts";
import { newProgram } from "../../lib/cli/program.ts";
import { addRunOptions, type RunFlags, runOperators } from "../../lib/cli/run.ts";
import { silentLogger } from "../../lib/runtime/logging.ts";
import { virtualHost } from "../../lib/runtime/virtual/host.ts";
import { operator, PermanentError } from "../../mod.ts";
import { makePeeringKinds, Meeting, peeringLog } from "../support/meeting.ts";
import { type VirtualWorld, virtualWorld } from "../support/virtual_world.ts";
import { Example } from "../support/worlds.ts";

const CONFIG = `
apiVersion: v1
kind: Config
current-context: here
clusters: [{ name: here, cluster: { server: "https://outside.test" } }]
contexts: [{ name: here, context: { cluster: here, user: me } }]
users: [{ name: me, user: {} }]
`;

/** Runs a command line in the world, to its end. */
async function command({ host }: VirtualWorld, ...args: string[]): Promise<number> {
  await host.files.writeText("/kubeconfig", CONFIG);
  host.process.setEnv("USER", "me");
  let code: number | undefined;
  main(host, [...args, "--kubeconfig", "/kubeconfig"]).then((value) => code = value);
  await host.clock.until(() => code !== undefined);
  return code ?? -1;
}

describe("freeze, resume", () => {
  it("[B181] [B183] pause operators by a record, and let them go on by taking it away", async () => {
    const world = await virtualWorld();
    await makePeeringKinds(world);
    const meeting = await new Meeting(world.client, { namespace: "default", name: "x" }).create();
    const op = operator();
    op.on.event(Example, () => {});
    const running = await world.start(op, { scope: ["default"], peering: "x", identity: "op" });
    assert.equal(await command(world, "freeze", "-P", "x", "-t", "60", "-n", "default"), 0);
    const { lastseen, ...record } = (await meeting.records())["me@virtual"] ?? {};
    assert.deepEqual(record, { priority: 100, lifetime: 60 });
    assert.equal(Date.parse(String(lastseen)) <= world.host.clock.now(), true);
    await running.settle();
    assert.equal(peeringLog(running.logs).at(-1), "info Pausing for a peer of higher priority");
    assert.equal(await command(world, "resume", "-P", "x", "-n", "def*"), 0);
    await running.settle();
    assert.deepEqual(Object.keys(await meeting.records()), ["op"]);
    assert.equal(peeringLog(running.logs).at(-1), "info Resuming: the peers in the way have gone");
    await running.stop();
  });

  it("[B182] need to know which peering, and for how long", async () => {
    for (const args of [["-P", "x"], ["-t", "60"], ["-P", "x", "-t", "0"]]) {
      assert.equal(await command(await virtualWorld({ kinds: false }), "freeze", ...args), 2, args.join(" "));
    }
  });

  it("fail where there are no peering kinds, or no such object", async () => {
    const world = await virtualWorld();
    assert.equal(await command(world, "freeze", "-P", "x", "-t", "60"), 1);
    assert.match(world.host.process.stderr, /the server has no such kinds/);
    await makePeeringKinds(world);
    assert.equal(await command(world, "resume", "-P", "x"), 1);
    assert.match(world.host.process.stderr, /Cannot find a peering object "x"/);
  });
});

describe("run", () => {
  async function settingsOf(...args: string[]): Promise<unknown> {
    const host = virtualHost();
    const program = addRunOptions(newProgram({ name: "run", version: "1", summary: "", footer: "", host }));
    const flags = program.parse(["-A", ...args], { from: "user" }).opts<RunFlags>();
    const op = operator();
    let seen: unknown;
    op.on.startup(({ settings }) => {
      seen = { ...settings.peering };
      throw new PermanentError("enough");
    });
    const { signal } = new AbortController();
    await assert.rejects(
      runOperators([op], { host, flags, logger: silentLogger(), signal }),
    );
    assert.deepEqual(op.settings.peering, operator().settings.peering, "the settings are as they were");
    return seen;
  }
  const plain = { ...operator().settings.peering, clusterwide: true };

  it("[B184] takes --dev for priority 666, whatever --priority says", async () => {
    assert.deepEqual(await settingsOf("--dev", "-p", "5"), { ...plain, priority: 666 });
    assert.deepEqual(await settingsOf("-p", "5"), { ...plain, priority: 5 });
  });

  it("[B185] takes --peering for the name of an object that there must be", async () => {
    assert.deepEqual(await settingsOf("--peering", "p"), { ...plain, name: "p", mandatory: true });
    assert.deepEqual(await settingsOf("--standalone"), { ...plain, standalone: true });
  });
});
