/** What a host's process must do, and what it must do with other processes. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import nodeProcess from "node:process";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import type { Block, Host } from "../../../lib/runtime/host.ts";

const HOST = new URL("../../../lib/runtime/current_host.ts", import.meta.url);

/** Describes the process of a host. */
export function processSuite(makeHost: () => Host): void {
  describe("host.process", () => {
    const { clock, files, process } = makeHost();
    let folder = "";
    before(async () => void (folder = await files.makeTempFolder("lotse-process-")));
    after(() => files.remove(folder));

    /** The command line that runs a program with this very host. */
    async function program(text: string): Promise<[string, ...string[]]> {
      const path = join(folder, `program-${clock.monotonic()}.ts`);
      await files.writeText(
        path,
        `import { currentHost } from ${JSON.stringify(HOST.href)};\nconst host = currentHost();\n${text}`,
      );
      const isDeno = nodeProcess.versions.deno !== undefined;
      return isDeno ? [nodeProcess.execPath, "run", "-A", "--no-config", path] : [nodeProcess.execPath, path];
    }

    it("knows itself", () => {
      assert.equal(process.pid, nodeProcess.pid);
      assert.equal(process.cwd(), nodeProcess.cwd());
      assert.equal(process.env("PATH"), nodeProcess.env.PATH);
      assert.equal(process.env("LOTSE_NO_SUCH_VARIABLE"), undefined);
      assert.ok(process.hostname().length > 0);
      assert.notEqual(process.user(), "");
      assert.ok(process.memory() > 1e6);
      assert.ok(process.home());
      const before = process.cpu();
      // NB: on a busy machine 50 ms by the clock may be few on a core, so it is work that ends the loop.
      for (const end = performance.now() + 10_000; process.cpu() - before < 0.02 && performance.now() < end;);
      const spent = process.cpu() - before;
      assert.ok(spent > 0.01 && spent < 5, `${spent}`);
    });

    const skip = nodeProcess.getuid?.() === 0 ? false : "only root can become somebody else";
    it("has no home where the user is a number without a name", { skip }, async () => {
      const words = await program(
        `import process from "node:process";
        process.setuid(65432);
        console.log(host.process.home() ?? "none");`,
      );
      const { stdout, stderr } = await process.run("env", ["-i", ...words]);
      assert.equal(stdout, "none\n", stderr);
    });

    it("releaseMemory() collects what nobody holds any more", () => {
      const used = (): number => nodeProcess.memoryUsage().heapUsed / 1e6;
      let garbage: unknown[] | undefined = Array.from(
        { length: 400_000 },
        (_, number) => ({ number, list: [] }),
      );
      const before = used();
      assert.ok(garbage.length > 0);
      garbage = undefined;
      process.releaseMemory();
      assert.ok(used() < before - 10, `${before} MB before, ${used()} MB after`);
    });

    it("onBlocked() tells for how long nothing could run, once for each time, and nothing of short ones", async () => {
      const blocks: Block[] = [];
      // NB: on a busy machine a second has few hundredths of CPU.
      const blockFor = (seconds: number, cpu = 0): void => {
        const [end, used] = [clock.monotonic() + seconds, process.cpu() + cpu];
        while (clock.monotonic() < end || process.cpu() < used);
      };
      const listener = process.onBlocked((block) => blocks.push(block));
      await clock.sleep(0.3);
      blockFor(0.5);
      await clock.sleep(0.3);
      assert.deepEqual(blocks, []);
      blockFor(1.6, 0.3);
      await clock.sleep(0.6);
      assert.equal(blocks.length, 1);
      const [{ seconds, cpu } = { seconds: 0, cpu: 0 }] = blocks;
      assert.ok(seconds > 1.3 && seconds < 20, `${seconds}`);
      assert.ok(cpu > 0.2 && cpu < seconds + 1, `${cpu}`);
      listener[Symbol.dispose]();
    });

    it("run() collects output, gives the exit code, and passes input, folder and variables", async () => {
      const script = 'cat; echo "$A in $PWD" >&2; exit 3';
      const result = await process.run("sh", ["-c", script], { env: { A: "ä" }, cwd: "/", input: "in\n" });
      assert.deepEqual(result, { code: 3, stdout: "in\n", stderr: "ä in /\n" });
      assert.equal((await process.run("sh", ["-c", "cat"])).stdout, "");
      assert.equal((await process.run("sh", ["-c", "kill -9 $$"])).code, 137);
    });

    it("run() survives programs that do not read their input", async () => {
      const result = await process.run("true", [], { input: "x".repeat(1 << 20) });
      assert.equal(result.code, 0);
    });

    it("run() fails with ENOENT for what is not there", async () => {
      await assert.rejects(process.run("lotse-no-such-program", []), { code: "ENOENT" });
    });

    it(
      "run() kills the program and fails with AbortError when its signal is aborted",
      { timeout: 20_000 },
      async () => {
        const controller = new AbortController();
        const running = process.run("sleep", ["60"], { signal: controller.signal });
        setTimeout(() => controller.abort(), 50);
        await assert.rejects(running, { name: "AbortError" });
        await assert.rejects(process.run("sleep", ["60"], { signal: controller.signal }), {
          name: "AbortError",
        });
      },
    );

    it("exit() ends the process after all that was written", { timeout: 20_000 }, async () => {
      const [command, ...args] = await program(`
        host.process.write("stderr", "e".repeat(300_000));
        host.process.write("stdout", "o".repeat(300_000));
        host.process.exit(7);`);
      const result = await process.run(command, args);
      assert.equal(result.code, 7, result.stderr.slice(0, 500));
      assert.equal(result.stdout.length, 300_000);
      assert.equal(result.stderr.length, 300_000);
    });

    it("args are what stands after the script, and a pipe is no terminal", { timeout: 20_000 }, async () => {
      const [command, ...args] = await program(`
        host.process.write("stdout", JSON.stringify([host.process.args, host.process.isTerminal("stdout"), host.name]));`);
      const result = await process.run(command, [...args, "run", "-v", "x y"]);
      const [given, isTerminal, name] = JSON.parse(result.stdout);
      assert.deepEqual([given, isTerminal, name], [["run", "-v", "x y"], false, makeHost().name]);
    });

    it("writeHeapSnapshot() writes a file, for the owner of its folder", async () => {
      const { files, process } = makeHost();
      const folder = await files.makeTempFolder("lotse-test-");
      const path = files.resolve(folder, "a.heapsnapshot");
      process.writeHeapSnapshot?.(path);
      assert.ok((await files.readBytes(path)).length > 1000);
      await files.remove(folder);
    });

    it("onSignal() replaces the default action until it is disposed of", { timeout: 20_000 }, async () => {
      const [command, ...args] = await program(`
        const stop = Promise.withResolvers();
        const seen = [];
        for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) {
          host.process.onSignal(name, () => { seen.push(name); if (seen.length === 3) stop.resolve(); });
        }
        using other = host.process.onSignal("SIGTERM", () => seen.push("again"));
        host.process.write("stdout", "ready\\n");
        const living = setInterval(() => {}, 1000);
        while (seen.length < 4) await host.clock.sleep(0.01);
        clearInterval(living);
        host.process.write("stdout", seen.join(" ") + "\\n");
        host.process.exit(0);`);
      const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
      let output = "";
      child.stdout.on("data", (chunk) => output += chunk);
      const closed = once(child, "close");
      while (!output.includes("ready")) await clock.sleep(0.01);
      for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
        // NB: on Deno child.kill() works once: it takes the child for dead then.
        nodeProcess.kill(child.pid ?? 0, name);
        await clock.sleep(0.05);
      }
      const [code] = await closed;
      assert.equal(output, "ready\nSIGINT SIGTERM again SIGHUP\n");
      assert.equal(code, 0);
    });

    it(
      "onStray() takes errors that nobody has caught, and the process goes on",
      { timeout: 20_000 },
      async () => {
        const [command, ...args] = await program(`
        const seen = [];
        host.process.onStray((error, kind) => seen.push(kind + " " + error.message));
        void Promise.reject(new Error("one"));
        void (async () => {
          await host.clock.sleep(0.01);
          throw new Error("two");
        })();
        setTimeout(() => { throw new Error("three"); }, 30);
        await host.clock.sleep(0.2);
        host.process.write("stdout", seen.join(", "));`);
        const result = await process.run(command, args);
        assert.equal(result.stdout, "rejection one, rejection two, exception three");
        assert.equal(result.code, 0);
      },
    );

    it(
      "onStray() tells of errors in the context of the call that has made them",
      { timeout: 20_000 },
      async () => {
        const [command, ...args] = await program(`
        const { AsyncLocalStorage } = await import("node:async_hooks");
        const context = new AsyncLocalStorage();
        const seen = new Map();
        const before = [setTimeout, setInterval, setImmediate, queueMicrotask];
        const stray = host.process.onStray((error) => seen.set(error.message, context.getStore()));
        const fail = (name) => () => { throw new Error(name); };
        const target = new EventTarget();
        context.run("mine", () => {
          setTimeout(fail("timeout"), 1);
          const interval = setInterval(() => { clearInterval(interval); fail("interval")(); }, 1);
          setImmediate(fail("immediate"));
          queueMicrotask(fail("microtask"));
          target.addEventListener("event", fail("listener"));
          setTimeout((first, second) => { if (first + second === 3) fail("arguments")(); }, 1, 1, 2);
          void Promise.reject(new Error("rejection"));
          void host.clock.sleep(0.01).then(fail("later rejection"));
        });
        target.dispatchEvent(new Event("event"));
        await host.clock.sleep(0.2);
        stray[Symbol.dispose]();
        const isBack = [setTimeout, setInterval, setImmediate, queueMicrotask].every((each, at) => each === before[at]);
        host.process.write("stdout", JSON.stringify([Object.fromEntries(seen), isBack, host.process.losesContext]));`);
        const result = await process.run(command, args);
        const [seen, isBack, losesContext] = JSON.parse(result.stdout);
        const names = ["timeout", "interval", "immediate", "microtask", "arguments"];
        for (const name of names) assert.equal(seen[name], "mine", name);
        const found = ["rejection", "later rejection"].map((name) => seen[name]);
        assert.deepEqual(found, losesContext ? [undefined, undefined] : ["mine", "mine"]);
        assert.equal(losesContext, makeHost().name === "bun", "Bun alone has no context of rejections");
        assert.equal(isBack, true);
      },
    );

    it("onStray() gives the default action back when it is disposed of", { timeout: 20_000 }, async () => {
      const [command, ...args] = await program(`
        host.process.onStray(() => {})[Symbol.dispose]();
        setTimeout(() => { throw new Error("the end"); }, 10);
        await host.clock.sleep(0.2);
        host.process.write("stdout", "alive");`);
      const result = await process.run(command, args);
      assert.notEqual(result.code, 0);
      assert.match(result.stderr, /the end/);
    });

    it("onSignal() gives the default action back when it is disposed of", { timeout: 20_000 }, async () => {
      const [command, ...args] = await program(`
        host.process.onSignal("SIGTERM", () => {})[Symbol.dispose]();
        host.process.write("stdout", "ready\\n");
        setInterval(() => {}, 1000);`);
      const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
      const closed = once(child, "close");
      await once(child.stdout, "data");
      child.kill("SIGTERM");
      const [code, signal] = await closed;
      assert.ok(signal === "SIGTERM" || code === 143, `${code} ${signal}`);
    });

    it("after() does not keep the process alive, sleep() does", { timeout: 20_000 }, async () => {
      const [command, ...args] = await program(`
        host.clock.after(60, () => {});
        await host.clock.sleep(0.1);
        host.process.write("stdout", "slept");`);
      const started = clock.monotonic();
      const result = await process.run(command, args);
      assert.deepEqual([result.code, result.stdout], [0, "slept"]);
      assert.ok(clock.monotonic() - started < 15);
    });

    it("importModule() imports TypeScript by its path, also with spaces and signs in it", async () => {
      const path = join(folder, "a b#c%20.ts");
      await files.writeText(
        path,
        "export const value: number = 1; export default function f(): string { return import.meta.url; }",
      );
      const loaded = await process.importModule(path) as { value: number; default: () => string };
      assert.equal(loaded.value, 1);
      assert.equal(loaded.default(), pathToFileURL(path).href);
    });

    it("importModule() fails with what the module throws, and where there is none", async () => {
      const path = join(folder, "throws.ts");
      await files.writeText(path, 'throw new RangeError("from the module");');
      await assert.rejects(process.importModule(path), /from the module/);
      await assert.rejects(process.importModule(join(folder, "none.ts")));
    });
  });
}
