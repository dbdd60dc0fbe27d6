import assert from "node:assert/strict";
import type { RelatedChange } from "../../lib/public/types.ts";
import { kinds, operator, TemporaryError } from "../../mod.ts";
import { ownerReference } from "../../lib/model/references.ts";
import type { KubeObject } from "../../lib/model/object.ts";
import { currentHost } from "../../lib/runtime/current_host.ts";
import { suite } from "../support/scenario.ts";
import type { VirtualWorld } from "../support/virtual_world.ts";
import { definitionOf, Example, notesOf, Objects, Plain, PLAINS, type World } from "../support/worlds.ts";

const CONFIG_MAPS = { group: "", version: "v1", plural: "configmaps", namespaced: true };

/** Writes config maps as somebody else than the operator. */
function outside({ client, namespace }: World) {
  const address = (name: string) => ({ name, namespace });
  return {
    create: (name: string, { owner, data = {} }: { owner?: KubeObject; data?: object } = {}) => {
      const ownerReferences = owner && [ownerReference(owner)];
      return client.create<KubeObject>(CONFIG_MAPS, {
        metadata: { ...address(name), ownerReferences },
        data,
      });
    },
    patch: (name: string, body: object) =>
      client.patch<KubeObject>(CONFIG_MAPS, address(name), { type: "merge", body }),
    get: (name: string) =>
      client.get<KubeObject & { data?: Record<string, string> }>(CONFIG_MAPS, address(name)),
    find: (name: string) => client.get<KubeObject>(CONFIG_MAPS, address(name)).catch(() => undefined),
    delete: (name: string) => client.delete(CONFIG_MAPS, address(name)),
  };
}

/** Answers a watch, each piece of which comes later than it would. */
async function slowly({ server, host }: VirtualWorld, url: string, headers: Headers): Promise<Response> {
  const { body, status, headers: answered } = await server.fetch(new Request(url, { headers }));
  const late = new TransformStream<Uint8Array, Uint8Array>({
    transform: async (chunk, controller) => {
      await host.clock.sleep(3);
      controller.enqueue(chunk);
    },
  });
  return new Response(body?.pipeThrough(late), { status, headers: answered });
}

function textIn(object: object): unknown {
  const { data } = object as { readonly data?: unknown };
  return (data as { text?: string } | undefined)?.text;
}

