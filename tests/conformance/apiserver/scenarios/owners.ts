/**
 * Scenarios of owners of fields that cannot be kept as they are, and of owners of objects that stand there twice.
 */

import assert from "node:assert/strict";
import { type Answer, APPLY, MERGE, STRATEGIC } from "../session.ts";
import { configMap, type Scenario } from "./scenario.ts";

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";

export const OWNERS: readonly Scenario[] = [{
  name:
    "writes objects that are too large with the owners of their fields without these, unless they are applied",
  async run(api) {
    const name = "a-key-that-is-so-long-that-its-owner-takes-as-much-room-as-it-does-by-itself";
    const data = Object.fromEntries(
      Array.from({ length: 9999 }, (_value, index) => [`${name}-${index}`, "A"]),
    );
    const path = `${CONFIG_MAPS}/large`;
    const ways: Record<string, () => Promise<{ code: number; body: Answer }>> = {
      POST: () => api.peek("POST", CONFIG_MAPS, configMap("large", data)),
      PUT: () => api.peek("PUT", path, configMap("large", data)),
      PATCH: () => api.peek("PATCH", path, { data }, MERGE),
    };
    for (const [way, write] of Object.entries(ways)) {
      if (way !== "POST") await api.ok("POST", CONFIG_MAPS, configMap("large"));
      const { code, body } = await write();
      api.note(way, {
        code,
        fields: Object.keys(body.data ?? {}).length,
        owners: body.metadata?.managedFields,
      });
      assert.equal(body.metadata.managedFields, undefined);
      const config = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "large" } };
      await api.refused(500, "PATCH", `${path}?fieldManager=tests`, config, APPLY);
      await api.peek("DELETE", path);
    }
  },
}, {
  name: "merges a volume's reference to its claim field by field",
  accepted: [{
    line: /metadata\.finalizers|\.status|resourceVersion|managedFields\.\d+\.subresource/,
    because: "volumes are neither protected nor followed here",
  }],
  async run(api) {
    const path = "/api/v1/persistentvolumes/granular";
    const volume = {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name: "granular" },
      spec: {
        capacity: { storage: "1Mi" },
        accessModes: ["ReadWriteOnce"],
        hostPath: { path: "/tmp" },
        storageClassName: "none",
        claimRef: { name: "claim", namespace: "default" },
      },
    };
    await api.ok("PATCH", `${path}?fieldManager=one`, volume, APPLY);
    const more = { spec: { claimRef: { resourceVersion: "12" } } };
    await api.ok("PATCH", `${path}?fieldManager=two`, more, MERGE);
    const again = await api.ok("PATCH", `${path}?fieldManager=one`, volume, APPLY);
    assert.equal(again.spec.claimRef.resourceVersion, "12");
    await api.peek("DELETE", path);
  },
}, {
  name: "counts the templates of a DaemonSet, and says who has changed them",
  async run(api) {
    const path = "/apis/apps/v1/namespaces/default/daemonsets";
    const labels = { app: "counted" };
    const set = (image: string, annotations?: Answer) => ({
      apiVersion: "apps/v1",
      kind: "DaemonSet",
      metadata: { name: "counted", ...(annotations === undefined ? {} : { annotations }) },
      spec: {
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { nodeSelector: { never: "there" }, containers: [{ name: "a", image }] },
        },
      },
    });
    const annotation = "deprecated.daemonset.template.generation";
    const own = `${path}/counted`;
    const written = async (
      method: string,
      to: string,
      body: Answer,
      headers?: Readonly<Record<string, string>>,
    ) => {
      const reply = await api.peek(method, to, body, headers);
      const { annotations, managedFields = [] } = reply.body.metadata;
      // NB: they are ordered by their times, which pass on the real server.
      const owners = managedFields
        .filter(({ manager }: Answer) => manager !== "kube-controller-manager")
        .sort((a: Answer, b: Answer) => a.manager < b.manager ? -1 : 1);
      api.note(`${method} ${to}`, { annotations, owners });
    };
    await written("POST", `${path}?fieldManager=one`, set("a:1"));
    await written("PUT", `${own}?fieldManager=two`, set("a:1"));
    await written("PUT", `${own}?fieldManager=three`, set("a:2", { [annotation]: "1" }));
    await written("PATCH", `${own}?fieldManager=four`, set("a:3"), STRATEGIC);
    await written(
      "PATCH",
      `${own}?fieldManager=four`,
      { metadata: { annotations: { [annotation]: "9" } } },
      MERGE,
    );
    await written("PATCH", `${own}?fieldManager=five`, { metadata: { annotations: null } }, MERGE);
    await written("PATCH", `${own}/status?fieldManager=six`, { metadata: { annotations: null } }, MERGE);
    await api.peek("DELETE", own);
  },
}, {
  name: "sets right what a webhook does to the owners of an object and of its fields",
  async run(api) {
    const namespace = "owners-mutated";
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    await api.ok("POST", "/api/v1/namespaces", {
      metadata: { name: namespace, labels: { scenario: namespace } },
    });
    const patches: Record<string, (object: Answer) => Answer[]> = {
      operation: () => [{ op: "add", path: "/metadata/managedFields/0/operation", value: "Other" }],
      version: () => [{ op: "remove", path: "/metadata/managedFields/0/apiVersion" }],
      type: () => [{ op: "remove", path: "/metadata/managedFields/0/fieldsType" }],
      "other-type": () => [{ op: "add", path: "/metadata/managedFields/0/fieldsType", value: "Other" }],
      none: () => [{ op: "add", path: "/metadata/managedFields", value: [] }],
      renamed: () => [{ op: "add", path: "/metadata/managedFields/0/manager", value: "other" }],
      twice: ({ metadata }) => [{
        op: "add",
        path: "/metadata/ownerReferences",
        value: [...metadata.ownerReferences, ...metadata.ownerReferences],
      }],
    };
    let calls = 0;
    await using served = await api.serveHook(({ apiVersion, kind, request: { uid, name, object } }) => {
      calls++;
      const changes = patches[name]?.(object);
      const patch = changes && { patchType: "JSONPatch", patch: btoa(JSON.stringify(changes)) };
      return { apiVersion, kind, response: { uid, allowed: true, ...patch } };
    });
    const configurations = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";
    await api.ok("POST", configurations, {
      metadata: { name: "owners.lotse.dev" },
      webhooks: [{
        name: "owners.lotse.dev",
        clientConfig: served.config("/"),
        rules: [{
          apiGroups: [""],
          apiVersions: ["v1"],
          resources: ["configmaps"],
          operations: ["CREATE", "UPDATE"],
        }],
        namespaceSelector: { matchLabels: { scenario: namespace } },
        admissionReviewVersions: ["v1"],
        sideEffects: "None",
      }],
    });
    await api.until(async () => {
      await api.peek("POST", `${path}?dryRun=All`, configMap("probe"));
      return calls > 0;
    }, "a call of the webhook");
    const { metadata: { uid } } = await api.ok("POST", path, configMap("owner"));
    const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid }];
    for (const name of Object.keys(patches)) {
      const object = { ...configMap(name), metadata: { name, ownerReferences } };
      await api.ok("POST", `${path}?fieldManager=tests`, object);
      await api.ok("PATCH", `${path}/${name}?fieldManager=tests`, { data: { a: "2" } }, MERGE);
      await api.ok("PUT", `${path}/${name}?fieldManager=others`, { ...object, data: { b: "3" } });
    }
    await api.ok("DELETE", `${configurations}/owners.lotse.dev`);
  },
}];
