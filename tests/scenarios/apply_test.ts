import assert from "node:assert/strict";
import { type AppliedObject, ApplyConflictError, isApplied } from "../../lib/client/apply.ts";
import type { KubeObject } from "../../lib/model/object.ts";
import { kinds, operator, ownerReference } from "../../mod.ts";
import { suite } from "../support/scenario.ts";
import { Example, Objects } from "../support/worlds.ts";

const DEPLOYMENTS = { group: "apps", version: "v1", plural: "deployments", namespaced: true };
const MAPS = { group: "", version: "v1", plural: "configmaps", namespaced: true };
const SERVICES = { group: "", version: "v1", plural: "services", namespaced: true };

function deployment(image: string, changes: object = {}) {
  const labels = { app: "web" };
  const container = {
    name: "web",
    image,
    command: ["run", "it"],
    ports: [{ containerPort: 80, name: "http" }],
    env: [
      { name: "PLAIN", value: "x" },
      { name: "POD", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
    ],
    resources: { requests: { cpu: "250m", memory: "64Mi" } },
    volumeMounts: [{ name: "data", mountPath: "/data" }],
  };
  const pod = {
    containers: [container],
    tolerations: [{ key: "a", operator: "Exists" as const, effect: "NoSchedule" as const }],
    volumes: [{ name: "data", emptyDir: {} }],
  };
  const spec = {
    replicas: 2,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: pod },
  };
  return { metadata: { name: "web", labels }, spec: { ...spec, ...changes } };
}

const SERVICE = {
  metadata: { name: "web" },
  spec: { selector: { app: "web" }, ports: [{ name: "http", port: 80, targetPort: 8080 }] },
};

