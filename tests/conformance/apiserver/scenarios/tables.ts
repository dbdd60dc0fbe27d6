/** Tables: the columns of each built-in kind, and the cells of those that no other scenario makes. */

import assert from "node:assert/strict";
import { type Answer, type Session, TABLE } from "../session.ts";
import type { Scenario } from "./scenario.ts";

/** Of a column, all but its description. */
function columnsOf({ columnDefinitions }: Answer): unknown {
  return columnDefinitions.map(({ name, type, format, priority }: Answer) => [name, type, format, priority]);
}

async function noteRow(api: Session, path: string): Promise<void> {
  const { body } = await api.peek("GET", path, undefined, TABLE);
  assert.equal(body.kind, "Table", `${path}: ${JSON.stringify(body)}`);
  const [{ cells }] = body.rows;
  // NB: ages.
  api.note(`TABLE ${path}`, [
    columnsOf(body),
    cells.map((cell: unknown) => /^\d+m?s$/.test(String(cell)) || cell),
  ]);
}

const TEMPLATE = {
  metadata: { labels: { app: "a" } },
  spec: { containers: [{ name: "c", image: "i:1" }] },
};

/** By path: objects of kinds that few clients look at. */
const MADE: readonly (readonly [path: string, object: Answer])[] = [
  ["/api/v1/namespaces/all-tables/podtemplates", { metadata: { name: "all-tables" }, template: TEMPLATE }],
  ["/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations", {
    metadata: { name: "all-tables" },
    spec: {
      type: "Limited",
      limited: {
        nominalConcurrencyShares: 3,
        limitResponse: { type: "Queue", queuing: { queues: 8, handSize: 2 } },
      },
    },
  }],
  ["/apis/networking.k8s.io/v1/servicecidrs", {
    metadata: { name: "all-tables" },
    spec: { cidrs: ["10.77.0.0/24"] },
  }],
  ["/apis/networking.k8s.io/v1/ipaddresses", {
    metadata: { name: "10.77.0.9" },
    spec: { parentRef: { resource: "services", namespace: "default", name: "a" } },
  }],
  ["/apis/node.k8s.io/v1/runtimeclasses", { metadata: { name: "all-tables" }, handler: "fast" }],
  ["/apis/networking.k8s.io/v1/ingressclasses", {
    metadata: {
      name: "all-tables",
      annotations: { "ingressclass.kubernetes.io/is-default-class": "true" },
    },
    spec: { controller: "example.com/c", parameters: { apiGroup: "example.com", kind: "P", name: "p" } },
  }],
  ["/apis/storage.k8s.io/v1/storageclasses", {
    metadata: { name: "all-tables" },
    provisioner: "example.com/p",
  }],
  ["/apis/storage.k8s.io/v1/csidrivers", {
    metadata: { name: "all-tables.example.com" },
    spec: { podInfoOnMount: true, tokenRequests: [{ audience: "a" }] },
  }],
  ["/apis/storage.k8s.io/v1/volumeattachments", {
    metadata: { name: "all-tables" },
    spec: { attacher: "example.com", nodeName: "n", source: { persistentVolumeName: "v" } },
  }],
  ["/apis/apps/v1/namespaces/all-tables/controllerrevisions", {
    metadata: {
      name: "all-tables",
      finalizers: ["example.com/hold"], // its owner is not there, and it would be collected
      ownerReferences: [{
        apiVersion: "apps/v1",
        kind: "StatefulSet",
        name: "s",
        uid: "u",
        controller: true,
      }],
    },
    revision: 3,
    data: {},
  }],
  ["/apis/discovery.k8s.io/v1/namespaces/all-tables/endpointslices", {
    metadata: { name: "all-tables" },
    addressType: "IPv4",
    ports: [{ port: 80 }, { name: "x", port: 81 }],
    endpoints: ["1", "2", "3", "4"].map((last) => ({ addresses: [`192.0.2.${last}`] })),
  }],
  ["/apis/storage.k8s.io/v1/namespaces/all-tables/csistoragecapacities", {
    metadata: { name: "all-tables" },
    storageClassName: "quick",
    capacity: "3Gi",
  }],
];

