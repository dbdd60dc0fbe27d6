import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { z } from "zod";
import { makeCrds, peeringCrds } from "../../../lib/kits/definitions/crds.ts";
import { apiServer } from "../../../lib/kits/apiserver/mod.ts";
import { virtualHost } from "../../../lib/runtime/virtual/host.ts";

const NAMES = { group: "example.com", version: "v1" } as const;
const spec = z.object({ size: z.int() });
const Cat = { ...NAMES, plural: "cats", kind: "Cat", spec } as const;
const Dog = { ...NAMES, plural: "dogs", kind: "Dog", spec } as const;

describe("makeCrds()", () => {
  it("makes a definition of each kind with a schema", () => {
    const crds = makeCrds([Cat, Dog, { ...NAMES, plural: "birds" }, { ...Cat }]);
    assert.deepEqual(crds.map(({ metadata }) => metadata.name), ["cats.example.com", "dogs.example.com"]);
  });

  it("refuses a kind that is declared twice in different words", () => {
    const other = { ...Cat, spec: z.object({ size: z.string() }) };
    assert.throws(
      () => makeCrds([Cat, other]),
      /"cats\.example\.com": it is declared twice, and differently/,
    );
  });

  it("refuses names that mean two kinds", () => {
    for (
      const [kind, name] of [[{ ...Dog, shortNames: ["cats"] }, "cats"], [
        { ...Dog, kind: "Cat" },
        "cat",
      ]] as const
    ) {
      assert.throws(
        () => makeCrds([Cat, kind]),
        new RegExp(`"cats.example.com" and "dogs.example.com": the name "${name}" would mean both`),
      );
    }
    makeCrds([Cat, { ...Dog, group: "other.example.com", shortNames: ["cats"] }]);
  });
});

describe("peeringCrds()", () => {
  it("makes both kinds, as the API server takes them", async () => {
    const server = apiServer({ host: virtualHost() });
    for (const crd of peeringCrds()) {
      const response = await server.fetch(
        new Request("http://test/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
          method: "POST",
          body: JSON.stringify(crd),
          headers: { "content-type": "application/json" },
        }),
      );
      assert.equal(response.status, 201, await response.text());
    }
    const served = await (await server.fetch(new Request("http://test/apis/kopf.dev/v1"))).json();
    assert.deepEqual(
      served.resources.map((each: { name: string; namespaced: boolean }) => [each.name, each.namespaced]),
      [["clusterkopfpeerings", false], ["kopfpeerings", true]],
    );
  });
});
