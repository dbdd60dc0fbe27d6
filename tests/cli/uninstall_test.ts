import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { main } from "../../lib/cli/main.ts";
import { runExecutable } from "../../lib/cli/executable.ts";
// A virtual clock does not wait for files that are loaded late.
import "../../lib/cli/uninstall.ts";
import { virtualHost } from "../../lib/runtime/virtual/host.ts";
import { type Operator, operator, resource } from "../../mod.ts";
import { z } from "zod";
import { manifestsOf } from "../support/manifests.ts";
import { type VirtualWorld, virtualWorld } from "../support/virtual_world.ts";
import { Example, EXAMPLES } from "../support/worlds.ts";

const KUBECONFIG = JSON.stringify({
  apiVersion: "v1",
  kind: "Config",
  "current-context": "it",
  clusters: [{ name: "it", cluster: { server: "https://cluster.test" } }],
  users: [{ name: "me", user: {} }],
  contexts: [{ name: "it", context: { cluster: "it", user: "me" } }],
});

const DEPLOYMENTS = { group: "apps", version: "v1", plural: "deployments", namespaced: true };

/** The kind of the world, as a kind of the operator's own. */
const OWN = resource({
  ...{ group: "lotse.test", version: "v1", plural: "examples", kind: "Example" },
  spec: z.object({}),
});

function careful(): Operator {
  const op = operator();
  op.on.delete(Example, function clean() {});
  return op;
}

interface Ended {
  readonly code: number;
  readonly output: string;
}

interface Surroundings {
  readonly files?: Readonly<Record<string, string>>;
  /** Answers in the server's place. */
  readonly intercept?: (request: Request) => Promise<Response | undefined>;
}

/** Runs the command line with manifests against a world. */
async function runPlain(
  world: VirtualWorld,
  args: readonly string[],
  around: Surroundings = {},
): Promise<Ended> {
  const host = hostFor(world, args, around);
  let code: number | undefined;
  void main(host).then((ended) => code = ended);
  await host.clock.until(() => code !== undefined, { within: 600 });
  return { code: code ?? -1, output: host.process.stdout + host.process.stderr };
}

function hostFor(world: VirtualWorld, args: readonly string[], { files, intercept }: Surroundings) {
  const host = virtualHost({
    args: ["uninstall", "--kubeconfig", "/config", ...args],
    files: { "/config": KUBECONFIG, ...files },
  });
  host.network.route(
    "https://cluster.test",
    async (request) => await intercept?.(request.clone()) ?? world.server.fetch(request),
  );
  return host;
}

/** Runs an executable with an operator inside against a world, and returns its code and its output. */
async function run(world: VirtualWorld, ...args: string[]): Promise<Ended> {
  const host = hostFor(world, args, {});
  const op = careful();
  const files = [{ path: "handlers.ts", load: () => Promise.resolve({ default: op }) }];
  let code: number | undefined;
  void runExecutable(host, { name: "shop", files }).then((ended) => code = ended);
  await host.clock.until(() => code !== undefined, { within: 600 });
  return { code: code ?? -1, output: host.process.stdout + host.process.stderr };
}

async function worldWith(count: number): Promise<VirtualWorld> {
  const world = await virtualWorld({ wallClock: "steady" });
  for (let number = 0; number < count; number++) {
    await world.client.create(EXAMPLES, {
      apiVersion: "lotse.test/v1",
      kind: "Example",
      metadata: { name: `it-${number}`, namespace: "default", finalizers: ["lotse.dev/finalizer"] },
    });
  }
  return world;
}

