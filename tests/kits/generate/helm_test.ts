import assert from "node:assert/strict";
import { describe, it } from "node:test";
import bakery from "../../../examples/27-schemas/handlers.ts";
import { toChart } from "../../../lib/kits/generate/helm.ts";
import { makeManifests } from "../../../lib/kits/generate/manifests.ts";
import { parseYaml } from "../../../lib/runtime/yaml.ts";

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

describe("toChart()", () => {
  const files = toChart(makeManifests(OPTIONS), {
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
    assert.match(text("templates/monitoring.yaml"), /to \{\{ "\{\{ \$labels\.kind \}\}" \}\}/);
  });

  it("has no namespace of its own, and definitions where Helm never takes them away", () => {
    assert.deepEqual(kindsOf(text("crds/crds.yaml")), ["CustomResourceDefinition"]);
    assert.ok(![...files.values()].some((each) => /^kind: Namespace$/m.test(each)));
  });
});
