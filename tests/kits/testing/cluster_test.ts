import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { start, testCluster } from "../../../lib/kits/testing/mod.ts";
import { kinds, operator, resource } from "../../../mod.ts";

describe("testCluster()", () => {
  it("has a world of its own: the same seed, the same run", async () => {
    const uidOf = async (seed: number): Promise<string | undefined> => {
      const manifests = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one" } };
      await using cluster = await testCluster({ seed, start: Date.UTC(2030, 0, 1), manifests });
      const { metadata } = await cluster.api.get(kinds.ConfigMap, { name: "one", namespace: "default" });
      assert.equal(metadata.creationTimestamp, "2030-01-01T00:00:00Z");
      return metadata.uid;
    };
    assert.equal(await uidOf(7), await uidOf(7));
    assert.notEqual(await uidOf(7), await uidOf(8));
  });

  it("refuses options that there are not", async () => {
    const misspelt = { seed: 1, manifest: "crd.yaml" };
    await assert.rejects(testCluster(misspelt), {
      name: "TypeError",
      message: /^Cannot make a cluster with option "manifest": known are manifests, fork, seed, /,
    });
  });

  it("is there for several operators, one after the other or at the same time", async () => {
    await using cluster = await testCluster({ manifests: map("one") });
    const seen: string[] = [];
    const op = (id: string) => {
      const made = operator();
      // Each namespace has a ConfigMap of its own.
      const when = ({ name }: { readonly name: string }) => name !== "kube-root-ca.crt";
      made.on.event(kinds.ConfigMap, { when }, ({ name }) => void seen.push(`${id} ${name}`));
      return made;
    };
    await (await start(op("a"), { cluster })).stop();
    await using b = await start(op("b"), { cluster });
    await using _c = await start(op("c"), { cluster });
    await cluster.apply(map("two"));
    await b.settle();
    assert.deepEqual(seen, ["a one", "b one", "c one", "b two", "c two"]);
  });

  it("is forked: what was made before is there, and each goes its own way", async () => {
    await using cluster = await testCluster({ manifests: map("one") });
    await cluster.host.clock.advance(60);
    await using fork = cluster.fork();
    assert.equal(fork.host.clock.now(), cluster.host.clock.now());
    await fork.apply(map("two"));
    await cluster.host.clock.advance(60);
    const has = (each: typeof cluster, name: string) =>
      each.api.get(kinds.ConfigMap, { name, namespace: "default" }).then(() => true, () => false);
    assert.deepEqual([await has(fork, "one"), await has(fork, "two"), await has(cluster, "two")], [
      true,
      true,
      false,
    ]);
    assert.notEqual(fork.host.clock.now(), cluster.host.clock.now());
  });

  it("hands the server out, whose watches can be ended and whose past can be forgotten", async () => {
    await using cluster = await testCluster();
    const seen: string[] = [];
    const op = operator();
    op.on.event(kinds.ConfigMap, ({ name }) => void seen.push(name));
    await using run = await start(op, { cluster });
    cluster.server.closeWatches();
    await cluster.apply(map("one"));
    cluster.server.compact();
    await run.until(() => seen.includes("one"));
  });
});

describe("TestCluster.inject()", () => {
  it("strikes operators, and spares the test", async () => {
    await using cluster = await testCluster();
    const op = operator();
    op.on.create(kinds.ConfigMap, ({ patch }) => {
      patch.meta.labels.seen = "yes";
    });
    await using run = await start(op, { cluster });
    const lost = cluster.inject({ verbs: ["patch"], times: 2, fault: { type: "refuse", code: 500 } });
    await run.apply(map("one"));
    await run.settle();
    assert.equal(lost.struck, 1);
    await run.until(kinds.ConfigMap, "one", { metadata: { labels: { seen: "yes" } } });
    assert.equal(lost.struck, 2);
  });

  it("lets the test wait through a restart of the server", async () => {
    await using cluster = await testCluster({ workloads: true });
    await using run = await start(operator(), { cluster });
    await run.apply(map("one"));
    cluster.server.restart({ downFor: 5 });
    await assert.rejects(run.until(kinds.ConfigMap, "one", {}, { within: 3 }), /it cannot be read: /);
    await run.advance(5);
    await run.until(kinds.ConfigMap, "one", {});
  });
});

describe("webhooks of somebody else", () => {
  it("are what the test routes: one converts between the versions of a kind", async () => {
    const version = (name: string, storage: boolean) => {
      const openAPIV3Schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
      return { name, served: true, storage, schema: { openAPIV3Schema } };
    };
    const webhook = {
      conversionReviewVersions: ["v1"],
      clientConfig: { url: "https://convert.test/convert" },
    };
    await using cluster = await testCluster({
      manifests: {
        apiVersion: "apiextensions.k8s.io/v1",
        kind: "CustomResourceDefinition",
        metadata: { name: "teas.example.com" },
        spec: {
          group: "example.com",
          scope: "Namespaced",
          names: { plural: "teas", singular: "tea", kind: "Tea" },
          versions: [version("v1", true), version("v2", false)],
          conversion: { strategy: "Webhook", webhook },
        },
      },
    });
    cluster.host.network.route("https://convert.test", async (request) => {
      const { request: { uid, desiredAPIVersion, objects } } = await request.json();
      const convertedObjects = objects.map((object: object) => ({
        ...object,
        apiVersion: desiredAPIVersion,
        spec: { converted: desiredAPIVersion },
      }));
      const response = { uid, convertedObjects, result: { status: "Success" } };
      return Response.json({ apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview", response });
    });
    await cluster.apply({ apiVersion: "example.com/v1", kind: "Tea", metadata: { name: "green" } });
    const Tea2 = resource({ group: "example.com", version: "v2", plural: "teas" });
    const { spec } = await cluster.api.get(Tea2, { name: "green", namespace: "default" });
    assert.deepEqual(spec, { converted: "example.com/v2" });
  });
});

function map(name: string) {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name } };
}
