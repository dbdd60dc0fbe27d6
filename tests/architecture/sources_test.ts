/** What comments name as the source of a behaviour can be looked up by whoever has the repository and the web, and nothing else. */

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { describe, it } from "node:test";
import { parseScenarios } from "./scenarios.ts";
import { assertNone, filesBelow, readTree, ROOT } from "./tree.ts";

const TAGS = new Set(
  filesBelow("tests/scenarios/table/", ".md").flatMap((path) => parseScenarios(path, readTree(path)))
    .map(({ tag }) => tag),
);

/** What others publish, by how it is named here. */
const ELSEWHERE =
  /^(?:https?:\/\/|RFC \d+|Kubernetes\b|k8s\.io\/|sigs\.k8s\.io\/|client-go\b|controller-runtime\b|kube-rs\b|Kopf, |KEP-\d+|structured-merge-diff\b|protobuf\.dev\b|api\/openapi-spec\/|@kubernetes\/|the struct tags in k8s\.io\/|the words of refusals are those of k8s\.io\/|RE2\b|the json tags in k8s\.io\/|the words of refusals\b|the form of the continue token is k8s\.io\/|cel-go\b|Helm\b|Kustomize\b|github\.com\/|CustomResourceDefinition\b|OpenTelemetry\b|W3C\b|CEL\b|OpenAPI\b|cel-spec\b|Prometheus\b|npm\b|Go\b|etcd\b|JSON Schema\b|Standard Schema\b|"?Kubernetes)/;

/** Documents that are not in the repository. */
const ABSENT =
  /§|\bbehaviour[- ][abcABC]\b|\bdeviations? [A-Z#]?\d|\bbeyond N\d|\b[Ii]ssue \d|\bdesign,? decision|\bfield[ -]notes\b/;

describe("The sources that comments name", () => {
  it("can be looked up", () => {
    const files = [...filesBelow("lib/", ".ts"), "mod.ts", "cli.ts"];
    const wrong = files.flatMap((path) =>
      sourcesIn(readTree(path)).flatMap((source) => whyUnknown(source)?.concat(` (${path})`) ?? [])
    );
    assertNone(wrong, "sources lead nowhere");
  });

  it("are none of the documents that are not in the repository", () => {
    const files = [
      ...filesBelow("lib/", ".ts"),
      ...filesBelow("tests/", ".ts").filter((path) => !path.startsWith("tests/architecture/sources")),
      ...filesBelow("docs/", ".md"),
      ...filesBelow("examples/", ".ts"),
      ...filesBelow("bench/", ".ts"),
      "mod.ts",
      "cli.ts",
      "README.md",
      "CONTRIBUTING.md",
    ];
    const wrong = files.flatMap((path) =>
      readTree(path).split("\n").flatMap((line, index) =>
        ABSENT.test(line) ? [`${path}:${index + 1}: ${line.trim().slice(0, 120)}`] : []
      )
    );
    assertNone(wrong, "lines name documents that nobody has");
  });
});

describe("whyUnknown()", () => {
  it("knows pages, paths and scenarios, and reports all else", () => {
    for (
      const known of [
        "Kopf, docs/filters",
        "RFC 7386",
        "scenarios A51–A74, D11",
        "scenario N10",
        "docs/architecture.md",
        "docs/decisions/0010-http1-only.md",
      ]
    ) {
      assert.equal(whyUnknown(known), undefined, known);
    }
    for (const unknown of ["A 4.8", "docs/nowhere.md", "scenarios A51–A999", "the plan"]) {
      assert.notEqual(whyUnknown(unknown), undefined, unknown);
    }
  });
});

describe("sourcesIn()", () => {
  it("reads them across lines, up to the end of the sentence", () => {
    const text = '/**\n * Does it. Source: RFC 1;\n * docs/a.md, "B". More.\n */\n// Source: x\n';
    assert.deepEqual(sourcesIn(text), ["RFC 1", 'docs/a.md, "B"', "x"]);
  });
});

/** What stands after "Source:" in comments, in parts. */
function sourcesIn(text: string): string[] {
  const comments = [...text.matchAll(/\/\*\*.*?\*\/|(?:^\s*\/\/.*\n)+/gms)].map(([comment]) =>
    comment.replace(/\*\/$/, "").split("\n").map((line) => line.replace(/^\s*(?:\/?\*+|.*?\/\/)\s?/, ""))
      .join(" ")
  );
  return comments.flatMap((comment) =>
    [...comment.matchAll(/\bSource: (.*?)(?:\.(?=\s)|\.$|$)/g)].flatMap(([, sources = ""]) =>
      sources.split(";").map((source) => source.trim()).filter((source) => source !== "")
    )
  );
}

/** Says what is wrong with a source. */
function whyUnknown(source: string): string | undefined {
  if (ELSEWHERE.test(source)) return undefined;
  if (/^scenarios? /.test(source)) {
    const tags = source.match(/\b[ABCDGP]\d+\b|\bN\d+(?:\.\d+)?\b/g) ?? [];
    const unknown = tags.filter((tag) => !TAGS.has(tag));
    return tags.length > 0 && unknown.length === 0 ? undefined : `no such scenario: "${source}"`;
  }
  const [path = ""] = /^(?:docs|lib|tests|bench|examples)\/[\w./-]+/.exec(source) ?? [];
  if (path === "") return `unknown: "${source}"`;
  return existsSync(new URL(path.replace(/\.$/, ""), ROOT)) ? undefined : `no such file: "${source}"`;
}
