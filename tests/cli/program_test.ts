import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CommandOption, newProgram, portNumber, variableOf, wholeNumber } from "../../lib/cli/program.ts";
import { addExamples } from "../../lib/cli/program.ts";
import { runProgram } from "../../lib/cli/dispatch.ts";
import { type VirtualHost, virtualHost } from "../../lib/runtime/virtual/host.ts";

/** What the commands of the test take. */
interface Flags {
  readonly namespace?: readonly string[];
  readonly allNamespaces?: boolean;
  readonly apply?: readonly string[];
  readonly logFormat?: string;
  readonly logPrefix?: boolean;
  readonly priority?: number;
  readonly port?: number;
  readonly output?: string;
}

interface Outcome {
  readonly host: VirtualHost;
  readonly code: number;
  readonly files?: readonly string[];
  readonly flags?: Flags;
}

/** Runs a program with the commands `run FILES…`, `build` and `generate crd`. */
async function run(args: string, env: Readonly<Record<string, string>> = {}): Promise<Outcome> {
  const host = virtualHost();
  for (const [name, value] of Object.entries(env)) host.process.setEnv(name, value);
  const found: { files?: readonly string[]; flags?: Flags } = {};
  const program = newProgram({ name: "lotse", version: "1.2.3", summary: "Does.", footer: "The end.", host });
  const command = program.command("run").argument("<files...>").description("Runs");
  command
    .addOption(new CommandOption("-n, --namespace <pattern>", "Where").repeatable().exclude("allNamespaces"))
    .addOption(new CommandOption("-A, --all-namespaces", "Everywhere"))
    .addOption(new CommandOption("--apply <yaml...>", "What"))
    .addOption(new CommandOption("--log-format <format>", "How").oneOf(["plain", "json"]))
    .addOption(new CommandOption("--log-prefix", "Prefix"))
    .addOption(new CommandOption("--no-log-prefix", "No prefix"))
    .addOption(new CommandOption("-p, --priority <number>", "Rank").argParser(wholeNumber))
    .addOption(new CommandOption("--port <number>", "Door").argParser(portNumber));
  addExamples(command, ["run handlers.ts"]);
  command.action((files: readonly string[], flags: Flags) => void Object.assign(found, { files, flags }));
  const build = program.command("build").description("Builds");
  build.addOption(new CommandOption("-o, --output <file>", "Where to").demand());
  build.action((flags: Flags) => void Object.assign(found, { flags }));
  const crd = program.command("generate").description("Writes").command("crd").description("A CRD");
  crd.addOption(new CommandOption("--output <file>", "Where to"));
  crd.action((flags: Flags) => void Object.assign(found, { flags }));
  const code = await runProgram(program, { host, args: args.split(" ").filter((arg) => arg !== "") });
  return { host, code, ...found };
}

async function flagsOf(args: string, env: Readonly<Record<string, string>> = {}): Promise<Flags | undefined> {
  return (await run(`run a.ts ${args}`, env)).flags;
}

/** What is written where usage is wrong. */
async function refusal(args: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const { host, code } = await run(args, env);
  assert.equal(code, 2, args);
  assert.match(host.process.stderr, /^error: /, args);
  return host.process.stderr;
}

describe("newProgram()", () => {
  it("[B279] shows the help without a command, and exits with code 2", async () => {
    const { host, code } = await run("");
    assert.equal(code, 2);
    assert.match(host.process.stderr, /Usage: lotse .*Commands:.*run.*build/s);
  });

  it("[B279] shows the help of the program and of a command on request, with an example, runs nothing, and exits with code 0", async () => {
    for (
      const [args, pattern] of [
        ["--help", /Commands:.*The end\./s],
        ["help", /Commands:.*The end\./s],
        ["run --help", /\$ lotse run handlers\.ts/],
        ["help run", /Runs\n.*\$ lotse run handlers\.ts/s],
      ] as const
    ) {
      const { host, code, files } = await run(args);
      assert.equal(code, 0, args);
      assert.equal(files, undefined, "no command has run");
      assert.match(host.process.stdout, pattern, args);
    }
  });

  it("prints its name and version", async () => {
    const { host, code } = await run("--version");
    assert.deepEqual([code, host.process.stdout], [0, "lotse 1.2.3\n"]);
  });

  it("names the nearest option for one that is unknown, and exits with code 2", async () => {
    const message = await refusal("run a.ts --name-space x");
    assert.match(message, /unknown option '--name-space'\n\(Did you mean --namespace\?\)/);
  });

  it("names the nearest command for one that is unknown, and exits with code 2", async () => {
    assert.match(await refusal("biuld a.ts"), /unknown command 'biuld'\n\(Did you mean build\?\)/);
  });

  it("exits with code 2 where files are missing, or a value is wrong", async () => {
    for (
      const args of ["run", "run a.ts --log-format xml", "run a.ts -p high", "run a.ts -n", "build a.ts"]
    ) await refusal(args);
  });
});

