import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type Counterexample,
  ExplorationError,
  explore,
  type ExploreOptions,
} from "../../../../lib/kits/testing/exploration/explore.ts";
import { Footprints } from "../../../../lib/kits/testing/exploration/footprints.ts";
import type { ObjectSource } from "../../../../lib/kits/testing/simulation/draw.ts";
import { kinds, type Operator, operator } from "../../../../mod.ts";
import { definitionOf, Example, EXAMPLES } from "../../../support/worlds.ts";

const KIND = "examples.lotse.test";
const MANIFESTS = [definitionOf(EXAMPLES)];

/** Objects with one number. */
const NUMBERS: ObjectSource = {
  kind: KIND,
  make: (random) => ({ spec: { n: Math.floor(random.next() * 10) } }),
  change: (random) => ({ spec: { n: Math.floor(random.next() * 10) } }),
};

const WORLD = { manifests: MANIFESTS, sources: [NUMBERS] };

/** The smallest of worlds: one object, nothing goes wrong. */
const SMALLEST = { ...WORLD, objects: 1, edits: 0, kills: 0, losses: 0, staleReads: false };

/** Explores until the first finding; fails where there is none. */
async function findingOf(make: () => Operator, options: ExploreOptions = {}): Promise<Counterexample> {
  try {
    await explore(make, { ...WORLD, shrinkFor: 1, seconds: 120, ...options });
  } catch (error) {
    assert.ok(error instanceof ExplorationError, String(error));
    assert.ok(error.finding.story.length <= 12, error.message);
    return error.finding;
  }
  assert.fail("nothing was found");
}

/** An operator that keeps its number in the status. */
function makeSound(): Operator {
  const op = operator();
  op.on.create(Example, function make({ patch, spec }) {
    patch.status["n"] = spec["n"];
  });
  op.on.update(Example, function change({ patch, spec }) {
    patch.status["n"] = spec["n"];
  });
  op.on.delete(Example, function gone() {});
  return op;
}

describe("explore()", () => {
  it("[N21.21] tries all runs of a small world, and says how many runs and states there are", async () => {
    const { isWhole, runs, states, summary, shared } = await explore(makeSound, SMALLEST);
    assert.equal(isWhole, true);
    assert.ok(runs > 1 && states > runs, `${runs} ${states}`);
    assert.equal(summary, `Converges in all ${runs} runs, ${states} states`);
    assert.equal(shared, undefined);
    const again = await explore(makeSound, SMALLEST);
    assert.deepEqual([again.runs, again.states], [runs, states]);
  });

  it("[N21.29] gives each operator back, and starts no process after the end of a run", async () => {
    const given: Operator[] = [];
    const back = new Set<unknown>();
    const make = (): Operator => {
      const op = makeSound();
      given.push(op);
      return op;
    };
    const { runs } = await explore(make, { ...SMALLEST, kills: 1, onEnded: (op) => back.add(op) });
    assert.ok(given.length > runs, `${given.length} processes in ${runs} runs`);
    assert.equal(given.filter((op) => !back.has(op)).length, 0);
  });

  it("[N21.22] says which bounds have cut the search", async () => {
    const { isWhole, summary } = await explore(makeSound, { ...SMALLEST, depth: 3 });
    assert.equal(isWhole, false);
    assert.match(
      summary,
      /^Nothing found in \d+ runs?, \d+ states?; not all: \d+ runs were cut at 3 choices$/,
    );
    const late = await explore(makeSound, { ...SMALLEST, seconds: 0.001 });
    assert.match(late.summary, /not all: \d+ beginnings of runs were not tried, as the time was over$/);
  });

  it("[N21.23] finds a loop, and a handler that never ends, in the ordinary run", async () => {
    const makeLoop = (): Operator => {
      const op = operator();
      op.on.create(Example, ({ patch }) => void (patch.status["count"] = 1));
      op.on.field(Example, "status.count", function count({ patch, status }) {
        patch.status["count"] = Number(status["count"] ?? 0) + 1;
      });
      return op;
    };
    const { rule, message, choices, run, story } = await findingOf(makeLoop, {
      ...SMALLEST,
      depth: 12,
      shrinkFor: 0.1,
    });
    assert.equal(rule, "rest");
    assert.match(message, /`count\/status\.count` is called for `a` again and again/);
    assert.deepEqual([choices, run], [[], 1]);
    assert.match(story[0] ?? "", /^1\. Create `a`/);
    const makeEndless = (): Operator => {
      const op = operator();
      op.on.create(Example, () => new Promise(() => {}));
      return op;
    };
    const endless = await findingOf(makeEndless, { ...SMALLEST, depth: 12, shrinkFor: 0.1 });
    assert.match(endless.message, /`create` of `a` never ends/);
  });

  it("[N21.24] finds code that reads chance, and variables that outlive a process", async () => {
    const makeCareless = (): Operator => {
      const op = operator();
      op.on.create(Example, function careless() {
        Math.random();
      });
      return op;
    };
    const { rule, message } = await findingOf(makeCareless, SMALLEST);
    assert.equal(rule, "chance");
    assert.match(message, /`careless` calls Math\.random\(\) at .*explore_test\.ts:/);
    let count = 0;
    const makeCounting = (): Operator => {
      const op = operator();
      op.on.create(Example, async function remember() {
        const metadata = { name: "made", namespace: "default" };
        if (count++ === 0) await op.api.apply(kinds.ConfigMap, { metadata });
      });
      return op;
    };
    const again = await findingOf(makeCounting, SMALLEST);
    assert.equal(again.rule, "chance", again.message);
    assert.match(again.message, /Two runs of the same choices differ/);
  });

  it("[N21.25] prints a test that shows the same; where all is well, it says that it was one run", async () => {
    const makeFragile = (): Operator => {
      const op = operator();
      op.on.create(Example, async function provision({ name }) {
        const metadata = { generateName: `${name}-`, namespace: "default" };
        await op.api.create(kinds.ConfigMap, { metadata });
      });
      return op;
    };
    const { rule, story, plan, choices, test } = await findingOf(makeFragile, { ...SMALLEST, losses: 1 });
    assert.equal(rule, "convergence");
    assert.ok(story.some((line) => line.includes("is lost")), story.join("\n"));
    assert.ok(test.includes(`choices: ${JSON.stringify(choices)}`), test);
    const bounds = { ...SMALLEST, losses: 1, plan, choices };
    await assert.rejects(
      explore(makeFragile, bounds),
      (error) => error instanceof ExplorationError && error.finding.rule === "convergence",
    );
    const { summary } = await explore(makeSound, { ...bounds, choices: [] });
    assert.match(summary, /not all: it was one run, of given choices/);
  });

  it("refuses options that mean nothing", async () => {
    await assert.rejects(explore(makeSound() as never), /give a function that makes one/);
    await assert.rejects(explore(makeSound, { objects: 5 }), /more than 4 `objects`/);
    await assert.rejects(explore(makeSound, { kills: -1 }), /`kills` -1: it is a whole number, 0 or more/);
    await assert.rejects(explore(makeSound, { replicas: 2 } as never), /option "replicas"/);
    const plan = { seed: 1, steps: [{ do: "delete", kind: KIND, name: "a" }] } as const;
    await assert.rejects(explore(makeSound, { ...SMALLEST, plan }), /it has "create" and "edit" alone/);
  });
});

