import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { before, describe, it } from "node:test";
import { dockerfile } from "../../lib/cli/dockerfile.ts";
import { main } from "../../lib/cli/main.ts";
import { virtualHost } from "../../lib/runtime/virtual/host.ts";
import { findControlPlane, startControlPlane } from "../control_plane/control_plane.ts";
import { lotse, PATIENCE, Program, project, ROOT } from "./processes.ts";

const EXAMPLE = join(ROOT, "examples/01-minimal");
const LIBRARIES = ["libc.so.6", "libpthread.so.0", "libdl.so.2", "libm.so.6"].map((name) =>
  `lib/x86_64-linux-gnu/${name}`
);
/** What a Bun executable needs of the system. */
const SYSTEM = ["lib64/ld-linux-x86-64.so.2", ...LIBRARIES];

/** Bun may have to be fetched from npm first. In milliseconds. */
const TIMEOUT = { timeout: 3 * PATIENCE };

const HANDLERS = `
import { operator } from "@lotse/lotse";
import { update as other } from "./other.ts";
import tea from "tea";
const op = operator();
const { unsafe } = globalThis.Bun;
const { setJITPolicy } = unsafe;
unsafe.setJITPolicy = (scale) => {
  console.error("compiled from " + scale);
  setJITPolicy(scale);
};
function update() {}
const report = async () => {
  const end = performance.now() + 2500; // as one that has much to do
  while (performance.now() < end) await new Promise((resolve) => setImmediate(resolve));
};
op.on.create("greetings", update);
op.on.create("greetings", { id: "other" }, other);
op.on.startup(async ({ logger }) => {
  logger.info("Drinks", { tea, names: [update.name, other.name].join() });
  logger.info("Counted", { sum: await op.offload(new URL("./heavy.ts", import.meta.url), { add: [20, 1] }) });
});
op.on.create("greetings", report);
op.on.create("greetings", function resolve() {});
export default op;
`;

/** A server with a Greeting that nobody handles yet. */
async function serve(): Promise<{ server: Program; kubeconfig: string }> {
  const server = lotse(["dev", join(EXAMPLE, "handlers.ts"), "--apply", EXAMPLE, "-n", "nowhere"]);
  const [, kubeconfig = ""] = await server.wrote(/KUBECONFIG=(\S+);/);
  await server.wrote(/greetings\/hello result=created/);
  return { server, kubeconfig };
}

async function build(...args: string[]): Promise<string> {
  await using program = lotse(["build", ...args]);
  return `${await program.ended()}: ${program.output}`;
}

/** Returns a root folder as that of Dockerfile.distroless: the executable, the C library that it needs, and no shell. */
function smallRoot(operator: string): string {
  const root = project({});
  for (const path of SYSTEM) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    copyFileSync(`/${path}`, join(root, path));
  }
  mkdirSync(join(root, "proc"));
  copyFileSync(operator, join(root, "operator"));
  return root;
}

/** Returns the root folder that the command of `generate dockerfile --scratch` makes where the executable lies. */
function scratchRoot(operator: string): string {
  const root = join(project({}), "root");
  const text = dockerfile({ name: "tea", runtime: "node", files: ["handlers.ts"], isFromScratch: true });
  const [, command = ""] = /^RUN (mkdir -p [^]*?; done)$/m.exec(text) ?? assert.fail(text);
  const script = command.replaceAll("\\\n", " ").replaceAll("/root-folder", root);
  const { status, stderr } = spawnSync("sh", ["-ec", script], { cwd: dirname(operator), encoding: "utf8" });
  assert.equal(status, 0, stderr);
  return root;
}

/** Starts an executable as an image does: in a root folder of its own, read-only, without privileges, with a /proc. */
function startAlone(root: string, kubeconfig: string, user = "65532:65532"): Program {
  writeFileSync(join(root, "kubeconfig"), readFileSync(kubeconfig), { mode: 0o644 });
  chmodSync(root, 0o755);
  const script =
    `mount --bind ${root} ${root} && mount -o remount,bind,ro ${root} && mount -t proc proc ${root}/proc && ` +
    `exec chroot --userspec=${user} ${root} /operator --kubeconfig /kubeconfig`;
  // Not every login has the folders of administrators' programs in its path.
  const env = { PATH: `${process.env["PATH"]}:/usr/sbin:/sbin` };
  return new Program("unshare", ["-m", "sh", "-c", script], { env });
}

