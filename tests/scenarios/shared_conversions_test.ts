/** Objects that several replicas convert: no list of theirs succeeds before a replica is asked, and none is asked before it is ready. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { z } from "zod";
import { CRDS } from "../../lib/engines/definitions/served_schema.ts";
import { makeCrds } from "../../lib/kits/definitions/crds.ts";
import type { KubeObject } from "../../lib/model/object.ts";
import type { Operator } from "../../lib/operator/operator.ts";
import { resource } from "../../mod.ts";
import { SERVICE, WebhookFleet } from "../support/webhook_fleet.ts";

const NAMES = { group: "hulls.test", plural: "barges", kind: "Barge" } as const;
const OLD = z.object({ size: z.string() });
const First = resource({ ...NAMES, version: "v1beta1", spec: OLD });
const Now = resource({
  ...NAMES,
  version: "v1",
  spec: z.object({ replicas: z.int() }),
  versions: {
    v1beta1: {
      spec: OLD,
      convert: {
        toHub: ({ spec }) => ({ spec: { replicas: Number(spec.size) } }),
        fromHub: ({ spec }) => ({ spec: { size: String(spec.replicas) } }),
      },
    },
  },
});
const BARGES = { group: "hulls.test", version: "v1beta1", plural: "barges", namespaced: true };
const CRD = { name: "barges.hulls.test" };

function barge(name: string, size: string): object {
  return {
    apiVersion: "hulls.test/v1beta1",
    kind: "Barge",
    metadata: { name, namespace: "default" },
    spec: { size },
  };
}

/** The definition of both versions, as `generate crd` prints it. */
function definition(): KubeObject {
  const [crd] = makeCrds([Now.options], {
    service: { namespace: "default", name: SERVICE, path: "/convert", port: 443 },
  });
  assert.ok(crd !== undefined);
  return crd;
}

/** Handlers that note the objects that they have seen. */
function noting(seen: unknown[]): (op: Operator) => void {
  return (op) => {
    op.on.create(Now, ({ name, spec }) => void seen.push([name, spec]));
    op.on.validate(Now, { id: "check" }, () => {});
  };
}

async function bundleOf({ client }: WebhookFleet): Promise<unknown> {
  const { spec } = await client.get<{ metadata: object; spec: { conversion: Record<string, never> } }>(
    CRDS,
    CRD,
  );
  const { webhook } = spec.conversion as { webhook?: { clientConfig?: { caBundle?: string } } };
  return webhook?.clientConfig?.caBundle;
}

describe("conversions by replicas", () => {
  it("[N27.16] go on when all replicas have gone and come again, and when authorities are taken away", {
    timeout: 60_000,
  }, async () => {
    const fleet = await WebhookFleet.open();
    const seen: unknown[] = [];
    await fleet.client.create(CRDS, definition());
    fleet.add({ declare: noting(seen) });
    fleet.add({ declare: noting(seen) });
    await fleet.until(() => fleet.pods.every(({ isReady }) => isReady));
    await fleet.client.create(BARGES, barge("one", "3"), {});
    await fleet.until(() => seen.length === 1);
    // Processes that are killed before the note is written handle the creation once more.
    await fleet.advance(5);
    for (const pod of fleet.pods) pod.kill();
    await fleet.advance(20);
    const next = fleet.add({ declare: noting(seen) });
    await fleet.until(() => next.isReady);
    await fleet.client.create(BARGES, barge("two", "5"), {});
    await fleet.until(() => seen.length === 2);
    assert.deepEqual(seen, [["one", { replicas: 3 }], ["two", { replicas: 5 }]]);
    const before = await bundleOf(fleet);
    const body = { spec: { conversion: { webhook: { clientConfig: { caBundle: null } } } } };
    await fleet.client.patch(CRDS, CRD, { type: "merge", body });
    await fleet.until(async () => await bundleOf(fleet) === before, 10);
    await fleet.close();
  });

  it(
    "[N27.17] begin in a roll when the last replica has gone that does not convert; the new ones are ready meanwhile",
    { timeout: 60_000 },
    async () => {
      const fleet = await WebhookFleet.open();
      const [old] = makeCrds([First.options], { service: { namespace: "default", name: SERVICE } });
      assert.ok(old !== undefined);
      await fleet.client.create(CRDS, old);
      const made: unknown[] = [];
      const declare = (op: Operator): void => void op.on.create(First, ({ name }) => void made.push(name));
      const olds = [fleet.add({ declare }), fleet.add({ declare })];
      await fleet.until(() => fleet.pods.every(({ isReady }) => isReady));
      await fleet.client.create(BARGES, barge("one", "3"), {});
      await fleet.until(() => made.length === 1);
      const { spec } = definition() as KubeObject & { spec: Record<string, unknown> };
      const body = { spec: { versions: spec["versions"], conversion: { strategy: "None" } } };
      await fleet.client.patch(CRDS, CRD, { type: "merge", body });
      const seen: unknown[] = [];
      const strategy = async (): Promise<unknown> =>
        (await fleet.client.get<{ metadata: object; spec: { conversion: { strategy: string } } }>(CRDS, CRD))
          .spec
          .conversion.strategy;
      for (const each of olds) {
        const next = fleet.add({ declare: noting(seen) });
        await fleet.until(() => next.isReady);
        assert.equal(await strategy(), "None", "a replica lives that does not convert");
        each.stop();
        await fleet.until(() => !each.isRunning);
      }
      await fleet.until(async () => await strategy() === "Webhook");
      await fleet.client.create(BARGES, barge("two", "5"), {});
      await fleet.until(() => seen.length > 0);
      assert.deepEqual(seen.at(-1), ["two", { replicas: 5 }]);
      await fleet.close();
    },
  );

  it("[N27.20] keep their certificate when a replica that applies definitions starts beside them", {
    timeout: 60_000,
  }, async () => {
    const fleet = await WebhookFleet.open();
    const seen: unknown[] = [];
    fleet.add({ declare: noting(seen), crds: "apply" });
    await fleet.until(() => fleet.pods.every(({ isReady }) => isReady));
    const before = await bundleOf(fleet);
    assert.equal(typeof before, "string");
    fleet.sent.length = 0;
    const next = fleet.add({ declare: noting(seen), crds: "apply" });
    await fleet.until(() => next.isReady);
    // NB: a definition that is put right in the same moment was wrong for API servers nevertheless.
    const bundles = new Set(fleet.sent.flatMap((text) => /"caBundle":"([^"]*)"/.exec(text)?.[1] ?? []));
    assert.deepEqual([...bundles].filter((bundle) => bundle !== before), []);
    await fleet.client.create(BARGES, barge("one", "3"), {});
    await fleet.until(() => seen.length === 1);
    await fleet.close();
  });
});
