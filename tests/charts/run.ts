/**
 * Has Helm itself judge the charts of `lotse generate manifests --format helm`: `helm lint --strict`, `helm template` with every value,
 * and on a real control plane the life of a release: installed, changed, and uninstalled.
 *
 *   deno run -A tests/charts/run.ts [--dry]     without the control plane
 *
 * Needs Go and the module proxy, or HELM, the path of an executable; and the control plane. Part of the nightly run.
 */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import ferry from "../../examples/18-admission/handlers.ts";
import bakery from "../../examples/27-schemas/handlers.ts";
import { toChart } from "../../lib/kits/generate/helm.ts";
import type { KubeObject } from "../../lib/model/object.ts";
import { formatYaml, parseYaml } from "../../lib/runtime/yaml.ts";
import type { Operator } from "../../mod.ts";
import { startControlPlane } from "../control_plane/control_plane.ts";
import { goTool } from "../support/go_tool.ts";
import { manifestsOf } from "../support/manifests.ts";

const HELM = goTool({ name: "helm", path: "helm.sh/helm/v3/cmd/helm", version: "v3.21.4" });

// deno-lint-ignore no-explicit-any -- looked at by hand
type Loose = any;

const folder = mkdtempSync(join(tmpdir(), "lotse-charts-"));
const env = { ...process.env, HELM_CACHE_HOME: folder, HELM_CONFIG_HOME: folder, HELM_DATA_HOME: folder };

function helm(args: readonly string[], kubeconfig?: string): string {
  const { status, stdout, stderr } = spawnSync(HELM, args, {
    encoding: "utf8",
    env: { ...env, ...kubeconfig !== undefined && { KUBECONFIG: kubeconfig } },
  });
  if (status !== 0) throw new Error(`helm ${args.join(" ")}: ${stdout}${stderr}`);
  return stdout;
}

function chartOf(name: string, op: Operator, replicas?: number): string {
  const manifests = manifestsOf({ operators: [op], name, home: name, image: `${name}:1`, replicas });
  const chart = join(folder, name);
  const texts = toChart(manifests, { name, version: "1.2.3", monitoring: false, networkPolicy: true });
  for (const [path, text] of texts) {
    mkdirSync(dirname(join(chart, path)), { recursive: true });
    writeFileSync(join(chart, path), text);
  }
  return chart;
}

/** Every value, other than its default. */
const VALUES = {
  image: { repository: "mirror.example.com/bakery", tag: "2", pullPolicy: "Always" },
  imagePullSecrets: [{ name: "mirror" }],
  replicas: 3,
  args: ["--namespace=bread", "--replicas", "--standalone"],
  env: [{ name: "OVEN", value: "hot" }],
  resources: { requests: { cpu: "1", memory: "1Gi" }, limits: { memory: "1Gi" } },
  serviceAccount: { create: true, name: "baker", annotations: { "example.com/role": "baker" } },
  annotations: { "example.com/team": "bread" },
  podAnnotations: { "example.com/scrape": "yes" },
  podLabels: { "example.com/tier": "back" },
  nodeSelector: { "kubernetes.io/os": "linux" },
  tolerations: [{ key: "spot", operator: "Exists" }],
  affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
  priorityClassName: "system-cluster-critical",
  terminationGracePeriodSeconds: 42,
  monitoring: { enabled: true, labels: { release: "prometheus" } },
  networkPolicy: { enabled: false },
  extraObjects: [{
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "{{ .Release.Name }}-extra" },
    data: { it: "is" },
  }],
};

function rendered(text: string): KubeObject[] {
  return (parseYaml(text) as unknown as (KubeObject | null)[]).filter((each) => each !== null);
}

