import assert from "node:assert/strict";
import { type AppliedObject, ApplyConflictError, isApplied } from "../../lib/client/apply.ts";
import type { KubeObject } from "../../lib/model/object.ts";
import { own } from "../../lib/public/hierarchies.ts";
import { kinds, operator, ownerReference } from "../../mod.ts";
import { suite } from "../support/scenario.ts";
import { Example, Objects } from "../support/worlds.ts";

const DEPLOYMENTS = { group: "apps", version: "v1", plural: "deployments", namespaced: true };
const MAPS = { group: "", version: "v1", plural: "configmaps", namespaced: true };
const SECRETS = { group: "", version: "v1", plural: "secrets", namespaced: true };
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
    "[N4.2] a field of another manager is a conflict that names it, unless it is taken over, as owners do",
    async (world) => {
      const op = operator();
      const said: unknown[] = [];
      const wanted = (a: string) => ({ metadata: { name: "settings" }, data: { a, b: "same" } });
      op.on.create(Example, async function make({ body: owner, namespace }) {
        const other = { fieldManager: "other" };
        const note = (error: ApplyConflictError) => {
          said.push(error instanceof ApplyConflictError && error.cause === undefined, ...error.conflicts);
        };
        const free = (a: string) => ({ ...wanted(a), metadata: { name: "settings", namespace } });
        await op.api.apply(kinds.ConfigMap, wanted("1"), { owner, ...other });
        await op.api.apply(kinds.ConfigMap, free("2")).catch(note);
        await op.api.apply(kinds.ConfigMap, wanted("2"), { owner, force: false }).catch(note);
        said.push((await op.api.apply(kinds.ConfigMap, wanted("3"), { owner })).data);
        await op.api.apply(kinds.ConfigMap, free("4"), { ...other, force: true });
        said.push((await op.api.ensure(kinds.ConfigMap, wanted("5"))).data);
      });
      const running = await world.start(op);
      await new Objects(world).create("one");
      await world.until(() => said.length === 6);
      const conflict = { field: ".data.a", manager: '"other"', value: "1" };
      const taken = [{ a: "3", b: "same" }, { a: "5", b: "same" }];
      assert.deepEqual(said, [true, conflict, true, conflict, ...taken]);
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

  scenario(
    "[N4.18] an owner that Kubernetes would not count is refused before anything is sent",
    async (world) => {
      const far = `${world.namespace}-far`;
      const spaces = { group: "", version: "v1", plural: "namespaces", namespaced: false } as const;
      await world.client.create(spaces, { apiVersion: "v1", kind: "Namespace", metadata: { name: far } });
      const op = operator();
      const said: string[] = [];
      op.on.create(Example, async function make({ body, namespace }) {
        const attempt = async (work: () => Promise<KubeObject>): Promise<void> => {
          said.push(await work().then(({ metadata }) => `made ${metadata.name}`, (error) => error.message));
        };
        const there = { namespace: far };
        const other = await op.api.create(kinds.Secret, { metadata: { name: "other", namespace } });
        const bare = JSON.parse(JSON.stringify(ownerReference(body)));
        await attempt(() => op.api.ensure(kinds.ConfigMap, { metadata: { name: "a", ...there } }));
        await attempt(() =>
          op.api.apply(kinds.ConfigMap, { metadata: { name: "b", ...there } }, { owner: other })
        );
        for (const reference of [ownerReference(body), ownerReference(other), bare]) {
          const metadata = { name: "c", ...there, ownerReferences: [reference] };
          await attempt(() => op.api.create(kinds.ConfigMap, { metadata }));
        }
        const adopted = { metadata: { name: "d", ...there } };
        own(adopted);
        await attempt(() => op.api.create(kinds.ConfigMap, adopted));
        await attempt(() =>
          op.api.patch(kinds.Secret, { name: "x", ...there }, { metadata: { ownerReferences: [bare] } })
        );
        const whole = { metadata: { name: `${far}-2` } };
        await attempt(() => op.api.ensure(kinds.Namespace, whole));
        const unknown = {
          ...bare,
          apiVersion: "v1",
          kind: "Secret",
          uid: "6dd2f0b5-1c6b-4f9c-9d43-000000000000",
        };
        await attempt(() =>
          op.api.create(kinds.Namespace, { metadata: { ...whole.metadata, ownerReferences: [unknown] } })
        );
        await attempt(() => op.api.ensure(kinds.ConfigMap, { metadata: { name: "near" } }));
        const reference = { ownerReferences: [ownerReference(other)] };
        await attempt(() =>
          op.api.create(kinds.ConfigMap, { metadata: { name: "near-2", namespace, ...reference } })
        );
      });
      const running = await world.start(op);
      await new Objects(world).create("one");
      await world.until(() => said.length === 11);
      for (const message of said.slice(0, 7)) assert.match(message, /owners reach no other namespace/);
      for (const message of said.slice(7, 9)) assert.match(message, /cannot own what is in none/);
      assert.deepEqual(said.slice(9), ["made near", "made near-2"]);
      const maps = { group: "", version: "v1", plural: "configmaps", namespaced: true } as const;
      for await (const { items } of world.client.list(maps, { namespace: far })) {
        assert.deepEqual(items.filter(({ metadata: { name } }) => name !== "kube-root-ca.crt"), []);
      }
      await running.stop();
    },
  );

  scenario(
    "[N4.19] a key that leaves stringData leaves the Secret, also one that an earlier release has left there",
    async (world) => {
      const op = operator();
      const seen: unknown[] = [];
      op.on.create(Example, async function make({ namespace }) {
        const metadata = { name: "password", namespace };
        const apply = async (stringData: Record<string, string>) => {
          seen.push((await op.api.apply(kinds.Secret, { metadata, stringData })).data);
        };
        await apply({ a: "1", b: "ü" });
        await apply({ a: "1" });
        const before = { metadata: { ...metadata, name: "before" }, stringData: { a: "1", b: "2", c: "3" } };
        const request = { type: "apply", fieldManager: "lotse" } as const;
        const body = { apiVersion: "v1", kind: "Secret", ...before };
        await world.client.patch(SECRETS, before.metadata, { ...request, body });
        // Somebody else has taken over one of them.
        const theirs = { ...body, stringData: undefined, data: { c: "Mw==" } };
        await world.client.patch(SECRETS, before.metadata, {
          ...request,
          fieldManager: "other",
          force: true,
          body: theirs,
        });
        const { metadata: { resourceVersion } } = await op.api.get(kinds.Secret, before.metadata);
        const wanted = { metadata: before.metadata, stringData: { a: "1" } };
        const preconditions = { resourceVersion };
        seen.push((await op.api.apply(kinds.Secret, wanted, { preconditions })).data);
      });
      const running = await world.start(op);
      await new Objects(world).create("one");
      await world.until(() => seen.length === 3);
      assert.deepEqual(seen, [{ a: "MQ==", b: "w7w=" }, { a: "MQ==" }, { a: "MQ==", c: "Mw==" }]);
      await running.stop();
    },
  );

  scenario.timed(
    "[N4.20] an apply that can never pass ends soon, though the server calls it its own fault; a manifest of ensure() may have it",
    async (world) => {
      const op = operator();
      const said: unknown[] = [];
      const pasted = {
        uid: "6dd2f0b5-1c6b-4f9c-9d43-000000000000",
        resourceVersion: "12345",
        generation: 7,
        creationTimestamp: "2020-01-01T00:00:00Z",
        managedFields: [],
      };
      op.on.create(Example, async function make({ namespace }) {
        // The server wants microseconds.
        const lease = {
          metadata: { name: "stale", namespace },
          spec: { renewTime: "2026-01-02T03:04:05.123Z" },
        };
        await op.api.apply(kinds.Lease, lease).catch((error) => said.push(error.status));
        for (const name of ["a", "b"]) {
          const made = await op.api.ensure(kinds.ConfigMap, { metadata: { ...pasted, name } });
          said.push(made.metadata.uid === pasted.uid);
        }
        const status = { loadBalancer: { ingress: [{ ip: "1.2.3.4" }] } };
        const service = { metadata: { name: "s" }, spec: { ports: [{ port: 80 }] }, status };
        said.push((await op.api.ensure(kinds.Service, service)).status?.loadBalancer);
      });
      const running = await world.start(op);
      await new Objects(world).create("one");
      await world.until(() => said.length === 4);
      assert.deepEqual(said, [500, false, false, {}]);
      const applies = world.requests.filter(({ method, path }) =>
        method === "PATCH" && path.includes("/stale")
      );
      assert.equal(applies.length, 2);
      const told = running.logs.filter(({ message }) => message.includes("fields that the server owns"));
      const names = Object.keys(pasted).filter((name) => name !== "managedFields").sort();
      assert.deepEqual(told.map(({ fields: { kind, fields } }) => [kind, fields]), [
        ["ConfigMap", names.map((name) => `metadata.${name}`)],
        ["Service", ["status"]],
      ]);
      await running.stop();
    },
  );

  scenario.virtual(
    "an apply that fails by a webhook or a timeout is sent again as any other request",
    async (world) => {
      const op = operator();
      let failures = 3;
      const messages = [
        'failed calling webhook "x": EOF',
        "context deadline exceeded",
        "etcdserver: leader changed",
      ];
      world.intercept = ({ method }) => {
        if (method !== "PATCH" || failures === 0) return undefined;
        const status = { kind: "Status", code: 500, reason: "InternalError", message: messages[--failures] };
        return Response.json(status, { status: 500 });
      };
      const made: unknown[] = [];
      op.on.create(Example, { id: "make", retries: 1 }, async ({ namespace }) => {
        made.push(
          (await op.api.apply(kinds.ConfigMap, { metadata: { name: "a", namespace } })).metadata.name,
        );
      });
      const running = await world.start(op);
      await new Objects(world).create("one");
      await world.until(() => made.length === 1, 60);
      assert.equal(failures, 0);
      await running.stop();
    },
  );
});
