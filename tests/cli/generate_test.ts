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

describe("lotse generate rbac", () => {
  it("prints an account and roles, named after the handlers' folder", TIMEOUT, async () => {
    const { code, output } = await generate(
      "rbac",
      join(ROOT, "examples/02-database/handlers.ts"),
      "--home",
      "ops",
    );
    assert.equal(code, 0, output);
    const found = parseYaml(output) as { kind: string; metadata: { name: string; namespace?: string } }[];
    assert.deepEqual(found.map(({ kind, metadata }) => [kind, metadata.name, metadata.namespace]), [
      ["ServiceAccount", "database", "ops"],
      ["ClusterRole", "database", undefined],
      ["ClusterRoleBinding", "database", undefined],
    ]);
  });

  it("says whose rights it cannot tell, unless they are recorded", TIMEOUT, async () => {
    const folder = project({
      "handlers.ts": `
import { operator } from "@lotse/lotse";
const op = operator();
op.on.create("mice", function feed() {});
export default op;`,
      "rights.json":
        '{"format": "lotse.dev/rights/v1", "rights": [{"group": "x.y", "resource": "mice", "verbs": ["list"]}]}',
      "bad.json": "{}",
    });
    const file = join(folder, "handlers.ts");
    const none = await generate("rbac", file);
    assert.equal(none.code, 1);
    assert.match(
      none.output,
      /^error: Cannot tell all rights:\n {2}handler "feed": which kind is "mice"\?\n\(name the kind/,
    );
    const recorded = await generate("rbac", file, "--name", "cat", "--record", join(folder, "rights.json"));
    assert.equal(recorded.code, 0, recorded.output);
    assert.match(
      recorded.output,
      /warning: the rights of these are taken from the record alone:\n {2}handler "feed"/,
    );
    assert.match(recorded.output, /- x\.y\n +resources:\n +- mice\n/);
    const bad = await generate("rbac", file, "--name", "cat", "--record", join(folder, "bad.json"));
    assert.match(bad.output, /^error: Cannot read ".*bad\.json": It is no file of recorded rights/);
  });
});

describe("lotse generate manifests", () => {
  const file = join(ROOT, "examples/27-schemas/handlers.ts");

  it("writes a folder, twice if asked, and never between the files of others", TIMEOUT, async () => {
    const folder = project({});
    const chart = join(folder, "chart");
    const args = ["manifests", file, "--image", "bakery:1", "--format", "helm", "-o", chart];
    for (let time = 0; time < 2; time++) {
      const { code, output } = await generate(...args);
      assert.equal(code, 0, output);
      assert.match(output, /chart\/templates\/operator\.yaml\n/);
    }
    assert.match(readFileSync(join(chart, "values.yaml"), "utf8"), /repository: bakery\n +tag: '?1'?\n/);
    const other = project({ "notes.txt": "mine" });
    const refused = await generate(...args.slice(0, -1), other);
    assert.match(
      refused.output,
      /^error: Cannot write to ".*": there is something else, such as "notes\.txt"/,
    );
  });

  it("refuses contradictory wishes", async () => {
    for (
      const [args, message] of [
        [[], /"--image <image>" is missing/],
        [["--image", "x", "--format", "helm"], /--format helm needs -o FOLDER/],
        [["--image", "x", "-o", "y"], /-o is for --format kustomize/],
      ] as const
    ) {
      const host = virtualHost();
      assert.equal(await main(host, ["generate", "manifests", "handlers.ts", ...args]), 2);
      assert.match(host.process.stderr, message);
    }
  });
});

describe("lotse generate types", () => {
  it("prints TypeScript of definitions in files and folders", TIMEOUT, async () => {
    const { code, output } = await generate("types", join(ROOT, "examples/27-schemas/crd.yaml"));
    assert.equal(code, 0, output);
    assert.match(
      output,
      /export const Bakery: ResourceType<BakerySpec, BakeryStatus, BakerySpecInput> =\s+resource</,
    );
  });

  it("names what is broken among many, and prints the others", TIMEOUT, async () => {
    const crd = readFileSync(join(ROOT, "examples/27-schemas/crd.yaml"), "utf8");
    const folder = project({
      "a.yaml": crd,
      "b.yaml": crd.replace("group: example.com", 'group: ""'),
      "c.yaml": "a: [",
    });
    const { code, output } = await generate("types", folder);
    assert.equal(code, 0, output);
    assert.match(output, /export const Bakery:/);
    assert.match(output, /^warning: passed over: Cannot read ".*c\.yaml": Cannot parse YAML/m);
    assert.match(
      output,
      /^warning: passed over: Cannot make types of "bakeries\.example\.com": it lacks its group/m,
    );
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

describe("lotse generate dockerfile", () => {
  async function made(args: string, files: Readonly<Record<string, string>> = {}): Promise<string> {
    const host = virtualHost({ files: { "/work/handlers.ts": "", ...files } });
    const code = await main(host, ["generate", "dockerfile", ...args.split(" ")]);
    return code === 0 ? host.process.stdout : `${code}: ${host.process.stderr}`;
  }

  it("prints what new writes, for each runtime", async () => {
    for (const runtime of ["deno", "bun", "node"]) {
      const host = virtualHost();
      assert.equal(await main(host, ["new", "tea", "--runtime", runtime]), 0);
      const written = await host.files.readText("/work/tea/Dockerfile");
      assert.equal(await made(`handlers.ts --name tea --runtime ${runtime}`), written);
    }
  });

  it("sees from the folder's files what builds the project", async () => {
    const install = async (files: Readonly<Record<string, string>>) =>
      /^RUN (\w+) (?:install|ci)[^&]* && .* build handlers\.ts -o operator.*$/m.exec(
        await made("handlers.ts", files),
      )
        ?.slice(0, 2);
    assert.deepEqual(await install({ "/work/deno.json": "{}", "/work/package.json": "{}" }), [
      "RUN deno install && deno run -A @lotse/lotse/cli build handlers.ts -o operator --backend deno",
      "deno",
    ]);
    assert.equal((await install({ "/work/package.json": "{}", "/work/bun.lock": "" }))?.[1], "bun");
    assert.deepEqual(await install({ "/work/package.json": "{}" }), [
      "RUN npm ci && npx lotse build handlers.ts -o operator",
      "npm",
    ]);
    assert.equal((await install({}))?.[1], "npm"); // as what runs this is neither Deno nor Bun
  });

  it("begins with nothing where it is asked to, and names each file", async () => {
    const text = await made("handlers.ts more/it's.ts --scratch", { "/work/more/it's.ts": "" });
    assert.match(text, / build handlers\.ts 'more\/it'\\''s\.ts' -o operator\n/);
    assert.deepEqual([...text.matchAll(/^FROM (\S+?)(?:@\S+)?(?: AS build)?$/gm)].map((match) => match[1]), [
      "node:24.20.0-bookworm-slim",
      "scratch",
    ]);
    assert.match(text, /\nCOPY --from=build \/root-folder \/\nUSER 65532:65532\n/);
    assert.doesNotMatch(await made("handlers.ts"), /root-folder/);
  });

  it("refuses files that Docker would not see", async () => {
    for (const path of ["/work/handlers.ts", "../handlers.ts", "a/../../handlers.ts"]) {
      assert.match(
        await made(path),
        /^1: error: Cannot build ".+" in an image: name it by its path below this folder/,
      );
    }
    assert.match(
      await made("absent.ts"),
      /^1: error: Cannot build "absent\.ts" in an image: there is no such file in "\/work"/,
    );
    assert.match(await made("handlers.ts --runtime perl"), /^2: /);
  });
});