suite("server-side apply", (scenario) => {
  scenario("[N4.1] children that are applied again and again are written once", async (world) => {
    const op = operator();
    const calls: string[] = [];
    op.on.create(Example, async function make({ body, namespace = "" }) {
      for (let round = 0; round < 2; round++) {
        const made = await op.api.apply(kinds.Deployment, deployment("nginx:1"), { owner: body });
        const service = await op.api.apply(kinds.Service, SERVICE, { owner: body });
        calls.push(`${made.metadata.resourceVersion} ${service.metadata.resourceVersion}`);
      }
      for (const [kind, wanted] of [[DEPLOYMENTS, deployment("nginx:1")], [SERVICES, SERVICE]] as const) {
        const live = await world.client.get(kind, { name: "web", namespace }, { managedFields: true });
        const { apiVersion = "", kind: name = "" } = live;
        const ownerReferences = [ownerReference(body)];
        const metadata = { ...wanted.metadata, namespace, ownerReferences };
        const object: AppliedObject = { ...wanted, apiVersion, kind: name, metadata };
        calls.push(`${name} ${isApplied(live, { object, fieldManager: "lotse" })}`);
      }
    });
    const running = await world.start(op);
    await new Objects(world).create("one");
    await world.until(() => calls.length === 4);
    assert.equal(calls[0], calls[1], "the versions");
    assert.deepEqual(calls.slice(2), ["Deployment true", "Service true"]);
    await running.stop();
  });

  scenario(
    "[N4.2] a field of another manager is a conflict that names it, unless it is taken over",
    async (world) => {
      const op = operator();
      const said: unknown[] = [];
      const wanted = (a: string) => ({ metadata: { name: "settings" }, data: { a, b: "same" } });
      op.on.create(Example, async function make({ body: owner }) {
        await op.api.apply(kinds.ConfigMap, wanted("1"), { owner, fieldManager: "other" });
        await op.api.apply(kinds.ConfigMap, wanted("2"), { owner }).catch((error) => {
          said.push(error instanceof ApplyConflictError && error.cause === undefined, ...error.conflicts);
        });
        const { data } = await op.api.apply(kinds.ConfigMap, wanted("3"), { owner, force: true });
        said.push(data);
      });
      const running = await world.start(op);
      await new Objects(world).create("one");
      await world.until(() => said.length === 3);
      const conflict = { field: ".data.a", manager: '"other"', value: "1" };
      assert.deepEqual(said, [true, conflict, { a: "3", b: "same" }]);
      await running.stop();
    },
  );

  scenario(
    "a field that the kind does not have fails at once, though the server calls it its own fault",
    async (world) => {
      const op = operator();
      const said: unknown[] = [];
      op.on.create(Example, async function make({ body: owner, clock }) {
        const begun = clock.monotonic();
        const misspelt = { metadata: { name: "settings" }, dta: { a: "1" } };
        await op.api.apply(kinds.ConfigMap, misspelt as { metadata: { name: string } }, { owner }).catch(
          (error) => {
            said.push(
              error.status,
              /field not declared in schema/.test(error.message),
              clock.monotonic() - begun < 5,
            );
          },
        );
      });
      const running = await world.start(op);
      await new Objects(world).create("one");
      await world.until(() => said.length > 0);
      assert.deepEqual(said, [500, true, true]);
      await running.stop();
    },
  );

  scenario("[N4.3] what is applied no more goes away, and what others have added stays", async (world) => {
    const op = operator();
    const seen: unknown[] = [];
    op.on.create(Example, async function make({ body, namespace }) {
      await op.api.apply(kinds.Deployment, deployment("nginx:1", { minReadySeconds: 5 }), { owner: body });
      const scaled = { spec: { revisionHistoryLimit: 3 } };
      await op.api.patch(kinds.Deployment, { name: "web", namespace }, scaled, { fieldManager: "somebody" });
      const { spec } = await op.api.apply(kinds.Deployment, deployment("nginx:1"), { owner: body });
      seen.push(spec?.minReadySeconds ?? 0, spec?.revisionHistoryLimit);
    });
    const running = await world.start(op);
    await new Objects(world).create("one");
    await world.until(() => seen.length === 2);
    assert.deepEqual(seen, [0, 3]);
    await running.stop();
  });

  scenario.timed(
    "[N4.15] an owned child that is known costs one request to make, none while it is right, and is put back",
    async (world) => {
      const op = operator();
      let calls = 0;
      op.owns(Example, kinds.ConfigMap);
      op.reconcile(Example, async function keep({ namespace, body, spec }) {
        const wanted = { metadata: { name: "kept", namespace }, data: { size: String(spec.size) } };
        const made = await op.api.apply(kinds.ConfigMap, wanted, { owner: body, force: true });
        assert.deepEqual(made.data, wanted.data);
        // The caller may do with it as he likes.
        made.metadata.labels = { changed: "yes" };
        calls += 1;
      });
      const running = await world.start(op);
      const objects = new Objects(world);
      const requests = (): string[] =>
        world.requests.filter(({ path }) => path.includes("/configmaps/kept")).map(({ method }) => method);
      const address = { name: "kept", namespace: world.namespace };
      const next = async (act: () => Promise<unknown>): Promise<string[]> => {
        const [called, before] = [calls, requests().length];
        await act();
        await world.until(() => calls > called);
        await world.settle();
        return requests().slice(before);
      };
      assert.deepEqual(await next(() => objects.create("one", { spec: { size: 1 } })), ["PATCH"], "made");
      assert.deepEqual(
        await next(() => objects.patch("one", { metadata: { labels: { a: "b" } } })),
        [],
        "right",
      );
      assert.deepEqual(
        await next(() => objects.patch("one", { spec: { size: 2 } })),
        ["GET", "PATCH"],
        "other",
      );
      const edit = { type: "merge", body: { data: { size: "drift" } } } as const;
      const edited = await next(() => world.client.patch(MAPS, address, edit));
      assert.deepEqual(edited, ["GET", "PATCH"], "edited");
      assert.deepEqual(await next(() => world.client.delete(MAPS, address)), ["PATCH"], "deleted");
      const { data } = await world.client.get<KubeObject>(MAPS, address);
      assert.deepEqual(data, { size: "2" });
      await running.stop();
    },
  );

  scenario.virtual("[N4.15] what is deleted by op.api is applied anew at the next line", async (world) => {
    const op = operator();
    const uids: unknown[] = [];
    op.owns(Example, kinds.ConfigMap);
    op.reconcile(Example, async function replace({ namespace, body }) {
      const address = { name: "anew", namespace };
      for (let round = 0; round < 2 && uids.length < 2; round++) {
        const made = await op.api.apply(kinds.ConfigMap, { metadata: address, data: { a: "1" } }, {
          owner: body,
        });
        uids.push(made.metadata.uid);
        if (round === 0) await op.api.delete(kinds.ConfigMap, address);
      }
    });
    const running = await world.start(op);
    await new Objects(world).create("one");
    await world.until(() => uids.length === 2);
    assert.notEqual(uids[0], uids[1]);
    await running.stop();
  });
});
