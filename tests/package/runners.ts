/** A project with one test of an operator, as it is written for each of four test runners. */

/** A test of an operator that any test runner can run; `globals` shows that the runner's own timers are left alone. */
const STORY = `
import { kinds, operator } from "@lotse/lotse";
import { start, testCluster } from "@lotse/lotse/testing";

const op = operator();
op.on.create(kinds.ConfigMap, async function greet({ patch }) {
  await new Promise((resolve) => setTimeout(resolve, 3_600_000));
  patch.meta.labels.greeted = new Date().toISOString().slice(11, 16).replace(":", "-");
});

export async function story(): Promise<unknown> {
  await using cluster = await testCluster({ manifests: ["map.yaml"] });
  await using run = await start(op, { cluster, globals: true });
  await run.advance(3600);
  await new Promise((resolve) => setTimeout(resolve, 1));
  return [run.handled("one"), Object.values(await run.snapshot(kinds.ConfigMap)).map(({ metadata }) => Object(metadata).labels)];
}
export const told = [["greet"], [{ greeted: "01-00" }]];
`;
const MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: one }\n";
const USE = 'import { story, told } from "./story.ts";\n';
/** The files of the project. */
export const RUNNERS: Readonly<Record<string, string>> = {
  "package.json": '{ "type": "module" }',
  "map.yaml": MAP,
  "story.ts": STORY,
  "deno_test.ts": `${USE}import { deepEqual } from "node:assert/strict";
Deno.test("tells its story", async () => deepEqual(await story(), told));\n`,
  "node.test.ts": `${USE}import { deepEqual } from "node:assert/strict";\nimport { test } from "node:test";
test("tells its story", async () => deepEqual(await story(), told));\n`,
  "bun.test.ts": `${USE}import { expect, test } from "bun:test";
test("tells its story", async () => expect(await story()).toEqual(told));\n`,
  "vitest.spec.ts": `${USE}import { expect, test } from "vitest";
test("tells its story", async () => expect(await story()).toEqual(told));\n`,
};