/** A request of "jane", in PEM and base64. */
const REQUEST = [
  "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlISk1IRUNBUUF3RHpFTk1Bc0dBMVVFQXd3RWFtRn",
  "VaVEJaTUJNR0J5cUdTTTQ5QWdFR0NDcUdTTTQ5QXdFSApBMElBQkdmenVDOGNFejArSDdmL0xHQjRDenpYeW1tZWlR",
  "VUJsT3JUU3U5TXlXMEZaanpiSE11ODhLMnQ5Szl5CkQ0NEZIZGVhQnBnS21DL3cybDF0YTVqckhYcWdBREFLQmdncW",
  "hrak9QUVFEQWdOSUFEQkZBaUJYU3hnR1E4TGoKekpUMlplNE9CNTIxd3BhdnF5bU5zNVE4Vy9yWW5HRFlvZ0loQUxI",
  "Z0JlNGF5aitRM08ra2o3amRGeVBHTDdvQgpDYTd4QWVyOHJCS1pXNjlPCi0tLS0tRU5EIENFUlRJRklDQVRFIFJFUV",
  "VFU1QtLS0tLQo=",
].join("");

const METRICS = [
  { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 60 } } },
  { type: "Resource", resource: { name: "memory", target: { type: "AverageValue", averageValue: "1Gi" } } },
  { type: "Pods", pods: { metric: { name: "p" }, target: { type: "AverageValue", averageValue: "5" } } },
];

export const TABLES: readonly Scenario[] = [
  {
    name: "shows each built-in kind in columns of its own",
    async run(api) {
      const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
      const { body: { items } } = await api.peek("GET", definitions);
      const custom = new Set(items.map(({ spec }: Answer) => spec.group));
      const { body: { groups } } = await api.peek("GET", "/apis");
      const versions = groups.filter(({ name }: Answer) => !custom.has(name))
        .map(({ preferredVersion }: Answer) => `/apis/${preferredVersion.groupVersion}`);
      for (const root of ["/api/v1", ...versions].sort()) {
        const { body: { resources } } = await api.peek("GET", root);
        const sorted = [...resources].sort((a: Answer, b: Answer) => (a.name < b.name ? -1 : 1));
        for (const { name, verbs } of sorted) {
          if (name.includes("/") || !verbs.includes("list") || name === "componentstatuses") continue;
          const { body } = await api.peek("GET", `${root}/${name}?limit=1`, undefined, TABLE);
          api.note(`the columns of ${root}/${name}`, columnsOf(body));
        }
      }
    },
  },
  {
    name: "shows rare kinds, scales, autoscalers and requests for certificates as tables",
    async run(api) {
      await api.namespace("all-tables");
      for (const [path, object] of MADE) {
        const { code, body } = await api.peek("POST", path, object);
        assert.equal(code, 201, JSON.stringify(body));
        await noteRow(api, `${path}/${object.metadata.name}`);
      }
      const requests = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
      await api.peek("POST", requests, {
        metadata: { name: "all-tables" },
        spec: {
          request: REQUEST,
          signerName: "example.com/s",
          usages: ["client auth"],
          expirationSeconds: 7200,
        },
      });
      const { body: request } = await api.peek("GET", `${requests}/all-tables`, undefined, TABLE);
      const [, , signer, , duration, condition] = request.rows[0].cells;
      api.note("a request for a certificate", [signer, duration, condition]);
      const autoscalers = "/apis/autoscaling/v2/namespaces/all-tables/horizontalpodautoscalers";
      for (const [name, metrics] of Object.entries({ one: METRICS.slice(0, 1), all: METRICS })) {
        const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "a" };
        await api.peek("POST", autoscalers, {
          metadata: { name },
          spec: { scaleTargetRef, minReplicas: 2, maxReplicas: 3, metrics },
        });
        await noteRow(api, `${autoscalers}/${name}`);
      }
      const deployments = "/apis/apps/v1/namespaces/all-tables/deployments";
      await api.peek("POST", deployments, {
        metadata: { name: "a" },
        // Paused, so that no controller makes Pods before its row is looked at.
        spec: { replicas: 3, paused: true, selector: { matchLabels: { app: "a" } }, template: TEMPLATE },
      });
      await noteRow(api, `${deployments}/a/scale`);
    },
  },
];
