import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Answer, type Api, createApi, MERGE } from "../api.ts";

const MAPS = "/api/v1/namespaces/default/secrets";

async function create(
  api: Api,
  name: string,
  options: { owners?: Answer[]; finalizers?: string[]; block?: boolean } = {},
) {
  const { owners = [], finalizers, block } = options;
  const ownerReferences = owners.map(({ metadata }) => ({
    apiVersion: "v1",
    kind: "Secret",
    name: metadata.name,
    uid: metadata.uid,
    ...(block === undefined ? {} : { blockOwnerDeletion: block }),
  }));
  return await api.ok("POST", MAPS, { metadata: { name, finalizers, ownerReferences } });
}

async function names(api: Api): Promise<string[]> {
  await api.host.clock.settle();
  return (await api.ok("GET", MAPS)).items.map(({ metadata }: Answer) => metadata.name);
}

describe("GarbageCollector", () => {
  it("removes what is owned, and what that owns, after the owner, without time passing", async () => {
    const api = createApi();
    const owner = await create(api, "owner");
    const child = await create(api, "child", { owners: [owner] });
    await create(api, "grandchild", { owners: [child] });
    await create(api, "other");
    assert.deepEqual(await names(api), ["child", "grandchild", "other", "owner"]);
    await api.ok("DELETE", `${MAPS}/owner`);
    assert.deepEqual((await api.ok("GET", MAPS)).items.length, 3, "not inside the request");
    assert.deepEqual(await names(api), ["other"]);
  });

  it("keeps an object while one of its owners lives, and drops the reference to the dead one", async () => {
    const api = createApi();
    const owners = [await create(api, "a"), await create(api, "b")];
    await create(api, "child", { owners });
    await api.ok("DELETE", `${MAPS}/a`);
    assert.deepEqual(await names(api), ["b", "child"]);
    const { metadata } = await api.ok("GET", `${MAPS}/child`);
    assert.deepEqual(metadata.ownerReferences.map(({ name }: Answer) => name), ["b"]);
    await api.ok("DELETE", `${MAPS}/b`);
    assert.deepEqual(await names(api), []);
  });

  it("removes an object whose owner never was, and one that claims another's uid", async () => {
    const api = createApi();
    const real = await create(api, "real");
    await create(api, "dangling", { owners: [{ metadata: { name: "ghost", uid: "no-such-uid" } }] });
    await create(api, "liar", { owners: [{ metadata: { name: "other", uid: real.metadata.uid } }] });
    assert.deepEqual(await names(api), ["real"]);
  });

  it("leaves objects alone whose owners are of a kind that nobody serves", async () => {
    const api = createApi();
    await api.ok("POST", MAPS, {
      metadata: {
        name: "a",
        ownerReferences: [{ apiVersion: "nowhere.com/v1", kind: "Thing", name: "x", uid: "u" }],
      },
    });
    assert.deepEqual(await names(api), ["a"]);
  });

  it("propagationPolicy=Orphan lets go of what is owned", async () => {
    const api = createApi();
    const owner = await create(api, "owner");
    await create(api, "child", { owners: [owner] });
    const answer = await api.ok("DELETE", `${MAPS}/owner?propagationPolicy=Orphan`);
    assert.deepEqual(answer.metadata.finalizers, ["orphan"]);
    assert.deepEqual(await names(api), ["child"]);
    assert.equal((await api.ok("GET", `${MAPS}/child`)).metadata.ownerReferences, undefined);
  });

  it("propagationPolicy=Foreground keeps the owner until what blocks it is gone", async () => {
    const api = createApi();
    const owner = await create(api, "owner");
    await create(api, "blocks", { owners: [owner], finalizers: ["a/b"], block: true });
    await create(api, "free", { owners: [owner], finalizers: ["a/b"] });
    await api.ok("DELETE", `${MAPS}/owner`, { propagationPolicy: "Foreground" });
    assert.deepEqual(await names(api), ["blocks", "free", "owner"]);
    const { metadata } = await api.ok("GET", `${MAPS}/owner`);
    assert.deepEqual(metadata.finalizers, ["foregroundDeletion"]);
    assert.ok((await api.ok("GET", `${MAPS}/free`)).metadata.deletionTimestamp);
    await api.ok("PATCH", `${MAPS}/blocks`, { metadata: { finalizers: null } }, MERGE);
    assert.deepEqual(await names(api), ["free"]);
  });

  it("takes owners over that are set later", async () => {
    const api = createApi();
    const owner = await create(api, "owner");
    await create(api, "child");
    const reference = { apiVersion: "v1", kind: "Secret", name: "owner", uid: owner.metadata.uid };
    await api.ok("PATCH", `${MAPS}/child`, { metadata: { ownerReferences: [reference] } }, MERGE);
    await api.ok("DELETE", `${MAPS}/owner`);
    assert.deepEqual(await names(api), []);
  });

  it("ends a circle of owners that wait for each other", async () => {
    const api = createApi();
    const first = await create(api, "first");
    const second = await create(api, "second", { owners: [first], block: true });
    const { name, uid } = second.metadata;
    const reference = { apiVersion: "v1", kind: "Secret", name, uid, blockOwnerDeletion: true };
    await api.ok("PATCH", `${MAPS}/first`, { metadata: { ownerReferences: [reference] } }, MERGE);
    await api.ok("DELETE", `${MAPS}/first`, { propagationPolicy: "Foreground" });
    assert.deepEqual(await names(api), []);
  });
});
