import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { apiServer } from "../../../lib/kits/apiserver/mod.ts";
import { createManifests, virtualHost } from "../../../lib/kits/testing/mod.ts";

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

describe("createManifests()", () => {
  it("creates a definition and its objects, in the default namespace", async () => {
    const cluster = apiServer({ host: virtualHost() });
    await createManifests(cluster, `${CRD}---\n${TEA}---\n# nothing\n`);
    const path = "/apis/example.com/v1/namespaces/default/teas/green";
    const found = await cluster.fetch(new Request(`http://test${path}`));
    assert.equal((await found.json()).kind, "Tea");
  });

  it("says which kind the cluster does not know, and what it refuses", async () => {
    const cluster = apiServer({ host: virtualHost() });
    await assert.rejects(createManifests(cluster, TEA), /"green": no kind "Tea" in "example\.com\/v1"/);
    const wrong = "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: Not A Name }\n";
    await assert.rejects(createManifests(cluster, wrong), /"Not A Name": .*metadata\.name/);
    await assert.rejects(createManifests(cluster, "a: [1"), SyntaxError);
  });
});
