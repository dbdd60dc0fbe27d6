import assert from "node:assert/strict";
import type { KubeObject } from "../../lib/model/object.ts";
import { ApplyConflictError } from "../../lib/public/client.ts";
import {
  child,
  type Children,
  type ChildrenError,
  type ChildrenOptions,
  type DesiredChildren,
} from "../../lib/public/children.ts";
import type { LogRecord } from "../../lib/runtime/logging.ts";
import { ApiError, kinds, type Operator, operator } from "../../mod.ts";
import { suite } from "../support/scenario.ts";
import { definitionOf, Example, type Loose, Objects, type World } from "../support/worlds.ts";

const MAPS = { group: "", version: "v1", plural: "configmaps", namespaced: true } as const;
const SECRETS = { ...MAPS, plural: "secrets" } as const;
const SETS = { group: "apps", version: "v1", plural: "statefulsets", namespaced: true } as const;

/** What a spec says of one child. */
interface Part {
  readonly value?: string;
  readonly secret?: boolean;
  readonly dependsOn?: readonly string[];
  /** Ready when its data say so. */
  readonly waits?: boolean;
  readonly finalizer?: boolean;
}

/** An operator whose objects say in their specs which children they have. */
function parts(
  options: ChildrenOptions = {},
): { readonly op: Operator; readonly done: string[]; readonly failed: unknown[] } {
  const op = operator({ execution: { defaultBackoff: 0.5 } });
  const [done, failed]: [string[], unknown[]] = [[], []];
  const bring = async (
    { spec, name, children }: { spec: Loose; name: string; children: Children },
  ): Promise<void> => {
    const desired = Object.entries(spec.parts as Record<string, Part>).map(([key, part]) => {
      const { value = "", secret = false, dependsOn, waits = false, finalizer = false } = part;
      const metadata = finalizer ? { finalizers: ["lotse.test/held"] } : {};
      const apply = secret
        ? { apiVersion: "v1", kind: "Secret", metadata, stringData: { value } }
        : { apiVersion: "v1", kind: "ConfigMap", metadata, data: { value } };
      const ready = ({ data }: KubeObject): boolean | string =>
        !waits || (data as Loose).ready === "yes" || "nobody said yes";
      return [key, { apply, dependsOn, ready }];
    });
    const result = children(Object.fromEntries(desired) as DesiredChildren, { delay: 0.5, ...options });
    await result.then(() => done.push(name), (error) => {
      failed.push(error);
      throw error;
    });
  };
  op.on.create(Example, bring);
  op.on.update(Example, bring);
  op.on.delete(Example, { optional: true }, () => {});
  return { op, done, failed };
}

/** Whether somebody has to look. */
function isComplaint({ level }: LogRecord): boolean {
  return level === "error" || level === "warn";
}

async function namesOf(world: World, kind: typeof MAPS | typeof SECRETS = MAPS): Promise<string[]> {
  const names: string[] = [];
  for await (const { items } of world.client.list(kind, { namespace: world.namespace })) {
    for (const { metadata: { name = "", labels } } of items) {
      if (labels?.["lotse.dev/child"]) names.push(name);
    }
  }
  return names.sort();
}