function judgeTemplates(chart: string): void {
  const values = join(folder, "values.yaml");
  writeFileSync(values, formatYaml(VALUES));
  const objects = rendered(helm(["template", "early", chart, "-n", "bread", "-f", values]));
  const find = (kind: string): Loose => objects.find((each) => each.kind === kind);
  const { metadata, spec } = find("Deployment");
  const { spec: pod, metadata: { annotations, labels } } = spec.template;
  const [container] = pod.containers;
  assert.equal(metadata.name, "early-bakery");
  assert.equal(metadata.annotations["example.com/team"], "bread");
  assert.match(metadata.annotations["lotse.dev/traces"], /bakeries/);
  assert.deepEqual([annotations["example.com/scrape"], labels["example.com/tier"]], ["yes", "back"]);
  assert.deepEqual(labels["app.kubernetes.io/instance"], "early");
  assert.equal(spec.selector.matchLabels["app.kubernetes.io/instance"], "early");
  for (
    const name of [
      "imagePullSecrets",
      "nodeSelector",
      "tolerations",
      "affinity",
      "priorityClassName",
    ] as const
  ) {
    assert.deepEqual(pod[name], VALUES[name], name);
  }
  assert.deepEqual([spec.replicas, pod.terminationGracePeriodSeconds, pod.serviceAccountName], [
    3,
    42,
    "baker",
  ]);
  assert.deepEqual([container.image, container.imagePullPolicy], ["mirror.example.com/bakery:2", "Always"]);
  assert.deepEqual([container.args, container.resources], [VALUES.args, VALUES.resources]);
  assert.deepEqual(container.env.at(-1), { name: "OVEN", value: "hot" });
  const leases = container.env.find(({ name }: Loose) => name === "LOTSE_REPLICAS_NAME");
  assert.equal(leases.value, "early-bakery");
  const { metadata: account } = find("ServiceAccount");
  assert.deepEqual([account.name, account.annotations], ["baker", { "example.com/role": "baker" }]);
  assert.equal(find("ClusterRoleBinding").subjects[0].name, "baker");
  assert.equal(find("ConfigMap").metadata.name, "early-extra");
  assert.equal(find("ServiceMonitor").metadata.labels.release, "prometheus");
  assert.match(JSON.stringify(find("PrometheusRule")), /job=\\"early-bakery\\"/);
  assert.equal(find("NetworkPolicy"), undefined);
  assert.throws(
    () => helm(["template", "early", chart, "--set", "serviceAccount.create=false"]),
    /serviceAccount\.name is needed/,
  );
}

async function live(charts: readonly string[]): Promise<void> {
  await using plane = await startControlPlane();
  const { kubeconfig } = plane;
  const [bakeryChart = "", ferryChart = ""] = charts;
  helm(["install", "early", bakeryChart, "-n", "bread", "--create-namespace"], kubeconfig);
  const get = async (what: string): Promise<Loose> =>
    JSON.parse(await plane.kubectl(["-n", "bread", "get", ...what.split(" "), "-o", "json"]));
  assert.equal((await get("deployment early-bakery")).spec.replicas, 2);
  const changed = ["--set", "replicas=3", "--set", "image.tag=2", "--set", "nodeSelector.disk=ssd"];
  helm(["upgrade", "early", bakeryChart, "-n", "bread", ...changed], kubeconfig);
  const { spec } = await get("deployment early-bakery");
  assert.deepEqual([spec.replicas, spec.template.spec.nodeSelector], [3, { disk: "ssd" }]);
  // Two releases of one chart, in one namespace.
  helm(["install", "late", bakeryChart, "-n", "bread", "--set", "crds.enabled=false"], kubeconfig);
  assert.equal((await get("deployment late-bakery")).spec.replicas, 2);
  helm(["uninstall", "early", "-n", "bread"], kubeconfig);
  helm(["uninstall", "late", "-n", "bread"], kubeconfig);
  assert.deepEqual(
    (await get("deployment,serviceaccount,role,pdb")).items.map((each: Loose) => each.metadata.name),
    [
      ..."",
    ],
  );
  assert.match(await plane.kubectl(["get", "crd", "bakeries.example.com"]), /bakeries/);
  helm(["install", "ferry", ferryChart, "-n", "harbour", "--create-namespace"], kubeconfig);
  const hooks = await plane.kubectl(["get", "validatingwebhookconfigurations", "-o", "name"]);
  assert.match(hooks, /validatingwebhookconfiguration/);
  helm(["uninstall", "ferry", "-n", "harbour"], kubeconfig);
  assert.equal(await plane.kubectl(["get", "validatingwebhookconfigurations", "-o", "name"]), "");
}

try {
  const charts = [chartOf("bakery", bakery, 2), chartOf("ferry", ferry)];
  for (const chart of charts) helm(["lint", "--strict", chart]);
  judgeTemplates(charts[0] ?? "");
  assert.throws(
    () => helm(["template", "x", charts[1] ?? "", "--set", "replicas=2"]),
    /there can be one replica/,
  );
  console.log("lint and template: as they should be");
  if (process.argv[2] !== "--dry") {
    await live(charts);
    console.log("install, upgrade, uninstall: as they should be");
  }
} finally {
  rmSync(folder, { recursive: true });
}
