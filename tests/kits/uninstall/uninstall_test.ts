import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ApiError } from "../../../lib/client/errors.ts";
import type { KubeObject } from "../../../lib/model/object.ts";
import { tracesOf, Uninstall, type UninstallOptions } from "../../../lib/kits/uninstall/mod.ts";
import { type Operator, operator, persistence } from "../../../mod.ts";
import { makePeeringKinds } from "../../support/meeting.ts";
import { suite } from "../../support/scenario.ts";
import { type VirtualWorld, virtualWorld } from "../../support/virtual_world.ts";
import { Example, EXAMPLES, notesOf, Objects, Plain, PLAINS, type World } from "../../support/worlds.ts";

const DEPLOYMENTS = { group: "apps", version: "v1", plural: "deployments", namespaced: true };
const PODS = { group: "", version: "v1", plural: "pods", namespaced: true };
const SECRETS = { ...PODS, plural: "secrets" };
const CONFIG_MAPS = { group: "", version: "v1", plural: "configmaps", namespaced: true };

function uninstallOf(
  world: Pick<World, "client"> & { readonly clock: UninstallOptions["clock"] },
  op: Operator,
  wishes: Partial<UninstallOptions> = {},
): Uninstall {
  return new Uninstall({
    client: world.client,
    clock: world.clock,
    traces: tracesOf({ operators: [op] }),
    name: "shop",
    home: "default",
    waive: false,
    deletes: false,
    crds: false,
    timeout: 60,
    say: () => {},
    ...wishes,
  });
}

/** A task, while the virtual time goes on. */
async function inTime<T>(world: VirtualWorld, task: Promise<T>): Promise<T> {
  let isDone = false;
  const done = task.finally(() => isDone = true);
  await world.until(() => isDone, 3600);
  return await done;
}

async function all(world: World, kind: Parameters<World["client"]["list"]>[0]): Promise<KubeObject[]> {
  const found: KubeObject[] = [];
  for await (const { items } of world.client.list(kind)) found.push(...items);
  return found;
}

/** Everything on objects that looks like Lotse's. */
function marksOn(objects: readonly KubeObject[]): string[] {
  return objects.flatMap((object) => {
    const { metadata: { name, finalizers = [] } } = object;
    return [...Object.keys(notesOf(object)), ...finalizers].filter((each) => each.startsWith("lotse.dev/"))
      .map((each) => `${name} ${each}`);
  });
}

function careful(): Operator {
  const op = operator();
  op.on.create(Example, function make() {});
  op.on.delete(Example, function clean() {});
  op.on.create(Plain, function note() {});
  return op;
}

