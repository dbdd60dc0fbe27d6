import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { reconcile } from "../../lib/controller/reconcile.ts";
import { CHILDREN } from "../../lib/handlers/child/child_events.ts";
import type { WriteRequest, WriteResult } from "../../lib/execution/object_writer.ts";
import type { KubeObject } from "../../lib/model/object.ts";
import type { Declarations } from "../../lib/handlers/on.ts";
import { type Bench, makeBench } from "./bench.ts";

const ERROR = new Error("spec.a: too long");

/** By manner of handlers: how one with this function is declared. All of them write something, and are retried after 5 s. */
const MANNERS: Readonly<
  Record<string, (declare: Declarations<Record<string, unknown>>, fn: (args: Fill) => void) => void>
> = {
  change: ({ on }, fn) => on.field("pods", "spec", { id: "x", backoff: 5 }, fn as never),
  reconcile: ({ reconcile }, fn) => reconcile("pods", { id: "x", backoff: 5, resync: Infinity }, fn as never),
  child: ({ on }, fn) => on.child("pods", "configmaps", { id: "x", backoff: 5 }, fn as never),
};

interface Fill {
  readonly retry: number;
  readonly patch: { status: Record<string, unknown> };
}

function pod(version: number): KubeObject {
  return { metadata: { name: "one", uid: "u", resourceVersion: String(version) }, spec: { version } };
}

interface World {
  readonly bench: Bench;
  /** How often the handler had failed before each of its calls. */
  readonly calls: number[];
  /** Something that the handler is called for has changed. */
  change(version: number): void;
  /** One turn; the time until the next one passes. */
  turn(): Promise<void>;
}

/** An object with one handler of a manner, and what becomes of its writes; what follows is written. */
function worldOf(manner: string, fates: ("kept" | "dropped")[]): World {
  const calls: number[] = [];
  const write = ({ patch, handlers = [], pending }: WriteRequest): WriteResult => {
    if (patch.isEmpty && pending.isEmpty) return { kind: "unchanged" };
    const fate = fates.shift();
    if (fate === "kept") {
      pending.keep(patch, handlers);
      return { kind: "kept", error: ERROR };
    }
    const writers = [...new Set([...pending.handlers, ...handlers])];
    if (fate === "dropped") {
      pending.drop();
      return { kind: "dropped", error: ERROR, handlers: writers };
    }
    pending.settle();
    return { kind: "unchanged" };
  };
  const bench = makeBench({
    body: pod(1),
    declare: (declare) =>
      MANNERS[manner]?.(declare, ({ retry, patch }) => {
        calls.push(retry);
        patch.status.retry = retry;
      }),
    write,
  });
  const { state, host: { clock } } = bench;
  return {
    bench,
    calls,
    change: (version) => {
      state.cached.adopt(pod(version), { from: "watch" });
      if (manner !== "child") return;
      const event = {
        type: "MODIFIED" as const,
        object: { metadata: { name: "child", uid: "c" } },
        old: undefined,
      };
      state.slotOf(CHILDREN, "x").note(event, clock.monotonic());
    },
    turn: async () => {
      const why = { wake: "retry" as const, events: [], failures: 0, waited: 0, isUrgent: false };
      const result = await reconcile(bench.turn, why).catch(() => ({ kind: "failed" }));
      if ("after" in result) await clock.advance(result.after);
    },
  };
}

describe("a success that has put something into the patch", () => {
  for (const manner of Object.keys(MANNERS)) {
    it(`is decided when it is written, by handlers of the manner "${manner}"`, async () => {
      const { calls, change, turn } = worldOf(manner, []);
      change(2);
      for (let times = 0; times < 3; times++) await turn();
      assert.deepEqual(calls, [0]);
    });

    it(`has failed when its write is refused at once, by handlers of the manner "${manner}"`, async () => {
      const { calls, change, turn, bench } = worldOf(manner, ["dropped", "dropped"]);
      change(2);
      for (let times = 0; times < 6; times++) await turn();
      assert.deepEqual(calls, [0, 1, 2]);
      assert.equal(bench.messages.filter((message) => message === "Handler failed temporarily").length, 2);
    });

    it(`has failed when its write is kept and refused later, by handlers of the manner "${manner}"`, async () => {
      const { calls, change, turn } = worldOf(manner, ["kept", "dropped"]);
      change(2);
      for (let times = 0; times < 6; times++) await turn();
      assert.deepEqual(calls, [0, 1]);
    });

    it(`is of the newer event when its write is refused after one, by handlers of the manner "${manner}"`, async () => {
      const { calls, change, turn } = worldOf(manner, ["kept", "dropped"]);
      change(2);
      await turn();
      change(3);
      for (let times = 0; times < 6; times++) await turn();
      assert.deepEqual(calls, [0, 0, 1]);
    });
  }
});
