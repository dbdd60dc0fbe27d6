import assert from "node:assert/strict";
import { type DaemonHandlerArguments, type Operator, operator, type OperatorOptions } from "../../mod.ts";
import { suite } from "../support/scenario.ts";
import type { VirtualWorld } from "../support/virtual_world.ts";
import { Example, FINALIZER, Objects } from "../support/worlds.ts";

type Loose = Record<string, unknown>;
type Args = DaemonHandlerArguments<Loose, Loose>;
type Running = Awaited<ReturnType<VirtualWorld["start"]>>;

interface Options {
  readonly cancellationBackoff?: number;
  readonly cancellationTimeout?: number;
  readonly cancellationPolling?: number;
}

/** One object with one daemon, which runs. */
class Story {
  readonly objects: Objects;
  readonly op: Operator;
  readonly running: Running;
  readonly #world: VirtualWorld;
  #start = 0;

  constructor(world: VirtualWorld, { op, running }: { readonly op: Operator; readonly running: Running }) {
    this.#world = world;
    this.objects = new Objects(world);
    this.op = op;
    this.running = running;
  }

  static async begin(
    world: VirtualWorld,
    daemon: Options & { readonly fn: (args: Args) => unknown },
    settings: OperatorOptions = {},
  ): Promise<Story> {
    const { fn, ...options } = daemon;
    const op = operator(settings);
    op.daemon(Example, { id: "d", ...options }, fn);
    const story = new Story(world, { op, running: await world.start(op) });
    await story.objects.create("one");
    await story.running.settle();
    return story;
  }

  /** Deletes the object, and begins to count time and requests. */
  async delete(): Promise<void> {
    this.#world.requests.length = 0;
    this.#start = this.#world.host.clock.monotonic();
    await this.objects.delete("one");
    await this.running.settle();
  }

