import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { TypeCheck } from "../../lib/cli/type_check.ts";
import type { RunOptions } from "../../lib/runtime/host.ts";
import { createLogger, type LogRecord } from "../../lib/runtime/logging.ts";
import { virtualHost } from "../../lib/runtime/virtual/host.ts";

/** A project of npm, with a compiler that says what `said` holds. */
function setUp() {
  const host = virtualHost({
    cwd: "/work",
    files: {
      "/work/handlers.ts": 'import { word } from "./word.ts";\n',
      "/work/word.ts": "",
      "/work/tsconfig.json": "{}",
      "/work/node_modules/typescript/package.json": '{ "bin": { "tsc": "bin/tsc" } }',
    },
  });
  const said = { code: 2, stdout: "", stderr: "" };
  const calls: { args: readonly string[]; options: RunOptions }[] = [];
  host.process.program("/proc/1/exe", (args, options) => {
    calls.push({ args, options });
    return said;
  });
  const logs: LogRecord[] = [];
  const logger = createLogger({ level: "info", write: (record) => void logs.push(record) }, host.clock);
  const types = new TypeCheck(["handlers.ts"], { host, logger });
  async function check(change: Partial<typeof said> = {}): Promise<string[]> {
    Object.assign(said, change);
    logs.length = 0;
    types.begin();
    await host.clock.advance(1);
    return logs.map(({ message, fields }) => `${message} ${JSON.stringify(fields)}`);
  }
  return { check, calls };
}

const FAULT = "handlers.ts(5,20): error TS2339: Property 'titel' does not exist on type 'Spec'.\n";

describe("TypeCheck", () => {
  it("tells the first fault of the operator's files in one line, and how many more there are", async () => {
    const { check, calls } = setUp();
    const stdout = `test.ts(1,1): error TS1: Of another file\n${FAULT}word.ts(1,1): error TS2: More\n`;
    assert.deepEqual(await check({ stdout }), [
      `Types do not fit {"at":"handlers.ts:5","error":"Property 'titel' does not exist on type 'Spec'.","more":1}`,
    ]);
    const [{ args, options } = assert.fail()] = calls;
    const project = ["--noEmit", "--pretty", "false", "--project", "/work/tsconfig.json"];
    assert.deepEqual(args, ["/work/node_modules/typescript/bin/tsc", ...project]);
    assert.equal(options.cwd, "/work");
  });

  it("says so when they fit again, and repeats nothing", async () => {
    const { check } = setUp();
    assert.equal((await check({ stdout: FAULT })).length, 1);
    assert.deepEqual(await check(), []);
    assert.deepEqual(await check({ stdout: "", code: 0 }), ["Types fit again {}"]);
    assert.deepEqual(await check(), []);
  });

  it("reads faults as Deno writes them", async () => {
    const { check } = setUp();
    const stderr = "TS2551 [ERROR]: Property 'titel' does not exist.\nop.on.create(\n   ~~~~\n" +
      "    at file:///work/handlers.ts:4:85\n\nerror: Type checking failed.\n";
    assert.deepEqual(await check({ stderr }), [
      `Types do not fit {"at":"handlers.ts:4","error":"Property 'titel' does not exist."}`,
    ]);
  });

  it("raises no alarm over modules that the compiler alone does not find", async () => {
    const { check } = setUp();
    const stdout = `word.ts(1,1): error TS2307: Cannot find module 'zod'.\n${FAULT}`;
    assert.deepEqual(await check({ stdout }), [
      `Types cannot be checked {"why":"Cannot find module 'zod'."}`,
    ]);
    assert.deepEqual(await check({ stdout: "", stderr: "error: no such option\n" }), [
      `Types cannot be checked {"why":"error: no such option"}`,
    ]);
  });

  it("says that there is no compiler, once, and nothing of handlers in JavaScript", async () => {
    const host = virtualHost({ cwd: "/work", files: { "/work/handlers.ts": "" } });
    const lines: string[] = [];
    const logger = createLogger(
      { level: "info", write: ({ message }) => void lines.push(message) },
      host.clock,
    );
    for (const file of ["handlers.ts", "handlers.js"]) {
      const types = new TypeCheck([file], { host, logger });
      types.begin();
      await host.clock.advance(1);
      types.begin();
      await host.clock.advance(1);
    }
    assert.deepEqual(lines, ["Types are not checked: TypeScript is not installed"]);
  });
});
