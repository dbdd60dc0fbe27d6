import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ApplyConflictError } from "../../lib/client/apply.ts";
import { ApiError } from "../../lib/client/errors.ts";
import { apiServer } from "../../lib/kits/apiserver/mod.ts";
import { type Runner, start, virtualHost } from "../../lib/kits/testing/mod.ts";
import { kinds, operator, resource, type WatchEvent } from "../../mod.ts";

const Nothing = resource({ group: "lotse.test", version: "v1", plural: "nothings" });

interface Bench {
  readonly runner: Runner;
  readonly requests: string[];
  /** Answers in the server's place. */
  intercept?: (request: Request) => Response | undefined;
  readonly op: ReturnType<typeof operator>;
}

async function withOperator(use: (bench: Bench) => Promise<void>): Promise<void> {
  const server = apiServer({ host: virtualHost() });
  const op = operator();
  const requests: string[] = [];
  const fetch = (request: Request): Response | Promise<Response> => {
    const { pathname, search } = new URL(request.url);
    requests.push(`${request.method} ${pathname}${search}`);
    return bench.intercept?.(request) ?? server.fetch(request);
  };
  await using runner = await start(op, { cluster: { host: server.host, fetch } });
  const bench: Bench = { runner, op, requests };
  await use(bench);
}

const A = { name: "a", namespace: "default" };

describe("op.api", () => {
  it("creates, reads, patches in three ways, replaces, lists and deletes, by the kind", async () => {
    await withOperator(async ({ op: { api } }) => {
      const made = await api.create(kinds.ConfigMap, { metadata: A, data: { a: "1", b: "2" } });
      assert.deepEqual([made.apiVersion, made.kind], ["v1", "ConfigMap"]);
      await api.patch(kinds.ConfigMap, A, { data: { a: null } });
      await api.patch(kinds.ConfigMap, A, [{ op: "add", path: "/data/c", value: "3" }]);
      await api.patch(kinds.ConfigMap, A, { metadata: { labels: { x: "y" } } }, { type: "strategic" });
      const read = await api.get(kinds.ConfigMap, A);
      assert.deepEqual([read.data, read.metadata.labels], [{ b: "2", c: "3" }, { x: "y" }]);
      await api.replace(kinds.ConfigMap, { ...read, data: { d: "4" } });
      const names: unknown[] = [];
      for await (const { metadata, data } of api.list(kinds.ConfigMap, { namespace: "default" })) {
        if (metadata.name === "a") names.push(data);
      }
      assert.deepEqual(names, [{ d: "4" }]);
      await api.delete(kinds.ConfigMap, A);
      await assert.rejects(api.get(kinds.ConfigMap, A), { name: "ApiError", status: 404 });
    });
  });

  it("writes nothing in a dry run, and names the field manager", async () => {
    await withOperator(async ({ op: { api }, requests }) => {
      await api.create(kinds.ConfigMap, { metadata: A }, { dryRun: true, fieldManager: "me" });
      assert.match(requests.at(-1) ?? "", /POST .*fieldManager=me&dryRun=All/);
      await assert.rejects(api.get(kinds.ConfigMap, A), { status: 404 });
    });
  });

  it("takes it for no error that what is to go has gone, where that is said", async () => {
    await withOperator(async ({ op: { api } }) => {
      await api.delete(kinds.ConfigMap, A, { ifExists: true });
      await assert.rejects(api.delete(kinds.ConfigMap, A), { status: 404 });
    });
  });

  it("deletes only what the preconditions say", async () => {
    await withOperator(async ({ op: { api } }) => {
      await api.create(kinds.ConfigMap, { metadata: A });
      await assert.rejects(api.delete(kinds.ConfigMap, A, { preconditions: { uid: "x" }, ifExists: true }), {
        status: 409,
      });
    });
  });

  it("ends with the signal's reason", async () => {
    await withOperator(async ({ op: { api } }) => {
      const reason = new Error("enough");
      const signal = AbortSignal.abort(reason);
      const calls = [
        () => api.get(kinds.ConfigMap, A, { signal }),
        () => api.create(kinds.ConfigMap, { metadata: A }, { signal }),
        () => api.patch(kinds.ConfigMap, A, { data: {} }, { signal }),
        () => api.delete(kinds.ConfigMap, A, { signal }),
        () => api.replace(kinds.ConfigMap, { metadata: A }, { signal }),
      ];
      for (const call of calls) await assert.rejects(call, (error) => error === reason, `${call}`);
    });
  });

  it("asks once for what is forbidden", async () => {
    await withOperator(async (bench) => {
      const { op: { api }, requests } = bench;
      bench.intercept = (request) =>
        request.url.includes("configmaps") ? new Response("no", { status: 403 }) : undefined;
      const list = async (): Promise<void> => {
        for await (const object of api.list(kinds.ConfigMap)) assert.fail(object.kind);
      };
      const watch = async (): Promise<void> => {
        const { signal } = new AbortController();
        for await (const event of api.watch(kinds.ConfigMap, { signal })) assert.fail(`${event.type}`);
      };
      const patch = (): Promise<unknown> => api.patch(kinds.ConfigMap, A, { data: {} });
      for (const call of [() => api.get(kinds.ConfigMap, A), list, watch, patch]) {
        requests.length = 0;
        await assert.rejects(call, { name: "ApiError", status: 403 });
        assert.equal(requests.filter((each) => each.includes("configmaps")).length, 1, `${call}`);
      }
    });
  });

  it("says which kind is not there, at the author's line", async () => {
    await withOperator(async ({ op: { api } }) => {
      async function author(): Promise<void> {
        await api.get(Nothing, A);
      }
      await assert.rejects(author, { name: "TypeError", message: /the server serves no such kind/ });
    });
  });

  it("has the author's line in the stack of what the server refuses", async () => {
    await withOperator(async ({ op: { api } }) => {
      function author(): Promise<unknown> {
        const getting = api.get(kinds.ConfigMap, A);
        getting.catch(() => {}); // else it would be a tail call, which leaves no frame on Bun
        return getting;
      }
      await assert.rejects(author, (error: ApiError) => {
        assert.match(error.stack ?? "", /at (async )?author .*api_test/);
        return true;
      });
    });
  });

  it("works when a call is taken off it, and only while the operator runs", async () => {
    const { api: { get } } = operator();
    await assert.rejects(get(kinds.ConfigMap, A), { name: "TypeError", message: /is not running/ });
  });
});

