/**
 * Every example on a real control plane: its objects are created, handled and deleted; nothing goes wrong that is not meant to,
 * and nothing is left behind. On the API server in the process they are held to the logs of their pages (tests/examples).
 */

import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { realCluster, type Runner, start } from "../../lib/kits/testing/mod.ts";
import { ApiError, type KubeObject, type Operator, resource } from "../../mod.ts";
import { findControlPlane } from "../control_plane/control_plane.ts";

const EXAMPLES = fileURLToPath(new URL("../../examples/", import.meta.url));
const missing = findControlPlane().reason;

/** Examples whose handlers fail on purpose. */
const FAILING = [
  "03-daemons",
  "06-activities",
  "10-errors",
  "13-subhandlers",
  "30-external-api",
  "32-credentials",
  "99-all-at-once",
];
/** Objects that the reader of an example is asked to change, without which its handlers go on failing. */
const CHANGES: Readonly<Record<string, object>> = {
  "32-credentials": {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "mail-login", namespace: "default" },
    stringData: { password: "right" },
  },
};
/** Examples that have no handlers of their own to load, only the test of one, or objects that are not handled on purpose. */
const WITHOUT = ["07-embedding", "20-testing", "37-why"];
const NAMES = readdirSync(EXAMPLES).filter((name) =>
  existsSync(join(EXAMPLES, name, "handlers.ts")) && !WITHOUT.includes(name)
).sort();

/** Kinds that go last, since others need them. */
const DEFINITION = "CustomResourceDefinition";

describe("examples on a real control plane", () => {
  let opened: ReturnType<typeof realCluster> | undefined;
  after(async () => {
    if (opened !== undefined) await (await opened)[Symbol.asyncDispose]();
  });

  for (const name of NAMES) {
    it(`[B325] ${name} handles its objects once each, and lets them go`, {
      timeout: 120_000,
      skip: missing ?? false,
    }, async () => {
      const cluster = await (opened ??= realCluster());
      const objects = await cluster.apply(manifestsOf(name));
      const op = await operatorOf(name);
      const run = await start(op, { cluster, scope: ["default"] });
      try {
        const own = objects.filter(({ kind }) => kind !== DEFINITION);
        const change = CHANGES[name];
        if (change !== undefined) {
          await run.until(() => run.messages("error").length > 0);
          await run.apply(change as KubeObject);
        }
        await run.until(() => isHandled(run));
        await remove(run, own);
        assertOnce(run);
        if (!FAILING.includes(name)) assert.deepEqual(run.messages("error"), []);
        await remove(run, objects.filter(({ kind }) => kind === DEFINITION));
      } finally {
        await run.stop();
      }
      assert.equal(run.exitCode, 0);
    });
  }

  it(
    "[B328] 18-admission changes what is valid, and refuses with its code what is not",
    { timeout: 120_000, skip: missing ?? false },
    async () => {
      const cluster = await (opened ??= realCluster());
      const definitions = await cluster.apply(join(EXAMPLES, "18-admission/crd.yaml"));
      await using run = await start(await operatorOf("18-admission"), { cluster, scope: ["default"] });
      const ferry = (name: string, seats?: number) => ({
        apiVersion: "example.com/v1",
        kind: "Ferry",
        metadata: { name },
        spec: { route: "north", ...(seats === undefined ? {} : { seats }) },
      });
      // The API server takes a moment to notice new configurations.
      await run.until(async () => {
        const [made] = await run.apply(ferry("small"));
        if (made?.spec?.["seats"] === 10) return true;
        await remove(run, made === undefined ? [] : [made]);
        return false;
      });
      const refusal = await run.apply(ferry("large", 200)).then(() => undefined, ({ cause }) => cause);
      assert.ok(refusal instanceof ApiError);
      assert.equal(refusal.status, 422);
      assert.match(refusal.body?.message ?? "", /A ferry has 100 seats at most, not 200/);
      await remove(run, [...await run.apply(ferry("small")), ...definitions]);
    },
  );
});

function manifestsOf(name: string): string[] {
  return readdirSync(join(EXAMPLES, name)).filter((file) => file.endsWith(".yaml")).map((file) =>
    join(EXAMPLES, name, file)
  );
}

async function operatorOf(name: string): Promise<Operator> {
  const { default: op } = await import(pathToFileURL(join(EXAMPLES, name, "handlers.ts")).href);
  return op;
}

/** Whether handlers were called, and none of those that end by themselves is still under way or to be tried again. */
function isHandled({ calls }: Runner): boolean {
  const changes = calls.filter(({ type }) => type === "Handler");
  const last = new Map(
    changes.map((call) => [`${call.handler} ${call.object?.kind} ${call.object?.name}`, call]),
  );
  const isDone = [...last.values()].every(({ outcome }) => outcome === "success" || outcome === "failure");
  return calls.some(({ object }) => object !== undefined) && isDone;
}

/** Each creation is handled once, however often it was tried. */
function assertOnce({ calls }: Runner): void {
  const done = calls.filter(({ reason, outcome }) => reason === "create" && outcome === "success");
  const keys = done.map(({ handler, object }) => `${handler} of ${object?.kind} ${object?.uid}`);
  assert.deepEqual(keys.filter((key, index) => keys.indexOf(key) !== index), []);
}

/** Deletes objects, and waits until they have gone: no finalizer is left on them. */
async function remove(run: Runner, objects: readonly KubeObject[]): Promise<void> {
  const kindOf = ({ apiVersion = "", kind = "" }: KubeObject) => {
    const [group, version] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
    return resource({ group, version, kind });
  };
  const addressOf = ({ metadata: { namespace, name = "" } }: KubeObject) => ({ namespace, name });
  for (const object of objects) await run.api.delete(kindOf(object), addressOf(object), { ifExists: true });
  for (const object of objects) await run.until(kindOf(object), addressOf(object), "gone");
}
