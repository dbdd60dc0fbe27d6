/**
 * The tutorials do what they say: a reader in an empty folder, with Node, npm and kubectl alone, types what stands there.
 *
 * What cannot be typed here has a stand-in: there is no Docker engine, and no kubelet that would start the image. The
 * executable that would be in the image runs in its place, as the service account, with the Deployment's own arguments.
 */

import assert from "node:assert/strict";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { type Program, project, ROOT } from "../cli/processes.ts";
import { type ControlPlane, findControlPlane, startControlPlane } from "../control_plane/control_plane.ts";
import { findRuntime } from "../runner/tools.ts";
import { deployedArguments } from "./deployed.ts";
import { packedPackage } from "./packed.ts";
import { chaptersOf, Reader, type StandIn, stepsOf } from "./tutorial.ts";

/** In milliseconds. */
const TIMEOUT = { timeout: 300_000 };

const { binaries, reason } = findControlPlane();
const CLUSTER = "8. A cluster";

/** Programs that the reader has: those of Node 24 and Bun come first, whatever the system has. */
function pathOf(folder: string): string {
  const [program, ...args] = binaries?.kubectl ?? ["kubectl"];
  const kubectl = join(folder, "kubectl");
  if (program !== "kubectl") {
    writeFileSync(kubectl, `#!/bin/sh\nexec ${[program, ...args].join(" ")} "$@"\n`);
    chmodSync(kubectl, 0o755);
  }
  const runtimes = [findRuntime("node").path, findRuntime("bun").path].filter(isAbsolute).map(dirname);
  return [folder, ...runtimes, process.env["PATH"]].join(":");
}

/** Starts the operator as the Deployment says, with the rights of its service account. */
async function standForKubelet(reader: Reader, plane: ControlPlane): Promise<string> {
  const args = await deployedArguments(plane, { name: "pages", folder: reader.folder });
  const program: Program = await reader.start("./operator", args);
  await program.wrote(/"message":"Handler succeeded"/);
  assert.doesNotMatch(program.stderr, /A right is missing|forbidden/);
  return "";
}

describe("A reader", () => {
  const home = project({});
  let packed = "";
  let plane: ControlPlane | undefined;

  before(async () => {
    packed = await packedPackage();
    if (binaries !== undefined) plane = await startControlPlane({ controllerManager: true });
  }, TIMEOUT);
  after(() => plane?.stop());

  function newReader(): Reader {
    const standIns: StandIn[] = [
      {
        command: /^npm install @lotse/,
        play: (reader) => reader.run(`npm install --no-audit --no-fund ${packed} zod`),
      },
      { command: /^docker (build|push) /, play: () => "" },
      { command: /rollout status/, play: (reader) => standForKubelet(reader, plane ?? assert.fail()) },
    ];
    const env = {
      PATH: pathOf(home),
      KUBECACHEDIR: join(home, "cache"),
      KUBECONFIG: plane?.kubeconfig ?? "",
      NO_COLOR: "1",
      CI: "true",
    };
    // NB: a variable that is undefined is none.
    return new Reader({
      folder: project({}),
      env: { ...process.env, ...env } as Record<string, string>,
      standIns,
    });
  }

  describe("of the tutorial", () => {
    const chapters = chaptersOf(readFileSync(join(ROOT, "docs/tutorial.md"), "utf8"));
    let reader: Reader | undefined;
    after(() => reader?.[Symbol.asyncDispose]());

    it("gets from an empty folder to an image", TIMEOUT, async () => {
      reader = newReader();
      for (const [heading, steps] of chapters) if (heading !== CLUSTER) await reader.follow(steps);
    });

    it("gets from the image into a cluster", { ...TIMEOUT, skip: reason ?? false }, async () => {
      await reader?.follow(chapters.get(CLUSTER) ?? assert.fail(`There is no chapter "${CLUSTER}"`));
    });
  });

  it("of the walk-through sees what it shows", TIMEOUT, async () => {
    await using reader = newReader();
    await reader.follow(stepsOf(readFileSync(join(ROOT, "docs/walkthrough.md"), "utf8")));
  });
});

describe("stepsOf()", () => {
  it("returns commands, files and what is to be seen", () => {
    const page = [
      "```sh\none \\\n  two\nthree\n```",
      "```ts\nignored();\n```",
      '```ts title="a.ts"\na();\n```',
      '```ts title="a.ts" before="a();"\nb();\n```',
      '```ts title="a.ts" after\nc();\n```',
      "```sh fails\nfour\n```",
      "```text\nfive\n```",
    ].join("\n\n");
    assert.deepEqual(stepsOf(page), [
      { kind: "command", line: "one two", fails: false },
      { kind: "command", line: "three", fails: false },
      { kind: "file", name: "a.ts", text: "a();\n", where: "whole" },
      { kind: "file", name: "a.ts", text: "b();\n", where: { before: "a();" } },
      { kind: "file", name: "a.ts", text: "c();\n", where: "after" },
      { kind: "command", line: "four", fails: true },
      { kind: "lines", lines: ["five"] },
    ]);
  });
});