suite("leaving a cluster", (scenario) => {
  scenario(
    "[N33.1] takes finalizers and notes off the objects of an operator that has gone, and nothing of others",
    async (world) => {
      const [objects, plains] = [new Objects(world), new Objects(world, PLAINS)];
      const op = careful();
      const running = await world.start(op);
      for (const name of ["one", "two", "going"]) {
        await objects.create(name, {
          metadata: { finalizers: ["other.dev/held"], annotations: { "other.dev/mark": "theirs" } },
        });
        await plains.create(name);
      }
      const marked = async () => marksOn([...await all(world, EXAMPLES), ...await all(world, PLAINS)]).length;
      await world.until(async () => await marked() >= 9);
      await running.stop();
      await objects.delete("going");
      const clock = { monotonic: () => performance.now() / 1000, sleep: () => Promise.resolve() } as never;
      const undecided = await uninstallOf({ client: world.client, clock }, op).run();
      assert.match(undecided.left[0] ?? "", /^3 objects wait for cleanups that no operator will run/);
      const report = await uninstallOf({ client: world.client, clock }, op, { waive: true }).run();
      assert.deepEqual(report.left, []);
      assert.deepEqual(
        [...report.waived].sort(),
        ["going", "one", "two"].map((name) => `examples.lotse.test ${world.namespace}/${name}`),
      );
      assert.equal(await marked(), 0);
      for (const name of ["one", "two", "going"]) {
        const { metadata } = await objects.get(name);
        assert.deepEqual(metadata.finalizers, ["other.dev/held"]);
        assert.deepEqual(metadata.annotations, { "other.dev/mark": "theirs" });
      }
      const again = await uninstallOf({ client: world.client, clock }, op, { waive: true }).run();
      assert.deepEqual(again, { waived: [], released: 0, removed: [], left: [] }, "it can be repeated");
    },
  );

  scenario.virtual("[N33.2] lets an operator that runs clean up first", async (world) => {
    const objects = new Objects(world);
    const cleaned: string[] = [];
    const op = operator();
    op.on.delete(Example, function clean({ name, retry }) {
      if (name === "stuck" || retry === 0) throw new Error("Not yet");
      cleaned.push(name);
    });
    const running = await world.start(op);
    for (const name of ["one", "two", "stuck"]) await objects.create(name);
    await running.advance(5);
    const { clock } = world.host;
    const work = uninstallOf({ client: world.client, clock }, op, { deletes: true, timeout: 200 });
    const report = await inTime(world, work.run());
    assert.deepEqual(cleaned.sort(), ["one", "two"]);
    assert.deepEqual((await all(world, EXAMPLES)).map(({ metadata }) => metadata.name), ["stuck"]);
    assert.match(report.left[0] ?? "", /^1 objects wait for cleanups .*examples\.lotse\.test default\/stuck/);
    await running.stop();
  });

  scenario.alone("[N33.12] takes its records out of peering objects, and no other", async (world) => {
    await makePeeringKinds(world);
    const kinds = [
      { group: "kopf.dev", version: "v1", plural: "clusterkopfpeerings", namespaced: false },
      { group: "kopf.dev", version: "v1", plural: "kopfpeerings", namespaced: true },
    ];
    const now = Date.now();
    let slept = 0;
    const clock = {
      now: () => now + slept * 1000,
      monotonic: () => slept,
      sleep: (seconds: number) => Promise.resolve(void (slept += seconds)),
    } as never as UninstallOptions["clock"];
    const record = (age: number): object => ({
      priority: 0,
      lifetime: 60,
      lastseen: new Date(now - age * 1000).toISOString(),
    });
    const status = {
      "shop-6d4f8b7c5d-x2x4z": record(3600),
      "shop-6d4f8b7c5d-b7b8c": record(58),
      "shop-6d4f8b7c5d-zzzzz": record(-3600), // of an operator of that name elsewhere
      "shop-api-6d4f8b7c5d-x2x4z": record(3600),
      "shop-0": record(3600),
      "me@laptop": record(3600),
    };
    for (const kind of kinds) {
      const namespace = kind.namespaced ? world.namespace : undefined;
      const metadata = { name: "shared", namespace };
      const type = {
        apiVersion: "kopf.dev/v1",
        kind: kind.namespaced ? "KopfPeering" : "ClusterKopfPeering",
      };
      await world.client.create(kind, { ...type, metadata, status });
    }
    const report = await uninstallOf({ client: world.client, clock }, careful(), { waive: true }).run();
    const titles = ["clusterkopfpeerings.kopf.dev shared", `kopfpeerings.kopf.dev ${world.namespace}/shared`];
    assert.deepEqual(
      report.removed.filter((each) => each.startsWith("record ")).sort(),
      ["b7b8c", "x2x4z"].flatMap((end) => titles.map((title) => `record shop-6d4f8b7c5d-${end} in ${title}`)),
    );
    assert.equal(report.left.length, 2, report.left.join("\n"));
    assert.match(
      report.left[0] ?? "",
      /shared has a record that is still valid \(shop-6d4f8b7c5d-zzzzz\): if an/,
    );
    for (const kind of kinds) {
      const namespace = kind.namespaced ? world.namespace : undefined;
      const { status: left } = await world.client.get<KubeObject>(kind, { namespace, name: "shared" });
      assert.deepEqual(Object.keys(left as object).sort(), [
        "me@laptop",
        "shop-0",
        "shop-6d4f8b7c5d-zzzzz",
        "shop-api-6d4f8b7c5d-x2x4z",
      ]);
    }
  });

  scenario.virtual(
    "[N33.3] says that an operator runs elsewhere, where its marks come back",
    async (world) => {
      const op = careful();
      const running = await world.start(op);
      await new Objects(world).create("one");
      await running.advance(5);
      const { clock } = world.host;
      const work = uninstallOf({ client: world.client, clock }, op, { waive: true });
      const report = await inTime(world, work.run());
      assert.match(
        report.left[0] ?? "",
        /^1 objects have marks of the operator again .*does it run elsewhere\?/,
      );
      await running.stop();
    },
  );

  scenario.virtual(
    "[N33.4] takes away webhooks, conversions and Leases, and leaves those of others",
    async (world) => {
      const op = operator({ admission: { managed: "shop.example.com" } });
      op.settings.replicas.enabled = true;
      op.on.validate(Example, () => {});
      const hook = (name: string, annotations: Record<string, string>) =>
        world.client.create({
          group: "admissionregistration.k8s.io",
          version: "v1",
          plural: "validatingwebhookconfigurations",
          namespaced: false,
        }, {
          apiVersion: "admissionregistration.k8s.io/v1",
          kind: "ValidatingWebhookConfiguration",
          metadata: { name, annotations },
          webhooks: [{
            name: "a.example.com",
            clientConfig: { url: "https://gone.test/" },
            admissionReviewVersions: ["v1"],
            sideEffects: "None",
            failurePolicy: "Fail",
            rules: [{
              apiGroups: ["lotse.test"],
              apiVersions: ["*"],
              operations: ["*"],
              resources: ["examples"],
            }],
          }],
        });
      await new Objects(world).create("one", { metadata: { finalizers: ["lotse.dev/finalizer"] } });
      await hook("shop.example.com", { "lotse.dev/webhooks-generation": "3" });
      const lease = (name: string, operatorName: string) =>
        world.client.create({
          group: "coordination.k8s.io",
          version: "v1",
          plural: "leases",
          namespaced: true,
        }, {
          apiVersion: "coordination.k8s.io/v1",
          kind: "Lease",
          metadata: { name, namespace: "default", labels: { "lotse.dev/replicas": operatorName } },
        });
      await lease("shop", "shop");
      await lease("bakery", "bakery");
      const { clock } = world.host;
      const work = uninstallOf({ client: world.client, clock }, op, { waive: true });
      const { belongings } = await work.survey();
      assert.deepEqual(belongings.map(({ name, action }) => `${name}: ${action}`), [
        "shop.example.com: delete",
        "shop: delete",
      ]);
      const report = await inTime(world, work.run());
      // The webhook would have refused the object's release.
      assert.deepEqual(report.left, []);
      assert.deepEqual(marksOn(await all(world, EXAMPLES)), []);
      const leases = await all(world, {
        group: "coordination.k8s.io",
        version: "v1",
        plural: "leases",
        namespaced: true,
      });
      assert.deepEqual(leases.map(({ metadata }) => metadata.name), ["bakery"]);
      await hook("shop.example.com", {});
      const [doubt] = (await work.survey()).doubts;
      assert.match(doubt ?? "", /"shop\.example\.com" was not written by Lotse/);
    },
  );

  scenario.virtual("[N33.5] names kinds that it may not list, and goes on with others", async (world) => {
    const op = careful();
    await new Objects(world).create("one", { metadata: { finalizers: ["lotse.dev/finalizer"] } });
    await new Objects(world, PLAINS).create("two", { metadata: { finalizers: ["lotse.dev/finalizer"] } });
    const { clock } = world.host;
    const { client: whole } = world;
    const list = (kind: typeof EXAMPLES) => {
      if (kind.plural !== EXAMPLES.plural) {
        throw new ApiError({ status: 403, request: "GET /plains", text: "no" });
      }
      return whole.list(kind);
    };
    const client = new Proxy(whole, {
      get(target, name) {
        if (name === "list") return list;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const report = await inTime(world, uninstallOf({ client, clock }, op, { waive: true }).run());
    assert.equal(report.left.length, 1);
    assert.match(report.left[0] ?? "", /^Cannot list plains\.lotse\.test: .*403/);
    assert.deepEqual(marksOn(await all(world, EXAMPLES)), []);
  });

  scenario.virtual(
    "[N33.11] waits until the last Pod has ended, and takes nothing of another operator in the namespace",
    async (world) => {
      const { client, host: { clock } } = world;
      await new Objects(world).create("one", { metadata: { finalizers: ["lotse.dev/finalizer"] } });
      const labels = { "app.kubernetes.io/name": "shop" };
      const template = { metadata: { labels }, spec: { containers: [{ name: "a", image: "i" }] } };
      const metadata = { name: "shop", namespace: "default" };
      await client.create(DEPLOYMENTS, {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata,
        spec: { replicas: 1, selector: { matchLabels: labels }, template },
      });
      const pod = { apiVersion: "v1", kind: "Pod", metadata: { ...metadata, labels }, spec: template.spec };
      await client.create(PODS, pod);
      const secret = (name: string) =>
        client.create(SECRETS, {
          apiVersion: "v1",
          kind: "Secret",
          metadata: { name: `${name}-webhook`, namespace: "default", labels: { "lotse.dev/replicas": name } },
        });
      await secret("shop");
      await secret("bakery");
      const op = careful();
      op.settings.replicas.enabled = true;
      const task = uninstallOf({ client, clock }, op, { waive: true }).run();
      await clock.advance(30);
      assert.equal(marksOn(await all(world, EXAMPLES)).length, 1, "the Pod may still put marks back");
      await client.delete(PODS, { namespace: "default", name: "shop" }, { gracePeriodSeconds: 0 });
      const report = await inTime(world, task);
      assert.deepEqual(report.left, []);
      assert.deepEqual(marksOn(await all(world, EXAMPLES)), []);
      const secrets = (await all(world, SECRETS)).map(({ metadata: { name } }) => name);
      assert.deepEqual(secrets, ["bakery-webhook"]);
    },
  );

  scenario.virtual("[N33.6] takes notes out of the status, too", async (world) => {
    const op = operator({ persistence: persistence.status() });
    op.on.create(Example, function make({ patch }) {
      patch.status.mine = "stays";
    });
    const running = await world.start(op);
    await new Objects(world).create("one");
    await running.advance(5);
    await running.stop();
    const before = await new Objects(world).get("one");
    assert.ok(before.status !== undefined && "lotse" in before.status);
    const { clock } = world.host;
    const report = await inTime(
      world,
      uninstallOf({ client: world.client, clock }, op, { waive: true }).run(),
    );
    assert.deepEqual(report.left, []);
    assert.deepEqual((await new Objects(world).get("one")).status, { mine: "stays" });
  });
});

describe("Uninstall", () => {
  it("[N33] leaves nothing of an operator that is dead behind, on 1,000 objects, half with finalizers", {
    timeout: 60_000,
  }, async () => {
    const world = await virtualWorld();
    const op = careful();
    for (let number = 0; number < 1000; number++) {
      await world.client.create(EXAMPLES, {
        apiVersion: "lotse.test/v1",
        kind: "Example",
        metadata: {
          name: `object-${number}`,
          namespace: "default",
          finalizers: number % 2 === 0 ? ["other.dev/held", "lotse.dev/finalizer"] : ["other.dev/held"],
          annotations: { "lotse.dev/last-handled-configuration": "{}", "other.dev/mark": "theirs" },
        },
      });
    }
    await world.client.create(CONFIG_MAPS, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: {
        name: "other",
        namespace: "default",
        annotations: { "lotse.dev/kept": "of no kind of ours" },
      },
    });
    const { clock } = world.host;
    const report = await inTime(
      world,
      uninstallOf({ client: world.client, clock }, op, { waive: true }).run(),
    );
    assert.deepEqual([report.left, report.waived.length, report.released], [[], 500, 1000]);
    const objects = await all(world, EXAMPLES);
    assert.deepEqual(marksOn(objects), []);
    for (const { metadata: { finalizers, annotations } } of objects) {
      assert.deepEqual([finalizers, annotations], [["other.dev/held"], { "other.dev/mark": "theirs" }]);
    }
    const [map] = (await all(world, CONFIG_MAPS)).filter(({ metadata }) => metadata.name === "other");
    assert.ok(map !== undefined && "lotse.dev/kept" in (map.metadata.annotations ?? {}));
  });
});
