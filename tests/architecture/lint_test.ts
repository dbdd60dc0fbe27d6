/// <reference lib="deno.unstable" />
/**
 * The lint plugin over the whole tree, and bad sources that prove that each of its rules bites.
 *
 * `deno lint` runs the same plugin, but obeys ignore comments; this test does not.
 * Plugins run only inside Deno; what they find does not depend on the runtime.
 */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import plugin, { MAX_FILE_LINES, MAX_FUNCTION_LINES, WALL_CLOCK } from "./lint_plugin.ts";
import { filesBelow, readTree } from "./tree.ts";

const skip = "Deno" in globalThis
  ? false
  : "lint plugins run only inside Deno; their findings are the same everywhere";

const check = (path: string, source: string): string[] =>
  Deno.lint.runPlugin(plugin, path, source).map(({ id, message }) => `${id}: ${message}`);

describe("The lint plugin", () => {
  for (const path of ["mod.ts", "cli.ts", ...filesBelow("lib/", ".ts"), ...filesBelow("examples/", ".ts")]) {
    it(`finds nothing in ${path}`, { skip }, () => assert.deepEqual(check(path, readTree(path)), []));
  }
});

describe("The rule lotse/layers", () => {
  const bad: [path: string, source: string][] = [
    ["lib/client/watch/watcher.ts", 'import { run } from "../../operator/operator_run.ts";'],
    ["lib/client/watch/watcher.ts", 'import type { Running } from "../../operator/operator_run.ts";'],
    ["lib/client/watch/watcher.ts", 'export { run } from "../../operator/operator_run.ts";'],
    ["lib/client/watch/watcher.ts", 'export * from "../../operator/operator_run.ts";'],
    ["lib/client/watch/watcher.ts", 'const running = await import("../../operator/operator_run.ts");'],
    ["lib/client/watch/watcher.ts", 'type Running = import("../../operator/operator_run.ts").Running;'],
    ["lib/client/watch/watcher.ts", 'import "node:fs";'],
    ["lib/client/watch/watcher.ts", 'import yaml from "js-yaml";'],
    ["lib/client/watch/watcher.ts", 'import { HTTPException } from "hono/http-exception";'],
    ["lib/kits/apiserver/app.ts", 'import { KubeObject } from "../../model/object.ts";'],
    ["lib/kits/apiserver/app.ts", 'import { type KubeObject, name } from "../../model/object.ts";'],
    ["lib/engines/probing.ts", 'import { gather } from "./metrics.ts";'],
    ["examples/01-minimal/handlers.ts", 'import { operator } from "../../mod.ts";'],
  ];
  for (const [path, source] of bad) {
    it(
      `[B324] reports ${source} in ${path}`,
      { skip },
      () => assertOnly(check(path, source), "lotse/layers"),
    );
  }

  const good: [path: string, source: string][] = [
    ["lib/operator/operator_run.ts", 'import { watchObjects } from "../client/watch.ts";'],
    ["lib/kits/apiserver/app.ts", 'import type { KubeObject } from "../../model/object.ts";'],
    ["lib/kits/apiserver/app.ts", 'import { type KubeObject } from "../../model/object.ts";'],
    ["lib/kits/apiserver/app.ts", 'import { Hono } from "hono";'],
    ["lib/runtime/node/host.ts", 'import { readFile } from "node:fs/promises";'],
    ["examples/01-minimal/handlers.ts", 'import { operator } from "@lotse/lotse";'],
    ["tests/client/watch/watcher_test.ts", 'import { it } from "node:test";'],
  ];
  for (const [path, source] of good) {
    it(`is content with ${source} in ${path}`, { skip }, () => assert.deepEqual(check(path, source), []));
  }
});

describe("The rule lotse/wall-clock", () => {
  for (
    const source of [
      "clock.now();",
      "host.clock.now();",
      "this.#clock.now();",
      "const t = options.host.clock.now();",
    ]
  ) {
    it(`forbids ${source} but where a timestamp is written or read`, { skip }, () => {
      const code = source.includes("this.") ? `class A { #clock = { now() {} }; b() { ${source} } }` : source;
      assertOnly(check("lib/engines/hot_loop.ts", code), "lotse/wall-clock");
      assert.deepEqual(check("lib/engines/ledger.ts", code), []);
      assert.deepEqual(check("lib/runtime/logging.ts", code), []);
    });
  }

  it("lets durations be measured", { skip }, () => {
    assert.deepEqual(check("lib/engines/hot_loop.ts", "clock.monotonic();"), []);
  });

  it("names no file that does not read the wall clock", () => {
    const idle = Object.keys(WALL_CLOCK).filter((path) => !/clock\.now\(\)/.test(readTree(path)));
    assert.deepEqual(idle, []);
  });
});

describe("The rule lotse/comments", () => {
  for (const source of ["/** Gives the key. */", "/** What is left. */", "/**\n * Who asks.\n */"]) {
    it(`reports ${JSON.stringify(source)}`, { skip }, () => {
      assertOnly(check("lib/async/gate.ts", `${source}\nexport const a = 1;`), "lotse/comments");
      assert.deepEqual(check("tests/async/gate_test.ts", source), []);
    });
  }

  it("is content with other openers, and with such words in the middle", { skip }, () => {
    const source = "/** Returns the key. What is left stays. */\n// What is this?\n/* Whatever. */\nf();";
    assert.deepEqual(check("lib/async/gate.ts", source), []);
  });
});

