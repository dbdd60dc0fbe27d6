import assert from "node:assert/strict";
import { ABSENT, type Operator, operator, PermanentError, PRESENT, TemporaryError } from "../../mod.ts";
import type { Runner } from "../../lib/kits/testing/mod.ts";
import { suite } from "../support/scenario.ts";
import type { VirtualWorld } from "../support/virtual_world.ts";
import { Example, Objects, Plain } from "../support/worlds.ts";

/** What a fault plants: an operator, objects, and the answer that is wanted. */
interface Fault {
  readonly declare: (op: Operator) => void;
  /** Options of the operator. */
  readonly settings?: Parameters<typeof operator>[0];
  /** The object that is asked about. Default: "one", as it was created. */
  readonly object?: Record<string, unknown>;
  /** What happens when the operator runs. Default: the object is created, and ten seconds pass. */
  readonly story?: (world: VirtualWorld, running: Runner, objects: Objects) => Promise<void>;
  readonly before?: (world: VirtualWorld) => void;
  readonly scope?: readonly string[];
  readonly asked?: { readonly kind?: string; readonly namespace?: string; readonly name?: string };
  readonly answer: RegExp;
}

const noop = (): void => {};

const FAULTS: Readonly<Record<string, Fault>> = {
  "a label that is absent": {
    declare: (op) => op.on.create(Example, { id: "onlyBlue", labels: { team: "blue" } }, noop),
    answer: /^No handler is called for it now\. onlyBlue: label `team` is absent, wanted `blue`\.$/,
  },
  "a label with another value": {
    declare: (op) => op.on.create(Example, { id: "onlyBlue", labels: { team: "blue", tier: PRESENT } }, noop),
    object: { metadata: { labels: { team: "red", tier: "1" } } },
    answer: /onlyBlue: label `team` is `red`, wanted `blue`\.$/,
  },
  "an annotation that must not be there": {
    declare: (op) => op.on.create(Example, { id: "free", annotations: { held: ABSENT } }, noop),
    object: { metadata: { annotations: { held: "yes" } } },
    answer: /free: annotation `held` is `yes`, wanted none\.$/,
  },
  "a condition that does not hold": {
    declare: (op) => op.on.create(Example, { id: "big", when: ({ spec }) => spec.size === 9 }, noop),
    answer: /big: its condition \(`when`\) does not hold\.$/,
  },
  "a filter that throws": {
    declare: (op) =>
      op.on.create(Example, {
        id: "odd",
        when: () => {
          throw new Error("spec.tags is not iterable");
        },
      }, noop),
    answer: /odd: its filter fails: spec\.tags is not iterable\.$/,
  },
  "a field with another value": {
    declare: (op) => op.on.create(Example, { id: "fast", field: "spec.mode", value: "fast" }, noop),
    object: { spec: { mode: "slow" } },
    answer: /fast\/spec\.mode: field `spec\.mode` is `slow`, wanted `fast`\.$/,
  },
  "a confidential field with another value": {
    settings: { persistence: { confidential: { "examples.lotse.test": ["spec.password"] } } },
    declare: (op) => op.on.create(Example, { id: "weak", field: "spec.password", value: "1234" }, noop),
    object: { spec: { password: "tops3cret" } },
    answer: /weak\/spec\.password: field `spec\.password` is not as wanted \(its value is confidential\)\.$/,
  },
  "an object that was handled before": {
    declare: (op) => op.on.create(Example, { id: "make" }, ({ patch }) => void (patch.status.made = true)),
    answer:
      /^No handler is called for it now\. make: it is for creations, and the object was handled before\.$/,
  },
  "a field that has not changed": {
    declare: (op) => {
      op.on.create(Example, { id: "make", labels: { never: "so" } }, noop);
      op.on.field(Example, "spec.size", { id: "scale" }, noop);
    },
    object: { spec: { size: 1 } },
    story: async (_, running, objects) => {
      await objects.create("one", { spec: { size: 1 } });
      await running.advance(5);
      await objects.patch("one", { spec: { other: 2 } });
      await running.advance(5);
    },
    answer: /; scale\/spec\.size: the object has not changed since it was handled\.$/,
  },
  "a handler that hangs": {
    declare: (op) => op.on.create(Example, { id: "dial" }, () => new Promise<void>(() => {})),
    story: async (_, running, objects) => {
      await objects.create("one");
      await running.advance(200);
    },
    answer: /^Handler "dial" runs for 3 min and does not end: the object waits until it does/,
  },
  "a handler that throws": {
    declare: (op) =>
      op.on.create(Example, { id: "mount" }, () => {
        throw new TemporaryError("The volume is not bound yet", { delay: 60 });
      }),
    story: async (_, running, objects) => {
      await objects.create("one");
      await running.advance(70);
    },
    answer:
      /^Handler "mount" has failed 2 times in a row: TemporaryError: The volume is not bound yet; the next attempt comes in \d+ s\.$/,
  },
  "a handler that has given up": {
    declare: (op) =>
      op.on.create(Example, { id: "downgrade" }, () => {
        throw new PermanentError("A database cannot be downgraded");
      }),
    answer:
      /^Handler "downgrade" has given up: PermanentError: A database cannot be downgraded\. It is called again when the object changes\.$/,
  },
  "a write that the server refuses": {
    declare: (op) =>
      op.on.create(Example, { id: "tag" }, ({ patch }) => void (patch.metadata = { labels: { it: "a b" } })),
    answer: /Handler "tag" .*(refuses|has failed).*(a valid label|Invalid|invalid)/,
  },
  "a right that is missing": {
    declare: (op) => op.on.create(Example, { id: "make" }, ({ patch }) => void (patch.status.made = true)),
    before: (world) => {
      world.intercept = (request) =>
        request.method === "PATCH"
          ? Response.json({
            kind: "Status",
            status: "Failure",
            code: 403,
            reason: "Forbidden",
            message: "examples is forbidden: cannot patch",
          }, { status: 403 })
          : undefined;
    },
    answer:
      /^The operator cannot finish with the object: ApiError: .*forbidden.*; the next attempt comes in \d+ s\.$/,
  },
  "a foreign finalizer": {
    declare: (op) => op.on.delete(Example, { id: "clean" }, noop),
    story: async (_, running, objects) => {
      await objects.create("one", { metadata: { finalizers: ["other.dev/held"] } });
      await running.advance(5);
      await objects.delete("one");
      await running.advance(5);
    },
    answer:
      /^It is being deleted since .*, and our part is done: it waits for other\.dev\/held, which other programs must take off\.$/,
  },
  "a watch that fails": {
    declare: (op) => op.on.create(Example, noop),
    story: async (world, running, objects) => {
      await objects.create("one");
      await running.advance(5);
      world.intercept = (request, { path }) =>
        request.method === "GET" && path.includes("/examples")
          ? new Response("{}", { status: 500 })
          : undefined;
      world.host.network.breakAll();
      await running.advance(60);
    },
    answer: /^The operator does not see the newest state of examples\.lotse\.test: no stream for \d+ s/,
  },
  "a queue that is full": {
    settings: { queueing: { workerLimit: 1 } },
    declare: (op) =>
      op.on.create(
        Example,
        { id: "dial" },
        ({ name }) => name === "first" ? new Promise<void>(() => {}) : undefined,
      ),
    story: async (_, running, objects) => {
      await objects.create("first");
      await running.advance(5);
      await objects.create("one");
      await running.advance(30);
    },
    answer: /^It waits for a free worker since 30 s: all are busy with .*examples.* default\/first/,
  },
  "a namespace that is not served": {
    declare: (op) => op.on.create(Example, noop),
    scope: ["default"],
    asked: { namespace: "elsewhere" },
    answer: /^The operator does not serve the namespace "elsewhere" \(see -n and -A\)\.$/,
  },
  "a kind that no handler is for": {
    declare: (op) => op.on.create(Example, noop),
    asked: { kind: "volumes" },
    answer: /^No handler of this operator is for "volumes": it watches .*examples\.lotse\.test/,
  },
  "an object that does not exist": {
    declare: (op) => op.on.create(Example, noop),
    asked: { name: "nobody" },
    answer: /^The operator knows no such object: it does not exist, or a selector/,
  },
  "a change of the status alone": {
    declare: (op) => op.on.update(Example, { id: "amend", labels: { never: "so" } }, noop),
    story: async (_, running, objects) => {
      await objects.create("one");
      await running.advance(5);
      await objects.patch("one", { status: { phase: "x" } }, "status");
      await running.advance(5);
    },
    answer: /^No handler is called for it now\. amend: label `never` is absent, wanted `so`\.$/,
  },
  "sub-handlers that are unfinished": {
    declare: (op) =>
      op.on.create(Example, { id: "make" }, ({ sub }) => {
        sub("part", () => {
          throw new TemporaryError("half done", { delay: 100 });
        });
      }),
    answer:
      /^Handler "make\/part" has failed once: TemporaryError: half done; the next attempt comes in \d+ s\.$/,
  },
  "kinds that are watched for others alone": {
    declare: (op) => {
      op.reconcile(Example, noop);
      op.watches(Plain, () => []);
    },
    asked: { kind: "plains" },
    story: async (world, running) => {
      await new Objects(world, { ...Plain.options } as never).create("one");
      await running.advance(5);
    },
    answer: /^No handler is for objects of this kind themselves: they are watched for the sake of others\.$/,
  },
};

suite("why", (scenario) => {
  for (const [fault, planted] of Object.entries(FAULTS)) {
    scenario.virtual(`[N22.1] names ${fault}`, async (world) => {
      const { declare, settings, before, scope, object = {}, asked = {}, answer } = planted;
      const op = operator({ networking: { errorBackoffs: [] }, ...settings });
      declare(op);
      before?.(world);
      const running = await world.start(op, scope === undefined ? {} : { scope });
      const objects = new Objects(world);
      if (planted.story === undefined) {
        await objects.create("one", object);
        await running.advance(10);
      } else {
        await planted.story(world, running, objects);
      }
      const told = op.why({ kind: "examples", namespace: "default", name: "one", ...asked });
      assert.match(told.answer, answer, JSON.stringify(told, undefined, 2));
      assert.ok(!JSON.stringify(told).includes("tops3cret"));
      world.intercept = undefined;
      await running.stop();
    });
  }
});
