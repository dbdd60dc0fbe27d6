import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { humanDuration } from "../../../lib/kits/apiserver/formats/human_duration.ts";
import type { Kind } from "../../../lib/kits/apiserver/kinds.ts";
import { type PrinterColumn, toTable } from "../../../lib/kits/apiserver/tables.ts";
import type { JsonObject, KubeObject } from "../../../lib/model/object.ts";
import { bareKinds } from "./kinds.ts";

const NOW = Date.parse("2026-01-01T01:00:00Z");
const HOUR_AGO = "2026-01-01T00:00:00Z";

interface Table {
  columnDefinitions: { name: string; type: string; priority: number }[];
  rows: { cells: unknown[]; object: JsonObject | null; conditions?: unknown[] }[];
}

const KINDS = bareKinds();

function kindAt(plural: string, group = ""): Kind {
  const found = KINDS.find((kind) => kind.plural === plural && kind.group === group);
  assert.ok(found, `there are ${plural}.${group}`);
  return found;
}

function object(content: JsonObject): KubeObject {
  return { metadata: { name: "a", creationTimestamp: HOUR_AGO }, ...content };
}

function show(name: string, content: JsonObject): Record<string, unknown> {
  const [plural = "", ...group] = name.split(".");
  const table = toTable([object(content)], {
    kind: kindAt(plural, group.join(".")),
    nowMs: NOW,
  }) as unknown as Table;
  const cells = table.rows[0]!.cells;
  assert.equal(cells.length, table.columnDefinitions.length);
  return Object.fromEntries(table.columnDefinitions.map((column, index) => [column.name, cells[index]]));
}

