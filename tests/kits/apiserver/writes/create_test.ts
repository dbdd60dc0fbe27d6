import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { dropRepeatedOwners } from "../../../../lib/kits/apiserver/writes/metadata.ts";
import { assertLinear } from "../../../support/growth.ts";
import { createApi, database, DATABASES, defineDatabases } from "../api.ts";

const MAPS = "/api/v1/namespaces/default/configmaps";

describe("createObject()", () => {
  it("sets what only the server may set", async () => {
    const api = createApi();
    await defineDatabases(api);
    await api.host.clock.advance(1.5);
    const { metadata, status } = await api.ok("POST", DATABASES, {
      ...database("a"),
      metadata: {
        name: "a",
        uid: "mine",
        generation: 7,
        creationTimestamp: "2000-01-01T00:00:00Z",
        deletionTimestamp: "2000-01-01T00:00:00Z",
        nonsense: true,
      },
      status: { mine: true },
    });
    assert.match(metadata.uid, /^[0-9a-f-]{36}$/);
    const { managedFields: _owners, ...own } = metadata;
    assert.deepEqual({ ...own, uid: "" }, {
      name: "a",
      namespace: "default",
      uid: "",
      generation: 1,
      creationTimestamp: "2026-01-01T00:00:01Z",
      resourceVersion: api.server.resourceVersion,
    });
    assert.equal(status, undefined, "the status is a subresource");
  });

  it("drops owners that are there twice, however many there are", () => {
    const owner = { apiVersion: "v1", kind: "ConfigMap", name: "o", uid: "u" };
    const other = { ...owner, controller: true };
    const warnings: string[] = [];
    const metadata = { ownerReferences: [owner, other, { ...owner }] };
    dropRepeatedOwners({ metadata }, { warn: (text) => warnings.push(text), isMutated: false });
    assert.deepEqual(metadata.ownerReferences, [owner, other]);
    assert.match(warnings.join(), /duplicate UID\(s\) observed: u$/);
    assertLinear((length) => {
      const ownerReferences = Array.from({ length }, (_, index) => ({ ...owner, uid: `u${index}` }));
      return () => dropRepeatedOwners({ metadata: { ownerReferences } }, { warn() {}, isMutated: false });
    }, { name: "repeated owners", small: 1_000 });
  });

  it("makes names from generateName", async () => {
    const api = createApi();
    const names = new Set<string>();
    for (let i = 0; i < 20; i++) {
      const { metadata } = await api.ok("POST", MAPS, { metadata: { generateName: "gen-" } });
      assert.match(metadata.name, /^gen-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
      names.add(metadata.name);
    }
    assert.equal(names.size, 20);
  });

  it("fills defaults in, and drops what the schema does not know", async () => {
    const api = createApi();
    await defineDatabases(api);
    const { spec } = await api.ok("POST", DATABASES, database("a", { engine: "mysql", typo: true }));
    assert.deepEqual(spec, { engine: "mysql", replicas: 1 });
  });

  it("gives built-in kinds what the real server gives them at once", async () => {
    const api = createApi();
    const secret = await api.ok("POST", "/api/v1/namespaces/default/secrets", {
      metadata: { name: "s" },
      stringData: { a: "ü" },
    });
    assert.deepEqual([secret.type, secret.data, secret.stringData], ["Opaque", { a: "w7w=" }, undefined]);
    const service = await api.ok("POST", "/api/v1/namespaces/default/services", {
      metadata: { name: "s" },
      spec: { ports: [{ port: 80 }] },
    });
    assert.deepEqual(service.spec.ports, [{ port: 80, protocol: "TCP", targetPort: 80 }]);
    assert.match(service.spec.clusterIP, /^10\./);
    const namespace = await api.ok("POST", "/api/v1/namespaces", { metadata: { name: "n" } });
    assert.deepEqual([namespace.status, namespace.spec], [{ phase: "Active" }, {
      finalizers: ["kubernetes"],
    }]);
  });
});