suite("related objects", (scenario) => {
  scenario(
    "[N2.1] a child that somebody edits or deletes wakes its owner, who puts it back within a second",
    async (world) => {
      const objects = new Objects(world);
      const children = outside(world);
      const op = operator();
      const seen: string[] = [];
      op.owns(Example, kinds.ConfigMap);
      op.reconcile(Example, async function follow({ name, namespace = "", spec, body, reasons }) {
        for (const reason of reasons) {
          seen.push("object" in reason ? `${reason.kind} ${reason.object.metadata.name}` : reason.kind);
        }
        const data = { text: String(spec.text) };
        await op.api.apply(kinds.ConfigMap, { metadata: { name, namespace }, data }, {
          owner: body,
          force: true,
        });
      });
      const running = await world.start(op);
      await objects.create("one", { spec: { text: "hello" } });
      const textOf = async (): Promise<unknown> => textIn(await children.find("one") ?? {});
      await world.until(async () => await textOf() === "hello");
      await world.settle();
      assert.deepEqual(seen, ["create"]);
      const { clock } = currentHost();
      const putsBack = async (harm: () => Promise<unknown>): Promise<void> => {
        for (let tries = 1;; tries++) {
          await harm();
          const begun = clock.monotonic();
          await world.until(async () => await textOf() === "hello", 1);
          const seconds = clock.monotonic() - begun;
          await world.settle();
          if (seconds < 1) return;
          // In real time, on a machine that has much else to do, single ones may take longer.
          assert.ok(tries < 5, `It took ${seconds} s, as it did ${tries - 1} times before`);
          seen.pop();
        }
      };
      await putsBack(() => children.patch("one", { data: { text: "drift" } }));
      await putsBack(() => children.delete("one"));
      assert.deepEqual(seen, ["create", "owned one", "owned one"]);
      await running.stop();
    },
  );

  scenario("[N2.2] only the owner that controls a child is woken, unless any may be", async (world) => {
    const objects = new Objects(world);
    const children = outside(world);
    const op = operator();
    const seen: string[] = [];
    op.owns(Example, kinds.ConfigMap);
    op.owns(Example, Plain, { controller: false });
    op.reconcile(Example, function follow({ name, reasons }) {
      for (const reason of reasons) if ("object" in reason) seen.push(`${name} ${reason.object.kind}`);
      return reasons.some(({ kind }) => kind !== "create") ? undefined : null;
    });
    const running = await world.start(op);
    const [one, two] = [await objects.create("one"), await objects.create("two")];
    await world.settle();
    const ownerReferences = [ownerReference(one), ownerReference(two, { controller: false })];
    await world.client.create(CONFIG_MAPS, {
      metadata: { name: "both", namespace: world.namespace, ownerReferences },
    });
    await world.until(() => seen.length >= 1);
    await children.create("stranger");
    const metadata = { name: "both", namespace: world.namespace, ownerReferences };
    await world.client.create(PLAINS, { apiVersion: "lotse.test/v1", kind: "Plain", metadata });
    await world.until(() => seen.length >= 3);
    await world.settle();
    assert.deepEqual(seen.sort(), ["one ConfigMap", "one Plain", "two Plain"]);
    await running.stop();
  });

  scenario(
    "[N2.3] a child that changes its owner wakes both; a predicate says what matters",
    async (world) => {
      const objects = new Objects(world);
      const children = outside(world);
      const op = operator();
      const seen: string[] = [];
      op.owns(Example, kinds.ConfigMap, {
        predicate: ({ object, old }) => textIn(object) !== "ignored" || old === undefined,
      });
      op.reconcile(Example, function follow({ name, reasons }) {
        if (reasons.some(({ kind }) => kind === "owned")) seen.push(name);
      });
      const running = await world.start(op);
      const [one, two] = [await objects.create("one"), await objects.create("two")];
      await world.settle();
      await children.create("child", { owner: one });
      await world.until(() => seen.length === 1);
      await children.patch("child", { data: { text: "ignored" } });
      await world.settle();
      await children.patch("child", {
        data: { text: "new" },
        metadata: { ownerReferences: [ownerReference(two)] },
      });
      await world.until(() => seen.length === 3);
      await world.settle();
      assert.deepEqual([seen[0], ...seen.slice(1).sort()], ["one", "one", "two"]);
      await running.stop();
    },
  );

  scenario("[N2.4] whatever a mapper names is woken, of the states before and after", async (world) => {
    const objects = new Objects(world);
    const maps = outside(world);
    const op = operator();
    const seen: string[] = [];
    op.watches(kinds.ConfigMap, ({ data, metadata: { namespace } }) => {
      const { for: names } = data as { for: string };
      return names.split(" ").map((name) => ({ kind: Example, namespace, name }));
    });
    op.reconcile(Example, function follow({ name, reasons }) {
      for (const reason of reasons) {
        if (reason.kind === "watched") seen.push(`${name} ${reason.object.metadata.name}`);
      }
    });
    const running = await world.start(op);
    for (const name of ["one", "two", "three"]) await objects.create(name);
    await world.settle();
    await maps.create("map", { data: { for: "one two" } });
    await world.until(() => seen.length === 2);
    await maps.patch("map", { data: { for: "three" } });
    await world.until(() => seen.length === 5);
    await world.settle();
    assert.deepEqual(seen.slice(2).sort(), ["one map", "three map", "two map"]);
    await running.stop();
  });

  scenario(
    "[N2.5] handlers of children are called for each change of a child, with the owner at hand",
    async (world) => {
      const objects = new Objects(world);
      const children = outside(world);
      const op = operator();
      const seen: string[] = [];
      let failures = 2;
      op.on.create(Example, () => {});
      op.on.child(Example, kinds.ConfigMap, async function count({ name, type, child, old, retry, patch }) {
        await Promise.resolve();
        seen.push(`${name} ${type} ${child.metadata.name} ${old === undefined ? "new" : "known"} ${retry}`);
        if (failures-- > 0) throw new TemporaryError("Not yet", { delay: 0.1 });
        patch.status.latest = `${type} ${child.metadata.name}`;
      });
      const running = await world.start(op);
      const one = await objects.create("one");
      await world.until(async () => Object.keys(notesOf(await objects.get("one"))).length > 0);
      await children.create("child", { owner: one });
      const latest = async (): Promise<unknown> => (await objects.get("one")).status?.latest;
      await world.until(async () => await latest() === "ADDED child");
      await children.patch("child", { data: { text: "x" } });
      await world.until(async () => await latest() === "MODIFIED child");
      await children.delete("child");
      await world.until(async () => await latest() === "DELETED child");
      assert.deepEqual(seen, [
        "one ADDED child new 0",
        "one ADDED child new 1",
        "one ADDED child new 2",
        "one MODIFIED child known 0",
        "one DELETED child known 0",
      ]);
      await running.stop();
    },
  );

  scenario(
    "[N2.6] after a start, handlers of children are told once of each child that is there",
    async (world) => {
      const objects = new Objects(world);
      const children = outside(world);
      const one = await objects.create("one");
      for (const name of ["a", "b"]) await children.create(name, { owner: one });
      await children.create("stranger");
      const op = operator();
      const seen: string[] = [];
      op.on.child(Example, kinds.ConfigMap, ({ name, type, child }) => {
        seen.push(`${name} ${type} ${child.metadata.name}`);
      });
      const running = await world.start(op);
      await world.until(() => seen.length === 2);
      await world.settle();
      assert.deepEqual(seen.sort(), ["one null a", "one null b"]);
      await running.stop();
    },
  );

  scenario(
    "[N2.6] a handler of children is told of them when their owner comes later than they do",
    async (world) => {
      const objects = new Objects(world);
      const one = await objects.create("one");
      await outside(world).create("a", { owner: one });
      const op = operator({ watching: { labelSelectors: { examples: "shown=yes" } } });
      const seen: string[] = [];
      op.on.child(Example, kinds.ConfigMap, ({ name, type, child }) => {
        seen.push(`${name} ${type} ${child.metadata.name}`);
      });
      const running = await world.start(op);
      await world.settle();
      assert.deepEqual(seen, [], "the owner is out of sight");
      await objects.patch("one", { metadata: { labels: { shown: "yes" } } });
      await world.until(() => seen.length > 0);
      await world.settle();
      assert.deepEqual(seen, ["one null a"]);
      await running.stop();
    },
  );

  scenario.timed(
    "[N2.7] a kind is watched once, however many ask for it, and own writes wake nobody",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      let calls = 0;
      op.owns(Example, kinds.ConfigMap);
      op.owns(Plain, kinds.ConfigMap);
      op.watches(kinds.ConfigMap, () => undefined);
      op.on.child(Example, kinds.ConfigMap, () => {});
      op.reconcile(Example, async function follow({ name, namespace = "", body, spec }) {
        calls += 1;
        const data = { text: String(spec.text) };
        await op.api.apply(kinds.ConfigMap, { metadata: { name, namespace }, data }, { owner: body });
        await op.api.patch(kinds.ConfigMap, { name, namespace }, { data: { more: String(spec.text) } });
      });
      op.reconcile(Plain, () => {});
      const running = await world.start(op);
      const watches = world.requests.filter(({ path }) => /configmaps.*watch=/.test(path));
      assert.equal(watches.length, 1, JSON.stringify(world.requests.map(({ path }) => path)));
      await objects.create("one", { spec: { text: 1 } });
      await world.settle();
      assert.equal(calls, 1);
      await objects.patch("one", { spec: { text: 2 } });
      await world.settle();
      assert.equal(calls, 2);
      await running.stop();
    },
  );

  scenario.timed(
    "[N2.8] a write of its own wakes the owner if the server or others have changed the child by then",
    async (world) => {
      const objects = new Objects(world);
      const children = outside(world);
      const op = operator();
      const seen: string[] = [];
      op.owns(Example, kinds.ConfigMap);
      op.reconcile(Example, async function follow({ name, namespace = "", body, reasons }) {
        seen.push(reasons.map(({ kind }) => kind).join());
        await op.api.apply(kinds.ConfigMap, {
          metadata: { name, namespace },
          data: { a: String(body.spec?.size) },
        }, { owner: body });
      });
      const running = await world.start(op);
      await objects.create("eight", { spec: { size: 1 } });
      await world.settle();
      // Somebody writes at the same time: the answer shows it, and the event is older than the answer.
      let isEdited = false;
      world.intercept = async (request) => {
        if (request.method !== "PATCH" || !request.url.includes("configmaps") || isEdited) return undefined;
        isEdited = true;
        await children.patch("eight", { data: { b: "foreign" } });
      };
      await objects.patch("eight", { spec: { size: 2 } });
      await world.settle();
      assert.deepEqual(seen, ["create", "change", "owned"]);
      await running.stop();
    },
  );

  // Only in the process can an answer be held back until its event has come for certain.
  scenario.virtual(
    "[N2.8] an event that comes before the answer to the write wakes the owner only if the server has changed more",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const seen: string[] = [];
      op.owns(Example, kinds.ConfigMap);
      op.reconcile(Example, async function follow({ name, namespace = "", body, spec, reasons }) {
        seen.push(reasons.map(({ kind }) => kind).join());
        const data = { a: String(spec.size) };
        await op.api.apply(kinds.ConfigMap, { metadata: { name, namespace }, data }, { owner: body });
      });
      let added: object = {};
      world.intercept = async ({ method, url, headers }, { body }) => {
        if (method !== "PATCH" || !url.includes("configmaps")) return undefined;
        const sent = JSON.parse(body) as { data: object };
        // As a webhook would; and the event has long come when the answer does.
        const changed = JSON.stringify({ ...sent, data: { ...sent.data, ...added } });
        const answer = await world.server.fetch(new Request(url, { method, headers, body: changed }));
        await world.host.clock.sleep(5);
        return answer;
      };
      const running = await world.start(op);
      await objects.create("one", { spec: { size: 1 } });
      await world.host.clock.advance(30);
      await objects.patch("one", { spec: { size: 2 } });
      await world.host.clock.advance(30);
      assert.deepEqual(seen, ["create", "change"]);
      added = { b: "webhook" };
      await objects.patch("one", { spec: { size: 3 } });
      await world.host.clock.advance(30);
      assert.deepEqual(seen, ["create", "change", "change", "owned"]);
      await running.stop();
    },
  );

  for (const order of ["before", "after"] as const) {
    // Only in the process can answers, and watches, be held back.
    scenario.virtual(
      `[N2.13] own writes are told to nobody whose events come ${order} their answers, and what else changes is told once`,
      async (world) => {
        const objects = new Objects(world);
        const children = outside(world);
        const op = operator();
        const seen: string[] = [];
        op.owns(Example, kinds.ConfigMap);
        op.on.child(Example, kinds.ConfigMap, { id: "child" }, ({ type, child, old }) => {
          seen.push(`child ${type} ${child.metadata.name} ${old === undefined ? "new" : "known"}`);
        });
        op.reconcile(Example, ({ reasons }) => {
          for (const reason of reasons) {
            if ("object" in reason) seen.push(`${reason.kind} ${reason.object.metadata.name}`);
          }
        });
        op.on.create(Example, async function make({ body, namespace }) {
          const owned = { namespace, ownerReferences: [ownerReference(body)] };
          await op.api.apply(kinds.ConfigMap, { metadata: { ...owned, name: "applied" } });
          await op.api.create(kinds.ConfigMap, { metadata: { ...owned, generateName: "made-" } });
        });
        op.timer(Example, { interval: 60, initialDelay: 60 }, async function tick({ namespace, retry }) {
          const data = { tick: String(world.host.clock.now()), retry: String(retry) };
          await op.api.patch(kinds.ConfigMap, { name: "applied", namespace }, { data });
        });
        let meddle = (data: object): object => data;
        world.intercept = async ({ method, url, headers }, { body }) => {
          if (!url.includes("configmaps")) return undefined;
          if (method === "GET") {
            return order === "after" && url.includes("watch=") ? slowly(world, url, headers) : undefined;
          }
          const sent = JSON.parse(body) as { data?: object };
          // As a webhook would.
          const changed = JSON.stringify({ ...sent, data: meddle(sent.data ?? {}) });
          const answer = await world.server.fetch(new Request(url, { method, headers, body: changed }));
          if (order === "before") await world.host.clock.sleep(5);
          return answer;
        };
        const running = await world.start(op);
        await objects.create("one");
        await world.host.clock.advance(50);
        assert.ok(await children.find("applied"));
        assert.deepEqual(seen, [], "the handler's own");
        await world.host.clock.advance(60);
        assert.ok((await children.get("applied")).data?.tick);
        assert.deepEqual(seen, [], "the timer's own");
        meddle = (data) => ({ ...data, more: "webhook" });
        await world.host.clock.advance(60);
        assert.deepEqual(seen.splice(0).sort(), ["child MODIFIED applied known", "owned applied"]);
        meddle = (data) => data;
        // Somebody is faster by a moment.
        let isEdited = false;
        const before = world.intercept;
        world.intercept = async (request, told) => {
          if (request.method === "PATCH" && !isEdited) {
            isEdited = true;
            await children.patch("applied", { data: { text: "foreign" } });
          }
          return await before(request, told);
        };
        await world.host.clock.advance(60);
        assert.ok(isEdited);
        assert.deepEqual(seen.splice(0).sort(), ["child MODIFIED applied known", "owned applied"]);
        await running.stop();
      },
    );
  }

  scenario(
    "[N2.9] mappers that throw, or name what is not there, are told in the log; the others go on",
    async (world) => {
      const objects = new Objects(world);
      const maps = outside(world);
      const op = operator();
      const seen: string[] = [];
      // Real clusters put config maps of their own into each namespace.
      const own = {
        predicate: ({ object }: RelatedChange) => ["map", "another"].includes(object.metadata.name ?? ""),
      };
      op.watches(
        kinds.ConfigMap,
        function broken() {
          throw new Error("own fault");
        },
        own,
      );
      op.watches(
        kinds.ConfigMap,
        function lost() {
          return { name: "nobody", namespace: "default" };
        },
        own,
      );
      op.watches(
        kinds.ConfigMap,
        function senseless() {
          return ["one"] as never;
        },
        own,
      );
      op.watches(
        kinds.ConfigMap,
        function later() {
          return Promise.resolve([]) as never;
        },
        own,
      );
      op.watches(kinds.ConfigMap, ({ metadata: { namespace } }) => ({ namespace, name: "one" }), own);
      op.reconcile(Example, function follow({ reasons }) {
        seen.push(reasons.map(({ kind }) => kind).join());
      });
      const running = await world.start(op);
      await objects.create("one");
      await world.until(() => seen.length === 1);
      await world.settle();
      await maps.create("map");
      await world.until(() => seen.length === 2);
      await world.settle();
      await maps.create("another");
      await world.until(() => seen.length === 3);
      await world.settle();
      assert.deepEqual(seen, ["create", "watched", "watched"]);
      const said = running.logs.filter(({ level }) => level === "error" || level === "warn")
        .map(({ message, fields }) => `${fields.handler}: ${message}`);
      // The second object shows the same mistakes, which are told at the level debug.
      assert.deepEqual(said.filter((line) => line.includes("apper")).sort(), [
        "broken: Mapper failed: nobody is woken by this change",
        "later: Mapper failed: nobody is woken by this change",
        "lost: A mapper names what is not there, or is not reconciled: nobody is woken",
        "senseless: Mapper failed: it names no object",
      ]);
      await running.stop();
    },
  );

  scenario(
    "[N2.10] an owner reference into another namespace wakes nobody, which is told once",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      let calls = 0;
      op.owns(Example, kinds.ConfigMap);
      // On a real cluster there are objects of other tests.
      const isOwn = ({ namespace }: { readonly namespace?: string }): boolean =>
        namespace === world.namespace;
      op.reconcile(Example, { when: isOwn }, () => void (calls += 1));
      const running = await world.start(op, { scope: "cluster" });
      const one = await objects.create("one");
      await world.until(() => calls === 1);
      // NB: where the cluster collects garbage, it soon deletes such an object.
      const foreign = {
        name: `far-from-${world.namespace}`,
        namespace: "kube-system",
        ownerReferences: [ownerReference(one)],
      };
      await world.client.create(CONFIG_MAPS, { metadata: foreign });
      const told = (): number =>
        running.logs.filter(({ message, fields }) =>
          message.includes("reaches into another namespace") && fields.name === foreign.name
        ).length;
      await world.until(() => told() === 1);
      await world.client.patch(CONFIG_MAPS, foreign, { type: "merge", body: { data: { a: "1" } } })
        .catch(() => {});
      await world.settle();
      assert.deepEqual([calls, told()], [1, 1]);
      await world.client.delete(CONFIG_MAPS, foreign).catch(() => {});
      await running.stop();
    },
  );

  scenario("[N2.10] the same is told where namespaces are listed", async (world) => {
    const far = `far-${world.namespace}`;
    const namespaces = { group: "", version: "v1", plural: "namespaces", namespaced: false };
    await world.client.create(namespaces, { metadata: { name: far } });
    const objects = new Objects(world);
    const op = operator();
    const seen: string[] = [];
    op.owns(Example, kinds.ConfigMap);
    op.reconcile(Example, ({ reasons }) => void seen.push(reasons.map(({ kind }) => kind).join()));
    const running = await world.start(op, { scope: [world.namespace, far] });
    const one = await objects.create("listed");
    await world.until(() => seen.length === 1);
    const metadata = { name: "far", namespace: far, ownerReferences: [ownerReference(one)] };
    await world.client.create(CONFIG_MAPS, { metadata });
    await world.until(() =>
      running.logs.some(({ message, fields }) =>
        message.includes("reaches into another namespace") && fields.namespace === far
      )
    );
    assert.deepEqual(seen, ["create"]);
    await running.stop();
    await world.client.delete(namespaces, { name: far });
  });

  scenario("[N2.11] children whose kind comes later, or goes, are no hindrance", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    const seen: string[] = [];
    const LATE = { group: "late.test", version: "v1", plural: "lates", kind: "Late", namespaced: true };
    const definition = definitionOf(LATE);
    op.owns(Example, "lates.late.test/v1");
    op.reconcile(Example, function follow({ reasons }) {
      seen.push(reasons.map(({ kind }) => kind).join());
    });
    const running = await world.start(op);
    const one = await objects.create("one");
    await world.until(() => seen.length === 1);
    const definitions = {
      group: "apiextensions.k8s.io",
      version: "v1",
      plural: "customresourcedefinitions",
      namespaced: false,
    };
    await world.client.create(definitions, definition);
    const metadata = { name: "child", namespace: world.namespace, ownerReferences: [ownerReference(one)] };
    const child = { apiVersion: "late.test/v1", kind: "Late", metadata };
    // It is refused as long as the kind is not served.
    const isMade = () => world.client.create(LATE, child).then(() => true, () => false);
    await world.until(isMade, 60);
    await world.until(() => seen.length === 2, 60);
    await world.client.delete(definitions, { name: "lates.late.test" });
    await world.until(() => seen.length > 2, 120);
    await world.settle();
    await objects.patch("one", { spec: { a: 1 } });
    await world.until(() => seen.includes("change"), 60);
    // NB: real servers mark the children of a kind that goes as being deleted first, which is one more change.
    assert.deepEqual([...new Set(seen)], ["create", "owned", "change"]);
    await running.stop();
  });
});