describe("toTable()", () => {
  it("carries metadata, objects or nothing", () => {
    const config = object({ kind: "ConfigMap", apiVersion: "v1", data: { x: "1" } });
    const options = { kind: kindAt("configmaps"), nowMs: NOW };
    const rowOf = (includeObject?: "None" | "Metadata" | "Object") =>
      (toTable([config], { ...options, includeObject }) as unknown as Table).rows[0]!;
    assert.deepEqual(rowOf().object, {
      kind: "PartialObjectMetadata",
      apiVersion: "meta.k8s.io/v1",
      metadata: config.metadata,
    });
    assert.deepEqual(rowOf("Object").object, config);
    assert.equal(rowOf("None").object, null);
  });

  it("shows custom kinds by their printer columns", () => {
    const columns: PrinterColumn[] = [
      { name: "Engine", type: "string", jsonPath: ".spec.engine" },
      { name: "Replicas", type: "integer", jsonPath: ".spec.replicas", priority: 1 },
      { name: "Load", type: "number", jsonPath: ".status.load" },
      { name: "Backup", type: "boolean", jsonPath: ".spec.backup" },
      { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
      { name: "Labels", type: "string", jsonPath: ".spec.labels" },
      { name: "Missing", type: "string", jsonPath: ".spec.missing" },
      { name: "Wrong", type: "integer", jsonPath: ".spec.engine" },
      { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
    ];
    const database = object({
      spec: { engine: "mysql", replicas: 3, backup: false, labels: { b: 1, a: "x" } },
      status: { load: 0.5, conditions: [{ type: "Ready", status: "True" }] },
    });
    const kind = { apiVersion: "example.com/v1", plural: "databases", rules: kindAt("configmaps").rules };
    const table = toTable([database], { kind, columns, nowMs: NOW }) as unknown as Table;
    assert.deepEqual(table.rows[0]?.cells, [
      "a",
      "mysql",
      3,
      0.5,
      false,
      "True",
      '{"a":"x","b":1}',
      null,
      null,
      "60m",
    ]);
    assert.equal(table.columnDefinitions[2]?.priority, 1);
  });

  it("shows custom kinds without printer columns by name and age", () => {
    const kind = { apiVersion: "example.com/v1", plural: "databases", rules: kindAt("configmaps").rules };
    const table = toTable([object({})], { kind, columns: [], nowMs: NOW }) as unknown as Table;
    assert.deepEqual(table.columnDefinitions.map(({ name, type }) => [name, type]), [["Name", "string"], [
      "Age",
      "date",
    ]]);
    assert.deepEqual(table.rows[0]?.cells, ["a", "60m"]);
  });

  it("shows other kinds by name and moment of creation", () => {
    assert.deepEqual(show("customresourcedefinitions.apiextensions.k8s.io", {}), {
      "Name": "a",
      "Created At": HOUR_AGO,
    });
  });

  it("shows pods by readiness, state and restarts", () => {
    const status = {
      phase: "Running",
      podIPs: [{ ip: "10.0.0.1" }],
      containerStatuses: [
        { ready: true, restartCount: 0, state: { running: {} } },
        { ready: false, restartCount: 2, state: { waiting: { reason: "CrashLoopBackOff" } } },
      ],
    };
    const spec = { nodeName: "n", containers: [{ name: "x" }, { name: "y" }] };
    const shown = show("pods", { spec, status });
    assert.deepEqual([shown.Ready, shown.Status, shown.Restarts, shown.Age, shown.IP, shown.Node], [
      "1/2",
      "CrashLoopBackOff",
      "2",
      "60m",
      "10.0.0.1",
      "n",
    ]);
    const pending = show("pods", { spec: { containers: [{ name: "x" }] }, status: { phase: "Pending" } });
    assert.deepEqual([pending.Ready, pending.Status, pending.Node], ["0/1", "Pending", "<none>"]);
  });

  it("marks pods that have ended", () => {
    const pods = [object({ status: { phase: "Succeeded" } })];
    const table = toTable(pods, { kind: kindAt("pods"), nowMs: NOW }) as unknown as Table;
    assert.deepEqual(table.rows[0]?.conditions, [
      {
        type: "Completed",
        status: "True",
        reason: "Succeeded",
        message: "The pod has completed successfully.",
      },
    ]);
  });

  it("shows services by addresses and ports", () => {
    const ports = [{ port: 80, nodePort: 30080, protocol: "TCP" }, { port: 53, protocol: "UDP" }];
    const shown = show("services", {
      spec: { type: "NodePort", clusterIP: "10.0.0.1", ports, selector: { b: "2", a: "1" } },
    });
    assert.deepEqual(shown, {
      "Name": "a",
      "Type": "NodePort",
      "Cluster-IP": "10.0.0.1",
      "External-IP": "<none>",
      "Port(s)": "80:30080/TCP,53/UDP",
      "Age": "60m",
      "Selector": "a=1,b=2",
    });
  });

  it("shows workloads by replicas", () => {
    const template = { spec: { containers: [{ name: "c", image: "i:1" }] } };
    const spec = { replicas: 3, template, selector: { matchLabels: { app: "a" } }, schedule: "* * * * *" };
    const status = { readyReplicas: 1, updatedReplicas: 2, availableReplicas: 1, replicas: 3 };
    const deployment = show("deployments.apps", { spec, status });
    assert.deepEqual([deployment.Ready, deployment["Up-to-date"], deployment.Images, deployment.Selector], [
      "1/3",
      2,
      "i:1",
      "app=a",
    ]);
    assert.equal(show("statefulsets.apps", { spec, status }).Ready, "1/3");
    const cron = show("cronjobs.batch", {
      spec: { schedule: "* * * * *", suspend: false, jobTemplate: { spec } },
    });
    assert.deepEqual([cron.Schedule, cron.Suspend, cron.Active, cron["Last Schedule"], cron.Containers], [
      "* * * * *",
      "False",
      0,
      "<none>",
      "c",
    ]);
  });

  it("shows claims, configuration and leases", () => {
    const claim = show("persistentvolumeclaims", {
      spec: { volumeName: "v", storageClassName: "fast" },
      status: { phase: "Bound", capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"] },
    });
    assert.deepEqual(
      [claim.Status, claim.Volume, claim.Capacity, claim["Access Modes"], claim.StorageClass],
      [
        "Bound",
        "v",
        "1Gi",
        "RWO",
        "fast",
      ],
    );
    assert.equal(show("configmaps", { data: { a: "" }, binaryData: { b: "" } }).Data, 2);
    assert.equal(show("secrets", { type: "Opaque", data: { a: "" } }).Type, "Opaque");
    assert.equal(show("namespaces", { status: { phase: "Active" } }).Status, "Active");
    assert.equal(show("leases.coordination.k8s.io", { spec: { holderIdentity: "me" } }).Holder, "me");
  });

  it("shows events of both groups", () => {
    const core = show("events", {
      involvedObject: { kind: "Pod", name: "p" },
      message: "text\n",
      lastTimestamp: HOUR_AGO,
      count: 3,
      source: { component: "c", host: "h" },
    });
    assert.deepEqual([core["Last Seen"], core.Object, core.Message, core.Count, core.Source], [
      "60m",
      "pod/p",
      "text",
      3,
      "c, h",
    ]);
    const fresh = show("events.events.k8s.io", {
      regarding: { kind: "Pod", name: "p" },
      note: "text",
      eventTime: HOUR_AGO,
    });
    assert.deepEqual([fresh["Last Seen"], fresh.Object, fresh.Message, fresh.Count], [
      "60m",
      "pod/p",
      "text",
      1,
    ]);
  });
});

describe("humanDuration()", () => {
  it("shows ages as kubectl does", () => {
    const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000];
    const cases: [number, string][] = [
      [-3 * second, "<invalid>"],
      [-1 * second, "0s"],
      [119 * second, "119s"],
      [2 * minute, "2m"],
      [9 * minute + 59 * second, "9m59s"],
      [10 * minute + 5 * second, "10m"],
      [179 * minute, "179m"],
      [3 * hour + minute, "3h1m"],
      [8 * hour + minute, "8h"],
      [47 * hour, "47h"],
      [2 * day + hour, "2d1h"],
      [8 * day + hour, "8d"],
      [729 * day, "729d"],
      [731 * day, "2y1d"],
      [8 * 365 * day, "8y"],
    ];
    for (const [duration, text] of cases) assert.equal(humanDuration(duration), text);
  });
});
