import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Command, Invocation } from "../../lib/cli/command.ts";
import { parseArguments, type Program } from "../../lib/cli/program.ts";
import { type VirtualHost, virtualHost } from "../../lib/runtime/virtual/host.ts";

const RUN: Command = {
  name: "run",
  summary: "Runs",
  files: "required",
  options: [
    { flags: "-n, --namespace <pattern>", summary: "Where", repeatable: true },
    { flags: "--apply <yaml...>", summary: "What", repeatable: true },
    { flags: "--log-format <format>", summary: "How", choices: ["plain", "json"] },
    { flags: "--log-prefix", summary: "Prefix", negatable: true },
    { flags: "-p, --priority <number>", summary: "Rank", kind: "number" },
  ],
  examples: ["run handlers.ts"],
  run: () => Promise.resolve(0),
};
const PROGRAM: Program = {
  name: "lotse",
  version: "1.2.3",
  summary: "Does things.",
  footer: "The end.",
  commands: [RUN, { ...RUN, name: "build", files: undefined }],
};

interface Outcome {
  readonly host: VirtualHost;
  readonly exitCode?: number;
  readonly given?: Omit<Invocation, "host">;
}

async function parse(args: string, program = PROGRAM): Promise<Outcome> {
  const host = virtualHost();
  const parsed = await parseArguments(program, { host, args: args.split(" ").filter((arg) => arg !== "") });
  return "exitCode" in parsed ? { host, exitCode: parsed.exitCode } : { host, given: parsed };
}

describe("parseArguments()", () => {
  it("[B279] parseArguments() shows the help without a command, and exits with code 2", async () => {
    const { host, exitCode } = await parse("");
    assert.equal(exitCode, 2);
    assert.match(host.process.stderr, /Usage: lotse .*Commands:.*run.*build/s);
  });

  it("shows the help of the program and of a command on request, with an example, and exits with code 0", async () => {
    for (
      const [args, pattern] of [["--help", /Commands:.*The end\./s], [
        "run --help",
        /\$ lotse run handlers\.ts/,
      ]] as const
    ) {
      const { host, exitCode } = await parse(args);
      assert.equal(exitCode, 0);
      assert.match(host.process.stdout, pattern);
    }
  });

  it("prints its name and version", async () => {
    const { host, exitCode } = await parse("--version");
    assert.deepEqual([exitCode, host.process.stdout], [0, "lotse 1.2.3\n"]);
  });

  it("names the nearest option for one that is unknown, and exits with code 2", async () => {
    const { host, exitCode } = await parse("run a.ts --name-space x");
    assert.equal(exitCode, 2);
    assert.match(host.process.stderr, /unknown option '--name-space'\n\(Did you mean --namespace\?\)/);
  });

  it("names the nearest command for one that is unknown, and exits with code 2", async () => {
    const { host, exitCode } = await parse("biuld a.ts");
    assert.equal(exitCode, 2);
    assert.match(host.process.stderr, /unknown command 'biuld'\n\(Did you mean build\?\)/);
  });

  it("exits with code 2 where files are missing, or a value is wrong", async () => {
    for (
      const args of ["run", "run a.ts --log-format xml", "run a.ts -p high", "run a.ts -n", "build a.ts"]
    ) {
      const { host, exitCode } = await parse(args);
      assert.equal(exitCode, 2, args);
      assert.match(host.process.stderr, /^error: /, args);
    }
  });

  it("gives files and options, wherever they stand", async () => {
    const { given } = await parse("run -n a one.ts --namespace b two.ts -p 7 --log-format JSON");
    assert.deepEqual(given?.files, ["one.ts", "two.ts"]);
    assert.deepEqual(given?.options.list("namespace"), ["a", "b"]);
    assert.equal(given?.options.number("priority"), 7);
    assert.equal(given?.options.text("log-format"), "json");
  });

  it("lets an option with dots take several values", async () => {
    const { given } = await parse("run a.ts --apply crd.yaml objects.yaml --apply more.yaml -p 1");
    assert.deepEqual(given?.options.list("apply"), ["crd.yaml", "objects.yaml", "more.yaml"]);
  });

  it("tells a switch that is off from one that was not given", async () => {
    const given = async (args: string) =>
      (await parse(`run a.ts ${args}`)).given?.options.choice("log-prefix");
    assert.deepEqual([await given(""), await given("--log-prefix"), await given("--no-log-prefix")], [
      undefined,
      true,
      false,
    ]);
  });

  it("needs no command's name where there is one command only", async () => {
    const { given } = await parse("-p 3", { ...PROGRAM, commands: [{ ...RUN, files: undefined }] });
    assert.equal(given?.options.number("priority"), 3);
  });
});
