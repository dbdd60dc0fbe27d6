/** findControlPlane() in folders made for the purpose; nothing is run. */

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { builtControlPlane, findControlPlane } from "./binaries.ts";

describe("findControlPlane()", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "binaries-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function put(path: string): string {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "");
    return path;
  }

  it("says how to get a control plane where there is none", () => {
    const { binaries, reason } = findControlPlane({ XDG_CACHE_HOME: folder });
    assert.equal(binaries, undefined);
    assert.match(reason ?? "", /build\.ts.*KUBEBUILDER_ASSETS/);
  });

  it("takes the built one from the cache, for each component by its first argument", () => {
    const built = put(builtControlPlane({ XDG_CACHE_HOME: folder }));
    const { binaries } = findControlPlane({ XDG_CACHE_HOME: folder });
    assert.deepEqual(binaries?.etcd, [built, "etcd"]);
    assert.deepEqual(binaries?.["kube-apiserver"], [built, "kube-apiserver"]);
    assert.deepEqual(binaries?.["kube-controller-manager"], [built, "kube-controller-manager"]);
    assert.deepEqual(binaries?.kubectl, [built, "kubectl"]);
  });

  it("prefers KUBEBUILDER_ASSETS, and takes what is there", () => {
    put(builtControlPlane({ XDG_CACHE_HOME: folder }));
    const assets = join(folder, "assets");
    const etcd = put(join(assets, "etcd"));
    const apiServer = put(join(assets, "kube-apiserver"));
    const { binaries } = findControlPlane({ XDG_CACHE_HOME: folder, KUBEBUILDER_ASSETS: assets });
    assert.deepEqual(binaries, {
      "etcd": [etcd],
      "kube-apiserver": [apiServer],
      "kube-controller-manager": undefined,
      "kubectl": undefined,
    });
  });

  it("looks for kubectl in PATH when KUBEBUILDER_ASSETS has none", () => {
    const assets = join(folder, "assets");
    put(join(assets, "etcd"));
    put(join(assets, "kube-apiserver"));
    const kubectl = put(join(folder, "bin", "kubectl"));
    const { binaries } = findControlPlane({
      KUBEBUILDER_ASSETS: assets,
      PATH: `/nowhere:${dirname(kubectl)}`,
    });
    assert.deepEqual(binaries?.kubectl, [kubectl]);
  });

  it("does not fall back to the cache when KUBEBUILDER_ASSETS is wrong", () => {
    put(builtControlPlane({ XDG_CACHE_HOME: folder }));
    const found = findControlPlane({ XDG_CACHE_HOME: folder, KUBEBUILDER_ASSETS: "/nowhere" });
    assert.equal(found.binaries, undefined);
    assert.match(found.reason ?? "", /"\/nowhere"/);
  });
});
