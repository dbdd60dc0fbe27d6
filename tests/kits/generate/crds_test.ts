import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { z } from "zod";
import { makeCrds } from "../../../lib/engines/definitions/crds.ts";
import { declaredKinds, peeringCrds } from "../../../lib/kits/generate/crds.ts";
import { apiServer } from "../../../lib/kits/apiserver/mod.ts";
import { virtualHost } from "../../../lib/runtime/virtual/host.ts";
import { operator, resource } from "../../../mod.ts";

const NAMES = { group: "example.com", version: "v1" } as const;
const spec = z.object({ size: z.int() });
const Cat = { ...NAMES, plural: "cats", kind: "Cat", spec } as const;
const Dog = { ...NAMES, plural: "dogs", kind: "Dog", spec } as const;

describe("declaredKinds()", () => {
  it("finds the kinds of all handlers and exports, each once", () => {
    const op = operator();
    const [cats, dogs, plain] = [resource(Cat), resource(Dog), resource({ ...NAMES, plural: "birds" })];
    op.on.create(cats, { id: "a" }, () => {});
    op.on.validate(cats, { id: "b" }, () => {});
    op.timer(plain, { interval: 9 }, function tick() {});
    op.on.event("pods", { id: "c" }, () => {});
    const found = declaredKinds({ operators: [op], exports: [dogs, cats, op, undefined, "text"] });
    assert.deepEqual(found.map(({ plural }) => plural).toSorted(), ["birds", "cats", "dogs"]);
  });
});

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
