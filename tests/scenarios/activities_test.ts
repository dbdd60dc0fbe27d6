import assert from "node:assert/strict";
import {
  ActivityError,
  LoginError,
  type Operator,
  operator,
  PermanentError,
  TemporaryError,
} from "../../mod.ts";
import { createLogger, type LogRecord } from "../../lib/runtime/logging.ts";
import type { RunOptions } from "../../mod.ts";
import { withoutToken } from "../support/judged.ts";
import { Doorway } from "../support/reviews.ts";
import { suite } from "../support/scenario.ts";
import type { VirtualWorld } from "../support/virtual_world.ts";
import { Example, Objects } from "../support/worlds.ts";

const SERVER = "https://login.test";

/** Runs an operator that logs in by itself; `token` is what the server accepts, if it asks at all. */
class LoginRun {
  readonly logs: LogRecord[] = [];
  readonly controller = new AbortController();
  /** What requests had as their authorization. */
  readonly seen: string[] = [];
  token: string | undefined;
  result: { readonly error?: unknown } | undefined;
  readonly #world: VirtualWorld;

  constructor(world: VirtualWorld, op: Operator, options: RunOptions & { readonly token?: string } = {}) {
    const { token, ...rest } = options;
    this.#world = world;
    this.token = token;
    const { host, server } = world;
    host.network.route(SERVER, (request) => {
      const authorization = request.headers.get("authorization") ?? "";
      this.seen.push(authorization);
      if (this.token !== undefined && authorization !== `Bearer ${this.token}`) {
        return Promise.resolve(Response.json({ kind: "Status", code: 401 }, { status: 401 }));
      }
      return server.fetch(withoutToken(request));
    });
    const logger = createLogger({ level: "debug", write: (record) => this.logs.push(record) }, host.clock);
    op.run({ host, logger, signal: this.controller.signal, ...rest }).then(
      () => this.result = {},
      (error: unknown) => this.result = { error },
    );
  }

  /** What the run failed with. */
  get failure(): unknown {
    return this.result?.error;
  }

  async stop(): Promise<void> {
    this.controller.abort();
    await this.#world.until(() => this.result !== undefined);
  }
}

/** The names that an argument object has, getters included. */
function namesOf(args: object): string[] {
  const names = new Set<string>();
  for (let part: object | null = args; part !== null && part !== Object.prototype;) {
    for (const name of Object.getOwnPropertyNames(part)) names.add(name);
    part = Object.getPrototypeOf(part);
  }
  names.delete("constructor");
  return [...names];
}

/** Without what is there for attempts only, and undefined in filters. */
function filterNamesOf(args: object): string[] {
  const values = args as Readonly<Record<string, unknown>>;
  const attempt = [
    "param",
    "retry",
    "started",
    "runtime",
    "signal",
    "sub",
    "conditions",
    "clock",
    "children",
  ];
  return namesOf(args).filter((name) => !attempt.includes(name) || values[name] !== undefined);
}

