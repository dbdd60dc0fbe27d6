import assert from "node:assert/strict";
import { describe, it } from "node:test";
import bakery from "../../../examples/27-schemas/handlers.ts";
import { toChart } from "../../../lib/kits/generate/helm.ts";
import { manifestsOf } from "../../support/manifests.ts";
import { parseYaml } from "../../../lib/runtime/yaml.ts";
import { operator, resource, webhookServer } from "../../../mod.ts";
import { z } from "zod";

const OPTIONS = {
  operators: [bakery],
  name: "bakery",
  home: "bread",
  image: "registry.example.com:5000/bakery:1.0",
};

// deno-lint-ignore no-explicit-any -- looked at by hand
type Loose = any;

describe("toChart()", () => {
  const files = toChart(manifestsOf(OPTIONS), {
    monitoring: false,
    networkPolicy: true,
    name: "bakery",
    version: "1.2.3",
  });
  const text = (name: string): string => files.get(name) ?? "";

  it("has the values of the manifests", () => {
    const [chart] = parseYaml(text("Chart.yaml")) as Loose[];
    assert.deepEqual([chart.apiVersion, chart.name, chart.version], ["v2", "bakery", "1.2.3"]);
    const [values] = parseYaml(text("values.yaml")) as Loose[];
    assert.deepEqual(values.image, {
      ...{ repository: "registry.example.com:5000/bakery", tag: "1.0", pullPolicy: "IfNotPresent" },
    });
    assert.deepEqual([values.monitoring, values.networkPolicy], [
      { enabled: false, labels: {} },
      { enabled: true },
    ]);
    assert.deepEqual([values.replicas, values.terminationGracePeriodSeconds], [1, 610]);
    assert.match(text("values.yaml"), /^# The operator's image\.\nimage:\n/);
  });

  it("has each value in a template, where it belongs", () => {
    const operator = text("templates/operator.yaml");
    const member = (name: string, indent: string): void =>
      assert.ok(
        operator.includes(
          `${indent}{{- with .Values.${name} }}\n${indent}${name}: {{- toYaml . | nindent ${
            indent.length + 2
          } }}\n${indent}{{- end }}\n`,
        ),
        name,
      );
    for (
      const name of ["imagePullSecrets", "nodeSelector", "tolerations", "affinity", "priorityClassName"]
    ) member(name, "      ");
    assert.ok(
      operator.includes(
        "            {{- with .Values.env }}\n            {{- toYaml . | nindent 12 }}\n            {{- end }}\n",
      ),
    );
    assert.match(operator, /^ {4}\{\{- with \.Values\.annotations \}\}$/m);
    const everything = [...files.values()].join("");
    const [values] = parseYaml(text("values.yaml")) as Loose[];
    for (const name of Object.keys(values)) {
      assert.match(everything, new RegExp(`\\.Values\\.${name}\\b`), name);
    }
    assert.doesNotMatch(everything, /HELM_/);
  });

  it("has the names of the release, but for those that the code gives", () => {
    const own = '{{ include "bakery.fullname" . }}';
    assert.ok(
      text("templates/rbac.yaml").includes(
        `roleRef:\n  apiGroup: rbac.authorization.k8s.io\n  kind: ClusterRole\n  name: ${own}\n`,
      ),
    );
    assert.ok(
      text("templates/operator.yaml").includes(
        'serviceAccountName: {{ include "bakery.serviceAccountName" . }}',
      ),
    );
    assert.ok(text("templates/monitoring.yaml").includes(`job="${own}"`));
    const op = operator({
      admission: {
        managed: "ferry.example.com",
        server: webhookServer({ service: { name: "ferry-hooks" } }),
      },
      replicas: true,
    });
    op.on.validate(resource({ group: "example.com", version: "v1", plural: "ferries" }), () => {});
    const leaves = (replicas: Loose): string => {
      op.settings.replicas.name = replicas;
      const manifests = manifestsOf({ ...OPTIONS, operators: [op], replicas: 2 });
      const chart = toChart(manifests, {
        ...{ monitoring: false, networkPolicy: false, name: "bakery", version: "1.2.3" },
      });
      return (chart.get("templates/operator.yaml") ?? "") + chart.get("templates/rbac.yaml");
    };
    const derived = leaves(null);
    assert.ok(derived.includes(`name: LOTSE_REPLICAS_NAME\n              value: ${own}\n`));
    assert.match(derived, /kind: ValidatingWebhookConfiguration\nmetadata:\n {2}name: ferry\.example\.com\n/);
    assert.match(derived, /^ {2}name: ferry-hooks$/m);
    assert.ok(!derived.includes("one replica"), "the code has Leases");
    const fixed = leaves("bread");
    assert.ok(fixed.includes("name: LOTSE_REPLICAS_NAME\n              value: bread\n"));
    assert.match(
      text("templates/operator.yaml"),
      /^\{\{- if gt \(int \.Values\.replicas\) 1 \}\}\n\{\{- fail/,
    );
  });

  it("puts the release's namespace, the image and other values into templates", () => {
    const operator = text("templates/operator.yaml");
    assert.match(operator, /namespace: \{\{ \.Release\.Namespace \}\}/);
    assert.match(operator, /image: "\{\{ \.Values\.image\.repository \}\}:\{\{ \.Values\.image\.tag \}\}"/);
    assert.match(operator, /args: \{\{- toYaml \.Values\.args \| nindent 12 \}\}/);
    assert.doesNotMatch(operator + text("templates/rbac.yaml"), /HELM_|namespace: bread/);
    assert.match(text("templates/rbac.yaml"), /subjects:\n.*\n.*\n +namespace: \{\{ \.Release/);
  });

  it("switches parts off, and leaves Prometheus its braces", () => {
    assert.match(
      text("templates/monitoring.yaml"),
      /^\{\{- if \.Values\.monitoring\.enabled \}\}\n[^]*\{\{- end \}\}\n$/,
    );
    assert.match(text("templates/monitoring.yaml"), /to \{\{ "\{\{" \}\} \$labels\.kind \}\}/);
  });

  it("has no namespace of its own, and definitions that Helm renews, and never takes away", () => {
    const crds = text("templates/crds.yaml");
    assert.match(crds, /^\{\{- if \.Values\.crds\.enabled \}\}\n[^]*\n\{\{- end \}\}\n$/);
    assert.match(crds, /kind: CustomResourceDefinition\n[^]*helm\.sh\/resource-policy: keep\n/);
    assert.ok(![...files.values()].some((each) => /^kind: Namespace$/m.test(each)));
  });

  it("has objects converted by the Service in the release's namespace, and leaves schemas alone", () => {
    const spec = z.object({ target: z.string().default("x").meta({ description: "{{ one }}" }) });
    const at = z.object({ namespace: z.string() }).default({ namespace: "bread" });
    const versions = { v0: { convert: { toHub: () => ({}), fromHub: () => ({}) } } };
    const names = { group: "example.com", version: "v1", plural: "loaves", kind: "Loaf" };
    const op = operator();
    op.on.create(resource({ ...names, spec: spec.extend({ at }), versions }), () => {});
    const manifests = manifestsOf({ ...OPTIONS, operators: [op] });
    const chart = toChart(manifests, {
      ...{ monitoring: false, networkPolicy: false, name: "bakery", version: "1.2.3" },
    });
    const crds = chart.get("templates/crds.yaml") ?? "";
    assert.match(crds, /service:\n +port: 443\n +namespace: \{\{ \.Release\.Namespace \}\}\n/);
    assert.match(crds, /default:\n +namespace: bread\n/);
    assert.match(crds, /description: .*\{\{ "\{\{" \}\} one \}\}/);
  });
});
