import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createApi } from "../../api.ts";

describe("serviceRules()", () => {
  it("gives each node port once, and lets go of those of Services that are gone", async () => {
    const api = createApi();
    const path = "/api/v1/namespaces/default/services";
    const make = async (name: string, nodePort?: number): Promise<number> => {
      const spec = {
        type: "NodePort",
        ports: [{ port: 80, ...(nodePort === undefined ? {} : { nodePort }) }],
      };
      const made = await api.ok("POST", path, { metadata: { name }, spec });
      return made.spec.ports[0].nodePort;
    };
    const first = await make("a");
    await api.ok("DELETE", `${path}/a`);
    // The port that "a" would be given is taken.
    await make("b", first);
    assert.notEqual(await make("a"), first);
    await api.ok("DELETE", `${path}/b`);
    assert.equal(await make("c", first), first);
  });
});
