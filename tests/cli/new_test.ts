import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { main } from "../../lib/cli/main.ts";
import { type VirtualHost, virtualHost } from "../../lib/runtime/virtual/host.ts";
import { parseYaml } from "../../lib/runtime/yaml.ts";

const FILES = [
  ".dockerignore",
  ".github/dependabot.yml",
  ".github/workflows/ci.yaml",
  ".gitignore",
  "Dockerfile",
  "README.md",
  "deploy/example.yaml",
  "handlers.ts",
];

interface Outcome {
  readonly host: VirtualHost;
  readonly code: number;
}

async function make(args: string, files: Readonly<Record<string, string>> = {}): Promise<Outcome> {
  const host = virtualHost({ files });
  return { host, code: await main(host, ["new", ...args.split(" ")]) };
}

/** The project's files, by their paths below it. */
async function filesOf({ files }: VirtualHost, folder: string, below = ""): Promise<string[]> {
  const found: string[] = [];
  for (const name of await files.list(files.resolve(folder, below))) {
    const path = below === "" ? name : `${below}/${name}`;
    const isFolder = await files.list(files.resolve(folder, path)).then(() => true, () => false);
    if (isFolder) found.push(...await filesOf({ files } as VirtualHost, folder, path));
    else found.push(path);
  }
  return found.sort();
}

async function refusal(args: string, files: Readonly<Record<string, string>> = {}): Promise<string> {
  const { host, code } = await make(args, files);
  assert.notEqual(code, 0, args);
  return `${code}: ${host.process.stderr}`;
}

