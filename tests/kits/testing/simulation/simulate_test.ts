import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ObjectSource } from "../../../../lib/kits/testing/simulation/draw.ts";
import type { Plan } from "../../../../lib/kits/testing/simulation/plan.ts";
import {
  simulate,
  type SimulateOptions,
  SimulationError,
} from "../../../../lib/kits/testing/simulation/simulate.ts";
import { kinds, type Operator, operator, TemporaryError } from "../../../../mod.ts";
import { definitionOf, Example, EXAMPLES, Plain, PLAINS } from "../../../support/worlds.ts";

const KIND = "examples.lotse.test";
const MANIFESTS = [definitionOf(EXAMPLES)];

/** Objects with one number. */
const NUMBERS: ObjectSource = {
  kind: KIND,
  make: (random) => ({ spec: { n: Math.floor(random.next() * 10) } }),
  change: (random) => ({ spec: { n: Math.floor(random.next() * 10) } }),
};

/** An object is created. */
const ONE: Plan = { seed: 1, steps: [{ do: "create", kind: KIND, name: "a", body: { spec: { n: 1 } } }] };

/** Runs until the first finding; fails where there is none. */
async function findingOf(make: () => Operator, options: SimulateOptions = {}) {
  try {
    await simulate(make, { manifests: MANIFESTS, sources: [NUMBERS], runs: 200, shrinkFor: 2, ...options });
  } catch (error) {
    assert.ok(error instanceof SimulationError, String(error));
    return error.finding;
  }
  assert.fail("nothing was found");
}

/** An operator that keeps its number in the status. */
function makeSound(): Operator {
  const op = operator({ execution: { defaultBackoff: 5 } });
  op.on.create(Example, function make({ patch, spec }) {
    patch.status["n"] = spec["n"];
  });
  op.on.update(Example, async function change({ patch, spec, clock, signal, retry }) {
    await clock.sleep(1, signal);
    if (retry === 0 && spec["n"] === 7) throw new TemporaryError("Not yet", { delay: 20 });
    patch.status["n"] = spec["n"];
  });
  op.on.delete(Example, function gone() {});
  op.daemon(Example, async function watch({ stopped }) {
    await stopped.wait(3600);
  });
  return op;
}

describe("simulate()", () => {
  it("[N21.1] finds nothing in a sound operator, and says how much was tried", async () => {
    const { runs, objects, calls, requests } = await simulate(makeSound, {
      manifests: MANIFESTS,
      sources: [NUMBERS],
      runs: 4,
    });
    assert.equal(runs, 4);
    assert.ok(objects >= 4 && calls > 4 && requests > calls, `${objects} ${calls} ${requests}`);
  });

  it("[N21.2] finds a rest that never comes, with a story and a test that shows the same", async () => {
    const make = (): Operator => {
      const op = operator();
      op.on.field(Example, "status.count", function count({ patch, status }) {
        patch.status["count"] = Number(status["count"] ?? 0) + 1;
      });
      op.on.create(Example, ({ patch }) => void (patch.status["count"] = 1));
      return op;
    };
    const { rule, story, plan, test } = await findingOf(make);
    assert.equal(rule, "rest");
    assert.equal(plan.steps.length, 1, JSON.stringify(plan));
    assert.ok(story.length <= 12 && /^1\. Create `/.test(story[0] ?? ""), story.join("\n"));
    assert.match(
      story.at(-1) ?? "",
      /never comes to rest: `count\/status\.count` is called .* again and again/,
    );
    assert.match(
      test,
      /await simulate\(makeOperator, \{ manifests, plan: \{"seed":\d+,"steps":\[\{"do":"create"/,
    );
    await assert.rejects(
      simulate(make, { manifests: MANIFESTS, sources: [NUMBERS], plan }),
      (error) => error instanceof SimulationError && error.finding.rule === "rest",
    );
  });

  it("[N21.3] finds code that reads the real clock, chance or the network, with the place of the call", async () => {
    const uses: Record<string, () => unknown> = {
      "Date.now()": () => Date.now(),
      "new Date()": () => new Date(),
      "Math.random()": () => Math.random(),
      "crypto.randomUUID()": () => crypto.randomUUID(),
      "crypto.getRandomValues()": () => crypto.getRandomValues(new Uint8Array(1)),
      "fetch()": () => fetch("https://example.invalid").catch(() => {}),
    };
    for (const [name, use] of Object.entries(uses)) {
      const make = (): Operator => {
        const op = operator();
        op.on.create(Example, function careless() {
          use();
        });
        return op;
      };
      const { rule, message } = await findingOf(make, { plan: ONE });
      assert.equal(rule, "chance");
      assert.ok(message.includes(`\`careless\` calls ${name} at `), message);
      assert.ok(message.includes("simulate_test.ts:"), message);
    }
  });

  it("[N21.4] finds variables that outlive a process", async () => {
    let count = 0;
    const make = (): Operator => {
      const op = operator();
      op.on.create(Example, async function remember({ clock, signal }) {
        count += 1;
        await clock.sleep(count, signal);
      });
      return op;
    };
    const { rule, message } = await findingOf(make, { plan: ONE });
    assert.equal(rule, "chance");
    assert.match(message, /variables of a module that outlive a process/);
  });

  it("[N21.13] finds a handler that never ends", async () => {
    const make = (): Operator => {
      const op = operator();
      op.on.create(Example, { id: "hang" }, () => new Promise(() => {}));
      return op;
    };
    const { rule, message } = await findingOf(make, { plan: ONE });
    assert.equal(rule, "rest");
    assert.match(message, /never comes to rest: `hang` of `a` never ends/);
  });

  it("[N21.5] asks the author's own invariants, of the living and of the deleted", async () => {
    const phases = new Set<string>();
    const asked = await simulate(makeSound, {
      manifests: MANIFESTS,
      sources: [NUMBERS],
      runs: 2,
      invariants: [({ phase }) => void phases.add(phase)],
    });
    assert.equal(asked.runs, 2);
    assert.deepEqual([...phases], ["alive", "deleted"]);
    const { rule, message } = await findingOf(makeSound, {
      shrinkFor: 2,
      invariants: [async function hasNoObjects({ api, phase }) {
        const all = await Array.fromAsync(api.list(Example));
        return phase === "alive" && all.length > 0 ? "there is one" : undefined;
      }],
    });
    assert.equal(rule, "author");
    assert.equal(message, "`hasNoObjects` does not hold: there is one");
  });

  it("[N34.1] draws values from the schema of a definition", async () => {
    const seen = new Set<unknown>();
    const make = (): Operator => {
      const op = operator();
      op.on.create(Plain, ({ spec }) => void seen.add(spec["n"]));
      return op;
    };
    const spec = { type: "object", required: ["n"], properties: { n: { type: "integer", enum: [3, 5] } } };
    const manifest = definitionOf(PLAINS) as {
      spec: { versions: { schema: { openAPIV3Schema: { properties: Record<string, unknown> } } }[] };
    };
    for (const { schema } of manifest.spec.versions) schema.openAPIV3Schema.properties["spec"] = spec;
    await simulate(make, { manifests: [manifest], runs: 6, faults: false });
    assert.deepEqual([...seen].sort(), [3, 5]);
  });

  it("[N34.2] says so where the server takes nothing that the schema gives", async () => {
    const source: ObjectSource = { kind: "configmaps", make: () => ({ data: 1 }), change: () => ({}) };
    await assert.rejects(
      simulate(makeSound, { sources: [source] }),
      /the server takes none \(.*\); give `samples`/,
    );
    await assert.rejects(simulate(makeSound), /Cannot simulate without objects/);
  });

  it("refuses options that mean nothing", async () => {
    const op = makeSound();
    await assert.rejects(simulate(op as never), /give a function that makes one/);
    await assert.rejects(simulate(() => op, { runs: 0 }), /`runs` 0: it is a whole number/);
    await assert.rejects(simulate(() => op, { rnus: 3 } as never), /option "rnus"/);
    const again = simulate(() => op, { manifests: MANIFESTS, sources: [NUMBERS], runs: 3 });
    await assert.rejects(again, /the same operator twice/);
  });

  it("[N21.6] runs replicas with Leases", async () => {
    const result = await simulate(makeSound, {
      manifests: MANIFESTS,
      sources: [NUMBERS],
      runs: 2,
      replicas: 2,
    });
    assert.equal(result.runs, 2);
  });
});