function whyNoRoot(): string | false {
  if (process.getuid?.() !== 0) return "only root can change the root folder";
  if (!SYSTEM.every((path) => existsSync(`/${path}`))) return "the C library is not where Debian has it";
  return spawnSync("unshare", ["-m", "true"]).status === 0 ? false : "unshare is not allowed here";
}

describe("lotse build", () => {
  // As a stranger has it: nothing but the handlers and a package of their own.
  const folder = project({
    "heavy.ts": "export default ({ add: [a, b] }) => a + b;\n",
    "other.ts": "export function update() {}\n",
    "package.json": '{ "name": "mine", "version": "1.4.0", "type": "module" }',
    "node_modules/tea/package.json": '{ "name": "tea", "type": "module", "exports": "./tea.js" }',
    "node_modules/tea/tea.js": 'export default "hot";',
  });
  writeFileSync(join(folder, "handlers.ts"), HANDLERS);
  const operator = join(folder, "operator");

  before(async () => {
    assert.match(await build(join(EXAMPLE, "handlers.ts"), "-o", operator), /^0: /);
  }, TIMEOUT);

  it("makes an executable of at most 117 MB", () => {
    assert.ok(statSync(operator).size <= 117e6, `${statSync(operator).size}`);
  });

  it("makes an executable that has the options of run, without files", TIMEOUT, async () => {
    await using help = new Program(operator, ["--help"]);
    assert.equal(await help.ended(), 0);
    assert.match(help.stdout, /^Usage: operator \[options\]\n[^]*--namespace <pattern>/);
    await using wrong = new Program(operator, ["run", "--namespaces", "x"]);
    assert.equal(await wrong.ended(), 2);
    assert.match(wrong.stderr, /Did you mean --namespace\?/);
  });

  it("makes an executable that handles objects, and stops gracefully", TIMEOUT, async () => {
    const { server, kubeconfig } = await serve();
    await using _server = server;
    await using program = new Program(operator, ["run", "-A"], { env: { KUBECONFIG: kubeconfig } });
    await program.wrote(/\[default\/hello\] Handler succeeded handler=greet\n/);
    // NB: not all that is resident: how much of the executable's own pages is, depends on the system's cache.
    const [, kilobytes] =
      /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${program.pid}/status`, "utf8")) ?? [];
    assert.ok(Number(kilobytes) <= 36_000, `${kilobytes} kB`);
    assert.equal(await program.stop(), 0);
  });

  it(
    "makes an executable that needs nothing but the C library and /proc",
    { ...TIMEOUT, skip: whyNoRoot() },
    async () => {
      const { server, kubeconfig } = await serve();
      await using _server = server;
      await using program = startAlone(smallRoot(operator), kubeconfig);
      await program.wrote(/\[default\/hello\] Handler succeeded handler=greet\n/);
      const status = readFileSync(`/proc/${program.pid}/status`, "utf8");
      assert.match(status, /^Uid:\t65532\t65532\t65532\t65532$/m);
      assert.equal(await program.stop(), 0);
    },
  );

  it(
    "makes an executable that serves a real control plane from the root folder of an image from scratch, as any user",
    { ...TIMEOUT, skip: findControlPlane().reason ?? whyNoRoot() },
    async () => {
      await using plane = await startControlPlane();
      await plane.kubectl(["apply", "-f", join(EXAMPLE, "crd.yaml")]);
      await plane.kubectl(["wait", "--for=condition=Established", "crd/greetings.example.com"]);
      await plane.kubectl(["apply", "-f", join(EXAMPLE, "greeting.yaml")]);
      // As OpenShift does: a number that it thinks of, of the group 0.
      await using program = startAlone(scratchRoot(operator), plane.kubeconfig, "1000660000:0");
      const message = "jsonpath={.status.message}=Hello, world!";
      await plane.kubectl(["wait", "greeting/hello", `--for=${message}`, "--timeout=60s"]);
      await plane.kubectl(["delete", "greeting", "hello", "--timeout=60s"]); // It waits for the last handler.
      assert.match(program.output, /\[default\/hello\] Handler succeeded handler=sayGoodbye\n/);
      assert.equal(await program.stop(), 0);
    },
  );

  it("keeps the names of handlers, whatever else has the same name", TIMEOUT, async () => {
    const { server, kubeconfig } = await serve();
    await using _server = server;
    const twins = join(folder, "twins");
    assert.match(await build(join(folder, "handlers.ts"), "-o", twins, "--commit", "1a2b3c"), /^0: /);
    await using about = new Program(twins, ["--version"]);
    assert.equal(await about.ended(), 0);
    assert.match(about.stdout, /^twins 1\.4\.0 \(commit 1a2b3c, lotse \d\S+, bun \d\S+\)\n$/);
    await using program = new Program(twins, ["--kubeconfig", kubeconfig]);
    await program.wrote(/Drinks.* tea=hot names=update,update/);
    await program.wrote(/Counted sum=21\n/); // In a worker, whose module is in the executable.
    await program.wrote(/Creation is processed succeeded=4|Handler succeeded handler=resolve/);
    for (const name of ["update", "other", "report", "resolve"]) {
      await program.wrote(new RegExp(`handler=${name}\n`));
    }
    await program.wrote(/^compiled from 1$/m); // The start is over, and there is much to do.
  });

  it("makes an executable that says which of its files throws", TIMEOUT, async () => {
    const broken = project({ "handlers.ts": 'throw new Error("out of order");\n' });
    const output = join(broken, "operator");
    assert.match(await build(join(broken, "handlers.ts"), "-o", output), /^0: /);
    await using program = new Program(output, []);
    assert.equal(await program.ended(), 1);
    assert.match(program.stderr, /^error: Cannot load "\S+handlers\.ts": out of order\n/);
  });

  it("makes the same bytes of the same sources, without anything beside them", TIMEOUT, async () => {
    const hashes: string[] = [];
    for (const name of ["one", "two"]) {
      mkdirSync(join(folder, name));
      const output = join(folder, name, "operator");
      assert.match(await build(join(folder, "handlers.ts"), "-o", output), /^0: /);
      assert.deepEqual(readdirSync(join(folder, name)), ["operator"]);
      hashes.push(createHash("sha256").update(readFileSync(output)).digest("hex"));
    }
    assert.equal(hashes[0], hashes[1]);
  });

  it("makes an executable whose errors name the author's file and line", TIMEOUT, async () => {
    const lines = ['import { operator } from "@lotse/lotse";', "interface Wide {", "  a: string;", "}", ""];
    const main = [
      ...lines,
      "const op = operator();",
      "op.on.startup(() => {",
      '  throw new Error("line eight" as Wide["a"]);',
      "});",
      "export default op;",
    ];
    const source = project({ "handlers.ts": main.join("\n") });
    const output = join(source, "operator");
    assert.match(await build(join(source, "handlers.ts"), "-o", output), /^0: /);
    const { kubeconfig, server } = await serve();
    await using _server = server;
    await using program = new Program(output, ["-A", "--kubeconfig", kubeconfig]);
    await program.wrote(/line eight[^]*at .*handlers\.ts:8:/);
  });

  it("leaves nothing behind when it is interrupted", TIMEOUT, async () => {
    const source = project({ "handlers.ts": readFileSync(join(EXAMPLE, "handlers.ts"), "utf8") });
    await using program = lotse(["build", join(source, "handlers.ts"), "-o", join(source, "operator")]);
    setTimeout(() => program.kill("SIGINT"), 500); // in the middle, whatever it does then
    const code = await program.ended();
    // On a busy machine it may not have begun: then the signal itself ends it.
    if (code !== 0 && code !== "SIGINT") {
      assert.deepEqual([code, program.stderr], [
        1,
        "error: Cannot build: interrupted, and nothing was written\n",
      ]);
      assert.deepEqual(readdirSync(source), ["handlers.ts"]);
    }
  });

  it("passes on what the compiler has to say, and ends with code 1", TIMEOUT, async () => {
    const broken = project({ "handlers.ts": "const x = = 1;\n" });
    const said = await build(join(broken, "handlers.ts"), "-o", join(broken, "operator"));
    assert.match(
      said,
      /^1: error: Cannot build: bun failed with exit code 1\n[^]*handlers\.ts:1: Unexpected =/,
    );
    assert.equal(existsSync(join(broken, "operator")), false);
  });

  it("makes an executable for another processor and another C library", TIMEOUT, async () => {
    const output = join(folder, "elsewhere");
    const said = await build(join(EXAMPLE, "handlers.ts"), "-o", output, "--target", "linux-arm64-musl");
    assert.match(said, /^0: /);
    const head = readFileSync(output).subarray(0, 4096);
    assert.equal(head.readUInt16LE(18), 183); // Source: elf(5), e_machine: EM_AARCH64
    assert.ok(head.includes("/lib/ld-musl-aarch64.so.1"));
  });

  it("refuses a target that there is not, and names those that there are", TIMEOUT, async () => {
    const output = join(folder, "nowhere");
    assert.equal(
      await build(join(EXAMPLE, "handlers.ts"), "-o", output, "--target", "linux-sparc"),
      '1: error: Cannot build: Bun has no target "bun-linux-sparc" (take bun-linux-x64, bun-linux-arm64, ' +
        "bun-linux-x64-musl or bun-linux-arm64-musl)\n",
    );
    assert.equal(existsSync(output), false);
  });

  it("refuses a missing file with code 1, and a missing output with code 2", TIMEOUT, async () => {
    assert.match(
      await build("absent.ts", "-o", "x"),
      /^1: error: Cannot build "absent\.ts": there is no such file/,
    );
    assert.match(await build("absent.ts"), /^2: error: the option "-o, --output <file>" is missing/);
  });

  it("makes an executable with Deno, or says why Deno cannot", TIMEOUT, async () => {
    const output = join(folder, "with-deno");
    const said = await build(join(EXAMPLE, "handlers.ts"), "-o", output, "--backend", "deno");
    if (said.startsWith("0: ")) assert.ok(existsSync(output));
    else {assert.match(
        said,
        /^1: error: Cannot build: (Deno could not fetch the runtime|deno is not installed).*\n$/,
      );}
  });
});

describe("lotse build, before it compiles", () => {
  it("knows whether the executable can be written, and makes its folder", async () => {
    const host = virtualHost({ files: { "/work/handlers.ts": "", "/work/taken/file": "" } });
    const runs: string[] = [];
    host.process.run = async (command) => {
      runs.push(`${command} ${await host.files.list("/work/new").catch(() => "nothing")}`);
      return { code: 1, stdout: "", stderr: "no" };
    };
    const build = (output: string) => main(host, ["build", "handlers.ts", "-o", output]);
    assert.equal(await build("taken"), 1);
    assert.match(
      host.process.stderr,
      /there is a folder of that name \(name a file, such as "taken\/operator"\)\n$/,
    );
    const { writeText } = host.files;
    host.files.writeText = () => Promise.reject(new Error("EACCES: permission denied"));
    assert.equal(await build("new/operator"), 1);
    assert.match(host.process.stderr, /Cannot build "new\/operator": it cannot be written: EACCES.*\n$/);
    assert.equal(runs.length, 0);
    host.files.writeText = writeText;
    assert.equal(await build("new/operator"), 1); // as the compiler is none
    assert.deepEqual(new Set(runs.filter((run) => !run.startsWith("git"))), new Set(["bun "]));
    assert.deepEqual(await host.files.list("/work/new"), []);
  });
});