describe("The rule lotse/spreads", () => {
  for (
    const source of ["f({ ...{ a, b }, c });", "f([...[a, b], c]);", "f([...[a] as const]);", "f(...[a]);"]
  ) {
    it(`reports ${source}`, { skip }, () => {
      assertOnly(check("lib/async/gate.ts", source), "lotse/spreads");
      assert.deepEqual(check("tests/async/gate_test.ts", source), []);
    });
  }

  it("is content where what is spread is made before, or there or not", { skip }, () => {
    const source = "f({ ...a, ...c ? { d } : {} }); g([...a, ...[...b].map(h), ...c ? [d] : []]);";
    assert.deepEqual(check("lib/async/gate.ts", source), []);
  });
});

describe("The rule lotse/host-globals", () => {
  const bad = [
    'Deno.readTextFile("a");',
    "Bun.version;",
    "process.exit(1);",
    "const { env } = process;",
    "Buffer.from([]);",
    "let bytes: Buffer;",
    'require("fs");',
    'console.log("a");',
    "Date.now();",
    'Date["now"]();',
    "const now = Date.now;",
    "new Date();",
    "Date();",
    "Math.random();",
    "AbortSignal.timeout(5);",
    "setTimeout(() => {}, 1);",
    "setInterval(() => {}, 1);",
    "setImmediate(() => {});",
    "performance.now();",
    'fetch("https://example.com");',
    "const options = { fetch };",
    "crypto.randomUUID();",
    "globalThis.fetch;",
    'globalThis["process"];',
    "function f(process: unknown) { return process; } process.cwd();",
    "{ const console = 1; console; } console.log();",
  ];
  for (const source of bad) {
    it(
      `reports ${source}`,
      { skip },
      () => assertOnly(check("lib/client/watch/watcher.ts", source), "lotse/host-globals"),
    );
  }

  const good = [
    "host.process.exit(1);",
    "const a = { process: 1, Deno: 2 };",
    "interface Host { readonly process: number; fetch(request: Request): void }",
    "function f({ process }: { process: { cwd(): string } }) { return process.cwd(); }",
    "const f = (fetch: () => void) => fetch();",
    "const { console } = host; console.log();",
    "class A { crypto = 1; process() { return this.crypto; } }",
    "type F = (process: number) => void;",
    'import { fetch } from "./transport.ts"; fetch();',
    "for (const process of list) process.end();",
    "try { f(); } catch (process) { g(process); }",
    "new Date(0); Date.parse(text); Date.UTC(2026); value instanceof Date;",
    "queueMicrotask(() => {}); structuredClone({}); new URL(text); new TextEncoder();",
    "Math.floor(1.5); signal.timeout; AbortSignal.any([]);",
  ];
  for (const source of good) {
    it(`is content with ${source}`, { skip }, () => {
      assert.deepEqual(
        check("lib/client/watch/watcher.ts", source).filter((one) => !one.startsWith("lotse/layers")),
        [],
      );
    });
  }

  it("leaves lib/runtime, tests and benchmarks alone, and lets lib/cli use console", { skip }, () => {
    for (const path of ["lib/runtime/node/host.ts", "tests/run.ts", "bench/creations/run.ts"]) {
      assert.deepEqual(check(path, bad.join("\n")), []);
    }
    assert.deepEqual(check("lib/cli/run.ts", "console.log();"), []);
    assertOnly(check("lib/cli/run.ts", "process.exit(1);"), "lotse/host-globals");
    assertOnly(check("cli.ts", "process.exit(1);"), "lotse/host-globals");
  });
});

describe("The rule lotse/sizes", () => {
  const body = (lines: number) => "\n".repeat(lines - 1);

  it("reports a function that is one line too long, of each kind", { skip }, () => {
    for (
      const [head, tail] of [["function f() {", "}"], ["const f = () => {", "};"], ["class A { f() {", "} }"]]
    ) {
      const [long, fitting] = [MAX_FUNCTION_LINES + 1, MAX_FUNCTION_LINES].map((lines) =>
        head + body(lines) + tail
      );
      assertOnly(check("lib/model/diff.ts", long ?? ""), "lotse/sizes");
      assert.deepEqual(check("lib/model/diff.ts", fitting ?? ""), []);
    }
  });

  it("reports a file that is one line too long", { skip }, () => {
    const line = "f();\n";
    assertOnly(check("lib/model/diff.ts", line.repeat(MAX_FILE_LINES + 1)), "lotse/sizes");
    assert.deepEqual(check("lib/model/diff.ts", line.repeat(MAX_FILE_LINES)), []);
  });
});

describe("The rule lotse/re-exports", () => {
  it("reports whatever in mod.ts is not a re-export", { skip }, () => {
    for (
      const source of [
        "export const a = 1;",
        "export function f() {}",
        "f();",
        "export default 1;",
        'import "a";',
      ]
    ) {
      assert.ok(check("mod.ts", source).some((one) => one.startsWith("lotse/re-exports")), source);
    }
  });

  it("is content with re-exports, and with other files", { skip }, () => {
    const source =
      'export { a } from "./lib/model/a.ts"; export type { B } from "./lib/model/a.ts"; export {};';
    assert.deepEqual(check("mod.ts", source), []);
    assert.deepEqual(check("lib/model/diff.ts", "export const a = 1;"), []);
  });
});

function assertOnly(findings: readonly string[], rule: string): void {
  assert.ok(findings.length > 0, "nothing was reported");
  assert.deepEqual(findings.filter((one) => !one.startsWith(`${rule}: `)), []);
}
