import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { realCluster, start } from "../../../lib/kits/testing/mod.ts";
import { findBinaries } from "../../../lib/kits/testing/control_plane/binaries.ts";
import { Component } from "../../../lib/kits/testing/control_plane/component.ts";
import { currentHost } from "../../../lib/runtime/current_host.ts";
import { virtualHost } from "../../../lib/runtime/virtual/host.ts";
import { kinds, operator, resource } from "../../../mod.ts";
import { findControlPlane } from "../../control_plane/control_plane.ts";

const CRD = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: teas.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { plural: teas, singular: tea, kind: Tea }
  versions: [{ name: v1, served: true, storage: true, schema: { openAPIV3Schema: { type: object } } }]
---
apiVersion: example.com/v1
kind: Tea
metadata: { name: green }
`;
const Tea = resource({ group: "example.com", version: "v1", plural: "teas" });

const missing = findControlPlane().reason;

describe("realCluster()", () => {
  it(
    "runs an operator as a cluster in the process does, but for the time",
    { timeout: 180_000, skip: missing ?? false },
    async () => {
      await using cluster = await realCluster({ manifests: CRD });
      const op = operator();
      op.on.create(Tea, { id: "brew" }, async ({ name }) => {
        const metadata = { name, namespace: "default" };
        const cup = await op.api.apply(kinds.ConfigMap, { metadata, data: { hot: "yes" } });
        await op.api.apply(kinds.Secret, { metadata }, { owner: cup });
      });
      await using run = await start(op, { cluster, globals: true });
      await run.until(kinds.ConfigMap, "green", { data: { hot: "yes" } });
      await run.until(() => run.handled("green").includes("brew"));
      await assert.rejects(run.advance(60), /the clock of a real cluster cannot be wound/);
      await assert.rejects(
        run.until(kinds.ConfigMap, "green", { data: { hot: "no" } }, { within: 0.2 }),
        /data\.hot is "yes", not "no"\n[^]*within 0\.2 s/,
      );
      await cluster.restart();
      // The garbage collector is kube-controller-manager's.
      await run.api.delete(kinds.ConfigMap, { name: "green", namespace: "default" });
      await run.until(kinds.Secret, "green", "gone");
      await run.settle();
    },
  );

  it("says which executables it lacks, and how to get them", async () => {
    const empty = virtualHost({ env: { HOME: "/home" } });
    await assert.rejects(findBinaries({ host: empty }), /set KUBEBUILDER_ASSETS .*deno task control-plane/);
    const folder = mkdtempSync(join(tmpdir(), "lotse-assets-"));
    writeFileSync(join(folder, "etcd"), "");
    await assert.rejects(realCluster({ assets: folder }), /lacks etcd or kube-apiserver/);
  });

  it("takes KUBEBUILDER_ASSETS first, then what was built, then the usual folder, then envtest's newest", async () => {
    const envtest = "/home/.local/share/kubebuilder-envtest/k8s/1.36.0-linux-amd64";
    const built = "/home/.cache/lotse/control-plane/abc/control-plane";
    const usual = "/usr/local/kubebuilder/bin";
    const both = (folder: string) => ({ [`${folder}/etcd`]: "", [`${folder}/kube-apiserver`]: "" });
    const find = async (files: Record<string, string>, env: Record<string, string> = {}) => {
      const host = virtualHost({ env: { HOME: "/home", ...env }, files });
      return (await findBinaries({ host }))["kube-apiserver"];
    };
    assert.deepEqual(await find(both(envtest)), [`${envtest}/kube-apiserver`]);
    assert.deepEqual(await find({ ...both(envtest), ...both(usual) }), [`${usual}/kube-apiserver`]);
    assert.deepEqual(await find({ ...both(usual), [built]: "" }), [built, "kube-apiserver"]);
    const named = { KUBEBUILDER_ASSETS: "/assets" };
    assert.deepEqual(await find({ ...both("/assets"), [built]: "" }, named), ["/assets/kube-apiserver"]);
  });
});

describe("a program of a control plane", () => {
  it("ends with the process that has started it, also where a signal went to all of them", {
    timeout: 30_000,
  }, async () => {
    const folder = mkdtempSync(join(tmpdir(), "lotse-component-"));
    const parent = spawn("sleep", ["60"]);
    const real = currentHost();
    const process = new Proxy(real.process, {
      get: (target, key) => {
        const value: unknown = key === "pid" ? parent.pid : Reflect.get(target, key);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const host = { ...real, network: real.network, clock: real.clock, process };
    const stubborn = ["/bin/sh", "-c", "trap '' TERM; while :; do sleep 0.1; done"] as const;
    new Component({ host, name: "stubborn", command: stubborn, args: [], folder });
    await real.clock.sleep(1);
    const pid = readFileSync(join(folder, "stubborn.pid"), "utf8").trim();
    spawnSync("pkill", ["-TERM", "-P", pid]);
    parent.kill("SIGKILL");
    const isAlive = () => spawnSync("kill", ["-0", pid]).status === 0;
    for (let tries = 0; isAlive() && tries < 50; tries++) await real.clock.sleep(0.1);
    const hasEnded = !isAlive();
    spawnSync("kill", ["-KILL", pid]);
    assert.ok(hasEnded, "It goes on by itself");
  });
});
