import assert from "node:assert/strict";
import { kinds, operator, TemporaryError } from "../../mod.ts";
import { ask, LIVENESS } from "../support/probing.ts";
import { suite } from "../support/scenario.ts";
import { Example, Objects } from "../support/worlds.ts";

suite("what is told of reconciles", (scenario) => {
  scenario.timed(
    "[N1.18] the ledger and the metrics tell of reconciles and of handlers of children",
    async (world) => {
      const op = operator();
      op.owns(Example, kinds.ConfigMap);
      let follows = 0;
      op.on.child(Example, kinds.ConfigMap, function follow() {
        if (++follows === 1) throw new TemporaryError("once", { delay: 1 });
      });
      op.reconcile(Example, async function keep({ namespace, body, retry, reasons }) {
        if (reasons.some(({ kind }) => kind === "create") && retry === 0) {
          throw new TemporaryError("once", { delay: 1 });
        }
        await op.api.apply(kinds.ConfigMap, { metadata: { name: "kept", namespace } }, { owner: body });
      });
      const running = await world.start(op, { liveness: LIVENESS });
      const object = await new Objects(world).create("one");
      await running.advance(5);
      const maps = { group: "", version: "v1", plural: "configmaps", namespaced: true };
      await world.client.delete(maps, { name: "kept", namespace: world.namespace });
      await running.advance(5);
      const entries = op.ledger.of(object)?.entries ?? [];
      // By chance, an answer of a write comes before or after its event: turns without calls may be among them.
      const told = new Set(
        entries.flatMap(({ wake, handlers }) =>
          handlers.map(({ id, outcome }) => `${wake}: ${id} ${outcome}`)
        ),
      );
      for (const call of ["event: keep retry", "retry: keep success", "dependency: keep success"]) {
        assert.ok(told.has(call), `${call} is not among ${[...told].join("; ")}`);
      }
      for (const call of ["dependency: follow/configmaps.v1 retry", "retry: follow/configmaps.v1 success"]) {
        assert.ok(told.has(call), `${call} is not among ${[...told].join("; ")}`);
      }
      const [, text] = await ask(world, "/metrics");
      const attempts = (handler: string, outcome: string): number =>
        Number(
          text.split("\n").find((line) =>
            line.startsWith("lotse_handler_attempts_total{") && line.includes(`handler="${handler}"`) &&
            line.includes(`outcome="${outcome}"`)
          )?.split(" ").at(-1) ?? 0,
        );
      assert.equal(attempts("keep", "retry"), 1);
      assert.ok(attempts("keep", "success") >= 2, text);
      assert.equal(attempts("follow/configmaps.v1", "retry"), 1);
      // Of the operator's own writes it is told only if their events come before their answers.
      assert.ok(attempts("follow/configmaps.v1", "success") >= 1, text);
      await running.stop();
    },
  );

  scenario.virtual(
    "[N13.3] the readiness names the kind of owned objects that cannot be listed",
    async (world) => {
      const op = operator();
      op.owns(Example, kinds.ConfigMap);
      op.reconcile(Example, () => {});
      world.intercept = (_, { path }) =>
        path.includes("/configmaps")
          ? Response.json({ kind: "Status", code: 403 }, { status: 403 })
          : undefined;
      const running = await world.start(op, { liveness: LIVENESS });
      await running.advance(60);
      const [status, text] = await ask(world, "/readyz?verbose");
      assert.equal(status, 503);
      assert.match(text, /\[-\]watch configmaps\.v1 failed: not listed yet/);
      assert.match(text, /\[\+\]watch examples\.v1\.lotse\.test ok/);
      world.intercept = undefined;
      await running.advance(400);
      assert.equal((await ask(world, "/readyz"))[0], 200);
      await running.stop();
    },
  );
});
