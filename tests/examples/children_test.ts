/** Runs the example about children, and holds it to what its README says. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import children from "../../examples/25-children/handlers.ts";
import { Stage } from "../support/stage.ts";

describe("examples/25-children", () => {
  it("brings about what a kiosk needs, and takes away what it needs no more", async () => {
    const stage = new Stage("25-children");
    await stage.apply("crd.yaml", "kiosk.yaml");
    await using runner = await stage.start(children);
    const read = async (plural: string): Promise<string[]> => {
      const path = `/api/v1/namespaces/default/${plural}?labelSelector=lotse.dev/child`;
      const { items } = await stage.get(path) as unknown as { items: { metadata: { name: string } }[] };
      return items.map(({ metadata: { name } }) => name).sort();
    };
    assert.deepEqual(await read("configmaps"), [
      "corner-settings",
      "corner-shelves-bread",
      "corner-shelves-tea",
    ]);
    assert.deepEqual(await read("services"), ["corner-site"]);
    const kiosk = "/apis/example.com/v1/namespaces/default/kiosks/corner";
    await stage.patch(kiosk, { spec: { isOpen: false, shelves: ["tea"] } });
    await runner.settle();
    assert.deepEqual([await read("configmaps"), await read("services")], [[
      "corner-settings",
      "corner-shelves-tea",
    ], []]);
    const { status } = await stage.get(kiosk);
    assert.deepEqual([status?.conditions[0].type, status?.conditions[0].status], ["Furnished", "True"]);
    const settings = new Request("http://test/api/v1/namespaces/default/configmaps/corner-settings", {
      method: "DELETE",
    });
    assert.equal((await stage.fetch(settings)).status, 200);
    await runner.settle();
    assert.deepEqual(await read("configmaps"), ["corner-settings", "corner-shelves-tea"], "it is back");
    stage.compareWithReadme(runner);
  });
});
