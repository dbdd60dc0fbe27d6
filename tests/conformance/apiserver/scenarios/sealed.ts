/** Fields of built-in kinds that cannot be changed once they are there. */

import { type Answer, MERGE } from "../session.ts";
import type { Scenario } from "./scenario.ts";

const template = (app: string): Answer => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: "c", image: "i" }] },
});

const PRINTED = {
  line: /"Spec\\?":|v1\.LabelSelector\{|immutable after creation/,
  because: "the real server prints what differs, as Go prints it",
};

export const SEALED: readonly Scenario[] = [
  {
    name: "refuses other selectors of workloads",
    accepted: [{ line: /\.status|annotations|generation/, because: "the real controllers work on them" }],
    async run(api) {
      await api.namespace("selectors-sealed");
      for (const plural of ["deployments", "replicasets", "daemonsets"]) {
        const path = `/apis/apps/v1/namespaces/selectors-sealed/${plural}`;
        const spec: Answer = {
          selector: { matchLabels: { app: "a" } },
          template: { ...template("a"), metadata: { labels: { app: "a", also: "b" } } },
        };
        if (plural !== "daemonsets") spec.replicas = 0;
        await api.ok("POST", path, { metadata: { name: "a" }, spec });
        await api.refused(
          422,
          "PATCH",
          `${path}/a`,
          { spec: { selector: { matchLabels: { also: "b" } } } },
          MERGE,
        );
        await api.refused(422, "PATCH", `${path}/a`, {
          spec: { selector: { matchLabels: { app: null, also: "b" } } },
        }, MERGE);
      }
    },
  },
  {
    name: "refuses changes of a StatefulSet that cannot be rolled out",
    accepted: [{ line: /\.status|ontrollerRevision/, because: "the real controller works on it" }],
    async run(api) {
      await api.namespace("sets-sealed");
      const path = "/apis/apps/v1/namespaces/sets-sealed/statefulsets";
      await api.ok("POST", path, {
        metadata: { name: "a" },
        spec: {
          replicas: 0,
          serviceName: "a",
          selector: { matchLabels: { app: "a" } },
          template: { ...template("a"), metadata: { labels: { app: "a", also: "b" } } },
        },
      });
      const refuse = (spec: Answer) => api.refused(422, "PATCH", `${path}/a`, { spec }, MERGE);
      await refuse({ serviceName: "b" });
      await refuse({ podManagementPolicy: "Parallel" });
      await refuse({ selector: { matchLabels: { app: null, also: "b" } } });
      await refuse({
        volumeClaimTemplates: [{
          metadata: { name: "x" },
          spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
        }],
      });
      await api.ok("PATCH", `${path}/a`, { spec: { minReadySeconds: 3, revisionHistoryLimit: 2 } }, MERGE);
    },
  },
  {
    name: "refuses other templates, selectors and completions of a Job",
    accepted: [PRINTED, { line: /\.status/, because: "the real controller works on it" }],
    async run(api) {
      await api.namespace("jobs-sealed");
      const path = "/apis/batch/v1/namespaces/jobs-sealed/jobs";
      const spec = { ...template("a").spec, restartPolicy: "Never" };
      await api.ok("POST", path, {
        metadata: { name: "a" },
        spec: { parallelism: 0, completions: 2, template: { spec } },
      });
      const refuse = (change: Answer) => api.refused(422, "PATCH", `${path}/a`, { spec: change }, MERGE);
      await refuse({ completions: 3 });
      await refuse({ completionMode: "Indexed" });
      await refuse({ template: { metadata: { labels: { x: "y" } } } });
      await refuse({ template: { spec: { containers: [{ name: "c", image: "j" }] } } });
      await api.ok("PATCH", `${path}/a`, { spec: { backoffLimit: 2, activeDeadlineSeconds: 100 } }, MERGE);
    },
  },
  {
    name: "refuses other specs of claims and sources of volumes",
    accepted: [PRINTED, {
      line: /finalizers|\.status|annotations|managedFields/,
      because: "the real controllers bind and protect",
    }],
    async run(api) {
      await api.namespace("storage-sealed");
      const claims = "/api/v1/namespaces/storage-sealed/persistentvolumeclaims";
      await api.ok("POST", claims, {
        metadata: { name: "a" },
        spec: {
          accessModes: ["ReadWriteOnce"],
          storageClassName: "none",
          resources: { requests: { storage: "1Gi" } },
        },
      });
      await api.refused(422, "PATCH", `${claims}/a`, { spec: { accessModes: ["ReadOnlyMany"] } }, MERGE);
      await api.refused(422, "PATCH", `${claims}/a`, {
        spec: { resources: { requests: { storage: "2Gi" } } },
      }, MERGE);
      const volumes = "/api/v1/persistentvolumes";
      await api.ok("POST", volumes, {
        metadata: { name: "sealed" },
        spec: {
          accessModes: ["ReadWriteOnce"],
          capacity: { storage: "1Gi" },
          hostPath: { path: "/x" },
          storageClassName: "other",
        },
      });
      await api.refused(422, "PATCH", `${volumes}/sealed`, { spec: { hostPath: { path: "/y" } } }, MERGE);
      await api.ok("PATCH", `${volumes}/sealed`, { spec: { capacity: { storage: "2Gi" } } }, MERGE);
      await api.pause(2);
      await api.ok("DELETE", `${volumes}/sealed`);
    },
  },
  {
    name: "refuses other addresses of services, provisioners of classes and values of priorities",
    async run(api) {
      await api.namespace("others-sealed");
      const services = "/api/v1/namespaces/others-sealed/services";
      await api.ok("POST", services, {
        metadata: { name: "a" },
        spec: { clusterIP: "None", selector: { a: "b" }, ports: [{ port: 80 }] },
      });
      await api.refused(422, "PATCH", `${services}/a`, {
        spec: { clusterIP: "10.0.0.77", clusterIPs: ["10.0.0.77"] },
      }, MERGE);
      const classes = "/apis/storage.k8s.io/v1/storageclasses";
      await api.ok("POST", classes, {
        metadata: { name: "sealed" },
        provisioner: "a.example.com",
        parameters: { a: "1" },
      });
      await api.refused(422, "PATCH", `${classes}/sealed`, { provisioner: "b.example.com" }, MERGE);
      await api.refused(422, "PATCH", `${classes}/sealed`, { parameters: { a: "2" } }, MERGE);
      await api.refused(422, "PATCH", `${classes}/sealed`, { reclaimPolicy: "Retain" }, MERGE);
      await api.refused(
        422,
        "PATCH",
        `${classes}/sealed`,
        { volumeBindingMode: "WaitForFirstConsumer" },
        MERGE,
      );
      const priorities = "/apis/scheduling.k8s.io/v1/priorityclasses";
      await api.ok("POST", priorities, { metadata: { name: "sealed" }, value: 5 });
      await api.refused(422, "PATCH", `${priorities}/sealed`, { value: 6 }, MERGE);
    },
  },
];
