import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { describe, it } from "node:test";
import { lotseProgram, main } from "../../lib/cli/main.ts";
import { virtualHost } from "../../lib/runtime/virtual/host.ts";
import { lotse, PATIENCE, project, ROOT } from "./processes.ts";

const CONFIG = (server: string) => `
apiVersion: v1
kind: Config
current-context: here
clusters: [{ name: here, cluster: { server: "${server}" } }]
contexts: [{ name: here, context: { cluster: here, user: me } }]
users: [{ name: me, user: { token: secret-token } }]
`;

describe("A clone", () => {
  const isBun = process.versions["bun"] !== undefined;

  it("without packages says so in one sentence", {
    timeout: PATIENCE,
    skip: isBun ? "Bun fetches packages by itself" : false,
  }, () => {
    const clone = project({});
    for (const name of ["bin", "cli.ts", "mod.ts", "lib", "deno.json", "package.json"]) {
      cpSync(join(ROOT, name), join(clone, name), { recursive: true });
    }
    const flags = "Deno" in globalThis ? ["run", "-A"] : [];
    for (const starter of ["cli.ts", "bin/lotse.js"]) {
      const args = [...flags, join(clone, starter), "--version"];
      const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", cwd: clone });
      assert.equal(status, 1);
      assert.match(
        stderr,
        /^error: Lotse's packages are not installed, "\S+" is missing: run "npm install" [^\n]*\n$/,
      );
    }
  });

  it("says in one sentence that an older Node cannot run it", () => {
    // Its beginning, before anything is imported: an older Node reads no TypeScript.
    const text = readFileSync(join(ROOT, "bin/lotse.js"), "utf8").replace(/^#!.*\n/, "");
    const [beginning = ""] = text.split("const { main } = await import");
    const start = (versions: Record<string, string>): [lines: string[], code: number | undefined] => {
      const lines: string[] = [];
      let ended: number | undefined;
      const system = { versions, exit: (code: number) => ended = code };
      new Function("process", "console", beginning)(system, { error: (line: string) => lines.push(line) });
      return [lines, ended];
    };
    for (const node of ["18.0.0", "20.20.2", "22.19.0"]) {
      const [[line = "", ...more], code] = start({ node });
      assert.match(line, /^error: Lotse needs Node 24 or newer, and this is Node \d+\.\d+\.\d+ /);
      assert.deepEqual([more, code], [[], 1]);
    }
    const others: readonly Record<string, string>[] = [{ node: "24.0.0" }, { node: "20.0.0", bun: "1.4.5" }, {
      node: "22.0.0",
      deno: "2.9.6",
    }];
    for (const versions of others) {
      assert.deepEqual(start(versions), [[], undefined]);
    }
  });
});

describe("main()", () => {
  it("[B320] gives its exit code and its output to a program that calls it with a host of its own", async () => {
    const host = virtualHost();
    assert.equal(await main(host, ["--help"]), 0);
    assert.match(host.process.stdout, /Usage: lotse/);
    assert.equal(host.process.stderr, "");
  });

  it("[B322] refuses a command that it does not know, with code 2", async () => {
    const host = virtualHost();
    assert.equal(await main(host, ["walk"]), 2);
    assert.match(host.process.stderr, /unknown command 'walk'/);
  });

  it("shows the help of each command, with an example", async () => {
    for (const command of (await lotseProgram(virtualHost())).commands) {
      const host = virtualHost();
      const name = command.name();
      assert.equal(await main(host, [name, "--help"]), 0);
      assert.match(host.process.stdout, new RegExp(`Examples?:\n  \\$ lotse ${name} `), name);
    }
  });

  it("shows the help of a command below another one, and refuses to help with one that it does not know", async () => {
    const crd = virtualHost();
    assert.equal(await main(crd, ["help", "generate", "crd"]), 0);
    assert.match(crd.process.stdout, /Usage: lotse generate crd /);
    for (const args of [["help", "biuld"], ["biuld", "--help"], ["help", "generate", "cdr"]]) {
      const host = virtualHost();
      assert.equal(await main(host, args), 2, args.join(" "));
      assert.match(host.process.stderr, /unknown command '(biuld|cdr)'\n\(Did you mean (build|crd)\?\)/);
      assert.equal(host.process.stdout, "");
    }
  });

  it("gives code 1 and one sentence for what fails, and its stack only with --debug", async () => {
    const host = virtualHost();
    assert.equal(await main(host, ["run", "absent.ts"]), 1);
    assert.equal(host.process.stderr, 'error: Cannot load "absent.ts": there is no such file in "/work"\n');
    assert.equal(await main(host, ["run", "absent.ts", "--debug"]), 1);
    assert.match(host.process.stderr, /CommandError: .*\n +at /);
  });

  it("writes failures as JSON where lines are to be JSON", async () => {
    const host = virtualHost();
    await main(host, ["run", "absent.ts", "--log-format", "json"]);
    const line = JSON.parse(host.process.stderr);
    assert.deepEqual([line.severity, line.message], [
      "error",
      'Cannot load "absent.ts": there is no such file in "/work"',
    ]);
  });

  it("[B280] main() refuses all namespaces and some together, with code 2", async () => {
    const host = virtualHost();
    assert.equal(await main(host, ["run", "-A", "-n", "x", "absent.ts"]), 2);
    assert.match(host.process.stderr, /--namespace and --all-namespaces exclude each other/);
  });
});

describe("lotse, as a process", () => {
  const folder = project({
    "broken.ts": 'import { operator } from "@lotse/lotse";\n\nthrow new Error("out of order");\n',
    "impatient.ts": 'import { operator } from "@lotse/lotse";\n' +
      "const op = operator({ networking: { errorBackoffs: [] } });\n" +
      'op.on.event("pods", () => {});\nexport default op;\n',
    "good.ts": 'import { operator } from "@lotse/lotse";\nconst op = operator();\n' +
      'op.on.create("greetings.example.com", () => {});\nexport default op;\n',
    "dead.yaml": CONFIG("https://127.0.0.1:1"),
    "garbage.yaml": "a: [1",
    "half.yaml": CONFIG("https://127.0.0.1:1").replace(
      "token: secret-token",
      'client-certificate: "absent.crt"',
    ),
  });

  async function run(...args: string[]): Promise<string> {
    await using program = lotse(args, { cwd: folder });
    return `${await program.ended()}: ${program.output}`;
  }

  it("shows the line of a handler file that throws", { timeout: PATIENCE }, async () => {
    assert.match(
      await run("run", "broken.ts"),
      /^1: error: Cannot load "broken\.ts": out of order\n {2}at \S+broken\.ts:3\n/,
    );
  });

  it("says which kubeconfig is bad, and why", { timeout: PATIENCE }, async () => {
    assert.match(
      await run("run", "good.ts", "--kubeconfig", "absent.yaml"),
      /^1: error: .*"?\S*absent\.yaml/,
    );
    assert.match(
      await run("run", "good.ts", "--kubeconfig", "garbage.yaml"),
      /^1: error: .*garbage\.yaml.*YAML/,
    );
    assert.match(await run("run", "good.ts", "--kubeconfig", "half.yaml"), /^1: error: .*absent\.crt/);
    assert.match(
      await run("run", "good.ts", "--kubeconfig", "dead.yaml", "--context", "there"),
      /^1: error: .*"there"/,
    );
  });

  it("says that the server cannot be reached, without a stack", { timeout: PATIENCE }, async () => {
    const output = await run("run", "impatient.ts", "--kubeconfig", "dead.yaml");
    assert.match(output, /^1: /);
    assert.match(
      output,
      /error: Cannot reach the API server "https:\/\/127\.0\.0\.1:1": .* \(check that it runs/,
    );
    assert.doesNotMatch(output, /\n +at /);
  });
});
