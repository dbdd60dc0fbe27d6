import assert from "node:assert/strict";
import { describe, it } from "node:test";
import bakery from "../../../examples/27-schemas/handlers.ts";
import { toChart } from "../../../lib/kits/generate/helm.ts";
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
    assert.deepEqual([values.monitoring, values.networkPolicy], [{ enabled: false }, { enabled: true }]);
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
