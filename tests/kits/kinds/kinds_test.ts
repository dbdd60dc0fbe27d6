import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { apiServer } from "../../../lib/kits/apiserver/mod.ts";
import { KINDS } from "../../../lib/model/kinds.ts";
import { kinds } from "../../../lib/kits/kinds/kinds.ts";
import type { ConfigMap, PodSpec, PodStatus } from "../../../lib/kits/kinds/kubernetes.ts";
import { virtualHost } from "../../../lib/runtime/virtual/host.ts";
import { operator } from "../../../mod.ts";

describe("kinds", () => {
  it("declare each kind under its own name", () => {
    assert.ok(Object.keys(kinds).length > 60);
    for (const [name, { options }] of Object.entries(kinds)) assert.equal(options.kind, name);
  });

  it("have the addresses of those that the framework itself uses", () => {
    const own = [...KINDS.values()].filter(({ group }) => group !== "kopf.dev");
    for (const { kind, group, version, plural, namespaced } of own) {
      const { options } = kinds[kind as keyof typeof kinds];
      assert.deepEqual(options, { group, version, plural, kind, namespaced });
    }
  });

  it("are addressed as the API server serves them, where the one in the process does", async () => {
    const server = apiServer({ host: virtualHost() });
    let served = 0;
    for (const { options } of Object.values(kinds)) {
      const path = options.group === "" ? "api/v1" : `apis/${options.group}/${options.version}`;
      const response = await server.fetch(new Request(`http://test/${path}`));
      const { resources = [] } = response.ok ? await response.json() : {};
      const found = resources.find(({ kind, name }: { kind: string; name: string }) =>
        kind === options.kind && !name.includes("/")
      );
      if (found === undefined) continue;
      served++;
      assert.deepEqual([found.name, found.namespaced], [options.plural, options.namespaced]);
    }
    assert.ok(served > 30, `${served}`);
  });

  it("type spec and status, down to the parts", () => {
    const op = operator();
    op.on.event(kinds.Pod, ({ spec, status }) => {
      const image: string | undefined = spec.containers[0]?.image;
      const port: string | number | undefined = spec.containers[0]?.livenessProbe?.httpGet?.port;
      // @ts-expect-error: a Pod's spec has no such field
      const wrong = spec.container;
      return void [image, port, wrong, status.phase?.toUpperCase()];
    });
    op.on.update(kinds.Deployment, ({ patch }) => {
      patch.spec.replicas = 3;
      // @ts-expect-error: replicas is a number
      patch.spec.replicas = "3";
    });
    op.on.event(kinds.CustomResourceDefinition, ({ spec }) => {
      const schema = spec.versions[0]?.schema?.openAPIV3Schema;
      return void [schema?.["x-kubernetes-preserve-unknown-fields"], schema?.properties?.["spec"]?.type];
    });
    const pod: PodSpec = { containers: [{ name: "main", resources: { limits: { memory: "1Gi" } } }] };
    const settings: ConfigMap = { data: { tier: "gold" } };
    const status: PodStatus = { startTime: "2026-01-01T00:00:00Z" };
    assert.ok(pod.containers.length + Object.keys(settings).length + Object.keys(status).length);
  });
});
