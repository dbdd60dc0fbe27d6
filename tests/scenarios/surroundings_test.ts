import assert from "node:assert/strict";
import { operator, type Settings } from "../../mod.ts";
import { suite } from "../support/scenario.ts";
import { Example, Objects } from "../support/worlds.ts";

suite("tasks, metrics and settings", (scenario) => {
  scenario("[N48.1] a task of the operator runs again and again, with its API", async (world) => {
    const op = operator();
    const seen: string[] = [];
    op.on.event(Example, () => {});
    op.every("look", { interval: 0.3 }, async ({ name, signal }) => {
      for await (const { kind } of op.api.list(Example, { namespace: world.namespace, signal })) {
        assert.fail(kind);
      }
      seen.push(name);
    });
    const running = await world.start(op);
    await world.until(() => seen.length > 2, 5);
    await running.stop();
    const count = seen.length;
    await world.settle();
    assert.equal(seen.length, count, "it has stopped with the operator");
  });

  scenario.virtual("[N11.1] metrics of the author's own are served with the operator's", async (world) => {
    const op = operator();
    const looks = op.metrics.counter("shop_looks_total", { help: "Looks", labels: ["result"] });
    op.on.event(Example, () => {});
    op.every("look", { interval: 100 }, () => looks.inc({ result: "fine" }));
    const running = await world.start(op, { liveness: "http://127.0.0.1:8080/healthz" });
    const { port } = new URL("http://127.0.0.1:8080");
    using connection = world.host.network.connect({ server: `http://127.0.0.1:${port}` });
    const response = await connection.request({ method: "GET", path: "/metrics", headers: {} });
    const text = await response.text();
    assert.match(text, /^shop_looks_total\{result="fine"\} 1$/m);
    assert.match(text, /^lotse_handler_attempts_total/m);
    await running.stop();
  });

  scenario.virtual(
    "[N48.2] settings come from code, a file, variables and options, in this order",
    async (world) => {
      const seen: Settings[] = [];
      const op = operator({
        execution: { defaultBackoff: 1 },
        posting: { level: "error", idleTimeout: 1 },
        peering: { name: "code", priority: 1 },
        queueing: { exitTimeout: 1 },
      });
      op.on.event(Example, () => {});
      op.on.startup(({ settings }) => {
        seen.push(
          structuredClone({ ...settings, persistence: null, admission: null }) as unknown as Settings,
        );
        settings.queueing.exitTimeout = 5;
      });
      const { host } = world;
      await host.files.writeText(
        "/etc/settings.yaml",
        "execution: { defaultBackoff: 2 }\nposting: { level: warn, idleTimeout: 2 }\npeering: { name: file, priority: 2 }\n",
      );
      host.process.setEnv("LOTSE_SETTINGS", "/etc/settings.yaml");
      host.process.setEnv("LOTSE_POSTING_LEVEL", "debug");
      host.process.setEnv("LOTSE_PEERING_PRIORITY", "3");
      const running = await world.start(op, { priority: 4, standalone: true });
      const [{ execution, posting, peering, queueing } = assert.fail()] = seen;
      assert.deepEqual(
        [execution.defaultBackoff, posting.level, posting.idleTimeout, peering.name, peering.priority],
        [2, "debug", 2, "file", 4],
      );
      assert.deepEqual([queueing.exitTimeout, op.settings.queueing.exitTimeout], [1, 5]);
      await running.stop();
      assert.equal(op.settings.execution.defaultBackoff, 1, "those of the code are as they were");
    },
  );

  scenario.virtual("[N48.3] a setting that is not understood ends the start", async (world) => {
    const { host } = world;
    await host.files.writeText("/etc/wrong.yaml", "execution: { defaultBackof: 2 }\n");
    await host.files.writeText("/etc/broken.yaml", "execution: {");
    const op = operator();
    op.on.event(Example, () => {});
    const fails = async (options: object, message: RegExp): Promise<void> => {
      await assert.rejects(async () => await world.start(op, options), { message });
    };
    await fails({ settings: "/etc/wrong.yaml" }, /"execution\.defaultBackof"/);
    await fails({ settings: "/etc/broken.yaml" }, /"\/etc\/broken\.yaml": it is neither YAML nor JSON/);
    await fails({ settings: "/etc/absent.yaml" }, /Cannot read the settings in "\/etc\/absent\.yaml"/);
    host.process.setEnv("LOTSE_EXECUTION_DEFAULT_BACKOF", "2");
    await fails({}, /did you mean "LOTSE_EXECUTION_DEFAULT_BACKOFF"/);
    host.process.setEnv("LOTSE_EXECUTION_DEFAULT_BACKOF", undefined);
    host.process.setEnv("LOTSE_EXECUTION_DEFAULT_BACKOFF", "soon");
    await fails({}, /Cannot set "execution\.defaultBackoff" to "soon"/);
    host.process.setEnv("LOTSE_EXECUTION_DEFAULT_BACKOFF", undefined);
    await (await world.start(op)).stop();
  });

  scenario("[B305] events about work in workers are posted, however the workers end", async (world) => {
    const op = operator();
    const module = new URL("../operator/heavy.ts", import.meta.url);
    op.on.create(Example, async function work({ body, signal }) {
      await Promise.all([1, 2, 3].map(async (number) => {
        const { sum } = await op.offload<{ sum: number }>(module, { add: [number, number] }, { signal });
        op.events.normal(body, { reason: `Sum${sum}` });
      }));
    });
    const running = await world.start(op);
    await new Objects(world).create("one");
    const events = { group: "events.k8s.io", version: "v1", plural: "events", namespaced: true };
    await world.until(async () => {
      const reasons: unknown[] = [];
      for await (const { items } of world.client.list(events, { namespace: world.namespace })) {
        reasons.push(...items.map(({ reason }) => reason));
      }
      return ["Sum2", "Sum4", "Sum6"].every((reason) => reasons.includes(reason));
    });
    await running.stop();
  });
});