describe("uninstall", () => {
  it("says what there is, and changes nothing without --yes", async () => {
    const world = await worldWith(12);
    const { code, output } = await run(world);
    assert.equal(code, 0, output);
    assert.match(
      output,
      /^There is no Deployment shop\/shop: if .*\n12 objects wait for a cleanup \(choose --delete or --waive\):\n {2}examples\.lotse\.test default\/it-0\n/,
    );
    assert.match(output, /\n {2}and 2 more\nNothing was changed: add --yes to do it\.\n$/);
    const { metadata } = await world.client.get(EXAMPLES, { namespace: "default", name: "it-0" });
    assert.deepEqual(metadata.finalizers, ["lotse.dev/finalizer"]);
  });

  it("does nothing before it is decided what becomes of the objects", async () => {
    const world = await worldWith(2);
    const { code, output } = await run(world, "--yes");
    assert.equal(code, 1);
    assert.match(
      output,
      /^error: 2 objects wait for cleanups, so nothing was done \(add --delete, .*or --waive/,
    );
  });

  it("takes everything away, lists what was waived, and can be repeated", async () => {
    const world = await worldWith(2);
    const { code, output } = await run(world, "--yes", "--waive");
    assert.equal(code, 0, output);
    assert.match(
      output,
      /Let go: 2 objects\nCleanups that did not run \(2\):\n {2}examples\.lotse\.test default\/it-0\n/,
    );
    const again = await run(world, "--json");
    assert.deepEqual(JSON.parse(again.output), {
      operator: "unknown",
      objects: [],
      things: [],
      problems: [],
    });
  });

  it("refuses a time that is none", async () => {
    const { code, output } = await run(await worldWith(0), "--yes", "--timeout", "0");
    assert.deepEqual([code, output], [2, "error: --timeout must be at least 1 second\n"]);
  });

  it("[N33.8] takes an operator out by its manifests alone, or by its Deployment in the cluster", async () => {
    const world = await worldWith(2);
    const { operator: objects } = manifestsOf({
      operators: [careful()],
      name: "shop",
      home: "default",
      image: "i",
    });
    const files = { "/m/all.yaml": objects.map((each) => JSON.stringify(each)).join("\n---\n") };
    const plan = await runPlain(world, ["-f", "/m"], { files });
    assert.match(plan.output, /\n2 objects wait for a cleanup/);
    const [deployment] = objects;
    await world.client.create(DEPLOYMENTS, deployment);
    const refused = await runPlain(world, ["--name", "shop", "--home", "default", "--yes", "--delete"]);
    assert.match(
      refused.output,
      /^error: The operator does not run \(deployment default\/shop .* nothing was done/,
    );
    const done = await runPlain(world, ["--name", "shop", "--home", "default", "--yes", "--waive"]);
    assert.match(done.output, /deployment default\/shop scaled to 0/);
    assert.equal(done.code, 0, done.output);
    const { metadata } = await world.client.get(EXAMPLES, { namespace: "default", name: "it-0" });
    assert.equal(metadata.finalizers, undefined);
    const gone = await runPlain(world, ["--name", "shop", "--home", "else"]);
    assert.match(
      gone.output,
      /^error: Cannot tell what the operator of the Deployment else\/shop leaves: .*404/s,
    );
    const chart = await runPlain(world, ["-f", "/c"], { files: { "/c/Chart.yaml": "name: shop" } });
    assert.match(
      chart.output,
      /^error: Cannot read "\/c": it is a Helm chart \(give the output of: helm get manifest/,
    );
    const nothing = await runPlain(world, []);
    assert.deepEqual(nothing.code, 2);
  });

  it("[N33.9] does nothing where a right is missing, names it, and goes on if it is told to", async () => {
    const world = await worldWith(1);
    const objects =
      manifestsOf({ operators: [careful()], name: "shop", home: "default", image: "i" }).operator;
    const files = { "/m.yaml": objects.map((each) => JSON.stringify(each)).join("\n---\n") };
    await world.client.create(DEPLOYMENTS, objects[0]);
    const intercept = async (request: Request): Promise<Response | undefined> => {
      if (!request.url.endsWith("/selfsubjectaccessreviews")) return undefined;
      const { spec, ...rest } = await request.json();
      const { verb, resource } = spec.resourceAttributes;
      const allowed = !(verb === "patch" && resource === "deployments");
      return Response.json({ ...rest, spec, status: { allowed } }, { status: 201 });
    };
    const refused = await runPlain(world, ["-f", "/m.yaml", "--waive", "--yes"], { files, intercept });
    assert.equal(refused.code, 1);
    assert.match(
      refused.output,
      /so nothing was done:\n {2}You may not patch deployments\.apps in "default"\n\(run it as .*--incomplete/,
    );
    const { metadata } = await world.client.get(EXAMPLES, { namespace: "default", name: "it-0" });
    assert.deepEqual(metadata.finalizers, ["lotse.dev/finalizer"]);
    const plan = await runPlain(world, ["-f", "/m.yaml"], { files, intercept });
    assert.match(plan.output, /Problems:\n {2}You may not patch deployments/);
    const done = await runPlain(world, ["-f", "/m.yaml", "--waive", "--yes", "--incomplete"], {
      files,
      intercept,
    });
    assert.equal(done.code, 0, done.output);
  });

  it("[N33.10] says which definitions go, and with how many objects, before and not after", async () => {
    const world = await worldWith(3);
    const { crds, operator: objects } = manifestsOf({
      ...{ operators: [careful()], exports: [OWN], name: "shop", home: "default", image: "i" },
    });
    assert.equal(crds.length, 1);
    const files = { "/m.yaml": [...crds, ...objects].map((each) => JSON.stringify(each)).join("\n---\n") };
    const plan = await runPlain(world, ["-f", "/m.yaml", "--crds"], { files });
    assert.match(plan.output, /customresourcedefinitions\S* examples\.lotse\.test: delete, with 3 objects\n/);
    const done = await runPlain(world, ["-f", "/m.yaml", "--crds", "--waive", "--yes"], { files });
    assert.equal(done.code, 0, done.output);
    await assert.rejects(world.client.get(EXAMPLES, { namespace: "default", name: "it-0" }), /404|not find/);
  });
});