/** Mistakes that authors make; each is found by default, without an invariant of the author's. */
describe("The simulation of an author's mistakes", () => {
  it("[N34.3] finds a creation that is not idempotent", async () => {
    const make = (): Operator => {
      const op = operator();
      op.on.create(Example, async function provision({ name }) {
        await op.api.create(kinds.ConfigMap, {
          metadata: { generateName: `${name}-`, namespace: "default" },
        });
      });
      return op;
    };
    const { rule, message, story } = await findingOf(make, { seed: 34 });
    assert.equal(rule, "convergence", message);
    assert.match(message, /ConfigMap default\/\w+-\*/);
    assert.ok(story.length <= 12);
  });

  it("[N34.4] finds a finalizer that goes before the cleanup", async () => {
    const make = (): Operator => {
      const op = operator();
      const finalizer = "example.com/own";
      op.on.create(Example, async function provision({ name, patch, meta }) {
        const own = [...meta.finalizers ?? [], finalizer];
        patch.fns.push((body) => void (body.metadata.finalizers = own));
        await op.api.apply(kinds.ConfigMap, { metadata: { name, namespace: "default" } });
      });
      op.on.delete(Example, { optional: true }, async function clean({ name, meta }) {
        const rest = (meta.finalizers ?? []).filter((each) => each !== finalizer);
        await op.api.patch(Example, { name, namespace: "default" }, { metadata: { finalizers: rest } });
        await op.api.delete(kinds.ConfigMap, { name, namespace: "default" }, { ifExists: true });
      });
      return op;
    };
    const { rule, message } = await findingOf(make, { seed: 84, faults: { writers: false } });
    assert.ok(["convergence", "deletion"].includes(rule), message);
  });

  it("[N34.5] finds children that depend on the order of their owners", async () => {
    const make = (): Operator => {
      const op = operator();
      op.on.create(Example, async function claim({ name }) {
        const metadata = { name: "shared", namespace: "default" };
        const all = await Array.fromAsync(op.api.list(kinds.ConfigMap));
        if (all.some((each) => each.metadata.name === "shared")) return;
        await op.api.apply(kinds.ConfigMap, { metadata, data: { first: name } });
      });
      return op;
    };
    const { rule, message } = await findingOf(make, { seed: 2 });
    assert.equal(rule, "order", message);
    assert.match(message, /`data\.first` of ConfigMap default\/shared/);
  });

  it("[N34.6] finds a lost update", async () => {
    const make = (): Operator => {
      const op = operator();
      const write = async (
        { name, spec, clock }: {
          name: string;
          spec: object;
          clock: { sleep(seconds: number): Promise<unknown> };
        },
      ) => {
        await clock.sleep(1);
        await op.api.patch(Example, { name, namespace: "default" }, { spec: { ...spec, isSeen: true } });
      };
      op.on.create(Example, { id: "made" }, write);
      return op;
    };
    const { rule, message } = await findingOf(make, { seed: 2 });
    assert.equal(rule, "lost-update", message);
    assert.match(message, /has taken back a client's edit of `spec\.n`/);
  });
});
