import assert from "node:assert/strict";
import { describe, it } from "node:test";
import bakery, { Bakery } from "../../../examples/27-schemas/handlers.ts";
import ferry from "../../../examples/18-admission/handlers.ts";
import { toKustomize, toYaml } from "../../../lib/kits/generate/manifests.ts";
import { manifestsOf } from "../../support/manifests.ts";
import { parseYaml } from "../../../lib/runtime/yaml.ts";
import { operator, resource } from "../../../mod.ts";
import { z } from "zod";

const OPTIONS = {
  operators: [bakery],
  name: "bakery",
  home: "bread",
  image: "registry.example.com:5000/bakery:1.0",
};

// deno-lint-ignore no-explicit-any -- looked at by hand
type Loose = any;

function kindsOf(text: string): string[] {
  return parseYaml(text).map((each: Loose) => each.kind);
}

describe("makeManifests()", () => {
  it("makes what a cluster needs, in the order in which it is to be applied", () => {
    const text = toYaml(manifestsOf(OPTIONS), { monitoring: true, networkPolicy: true });
    assert.deepEqual(kindsOf(text), [
      ...["CustomResourceDefinition", "Namespace", "ServiceAccount", "ClusterRole", "ClusterRoleBinding"],
      ...[
        "Deployment",
        "Service",
        "PodDisruptionBudget",
        "ServiceMonitor",
        "PrometheusRule",
        "NetworkPolicy",
      ],
    ]);
    assert.deepEqual(
      kindsOf(toYaml(manifestsOf(OPTIONS), { monitoring: false, networkPolicy: false })).slice(-1),
      [
        "PodDisruptionBudget",
      ],
    );
  });

  it("leads to the operator where versions are converted, as webhooks do", () => {
    const versions = { v0: { convert: { toHub: () => ({}), fromHub: () => ({}) } } };
    const names = { group: "example.com", version: "v1", plural: "loaves", kind: "Loaf" };
    const op = operator();
    op.on.create(resource({ ...names, spec: z.object({}), versions }), () => {});
    const { crds, operator: objects } = manifestsOf({ ...OPTIONS, operators: [op] }) as Loose;
    assert.deepEqual(crds[0].spec.conversion.webhook.clientConfig, {
      service: { namespace: "bread", name: "bakery-webhook", path: "/convert", port: 443 },
    });
    const [{ spec }] = objects;
    const [, { containerPort }] = spec.template.spec.containers[0].ports;
    const service = objects.find(({ metadata }: Loose) => metadata.name === "bakery-webhook");
    assert.deepEqual([containerPort, service.spec.ports[0].port], [9443, 443]);
  });

  it("runs the operator without any privilege, with probes, and with time to stop", () => {
    const [deployment] = manifestsOf({ ...OPTIONS, namespaces: ["a", "b-*"] }).operator as Loose[];
    const pod = deployment.spec.template.spec;
    const [container] = pod.containers;
    assert.equal(pod.serviceAccountName, "bakery");
    assert.equal(pod.terminationGracePeriodSeconds, 610);
    assert.equal(pod.securityContext.runAsNonRoot, true);
    // OpenShift refuses a user that is not of its range.
    assert.deepEqual(
      [pod.securityContext, container.securityContext].flatMap(Object.keys).filter((key) =>
        /^(runAsUser|runAsGroup|fsGroup)$/.test(key)
      ),
      [],
    );
    assert.equal(container.securityContext.readOnlyRootFilesystem, true);
    assert.deepEqual(container.args, [
      ...["--namespace=a", "--namespace=b-*", "--liveness=http://0.0.0.0:8080/healthz", "--log-format=json"],
      "--standalone",
    ]);
    assert.deepEqual(
      [container.livenessProbe, container.readinessProbe].map((probe) => probe.httpGet.path),
      ["/healthz", "/readyz"],
    );
    assert.deepEqual(deployment.spec.strategy, { type: "Recreate" });
  });

  it("[N28.9] lets Pods overlap where Leases say who is responsible, and spreads them", () => {
    const [deployment] = manifestsOf({ ...OPTIONS, replicas: 3 }).operator as Loose[];
    const { replicas, strategy, template } = deployment.spec;
    assert.equal(replicas, 3);
    assert.deepEqual(strategy, {
      type: "RollingUpdate",
      rollingUpdate: { maxSurge: 1, maxUnavailable: 0 },
    });
    const [container] = template.spec.containers;
    assert.ok(container.args.includes("--replicas"));
    assert.deepEqual(container.env[1], { name: "LOTSE_REPLICAS_NAME", value: "bakery" });
    assert.equal(template.spec.topologySpreadConstraints.length, 2);
  });

  it("gives webhooks a port and a Service", () => {
    const { operator } = manifestsOf({ ...OPTIONS, operators: [ferry], webhookPort: 9443 });
    const [deployment, , webhook] = operator as Loose[];
    assert.deepEqual(deployment.spec.template.spec.containers[0].ports[1], {
      name: "webhook",
      containerPort: 9443,
    });
    assert.equal(webhook.metadata.name, "bakery-webhook");
    assert.deepEqual(webhook.spec.ports, [{ name: "webhook", port: 443, targetPort: "webhook" }]);
  });

  it("takes kinds that are only exported", () => {
    const { crds } = manifestsOf({ ...OPTIONS, operators: [ferry], exports: [Bakery] });
    assert.deepEqual(crds.map(({ metadata }) => metadata.name), ["bakeries.example.com"]);
  });
});

describe("toKustomize()", () => {
  it("makes a base, and components that are switched on by name", () => {
    const files = toKustomize(manifestsOf(OPTIONS), { monitoring: true, networkPolicy: false });
    const [base] = parseYaml(files.get("kustomization.yaml") ?? "") as Loose[];
    assert.deepEqual(base.resources, ["crds.yaml", "namespace.yaml", "rbac.yaml", "operator.yaml"]);
    assert.deepEqual(base.components, ["components/monitoring"]);
    for (const name of base.resources) assert.ok(files.has(name));
    const [component] = parseYaml(files.get("components/network-policy/kustomization.yaml") ?? "") as Loose[];
    assert.deepEqual([component.kind, component.resources], ["Component", ["network-policy.yaml"]]);
    assert.deepEqual(kindsOf(files.get("components/network-policy/network-policy.yaml") ?? ""), [
      "NetworkPolicy",
    ]);
  });
});
