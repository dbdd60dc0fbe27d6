import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { z } from "zod";
import type { LogRecord } from "../../lib/runtime/logging.ts";
import { operator, resource } from "../../mod.ts";
import { CRDS } from "../../lib/engines/definitions/served_schema.ts";
import { type VirtualWorld, virtualWorld } from "../support/virtual_world.ts";
import { Example } from "../support/worlds.ts";

const REVIEWS = "/apis/authorization.k8s.io/v1/";

/** Answers reviews as a server would whose roles grant these rights: "verb resource.group". */
function grant(world: VirtualWorld, granted: readonly string[]): void {
  const rules = granted.map((right) => {
    const [verb = "", title = ""] = right.split(" ");
    const [resource = "", ...group] = title.split(".");
    return { verbs: [verb], apiGroups: [group.join(".")], resources: [resource] };
  });
  world.intercept = (_, { path, body }) => {
    if (!path.startsWith(REVIEWS)) return undefined;
    if (path.includes("selfsubjectrulesreviews")) {
      return Response.json({ status: { resourceRules: rules, nonResourceRules: [], incomplete: false } });
    }
    const { verb, group, resource, subresource } = JSON.parse(body).spec.resourceAttributes;
    const title = `${verb} ${[resource, subresource].filter(Boolean).join("/")}.${group}`;
    return Response.json({ status: { allowed: granted.includes(`hidden ${title}`) } });
  };
}

function warnings(logs: readonly LogRecord[]): string[] {
  return logs.filter(({ level }) => level === "warn").map(({ message }) => message);
}

const QUIET = { posting: { enabled: false }, scanning: { disabled: true }, peering: { standalone: true } };

describe("An operator with a self-check", () => {
  it("names the handlers that lack a right, once for each right", async () => {
    const world = await virtualWorld();
    const op = operator(QUIET);
    op.on.create(Example, { id: "make" }, () => {});
    op.on.update(Example, { id: "change" }, () => {});
    const all = ["list", "watch", "get"].map((verb) => `${verb} examples.lotse.test`);
    grant(world, [...all, "patch examples/status.lotse.test"]);
    await using running = await world.start(op, { selfCheck: true });
    await world.settle();
    assert.deepEqual(warnings(running.logs).filter((message) => message.startsWith("A right")), [
      'A right is missing: handler "make", handler "change" cannot patch examples.lotse.test',
    ]);
  });

  it("believes the answer to a single question where the rules do not show a right", async () => {
    const world = await virtualWorld();
    const op = operator(QUIET);
    op.on.event(Example, { id: "see" }, () => {});
    grant(world, ["list examples.lotse.test", "hidden watch examples.lotse.test"]);
    await using running = await world.start(op, { selfCheck: true });
    await world.settle();
    assert.deepEqual(warnings(running.logs).filter((message) => message.startsWith("A right")), []);
  });

  it("names namespaces and patterns that nothing matches", async () => {
    const world = await virtualWorld();
    const op = operator(QUIET);
    op.on.event(Example, { id: "see" }, () => {});
    const scope = ["team-*", "nowhere", "default"];
    await using running = await world.start(op, { selfCheck: true, scope });
    await world.settle();
    const found = running.logs.filter(({ message }) =>
      message === "No namespace matches: nothing is served there until one does"
    );
    assert.deepEqual(found.map(({ fields }) => fields["namespace"]), ["team-*", "nowhere"]);
  });

  it("asks nothing unless it is told to", async () => {
    const world = await virtualWorld();
    const op = operator(QUIET);
    op.on.event(Example, { id: "see" }, () => {});
    await using _running = await world.start(op);
    await world.settle();
    assert.deepEqual(world.requests.filter(({ path }) => path.startsWith(REVIEWS)), []);
  });

  it("warns of fields that no definition has, with the nearest name", async () => {
    const world = await virtualWorld({ kinds: false });
    const spec = z.object({ size: z.int().optional(), open: z.looseObject({}).optional() });
    const names = { group: "lotse.test", version: "v1", plural: "boxes", kind: "Box" } as const;
    const op = operator({ ...QUIET, crds: "apply" });
    const Box = resource({ ...names, spec });
    op.on.field(Box, "spec.size", { id: "right" }, () => {});
    op.on.field(Box, "spec.open.anything" as "spec.open", { id: "open" }, () => {});
    op.on.field(Box, "metadata.labels", { id: "labels" }, () => {});
    op.on.field(Box, "spec.seize" as "spec.size", { id: "wrong" }, () => {});
    await using running = await world.start(op, { selfCheck: true });
    await world.settle();
    const found = running.logs.filter(({ message }) => message.startsWith("A handler is about a field"));
    assert.deepEqual(found.map(({ fields }) => fields), [{
      handler: "wrong/spec.seize",
      field: "spec.seize",
      kind: "boxes.v1.lotse.test",
      hint: "did you mean spec.size?",
    }]);
  });
});

