import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { applyManifests, findManifestFiles, readManifests } from "../../lib/cli/apply.ts";
import { apiServer } from "../../lib/kits/apiserver/mod.ts";
import { type LogFields, silentLogger } from "../../lib/runtime/logging.ts";
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

const MAP = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } };
const A = "/api/v1/namespaces/default/configmaps/a";

function setUp() {
  const host = virtualHost();
  const server = apiServer({ host });
  const fetch = (request: Request) => server.fetch(request);
  const results: unknown[] = [];
  const logger = {
    ...silentLogger(),
    info: (_: string, fields?: LogFields) => void results.push(fields?.result),
  };
  const apply = (...manifests: Parameters<typeof applyManifests>[0]) =>
    applyManifests(manifests, { host, fetch, logger });
  async function get(path: string): Promise<Record<string, unknown>> {
    return await (await fetch(new Request(`http://test${path}`))).json();
  }
  async function patch(path: string, change: unknown): Promise<void> {
    const headers = { "content-type": "application/merge-patch+json" };
    const body = JSON.stringify(change);
    await fetch(new Request(`http://test${path}?fieldManager=other`, { method: "PATCH", body, headers }));
  }
  return { apply, get, patch, results };
}

describe("applyManifests()", () => {
  it("applies definitions first, and objects to the default namespace", async () => {
    const { apply, get } = setUp();
    await apply(THING, DEFINITION);
    assert.deepEqual((await get("/apis/example.com/v1/namespaces/default/things/one")).spec, { size: 1 });
  });

  it("changes an object that is there, and leaves what others have put on it", async () => {
    const { apply, get, patch } = setUp();
    const path = "/apis/example.com/v1/namespaces/default/things/one";
    await apply(DEFINITION, THING);
    await patch(path, { metadata: { finalizers: ["example.com/x"] } });
    await apply({ ...THING, spec: { size: 2 } });
    const { spec, metadata } = await get(path);
    assert.deepEqual([spec, (metadata as { finalizers: unknown }).finalizers], [{ size: 2 }, [
      "example.com/x",
    ]]);
  });

  it("removes fields, labels and items that were taken out of the manifest", async () => {
    const { apply, get, results } = setUp();
    await apply({ ...MAP, metadata: { name: "a", labels: { a: "1", b: "2" } }, data: { x: "1", y: "2" } });
    await apply({ ...MAP, metadata: { name: "a", labels: { a: "1" } }, data: { x: "1" } });
    await apply({ ...MAP, metadata: { name: "a", labels: { a: "1" } }, data: { x: "1" } });
    const { data, metadata } = await get(A);
    assert.deepEqual([data, (metadata as { labels: unknown }).labels], [{ x: "1" }, { a: "1" }]);
    assert.deepEqual(results, ["created", "configured", "unchanged"]);
  });

  it("removes a key that was taken out of the stringData of a Secret", async () => {
    const { apply, get } = setUp();
    const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "a" } };
    await apply({ ...secret, stringData: { kept: "zwö", gone: "x" } });
    await apply({ ...secret, stringData: { kept: "zwö" } });
    assert.deepEqual((await get("/api/v1/namespaces/default/secrets/a")).data, { kept: "enfDtg==" });
  });

  it("takes several manifests of one object in turn, of which the last one counts", async () => {
    const { apply, get } = setUp();
    const rules = [{
      rule: "!(has(self.image) && has(self.catalog))",
      message: "image and catalog are mutually exclusive",
    }];
    const [version] = DEFINITION.spec.versions;
    const text = { type: "string" };
    const spec = {
      type: "object",
      properties: { image: text, catalog: text },
      "x-kubernetes-validations": rules,
    };
    const schema = { openAPIV3Schema: { type: "object", properties: { spec } } };
    const strict = { ...DEFINITION, spec: { ...DEFINITION.spec, versions: [{ ...version, schema }] } };
    await apply(strict, { ...THING, spec: { image: "a" } }, { ...THING, spec: { catalog: "b" } });
    assert.deepEqual((await get("/apis/example.com/v1/namespaces/default/things/one")).spec, {
      catalog: "b",
    });
  });

  it("keeps fields of others, and takes back those that the manifest names", async () => {
    const { apply, get, patch } = setUp();
    await apply({ ...MAP, data: { x: "1" } });
    await patch(A, { data: { x: "other", z: "3" } });
    await apply({ ...MAP, data: { x: "1" } });
    assert.deepEqual((await get(A)).data, { x: "1", z: "3" });
  });

  it("takes manifests that were copied from a cluster, with what its server wrote", async () => {
    const { apply, get } = setUp();
    const written = {
      name: "a",
      uid: "b1d0",
      resourceVersion: "99",
      generation: 3,
      creationTimestamp: "2026-01-01T00:00:00Z",
      selfLink: "/x",
      managedFields: [{ manager: "kubectl", operation: "Update", apiVersion: "v1" }],
    };
    await apply({ ...MAP, metadata: written, data: { x: "1" } });
    await apply({ ...MAP, metadata: { ...written, labels: { l: "1" } }, data: { x: "2" } });
    assert.deepEqual((await get(A)).data, { x: "2" });
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
