import assert from "node:assert/strict";
import { operator } from "../../mod.ts";
// A virtual clock does not wait for files that are loaded late.
import "../../lib/engines/metrics/metrics_gate.ts";
import { LIVENESS } from "../support/samples.ts";
import { suite } from "../support/scenario.ts";
import type { VirtualWorld } from "../support/virtual_world.ts";
import { Example } from "../support/worlds.ts";

const ACCOUNTS = { group: "", version: "v1", plural: "serviceaccounts", namespaced: true } as const;

async function scrape({ host }: VirtualWorld, token?: string): Promise<readonly [number, string]> {
  const { origin } = new URL(LIVENESS);
  using connection = host.network.connect({ server: origin });
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await connection.request({ method: "GET", path: "/metrics", headers });
  return [response.status, await response.text()];
}

/** A token of a ServiceAccount, as Prometheus has one. */
async function tokenIn({ client }: VirtualWorld): Promise<string> {
  const metadata = { name: "prometheus", namespace: "default" };
  await client.create(ACCOUNTS, { apiVersion: "v1", kind: "ServiceAccount", metadata });
  const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { audiences: [] } };
  const place = { ...metadata, subresource: "token" };
  const { status } = await client.create<{ status: { token: string } }>(ACCOUNTS, request, place);
  return status.token;
}

function reviewsIn({ requests }: VirtualWorld): number {
  return requests.filter(({ path }) => /tokenreviews|subjectaccessreviews/.test(path)).length;
}

suite("metrics for some callers alone", (scenario) => {
  scenario.virtual(
    "[N59.4] are answered to users who may get the URL, and are asked about rarely",
    async (world) => {
      const token = await tokenIn(world);
      const op = operator({ probing: { metricsReview: true } });
      op.on.create(Example, () => {});
      const running = await world.start(op, { liveness: LIVENESS });
      assert.match((await scrape(world, token))[1], /lotse_/);
      const { body } = world.requests.find(({ path }) => path.includes("subjectaccessreviews"))!;
      const { spec } = JSON.parse(body);
      assert.equal(spec.user, "system:serviceaccount:default:prometheus");
      assert.deepEqual(spec.nonResourceAttributes, { path: "/metrics", verb: "get" });
      for (let count = 0; count < 10; count++) assert.equal((await scrape(world, token))[0], 200);
      assert.equal(reviewsIn(world), 2);
      await running.advance(61);
      assert.equal((await scrape(world, token))[0], 200);
      assert.equal(reviewsIn(world), 4);
      for (const stranger of [undefined, "guess", "guess"]) {
        const [status, text] = await scrape(world, stranger);
        assert.deepEqual([status, text.includes("lotse_")], [401, false]);
      }
      assert.equal(reviewsIn(world), 5);
      await running.stop();
    },
  );

  scenario.virtual("[N59.4] are refused to others, and where nobody can be asked", async (world) => {
    const token = await tokenIn(world);
    const op = operator({ probing: { metricsReview: true }, networking: { errorBackoffs: [] } });
    op.on.create(Example, () => {});
    const running = await world.start(op, { liveness: LIVENESS });
    world.intercept = (_, { path }) =>
      path.includes("subjectaccessreviews") ? Response.json({ status: { allowed: false } }) : undefined;
    assert.deepEqual(await scrape(world, token), [
      403,
      'Metrics are not shown: a role must allow "get" on the URL "/metrics"\n',
    ]);
    await running.advance(11);
    world.intercept = (_, { path }) =>
      path.includes("reviews") ? Response.json({ message: "no" }, { status: 403 }) : undefined;
    assert.deepEqual(await scrape(world, token), [
      503,
      "Metrics are not shown: the API server was not asked\n",
    ]);
    assert.ok(running.logs.some(({ message }) => message.startsWith("Cannot ask who may read metrics")));
    world.intercept = undefined;
    await running.stop();
  });
});
