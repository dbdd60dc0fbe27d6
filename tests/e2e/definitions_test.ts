/**
 * Generated definitions on a real kube-apiserver: it must take them without a word, and do what the schemas say.
 */

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { z } from "zod";
import { Bakery } from "../../examples/27-schemas/handlers.ts";
import { makeCrds, peeringCrds } from "../../lib/kits/definitions/mod.ts";
import type { KubeObject } from "../../lib/model/object.ts";
import { resource } from "../../mod.ts";
import { findControlPlane } from "../control_plane/control_plane.ts";
import { RealPlace } from "../support/real_world.ts";
import { until } from "./operator_process.ts";

const CRDS = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  namespaced: false,
} as const;
const NAMES = { group: "example.com", version: "v1", plural: "chests", kind: "Chest" } as const;

/** Whatever schemas can say. */
const Chest = resource({
  ...NAMES,
  namespaced: false,
  spec: z.object({
    size: z.int().min(1).default(3),
    weight: z.number().positive().lt(100).optional(),
    port: z.union([z.int(), z.string().regex(/^[a-z]+$/)]).optional(),
    email: z.email().optional(),
    since: z.iso.datetime().optional(),
    id: z.uuid().optional(),
    data: z.base64().optional(),
    colour: z.enum(["red", "blue"]).nullable().optional(),
    tags: z.record(z.string().regex(/^[a-z]+$/), z.string()).optional(),
    extra: z.looseObject({ a: z.string().optional() }).optional(),
    any: z.unknown().optional(),
    lock: z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("code"), digits: z.int() }),
      z.object({ kind: z.literal("key"), shape: z.string().nullable() }),
    ]).optional(),
    when: z.union([z.literal("never"), z.string().regex(/^\d+h$/)]).optional(),
    pair: z.tuple([z.int(), z.int()]).optional(),
    list: z.array(z.object({ name: z.string() })).max(5)
      .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] }).optional(),
    both: z.object({ a: z.string() }).and(z.object({ b: z.string().optional() })).optional(),
  }),
  status: z.object({ size: z.int().optional(), selector: z.string().optional() }),
  versions: { v1beta1: { spec: z.looseObject({}), deprecated: "take v1" } },
  scale: { spec: "spec.size", status: "status.size", selector: "status.selector" },
  selectable: ["spec.size"],
  columns: {
    Size: "spec.size",
    Since: "spec.since",
    Age: { path: "metadata.creationTimestamp", priority: 1 },
  },
  rules: [{ at: "spec", rule: "self.size >= oldSelf.size", message: "it never shrinks", fieldPath: ".size" }],
});

const skip = findControlPlane().reason ?? false;

describe("Generated definitions on a real kube-apiserver", () => {
  let place: Promise<RealPlace> | undefined;
  after(async () => await (await place)?.[Symbol.asyncDispose]());
  const open = (): Promise<RealPlace> => place ??= RealPlace.open();

  it("are established, structural, and kept as they were sent", { skip, timeout: 120_000 }, async () => {
    const { client } = await open();
    for (const crd of [...makeCrds([Chest.options, Bakery.options]), ...peeringCrds()]) {
      await client.create(CRDS, crd);
      const name = crd.metadata.name ?? "";
      let found: KubeObject | undefined;
      await until(async () => {
        found = await client.get(CRDS, { name });
        return conditionOf(found, "Established") === "True";
      }, () => JSON.stringify(found?.status));
      assert.equal(conditionOf(found, "NonStructuralSchema"), undefined);
      assert.equal(conditionOf(found, "NamesAccepted"), "True");
      // What the server leaves out, it did not understand.
      assert.deepEqual(found?.spec, { conversion: { strategy: "None" }, ...crd.spec });
    }
  });

  it(
    "fill in defaults, drop what is unknown, and refuse what the schemas refuse",
    { skip, timeout: 60_000 },
    async () => {
      const { client } = await open();
      const create = (name: string, spec: object | undefined): Promise<KubeObject> =>
        client.create({ ...NAMES, namespaced: false }, {
          ...{ apiVersion: "example.com/v1", kind: "Chest", metadata: { name } },
          ...spec !== undefined && { spec },
        });
      await until(() => create("empty", undefined).then(() => true, () => false), () => "not served");
      assert.deepEqual((await client.get({ ...NAMES, namespaced: false }, { name: "empty" })).spec, {
        size: 3,
      });
      const fine = {
        size: 4,
        weight: 1.5,
        port: "http",
        email: "a@example.com",
        since: "2026-01-01T00:00:00Z",
        id: "123e4567-e89b-42d3-a456-426614174000",
        data: "YWJj",
        colour: null,
        tags: { a: "b" },
        extra: { a: "x", b: [1] },
        any: [{ x: 1 }],
        lock: { kind: "key", shape: null },
        when: "3h",
        pair: [1, 2],
        list: [{ name: "a" }],
        both: { a: "x" },
      };
      assert.deepEqual((await create("full", { ...fine, unknown: 1 })).spec, fine);
      const refused: [object, RegExp][] = [
        [{ size: 0 }, /spec\.size/],
        [{ weight: 100 }, /spec\.weight/],
        [{ port: "HTTP" }, /spec\.port/],
        [{ port: 1.5 }, /spec\.port/],
        [{ email: "nobody" }, /spec\.email/],
        [{ since: "yesterday" }, /spec\.since/],
        [{ colour: "green" }, /spec\.colour/],
        [{ tags: { A: "b" } }, /keys must match/],
        [{ lock: { kind: "code" } }, /spec\.lock/],
        [{ lock: { kind: "door" } }, /spec\.lock/],
        [{ when: "soon" }, /spec\.when/],
        [{ pair: [1] }, /spec\.pair/],
        [{ list: [{ name: "a" }, { name: "a" }] }, /spec\.list/],
        [{ both: { b: "x" } }, /spec\.both/],
      ];
      for (const [spec, pattern] of refused) {
        await assert.rejects(create("bad", spec), pattern, JSON.stringify(spec));
      }
      const patch = { type: "merge", body: { spec: { size: 2 } } } as const;
      await assert.rejects(
        client.patch({ ...NAMES, namespaced: false }, { name: "full" }, patch),
        /it never shrinks/,
      );
    },
  );
});

function conditionOf(crd: KubeObject | undefined, type: string): unknown {
  const conditions = crd?.status?.conditions;
  return Array.isArray(conditions) ? conditions.find((each) => each.type === type)?.status : undefined;
}
