import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { start, testCluster } from "../../lib/kits/testing/mod.ts";
import { main } from "../../lib/cli/main.ts";
import { reportLeases } from "../../lib/operator/lease_report.ts";
import { kinds, operator, resource } from "../../mod.ts";

const KUBECONFIG = JSON.stringify({
  apiVersion: "v1",
  kind: "Config",
  "current-context": "c",
  contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
  clusters: [{ name: "c", cluster: { server: "https://cluster.test" } }],
  users: [{ name: "u", user: {} }],
});

describe("reportLeases()", () => {
  it("[N28.10] tells members and holders from outside, as do Events on the Leases", async () => {
    await using cluster = await testCluster({ files: { "/kubeconfig": KUBECONFIG } });
    await using run = await start(
      () => {
        const op = operator({ replicas: { shards: 2 } });
        op.on.event(kinds.ConfigMap, () => {});
        return op;
      },
      { cluster, replicas: 2, release: { version: "1.4.0" } },
    );
    await run.advance(30);
    const { host } = cluster;
    const asked = reportLeases({ host, kubeconfig: "/kubeconfig", namespace: "default" });
    await run.settle();
    const [report] = await asked;
    assert.equal(report?.name, "operator");
    assert.deepEqual(report?.members.map(({ isLive, isAble, release }) => [isLive, isAble, release]), [
      [true, true, "1.4.0"],
      [true, true, "1.4.0"],
    ]);
    const holders = new Set(report?.shards.map(({ holder }) => holder));
    assert.deepEqual([report?.shards.length, holders.size, holders.has("")], [2, 2, false]);
    const shown = main(host, ["replicas", "operator", "-n", "default", "--kubeconfig", "/kubeconfig"]);
    await run.advance(1);
    assert.equal(await shown, 0);
    assert.match(
      host.process.stdout,
      /REPLICA +STATE +SHARDS[^]*live +[01] +[0-9]+s +1\.4\.0[^]*operator-0-of-2/,
    );
    const messages: string[] = [];
    for await (
      const event of run.api.list(resource({ group: "events.k8s.io", version: "v1", plural: "events" }), {
        namespace: "default",
      })
    ) {
      messages.push(String(Object(event).note));
    }
    assert.ok(messages.some((message) => message.endsWith("became responsible")), messages.join("; "));
  });
});