describe("lotse new", () => {
  it("makes a project for each runtime, with YAML that parses, and says what to type next", async () => {
    for (
      const [runtime, own, next] of [
        ["deno", ["deno.json", "handlers_test.ts"], "deno task dev"],
        ["bun", ["handlers.test.ts", "package.json", "tsconfig.json"], "bun run dev"],
        ["node", ["handlers.test.ts", "package.json", "tsconfig.json"], "npm run dev"],
      ] as const
    ) {
      const { host, code } = await make(`my/tea-operator --runtime ${runtime}`);
      assert.deepEqual([code, host.process.stderr], [0, ""]);
      assert.deepEqual(await filesOf(host, "/work/my/tea-operator"), [...FILES, ...own].sort());
      for (const name of FILES.filter((name) => /\.ya?ml$/.test(name))) {
        parseYaml(await host.files.readText(`/work/my/tea-operator/${name}`));
      }
      assert.match(
        host.process.stdout,
        new RegExp(`^Made my/tea-operator\\. Next:\n {2}cd my/tea-operator\n[^]*${next}\n$`),
      );
    }
  });

  it("takes base images by the digests that this repository's own images have", async () => {
    const own = ["distroless", "scratch"].map((name) =>
      readFileSync(new URL(`../../Dockerfile.${name}`, import.meta.url), "utf8")
    ).join("");
    for (const [runtime, pinned] of [["deno", 2], ["bun", 1], ["node", 2]] as const) {
      const { host } = await make(`tea --runtime ${runtime}`);
      const text = await host.files.readText("/work/tea/Dockerfile");
      const images = [...text.matchAll(/^FROM (\S+)/gm)].map((match) => match[1] ?? "");
      assert.equal(images.length, 2);
      assert.equal(images.filter((image) => /:[\w.-]+@sha256:[0-9a-f]{64}$/.test(image)).length, pinned);
      assert.ok(own.includes(`FROM ${images.at(-1)}\n`), text);
      // What the two images of this repository begin with, how they start, and as whom.
      for (const line of text.split("\n").slice(-5)) assert.ok(own.includes(line), line);
      assert.equal(/imagetools inspect oven\/bun/.test(text), runtime === "bun");
    }
    for (const [line, image] of own.matchAll(/^FROM (\S+)/gm)) {
      assert.match(image ?? "", /^scratch$|@sha256:[0-9a-f]{64}$/, line);
    }
  });

  it("begins with handlers of what has changed, or with a reconcile", async () => {
    for (
      const [manner, code] of [
        ["", /op\.on\.create\(Tea, /],
        ["--manner handlers", /op\.on\.update\(Tea, /],
        ["--manner reconcile", /op\.owns\(Tea, kinds\.ConfigMap\);[^]*op\.reconcile\(Tea, /],
      ] as const
    ) {
      const { host } = await make(`tea --runtime bun ${manner}`.trim());
      assert.match(await host.files.readText("/work/tea/handlers.ts"), code);
    }
    assert.match(await refusal("tea --manner both"), /^2: .*"both" is none of handlers, reconcile/);
  });

  it("begins with a schema, of which its commands make definition, rights and Deployment", async () => {
    for (
      const [runtime, file] of [["node", "package.json"], ["bun", "package.json"], [
        "deno",
        "deno.json",
      ]] as const
    ) {
      const { host } = await make(`tea --runtime ${runtime}`);
      assert.match(await host.files.readText("/work/tea/handlers.ts"), /spec: Spec,\n {2}status: Status,/);
      const { scripts, tasks } = JSON.parse(await host.files.readText(`/work/tea/${file}`));
      assert.match(
        (scripts ?? tasks).manifests,
        /generate crd handlers\.ts > deploy\/crd\.yaml && .*generate manifests handlers\.ts --name tea --image \S+ --replicas 2 > deploy\/operator\.yaml$/,
      );
      assert.match(host.process.stdout, /manifests\n/);
    }
    const { host } = await make("tea --runtime node");
    assert.match(
      await host.files.readText("/work/tea/.github/workflows/ci.yaml"),
      /npm ci\n.*npm run manifests\n/,
    );
    const runs = { deno: "deno task simulate", bun: "bun run simulate", node: "npm run simulate" };
    for (const [runtime, simulates] of Object.entries(runs)) {
      const made = await make(`tea --runtime ${runtime}`);
      const read = (name: string): Promise<string> => made.host.files.readText(`/work/tea/${name}`);
      assert.ok((await read(".github/workflows/ci.yaml")).endsWith(`      - run: ${simulates}\n`));
      const { scripts, tasks } = JSON.parse(await read(runtime === "deno" ? "deno.json" : "package.json"));
      assert.match(
        (scripts ?? tasks).simulate,
        / simulate handlers\.ts --crd deploy\/crd\.yaml --minutes 0\.5$/,
      );
    }
    assert.match(await host.files.readText("/work/tea/Dockerfile"), /RUN npm ci && /);
  });

  it("names the kind after the folder, or as it is told", async () => {
    const { host } = await make("tea-party-operator --runtime bun");
    const code = await host.files.readText("/work/tea-party-operator/handlers.ts");
    assert.match(code, /group: "example\.com",[^]*plural: "teaparties",\n {2}kind: "TeaParty",/);
    const told = await make("tea --runtime bun --kind Glass --group cups.test");
    const other = await told.host.files.readText("/work/tea/handlers.ts");
    assert.match(other, /group: "cups\.test",[^]*plural: "glasses",/);
  });

  /** Makes a project with a host whose programs are `tar`, and the tool that packs a checkout. */
  async function makeOf(
    args: string,
    files: Record<string, string>,
  ): Promise<Outcome & { readonly ran: string[] }> {
    const host = virtualHost({ files });
    const ran: string[] = [];
    host.process.run = async (command, given, { cwd } = {}) => {
      ran.push(command === "tar" ? "tar" : `${given.slice(0, -1).join(" ")} in ${cwd}`);
      const target = given.at(command === "tar" ? 3 : -1) ?? "";
      const path = command === "tar" ? `${target}/mod.js` : `${target}/lotse-lotse-0.1.0.tgz`;
      await host.files.writeText(path, command === "tar" ? "unpacked" : "packed here");
      return { code: 0, stdout: `${path}\n`, stderr: "" };
    };
    return { host, ran, code: await main(host, ["new", ...args.split(" ")]) };
  }

  it("takes Lotse from a packed file or a checkout for each runtime, or else from npm", async () => {
    const packed = { "/work/lotse.tgz": "packed" };
    const checkout = { "/lotse/tools/package.ts": "" };
    const read = async ({ host }: Outcome, file: string) => JSON.parse(await host.files.readText(file));
    const { dependencies } = await read(await make("a --runtime node"), "/work/a/package.json");
    assert.match(dependencies["@lotse/lotse"], /^\^\d/);
    // It comes along, as Docker and other machines see the project alone; also the one that this was installed from.
    const manifest = '{ "dependencies": { "@lotse/lotse": "file:lotse.tgz" } }';
    for (const runtime of ["node", "bun"]) {
      for (
        const [flag, files] of [["--lotse lotse.tgz", {}], ["", { "/work/package.json": manifest }]] as const
      ) {
        const made = await make(`a --runtime ${runtime} ${flag}`.trim(), { ...packed, ...files });
        assert.equal(await made.host.files.readText("/work/a/lotse.tgz"), "packed");
        const { dependencies } = await read(made, "/work/a/package.json");
        assert.equal(dependencies["@lotse/lotse"], "file:./lotse.tgz");
      }
      const made = await makeOf(`a --runtime ${runtime} --lotse /lotse`, checkout);
      assert.deepEqual(made.ran, ["tools/package.ts --out in /lotse"]);
      assert.equal(await made.host.files.readText("/work/a/lotse-lotse-0.1.0.tgz"), "packed here");
    }
    for (const [flag, files, programs] of [["lotse.tgz", packed, 1], ["/lotse", checkout, 2]] as const) {
      const made = await makeOf(`a --runtime deno --lotse ${flag}`, files);
      assert.equal(made.ran.length, programs);
      assert.equal(await made.host.files.readText("/work/a/vendor/lotse/mod.js"), "unpacked");
      const { links, imports } = await read(made, "/work/a/deno.json");
      assert.deepEqual(links, ["./vendor/lotse"]);
      assert.match(imports["@lotse/lotse"], /^npm:/);
    }
  });

  it("says why there is no Lotse to take, and leaves nothing behind", async () => {
    assert.match(await refusal("a --lotse nowhere.tgz"), /^1: .*there is no such file/);
    assert.match(await refusal("a --lotse /x", { "/x/y": "" }), /^1: .*give a checkout, or the \.tgz/);
    const host = virtualHost({ files: { "/lotse/tools/package.ts": "" } });
    host.process.run = () => Promise.resolve({ code: 1, stdout: "", stderr: 'error: run "npm install"\n' });
    assert.equal(await main(host, ["new", "a", "--lotse", "/lotse"]), 1);
    assert.match(host.process.stderr, /Cannot make the package of "\/lotse": error: run "npm install"\n$/);
    assert.equal(await host.files.exists("/work/a"), false);
  });

  it("refuses names that Kubernetes refuses, with a better one", async () => {
    assert.match(
      await refusal("Tea_Time"),
      /^2: error: Cannot call an operator "Tea_Time": .*\(such as "tea-time"\)/,
    );
    for (const name of ["9lives", "tea-", `t${"e".repeat(63)}`]) {
      assert.match(await refusal(name), /^2: /, name);
    }
    assert.match(await refusal("tea --kind tea"), /^2: .*a capital first/);
    for (const group of ["tea", "Tea.com", "tea..com"]) {
      assert.match(await refusal(`tea --group ${group}`), /^2: .*a domain of yours/, group);
    }
  });

  it("refuses a folder that is not empty, and leaves it as it is; a repository without files will do", async () => {
    const message = await refusal("tea", { "/work/tea/notes.txt": "mine" });
    assert.match(message, /^1: error: Cannot make "tea": the folder is not empty, "notes\.txt" is in it/);
    assert.match(await refusal("tea", { "/work/tea": "a file" }), /^1: .*there is a file of that name/);
    assert.equal((await make("tea", { "/work/tea/.git/HEAD": "" })).code, 0);
  });

  it("leaves nothing behind when it is interrupted, or cannot write", async () => {
    for (const before of [{}, { "/work/tea/.git/HEAD": "" }] as Record<string, string>[]) {
      const host = virtualHost({ files: before });
      const { writeText } = host.files;
      host.files.writeText = async (path, text, options) => {
        await writeText.call(host.files, path, text, options);
        if (path.endsWith("example.yaml")) host.process.signal("SIGINT");
      };
      assert.equal(await main(host, ["new", "tea"]), 1);
      assert.match(host.process.stderr, /^error: Cannot make "tea": interrupted, and nothing was written\n$/);
      assert.equal(await host.files.exists("/work/tea/handlers.ts"), false);
      assert.equal(
        await host.files.exists("/work/tea"),
        ".git/HEAD" in before || Object.keys(before).length > 0,
      );
    }
  });

  it("leaves no project that is not whole when it is killed, and the next one clears up", async () => {
    for (const before of [{}, { "/work/a/tea/.git/HEAD": "" }] as Record<string, string>[]) {
      const host = virtualHost({ files: { ...before, "/work/other": "" } });
      const { writeText } = host.files;
      let reached = () => {};
      const killed = new Promise<void>((resolve) => reached = resolve);
      host.files.writeText = (path, text, options) => {
        if (!path.endsWith("example.yaml")) return writeText.call(host.files, path, text, options);
        reached(); // and never goes on
        return new Promise(() => {});
      };
      void main(host, ["new", "a/tea", "--runtime", "bun"]);
      await killed;
      const kept = ["other", ...Object.keys(before).map(() => "a/tea/.git/HEAD")];
      const seen = await filesOf(host, "/work");
      assert.deepEqual(seen.filter((path) => !path.includes(".lotse-new")), kept.sort());
      host.files.writeText = writeText;
      assert.equal(await main(host, ["new", "a/tea", "--runtime", "bun"]), 0);
      const made = [...FILES, "handlers.test.ts", "package.json", "tsconfig.json"];
      assert.deepEqual(
        await filesOf(host, "/work"),
        [...made.map((name) => `a/tea/${name}`), ...kept].sort(),
      );
    }
  });

  it("installs the packages where it is asked to, and keeps the project where that fails", async () => {
    const install = async (runtime: string, run: VirtualHost["process"]["run"]): Promise<string> => {
      const host = virtualHost({ files: {} });
      host.process.run = run;
      const code = await main(host, ["new", "tea", "--install", "--runtime", runtime]);
      assert.ok(await host.files.exists("/work/tea/handlers.ts"));
      return `${code}: ${host.process.stdout}${host.process.stderr}`;
    };
    const seen: unknown[] = [];
    const works: VirtualHost["process"]["run"] = (command, args, { cwd } = {}) => {
      seen.push([command, ...args, cwd]);
      return Promise.resolve({ code: 0, stdout: "", stderr: "" });
    };
    assert.match(
      await install("node", works),
      /^0: Made tea\. Next:\n {2}cd tea\n {2}npm test\n {2}npm run dev\n$/,
    );
    assert.match(await install("bun", works), /^0: Made tea/);
    assert.match(await install("deno", works), /^0: Made tea/);
    assert.deepEqual(seen, [
      ["npm", "install", "/work/tea"],
      ["npm", "run", "manifests", "/work/tea"],
      ["bun", "install", "/work/tea"],
      ["bun", "run", "manifests", "/work/tea"],
      ["deno", "task", "manifests", "/work/tea"],
    ]);

    const fails = () => Promise.resolve({ code: 7, stdout: "", stderr: "no network" });
    assert.match(
      await install("node", fails),
      /^1: error: Made tea, but "npm install" failed with exit code 7 \(run "npm install" in it\)\nno network\n$/,
    );
    const isNot = () => Promise.reject(new Error("spawn npm ENOENT"));
    assert.match(
      await install("node", isNot),
      /^1: error: Made tea, but "npm install" cannot be run: .*ENOENT \(run/,
    );
  });
});
