import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { kinds, type Operator, operator, resource } from "../../../../mod.ts";
import { measureSize } from "../../../../lib/kits/testing/sizing/mod.ts";
import { type PlanOptions, planSize } from "../../../../lib/kits/testing/sizing/size_plan.ts";
import { currentHost } from "../../../../lib/runtime/current_host.ts";
import { definitionOf, EXAMPLES } from "../../../support/worlds.ts";

const Example = resource({ group: "lotse.test", version: "v1", plural: "examples" });
const OBJECTS = 300;
const CRD = definitionOf(EXAMPLES);

/** Resting is over at once here: how the process behaves then is no matter of tests. */
const QUICK = { host: currentHost(), rest: 0.1 };

function plan(op: Operator, options: Partial<PlanOptions> = {}) {
  return planSize(op, { objects: OBJECTS, manifests: [CRD], ...options });
}

/** Names of all handlers that were called. */
function declareAll(op: Operator, called: string[]): void {
  const note = (name: string) => () => void called.push(name);
  op.on.startup(note("startup"));
  op.on.cleanup(note("cleanup"));
  op.on.create(Example, { id: "create" }, note("create"));
  op.on.resume(Example, { id: "resume" }, note("resume"));
  op.on.delete(Example, { id: "delete" }, note("delete"));
  op.on.event(Example, { id: "event" }, note("event"));
  op.daemon(Example, { id: "daemon" }, note("daemon"));
  op.timer(Example, { id: "timer", interval: 3600 }, note("timer"));
  op.every("task", { interval: 1 }, note("task"));
  op.reconcile(Example, {
    id: "reconcile",
    finalize: note("finalize"),
  }, note("reconcile"));
}

describe("the size of an operator", () => {
  it("is measured over objects at rest: no handler is called, no request is refused", async () => {
    const called: string[] = [];
    const indexed = new Set<string>();
    const op = operator({ watching: { memory: "cold" } });
    declareAll(op, called);
    op.index(Example, function byName({ name, spec }) {
      indexed.add(name);
      return { [name]: JSON.stringify(spec).length };
    });
    const planned = await plan(op, { bytes: 6000 });
    const [kind] = planned.kinds;
    assert.equal(kind?.kind, "examples.lotse.test");
    assert.ok(kind.bytes >= 6000 && kind.bytes < 6600, `${kind.bytes} bytes`);
    assert.match(kind.texts[0] ?? "", /"managedFields":\[\{/);
    assert.match(kind.texts[0] ?? "", /lotse\.dev\/finalizer/);
    indexed.clear();
    const measured = await measureSize(op, planned, QUICK);
    assert.deepEqual(called, []);
    assert.equal(indexed.size, OBJECTS);
    assert.deepEqual(measured.refused, {});
    const [found] = measured.kinds;
    assert.equal(found?.packed, OBJECTS - 16, "all but the window of a cold kind");
    assert.ok(found.sent > 6000 && found.packedBytes > 0);
    assert.ok(measured.peak >= measured.before && measured.rest > 0 && measured.cpu > 0);
  });

  it("counts writes that are refused, and lists in pages where streams are off", async () => {
    const op = operator({ watching: { initialStreaming: false, chunkSize: 70 } });
    const seen = new Set<string>();
    op.on.delete(Example, { id: "gone" }, () => {});
    op.on.event(Example, { when: ({ name }) => seen.size < seen.add(name).size }, () => {});
    const planned = await plan(op, { objects: { examples: OBJECTS } });
    const texts = planned.kinds[0]?.texts.map((text) =>
      text.replaceAll("lotse.dev/finalizer", "other.dev/f")
    );
    const changed = { ...planned, kinds: planned.kinds.map((kind) => ({ ...kind, texts: texts ?? [] })) };
    seen.clear();
    const { refused } = await measureSize(op, changed, QUICK);
    assert.equal(seen.size, OBJECTS);
    const path = "PATCH /apis/lotse.test/v1/namespaces/default/examples";
    assert.ok((refused[path] ?? 0) >= OBJECTS);
  });

  it("takes samples as they are, and built-in kinds without definitions", async () => {
    const op = operator({ watching: { metadataOnly: ["secrets.v1"] } });
    op.on.event(kinds.Secret, { id: "secret" }, () => {});
    op.on.event(kinds.Deployment, { id: "deployment" }, () => {});
    const data = { key: btoa("a".repeat(900)) };
    const sample = { apiVersion: "v1", kind: "Secret", metadata: { name: "one", uid: "1" }, data };
    const planned = await plan(op, { objects: { secrets: 20, deployments: 10 }, samples: [sample] });
    const secret = planned.kinds.find(({ kind }) => kind === "secrets");
    assert.ok(secret?.texts.every((text) => text.includes(data.key)));
    const { kinds: found } = await measureSize(op, planned, QUICK);
    assert.deepEqual(found.map(({ kind, objects }) => [kind, objects]), [
      ["secrets", 20],
      ["deployments.apps", 10],
    ]);
  });

  const watching = (): Operator => {
    const op = operator();
    op.on.event(Example, () => {});
    return op;
  };
  const alone = operator();
  alone.on.startup(() => {});
  const sample = (kind: string) => ({ apiVersion: "v1", kind, metadata: { name: "one" } });
  const unfit = { apiVersion: "lotse.test/v1", kind: "Example", metadata: { name: "one" }, spec: "text" };
  for (
    const [title, op, options, message] of [
      ["an operator that watches nothing", alone, {}, /it watches no objects/],
      ["a kind without definition", watching(), { manifests: [] }, /definition is not known \(give it with/],
      ["a sample of another kind", watching(), { samples: [sample("Pod")] }, /Pod "one" of v1 for a sample/],
      ["an unfit sample", watching(), { samples: [unfit] }, /its sample is not fit: .*spec/],
      ["too few bytes", watching(), { bytes: 20 }, /it has \d+ bytes, more than the 20 of --bytes/],
      [
        "objects of no watched kind",
        watching(),
        { objects: { pods: 1 } },
        /"pods": the operator watches exam/,
      ],
    ] satisfies readonly (readonly [string, Operator, Partial<PlanOptions>, RegExp])[]
  ) {
    it(`is not measured with ${title}`, async () => {
      await assert.rejects(plan(op, options), { name: "TypeError", message });
    });
  }
});