/** Mistakes that authors make; each is found with the world that `explore()` has by default. */
describe("The exploration of an author's mistakes", () => {
  it("[N21.26] finds a creation that is not idempotent, also by a kill", async () => {
    const make = (): Operator => {
      const op = operator();
      op.on.create(Example, async function provision({ name }) {
        const metadata = { generateName: `${name}-`, namespace: "default" };
        await op.api.create(kinds.ConfigMap, { metadata });
      });
      return op;
    };
    const { rule, message, story } = await findingOf(make, { losses: 0, shrinkFor: 0.3 });
    assert.equal(rule, "convergence", message);
    assert.match(message, /there are 2 of ConfigMap default\/\w+-\*/);
    assert.ok(story.some((line) => line.includes("the process is killed")), story.join("\n"));
  });

  it("[N21.26] finds a finalizer that goes before the cleanup", async () => {
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
    const { rule, message } = await findingOf(make, { shrinkFor: 0.3 });
    assert.ok(["convergence", "deletion"].includes(rule), message);
  });

  it("[N21.26] finds children that depend on the order of their owners", async () => {
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
    const { rule, message } = await findingOf(make, { shrinkFor: 0.3 });
    assert.equal(rule, "order", message);
    assert.match(message, /`data\.first` of ConfigMap default\/shared/);
  });

  it("[N21.26] finds a lost update", async () => {
    const make = (): Operator => {
      const op = operator();
      op.on.create(Example, async function made({ name, spec, clock, signal }) {
        await clock.sleep(1, signal);
        await op.api.patch(Example, { name, namespace: "default" }, { spec: { ...spec, isSeen: true } });
      });
      return op;
    };
    const { rule, message } = await findingOf(make, { shrinkFor: 0.3 });
    assert.equal(rule, "lost-update", message);
    assert.match(message, /has taken back a client's edit of `spec\.n`/);
  });
});

describe("Footprints", () => {
  const request = (verb: string, kind: string, name: string) =>
    ({ life: 0, verb, kind, name, namespace: "", subresource: "", collection: "" }) as const;

  it("[N21.27] have nothing in common unless an object's handlers ask for a thing that those of another one write", () => {
    const apart = new Footprints();
    apart.add(request("create", "configmaps", ""), "teas a");
    apart.add(request("create", "configmaps", ""), "teas b");
    apart.add(request("patch", "configmaps", "a"), "teas a");
    apart.add(request("get", "configmaps", "b"), "teas b");
    apart.add(request("list", "secrets", ""), "teas b");
    assert.equal(apart.shared, undefined);
    apart.add(request("get", "configmaps", "a"), "teas b");
    assert.equal(apart.shared, "configmaps a");
    const listed = new Footprints();
    listed.add(request("list", "configmaps", ""), "teas b");
    listed.add(request("create", "configmaps", ""), "teas a");
    assert.equal(listed.shared, "configmaps *");
  });
});
