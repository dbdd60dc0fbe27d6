import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createApi, MERGE } from "../../api.ts";

const CLASSES = "/apis/scheduling.k8s.io/v1/priorityclasses";
const PODS = "/api/v1/namespaces/default/pods";

describe("priorityClassRules()", () => {
  it("keeps the classes of the system, which are there as soon as somebody asks", async () => {
    const api = createApi();
    const { items } = await api.ok("GET", CLASSES);
    assert.deepEqual(
      items.map((
        { metadata, value }: { metadata: { name: string }; value: number },
      ) => [metadata.name, value]),
      [["system-cluster-critical", 2_000_000_000], ["system-node-critical", 2_000_001_000]],
    );
    assert.equal((await api.call("DELETE", `${CLASSES}/system-node-critical`)).code, 403);
  });

  it("lets no second class become the default", async () => {
    const api = createApi();
    await api.ok("POST", CLASSES, { metadata: { name: "a" }, value: 1, globalDefault: true });
    await api.ok("POST", CLASSES, { metadata: { name: "b" }, value: 2 });
    assert.equal((await api.call("PATCH", `${CLASSES}/b`, { globalDefault: true }, MERGE)).code, 403);
    await api.ok("PATCH", `${CLASSES}/a`, { globalDefault: true, description: "still" }, MERGE);
  });
});

describe("setPriority()", () => {
  it("knows the classes of the system though nobody has asked for them, and no others", async () => {
    const api = createApi();
    const spec = { containers: [{ name: "c", image: "i" }] };
    const make = (name: string, priorityClassName: string) =>
      api.call("POST", PODS, { metadata: { name }, spec: { ...spec, priorityClassName } });
    assert.equal((await make("a", "system-cluster-critical")).body.spec.priority, 2_000_000_000);
    const { code, body } = await make("b", "nope");
    assert.equal(code, 403);
    assert.equal(body.message, 'pods "b" is forbidden: no PriorityClass with name nope was found');
  });
});
