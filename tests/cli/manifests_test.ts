import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findManifestFiles, readManifests } from "../../lib/cli/manifests.ts";
import { virtualHost } from "../../lib/runtime/virtual/host.ts";

const ONE = "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: one }\n";

describe("findManifestFiles()", () => {
  const host = virtualHost({
    files: {
      "/work/a.yaml": ONE,
      "/work/y/2.yml": ONE,
      "/work/y/1.json": "{}",
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

  it("refuses a missing file, and a folder without manifests", async () => {
    await assert.rejects(
      findManifestFiles(["b.yaml"], host),
      /Cannot apply "b\.yaml": there is no such file/,
    );
    await assert.rejects(findManifestFiles(["n"], host), /Cannot apply "n": no \.yaml/);
    await assert.rejects(
      findManifestFiles(["n/x.ts"], host),
      /Cannot apply "n\/x\.ts": it is neither/,
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