suite("activities", (scenario) => {
  scenario("[B94] startup handlers come first, see empty indexes, and may change settings", async (world) => {
    const op = operator({ memo: { given: 1 } });
    const steps: unknown[] = [];
    op.index(Example, { id: "names" }, ({ name }) => ({ [name]: true }));
    op.on.startup(function configure({ settings, memo, indices, activity, param, retry, logger }) {
      settings.persistence.finalizer = "lotse.test/from-startup";
      memo.client = "made at the start";
      logger.info("Configured");
      steps.push([activity, param, retry, memo.given, indices.names?.size, "nothing" in indices]);
    });
    op.on.delete(Example, () => {});
    op.on.create(Example, ({ memo }) => void steps.push(memo.client));
    await new Objects(world).create("one");
    const running = await world.start(op);
    await world.until(() => steps.length === 2);
    assert.deepEqual(steps, [["startup", undefined, 0, 1, 0, false], "made at the start"]);
    const { metadata } = await new Objects(world).get("one");
    assert.deepEqual(metadata.finalizers, ["lotse.test/from-startup"]);
    assert.ok(
      running.logs.some(({ logger, message }) =>
        logger === "lotse.activities.startup" && message === "Configured"
      ),
    );
    await running.stop();
  });

  scenario.virtual(
    "[B247] [A182] a startup handler that fails ends the run before any request",
    async (world) => {
      const op = operator();
      const calls: string[] = [];
      op.on.startup(function connect() {
        calls.push("startup");
        throw new PermanentError("the licence has expired");
      });
      op.on.cleanup(() => void calls.push("cleanup"));
      op.on.event(Example, () => void calls.push("event"));
      const error = await world.start(op).then(() => undefined, (error: unknown) => error);
      assert.ok(error instanceof ActivityError);
      assert.equal(error.message, 'Cannot start: handler "connect" failed: the licence has expired');
      assert.ok(error.cause instanceof PermanentError);
      assert.deepEqual([...error.failures.keys()], ["connect"]);
      assert.deepEqual(calls, ["startup"]);
      assert.deepEqual(world.requests, []);
    },
  );

  scenario.virtual(
    "startup handlers are retried, each on its own, and hold back everything else",
    async (world) => {
      const op = operator();
      const calls: string[] = [];
      op.on.startup({ id: "slow", backoff: 30, retries: 3 }, ({ retry, runtime }) => {
        calls.push(`slow ${retry} ${runtime}`);
        if (retry < 2) throw new Error("on purpose");
      });
      op.on.startup({ id: "quick", param: 5 }, ({ param }) => void calls.push(`quick ${param}`));
      let isReady = false;
      const running = await world.start(op, { ready: () => isReady = true });
      await running.advance(59);
      assert.equal(isReady, false);
      assert.deepEqual(world.requests, []);
      await running.advance(2);
      assert.equal(isReady, true);
      assert.deepEqual(calls, ["slow 0 0", "quick 5", "slow 1 30", "slow 2 60"]);
      await running.stop();
    },
  );

  scenario.virtual(
    "a startup that is being retried ends at once when the operator is told to stop",
    async (world) => {
      const op = operator();
      const calls: string[] = [];
      op.on.startup({ id: "never" }, () => {
        throw new TemporaryError("not yet", { delay: 1000 });
      });
      op.on.cleanup(() => void calls.push("cleanup"));
      const running = await world.start(op);
      const before = world.host.clock.now();
      await running.stop();
      assert.ok(world.host.clock.now() - before < 5000);
      assert.deepEqual(calls, [], "what was not started is not cleaned up");
    },
  );

  scenario.virtual(
    "a startup handler that does not listen is left behind when the operator is told to stop",
    async (world) => {
      const op = operator();
      op.on.startup({ id: "deaf" }, () => new Promise(() => {}));
      const running = await world.start(op);
      await running.stop();
      assert.ok(running.logs.some(({ message }) => message === "A handler does not stop: it is left behind"));
    },
  );

  scenario.virtual("settings that startup handlers spoil end the run, and say which", async (world) => {
    const op = operator();
    let cleanups = 0;
    op.on.startup(({ settings }) => {
      settings.queueing.workerLimit = -1;
    });
    op.on.cleanup(() => void cleanups++);
    await assert.rejects(world.start(op), /queueing\.workerLimit/);
    assert.equal(cleanups, 1);
  });

  scenario.virtual("[B248] the operator is ready before anything is listed", async (world) => {
    const op = operator();
    op.on.event(Example, () => {});
    let before: string[] | undefined;
    const ready = (): void => {
      before = world.requests.map(({ path }) => path);
    };
    const running = await world.start(op, { ready });
    assert.ok(before !== undefined);
    assert.deepEqual(before.filter((path) => path.includes("/examples")), []);
    assert.ok(world.requests.some(({ path }) => path.includes("/examples")));
    await running.stop();
  });

  scenario("cleanup handlers come last, and can still use the API", async (world) => {
    const op = operator();
    const objects = new Objects(world);
    const steps: unknown[] = [];
    op.on.event(Example, ({ name }) => void steps.push(name));
    op.on.cleanup(async () => {
      const found = await op.api.get(Example, { namespace: world.namespace, name: "one" });
      steps.push(`cleanup of ${found.metadata.name}`);
    });
    await objects.create("one");
    const running = await world.start(op);
    await world.until(() => steps.length === 1);
    await running.stop();
    assert.deepEqual(steps, ["one", "cleanup of one"]);
    const late = async (): Promise<unknown> => await op.api.get(Example, { name: "one" });
    await assert.rejects(late(), /the operator is not running/);
    await objects.create("two");
    await world.settle();
    assert.equal(steps.length, 2, "streams had stopped");
  });

  scenario.virtual(
    "[B253] a cleanup handler that fails temporarily is tried again, and waited for",
    async (world) => {
      const op = operator();
      const calls: number[] = [];
      op.on.cleanup(({ retry }) => {
        calls.push(retry);
        if (retry === 0) throw new TemporaryError("not yet", { delay: 1 });
      });
      const running = await world.start(op);
      const before = world.host.clock.now();
      await running.stop();
      assert.deepEqual(calls, [0, 1]);
      assert.ok(world.host.clock.now() - before >= 1000);
    },
  );

  scenario.virtual("a cleanup handler that fails makes the run fail; the others run", async (world) => {
    const op = operator();
    let others = 0;
    op.on.cleanup({ id: "bad" }, () => {
      throw new PermanentError("on purpose");
    });
    op.on.cleanup({ id: "good" }, () => void others++);
    const running = await world.start(op);
    await assert.rejects(running.stop(), /Cannot clean up: handler "bad" failed: on purpose/);
    assert.equal(others, 1);
  });

  scenario.virtual("a cleanup that takes too long is left behind", async (world) => {
    const op = operator({ process: { ultimateExitingTimeout: 30 } });
    op.on.cleanup({ id: "endless" }, () => new Promise(() => {}));
    const running = await world.start(op);
    const before = world.host.clock.now();
    await assert.rejects(running.stop(), /cleanup has taken more than 30 s/);
    assert.ok(world.host.clock.now() - before < 60_000);
  });

  scenario.virtual("[B260] with a login handler no kubeconfig is looked for", async (world) => {
    const { host } = world;
    const op = operator();
    op.on.event(Example, () => {});
    op.on.login(function mine() {
      return { server: SERVER, token: "good" };
    });
    const kubeconfig = "/there/is/none";
    const run = new LoginRun(world, op, { token: "good", kubeconfig });
    await host.clock.settle();
    assert.equal(run.result, undefined);
    assert.ok(run.seen.length > 0);
    assert.deepEqual([...new Set(run.seen)], ["Bearer good"]);
    await run.stop();
    assert.deepEqual(run.result, {});
  });

  scenario.virtual(
    "[B261] login handlers that give nothing end the run; cleanup handlers still run",
    async (world) => {
      const op = operator();
      let cleanups = 0;
      op.on.login(() => undefined);
      op.on.login({ id: "other" }, () => null);
      op.on.cleanup(() => void cleanups++);
      const run = new LoginRun(world, op);
      await world.host.clock.settle();
      assert.ok(run.failure instanceof LoginError);
      assert.match(run.failure.message, /there are no credentials/);
      assert.deepEqual([cleanups, run.seen.length], [1, 0]);
    },
  );

  scenario.virtual(
    "[B277] a login that fails for good while the operator runs ends it, and says why",
    async (world) => {
      const op = operator();
      op.on.event(Example, () => {});
      let isBroken = false;
      op.on.login(function vault() {
        if (isBroken) throw new PermanentError("the vault is sealed");
        return { server: SERVER, token: "good" };
      });
      const run = new LoginRun(world, op, { token: "good" });
      await world.host.clock.settle();
      assert.equal(run.result, undefined);
      isBroken = true;
      run.token = "other";
      world.host.network.breakAll();
      await world.until(() => run.result !== undefined);
      assert.ok(run.failure instanceof LoginError);
      assert.match(run.failure.message, /handler "vault" failed: the vault is sealed/);
    },
  );

  scenario.virtual("a 401 makes login handlers run again, and nobody notices", async (world) => {
    const op = operator();
    const events: string[] = [];
    const tokens = ["first", "second"];
    let logins = 0;
    op.on.event(Example, ({ name }) => void events.push(name));
    op.on.login(() => {
      return { server: SERVER, token: tokens[logins++] };
    });
    const run = new LoginRun(world, op, { token: "first" });
    await world.host.clock.settle();
    run.token = "second";
    world.host.network.breakAll();
    await world.host.clock.advance(10);
    await new Objects(world).create("one");
    await world.host.clock.settle();
    assert.deepEqual([logins, events, run.result], [2, ["one"], undefined]);
    await run.stop();
  });

  scenario.virtual(
    "[D10] a server that refuses good credentials while it starts does not end the operator; one that goes on does",
    async (world) => {
      const op = operator();
      const events: string[] = [];
      op.on.event(Example, ({ name }) => void events.push(name));
      op.on.login(() => ({ server: SERVER, token: "good" }));
      const run = new LoginRun(world, op, { token: "good" });
      await world.host.clock.settle();
      run.token = "nobody's";
      world.host.network.breakAll();
      await world.host.clock.advance(40);
      assert.equal(run.result, undefined);
      run.token = "good";
      await new Objects(world).create("one");
      await world.until(() => events.length > 0);
      assert.equal(run.result, undefined);
      run.token = "nobody's";
      world.host.network.breakAll();
      await world.host.clock.advance(90);
      assert.ok(run.failure instanceof LoginError);
      assert.match(run.failure.message, /credentials were refused/);
    },
  );

  scenario.virtual("a login that fails temporarily is tried again, and can be given up", async (world) => {
    const op = operator();
    let calls = 0;
    op.on.login({ backoff: 10 }, () => {
      calls++;
      throw new Error("on purpose");
    });
    const run = new LoginRun(world, op);
    await world.host.clock.advance(25);
    assert.deepEqual([calls, run.result], [3, undefined]);
    await run.stop();
    assert.deepEqual(run.result, {});
  });

  scenario.virtual(
    "a login handler that returns something else ends the run, and says what it must be",
    async (world) => {
      const op = operator();
      // @ts-expect-error The compiler refuses it as well.
      op.on.login(function wrong() {
        return { url: "https://" };
      });
      const run = new LoginRun(world, op);
      await world.host.clock.settle();
      assert.match(String(run.failure), /what handler "wrong" returned: .* URL of a "server"/);
    },
  );

  scenario.virtual(
    "[A267] [B125] admission handlers without a server to serve them end the run",
    async (world) => {
      const op = operator();
      op.on.validate(Example, function check() {});
      await assert.rejects(world.start(op), /"check".*there is no server for it/);
      assert.deepEqual(world.requests, []);
    },
  );

  scenario.virtual("[A132] each kind of handler gets its own set of arguments", async (world) => {
    const door = new Doorway();
    const op = operator({ admission: { server: door.serve } });
    const sets = new Map<string, string[]>();
    op.on.startup((args) => void sets.set("startup", namesOf(args)));
    op.on.probe((args) => void sets.set("probe", namesOf(args)));
    op.on.cleanup((args) => void sets.set("cleanup", namesOf(args)));
    op.index(Example, { id: "all" }, (args) => void sets.set("index", namesOf(args)));
    op.on.event(Example, (args) => void sets.set("event", namesOf(args)));
    op.on.create(Example, { param: 1 }, (args) => {
      sets.set("change", namesOf(args));
      args.sub("part", (own) => void sets.set("sub-handler", namesOf(own)));
    });
    op.on.event(Example, {
      id: "seen",
      when: (args) => !!sets.set("event filter", filterNamesOf(args)),
    }, () => {});
    const wholes: (readonly [unknown, unknown, readonly string[]])[] = [];
    op.on.update(Example, {
      field: "spec.a",
      when: ({ old, new: now, diff }) => wholes.push([old, now, diff.map(({ path }) => path.join("."))]) > 0,
    }, function changed({ old, new: now, diff }) {
      wholes.push([old, now, diff.map(({ path }) => path.join("."))]);
    });
    op.daemon(Example, (args) => void sets.set("daemon", namesOf(args)));
    op.on.validate(Example, { param: 1 }, (args) => void sets.set("validate", namesOf(args)));
    op.on.mutate(Example, (args) => void sets.set("mutate", namesOf(args)));
    op.timer(Example, { interval: 100 }, (args) => void sets.set("timer", namesOf(args)));
    op.on.update(
      Example,
      { when: (args) => !!sets.set("filter", filterNamesOf(args)) },
      function update() {},
    );
    op.on.validate(Example, {
      id: "filtered",
      when: (args) => !!sets.set("admission filter", filterNamesOf(args)),
    }, () => {});
    await new Objects(world).create("one");
    const running = await world.start(op);
    await new Objects(world).patch("one", { spec: { a: 1 } });
    await running.settle();
    await door.review();
    await running.stop();
    const attempt = "param retry started runtime signal clock";
    const object =
      "resource body spec status meta labels annotations name namespace uid patch logger memo indices";
    const handled = `${attempt} ${object} conditions children`;
    const request = "operation subresource dryrun warnings userinfo headers sslpeer old new diff";
    const wanted: Record<string, string> = {
      startup: `${attempt} activity settings logger memo indices`,
      cleanup: `${attempt} activity settings logger memo indices`,
      index: `${handled}`,
      event: `${handled} type event`,
      change: `${handled} reason old new diff sub`,
      "sub-handler": `${handled} reason old new diff sub`,
      daemon: `${handled} stopped`,
      timer: `${handled} stopped`,
      validate: `${handled} ${request}`,
      mutate: `${handled} ${request}`,
      filter: `${object} reason old new diff`,
      "event filter": `${object} type event`,
      "admission filter": `${object} ${request}`,
    };
    for (const [kind, names] of Object.entries(wanted)) {
      assert.deepEqual(sets.get(kind)?.sort(), names.split(" ").sort(), kind);
    }
    // Filters see the whole object's change, also those of handlers with a field.
    const changes = wholes.filter(([, , diff]) => diff.length > 0).map((each) => JSON.stringify(each));
    assert.deepEqual([...new Set(changes)], ['[{},{"spec":{"a":1}},["spec"]]', '[null,1,[""]]']);
  });

  scenario.virtual("two handlers of an activity must have two ids", (_world) => {
    const op = operator();
    op.on.startup(() => {});
    assert.throws(() => op.on.startup(() => {}), /two handlers of "startup" with the id "startup"/);
    op.on.cleanup(() => {});
    assert.throws(() => op.on.startup({ retrys: 3 } as object, () => {}), /"retrys".*retries/);
    assert.equal(op.isEmpty, false);
    return Promise.resolve();
  });
});