  /** Seconds since the deletion. */
  get time(): number {
    return Math.round((this.#world.host.clock.monotonic() - this.#start) * 1000) / 1000;
  }

  async isGone(): Promise<boolean> {
    return await this.objects.find("one") === undefined;
  }

  /** Lets time pass until the object has gone; tells when that was. */
  async goneAt(): Promise<number> {
    await this.running.until(() => this.isGone());
    return this.time;
  }

  /** What the operator wrote: "finalizer" for its removal. */
  get writes(): string[] {
    return this.#world.writes().map(({ body }) => /"finalizers":(null|\[\])/.test(body) ? "finalizer" : body);
  }

  messages(pattern: RegExp): string[] {
    return this.running.messages().filter((message) => pattern.test(message));
  }
}

/** Sleeps on, whatever it is told, and counts nothing. */
function ignore(world: VirtualWorld, seconds: number): () => Promise<boolean> {
  return () => world.host.clock.sleep(seconds);
}

/** Does not look at the flag, but at the signal; then it takes its time to tidy up. */
function obeySignal(world: VirtualWorld, cleanup = 0): (args: Args) => Promise<void> {
  return async ({ signal }) => {
    await world.host.clock.sleep(Infinity, signal);
    if (cleanup > 0) await world.host.clock.sleep(cleanup);
    signal.throwIfAborted();
  };
}

suite("daemons: deletion", (scenario) => {
  scenario.virtual("[B31] [A238] a daemon that obeys at once costs one write and no time", async (world) => {
    const reasons: string[] = [];
    const story = await Story.begin(world, {
      fn: async ({ stopped }) => {
        await stopped.wait();
        reasons.push(...stopped.reasons);
      },
    });
    await story.delete();
    assert.ok(await story.isGone());
    assert.deepEqual([story.time, story.writes, reasons], [0, ["finalizer"], ["RESOURCE_DELETED"]]);
    await story.running.stop();
  });

  scenario("an object with an obedient daemon goes, and the daemon hears why", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    const reasons: string[] = [];
    op.daemon(Example, { id: "d" }, async ({ stopped, logger }) => {
      logger.info("Running");
      await stopped.wait();
      reasons.push(...stopped.reasons);
    });
    const running = await world.start(op);
    await objects.create("one");
    await world.until(async () =>
      (await objects.get("one")).metadata.finalizers?.includes(FINALIZER) === true
    );
    await objects.delete("one");
    await world.until(async () => await objects.find("one") === undefined);
    assert.deepEqual(reasons, ["RESOURCE_DELETED"]);
    await running.stop();
  });

  scenario.virtual(
    "[B32] a daemon that ends during its backoff is not cancelled, and nothing is touched",
    async (world) => {
      const cancelled: boolean[] = [];
      const reasons: string[] = [];
      const story = await Story.begin(world, {
        cancellationBackoff: 1.23,
        fn: async ({ stopped, signal }) => {
          await stopped.wait();
          await world.host.clock.sleep(1);
          cancelled.push(signal.aborted);
          reasons.push(...stopped.reasons);
        },
      });
      await story.delete();
      assert.equal(await story.goneAt(), 1);
      assert.deepEqual([story.writes, cancelled], [["finalizer"], [false]]);
      assert.deepEqual(reasons, ["RESOURCE_DELETED", "DAEMON_SIGNALLED"]);
      await story.running.stop();
    },
  );

  scenario.virtual(
    "[B33] [A239] a daemon that obeys its signal only is released right after the backoff",
    async (world) => {
      for (const cancellationTimeout of [4.56, 10]) {
        const story = await Story.begin(world, {
          cancellationBackoff: 1.23,
          cancellationTimeout,
          fn: obeySignal(world),
        });
        await story.delete();
        assert.equal(await story.goneAt(), 1.23);
        assert.deepEqual(story.writes, ["finalizer"]);
        assert.deepEqual(story.running.messages("error"), []);
        await story.running.stop();
      }
    },
  );

  scenario.virtual(
    "[B34] a daemon that takes its time after its signal is released when it has ended",
    async (world) => {
      const story = await Story.begin(world, {
        cancellationBackoff: 1.23,
        cancellationTimeout: 4.56,
        fn: obeySignal(world, 2),
      });
      await story.delete();
      assert.equal(await story.goneAt(), 3.23);
      await story.running.advance(100);
      assert.deepEqual(story.messages(/did not exit/), []);
      await story.running.stop();
    },
  );

  scenario.virtual("[B34] one that takes too long after its signal is left behind at 5.79", async (world) => {
    const story = await Story.begin(world, {
      cancellationBackoff: 1.23,
      cancellationTimeout: 4.56,
      fn: obeySignal(world, 20),
    });
    await story.delete();
    assert.equal(await story.goneAt(), 5.79);
    await story.running.advance(100);
    await story.running.stop();
  });

  scenario.virtual(
    "[B35] [A240] a daemon that ignores everything is left behind with a warning, and its object goes",
    async (world) => {
      const signals: Args["signal"][] = [];
      const flags: Args["stopped"][] = [];
      const end = Promise.withResolvers<unknown>();
      const story = await Story.begin(world, {
        cancellationTimeout: 4.56,
        fn: ({ signal, stopped }) => {
          signals.push(signal);
          flags.push(stopped);
          return end.promise;
        },
      });
      await story.delete();
      assert.equal(signals[0]?.aborted, true);
      assert.equal(story.time, 0);
      assert.equal(await story.goneAt(), 4.56);
      assert.equal(story.messages(/did not exit in time/).length, 1);
      assert.deepEqual([...flags[0]?.reasons ?? []], [
        "RESOURCE_DELETED",
        "DAEMON_CANCELLED",
        "DAEMON_ABANDONED",
      ]);
      world.requests.length = 0;
      end.resolve({ late: true });
      await story.running.settle();
      assert.ok(flags[0]?.reasons.has("DONE"));
      assert.deepEqual(world.writes(), []);
      await story.running.stop();
    },
  );

  scenario.virtual(
    "[B36] [B71] [G12] [D9] a daemon without a timeout is never cancelled, and holds its object until it ends",
    async (world) => {
      const aborted: boolean[] = [];
      const story = await Story.begin(world, {
        fn: async ({ signal, stopped }) => {
          await stopped.wait();
          await world.host.clock.sleep(130.5);
          aborted.push(signal.aborted);
        },
      });
      await story.delete();
      await story.running.advance(121);
      assert.equal(story.messages(/still stopping/).length, 3);
      assert.equal(await story.goneAt(), 130.5);
      assert.deepEqual([aborted, story.writes], [[false], ["finalizer"]]);
      await story.running.stop();
    },
  );

  scenario.virtual("[B71] a daemon that ends 2 s after the flag lets its object go at 2 s", async (world) => {
    const story = await Story.begin(world, {
      fn: async ({ stopped }) => {
        await stopped.wait();
        await world.host.clock.sleep(2);
      },
    });
    await story.delete();
    assert.equal(await story.goneAt(), 2);
    assert.deepEqual(story.writes, ["finalizer"]);
    await story.running.stop();
  });

  scenario.virtual("[B37] the polling of daemons that take their time is theirs to set", async (world) => {
    const story = await Story.begin(world, { cancellationPolling: 5, fn: ignore(world, 1000) });
    await story.delete();
    await story.running.advance(21);
    assert.equal(story.messages(/still stopping/).length, 5);
    assert.ok(!await story.isGone());
    await story.running.stop();
  });

  scenario.virtual(
    "[B38] a daemon that needs a few turns of the event loop ends within the grace",
    async (world) => {
      const story = await Story.begin(world, {
        cancellationTimeout: 1,
        fn: async ({ stopped, signal }) => {
          await stopped.wait();
          for (let turn = 0; turn < 3; turn++) await world.host.clock.sleep(0);
          assert.ok(!signal.aborted);
        },
      });
      await story.delete();
      assert.ok(await story.isGone());
      assert.deepEqual([story.time, story.writes], [0, ["finalizer"]]);
      assert.deepEqual(story.running.messages("error"), []);
      await story.running.stop();
    },
  );

  scenario.virtual("[B39] with a grace of 1 s a daemon that needs 0.5 s is not cancelled", async (world) => {
    const background = { instantExitTimeout: 1 };
    const story = await Story.begin(world, {
      cancellationTimeout: 10,
      fn: async ({ stopped, signal }) => {
        await stopped.wait();
        await world.host.clock.sleep(0.5);
        assert.ok(!signal.aborted);
      },
    }, { background });
    await story.delete();
    assert.equal(await story.goneAt(), 0.5);
    assert.deepEqual(story.writes, ["finalizer"]);
    assert.deepEqual(story.running.messages("error"), []);
    await story.running.stop();
  });

  scenario.virtual(
    "[B41] deletion handlers and stopping daemons go on side by side, and both are waited for",
    async (world) => {
      for (const [daemonTime, handlerTime] of [[5, 2], [2, 5]] as const) {
        const objects = new Objects(world);
        const op = operator();
        const log: unknown[] = [];
        const start = (): number => world.host.clock.monotonic();
        let begun = 0;
        op.daemon(Example, { id: "d" }, async ({ stopped }) => {
          await stopped.wait();
          await world.host.clock.sleep(daemonTime);
          log.push(["daemon", start() - begun]);
        });
        op.on.delete(Example, { id: "h" }, async () => {
          await world.host.clock.sleep(handlerTime);
          log.push(["handler", start() - begun]);
        });
        const running = await world.start(op);
        await objects.create("one");
        await running.settle();
        begun = start();
        await objects.delete("one");
        await running.advance(4.9);
        assert.ok(await objects.find("one") !== undefined);
        await running.advance(0.2);
        assert.ok(await objects.find("one") === undefined);
        assert.deepEqual(
          new Map(log as [string, number][]),
          new Map([["daemon", daemonTime], ["handler", handlerTime]]),
        );
        assert.equal(log.length, 2, "neither may run twice");
        await running.stop();
      }
    },
  );

  scenario(
    "[A114] optional deletion handlers of an object with a daemon are called, then the finalizer goes",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const calls: number[] = [];
      op.daemon(Example, { id: "d" }, async ({ stopped }) => void await stopped.wait());
      op.on.delete(Example, { id: "h", optional: true, backoff: 0.1 }, async ({ name, retry }) => {
        const object = await objects.get(name);
        assert.ok(object.metadata.finalizers?.includes(FINALIZER));
        calls.push(retry);
        if (retry === 0) throw new Error("it is retried, too");
      });
      const running = await world.start(op);
      await objects.create("one");
      await world.until(async () =>
        (await objects.get("one")).metadata.finalizers?.includes(FINALIZER) === true
      );
      await objects.delete("one");
      await world.until(async () => await objects.find("one") === undefined);
      assert.deepEqual(calls, [0, 1]);
      await running.stop();
    },
  );

  scenario.virtual(
    "[B72] [G5] [D4] an object that goes without a deletion timestamp stops its daemons, and starts none",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const log: unknown[] = [];
      op.daemon(Example, { id: "d" }, async ({ stopped }) => {
        log.push("begun");
        await stopped.wait();
        log.push([...stopped.reasons]);
      });
      op.timer(Example, { id: "t", interval: 1 }, ({ retry }) => void log.push(retry));
      const running = await world.start(op);
      await objects.create("one");
      await running.settle();
      // As somebody does who has no patience with finalizers; then there is no timestamp.
      world.intercept = (_, { method }) => method === "PATCH" ? refusal(404) : undefined;
      await objects.patch("one", { metadata: { finalizers: null } });
      await objects.delete("one");
      await running.settle();
      await running.advance(60);
      assert.deepEqual(log, ["begun", 0, ["RESOURCE_DELETED"]]);
      assert.equal(await objects.find("one"), undefined);
      await running.stop();
    },
  );

