/** PriorityClasses, and the priorities that Pods get by them. */

import assert from "node:assert/strict";
import { type Answer, MERGE } from "../session.ts";
import type { Scenario } from "./scenario.ts";

const CLASSES = "/apis/scheduling.k8s.io/v1/priorityclasses";

function pod(name: string, spec: Answer): Answer {
  return {
    metadata: { name },
    spec: { automountServiceAccountToken: false, containers: [{ name: "c", image: "i:1" }], ...spec },
  };
}

export const PRIORITIES: readonly Scenario[] = [
  {
    name: "gives Pods the priority of their class, and refuses those whose class is not there",
    async run(api) {
      await api.namespace("priorities");
      const path = "/api/v1/namespaces/priorities/pods";
      await api.refused(403, "POST", path, pod("a", { priorityClassName: "high" }));
      await api.refused(403, "POST", path, pod("a", { priority: 7 }));
      const system = await api.ok("POST", path, pod("s", { priorityClassName: "system-node-critical" }));
      assert.equal(system.spec.priority, 2_000_001_000);
      await api.ok("POST", CLASSES, { metadata: { name: "high" }, value: 1000, preemptionPolicy: "Never" });
      const inForce = async () =>
        (await api.peek("POST", `${path}?dryRun=All`, pod("p", { priorityClassName: "high" }))).code === 201;
      await api.until(inForce, "the class counts");
      const made = await api.ok("POST", path, pod("a", { priorityClassName: "high" }));
      assert.deepEqual([made.spec.priority, made.spec.preemptionPolicy], [1000, "Never"]);
      await api.refused(403, "POST", path, pod("b", { priorityClassName: "high", priority: 7 }));
      const policy = { preemptionPolicy: "PreemptLowerPriority" };
      await api.refused(403, "POST", path, pod("b", { priorityClassName: "high", ...policy }));
      await api.ok("POST", path, pod("b", { priorityClassName: "high", priority: 1000 }));
      await api.ok("DELETE", `${CLASSES}/high`);
      // What a Pod has been given stays.
      await api.ok("PATCH", `${path}/a`, { metadata: { labels: { a: "b" } } }, MERGE);
      await api.ok("GET", `${CLASSES}/system-cluster-critical`);
      await api.refused(403, "DELETE", `${CLASSES}/system-cluster-critical`);
      await api.ok("DELETE", `${CLASSES}?dryRun=All`);
    },
  },
  {
    name: "takes one PriorityClass as the default, and refuses those that cannot be",
    async run(api) {
      await api.namespace("priority-default");
      const path = "/api/v1/namespaces/priority-default/pods";
      await api.ok("POST", CLASSES, { metadata: { name: "usual" }, value: 5, globalDefault: true });
      const isUsual = async () =>
        (await api.peek("POST", `${path}?dryRun=All`, pod("p", {}))).body.spec.priority === 5;
      await api.until(isUsual, "the default counts");
      const made = await api.ok("POST", path, pod("a", {}));
      assert.deepEqual([made.spec.priorityClassName, made.spec.priority], ["usual", 5]);
      const refuse = (code: number, name: string, rest: Answer) =>
        api.refused(code, "POST", CLASSES, { metadata: { name }, ...rest });
      await refuse(403, "other", { value: 6, globalDefault: true });
      await refuse(422, "huge", { value: 1_000_000_001 });
      await refuse(422, "system-mine", { value: 6 });
      await refuse(422, "system-node-critical", { value: 6 });
      await refuse(422, "strange", { value: 6, preemptionPolicy: "Perhaps" });
      await api.refused(422, "PATCH", `${CLASSES}/usual`, { preemptionPolicy: "Never" }, MERGE);
      await api.ok("PATCH", `${CLASSES}/usual`, { globalDefault: false }, MERGE);
      await api.ok("DELETE", `${CLASSES}/usual`);
      const isGone = async () =>
        (await api.peek("POST", `${path}?dryRun=All`, pod("p", {}))).body.spec.priority === 0;
      await api.until(isGone, "no default counts");
    },
  },
  {
    name: "gives Pods their priority before webhooks see them, and asks these again if it has changed since",
    async run(api) {
      const namespace = "priorities-again";
      await api.namespace(namespace);
      for (const [name, value] of [["again-low", 1], ["again-high", 10]]) {
        await api.ok("POST", CLASSES, { metadata: { name }, value });
      }
      let seen: Answer[] = [];
      await using hook = await api.serveHook(({ request: { uid, object }, apiVersion, kind }) => {
        const { priorityClassName, priority, tolerations = [] } = object.spec;
        seen.push([priorityClassName, priority, tolerations.length]);
        const to = object.metadata.labels.to;
        const patch = [
          { op: "add", path: "/spec/priorityClassName", value: to },
          { op: "remove", path: "/spec/priority" },
        ];
        const more = priorityClassName === to
          ? {}
          : { patchType: "JSONPatch", patch: btoa(JSON.stringify(patch)) };
        return { apiVersion, kind, response: { uid, allowed: true, ...more } };
      });
      const path = `/api/v1/namespaces/${namespace}/pods`;
      const configurations = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";
      const labelled = (name: string, to: string) => {
        const made = pod(name, { priorityClassName: "again-low" });
        return { ...made, metadata: { name, labels: { to } } };
      };
      for (const reinvocationPolicy of ["IfNeeded", "Never"]) {
        const name = `${namespace}-${reinvocationPolicy.toLowerCase()}`;
        await api.ok("POST", configurations, {
          metadata: { name },
          webhooks: [{
            name: "priorities.lotse.dev",
            clientConfig: hook.config("/"),
            rules: [{ apiGroups: [""], apiVersions: ["v1"], resources: ["pods"], operations: ["CREATE"] }],
            namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
            admissionReviewVersions: ["v1"],
            sideEffects: "None",
            reinvocationPolicy,
          }],
        });
        const isAsked = async () => {
          seen = [];
          await api.peek("POST", `${path}?dryRun=All`, labelled("probe", "again-low"));
          return seen.length > 0;
        };
        await api.until(isAsked, "the webhook is asked");
        seen = [];
        const made = await api.ok("POST", path, labelled(`a-${name}`, "again-high"));
        assert.equal(made.spec.priority, 10);
        api.note(`seen with ${reinvocationPolicy}`, seen);
        await api.refused(403, "POST", path, labelled(`b-${name}`, "again-none"));
        await api.peek("DELETE", `${configurations}/${name}`);
        const isForgotten = async () => !(await isAsked());
        await api.until(isForgotten, "the webhook is not asked any more");
      }
      for (const name of ["again-low", "again-high"]) await api.peek("DELETE", `${CLASSES}/${name}`);
    },
  },
];