describe("CommandOption", () => {
  it("takes its values wherever they stand", async () => {
    const { files, flags } = await run("run -n a one.ts --namespace b two.ts -p 7 --log-format JSON");
    assert.deepEqual(files, ["one.ts", "two.ts"]);
    assert.deepEqual(flags?.namespace, ["a", "b"]);
    assert.equal(flags?.priority, 7);
    assert.equal(flags?.logFormat, "json");
  });

  it("takes several values where its flags have dots", async () => {
    const flags = await flagsOf("--apply crd.yaml objects.yaml --apply more.yaml -p 1");
    assert.deepEqual(flags?.apply, ["crd.yaml", "objects.yaml", "more.yaml"]);
  });

  it("tells a switch that is off from one that was not given", async () => {
    const prefixes = ["", "--log-prefix", "--no-log-prefix"].map(async (args) =>
      (await flagsOf(args))?.logPrefix
    );
    assert.deepEqual(await Promise.all(prefixes), [undefined, true, false]);
  });

  it("refuses what is no choice, and names the choices", async () => {
    assert.match(await refusal("run a.ts --log-format xml"), /"xml" is none of plain, json\./);
  });

  it("refuses options that exclude each other, wherever they come from", async () => {
    const both = { LOTSE_RUN_ALL_NAMESPACES: "1", LOTSE_RUN_NAMESPACE: "x" };
    for (const message of [await refusal("run a.ts -A -n x"), await refusal("run a.ts", both)]) {
      assert.equal(
        message,
        "error: --namespace and --all-namespaces exclude each other: give one of them\n",
      );
    }
  });

  it("must be given where it is demanded, on the command line or as a variable", async () => {
    assert.equal(await refusal("build"), 'error: the option "-o, --output <file>" is missing\n');
    assert.equal((await run("build", { LOTSE_BUILD_OUTPUT: "x" })).flags?.output, "x");
  });
});

describe("wholeNumber(), portNumber()", () => {
  it("refuse what is none", async () => {
    for (const text of ["1x", "1.5", "one"]) {
      assert.match(await refusal(`run a.ts -p ${text}`), /is not a whole number/);
    }
    for (const text of ["-1", "65536", "http"]) await refusal(`run a.ts --port ${text}`);
    assert.deepEqual(await flagsOf("-p -5 --port 0"), { priority: -5, port: 0 });
    assert.equal((await flagsOf("--port 65535"))?.port, 65535);
  });
});

describe("variableOf()", () => {
  it("makes the variable's name of the command's and the option's", () => {
    const program = newProgram({ name: "x", version: "1", summary: "", footer: "", host: virtualHost() });
    const crd = program.command("generate").command("crd");
    const option = new CommandOption("-A, --all-namespaces", "");
    assert.equal(variableOf(program.command("freeze"), option), "LOTSE_FREEZE_ALL_NAMESPACES");
    assert.equal(variableOf(crd, option), "LOTSE_GENERATE_CRD_ALL_NAMESPACES");
  });

  it("takes a program without commands for `run`, as a built operator is", () => {
    const program = newProgram({ name: "x", version: "1", summary: "", footer: "", host: virtualHost() });
    assert.equal(variableOf(program, new CommandOption("--dev", "")), "LOTSE_RUN_DEV");
  });
});

describe("completeOptions()", () => {
  it("[B281] splits a repeatable option's variable by spaces", async () => {
    const flags = await flagsOf("", { LOTSE_RUN_NAMESPACE: "a  b", LOTSE_RUN_APPLY: "x.yaml y.yaml" });
    assert.deepEqual(flags, { namespace: ["a", "b"], apply: ["x.yaml", "y.yaml"] });
  });

  it("lets the command line win over the environment", async () => {
    const flags = await flagsOf("--log-format plain -n a", {
      LOTSE_RUN_LOG_FORMAT: "json",
      LOTSE_RUN_NAMESPACE: "b",
    });
    assert.deepEqual(flags, { logFormat: "plain", namespace: ["a"] });
  });

  it("reads switches as true and false, and refuses other words with the variable's name", async () => {
    const read = async (text: string) =>
      (await flagsOf("", { LOTSE_RUN_ALL_NAMESPACES: text }))?.allNamespaces;
    assert.deepEqual([await read("yes"), await read("0")], [true, false]);
    assert.equal((await flagsOf("", { LOTSE_RUN_LOG_PREFIX: "no" }))?.logPrefix, false);
    assert.match(
      await refusal("run a.ts", { LOTSE_RUN_ALL_NAMESPACES: "maybe" }),
      /LOTSE_RUN_ALL_NAMESPACES: "maybe" is neither true nor false\n/,
    );
  });

  it("checks a variable's value as it checks an option's", async () => {
    assert.match(
      await refusal("run a.ts", { LOTSE_RUN_PRIORITY: "high" }),
      /LOTSE_RUN_PRIORITY: "high" is not/,
    );
    assert.equal((await flagsOf("", { LOTSE_RUN_LOG_FORMAT: "JSON" }))?.logFormat, "json");
  });

  it("takes an empty variable for none", async () => {
    assert.deepEqual(await flagsOf("", { LOTSE_RUN_PRIORITY: "" }), {});
  });

  it("ignores a variable that the command line excludes", async () => {
    assert.deepEqual(await flagsOf("-n x", { LOTSE_RUN_ALL_NAMESPACES: "1" }), { namespace: ["x"] });
    assert.deepEqual(await flagsOf("-A", { LOTSE_RUN_NAMESPACE: "x" }), { allNamespaces: true });
  });
});
