import assert from "node:assert/strict";
import { kinds, operator } from "../../mod.ts";
import { suite } from "../support/scenario.ts";
import { Example, Objects } from "../support/worlds.ts";

const CONFIG_MAPS = { group: "", version: "v1", plural: "configmaps", namespaced: true };
const OWNERS = 8;
const STEPS = 300;

/** Numbers in [0, 1) that are the same for the same seed. */
function chance(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 1103515245 + 12345) % 2147483648) / 2147483648;
}

suite("reconciles through faults", (scenario) => {
  for (const seed of [1, 2, 3]) {
    scenario.virtual(
      `[N1.17] every child is as its owner says in the end, and nothing ran twice at once (seed ${seed})`,
      async (world) => {
        const objects = new Objects(world);
        const [next, luck] = [chance(seed), chance(seed + 1000)];
        const pick = (most: number): number => Math.floor(next() * most);
        const running = new Map<string, number>();
        let most = 0;
        const op = operator();
        op.owns(Example, kinds.ConfigMap);
        op.reconcile(Example, { backoff: 1 }, async function follow({ name, namespace = "", body, spec }) {
          running.set(name, (running.get(name) ?? 0) + 1);
          most = Math.max(most, running.get(name) ?? 0);
          try {
            const wanted = { metadata: { name, namespace }, data: { size: String(spec.size) } };
            await op.api.apply(kinds.ConfigMap, wanted, { owner: body, force: true });
          } finally {
            running.set(name, (running.get(name) ?? 0) - 1);
          }
        });
        for (let number = 0; number < OWNERS; number++) {
          await objects.create(`one-${number}`, { spec: { size: 0 } });
        }
        const runner = await world.start(op);
        let isFaulty = true;
        world.intercept = async (request) => {
          if (!isFaulty || request.url.includes("watch=")) return undefined;
          if (luck() < 0.5) await world.host.clock.sleep(luck() * 2);
          if (luck() < 0.15) {
            return Response.json({ kind: "Status", code: 500, message: "no" }, { status: 500 });
          }
          return undefined;
        };
        for (let step = 0; step < STEPS; step++) {
          const name = `one-${pick(OWNERS)}`;
          const address = { name, namespace: world.namespace };
          const body = { data: { size: "drift" } };
          switch (pick(5)) {
            case 0:
              await world.client.delete(CONFIG_MAPS, address).catch(() => {});
              break;
            case 1:
              await world.client.patch(CONFIG_MAPS, address, { type: "merge", body }).catch(() => {});
              break;
            case 2:
              world.host.network.breakAll();
              break;
            default:
              await objects.patch(name, { spec: { size: step } });
          }
          await world.host.clock.advance(next() < 0.3 ? next() * 3 : 0);
        }
        isFaulty = false;
        await world.host.clock.advance(300);
        for (let number = 0; number < OWNERS; number++) {
          const name = `one-${number}`;
          const { spec } = await objects.get(name);
          const child = await world.client.get<{ data?: { size?: string } }>(CONFIG_MAPS, {
            name,
            namespace: world.namespace,
          });
          assert.equal(child.data?.size, String(spec?.size), name);
        }
        assert.equal(most, 1);
        await runner.stop();
      },
    );
  }
});