suite("children", (scenario) => {
  scenario("[N5.1] children get owner, labels and names, and are written once", async (world) => {
    const op = operator();
    const seen: Loose[] = [];
    op.on.create(Example, async function make({ body, children }) {
      for (let round = 0; round < 2; round++) {
        const { settings, more, web } = await children({
          settings: {
            apiVersion: "v1",
            kind: "ConfigMap",
            metadata: { labels: { a: "b" } },
            data: { x: "1" },
          },
          more: new Map([["one", { apiVersion: "v1", kind: "Secret", stringData: { x: "1" } }]]),
          web: child(kinds.Service, { spec: { selector: { app: "web" }, ports: [{ port: 80 }] } }),
        });
        seen.push({ settings, one: more.get("one"), type: web.spec?.type, owner: body.metadata.uid });
      }
    });
    const running = await world.start(op);
    const { metadata: { uid } } = await new Objects(world).create("shop");
    await world.until(() => seen.length === 2);
    const [{ settings, one, type }, again] = seen as [Record<string, KubeObject>, Loose];
    assert.deepEqual(settings?.metadata.ownerReferences?.map((each) => [each.uid, each.controller]), [[
      uid,
      true,
    ]]);
    assert.equal(settings.metadata.name, "shop-settings");
    const { labels = {} } = settings.metadata;
    assert.deepEqual([labels.a, labels["lotse.dev/owner"], labels["lotse.dev/child"]], [
      "b",
      uid,
      "settings",
    ]);
    assert.deepEqual([one?.metadata.name, one?.metadata.namespace, type], [
      "shop-more-one",
      world.namespace,
      "ClusterIP",
    ]);
    assert.deepEqual(again, seen[0], "nothing was written");
    await running.stop();
  });

  scenario(
    "[N5.2] what depends on others is made when they are ready, and waiting is no error",
    async (world) => {
      const { op, done, failed } = parts({ condition: "ChildrenReady" });
      const running = await world.start(op);
      const objects = new Objects(world);
      await objects.create("one", {
        spec: { parts: { web: { dependsOn: ["database"] }, database: { waits: true }, other: {} } },
      });
      const condition = async (): Promise<Loose | undefined> =>
        ((await objects.get("one")).status?.conditions as Loose[] | undefined)?.[0];
      await world.until(async () => (await condition())?.status === "False");
      assert.match(`${(await condition())?.message}`, /Waiting for "database": nobody said yes/);
      assert.deepEqual(await namesOf(world), ["one-database", "one-other"]);
      const address = { name: "one-database", namespace: world.namespace };
      await world.client.patch(MAPS, address, { type: "merge", body: { data: { ready: "yes" } } });
      await world.until(() => done.length === 1);
      await world.until(async () => (await condition())?.status === "True");
      assert.deepEqual(await namesOf(world), ["one-database", "one-other", "one-web"]);
      assert.deepEqual(failed, []);
      assert.deepEqual(running.logs.filter(isComplaint), []);
      await running.stop();
    },
  );

  scenario(
    "[N5.3] what is not named any more is deleted in reverse order, after a restart too",
    async (world) => {
      const first = parts();
      const objects = new Objects(world);
      let running = await world.start(first.op);
      const all = { a: {}, b: { secret: true, dependsOn: ["a"], finalizer: true }, c: { dependsOn: ["b"] } };
      await objects.create("one", { spec: { parts: all } });
      await world.until(() => first.done.length === 1);
      await running.stop();
      assert.deepEqual([await namesOf(world), await namesOf(world, SECRETS)], [["one-a", "one-c"], [
        "one-b",
      ]]);

      await objects.patch("one", { spec: { parts: { a: null, b: null, c: null, d: {} } } });
      const second = parts();
      running = await world.start(second.op);
      const place = { name: "one-b", namespace: world.namespace };
      await world.until(async () =>
        (await world.client.get(SECRETS, place)).metadata.deletionTimestamp !== undefined
      );
      await world.until(async () => (await namesOf(world)).join() === "one-a,one-d");
      assert.deepEqual(second.done, [], "c has gone, b is held, a waits for it");
      await world.client.patch(SECRETS, place, { type: "merge", body: { metadata: { finalizers: null } } });
      await world.until(() => second.done.length === 1);
      assert.deepEqual([await namesOf(world), await namesOf(world, SECRETS)], [["one-d"], []]);
      await world.settle();
      const { annotations } = (await objects.get("one")).metadata;
      assert.equal(annotations?.["lotse.dev/children.lotse"], "configmaps");
      await running.stop();
    },
  );

  scenario(
    "[N5.4] what others have edited or deleted is put back, what they have added or copied stays",
    async (world) => {
      const { op, done } = parts();
      const running = await world.start(op);
      const objects = new Objects(world);
      await objects.create("one", { spec: { parts: { a: { value: "1" }, b: {} } } });
      await world.until(() => done.length === 1);
      const [a, b] = ["one-a", "one-b"].map((name) => ({ name, namespace: world.namespace }));
      const { labels } = (await world.client.get(MAPS, a!)).metadata;
      const copy = { name: "copy", namespace: world.namespace, labels };
      await world.client.create(MAPS, { apiVersion: "v1", kind: "ConfigMap", metadata: copy });
      const edit = {
        type: "merge",
        body: { data: { value: "2", more: "3" }, metadata: { labels: { "lotse.dev/children": null } } },
      };
      await world.client.patch(MAPS, a!, { ...edit, type: "merge", fieldManager: "somebody" });
      await world.client.delete(MAPS, b!);
      await objects.patch("one", { spec: { again: true } });
      await world.until(() => done.length === 2);
      const { data } = await world.client.get(MAPS, a!);
      assert.deepEqual(data, { value: "1", more: "3" });
      assert.deepEqual(await namesOf(world), ["copy", "one-a", "one-b"]);
      await running.stop();
    },
  );

  scenario("[N5.4] a child that is being deleted is waited for, and made anew then", async (world) => {
    const { op, done } = parts({ condition: "Fine" });
    const running = await world.start(op);
    const objects = new Objects(world);
    await objects.create("one", { spec: { parts: { a: { value: "1", finalizer: true } } } });
    await world.until(() => done.length === 1);
    const place = { name: "one-a", namespace: world.namespace };
    const before = await world.client.get(MAPS, place);
    await world.client.delete(MAPS, place);
    await objects.patch("one", { spec: { parts: { a: { value: "2", finalizer: false } } } });
    await world.until(async () => {
      const [condition] = ((await objects.get("one")).status?.conditions ?? []) as Loose[];
      return condition?.message === 'Waiting for "a": it is being deleted';
    });
    assert.deepEqual([(await world.client.get(MAPS, place)).data, done.length], [{ value: "1" }, 1]);
    await world.client.patch(MAPS, place, { type: "merge", body: { metadata: { finalizers: null } } });
    await world.until(() => done.length === 2);
    const { data, metadata: { uid } } = await world.client.get(MAPS, place);
    assert.deepEqual([data, uid === before.metadata.uid], [{ value: "2" }, false]);
    await running.stop();
  });

  scenario.virtual(
    "[N5.4] who has taken a child's name while it was deleted is left alone",
    async (world) => {
      const { op, done, failed } = parts();
      const running = await world.start(op);
      const objects = new Objects(world);
      await objects.create("one", { spec: { parts: { a: {}, b: {} } } });
      await world.until(() => done.length === 1);
      const metadata = { name: "one-b", namespace: world.namespace };
      world.intercept = async ({ method }) => {
        if (method !== "DELETE") return undefined;
        world.intercept = undefined;
        await world.client.delete(MAPS, metadata);
        await world.client.create(MAPS, {
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata,
          data: { whose: "theirs" },
        });
        return undefined;
      };
      await objects.patch("one", { spec: { parts: { b: null } } });
      await world.until(() => done.length === 2);
      assert.deepEqual([(await world.client.get(MAPS, metadata)).data, failed], [{ whose: "theirs" }, []]);
      await running.stop();
    },
  );

  scenario.virtual("[N5.7] of a kind that has gone, no children are left to be deleted", async (world) => {
    const { op, done, failed } = parts();
    const running = await world.start(op);
    const objects = new Objects(world);
    await objects.create("one", { spec: { parts: { a: { secret: true }, b: {} } } });
    await world.until(() => done.length === 1);
    const gone = { apiVersion: "v1", kind: "Status", status: "Failure", reason: "NotFound", code: 404 };
    world.intercept = ({ method, url }) => {
      const isList = method === "GET" && new URL(url).pathname.endsWith("/secrets");
      return Promise.resolve(isList ? Response.json(gone, { status: 404 }) : undefined);
    };
    await objects.patch("one", { spec: { parts: { a: null } } });
    await world.until(() => done.length === 2);
    assert.deepEqual(failed, []);
    await running.stop();
  });

  scenario("[N5.5] what cannot be changed is deleted and made anew, where that is said", async (world) => {
    const op = operator({ execution: { defaultBackoff: 0.5 } });
    const seen: unknown[] = [];
    const bring = async ({ spec, children }: { spec: Loose; children: Children }): Promise<void> => {
      const apply = { apiVersion: "v1", kind: "ConfigMap", immutable: true, data: { value: spec.value } };
      const recreateOn = spec.recreate === true ? ["data"] : [];
      await children({ sealed: { apply, recreateOn } }).then(
        ({ sealed }) => seen.push([sealed.metadata.uid, sealed.data]),
        (error: ChildrenError) => {
          if (error.name === "ChildrenError" && seen.length === 2) seen.push(error.message);
          throw error;
        },
      );
    };
    op.on.create(Example, bring);
    op.on.update(Example, bring);
    const running = await world.start(op);
    const objects = new Objects(world);
    await objects.create("one", { spec: { value: "1", recreate: true } });
    await world.until(() => seen.length === 1);
    await objects.patch("one", { spec: { value: "2" } });
    await world.until(() => seen.length === 2);
    const [[before], [after, data]] = seen as [string[], [string, unknown]];
    assert.deepEqual([before === after, data], [false, { value: "2" }]);
    await objects.patch("one", { spec: { value: "3", recreate: false } });
    await world.until(() => seen.length === 3);
    assert.match(
      `${seen[2]}`,
      /Cannot bring about child "sealed" \(ConfigMap "[^"]*\/one-sealed"\): .*immutable.*recreateOn: \["data"\]/,
    );
    await running.stop();
  });

  scenario(
    "[N5.6] what cannot be is one clear error, in a condition where one is asked for, and others go on",
    async (world) => {
      const op = operator({ execution: { defaultBackoff: 0.5 } });
      const said = new Map<string, Error>();
      const apply = { apiVersion: "v1", kind: "ConfigMap", data: { a: "mine" } };
      const wrong: Readonly<Record<string, DesiredChildren>> = {
        circle: { a: { apply, dependsOn: ["b"] }, b: { apply, dependsOn: ["a"] } },
        elsewhere: { a: { ...apply, metadata: { namespace: "default-not" } } },
        nowhere: { a: { apiVersion: "v1", kind: "Namespace" } },
        twice: { a: { ...apply, metadata: { name: "x" } }, b: { ...apply, metadata: { name: "x" } } },
        kind: { a: { apiVersion: "lotse.test/v9", kind: "Nothing" }, b: apply },
        conflict: {
          a: { apply: { ...apply, metadata: { name: "theirs" } }, force: false, adopt: true },
          b: apply,
        },
        unready: { a: { apply, ready: () => JSON.parse("no") } },
      };
      op.on.create(Example, async function bring({ name, children }) {
        await children(wrong[name] ?? {}, { condition: "Fine" }).catch((error) => {
          said.set(name, error);
          throw error;
        });
        said.set(name, new Error("none"));
      });
      const theirs = {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "theirs", namespace: world.namespace },
      };
      await world.client.create(MAPS, { ...theirs, data: { a: "theirs" } }, { fieldManager: "somebody" });
      const running = await world.start(op);
      const objects = new Objects(world);
      for (const name of [...Object.keys(wrong), "fine"]) await objects.create(name);
      const message = (name: string): string => `${said.get(name)?.name}: ${said.get(name)?.message}`;
      const isTold = (name: string): boolean => message(name).startsWith("ChildrenError");
      await world.until(() => said.size === 8 && isTold("conflict") && isTold("kind"));
      assert.match(message("circle"), /TypeError: .*"a" → "b" → "a"/);
      for (const name of ["circle", "elsewhere", "twice"]) {
        const frames = said.get(name)?.stack?.split("\n").filter((line) => /^\s+at /.test(line)) ?? [];
        assert.match(frames[0] ?? "", /children_test/, "the author's line");
      }
      assert.match(message("elsewhere"), /TypeError: .*"a" \(ConfigMap\) in namespace "default-not"/);
      assert.match(message("nowhere"), /TypeError: .*"a" \(Namespace\): an owner in a namespace/);
      assert.match(message("twice"), /TypeError: .*"a" and "b": both are ConfigMap "x"/);
      assert.match(
        message("kind"),
        /ChildrenError: Cannot bring about child "a": Cannot find kind "Nothing" of "lotse\.test\/v9"/,
      );
      assert.match(
        message("conflict"),
        /"a" \(ConfigMap ".*theirs"\): it would change \.data\.a \("theirs"\) of "somebody"/,
      );
      assert.ok(said.get("conflict")?.cause instanceof ApplyConflictError);
      assert.match(message("fine"), /none/);
      const names = await namesOf(world);
      assert.ok(
        names.includes("conflict-b") && names.includes("kind-b"),
        "what does not depend on it is made",
      );
      await world.until(() => message("unready").startsWith("ChildrenError"));
      assert.match(message("unready"), /"a" \(ConfigMap ".*"\): its "ready" has thrown SyntaxError: /);
      const stacks = (name: string): unknown =>
        running.logs.find(({ fields }) => fields.error === said.get(name))?.fields.stack;
      await world.until(() => stacks("unready") === true);
      await world.until(() => stacks("conflict") === false);
      for (const name of Object.keys(wrong)) {
        await world.until(async () => {
          const { status } = await objects.get(name);
          const [condition] = (status?.conditions ?? []) as Loose[];
          return condition?.reason === "ChildFailed" && said.get(name)?.message === condition.message;
        });
      }
      await running.stop();
    },
  );

  scenario(
    "[N5.7] a kind whose definition comes later, goes and comes again is waited for",
    async (world) => {
      const op = operator({ execution: { defaultBackoff: 0.5 } });
      const plural = `later${world.namespace.replaceAll(/\W/g, "")}`;
      const kind = {
        group: "lotse.test",
        version: "v1",
        plural,
        kind: `${plural.slice(0, 1).toUpperCase()}${plural.slice(1)}`,
      };
      const said: string[] = [];
      const bring = async ({ children }: { readonly children: Children }): Promise<void> => {
        const { late } = await children({
          late: { apiVersion: "lotse.test/v1", kind: kind.kind, spec: { a: 1 } },
        }).catch(
          (error) => {
            said.push(error.message);
            throw error;
          },
        );
        said.push(`${late.metadata.name}`);
      };
      op.on.create(Example, { id: "bring" }, bring);
      op.on.update(Example, { id: "bring" }, bring);
      const objects = new Objects(world);
      const running = await world.start(op);
      await objects.create("one");
      await world.until(() => said.length > 0);
      assert.match(`${said[0]}`, /Cannot find kind "Later/);
      const definitions = {
        ...MAPS,
        group: "apiextensions.k8s.io",
        plural: "customresourcedefinitions",
        namespaced: false,
      };
      await world.client.create(definitions, definitionOf(kind));
      await world.until(() => said.at(-1) === "one-late");
      await world.client.delete(definitions, { name: `${plural}.lotse.test` });
      const isGone = () =>
        world.client.get(definitions, { name: `${plural}.lotse.test` }).then(() => false, () => true);
      await world.until(isGone);
      await objects.patch("one", { spec: { a: 2 } });
      await world.until(() => /Cannot find kind|404/.test(`${said.at(-1)}`));
      await world.client.create(definitions, definitionOf(kind));
      await world.until(() => said.at(-1) === "one-late", 120);
      await world.client.delete(definitions, { name: `${plural}.lotse.test` });
      await running.stop();
    },
  );

  scenario.virtual(
    "[N5.8] a right that is missing is named at once, and the other children are made",
    async (world) => {
      const op = operator({ execution: { defaultBackoff: 0.5 } });
      const said: ChildrenError[] = [];
      op.on.create(Example, async function bring({ children }) {
        const data = { apiVersion: "v1", kind: "ConfigMap" };
        await children({ secret: { apiVersion: "v1", kind: "Secret" }, data }).catch((error) => {
          if (error.name === "ChildrenError") said.push(error);
          throw error;
        });
      });
      world.intercept = (request) =>
        request.method === "PATCH" && request.url.includes("/secrets/")
          ? new Response("no", { status: 403 })
          : undefined;
      const running = await world.start(op);
      await new Objects(world).create("one");
      await world.until(() => said.length === 1, 5);
      const [error] = said;
      assert.match(
        error?.message ?? "",
        /^Cannot bring about child "secret" \(Secret "default\/one-secret"\): 403.*a role must allow "patch" on "secrets"$/,
      );
      assert.ok(error?.cause instanceof ApiError);
      assert.deepEqual(error.cause.missingRight, { verb: "patch", group: "", resource: "secrets" });
      assert.deepEqual(await namesOf(world), ["one-data"]);
      await world.until(() => running.logs.some(({ fields }) => fields.error === error));
      const record = running.logs.find(({ fields }) => fields.error === error);
      assert.deepEqual([record?.level, record?.fields.stack], ["error", false], "one line says it all");
      await running.stop();
    },
  );

  scenario.virtual(
    "[N5.8] where one kind may not be listed, the children of others are made, and none is deleted",
    async (world) => {
      const first = parts();
      const objects = new Objects(world);
      let running = await world.start(first.op);
      await objects.create("one", { spec: { parts: { old: {}, secret: { secret: true } } } });
      await world.until(() => first.done.length === 1);
      await running.stop();

      const second = parts({ condition: "Fine" });
      world.intercept = (request) =>
        request.method === "GET" && request.url.includes("/secrets?")
          ? new Response("no", { status: 403 })
          : undefined;
      running = await world.start(second.op);
      await objects.patch("one", { spec: { parts: { old: null, fresh: {} } } });
      await world.until(() => second.failed.length === 1, 10);
      assert.match(
        `${second.failed[0]}`,
        /ChildrenError: .*"secret" \(Secret ".*"\): .*a role must allow "list" on "secrets"/,
      );
      assert.deepEqual(await namesOf(world), ["one-fresh", "one-old"]);
      const conditionOf = async (): Promise<Loose | undefined> =>
        ((await objects.get("one")).status?.conditions as Loose[] | undefined)?.[0];
      await world.until(async () => (await conditionOf())?.reason === "ChildFailed", 5);
      await objects.patch("one", { spec: { parts: { secret: null } } });
      await world.until(() => second.failed.length > 1, 10);
      assert.match(
        `${second.failed.at(-1)}`,
        /"secrets" \(to be deleted\): .*a role must allow "list"/,
        "some may be left",
      );
      await running.stop();
    },
  );

  scenario("[N5.9] a deletion handler takes its children away in reverse order", async (world) => {
    const { op, done } = parts();
    const order: string[] = [];
    op.on.delete(Example, { id: "tidy" }, async ({ children }) => {
      await children({}, { delay: 0.3 });
      order.push(...await namesOf(world), "gone");
    });
    const running = await world.start(op);
    const objects = new Objects(world);
    await objects.create("one", {
      spec: { parts: { a: { finalizer: true }, b: { secret: true, dependsOn: ["a"], finalizer: true } } },
    });
    await world.until(() => done.length === 1);
    await objects.delete("one");
    const [a, b] = ["one-a", "one-b"].map((name) => ({ name, namespace: world.namespace }));
    await world.until(async () =>
      (await world.client.get(SECRETS, b!)).metadata.deletionTimestamp !== undefined
    );
    assert.equal((await world.client.get(MAPS, a!)).metadata.deletionTimestamp, undefined);
    const release = { type: "merge", body: { metadata: { finalizers: null } } } as const;
    await world.client.patch(SECRETS, b!, release);
    await world.until(async () =>
      (await world.client.get(MAPS, a!)).metadata.deletionTimestamp !== undefined
    );
    await world.client.patch(MAPS, a!, release);
    await world.until(async () => await objects.find("one") === undefined);
    assert.deepEqual(order, ["gone"]);
    await running.stop();
  });

  scenario("[N5.10] a reconcile brings children about, and waits without an error", async (world) => {
    const op = operator();
    const seen: unknown[] = [];
    op.reconcile(Example, async ({ children, attempt }) => {
      const apply = { apiVersion: "v1", kind: "ConfigMap", data: { a: "1" } };
      const ready = ({ data }: KubeObject): boolean => (data as Loose).ready === "yes";
      const { first, second } = await children(
        { second: { apply, dependsOn: ["first"] }, first: { apply, ready } },
        { delay: 0.5 },
      );
      seen.push(attempt, first.metadata.name, second.metadata.name);
    });
    const running = await world.start(op);
    await new Objects(world).create("one");
    await world.until(async () => (await namesOf(world)).length === 1);
    const address = { name: "one-first", namespace: world.namespace };
    await world.client.patch(MAPS, address, { type: "merge", body: { data: { ready: "yes" } } });
    await world.until(() => seen.length > 0);
    assert.deepEqual(seen.slice(0, 3), [1, "one-first", "one-second"]);
    assert.deepEqual(running.logs.filter(isComplaint), []);
    await running.stop();
  });

  scenario(
    "[N5.12] what has the name of a child and is somebody else's is left alone, unless it is to be adopted",
    async (world) => {
      const address = { name: "shop-password", namespace: world.namespace };
      await world.client.create(SECRETS, { metadata: address, stringData: { word: "theirs" } });
      const op = operator({ execution: { defaultBackoff: 0.3 } });
      const said: unknown[] = [];
      op.reconcile(Example, { backoff: 0.3 }, async function keep({ spec, children }) {
        const apply = { apiVersion: "v1", kind: "Secret", stringData: { word: "mine" } };
        await children({ password: { apply, adopt: spec.adopt === true, recreateOn: ["data"] } }).then(
          ({ password }) => said.push(password.metadata.ownerReferences?.length),
          (error) => {
            if (error.name === "ChildrenError") said.push(error.message);
            throw error;
          },
        );
      });
      const running = await world.start(op);
      const objects = new Objects(world);
      await objects.create("shop");
      await world.until(() => said.length > 0);
      assert.match(
        `${said[0]}`,
        /"password" \(Secret ".*shop-password"\): it is there already, and was not made as this child: .*adopt: true/,
      );
      const theirs = await world.client.get<KubeObject & { data: unknown }>(SECRETS, address);
      assert.deepEqual([theirs.metadata.ownerReferences, theirs.data], [undefined, { word: "dGhlaXJz" }]);
      await objects.patch("shop", { spec: { adopt: true } });
      await world.until(() => said.at(-1) === 1);
      const { data } = await world.client.get<KubeObject>(SECRETS, address);
      assert.deepEqual(data, { word: "bWluZQ==" });
      await running.stop();
    },
  );

  scenario(
    "[N5.13] names that are made up fit the kind, and children that exist keep theirs",
    async (world) => {
      const op = operator();
      const seen: unknown[] = [];
      const pods = { containers: [{ name: "c", image: "b" }] };
      const cron = {
        apiVersion: "batch/v1",
        kind: "CronJob",
        spec: {
          schedule: "0 3 * * *",
          jobTemplate: { spec: { template: { spec: { ...pods, restartPolicy: "Never" } } } },
        },
      };
      const labels = { app: "x" };
      const set = {
        apiVersion: "apps/v1",
        kind: "StatefulSet",
        spec: {
          serviceName: "x",
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: pods },
        },
      };
      // As earlier releases have named it: the owner's name and the child's have 60 characters.
      const former = `${"x".repeat(56)}-set`;
      const keep = async ({ spec, children }: { spec: Loose; children: Children }): Promise<void> => {
        const named = spec.named === true ? { ...set, metadata: { name: former } } : set;
        const desired: DesiredChildren = spec.only === "set" ? { set: named } : { cron, set: named };
        const live = await children(desired).catch((error) => {
          if (error.name === "ChildrenError") seen.push(error.message);
          throw error;
        });
        seen.push(Object.values(live).map((each) => (each as KubeObject).metadata.name?.length));
      };
      op.on.create(Example, { id: "keep", errors: "permanent" }, keep);
      op.on.update(Example, { id: "keep", errors: "permanent" }, keep);
      const running = await world.start(op);
      const objects = new Objects(world);
      await objects.create("y".repeat(60));
      await world.until(() => seen.length === 1);
      assert.deepEqual(seen, [[52, 52]]);
      const owner = "x".repeat(56);
      await objects.create(owner, { spec: { named: true, only: "set" } });
      await world.until(() => seen.length === 2);
      assert.match(
        String(seen[1]),
        /"set" \(StatefulSet ".*"\): its name has 60 characters, so that its Pods cannot come/,
      );
      // One that is there already is not there for nothing: perhaps its revision is short.
      const { metadata: { uid } } = await objects.get(owner);
      const marks = { "lotse.dev/owner": uid, "lotse.dev/children": "lotse", "lotse.dev/child": "set" };
      const metadata = {
        name: former,
        namespace: world.namespace,
        labels: marks,
        ownerReferences: [{
          apiVersion: "lotse.test/v1",
          kind: "Example",
          name: owner,
          uid,
          controller: true,
        }],
      };
      await world.client.create(SETS, { ...set, metadata });
      await objects.patch(owner, { spec: { named: null } });
      await world.until(() => seen.length === 3);
      assert.deepEqual(seen[2], [60]);
      const names: unknown[] = [];
      const labelSelector = `lotse.dev/owner=${uid}`;
      for await (const { items } of world.client.list(SETS, { namespace: world.namespace, labelSelector })) {
        names.push(...items.map(({ metadata: { name } }) => name));
      }
      assert.deepEqual(names, [former]);
      await running.stop();
    },
  );

  scenario("[N5.14] what the server owns is left out of manifests, with one warning", async (world) => {
    const op = operator();
    const seen: unknown[] = [];
    op.on.create(Example, { id: "keep" }, async ({ children }) => {
      const { service, map } = await children({
        service: {
          apiVersion: "v1",
          kind: "Service",
          metadata: {
            uid: "6dd2f0b5-1c6b-4f9c-9d43-000000000000",
            resourceVersion: "12345",
            generation: 7,
            creationTimestamp: "2020-01-01T00:00:00Z",
            managedFields: [{ manager: "kubectl", operation: "Update" }],
            labels: { mine: "yes" },
          },
          spec: { ports: [{ port: 80 }] },
          status: { loadBalancer: { ingress: [{ ip: "1.2.3.4" }] } },
        },
        map: {
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: { creationTimestamp: null } as Loose,
        },
      } as DesiredChildren);
      const { metadata: { labels }, status } = service as KubeObject<Loose, Loose>;
      seen.push([labels?.mine, status?.loadBalancer, (map as KubeObject).metadata.name]);
    });
    const running = await world.start(op);
    for (const name of ["one", "two"]) await new Objects(world).create(name);
    await world.until(() => seen.length === 2);
    assert.deepEqual(seen.sort(), [["yes", {}, "one-map"], ["yes", {}, "two-map"]]);
    const told = running.logs.filter(({ message }) => message.includes("fields that the server owns"));
    const fields = ["creationTimestamp", "generation", "managedFields", "resourceVersion", "uid"];
    assert.deepEqual(told.map(({ level, fields }) => [level, fields.child, fields.fields]), [
      ["warn", "service", [...fields.map((name) => `metadata.${name}`), "status"]],
    ]);
    await running.stop();
  });

  scenario("[N5.15] a key that leaves a child's stringData leaves the Secret", async (world) => {
    const op = operator();
    const seen: unknown[] = [];
    op.reconcile(Example, { id: "keep" }, async ({ spec, children }) => {
      const { secret } = await children({
        secret: { apiVersion: "v1", kind: "Secret", stringData: spec.keys as Loose },
      });
      seen.push((secret as unknown as { data: unknown }).data);
    });
    const running = await world.start(op);
    const objects = new Objects(world);
    await objects.create("one", { spec: { keys: { a: "1", b: "2" } } });
    await world.until(() => seen.length > 0);
    await objects.patch("one", { spec: { keys: { b: null } } });
    await world.until(() => seen.some((data) => Object.keys(data as object).length === 1));
    assert.deepEqual([seen[0], seen.at(-1)], [{ a: "MQ==", b: "Mg==" }, { a: "MQ==" }]);
    const { data } = await world.client.get<KubeObject>(SECRETS, {
      name: "one-secret",
      namespace: world.namespace,
    });
    assert.deepEqual(data, { a: "MQ==" });
    await running.stop();
  });

  scenario(
    "[N5.16] two handlers with sets of their own do not touch each other's children",
    async (world) => {
      const op = operator();
      const done = { a: 0, b: 0 };
      for (const set of ["a", "b"] as const) {
        op.reconcile(Example, { id: `keep-${set}` }, async ({ spec, children }) => {
          const names = (spec[set] ?? []) as string[];
          const manifests = names.map((name) => [name, { apiVersion: "v1", kind: "ConfigMap" }]);
          await children(Object.fromEntries(manifests) as DesiredChildren, { set, delay: 0.5 });
          done[set]++;
        });
      }
      const running = await world.start(op);
      const objects = new Objects(world);
      await objects.create("one", { spec: { a: ["a1", "a2"], b: ["b1", "b2"] } });
      await world.until(() => done.a > 0 && done.b > 0);
      await world.settle();
      assert.deepEqual(await namesOf(world), ["one-a1", "one-a2", "one-b1", "one-b2"]);
      const rounds = { ...done };
      await objects.patch("one", { spec: { a: ["a2"] } });
      await world.until(() => done.a > rounds.a && done.b > rounds.b);
      await world.settle();
      assert.deepEqual(await namesOf(world), ["one-a2", "one-b1", "one-b2"]);
      const before = { ...done };
      await objects.patch("one", { spec: { a: [], b: ["b1"] } });
      await world.until(() => done.a > before.a && done.b > before.b);
      await world.settle();
      assert.deepEqual(await namesOf(world), ["one-b1"]);
      await running.stop();
    },
  );
});
