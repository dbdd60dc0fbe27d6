/** Runs the operator in virtual time, again and again, with faults; and shows that a mistake would be found. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { kinds, operator, resource } from "@lotse/lotse";
import { explore, simulate, SimulationError } from "@lotse/lotse/testing";

import { makeOperator } from "./handlers.ts";

const options = {
  manifests: new URL("crd.yaml", import.meta.url),
  samples: new URL("site.yaml", import.meta.url),
  runs: 5,
};

it("publishes each site, whatever fails and whoever is killed", async () => {
  await simulate(makeOperator, {
    ...options,
    invariants: [async function eachSiteHasItsPage({ api, phase }) {
      if (phase === "deleted") return;
      for await (
        const { metadata } of api.list(resource({ group: "example.com", version: "v1", plural: "sites" }))
      ) {
        const page = { name: `${metadata.name}-page`, namespace: "default" };
        await api.get(kinds.ConfigMap, page);
      }
    }],
  });
});

it("publishes a site in each order of messages, and after a kill at each write", async () => {
  const { manifests, samples } = options;
  const { isWhole } = await explore(makeOperator, { manifests, samples, objects: 1, edits: 0, losses: 0 });
  assert.ok(isWhole);
});

it("would find a page that is made twice", async () => {
  function makeCareless() {
    const op = operator();
    op.on.create("sites.example.com", async function publish({ name, namespace }) {
      await op.api.create(kinds.ConfigMap, { metadata: { generateName: `${name}-`, namespace } });
    });
    return op;
  }
  const plan = {
    seed: 1,
    steps: [
      { do: "create", kind: "sites.example.com", name: "a", body: { spec: { title: "News" } }, wait: 30 },
      { do: "kill", replica: 0, at: "applied", after: 0, down: 1 },
      { do: "create", kind: "sites.example.com", name: "b", body: { spec: { title: "More" } }, wait: 30 },
    ],
    compare: true,
  } as const;
  await assert.rejects(simulate(makeCareless, { ...options, plan }), (error) => {
    assert.ok(error instanceof SimulationError);
    return error.finding.rule === "convergence";
  });
});
