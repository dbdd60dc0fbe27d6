import assert from "node:assert/strict";
import { CoreV1Api, KubeConfig } from "@kubernetes/client-node";
import { operator } from "../../mod.ts";
import { withoutToken } from "../support/judged.ts";
import { suite } from "../support/scenario.ts";
import { Example, Objects } from "../support/worlds.ts";

suite("credentials", (scenario) => {
  scenario("the official client's API classes work over the operator's connection", async (world) => {
    const op = operator();
    const api = op.makeApiClient(CoreV1Api);
    const made: unknown[] = [];
    op.on.create(Example, async ({ name, namespace = "" }) => {
      await api.createNamespacedConfigMap({
        namespace,
        body: { metadata: { name: `${name}-settings` }, data: { tier: "gold" } },
      });
      const { data, metadata } = await api.readNamespacedConfigMap({ namespace, name: `${name}-settings` });
      const missing = await api.readNamespacedConfigMap({ namespace, name: "none" }).catch((error) => error);
      made.push(data?.tier, metadata?.creationTimestamp instanceof Date, missing.code);
    });
    await assert.rejects(api.listNode(), /the operator is not running/);
    const running = await world.start(op);
    await new Objects(world).create("one");
    await world.until(() => made.length > 0);
    assert.deepEqual(made, ["gold", true, 404]);
    await running.stop();
  });

  scenario.virtual("a KubeConfig of the official client is a way in", async (world) => {
    const { host, server } = world;
    const seen = new Set<string | null>();
    host.network.route("https://object.test", (request) => {
      seen.add(request.headers.get("authorization"));
      return server.fetch(withoutToken(request));
    });
    const credentials = new KubeConfig();
    credentials.loadFromClusterAndUser(
      { name: "c", server: "https://object.test", skipTLSVerify: false },
      { name: "u", token: "from the object" },
    );
    const names: string[] = [];
    const op = operator();
    op.on.event(Example, ({ name }) => void names.push(name));
    const controller = new AbortController();
    const run = op.run({ host, credentials, signal: controller.signal });
    await new Objects(world).create("one");
    await world.until(() => names.length > 0);
    controller.abort();
    await world.settle();
    await run;
    assert.deepEqual([[...seen], names], [["Bearer from the object"], ["one"]]);
  });

  scenario.virtual("a login handler may give such an object, and wrong fields end the run", async (world) => {
    const { host, server } = world;
    host.network.route("https://object.test", (request) => server.fetch(withoutToken(request)));
    const start = (login: () => object): Promise<void> => {
      const op = operator();
      op.on.event(Example, () => {});
      op.on.login(login as () => KubeConfig);
      return op.run({ host, scope: "cluster", signal: controller.signal });
    };
    const controller = new AbortController();
    const config = new KubeConfig();
    config.loadFromClusterAndUser(
      { name: "c", server: "https://object.test", skipTLSVerify: false },
      { name: "u", token: "t" },
    );
    const run = start(() => config);
    const wrong = assert.rejects(
      start(() => ({ server: "https://object.test", expires: "soon" })),
      /there is no field "expires"/,
    );
    await host.clock.advance(1);
    await wrong;
    controller.abort();
    await host.clock.advance(1);
    await run;
  });
});
