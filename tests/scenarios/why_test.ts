import assert from "node:assert/strict";
import { ABSENT, type Operator, operator, PermanentError, PRESENT, TemporaryError } from "../../mod.ts";
import type { Runner } from "../../lib/kits/testing/mod.ts";
import { suite } from "../support/scenario.ts";
import type { VirtualWorld } from "../support/virtual_world.ts";
import { LEASES } from "../../lib/model/kinds.ts";
import { makePeeringKinds, Meeting } from "../support/meeting.ts";
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
  readonly before?: (world: VirtualWorld) => void | Promise<void>;
  readonly scope?: readonly string[];
  readonly replicas?: number;
  readonly asked?: { readonly kind?: string; readonly namespace?: string; readonly name?: string };
  readonly answer: RegExp;
  /** The replica that is named as the responsible one. */
  readonly holder?: string;
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
      /^The object has not changed since it was handled, so no handler is called now\. make: it is for creations, and the object was handled before\.$/,
  },
  "a handler for the start alone": {
    declare: (op) => op.on.resume(Example, { id: "restore" }, noop),
    answer: /restore: it is called only when the operator starts, for objects that are there then\.$/,
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
    answer:
      /^The object has not changed .* make: label `never` is absent, wanted `so`; scale\/spec\.size: the object has not changed since it was handled\.$/,
  },
  "a handler that hangs": {
    declare: (op) => op.on.create(Example, { id: "dial" }, () => new Promise<void>(() => {})),
    story: async (_, running, objects) => {
      await objects.create("one");
      await running.advance(200);
    },
    answer:
      /^Handler "dial" has run for 3 min \(since .*Z\) and has not ended: no other handler of the object is called before it ends\. It waits for an answer that does not come, or loops; the handler's option `timeout` would end it\.$/,
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
      /^Handler "downgrade" has given up: PermanentError: A database cannot be downgraded; it is called again when the object changes\.$/,
  },
  "a write that the server refuses": {
    declare: (op) =>
      op.on.create(Example, { id: "tag" }, ({ patch }) => void (patch.metadata = { labels: { it: "a b" } })),
    answer:
      /^Handler "tag" succeeds, but the API server refuses its writes: Server refused "PATCH .*": 422 Invalid: .*metadata\.labels: Invalid value: "a b": .*; the next attempt comes in \d+ s\.$/,
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
      /^The operator cannot finish with the object: ApiError: .*forbidden.*; the next attempt comes in \d+ s\. Its service account lacks a right: grant it \(`lotse generate rbac` prints/,
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
    answer:
      /^It has waited for a free worker for 30 s: all are busy with examples\.lotse\.test default\/first \(for 35 s\)\. The setting `queueing\.workerLimit` says/,
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
  "a paused object": {
    declare: (op) => op.on.create(Example, { id: "make" }, noop),
    story: async ({ host: { clock } }, running, objects) => {
      const until = new Date(clock.now() + 3_600_000).toISOString();
      const annotations = { "lotse.dev/pause": `until=${until} reason=the volume is being moved` };
      await objects.create("one", { metadata: { annotations } });
      await running.advance(5);
    },
    answer:
      /^It is paused by its annotation `lotse\.dev\/pause` until .*Z \(the volume is being moved\): no handler is called before\. Remove the annotation to end the pause\.$/,
  },
  "another operator with a higher priority": {
    declare: (op) => op.on.create(Example, { id: "make" }, noop),
    scope: ["default"],
    before: makePeeringKinds,
    story: async ({ client, host: { clock } }, running, objects) => {
      const meeting = await new Meeting(client, { namespace: "default" }).create();
      await running.advance(5);
      const lastseen = new Date(clock.now()).toISOString().replace("Z", "000+00:00");
      await meeting.write({ "the-new-one": { priority: 100, lifetime: 600, lastseen } });
      await running.advance(5);
      await objects.create("one");
      await running.advance(30);
    },
    answer: /^The whole operator waits: paused for the-new-one \(priority 100\)\.$/,
  },
  "a lost lease": {
    replicas: 1,
    declare: (op) => op.on.create(Example, { id: "make" }, noop),
    story: async (world, running, objects) => {
      await running.advance(20);
      world.intercept = (request, { path }) =>
        path.includes("/leases") && request.method !== "GET"
          ? Response.json({
            kind: "Status",
            status: "Failure",
            code: 403,
            reason: "Forbidden",
            message: "leases is forbidden: cannot update",
          }, { status: 403 })
          : undefined;
      await running.advance(60);
      await objects.create("one");
      await running.advance(20);
    },
    answer:
      /^This replica \(virtual_\w+\) has stopped its work on the object: it could not renew the Lease of the shard 0 in time \(.*\)\. It goes on when it can, or another replica takes the Lease/,
  },
  "a lease of another replica": {
    replicas: 1,
    declare: (op) => op.on.create(Example, { id: "make" }, noop),
    before: async ({ client }) => {
      await client.create(LEASES, {
        apiVersion: "coordination.k8s.io/v1",
        kind: "Lease",
        metadata: { name: "operator", namespace: "default" },
        spec: {
          holderIdentity: "op-7f9_a1",
          leaseDurationSeconds: 3000,
          acquireTime: "2026-01-01T00:00:00.000000Z",
          renewTime: "2026-01-01T00:00:00.000000Z",
        },
      });
    },
    answer:
      /^Another replica is responsible: op-7f9_a1 holds the Lease of the object's shard 0\. Ask that one\.$/,
    holder: "op-7f9_a1",
  },
  "a hot loop": {
    declare: (op) =>
      op.on.update(Example, { id: "count" }, ({ spec, patch }) => {
        patch.spec.counter = Number(spec.counter ?? 0) + 1;
      }),
    story: async (_, running, objects) => {
      await objects.create("one", { spec: { begin: 1 } });
      await running.advance(5);
      await objects.patch("one", { spec: { counter: 1 } });
      await running.advance(400);
    },
    answer:
      /^It is slowed down, as it is in a hot loop: the operator's own writes of spec\.counter call for the next write, again and again\. No event is handled before a pause of a minute at most is over\.$/,
  },
  "an index that is not complete": {
    declare: (op) => {
      op.on.create(Example, { id: "make" }, noop);
      op.index(Plain, { id: "byColour" }, ({ name }) => ({ [name]: 1 }));
    },
    before: (world) => {
      world.intercept = (request, { path }) =>
        request.method === "GET" && path.includes("/plains")
          ? new Response("{}", { status: 500 })
          : undefined;
    },
    answer:
      /^The whole operator waits: its indexes are not complete: plains\.lotse\.test: not listed yet: Server refused "GET .*plains.*": 500\.$/,
  },
  "children that are not ready": {
    declare: (op) =>
      op.on.create(Example, { id: "bring" }, async ({ children, namespace }) => {
        await children({
          database: {
            apply: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "db", namespace } },
            ready: () => "its volume is not bound",
          },
        });
      }),
    answer:
      /^Handler "bring" has not finished: waiting for "database": its volume is not bound\. It is called again in \d+ s at the latest\.$/,
  },
  "a daemon that has given up": {
    declare: (op) =>
      op.daemon(Example, { id: "watch" }, () => {
        throw new PermanentError("The account is closed");
      }),
    answer:
      /^Daemon "watch" has given up: PermanentError: The account is closed; this process starts it no more\.$/,
  },
  "a timer that fails": {
    declare: (op) =>
      op.timer(Example, { id: "poll", interval: 600 }, () => {
        throw new TemporaryError("The bucket answers 503", { delay: 120 });
      }),
    answer: /^Timer "poll" has failed once: TemporaryError: The bucket answers 503; the next attempt comes/,
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
      const { declare, settings, before, scope, replicas, object = {}, asked = {}, answer } = planted;
      const op = operator({ networking: { errorBackoffs: [] }, ...settings });
      declare(op);
      await before?.(world);
      const running = replicas === undefined
        ? await world.start(op, scope === undefined ? {} : { scope })
        : await world.start(() => op, { replicas });
      const objects = new Objects(world);
      if (planted.story === undefined) {
        await objects.create("one", object);
        await running.advance(10);
      } else {
        await planted.story(world, running, objects);
      }
      const told = op.why({ kind: "examples", namespace: "default", name: "one", ...asked });
      assert.match(told.answer, answer, JSON.stringify(told, undefined, 2));
      assert.equal(told.holder, planted.holder);
      assert.ok(!JSON.stringify(told).includes("tops3cret"));
      world.intercept = undefined;
      await running.stop();
    });
  }
});
