import assert from "node:assert/strict";
import type { KubeObject } from "../../lib/model/object.ts";
import { type ApiError, kinds, type Operator, operator } from "../../mod.ts";
import { suite } from "../support/scenario.ts";
import { Example, Objects, type Running, type World } from "../support/worlds.ts";

/** Runs an operator, and something with its API, as a handler would. */
async function withApi(
  world: World,
  use: (api: Operator["api"], namespace: string, running: Running) => Promise<void>,
): Promise<void> {
  const op = operator();
  op.on.event(Example, () => {});
  const running = await world.start(op);
  try {
    await use(op.api, world.namespace, running);
  } finally {
    await running.stop();
  }
}

const labels = { app: "web" };
const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx" }] } };

suite("op.api", (scenario) => {
  scenario("[N4.4] objects are deleted as a collection, by a selector", async (world) => {
    await withApi(world, async (api, namespace) => {
      for (const name of ["a", "b", "c"]) {
        await api.create(kinds.Secret, {
          metadata: { name, namespace, labels: { keep: `${name === "c"}` } },
        });
      }
      const options = { namespace, labelSelector: "keep=false" };
      await api.deleteCollection(kinds.Secret, { ...options, dryRun: true });
      const names = async (): Promise<unknown[]> =>
        (await Array.fromAsync(api.list(kinds.Secret, { namespace }))).map(({ metadata }) => metadata.name);
      assert.deepEqual(await names(), ["a", "b", "c"]);
      await api.deleteCollection(kinds.Secret, options);
      assert.deepEqual(await names(), ["c"]);
      await assert.rejects(api.deleteCollection(kinds.Secret, {}), {
        name: "TypeError",
        message: /name a namespace/,
      });
    });
  });

  scenario(
    "[N4.5] subresources are read and written by name, replicas by a call of their own",
    async (world) => {
      await withApi(world, async (api, namespace) => {
        const address = { name: "web", namespace };
        await api.create(kinds.Deployment, {
          metadata: address,
          spec: { replicas: 1, selector: { matchLabels: labels }, template },
        });
        assert.equal((await api.scale(kinds.Deployment, address, 3)).spec?.replicas, 3);
        const scale = await api.get(kinds.Deployment, { ...address, subresource: "scale" });
        assert.deepEqual([scale.kind, scale.spec?.replicas], ["Scale", 3]);
        await api.patch(kinds.Deployment, { ...address, subresource: "status" }, {
          status: { readyReplicas: 0 },
        });
        // The server in the process lets nobody apply this part.
        if (world.place === "in the process") return;
        const applied = { metadata: address, spec: { replicas: 2 } };
        const scaled = await api.apply(kinds.Deployment, applied, { subresource: "scale", force: true });
        assert.equal(scaled.spec?.replicas, 2);
      });
    },
  );

  scenario("[N4.6] preconditions hold for every write", async (world) => {
    await withApi(world, async (api, namespace) => {
      const address = { name: "a", namespace };
      const made = await api.create(kinds.ConfigMap, { metadata: address, data: { a: "1" } });
      const wrongs = [{ uid: "00000000-0000-4000-8000-000000000000" }, { resourceVersion: "1" }];
      for (const preconditions of wrongs) {
        const calls = [
          () => api.patch(kinds.ConfigMap, address, { data: { a: "2" } }, { preconditions }),
          () =>
            api.patch(kinds.ConfigMap, address, { data: { a: "2" } }, { preconditions, type: "strategic" }),
          () =>
            api.patch(kinds.ConfigMap, address, [{ op: "replace", path: "/data/a", value: "2" }], {
              preconditions,
            }),
          () => api.replace(kinds.ConfigMap, { ...made, data: { a: "2" } }, { preconditions }),
          () =>
            api.apply(kinds.ConfigMap, { metadata: address, data: { a: "2" } }, {
              preconditions,
              force: true,
            }),
          () => api.delete(kinds.ConfigMap, address, { preconditions }),
        ];
        for (const call of calls) await assert.rejects(call, { name: "ApiError", status: 409 }, `${call}`);
      }
      const { uid, resourceVersion } = (await api.get(kinds.ConfigMap, address)).metadata;
      const preconditions = { uid, resourceVersion };
      const after = await api.patch(kinds.ConfigMap, address, { data: { a: "3" } }, { preconditions });
      assert.deepEqual(after.data, { a: "3" });
    });
  });

  scenario("[N4.7] what a handler ensures belongs to its object", async (world) => {
    const op = operator();
    const made: KubeObject[] = [];
    op.on.create(Example, async function make() {
      made.push(await op.api.ensure(kinds.ConfigMap, { metadata: { name: "owned" }, data: { a: "1" } }));
    });
    const running = await world.start(op);
    const { metadata: { uid } } = await new Objects(world).create("one");
    await world.until(() => made.length === 1);
    const { namespace, ownerReferences } = made[0]!.metadata;
    assert.deepEqual([namespace, ownerReferences?.map((each) => each.uid)], [world.namespace, [uid]]);
    const lost = op.api.ensure(kinds.ConfigMap, { metadata: { name: "lost" } });
    await assert.rejects(lost, { name: "TypeError", message: /no handler of an object is running/ });
    await running.stop();
  });

  scenario("[N4.8] an object is waited for: until it is there, as it should be, and gone", async (world) => {
    await withApi(world, async (api, namespace) => {
      const address = { name: "late", namespace };
      const there = api.waitFor(
        kinds.ConfigMap,
        address,
        (object) => object?.data === undefined ? "no data" : true,
      );
      await api.create(kinds.ConfigMap, { metadata: { ...address, name: "other" }, data: { a: "0" } });
      await api.create(kinds.ConfigMap, { metadata: address });
      await api.patch(kinds.ConfigMap, address, { data: { a: "1" } });
      assert.deepEqual((await there)?.data, { a: "1" });
      const gone = api.waitFor(kinds.ConfigMap, address, "Deleted");
      await api.delete(kinds.ConfigMap, address);
      assert.equal(await gone, undefined);
      assert.equal(await api.waitFor(kinds.ConfigMap, address, "Deleted"), undefined);

      await new Objects(world).create("one");
      const ready = api.waitFor(Example, { name: "one", namespace }, "Ready");
      const status = { conditions: [{ type: "Ready", status: "True" }] };
      await api.patch(Example, { name: "one", namespace, subresource: "status" }, { status });
      assert.equal((await ready)?.metadata.name, "one");
    });
  });

  scenario("[N4.9] waiting ends with the time, and says for what; or with the signal", async (world) => {
    await withApi(world, async (api, namespace) => {
      const wait = (condition: string, options: object) =>
        api.waitFor(kinds.ConfigMap, { name: "never", namespace }, condition, options);
      await world.until(() => true);
      const late = wait("Ready", { timeout: 3 });
      late.catch(() => {});
      let isOver = false;
      late.catch(() => isOver = true);
      await world.until(() => isOver, 10);
      await assert.rejects(late, {
        name: "TimeoutError",
        message: /"never"|\/never" to be "Ready": 3 s are over, and it is not there/,
      });
      const ending = new AbortController();
      const waiting = wait("Ready", { signal: ending.signal });
      const reason = new Error("enough");
      ending.abort(reason);
      await assert.rejects(waiting, (error) => error === reason);
      await assert.rejects(wait("Ready", { timeout: NaN }), { name: "TypeError" });
    });
  });

  scenario("[N4.16] a watch by a selector that is none ends at once, and says why", async (world) => {
    await withApi(world, async (api, namespace) => {
      const signal = AbortSignal.timeout(60_000);
      const watching = Array.fromAsync(
        api.watch(kinds.ConfigMap, { namespace, labelSelector: "not a (selector", signal }),
      );
      let isOver = false;
      watching.catch(() => isOver = true);
      await world.until(() => isOver, 10);
      await assert.rejects(watching, { name: "ApiError", status: 400, message: /unable to parse|selector/ });
    });
  });

  scenario("[N4.10] what the server warns of is logged once", async (world) => {
    await withApi(world, async (api, namespace, running) => {
      for (let round = 0; round < 2; round++) {
        const metadata = { name: `a${round}`, namespace, annotations: { "a.test/x": "y" } };
        const spec = {
          ...template.spec,
          containers: [{ ...template.spec.containers[0]!, imagePullPolicy: "Always" }],
        };
        // A field that the kind does not have: "Warn" is the server's default.
        const pod = { metadata, spec: { ...spec, misspelt: true } };
        await api.create(kinds.Pod, pod, { dryRun: true, fieldValidation: "Warn" });
      }
      const warnings = running.logs.filter(({ message }) => message === "The server warns");
      assert.deepEqual(warnings.map(({ level, fields }) => [level, fields?.warning]), [
        ["warn", 'unknown field "spec.misspelt"'],
      ]);
    });
  });

  scenario.virtual(
    "[N4.11] a log comes line by line, however it is cut, and ends with its signal",
    async (world) => {
      await withApi(world, async (api) => {
        const pieces = ["one\ntw", "o\n", "thr", "ee \u00e9", "\nlast"];
        let open: ReadableStreamDefaultController<Uint8Array> | undefined;
        world.intercept = (request) => {
          if (!request.url.includes("/log")) return undefined;
          const isFollowed = request.url.includes("follow=true");
          const body = new ReadableStream<Uint8Array>({
            start(controller) {
              for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
              if (isFollowed) open = controller;
              else controller.close();
            },
          });
          return new Response(body);
        };
        const pod = { name: "a", namespace: "default" };
        const lines = await Array.fromAsync(
          api.logs(pod, { container: "c", tailLines: 5, timestamps: true }),
        );
        assert.deepEqual(lines, ["one", "two", "three \u00e9", "last"]);
        assert.match(world.requests.at(-1)!.path, /pods\/a\/log\?container=c&tailLines=5&timestamps=true$/);
        const ending = new AbortController();
        const seen: string[] = [];
        for await (const line of api.logs(pod, { follow: true, signal: ending.signal })) {
          seen.push(line);
          if (line.startsWith("three")) ending.abort();
        }
        assert.deepEqual(seen, ["one", "two", "three \u00e9"]);
        assert.notEqual(open, undefined);
      });
    },
  );

  scenario.virtual(
    "[N4.11] a log that is followed begins when the container writes its first line",
    async (world) => {
      await withApi(world, async (api) => {
        world.intercept = async (request) => {
          if (!request.url.includes("/log")) return undefined;
          await world.host.clock.sleep(3600);
          return new Response("one\n");
        };
        const log = api.logs({ name: "a", namespace: "default" }, { follow: true });
        let lines: unknown;
        void Array.fromAsync(log).catch(String).then((read) => lines = read);
        await world.until(() => lines !== undefined, 4000);
        assert.deepEqual(lines, ["one"]);
      });
    },
  );

  scenario.timed("[N4.12] an eviction that a budget forbids comes back at once", async (world) => {
    await withApi(world, async (api, namespace) => {
      const address = { name: "guarded", namespace };
      await api.create(kinds.Pod, {
        metadata: { ...address, labels: { app: "guarded" } },
        spec: template.spec,
      });
      await api.patch(kinds.Pod, { ...address, subresource: "status" }, { status: { phase: "Running" } });
      const spec = { minAvailable: 1, selector: { matchLabels: { app: "guarded" } } };
      await api.create(kinds.PodDisruptionBudget, { metadata: address, spec });
      await assert.rejects(api.evict(address), (error: ApiError) => {
        assert.deepEqual([error.name, error.status, error.reason], ["ApiError", 429, "TooManyRequests"]);
        assert.equal(error.details?.causes?.[0]?.reason, "DisruptionBudget");
        return true;
      });
      const sent = world.requests.filter(({ path }) => path.endsWith("/guarded/eviction"));
      assert.equal(sent.length, 1);
      const { kind, apiVersion } = JSON.parse(sent[0]!.body);
      assert.deepEqual([kind, apiVersion], ["Eviction", "policy/v1"]);
      assert.equal((await api.get(kinds.Pod, address)).metadata.deletionTimestamp, undefined);
    });
  });

  scenario("[N4.13] what a list is refused with points to the author's line", async (world) => {
    await withApi(world, async (api, namespace) => {
      async function author(): Promise<void> {
        for await (const item of api.list(kinds.ConfigMap, { namespace, labelSelector: "a in (b" })) {
          assert.fail(`${item.kind}`);
        }
      }
      await assert.rejects(author, (error: Error) => {
        const frames = error.stack?.split("\n").filter((line) => /^\s+at /.test(line)) ?? [];
        assert.match(frames[0] ?? "", /author .*api_test/, "none of ours");
        return true;
      });
    });
  });

  scenario("[N4.14] a service account gets a token", async (world) => {
    if (world.place === "in the process") return;
    await withApi(world, async (api, namespace) => {
      await api.create(kinds.ServiceAccount, { metadata: { name: "robot", namespace } });
      const { token, expirationTimestamp } = await api.token({ name: "robot", namespace }, {
        expirationSeconds: 600,
      });
      assert.equal(token.split(".").length, 3);
      assert.ok(Date.parse(expirationTimestamp) > Date.now());
    });
  });
});