  scenario.virtual(
    "a daemon that throws long after it was left behind is logged, and nothing else comes of it",
    async (world) => {
      const end = Promise.withResolvers<unknown>();
      let calls = 0;
      const story = await Story.begin(world, {
        cancellationTimeout: 4.56,
        fn: () => {
          calls++;
          return end.promise;
        },
      });
      await story.delete();
      assert.equal(await story.goneAt(), 4.56);
      world.requests.length = 0;
      await story.running.advance(3600);
      end.reject(new Error("too late"));
      await story.running.advance(3600);
      assert.deepEqual(story.running.messages("error"), ["Daemon failed permanently"]);
      assert.deepEqual([calls, world.writes()], [1, []]);
      await story.running.stop();
    },
  );

  scenario.virtual(
    "a daemon that throws after its flag is not tried again, and lets its object go",
    async (world) => {
      const story = await Story.begin(world, {
        fn: async ({ stopped }) => {
          await stopped.wait();
          throw new Error("broken cleanup");
        },
      });
      await story.delete();
      assert.ok(await story.isGone());
      assert.deepEqual(story.running.messages("error"), ["Daemon failed permanently"]);
      await story.running.stop();
    },
  );

  scenario(
    "[B327] an object with two daemons of different manners goes, and nothing holds it",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const log: string[] = [];
      op.daemon(Example, { id: "patient", backoff: 0.1 }, async ({ retry, stopped, patch }) => {
        if (retry < 3) throw new Error("it fails three times");
        log.push("patient runs");
        while (!stopped.aborted) await stopped.wait(0.2);
        patch.status.state = "Stopped";
        log.push("patient ends");
      });
      const options = { labels: { run: "yes" }, cancellationBackoff: 0.2, cancellationTimeout: 5 };
      op.daemon(Example, { id: "stubborn", ...options }, async ({ signal }) => {
        log.push("stubborn runs");
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        log.push("stubborn ends");
        signal.throwIfAborted();
      });
      const running = await world.start(op);
      await objects.create("one", { metadata: { labels: { run: "yes" } } });
      await world.until(() => log.length === 2);
      await objects.delete("one");
      await world.until(async () => await objects.find("one") === undefined);
      assert.deepEqual(log.slice(2).sort(), ["patient ends", "stubborn ends"]);
      await running.stop();
    },
  );

  scenario.virtual("change handlers that do not match hold no object of a daemon", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    op.daemon(Example, { id: "d" }, async ({ stopped }) => void await stopped.wait());
    op.on.create(Example, { id: "h", labels: { other: "yes" } }, () => {});
    const running = await world.start(op);
    await objects.create("one");
    await running.settle();
    await objects.delete("one");
    await running.settle();
    assert.equal(await objects.find("one"), undefined);
    await running.stop();
  });

  scenario.virtual("what a daemon writes at its end is on the object before it goes", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    op.daemon(Example, { id: "d" }, async ({ stopped, patch }) => {
      await stopped.wait();
      patch.status.state = "Stopped";
    });
    const running = await world.start(op);
    await objects.create("one", { metadata: { finalizers: ["other.example.com/hold"] } });
    await running.settle();
    await objects.delete("one");
    await running.settle();
    const { status, metadata } = await objects.get("one");
    assert.deepEqual([status, metadata.finalizers], [{ state: "Stopped" }, ["other.example.com/hold"]]);
    await running.stop();
  });
});

