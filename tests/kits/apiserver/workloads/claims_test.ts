import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { amount } from "../../../../lib/kits/apiserver/workloads/claims.ts";
import { CORE, createLivingApi } from "./world.ts";

const CLAIMS = `${CORE}/persistentvolumeclaims`;
const VOLUMES = "/api/v1/persistentvolumes";

function claim(name: string, spec: object = {}): object {
  return {
    metadata: { name },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...spec },
  };
}

describe("A claim", () => {
  it("is bound to a volume that is made for it, and that goes with it", async () => {
    const api = createLivingApi();
    await api.ok("POST", CLAIMS, claim("a"));
    await api.pass(1);
    const { metadata, spec, status } = await api.ok("GET", `${CLAIMS}/a`);
    assert.deepEqual(status, {
      phase: "Bound",
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: "1Gi" },
    });
    assert.deepEqual([spec.storageClassName, spec.volumeName], ["standard", `pvc-${metadata.uid}`]);
    assert.deepEqual(metadata.finalizers, ["kubernetes.io/pvc-protection"]);
    const [volume] = await api.list(VOLUMES);
    assert.deepEqual([volume.status.phase, volume.spec.claimRef.uid], ["Bound", metadata.uid]);
    await api.ok("DELETE", `${CLAIMS}/a`);
    await api.pass(1);
    assert.deepEqual([await api.list(CLAIMS), await api.list(VOLUMES)], [[], []]);
  });

  it("takes a volume that fits, rather than a new one", async () => {
    const api = createLivingApi();
    const volume = (name: string, storage: string) => ({
      metadata: { name },
      spec: {
        accessModes: ["ReadWriteOnce"],
        capacity: { storage },
        hostPath: { path: "/x" },
        storageClassName: "manual",
      },
    });
    await api.ok("POST", VOLUMES, volume("small", "500Mi"));
    await api.ok("POST", VOLUMES, volume("large", "2Gi"));
    await api.ok("POST", CLAIMS, claim("a", { storageClassName: "manual" }));
    await api.ok("POST", CLAIMS, claim("b", { storageClassName: "manual" }));
    await api.pass(1);
    assert.equal((await api.ok("GET", `${CLAIMS}/a`)).spec.volumeName, "large");
    assert.equal((await api.ok("GET", `${CLAIMS}/b`)).status.phase, "Pending");
    assert.equal((await api.ok("GET", `${VOLUMES}/small`)).status.phase, "Available");
    await api.ok("DELETE", `${CLAIMS}/a`);
    await api.pass(1);
    // Volumes that were made by hand are kept.
    assert.equal((await api.ok("GET", `${VOLUMES}/large`)).status.phase, "Released");
  });

  it("waits for the volume that names it", async () => {
    const api = createLivingApi();
    await api.ok("POST", CLAIMS, claim("a", { storageClassName: "", volumeName: "mine" }));
    await api.pass(1);
    assert.equal((await api.ok("GET", `${CLAIMS}/a`)).status.phase, "Pending");
    const { metadata: { namespace } } = await api.ok("GET", `${CLAIMS}/a`);
    await api.ok("POST", VOLUMES, {
      metadata: { name: "mine" },
      spec: {
        accessModes: ["ReadWriteOnce"],
        capacity: { storage: "1Gi" },
        hostPath: { path: "/x" },
        claimRef: { namespace, name: "a" },
      },
    });
    await api.pass(1);
    assert.equal((await api.ok("GET", `${CLAIMS}/a`)).status.phase, "Bound");
  });

  it("stays while a Pod uses it", async () => {
    const api = createLivingApi();
    await api.ok("POST", CLAIMS, claim("a"));
    const volumes = [{ name: "v", persistentVolumeClaim: { claimName: "a" } }];
    const spec = { containers: [{ name: "c", image: "i" }], volumes };
    await api.ok("POST", `${CORE}/pods`, { metadata: { name: "p" }, spec });
    await api.pass(3);
    assert.equal((await api.ok("GET", `${CORE}/pods/p`)).status.phase, "Running");
    await api.ok("DELETE", `${CLAIMS}/a`);
    await api.pass(5);
    assert.equal((await api.call("GET", `${CLAIMS}/a`)).code, 200);
    await api.ok("DELETE", `${CORE}/pods/p`);
    await api.pass(5);
    assert.equal((await api.call("GET", `${CLAIMS}/a`)).code, 404);
  });
});

describe("amount()", () => {
  it("reads quantities", () => {
    const cases: [unknown, number][] = [["1Gi", 2 ** 30], ["500m", 0.5], ["2e3", 2000], ["1E", 1e18], [
      "x",
      0,
    ]];
    for (const [text, number] of cases) assert.equal(amount(text), number);
  });
});
