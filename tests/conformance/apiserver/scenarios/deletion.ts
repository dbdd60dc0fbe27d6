/** Finalizers, owners, namespaces. */

import assert from "node:assert/strict";
import { type Answer, JSON_PATCH, MERGE } from "../session.ts";
import { configMap, database, databases, type Scenario } from "./scenario.ts";

const FINALIZER = "example.com/finalizer";

export const DELETION: readonly Scenario[] = [
  {
    name: "keeps what has finalizers until the last is gone",
    async run(api) {
      const group = "finalizers.example.com";
      await api.define(databases(group));
      const path = `/apis/${group}/v1/namespaces/default/databases`;
      const object = database(group, "a");
      object.metadata.finalizers = [FINALIZER];
      const created = await api.ok("POST", path, object);
      const watch = await api.watch(`${path}?watch=true&resourceVersion=${created.metadata.resourceVersion}`);
      const deleted = await api.ok("DELETE", `${path}/a`);
      assert.ok(deleted.metadata.deletionTimestamp);
      assert.deepEqual([deleted.metadata.generation, deleted.metadata.deletionGracePeriodSeconds], [2, 0]);
      const again = await api.ok("DELETE", `${path}/a`);
      assert.equal(again.metadata.deletionTimestamp, deleted.metadata.deletionTimestamp);
      await api.refused(422, "PATCH", `${path}/a`, {
        metadata: { finalizers: [FINALIZER, "example.com/new"] },
      }, MERGE);
      await api.ok("PATCH", `${path}/a`, { spec: { replicas: 2 } }, MERGE);
      await api.refused(409, "POST", path, object);
      await api.ok("PATCH", `${path}/a`, [{ op: "remove", path: "/metadata/finalizers" }], JSON_PATCH);
      await api.refused(404, "GET", `${path}/a`);
      const events = await watch.take(3);
      assert.deepEqual(events.map(({ type }: Answer) => type), ["MODIFIED", "MODIFIED", "DELETED"]);
      await watch.stop();
    },
  },
  {
    name: "ignores what a client says about deletion",
    async run(api) {
      await api.namespace("times");
      const path = "/api/v1/namespaces/times/configmaps";
      const metadata = {
        name: "a",
        deletionTimestamp: "2020-01-01T00:00:00Z",
        deletionGracePeriodSeconds: 5,
      };
      await api.ok("POST", path, { ...configMap("a"), metadata });
      await api.call(
        "PATCH",
        `${path}/a`,
        { metadata: { deletionTimestamp: "2020-01-01T00:00:00Z" } },
        MERGE,
      );
      await api.call("PATCH", `${path}/a`, { metadata: { creationTimestamp: null, generation: 9 } }, MERGE);
    },
  },
  {
    name: "removes what belongs to what is deleted",
    async run(api) {
      await api.namespace("owners");
      const path = "/api/v1/namespaces/owners/configmaps";
      const owner = await api.ok("POST", path, configMap("owner"));
      const other = await api.ok("POST", path, configMap("other"));
      const reference = ({ metadata }: Answer) => ({
        apiVersion: "v1",
        kind: "ConfigMap",
        name: metadata.name,
        uid: metadata.uid,
      });
      const owned = (name: string, ...owners: Answer[]) => ({
        ...configMap(name),
        metadata: { name, ownerReferences: owners.map(reference) },
      });
      const child = await api.ok("POST", path, owned("child", owner));
      await api.ok("POST", path, owned("grandchild", child));
      await api.ok("POST", path, owned("shared", owner, other));
      await api.ok("DELETE", `${path}/owner?propagationPolicy=Background`);
      const gone = async (name: string) => (await api.peek("GET", `${path}/${name}`)).code === 404;
      await api.until(() => gone("child"), "the child is gone");
      await api.until(() => gone("grandchild"), "the grandchild is gone");
      await api.until(
        async () => (await api.peek("GET", `${path}/shared`)).body.metadata.ownerReferences.length === 1,
        "the reference is gone",
      );
      await api.ok("GET", `${path}/shared`);
    },
  },
  {
    name: "orphans on request, and waits for dependents in the foreground",
    async run(api) {
      await api.namespace("policies");
      const path = "/api/v1/namespaces/policies/configmaps";
      const reference = ({ metadata }: Answer) => ({
        apiVersion: "v1",
        kind: "ConfigMap",
        name: metadata.name,
        uid: metadata.uid,
        blockOwnerDeletion: true,
      });
      const owner = await api.ok("POST", path, configMap("owner"));
      await api.ok("POST", path, {
        ...configMap("child"),
        metadata: { name: "child", ownerReferences: [reference(owner)] },
      });
      await api.ok("DELETE", `${path}/owner`, { propagationPolicy: "Orphan" });
      await api.until(async () => (await api.peek("GET", `${path}/owner`)).code === 404, "the owner is gone");
      const orphan = (await api.peek("GET", `${path}/child`)).body;
      assert.deepEqual(orphan.metadata.ownerReferences ?? [], []);
      const parent = await api.ok("POST", path, configMap("parent"));
      const metadata = { name: "kept", ownerReferences: [reference(parent)], finalizers: [FINALIZER] };
      await api.ok("POST", path, { ...configMap("kept"), metadata });
      await api.ok("DELETE", `${path}/parent`, { propagationPolicy: "Foreground" });
      await api.until(
        async () => (await api.peek("GET", `${path}/kept`)).body.metadata.deletionTimestamp !== undefined,
        "the dependent is deleted",
      );
      await api.ok("GET", `${path}/parent`);
      await api.ok("PATCH", `${path}/kept`, { metadata: { finalizers: null } }, MERGE);
      await api.until(
        async () => (await api.peek("GET", `${path}/parent`)).code === 404,
        "the parent is gone",
      );
    },
  },
  {
    name: "empties and removes namespaces",
    async run(api) {
      await api.ok("POST", "/api/v1/namespaces", { metadata: { name: "emptied" } });
      const path = "/api/v1/namespaces/emptied/configmaps";
      await api.ok("POST", path, { ...configMap("a"), metadata: { name: "a", finalizers: [FINALIZER] } });
      await api.ok("POST", path, configMap("b"));
      await api.ok("DELETE", "/api/v1/namespaces/emptied");
      await api.until(async () => (await api.peek("GET", `${path}/b`)).code === 404, "the second is gone");
      await api.refused(403, "POST", path, configMap("c"));
      const namespace = (await api.peek("GET", "/api/v1/namespaces/emptied")).body;
      assert.equal(namespace.status.phase, "Terminating");
      await api.ok("PATCH", `${path}/a`, { metadata: { finalizers: null } }, MERGE);
      await api.until(
        async () => (await api.peek("GET", "/api/v1/namespaces/emptied")).code === 404,
        "the namespace is gone",
      );
      await api.refused(403, "DELETE", "/api/v1/namespaces/default");
      await api.refused(422, "POST", "/api/v1/namespaces", { metadata: { name: "Not.A.Name" } });
    },
  },
  {
    name: "deletes the objects of a definition with it",
    async run(api) {
      const group = "vanishing.example.com";
      await api.define(databases(group));
      const path = `/apis/${group}/v1/namespaces/default/databases`;
      const object = database(group, "a");
      object.metadata.finalizers = [FINALIZER];
      await api.ok("POST", path, object);
      const definition = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/databases.${group}`;
      const { body } = await api.peek("DELETE", definition);
      assert.ok(body);
      await api.until(
        async () => (await api.peek("GET", `${path}/a`)).body.metadata.deletionTimestamp !== undefined,
        "the object is deleted",
      );
      await api.ok("PATCH", `${path}/a`, { metadata: { finalizers: null } }, MERGE);
      await api.until(async () => (await api.peek("GET", definition)).code === 404, "the definition is gone");
      await api.until(async () => (await api.peek("GET", path)).code === 404, "its kind is gone");
    },
  },
];
