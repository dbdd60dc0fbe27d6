/** Discovery: groups, resources, and how both know of a new definition. */

import assert from "node:assert/strict";
import { type Answer, TABLE } from "../session.ts";
import { databases, type Scenario } from "./scenario.ts";

/** What of a group version both servers serve. */
const SHARED: Readonly<Record<string, readonly string[]>> = {
  "/api/v1": [
    "configmaps",
    "events",
    "namespaces",
    "namespaces/finalize",
    "namespaces/status",
    "nodes",
    "persistentvolumeclaims",
    "persistentvolumeclaims/status",
    "persistentvolumes",
    "pods",
    "pods/status",
    "secrets",
    "serviceaccounts",
    "services",
    "services/status",
  ],
  "/apis/apps/v1": [
    "daemonsets",
    "deployments",
    "deployments/scale",
    "deployments/status",
    "replicasets",
    "statefulsets",
  ],
  "/apis/batch/v1": ["cronjobs", "cronjobs/status", "jobs"],
  "/apis/coordination.k8s.io/v1": ["leases"],
  "/apis/events.k8s.io/v1": ["events"],
  "/apis/apiextensions.k8s.io/v1": ["customresourcedefinitions", "customresourcedefinitions/status"],
  "/apis/rbac.authorization.k8s.io/v1": ["clusterroles", "clusterrolebindings", "roles", "rolebindings"],
};

export const DISCOVERY: readonly Scenario[] = [
  {
    name: "describes the built-in resources",
    async run(api) {
      for (const [path, names] of Object.entries(SHARED)) {
        const { body } = await api.peek("GET", path);
        const { resources, ...rest } = body;
        const shared = names.map((name) =>
          resources.find((resource: Answer) => resource.name === name) ?? `no ${name}`
        );
        api.note(`GET ${path}`, { ...rest, shared });
        assert.equal(body.kind, "APIResourceList");
      }
    },
  },
  {
    name: "describes groups and versions",
    async run(api) {
      await api.ok("GET", "/api");
      await api.ok("GET", "/apis/apps");
      await api.refused(404, "GET", "/apis/nothing.example.com");
      await api.refused(404, "GET", "/apis/apps/v9");
      await api.refused(404, "GET", "/api/v1/nothings");
      const { body } = await api.peek("GET", "/apis");
      const groups = Object.keys(SHARED).flatMap((path) =>
        path.split("/")[2] === "v1" ? [] : [path.split("/")[2]]
      );
      api.note("GET /apis", groups.map((name) => body.groups.find((group: Answer) => group.name === name)));
    },
  },
  {
    name: "describes a defined kind, in both forms of discovery",
    async run(api) {
      const group = "discovery.example.com";
      const scale = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" };
      const definition = databases(group, { version: { subresources: { status: {}, scale } } });
      definition.spec.names.categories = ["all", "stores"];
      await api.define(definition);
      await api.ok("GET", `/apis/${group}`);
      await api.ok("GET", `/apis/${group}/v1`);
      const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
      const { body, headers } = await api.peek("GET", "/apis", undefined, { accept });
      api.note("GET /apis aggregated", {
        type: headers.get("content-type"),
        kind: body.kind,
        apiVersion: body.apiVersion,
        item: body.items.find((item: Answer) => item.metadata.name === group),
        apps: body.items.find((item: Answer) => item.metadata.name === "apps")?.versions[0].resources
          .filter(({ resource }: Answer) => resource === "deployments"),
      });
    },
  },
  {
    name: "says which version it is and that it is ready",
    async run(api) {
      const { body } = await api.peek("GET", "/version");
      assert.match(body.gitVersion, /^v1\.\d+/);
      assert.ok(body.major && body.minor);
      for (const path of ["/healthz", "/livez", "/readyz"]) {
        const reply = await api.peek("GET", path);
        assert.deepEqual([reply.code, reply.body], [200, "ok"]);
      }
    },
  },
  {
    name: "has an APIService for each version of each group",
    accepted: [{ line: /Priority/, because: "all APIServices have the same priorities" }],
    async run(api) {
      const path = "/apis/apiregistration.k8s.io/v1/apiservices";
      const group = "services.example.com";
      const isAvailable = async (name: string) => {
        const { body } = await api.peek("GET", `${path}/${name}`);
        return body.status?.conditions?.[0]?.status === "True";
      };
      const names = ["v1.", "v1.apps", "v1.authorization.k8s.io", "v2.autoscaling", "v1.storage.k8s.io"];
      for (const name of names) {
        await api.until(() => isAvailable(name), `${name} is available`);
        await api.ok("GET", `${path}/${name}`);
        const { body } = await api.peek("GET", `${path}/${name}`, undefined, TABLE);
        api.note(`the table of ${name}`, body.rows[0].cells.slice(0, 3));
      }
      await api.define(databases(group));
      await api.until(() => isAvailable(`v1.${group}`), "the APIService of a new kind is available");
      await api.ok("GET", `${path}/v1.${group}`);
      await api.peek(
        "DELETE",
        `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/databases.${group}`,
      );
      await api.until(
        async () => (await api.peek("GET", `${path}/v1.${group}`)).code === 404,
        "the APIService of a kind has gone with it",
      );
    },
  },
  {
    name: "refuses APIServices that cannot be",
    async run(api) {
      const path = "/apis/apiregistration.k8s.io/v1/apiservices";
      const service = (name: string, spec: Answer): Answer => ({
        metadata: { name },
        spec: { version: "v1", groupPriorityMinimum: 10, versionPriority: 10, ...spec },
      });
      const refuse = (name: string, spec: Answer) => api.refused(422, "POST", path, service(name, spec));
      await refuse("v1.other.example.com", { group: "one.example.com" });
      await refuse("v2.", { version: "v2" });
      await refuse("v1.one.example.com", { group: "one.example.com", groupPriorityMinimum: 20001 });
      await refuse("v1.one.example.com", { group: "one.example.com", versionPriority: 0 });
      await refuse("v1.one.example.com", { group: "one.example.com", insecureSkipTLSVerify: true });
      await refuse("v1.one.example.com", { group: "one.example.com", caBundle: "YQ==" });
    },
  },
];
