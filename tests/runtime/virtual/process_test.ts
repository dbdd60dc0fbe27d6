import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { virtualHost } from "../../../lib/runtime/virtual/host.ts";
import { VirtualExit } from "../../../lib/runtime/virtual/process.ts";

describe("VirtualProcess", () => {
  it("has the surroundings that it was given, and nothing of the real ones", () => {
    const { process } = virtualHost({ env: { HOME: "/home/jane" }, args: ["run", "x.ts"], cwd: "/x" });
    assert.equal(process.env("PATH"), undefined);
    assert.deepEqual([process.home(), process.args, process.cwd()], ["/home/jane", ["run", "x.ts"], "/x"]);
    process.setEnv("HOME", undefined);
    process.setEnv("__proto__", "a");
    assert.deepEqual([process.home(), process.env("__proto__"), process.env("constructor")], [
      undefined,
      "a",
      undefined,
    ]);
    assert.equal(process.isTerminal("stdout"), false);
  });

  it("keeps what was written and how it was to end", () => {
    const { process } = virtualHost();
    process.write("stdout", "a");
    process.write("stdout", "b\n");
    process.write("stderr", "c");
    assert.deepEqual([process.stdout, process.stderr], ["ab\n", "c"]);
    assert.throws(() => process.exit(3), (error) => error instanceof VirtualExit && error.code === 3);
    assert.deepEqual(process.exits, [3]);
  });

  it("signal() calls those who listen, and tells whether there were any", () => {
    const { process } = virtualHost();
    const log: string[] = [];
    const listening = process.onSignal("SIGTERM", () => log.push("first"));
    process.onSignal("SIGTERM", () => log.push("second"));
    assert.equal(process.signal("SIGINT"), false);
    assert.equal(process.signal("SIGTERM"), true);
    listening[Symbol.dispose]();
    process.signal("SIGTERM");
    assert.deepEqual(log, ["first", "second", "second"]);
  });

  it("run() runs programs that are known, in virtual time, and no others", async () => {
    const { clock, process } = virtualHost();
    process.program("login", async (args, { env }) => {
      await clock.sleep(5);
      return { code: 0, stdout: `${args} ${env?.A}`, stderr: "" };
    });
    const running = process.run("login", ["--now"], { env: { A: "1" } });
    await clock.advance(5);
    assert.equal((await running).stdout, "--now 1");
    await assert.rejects(process.run("constructor", []), { code: "ENOENT" });
  });

  it("run() fails with AbortError when its signal is aborted", async () => {
    const { process } = virtualHost();
    process.program("hang", () => new Promise(() => {}));
    const controller = new AbortController();
    const running = process.run("hang", [], { signal: controller.signal });
    controller.abort();
    await assert.rejects(running, { name: "AbortError" });
    await assert.rejects(process.run("hang", [], { signal: controller.signal }), { name: "AbortError" });
  });

  it("importModule() imports real modules, and the clock waits for that", async () => {
    const { clock, process } = virtualHost();
    let loaded: Record<string, unknown> | undefined;
    process.importModule(new URL("../../../lib/runtime/heap.ts", import.meta.url).pathname).then((module) =>
      loaded = module
    );
    await clock.settle();
    assert.equal(typeof loaded?.Heap, "function");
  });
});