suite("daemons: the operator's end", (scenario) => {
  scenario.virtual(
    "[B43] [B45] daemons hear that the operator stops, nothing is written, and the next process starts them",
    async (world) => {
      const reasons: string[] = [];
      let calls = 0;
      const fn = async ({ stopped }: Args): Promise<void> => {
        calls++;
        await stopped.wait();
        reasons.push(...stopped.reasons);
      };
      const story = await Story.begin(world, { fn });
      world.requests.length = 0;
      const before = world.host.clock.monotonic();
      await story.running.stop();
      assert.equal(world.host.clock.monotonic(), before);
      assert.deepEqual([reasons, world.writes()], [["OPERATOR_EXITING"], []]);
      assert.ok((await story.objects.get("one")).metadata.finalizers?.includes(FINALIZER));
      // The same operator once more: what it had learned of the object must not have outlived the exit.
      for (let run = 2; run < 4; run++) {
        const next = await world.start(story.op);
        assert.equal(calls, run);
        await next.stop();
      }
      assert.equal(world.host.clock.pending, 0);
    },
  );

  scenario.virtual(
    "[B44] a daemon that ignores everything is cancelled and left behind in its time, and the operator ends",
    async (world) => {
      const log: unknown[] = [];
      let start = 0;
      const story = await Story.begin(world, {
        cancellationBackoff: 2,
        cancellationTimeout: 3,
        fn: ({ stopped, signal }) => {
          const note = (what: string) => () => log.push([what, world.host.clock.monotonic() - start]);
          stopped.addEventListener("abort", note("stopped"));
          signal.addEventListener("abort", note("cancelled"));
          return new Promise(() => {});
        },
      });
      start = world.host.clock.monotonic();
      await story.running.stop();
      assert.deepEqual(log, [["stopped", 0], ["cancelled", 2]]);
      assert.equal(world.host.clock.monotonic() - start, 10);
      const left = story.running.logs.find(({ message }) => /did not exit in time/.test(message));
      const begun = story.running.logs.at(0)?.time ?? 0;
      assert.equal((left?.time ?? 0) - begun, (start + 5) * 1000);
    },
  );

  scenario.virtual(
    "a run that is under way when the operator stops has some seconds to write what it has",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      op.timer(Example, { id: "t", interval: 600 }, async () => {
        await world.host.clock.sleep(3);
        return { done: true };
      });
      const running = await world.start(op);
      await objects.create("one");
      await running.settle();
      const start = world.host.clock.monotonic();
      await running.stop();
      assert.deepEqual((await objects.get("one")).status, { t: { done: true } });
      assert.equal(world.host.clock.monotonic() - start, 3);
    },
  );

  scenario.virtual("the operator's end cuts off writes that go on for ever", async (world) => {
    const story = await Story.begin(world, {
      fn: async ({ stopped, patch }) => {
        await stopped.wait();
        patch.status.state = "Stopped";
      },
    });
    world.intercept = (_, { path }) => path.endsWith("/status") ? refusal(503) : undefined;
    const start = world.host.clock.monotonic();
    await story.running.stop();
    assert.ok(world.host.clock.monotonic() - start <= 10);
  });
});

function refusal(code: number): Response {
  return Response.json({ kind: "Status", status: "Failure", code, message: "Refused by the test" }, {
    status: code,
  });
}