describe("An operator with crds: apply", () => {
  const names = { group: "lotse.test", version: "v1", plural: "boxes", kind: "Box" } as const;
  const BOXES = { group: "lotse.test", version: "v1", plural: "boxes", namespaced: true };

  it("makes its kinds before it watches them", async () => {
    const world = await virtualWorld({ kinds: false });
    const op = operator({ ...QUIET, crds: "apply" });
    const Box = resource({
      ...names,
      spec: z.object({ size: z.int().default(2) }),
      status: z.object({ seen: z.int() }),
    });
    op.on.create(Box, ({ spec, patch }) => {
      patch.status.seen = spec.size;
    });
    await using _running = await world.start(op);
    const metadata = { name: "a", namespace: "default" };
    await world.client.create(BOXES, { apiVersion: "lotse.test/v1", kind: "Box", metadata, spec: {} });
    await world.settle();
    assert.deepEqual((await world.client.get(BOXES, metadata)).status, { seen: 2 });
  });

  it("ends with the reasons where data would be lost", async () => {
    const world = await virtualWorld({ kinds: false });
    const start = async (spec: z.ZodObject): Promise<void> => {
      const op = operator({ ...QUIET, crds: "apply" });
      op.on.create(resource({ ...names, spec }), { id: "a" }, () => {});
      await using _running = await world.start(op);
      await world.settle();
    };
    await start(z.object({ size: z.int() }));
    const metadata = { name: "a", namespace: "default" };
    await world.client.create(BOXES, {
      apiVersion: "lotse.test/v1",
      kind: "Box",
      metadata,
      spec: { size: 2 },
    });
    await assert.rejects(
      start(z.object({ weight: z.int() })),
      /the change would lose what they hold\n {2}v1: spec\.size: the field has gone/,
    );
    const crd = await world.client.get(CRDS, { name: "boxes.lotse.test" });
    assert.match(JSON.stringify(crd.spec), /"size"/);
  });

  it("is refused with another word", () => {
    assert.throws(
      () => operator({ crds: "replace" as "apply" }),
      /with crds "replace": take "apply", or leave it out/,
    );
  });
});

describe("An operator that records its rights", () => {
  it("adds what it uses to the file, and keeps what is in it", async () => {
    const world = await virtualWorld();
    const path = world.host.files.resolve(world.host.process.cwd(), "rights.json");
    const known = { group: "apps", resource: "deployments", verbs: ["get"] };
    await world.host.files.writeText(
      path,
      JSON.stringify({ format: "lotse.dev/rights/v1", rights: [known] }),
    );
    const op = operator(QUIET);
    op.on.create(Example, { id: "make" }, ({ patch }) => {
      patch.status.done = true;
    });
    const running = await world.start(op, { recordRights: "rights.json" });
    const metadata = { name: "a", namespace: "default" };
    const kind = { group: "lotse.test", version: "v1", plural: "examples", namespaced: true };
    await world.client.create(kind, { apiVersion: "lotse.test/v1", kind: "Example", metadata, spec: {} });
    await world.settle();
    await running.stop();
    const { rights } = JSON.parse(await world.host.files.readText(path));
    const found = rights.map((
      each: Record<string, unknown>,
    ) => [each.resource, each.namespace, String(each.verbs)]);
    assert.deepEqual(found.filter(([resource]: [string]) => resource !== "examples"), [
      ["customresourcedefinitions", undefined, "get"],
      ["deployments", undefined, "get"],
      ["examples/status", "default", "patch"],
    ]);
    assert.ok(
      found.some(([resource, , verbs]: string[]) => resource === "examples" && verbs?.includes("watch")),
    );
  });

  it("leaves files of others alone", async () => {
    const world = await virtualWorld();
    const path = world.host.files.resolve(world.host.process.cwd(), "notes.json");
    await world.host.files.writeText(path, "mine");
    const op = operator(QUIET);
    op.on.create(Example, { id: "make" }, () => {});
    await assert.rejects(
      world.start(op, { recordRights: "notes.json" }),
      /Cannot record rights into ".*notes\.json"/,
    );
    assert.equal(await world.host.files.readText(path), "mine");
  });
});
