import assert from "node:assert/strict";
import { kinds, operator, resource, type ResourceType } from "../../mod.ts";
import type { Manifest } from "../../lib/public/children.ts";
import { suite } from "../support/scenario.ts";
import { Example, Objects } from "../support/worlds.ts";

const labels = { app: "odd" };
const container = { name: "web", image: "nginx" };

function object(type: string, spec: object, more: object = {}): Manifest {
  const [apiVersion = "", kind = ""] = type.split(" ");
  return { apiVersion, kind, metadata: { name: `odd-${kind.toLowerCase()}` }, spec, ...more };
}

/** Pods as people write them: quantities in other units, lists and maps with nothing in them, defaults left out. */
const pod = {
  containers: [{
    ...container,
    command: [],
    env: [{ name: "A" }, { name: "B", value: "" }],
    ports: [{ containerPort: 53 }, { containerPort: 53, protocol: "UDP" }],
    resources: { limits: { cpu: "1000m", memory: "1024Mi" }, requests: { cpu: 0.5, memory: "0.5Gi" } },
    livenessProbe: { httpGet: { port: 53 } },
    securityContext: {},
  }],
  initContainers: [],
  tolerations: [],
  nodeSelector: {},
  securityContext: {},
  volumes: [{ name: "tmp", emptyDir: { sizeLimit: "1024Mi" } }],
};
const template = { metadata: { labels, annotations: {}, creationTimestamp: null }, spec: pod };
const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1024Mi" } } };

/** Legal, and none of it as the server writes it. */
const ODD: readonly Manifest[] = [
  object("apps/v1 Deployment", { selector: { matchLabels: labels }, strategy: {}, template }),
  object("apps/v1 StatefulSet", {
    serviceName: "odd",
    replicas: 0,
    selector: { matchLabels: labels },
    template,
    volumeClaimTemplates: [{ metadata: { name: "tmp" }, spec: claim }],
  }),
  object("v1 Service", {
    selector: labels,
    externalIPs: [],
    ports: [{ name: "a", port: 53 }, { name: "b", port: 53, protocol: "UDP" }, {
      name: "c",
      port: 80,
      targetPort: "web",
    }],
  }),
  object("batch/v1 CronJob", {
    schedule: "0 0 1 1 *",
    suspend: true,
    jobTemplate: { metadata: {}, spec: { template: { spec: { ...pod, restartPolicy: "Never" } } } },
  }),
  object("networking.k8s.io/v1 Ingress", {
    tls: [],
    defaultBackend: { service: { name: "odd-service", port: { number: 80 } } },
    rules: [{
      host: "",
      http: {
        paths: [{
          pathType: "ImplementationSpecific",
          backend: { service: { name: "odd", port: { name: "c" } } },
        }],
      },
    }],
  }),
  object("networking.k8s.io/v1 NetworkPolicy", {
    podSelector: {},
    ingress: [],
    egress: [{ to: [], ports: [{ port: 53 }] }],
  }),
  object("v1 PersistentVolumeClaim", { ...claim, storageClassName: "" }),
  object("rbac.authorization.k8s.io/v1 Role", {}, {
    spec: undefined,
    rules: [{ apiGroups: [""], resources: ["pods"], resourceNames: [], verbs: ["get", "get"] }],
  }),
  object("v1 Secret", {}, { spec: undefined, stringData: { word: "x" } }),
];

function kindOf({ apiVersion = "", kind = "" }: Manifest): ResourceType<unknown, unknown> {
  const [version = "", group = ""] = apiVersion.split("/").reverse();
  return resource({ group, version, kind });
}

suite("manifests in other spellings than the server's", (scenario) => {
  scenario.timed("[N4.17] what is legal, but not as the server writes it, is applied once", async (world) => {
    const op = operator();
    let rounds = 0;
    op.reconcile(Example, async function keep({ namespace }) {
      for (const manifest of ODD) {
        await op.api.apply(kindOf(manifest), {
          ...manifest,
          metadata: { ...manifest.metadata, name: manifest.metadata?.name ?? "", namespace },
        }, { force: true });
      }
      rounds += 1;
    });
    const running = await world.start(op);
    const object = await new Objects(world).create("odd");
    const next = async (): Promise<string[]> => {
      const before = rounds;
      world.requests.length = 0;
      op.trigger(object);
      await world.until(() => rounds > before, 60);
      return world.writes().map(({ path }) => path.replace(/^.*\/(odd-\w+).*$/, "$1"));
    };
    await world.until(() => rounds === 1, 60);
    for (let round = 0; round < 3; round++) assert.deepEqual(await next(), [], `in round ${round}`);

    const secret = { name: "odd-secret", namespace: world.namespace };
    await op.api.patch(kinds.Secret, secret, { data: { word: "eQ==" } });
    const deployment = { ...secret, name: "odd-deployment" };
    await op.api.patch(kinds.Deployment, deployment, [
      { op: "replace", path: "/spec/template/spec/containers/0/resources/limits/cpu", value: "2" },
    ]);
    await op.api.patch(kinds.Deployment, deployment, { metadata: { annotations: { more: "theirs" } } });
    assert.deepEqual(await next(), ["odd-deployment", "odd-secret"], "drift is put back");
    const { spec } = await op.api.get(kinds.Deployment, deployment);
    assert.equal(spec?.template.spec?.containers[0]?.resources?.limits?.cpu, "1");
    assert.deepEqual((await op.api.get(kinds.Secret, secret)).data, { word: "eA==" });
    assert.deepEqual(await next(), [], "and no more");
    await running.stop();
  });

  scenario.timed(
    "[N5.11] children in such spellings are written once, and their owner comes to rest",
    async (world) => {
      const op = operator();
      let calls = 0;
      for (const kind of new Set(ODD.map(kindOf))) op.owns(Example, kind);
      op.reconcile(Example, async function keep({ children }) {
        calls += 1;
        await children(Object.fromEntries(ODD.map((manifest) => {
          const name = manifest.kind ?? "";
          return [name, { ...manifest, metadata: { name: `child-${name.toLowerCase()}` } }];
        })));
      });
      const running = await world.start(op);
      const object = await new Objects(world).create("odd-owner");
      const sent = (): string[] =>
        world.writes().map(({ path }) => /\/(child-\w+)/.exec(path)?.[1] ?? "").filter((name) => name !== "")
          .sort();
      const names = ODD.map(({ kind = "" }) => `child-${kind.toLowerCase()}`).sort();
      await world.until(() => sent().length >= names.length, 60);
      await world.settle();
      for (let round = 0; round < 3; round++) {
        const before = calls;
        op.trigger(object);
        await world.until(() => calls > before, 60);
        await world.settle();
      }
      assert.deepEqual(sent(), names);
      await running.stop();
    },
  );
});
