/** startControlPlane() against real executables; skipped, with the reason, where there are none. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { type ControlPlane, findControlPlane, startControlPlane } from "./control_plane.ts";

const { reason, binaries } = findControlPlane();
const options = { skip: reason ?? false, timeout: 120_000 };
const withControllers = binaries && !binaries["kube-controller-manager"]
  ? { ...options, skip: "No kube-controller-manager in KUBEBUILDER_ASSETS" }
  : options;

const CRD = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "ships.example.com" },
  spec: {
    group: "example.com",
    names: { plural: "ships", singular: "ship", kind: "Ship" },
    scope: "Namespaced",
    versions: [{
      name: "v1",
      served: true,
      storage: true,
      schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
    }],
  },
};
const SHIP = {
  apiVersion: "example.com/v1",
  kind: "Ship",
  metadata: { name: "rickmer" },
  spec: { masts: 3 },
};

describe("startControlPlane()", () => {
  it(
    "keeps objects and the address over restarts of the API server, and leaves nothing behind",
    options,
    async () => {
      const plane = await startControlPlane();
      try {
        await createShip(plane);
        const version = await plane.kubectl([
          "get",
          "ship",
          "rickmer",
          "-o",
          "jsonpath={.metadata.resourceVersion}",
        ]);
        await plane.stopApiServer();
        await assert.rejects(plane.kubectl(["get", "ships"]), /refused/);
        await plane.startApiServer();
        assert.equal(await plane.kubectl(["get", "ship", "rickmer", "-o", "jsonpath={.spec.masts}"]), "3");
        await plane.stopApiServer("SIGKILL");
        await plane.startApiServer();
        await plane.kubectl(["annotate", "ship", "rickmer", "port=Hamburg"]);
        // What a client has to expect after a restart: versions from before are gone.
        const watch = `/apis/example.com/v1/ships?watch=1&timeoutSeconds=1&resourceVersion=${version}`;
        assert.match(await plane.kubectl(["get", "--raw", watch]), /"code":410/);
      } finally {
        await plane.stop();
      }
      assert.deepEqual(processesOf(plane), []);
      assert.equal(existsSync(plane.directory), false);
      await plane.stop();
    },
  );

  it("takes the authority's client certificates for users and groups", options, async () => {
    await using plane = await startControlPlane();
    const { certificate, key } = await plane.authority.issue({
      commonName: "störtebeker",
      organizations: ["pirates"],
      client: true,
    });
    const paths = [join(plane.directory, "user.crt"), join(plane.directory, "user.key")] as const;
    writeFileSync(paths[0], certificate);
    writeFileSync(paths[1], key);
    const asUser = [`--client-certificate=${paths[0]}`, `--client-key=${paths[1]}`];
    const review = JSON.parse(await plane.kubectl(["auth", "whoami", "-o", "json", ...asUser]));
    assert.equal(review.status.userInfo.username, "störtebeker");
    assert.deepEqual(review.status.userInfo.groups, ["pirates", "system:authenticated"]);
    await assert.rejects(plane.kubectl(["get", "secrets", ...asUser]), /forbidden/);
  });

  it("runs the executables in KUBEBUILDER_ASSETS, and the controllers", withControllers, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "assets-"));
    t.after(() => rmSync(folder, { recursive: true }));
    for (const name of ["etcd", "kube-apiserver", "kube-controller-manager", "kubectl"] as const) {
      const [program] = binaries?.[name] ?? [];
      if (program) symlinkSync(program, join(folder, name));
    }
    const found = findControlPlane({ KUBEBUILDER_ASSETS: folder });
    assert.deepEqual(found.binaries?.etcd, [join(folder, "etcd")]);
    await using plane = await startControlPlane({ binaries: found.binaries, controllerManager: true });
    await plane.kubectl(["create", "namespace", "harbour"]);
    await plane.kubectl(["create", "configmap", "berths", "-n", "harbour"]);
    await plane.kubectl(["delete", "namespace", "harbour", "--timeout=60s"]); // It waits until the namespace is empty.
    await assert.rejects(plane.kubectl(["get", "namespace", "harbour"]), /NotFound/);
  });

  it("fails with the end of the log when a component does not start", options, async () => {
    const apiServerFlags = ["--no-such-flag"];
    await assert.rejects(
      startControlPlane({ apiServerFlags }),
      /kube-apiserver.*\n.*unknown flag: --no-such-flag/,
    );
  });

  it("starts several at once", options, async () => {
    const planes = await Promise.all([startControlPlane(), startControlPlane()]);
    try {
      await createShip(planes[0]);
      await assert.rejects(planes[1].kubectl(["get", "ships"]), /resource type "ships"/);
    } finally {
      await Promise.all(planes.map((plane) => plane.stop()));
    }
  });
});

describe("compactionInterval", () => {
  it("ends watches from old versions in 410 where no watch cache remembers them", options, async () => {
    await using plane = await startControlPlane({
      compactionInterval: 1,
      apiServerFlags: ["--watch-cache=false"],
    });
    const watch = "/api/v1/namespaces?watch=1&timeoutSeconds=1&resourceVersion=1";
    for (let tries = 0; tries < 30; tries++) {
      // Each compaction goes up to the version of the one before, so there must be newer ones.
      await plane.kubectl(["create", "namespace", `n${tries}`]);
      const events = await plane.kubectl(["get", "--raw", watch]); // This takes a second.
      if (events.includes('"code":410')) return;
    }
    assert.fail("Not compacted");
  });
});

async function createShip(plane: ControlPlane): Promise<void> {
  await plane.kubectl(["create", "-f", "-"], { input: JSON.stringify(CRD) });
  await plane.kubectl(["wait", "--for=condition=Established", "crd/ships.example.com", "--timeout=30s"]);
  await plane.kubectl(["create", "-f", "-"], { input: JSON.stringify(SHIP) });
}

/** The command lines of running processes that name the control plane's folder. */
function processesOf(plane: ControlPlane): string[] {
  const { stdout, error } = spawnSync("ps", ["-A", "-o", "args"], { encoding: "utf8", maxBuffer: 2 ** 24 });
  if (error) throw error;
  return stdout.split("\n").filter((line) => line.includes(plane.directory));
}
