import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { applyManifests, findManifestFiles, readManifests } from "../../lib/cli/apply.ts";
import { apiServer } from "../../lib/kits/apiserver/mod.ts";
import { silentLogger } from "../../lib/runtime/logging.ts";
import { virtualHost } from "../../lib/runtime/virtual/host.ts";

const NAMES = { plural: "things", singular: "thing", kind: "Thing" };
const SCHEMA = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
const DEFINITION = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "things.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: NAMES,
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: SCHEMA } }],
  },
};
const THING = { apiVersion: "example.com/v1", kind: "Thing", metadata: { name: "one" }, spec: { size: 1 } };

function setUp() {
  const host = virtualHost();
  const server = apiServer({ host });
  const fetch = (request: Request) => server.fetch(request);
  const apply = (...manifests: Parameters<typeof applyManifests>[0]) =>
    applyManifests(manifests, { host, fetch, logger: silentLogger() });
  async function get(path: string): Promise<Record<string, unknown>> {
    return await (await fetch(new Request(`http://test${path}`))).json();
  }
  return { apply, get };
}

describe("applyManifests()", () => {
  it("applies definitions first, and objects to the default namespace", async () => {
    const { apply, get } = setUp();
    await apply(THING, DEFINITION);
    assert.deepEqual((await get("/apis/example.com/v1/namespaces/default/things/one")).spec, { size: 1 });
  });

  it("changes an object that is there, and leaves what others have put on it", async () => {
    const { apply, get } = setUp();
    await apply(DEFINITION, { ...THING, metadata: { name: "one", finalizers: ["example.com/x"] } });
    await apply({ ...THING, spec: { size: 2 } });
    const { spec, metadata } = await get("/apis/example.com/v1/namespaces/default/things/one");
    assert.deepEqual([spec, (metadata as { finalizers: unknown }).finalizers], [{ size: 2 }, [
      "example.com/x",
    ]]);
  });

  it("refuses a kind that the server does not have", async () => {
    await assert.rejects(
      setUp().apply(THING),
      /Cannot apply "one": the server has no kind "Thing" in "example\.com\/v1"/,
    );
  });

  it("names an object that stands within itself, as anchors of YAML allow", async () => {
    const spec: Record<string, unknown> = {};
    spec["spec"] = spec;
    await assert.rejects(
      setUp().apply(DEFINITION, { ...THING, spec }),
      /^CommandError: Cannot apply Thing "one"/,
    );
  });

  it("passes on what the server has to say against an object", async () => {
    const bad = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "Not A Name" } };
    await assert.rejects(setUp().apply(bad), /Cannot apply ConfigMap "Not A Name": .*metadata\.name/);
  });
});

const ONE = "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: one }\n";

describe("findManifestFiles()", () => {
  const host = virtualHost({
    files: {
      "/work/a.yaml": ONE,
      "/work/y/2.yml": ONE,
      "/work/y/1.json": '{ "apiVersion": "v1" }',
      "/work/y/handlers.ts": "",
      "/work/n/x.ts": "",
    },
  });

  it("gives files as they are, and the YAML and JSON files of folders by name", async () => {
    assert.deepEqual(await findManifestFiles(["a.yaml", "y"], host), [
      "/work/a.yaml",
      "/work/y/1.json",
      "/work/y/2.yml",
    ]);
  });

  it("leaves out what is no manifest in a folder, but not what it was given, nor what is broken", async () => {
    const host = virtualHost({
      files: {
        "/work/p/package.json": '{ "name": "mine" }',
        "/work/p/deno.json": "{ // with comments\n}",
        "/work/p/values.yaml": "replicas: 1\n",
        "/work/p/kubeconfig.yaml": "apiVersion: v1\nkind: Config\nclusters: []\n",
        "/work/p/kustomization.yaml":
          "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [crd.yaml]\n",
        "/work/p/things.yaml/x": "",
        "/work/p/crd.yaml": ONE,
        "/work/p/list.yaml": "kind: List\nitems: []\n",
        "/work/p/broken.yaml": "a: [1",
        "/work/q/package.json": "{}",
      },
    });
    const found = ["broken.yaml", "crd.yaml", "list.yaml"].map((name) => `/work/p/${name}`);
    assert.deepEqual(await findManifestFiles(["p"], host), found);
    assert.deepEqual(await findManifestFiles(["p/values.yaml"], host), ["/work/p/values.yaml"]);
    await assert.rejects(findManifestFiles(["q"], host), /Cannot read "q": no \.yaml.* with objects/);
  });

  it("refuses a missing file, and a folder without manifests", async () => {
    await assert.rejects(
      findManifestFiles(["b.yaml"], host),
      /Cannot read "b\.yaml": there is no such file/,
    );
    await assert.rejects(findManifestFiles(["n"], host), /Cannot read "n": no \.yaml/);
    await assert.rejects(
      findManifestFiles(["n/x.ts"], host),
      /Cannot read "n\/x\.ts": it is neither/,
    );
  });
});

describe("readManifests()", () => {
  function read(text: string) {
    return readManifests("/work/a.yaml", virtualHost({ files: { "/work/a.yaml": text } }));
  }

  it("gives the objects of all documents, and those of lists one by one", async () => {
    const list = "---\nkind: List\nitems: [{ apiVersion: v1, kind: Secret, metadata: { name: two } }]\n";
    assert.deepEqual((await read(`${ONE}${list}---\n# nothing\n`)).map(({ metadata }) => metadata.name), [
      "one",
      "two",
    ]);
  });

  it("refuses what is no YAML, and names the file", async () => {
    await assert.rejects(read("a: [1"), { name: "CommandError", message: 'Cannot apply "/work/a.yaml"' });
  });

  it("refuses what is no object of Kubernetes", async () => {
    for (const text of ["just text", "[1]", "kind: ConfigMap", "apiVersion: v1\nkind: X\nmetadata: {}"]) {
      await assert.rejects(read(text), /Cannot apply "\/work\/a\.yaml"/, text);
    }
  });
});