describe("op.api.apply()", () => {
  const wanted = { metadata: { ...A, labels: { x: "y" } }, data: { a: "1", b: "2" } };

  it("makes an object, sends nothing where it says so already, and takes away what is left out", async () => {
    await withOperator(async ({ op: { api }, requests }) => {
      const made = await api.apply(kinds.ConfigMap, wanted);
      assert.deepEqual([made.data, made.metadata.labels], [wanted.data, { x: "y" }]);
      requests.length = 0;
      const again = await api.apply(kinds.ConfigMap, wanted);
      assert.deepEqual(requests.map((each) => each.split(" ")[0]), ["GET"]);
      assert.equal(again.metadata.managedFields, undefined);
      await api.patch(kinds.ConfigMap, A, { data: { c: "3" } });
      const { data } = await api.apply(kinds.ConfigMap, { ...wanted, data: { a: "1" } });
      assert.deepEqual(data, { a: "1", c: "3" });
    });
  });

  it("sends nothing for workloads, either: lists by keys, defaults and owners", async () => {
    await withOperator(async ({ op: { api }, requests }) => {
      const owner = await api.create(kinds.ConfigMap, { metadata: A });
      const labels = { app: "web" };
      const container = {
        name: "web",
        image: "nginx",
        ports: [{ containerPort: 80, name: "http" }],
        env: [{ name: "POD", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
        volumeMounts: [{ name: "data", mountPath: "/data" }],
      };
      const template = {
        metadata: { labels },
        spec: { containers: [container], volumes: [{ name: "data", emptyDir: {} }] },
      };
      const deployment = {
        metadata: { name: "web" },
        spec: { replicas: 2, selector: { matchLabels: labels }, template },
      };
      const service = {
        metadata: { name: "web" },
        spec: { selector: labels, ports: [{ name: "http", port: 80, targetPort: 8080 }] },
      };
      const made = await api.apply(kinds.Deployment, deployment, { owner });
      assert.equal(made.metadata.namespace, "default");
      assert.deepEqual(made.metadata.ownerReferences?.map(({ uid, controller }) => [uid, controller]), [
        [owner.metadata.uid, true],
      ]);
      await api.apply(kinds.Service, service, { owner });
      requests.length = 0;
      await api.apply(kinds.Deployment, deployment, { owner });
      await api.apply(kinds.Service, service, { owner });
      assert.deepEqual(requests.map((each) => each.split(" ")[0]), ["GET", "GET"]);
    });
  });

  it("names each conflict with its field, manager and value, and takes fields over where it is told to", async () => {
    await withOperator(async ({ op: { api } }) => {
      await api.apply(kinds.ConfigMap, { ...wanted, data: { a: "1", b: "2" } }, { fieldManager: "other" });
      const mine = { ...wanted, data: { a: "one", b: "two" } };
      await assert.rejects(api.apply(kinds.ConfigMap, mine), (error: ApplyConflictError) => {
        assert.deepEqual(error.conflicts, [
          { field: ".data.a", manager: '"other"', value: "1" },
          { field: ".data.b", manager: '"other"', value: "2" },
        ]);
        assert.ok(error instanceof ApiError && error.status === 409);
        assert.match(
          error.message,
          /Cannot apply ConfigMap "default\/a": it would change \.data\.a \("1"\) of "other", \.data\.b/,
        );
        return true;
      });
      const { data } = await api.apply(kinds.ConfigMap, mine, { force: true });
      assert.deepEqual(data, mine.data);
    });
  });

  it("puts back what somebody has changed or deleted", async () => {
    await withOperator(async ({ op: { api } }) => {
      await api.apply(kinds.ConfigMap, wanted, { force: true });
      await api.patch(kinds.ConfigMap, A, { data: { a: "edited" } }, { fieldManager: "somebody" });
      assert.deepEqual((await api.apply(kinds.ConfigMap, wanted, { force: true })).data, wanted.data);
      await api.delete(kinds.ConfigMap, A);
      assert.deepEqual((await api.apply(kinds.ConfigMap, wanted)).data, wanted.data);
    });
  });

  it("applies the status by itself, and nothing twice", async () => {
    await withOperator(async ({ op: { api }, requests }) => {
      const labels = { app: "web" };
      const template = { metadata: { labels }, spec: { containers: [{ name: "a", image: "b" }] } };
      await api.apply(kinds.Deployment, {
        metadata: A,
        spec: { selector: { matchLabels: labels }, template },
      });
      const status = { observedGeneration: 1, replicas: 2 };
      const call = () => api.apply(kinds.Deployment, { metadata: A, status }, { subresource: "status" });
      assert.equal((await call()).status?.replicas, 2);
      requests.length = 0;
      await call();
      assert.deepEqual(requests.map((each) => each.split(" ")[0]), ["GET"]);
    });
  });

  it("refuses what has no address", async () => {
    await withOperator(async ({ op: { api } }) => {
      await assert.rejects(
        api.apply(kinds.ConfigMap, { metadata: {} as { name: string } }),
        /its name is missing/,
      );
      await assert.rejects(
        api.apply(kinds.ConfigMap, { metadata: { name: "a" } }),
        /its namespace is missing/,
      );
      const owner = { metadata: { name: "a" } };
      await assert.rejects(api.apply(kinds.ConfigMap, wanted, { owner }), {
        name: "TypeError",
        message: /owner "a"/,
      });
    });
  });
});

describe("op.api.watch()", () => {
  it("yields what there is, then what happens, also what vanished while the stream was broken", async () => {
    const server = apiServer({ host: virtualHost() });
    const op = operator();
    await using runner = await start(op, { cluster: server });
    await runner.api.create(kinds.ConfigMap, { metadata: A });
    const ending = new AbortController();
    const seen: string[] = [];
    const scope = { namespace: "default", labelSelector: "!lotse.test/hidden", signal: ending.signal };
    const watching = (async () => {
      for await (const { type, object } of op.api.watch(kinds.ConfigMap, scope)) {
        if (object.metadata.name !== "kube-root-ca.crt") seen.push(`${type} ${object.metadata.name}`);
      }
    })();
    await runner.settle();
    await runner.api.patch(kinds.ConfigMap, A, { data: { a: "1" } });
    await runner.api.create(kinds.ConfigMap, { metadata: { ...A, name: "b" } });
    await runner.settle();
    assert.deepEqual(seen.splice(0), ["null a", "MODIFIED a", "ADDED b"]);

    server.closeWatches();
    await runner.api.delete(kinds.ConfigMap, A);
    server.compact();
    await runner.advance(60);
    assert.deepEqual(seen.splice(0), ["DELETED a"]);
    ending.abort();
    await watching;
  });

  it("ends when the loop is left", async () => {
    const server = apiServer({ host: virtualHost() });
    const op = operator();
    await using runner = await start(op, { cluster: server });
    await runner.api.create(kinds.ConfigMap, { metadata: A });
    const { signal } = new AbortController();
    let first: WatchEvent | undefined;
    for await (const event of op.api.watch(kinds.ConfigMap, { namespace: "default", signal })) {
      first = event;
      break;
    }
    assert.equal(first?.type, null);
  });
});
