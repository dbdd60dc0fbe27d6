/**
 * The client against a kube-apiserver as it was: one that does not stream lists, keeps no snapshots of lists, and forgets
 * old versions after a second.
 */

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { currentHost } from "../../../lib/runtime/current_host.ts";
import { type ControlPlane, findControlPlane, startControlPlane } from "../../control_plane/control_plane.ts";
import {
  CONFIG_MAPS,
  configMap,
  connect,
  follow,
  NAMESPACES,
  type RealClient,
  until,
} from "./real_server.ts";

const skip = findControlPlane().reason ?? false;

/** Starting a control plane and waiting for compactions takes seconds of real time. */
const SLOW = { skip, timeout: 120_000 };

let plane: ControlPlane;
let real: RealClient;

/** NB: not a `before` hook, to which Bun gives 5 s whatever it is told. */
async function open(): Promise<void> {
  if (real !== undefined) return;
  const apiServerFlags = [
    "--feature-gates=WatchList=false,ListFromCacheSnapshot=false",
    "--watch-cache=false",
  ];
  plane = await startControlPlane({ compactionInterval: 1, apiServerFlags });
  real = await connect(plane);
}

after(async () => {
  if (real === undefined) return;
  real.client.transport[Symbol.dispose]();
  await plane.stop();
}, { timeout: 60_000 });

async function makeObjects(namespace: string, count: number): Promise<void> {
  await real.client.create(NAMESPACES, {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: namespace },
  });
  for (let number = 0; number < count; number++) {
    await real.client.create(CONFIG_MAPS, configMap(`c${10 + number}`, namespace));
  }
}

describe("A server that does not stream lists", () => {
  it("is asked once for each kind, and then for pages", SLOW, async () => {
    await open();
    await makeObjects("unstreamed", 3);
    const watching = await connect(plane);
    for (let times = 0; times < 2; times++) {
      await using watch = follow(watching, { resource: CONFIG_MAPS, namespace: "unstreamed" });
      await until(() => watch.items.includes("LISTED"), () => [watch.items, watch.state()]);
      assert.deepEqual(watch.items, ["null c10", "null c11", "null c12", "LISTED"]);
    }
    assert.equal(watching.requests.filter(({ path }) => path.includes("sendInitialEvents")).length, 1);
    assert.deepEqual([...watching.client.transport.unstreamed], ["configmaps.v1"]);
    assert.deepEqual(watching.logs.filter(({ level }) => level === "warn"), []);
    watching.client.transport[Symbol.dispose]();
  });

  it(
    "[C5] is listed from the start when a page's token has expired, and what vanished is announced",
    SLOW,
    async () => {
      await open();
      await makeObjects("tokens", 25);
      const watching = await connect(plane);
      await using watch = follow(watching, { resource: CONFIG_MAPS, namespace: "tokens", streaming: false });
      watch.hold(true);
      await until(() => watch.items.length === 1);
      await real.client.delete(CONFIG_MAPS, { namespace: "tokens", name: "c10" });
      const [page] = await Array.fromAsync(takeOne());
      await untilForgotten(`?limit=1&continue=${encodeURIComponent(page!.continue!)}`);
      watch.hold(false);
      await until(() => watch.items.includes("LISTED"), () => [watch.items, watch.state()]);
      assert.deepEqual(watch.items.slice(-2), ["synthetic DELETED c10", "LISTED"]);
      assert.ok(watch.items.includes("null c10"), "it was announced before");
      assert.deepEqual(watching.logs.filter(({ level }) => level === "warn"), []);
      watching.client.transport[Symbol.dispose]();
    },
  );

  it("is listed again when it has forgotten the version of a watch", SLOW, async () => {
    await open();
    await makeObjects("versions", 2);
    const watching = await connect(plane);
    await using watch = follow(watching, { resource: CONFIG_MAPS, namespace: "versions", streaming: false });
    await until(() => watch.state()?.phase === "watching", () => watch.state());
    watch.hold(true);
    await real.client.create(CONFIG_MAPS, configMap("held", "versions"));
    await until(() => watch.items.includes("ADDED held"));
    const { metadata } = await real.client.create(CONFIG_MAPS, configMap("gone", "versions"));
    await real.client.delete(CONFIG_MAPS, { namespace: "versions", name: "gone" });
    await real.client.delete(CONFIG_MAPS, { namespace: "versions", name: "c10" });
    await untilForgotten(`?resourceVersion=${metadata.resourceVersion}&resourceVersionMatch=Exact&limit=1`);
    await plane.stopApiServer("SIGKILL");
    await plane.startApiServer();
    watch.hold(false);
    const { items } = watch;
    await until(() => items.filter((item) => item === "LISTED").length === 2, () => [items, watch.state()]);
    const later = items.slice(items.indexOf("ADDED held") + 1).filter((item) =>
      !item.includes("kube-root-ca")
    );
    assert.deepEqual(later, ["null c11", "null held", "synthetic DELETED c10", "LISTED"]);
    assert.ok(watching.logs.some(({ message }) => message === "Version is too old, listing again"));
    watching.client.transport[Symbol.dispose]();
  });
});

/** Waits until the server answers such a list with 410. */
async function untilForgotten(query: string): Promise<void> {
  const { transport } = real.client;
  const path = `/api/v1/namespaces/tokens/configmaps${query}`;
  const isForgotten = (): Promise<boolean> =>
    transport.request({ method: "GET", path }).then(() => false, ({ status }) => status === 410);
  while (!await isForgotten()) await currentHost().clock.sleep(0.2);
}

/** The first page of a list that is as old as the watch's. */
async function* takeOne(): AsyncGenerator<{ readonly continue: string | undefined }> {
  for await (const page of real.client.list(CONFIG_MAPS, { namespace: "tokens", chunkSize: 10 })) {
    yield page;
    return;
  }
}
