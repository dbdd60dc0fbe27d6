import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, it } from "node:test";
import { testCluster } from "../../../lib/kits/testing/mod.ts";
import { kinds, resource } from "../../../mod.ts";

const CRD = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: teas.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { plural: teas, singular: tea, kind: Tea }
  versions: [{ name: v1, served: true, storage: true, schema: { openAPIV3Schema: { type: object } } }]
`;
const TEA = "apiVersion: example.com/v1\nkind: Tea\nmetadata: { name: green }\n";
const Tea = resource({ group: "example.com", version: "v1", plural: "teas" });
const GREEN = { name: "green", namespace: "default" };

function folder(files: Readonly<Record<string, string>>): string {
  const path = mkdtempSync(join(tmpdir(), "lotse-manifests-"));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(path, name, ".."), { recursive: true });
    writeFileSync(join(path, name), text);
  }
  return path;
}

describe("apply()", () => {
  it("applies a definition before its objects, which go into the default namespace", async () => {
    await using cluster = await testCluster();
    const applied = await cluster.apply(`${TEA}---\n${CRD}---\n# nothing\n`);
    assert.deepEqual(applied.map(({ kind }) => kind), ["Tea", "CustomResourceDefinition"]);
    assert.equal((await cluster.api.get(Tea, GREEN)).kind, "Tea");
  });

  it("takes files, folders, URLs, lists and objects", async () => {
    const path = folder({ "a-tea.yaml": TEA, "crd.yml": CRD, "README.md": "no manifest" });
    const list = { apiVersion: "v1", kind: "List", items: [configMap("a"), configMap("b")] };
    const maps = folder({ "maps.json": JSON.stringify(list) });
    await using cluster = await testCluster({ manifests: path });
    await cluster.apply([join(maps, "maps.json"), pathToFileURL(join(path, "a-tea.yaml")), configMap("c")]);
    const found = await Array.fromAsync(cluster.api.list(kinds.ConfigMap));
    // Each namespace has a ConfigMap of its own.
    const names = found.map(({ metadata }) => metadata.name).filter((name) => name !== "kube-root-ca.crt");
    assert.deepEqual(names, ["a", "b", "c"]);
    assert.ok(await cluster.api.get(Tea, GREEN));
  });

  it("takes objects whose specs have an interface of the author's", async () => {
    interface TeaSpec {
      readonly cups?: number;
    }
    const spec: TeaSpec = { cups: 2 };
    const tea = { apiVersion: "example.com/v1", kind: "Tea", metadata: { name: "green" }, spec };
    await using cluster = await testCluster({ manifests: CRD });
    const [applied] = await cluster.apply([tea]);
    assert.equal(applied?.metadata.name, "green");
  });

  it("changes what is there, and takes back what is left out", async () => {
    await using cluster = await testCluster({ manifests: [{ ...configMap("a"), data: { x: "1", y: "1" } }] });
    const [changed] = await cluster.apply({ ...configMap("a"), data: { x: "2" } });
    assert.deepEqual(changed?.data, { x: "2" });
  });

  it("takes what a cluster has printed, and the keys of a Secret's stringData back", async () => {
    await using cluster = await testCluster();
    const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "one" } };
    await cluster.apply({ ...secret, stringData: { kept: "a", gone: "b" } });
    const at = { name: "one", namespace: "default" };
    const printed = await cluster.api.get(kinds.Secret, at);
    assert.ok(printed.metadata.uid);
    const { data: _, ...rest } = printed;
    await cluster.apply({ ...rest, stringData: { kept: "c" } });
    assert.deepEqual((await cluster.api.get(kinds.Secret, at))["data"], { kept: "Yw==" });
  });

  it("creates what has no name yet", async () => {
    await using cluster = await testCluster();
    const [made] = await cluster.apply({ ...configMap(""), metadata: { generateName: "map-" } });
    assert.match(made?.metadata.name ?? "", /^map-./);
  });

  it("says what it cannot apply, and why", async () => {
    await using cluster = await testCluster();
    const refused = (given: Parameters<typeof cluster.apply>[0], message: RegExp) =>
      assert.rejects(cluster.apply(given), message);
    await refused(TEA, /Tea "green": the cluster knows no kind "Tea" in "example\.com\/v1" \(apply its/);
    await refused(configMap("Not A Name"), /ConfigMap "Not A Name": .*metadata\.name/);
    await refused("a: [1\n", /Cannot apply the text: Cannot parse YAML/);
    const broken = join(folder({ "broken.yaml": "a: [1\n" }), "broken.yaml");
    await refused(broken, /Cannot apply ".*broken\.yaml": Cannot parse YAML/);
    await refused("absent.yaml", /Cannot apply "absent\.yaml": there is no such file/);
    await refused("kind: ConfigMap\nmetadata: { name: a }\n", /no apiVersion, kind or name/);
  });
});

function configMap(name: string) {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name } };
}
