import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { json, makeWorld, type SeenRequest, widget, WIDGETS, type World } from "./fake_server.ts";

const CLUSTER_KIND = { group: "", version: "v1", plural: "nodes", namespaced: false };
const ADDRESS = { namespace: "ns", name: "a" };

function echo(): World {
  const answer = widget("a", 7);
  answer.metadata.managedFields = [{ manager: "x" }];
  return makeWorld({ answer: () => json(answer) });
}

/** "METHOD path?query" of the only request so far. */
function only(world: World): string {
  assert.equal(world.seen.length, 1);
  const { method, path, query } = world.seen[0]!;
  const parts = Object.entries(query).map(([name, value]) => `${name}=${value}`);
  return `${method} ${path}${parts.length > 0 ? `?${parts.join("&")}` : ""}`;
}

function first(world: World): SeenRequest {
  return world.seen[0]!;
}

describe("A client", () => {
  it("gets an object, a subresource, and managedFields on request", async () => {
    const world = echo();
    assert.deepEqual(await world.client.get(WIDGETS, ADDRESS), widget("a", 7));
    assert.equal(only(world), "GET /apis/example.com/v1/namespaces/ns/widgets/a");
    const status = echo();
    const object = await status.client.get(WIDGETS, { ...ADDRESS, subresource: "status" }, {
      managedFields: true,
    });
    assert.equal(only(status), "GET /apis/example.com/v1/namespaces/ns/widgets/a/status");
    assert.deepEqual(object.metadata.managedFields, [{ manager: "x" }]);
    const node = echo();
    await node.client.get(CLUSTER_KIND, { name: "a:b" });
    assert.equal(only(node), "GET /api/v1/nodes/a%3Ab");
  });

  it("creates an object in its own namespace, or in the one that is named", async () => {
    const world = echo();
    assert.deepEqual(await world.client.create(WIDGETS, widget("a", 1)), widget("a", 7));
    assert.equal(only(world), "POST /apis/example.com/v1/namespaces/ns/widgets");
    assert.deepEqual(JSON.parse(first(world).body), widget("a", 1));
    const named = echo();
    await named.client.create(WIDGETS, { metadata: { name: "a" } }, {
      namespace: "other",
      dryRun: true,
      fieldValidation: "Strict",
      fieldManager: "me",
    });
    assert.equal(
      only(named),
      "POST /apis/example.com/v1/namespaces/other/widgets?fieldManager=me&dryRun=All&fieldValidation=Strict",
    );
    const node = echo();
    await node.client.create(CLUSTER_KIND, { metadata: { name: "a" } });
    assert.equal(only(node), "POST /api/v1/nodes");
    const token = echo();
    await token.client.create(WIDGETS, {}, { ...ADDRESS, subresource: "eviction" });
    assert.equal(only(token), "POST /apis/example.com/v1/namespaces/ns/widgets/a/eviction");
    await assert.rejects(world.client.create(WIDGETS, { metadata: { name: "a" } }), {
      name: "TypeError",
      message: /"widgets\.v1\.example\.com": its namespace is missing/,
    });
  });

  it("replaces an object, or a subresource of it", async () => {
    const world = echo();
    await world.client.replace(WIDGETS, widget("a", 1));
    assert.equal(only(world), "PUT /apis/example.com/v1/namespaces/ns/widgets/a");
    const status = echo();
    await status.client.replace(WIDGETS, widget("a", 1), { subresource: "status" });
    assert.equal(only(status), "PUT /apis/example.com/v1/namespaces/ns/widgets/a/status");
    await assert.rejects(world.client.replace(WIDGETS, { metadata: { namespace: "ns" } }), {
      name: "TypeError",
    });
  });

  it("patches in all four ways", async () => {
    const types = {
      merge: "application/merge-patch+json",
      json: "application/json-patch+json",
      strategic: "application/strategic-merge-patch+json",
      apply: "application/apply-patch+yaml",
    } as const;
    for (const type of ["merge", "json", "strategic", "apply"] as const) {
      const world = echo();
      const result = await world.client.patch(WIDGETS, ADDRESS, { type, body: { a: 1 } });
      assert.deepEqual(result, widget("a", 7), "without managedFields");
      assert.equal(only(world), "PATCH /apis/example.com/v1/namespaces/ns/widgets/a");
      assert.deepEqual([first(world).headers["content-type"], first(world).body], [types[type], '{"a":1}']);
    }
    const world = echo();
    const patch = { type: "apply", body: {}, fieldManager: "me", force: true } as const;
    await world.client.patch(WIDGETS, { ...ADDRESS, subresource: "status" }, patch);
    assert.equal(
      only(world),
      "PATCH /apis/example.com/v1/namespaces/ns/widgets/a/status?fieldManager=me&force=true",
    );
  });

  it("deletes, with conditions only where there are some", async () => {
    const world = echo();
    await world.client.delete(WIDGETS, ADDRESS);
    assert.equal(only(world), "DELETE /apis/example.com/v1/namespaces/ns/widgets/a");
    assert.equal(first(world).body, "");
    const careful = echo();
    await careful.client.delete(WIDGETS, ADDRESS, {
      preconditions: { uid: "u" },
      propagationPolicy: "Foreground",
      gracePeriodSeconds: 0,
      dryRun: true,
    });
    assert.deepEqual(JSON.parse(first(careful).body), {
      preconditions: { uid: "u" },
      propagationPolicy: "Foreground",
      gracePeriodSeconds: 0,
      dryRun: ["All"],
    });
  });

  it("tells the transport's observers what each request is about", async () => {
    const subjects: unknown[] = [];
    const world = makeWorld({
      answer: () => json({ ...widget("a", 1), items: [] }),
      observer: {
        requestBegins: ({ subject }) =>
          void subjects.push(`${subject?.verb} ${subject?.name} ${subject?.subresource}`),
      },
    });
    const { client } = world;
    await client.get(WIDGETS, ADDRESS);
    await client.create(WIDGETS, widget("a", 1));
    await client.replace(WIDGETS, widget("a", 1));
    await client.patch(WIDGETS, { ...ADDRESS, subresource: "status" }, { type: "merge", body: {} });
    await client.delete(WIDGETS, ADDRESS);
    for await (const _page of client.list(WIDGETS));
    assert.deepEqual(subjects, [
      "get a undefined",
      "create undefined undefined",
      "update a undefined",
      "patch a status",
      "delete a undefined",
      "list undefined undefined",
    ]);
  });

  it("takes nothing for an object that has no metadata, whoever has made it up", async () => {
    for (const body of [undefined, {}, [], "maintenance", { kind: "Status", status: "Success" }]) {
      const { client } = makeWorld({ answer: () => body === undefined ? new Response("") : json(body) });
      const patch = { type: "merge", body: {} } as const;
      for (const call of [() => client.get(WIDGETS, ADDRESS), () => client.patch(WIDGETS, ADDRESS, patch)]) {
        await assert.rejects(call(), {
          name: "SyntaxError",
          message:
            /^Cannot read the answer to "(GET|PATCH) \/apis\/example.com\/v1\/namespaces\/ns\/widgets\/a"/,
        });
      }
      const scale = { ...ADDRESS, subresource: "scale" };
      assert.deepEqual(await client.get(WIDGETS, scale), body, "other things have other forms");
    }
  });

  it("refuses addresses that make no sense, without asking the server", async () => {
    const world = echo();
    await assert.rejects(world.client.get(WIDGETS, { name: "a" }), { name: "TypeError" });
    await assert.rejects(world.client.get(CLUSTER_KIND, ADDRESS), { name: "TypeError" });
    assert.equal(world.seen.length, 0);
  });

  it("knows the namespace of its connection", () => {
    assert.equal(makeWorld({ answer: () => json({}) }).client.defaultNamespace, "default");
    const world = makeWorld({ answer: () => json({}), info: { defaultNamespace: "mine" } });
    assert.equal(world.client.defaultNamespace, "mine");
  });
});
