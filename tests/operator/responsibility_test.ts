import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { TaskGroup } from "../../lib/async/tasks.ts";
import { fixedCredentials } from "../../lib/client/auth/connection_info.ts";
import { createClient } from "../../lib/client/object_client.ts";
import { Transport } from "../../lib/client/transport/transport.ts";
import type { ShardWork } from "../../lib/engines/replicas/shard_fence.ts";
import { apiServer } from "../../lib/kits/apiserver/mod.ts";
import { Gates } from "../../lib/operator/gates.ts";
import { loadReplicas, Responsibility, type Term } from "../../lib/operator/responsibility.ts";
import { silentLogger } from "../../lib/runtime/logging.ts";
import { type VirtualHost, virtualHost } from "../../lib/runtime/virtual/host.ts";
import { defaultSettings, mergeSettings, type SettingsOverrides } from "../../lib/settings/settings.ts";

const NO_WORK: ShardWork = {
  begin: () => {},
  pause: () => {},
  proceed: () => {},
  drain: () => Promise.resolve(),
  resume: () => {},
  end: () => [],
};

async function responsibility(
  host: VirtualHost,
  replicas: NonNullable<SettingsOverrides["replicas"]>,
): Promise<Responsibility> {
  const server = apiServer({ host });
  host.network.route("https://cluster.test", (request) => server.fetch(request));
  const settings = mergeSettings(defaultSettings(), { replicas });
  const transport = {
    host,
    logger: silentLogger(),
    credentials: fixedCredentials({ server: "https://cluster.test" }),
    networking: settings.networking,
  };
  return new Responsibility({
    host,
    settings,
    transport,
    logger: silentLogger(),
    client: createClient(new Transport(transport)),
    replicas: await loadReplicas(settings, host),
    gates: new Gates(),
    tasks: new TaskGroup(),
    release: "1.0.0",
    observer: {},
    poster: () => undefined,
  });
}

/** Work that notes its terms, and ends with their signals. */
function noting(host: VirtualHost, said: string[]): (term: Term) => Promise<void> {
  return async ({ number, signal }) => {
    said.push(`begins ${number}`);
    await host.clock.sleep(Infinity, signal);
    said.push(`ends ${number}`);
  };
}

describe("Responsibility", () => {
  it("without replicas, is for all objects, and runs work of shard 0 until the operator stops", async () => {
    const host = virtualHost();
    const alone = await responsibility(host, { enabled: false });
    assert.equal(alone.settings, undefined);
    assert.ok(alone.fence.isResponsible("some-uid"));
    const said: string[] = [];
    using _work = alone.whileFirst("note", noting(host, said));
    assert.deepEqual(said, []);
    alone.start(NO_WORK);
    assert.deepEqual(said, ["begins 1"]);
    await alone.leave({ timeout: 2 });
    assert.deepEqual(said, ["begins 1", "ends 1"]);
    await alone[Symbol.asyncDispose]();
  });

  it("with replicas, runs work of shard 0 in each of its terms, and ends it before the shard is let go", async () => {
    const host = virtualHost();
    const one = await responsibility(host, { enabled: true, name: "op", namespace: "default" });
    const said: string[] = [];
    using _work = one.whileFirst("note", noting(host, said));
    one.start(NO_WORK);
    await host.clock.advance(1);
    assert.deepEqual(said, [], "it holds no shard yet");
    assert.deepEqual(one.checks(), [{ name: "replicas", problem: undefined, note: "shards 0: nobody" }]);
    one.setAble(true);
    await host.clock.advance(1);
    assert.deepEqual(said, ["begins 1"]);
    assert.deepEqual(one.checks(), [{
      name: "replicas",
      problem: undefined,
      note: `shards 0: ${one.identity}`,
    }]);
    const told: number[] = [];
    using _members = one.onMembers(() => told.push(one.members.length));
    one.annotate("lotse.dev/some", "thing");
    await host.clock.advance(1);
    assert.equal(one.members[0]?.record.annotations["lotse.dev/some"], "thing");
    assert.ok(told.length > 0);
    const leaving = one.leave({ timeout: 2 });
    await host.clock.advance(1);
    await leaving;
    assert.deepEqual(said, ["begins 1", "ends 1"]);
    assert.equal(one.holders[0], undefined);
    const disposed = one[Symbol.asyncDispose]();
    await host.clock.advance(1);
    await disposed;
  });

  it("refuses to be without a name, and outside of a cluster without a namespace", async () => {
    const host = virtualHost();
    await assert.rejects(
      responsibility(host, { enabled: true, namespace: "default" }),
      /"replicas.name" is missing/,
    );
    await assert.rejects(
      responsibility(host, { enabled: true, name: "op" }),
      /"replicas.namespace" is missing/,
    );
    const path = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";
    const inside = virtualHost({ files: { [path]: "bakeries" } });
    const { settings } = await responsibility(inside, { enabled: true, name: "op" });
    assert.equal(settings?.namespace, "bakeries");
  });
});
