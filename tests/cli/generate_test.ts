import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { main } from "../../lib/cli/main.ts";
import { virtualHost } from "../../lib/runtime/virtual/host.ts";
import { parseYaml } from "../../lib/runtime/yaml.ts";
import { lotse, PATIENCE, project, ROOT } from "./processes.ts";

const TIMEOUT = { timeout: PATIENCE };

async function generate(...args: string[]): Promise<{ code: number | string; output: string }> {
  await using program = lotse(["generate", ...args]);
  return { code: await program.ended(), output: program.output };
}

describe("lotse generate types", () => {
  it("prints TypeScript of definitions in files and folders", TIMEOUT, async () => {
    const { code, output } = await generate("types", join(ROOT, "examples/27-schemas/crd.yaml"));
    assert.equal(code, 0, output);
    assert.match(output, /export const Bakery: ResourceType<BakerySpec, BakeryStatus> = resource</);
  });

  it("says where there is none, and what is no YAML", TIMEOUT, async () => {
    const folder = project({ "pod.yaml": "{ apiVersion: v1, kind: Pod }", "bad.yaml": "a: [" });
    const none = await generate("types", join(folder, "pod.yaml"));
    assert.equal(none.code, 1);
    assert.match(none.output, /^error: No CustomResourceDefinition is in .*pod\.yaml/);
    const bad = await generate("types", join(folder, "bad.yaml"));
    assert.match(bad.output, /^error: Cannot read ".*bad\.yaml": Cannot parse YAML/);
  });
});

describe("lotse generate crd", () => {
  it("prints the definitions of handler files, such as that of example 27", TIMEOUT, async () => {
    const folder = join(ROOT, "examples/27-schemas");
    const { code, output } = await generate("crd", join(folder, "handlers.ts"));
    assert.equal(code, 0, output);
    assert.deepEqual(parseYaml(output), parseYaml(readFileSync(join(folder, "crd.yaml"), "utf8")));
  });

  it("says what to do where there are no schemas, and where one cannot be structural", TIMEOUT, async () => {
    const none = join(ROOT, "examples/01-minimal/handlers.ts");
    const { code, output } = await generate("crd", none);
    assert.equal(code, 1);
    assert.match(
      output,
      /^error: No kind with a schema is declared in .*01-minimal\/handlers\.ts \(give resource\(\)/,
    );
  });

  it("prints the kinds of peering, and nothing where nothing is asked for", async () => {
    const host = virtualHost();
    assert.equal(await main(host, ["generate", "crd", "--peering"]), 0);
    assert.deepEqual(
      parseYaml(host.process.stdout).map((crd) => (crd as { metadata: { name: string } }).metadata.name),
      ["clusterkopfpeerings.kopf.dev", "kopfpeerings.kopf.dev"],
    );
    assert.equal(await main(virtualHost(), ["generate", "crd"]), 2);
  });

  it("tells the path of what cannot be structural", TIMEOUT, async () => {
    const file = join(
      project({
        "kinds.ts": `
import { resource } from "@lotse/lotse";
export const Cat = resource({
  group: "example.com", version: "v1", plural: "cats", kind: "Cat",
  spec: { "~standard": { version: 1, vendor: "test", jsonSchema: {
    input: () => ({ type: "object", properties: { paws: { type: ["string", "boolean"] } } }), output: () => ({}),
  } } },
});`,
      }),
      "kinds.ts",
    );
    const { code, output } = await generate("crd", file);
    assert.equal(code, 1);
    assert.match(
      output,
      /^error: Cannot make a definition of "cats\.example\.com": spec\.paws: it may be a text or a boolean: a field has one type/,
    );
  });
});
