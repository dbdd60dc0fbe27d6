import assert from "node:assert/strict";
import { operator, PermanentError, resource, TemporaryError } from "../../mod.ts";
import { suite } from "../support/scenario.ts";
import { Example, notesOf, Objects, Plain, PLAINS } from "../support/worlds.ts";

/** What an index holds, as plain data, lists sorted. */
function show(index: ReadonlyMap<unknown, readonly unknown[]>): unknown[] {
  return [...index].map(([key, values]) => [key, [...values].sort()]);
}

/** Takes its time, without a clock: handlers that do not wait for it come first. */
async function slowly(): Promise<void> {
  for (let turn = 0; turn < 500; turn++) await Promise.resolve();
}

suite("indexes", (scenario) => {
  scenario("[B73] [A250] objects with the same key share it", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    const byColour = op.index(Example, function byColour({ spec, name }) {
      return { [String(spec.colour)]: name };
    });
    await objects.create("one", { spec: { colour: "red" } });
    const running = await world.start(op);
    await objects.create("two", { spec: { colour: "red" } });
    await objects.create("three", { spec: { colour: "blue" } });
    await world.until(() => byColour.size === 2 && byColour.get("red")?.length === 2);
    assert.deepEqual(
      new Map([...byColour].map(([key, names]) => [key, [...names].sort()])),
      new Map([
        ["red", ["one", "two"]],
        ["blue", ["three"]],
      ]),
    );
    await running.stop();
  });

  scenario.virtual(
    "[B74] [A250] [B75] a value that is no record stands under null, and is replaced",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const values = op.index(Example, function values({ spec }) {
        return Number(spec.n);
      });
      const running = await world.start(op);
      await objects.create("one", { spec: { n: 123 } });
      await running.settle();
      assert.deepEqual(show(values), [[null, [123]]]);
      await objects.patch("one", { spec: { n: 456 } });
      await running.settle();
      assert.deepEqual(show(values), [[null, [456]]]);
      await running.stop();
    },
  );

  scenario("[B76] keys that an object no longer gives go, with their last value", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    const keys = op.index(Example, { id: "keys" }, ({ spec, name }) => ({ [String(spec.key)]: name }));
    const running = await world.start(op);
    await objects.create("one", { spec: { key: "a" } });
    await world.until(() => keys.has("a"));
    await objects.patch("one", { spec: { key: "b" } });
    await world.until(() => keys.has("b"));
    assert.deepEqual(show(keys), [["b", ["one"]]]);
    await running.stop();
  });

  scenario.virtual(
    "[B77] [A251] [B78] nothing leaves an object's values alone, an empty record removes them",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const seen = op.index(Example, { id: "seen" }, ({ spec, name }) => {
        if (spec.step === "none") return undefined;
        if (spec.step === "null") return null;
        return spec.step === "empty" ? {} : { here: name };
      });
      const running = await world.start(op);
      await objects.create("one", { spec: { step: "value" } });
      for (const step of ["none", "null"]) {
        await objects.patch("one", { spec: { step } });
        await running.settle();
        assert.deepEqual(show(seen), [["here", ["one"]]], step);
      }
      await objects.patch("one", { spec: { step: "empty" } });
      await running.settle();
      assert.equal(seen.size, 0);
      await running.stop();
    },
  );

  scenario(
    "[A253] [B79] [B80] an object stays in while it is being deleted, and goes without a call when it has gone",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const calls: unknown[] = [];
      const names = op.index(Example, function names({ name, meta }) {
        calls.push(meta.deletionTimestamp !== undefined);
        return { [name]: meta.deletionTimestamp !== undefined };
      });
      const running = await world.start(op);
      await objects.create("one", { metadata: { finalizers: ["lotse.test/hold"] } });
      await world.until(() => names.has("one"));
      await objects.delete("one");
      await world.until(() => names.get("one")?.[0] === true);
      await objects.patch("one", { metadata: { finalizers: null } });
      await world.until(() => names.size === 0);
      await world.settle();
      assert.deepEqual(calls, [false, true]);
      await running.stop();
    },
  );

  scenario.virtual(
    "[A252] [B81] an object that the filters no longer match leaves the index",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const options = { id: "red", field: "spec.colour", value: "red" };
      const red = op.index(Example, options, ({ name }) => ({ [name]: 1 }));
      const running = await world.start(op);
      await objects.create("one", { spec: { colour: "red" } });
      await running.settle();
      assert.deepEqual([...red.keys()], ["one"]);
      await objects.patch("one", { spec: { colour: "blue" } });
      await running.settle();
      assert.deepEqual([...red.keys()], []);
      await objects.patch("one", { spec: { colour: "red" } });
      await running.settle();
      assert.deepEqual([...red.keys()], ["one"]);
      await running.stop();
    },
  );

  scenario.virtual("[B82] keys that are lists are found by equal ones", async (world) => {
    const op = operator();
    const owners = op.index(Example, { id: "owners" }, ({ namespace, name }) => {
      return new Map([[[namespace, name] as const, name]]);
    });
    const running = await world.start(op);
    await new Objects(world).create("one");
    await running.settle();
    assert.deepEqual(owners.get([world.namespace, "one"]), ["one"]);
    assert.equal(owners.get(["other", "one"]), undefined);
    await running.stop();
  });

  scenario("[B83] functions for two kinds with one id fill one index", async (world) => {
    const op = operator();
    op.index(Example, { id: "both" }, ({ name }) => ({ all: `example ${name}` }));
    const both = op.index(Plain, { id: "both" }, ({ name }) => ({ all: `plain ${name}` }));
    const running = await world.start(op);
    await new Objects(world).create("one");
    await new Objects(world, PLAINS).create("two");
    await world.until(() => both.get("all")?.length === 2);
    assert.deepEqual([...both.get("all") ?? []].sort(), ["example one", "plain two"]);
    await running.stop();
  });

  scenario.virtual(
    "[B84] [A254] an error leaves the object's values as they were, and the next event tries again",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      let fails = false;
      const steps = op.index(Example, function steps({ spec }) {
        if (fails) throw new Error("on purpose");
        return { step: spec.step };
      });
      const running = await world.start(op);
      await objects.create("one", { spec: { step: 1 } });
      await running.settle();
      fails = true;
      await objects.patch("one", { spec: { step: 2 } });
      await running.settle();
      assert.deepEqual(show(steps), [["step", [1]]]);
      assert.equal(running.logs.filter(({ level }) => level === "error").length, 1);
      fails = false;
      await objects.patch("one", { spec: { step: 3 } });
      await running.settle();
      assert.deepEqual(show(steps), [["step", [3]]]);
      await running.stop();
    },
  );

  scenario.virtual(
    "[B85] [A254] a permanent error removes the object's values, and it is never asked again",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const calls: unknown[] = [];
      const steps = op.index(Example, function steps({ spec }) {
        calls.push(spec.step);
        if (spec.step === 2) throw new PermanentError("on purpose");
        return { step: spec.step };
      });
      const running = await world.start(op);
      await objects.create("one", { spec: { step: 1 } });
      await running.settle();
      await objects.patch("one", { spec: { step: 2 } });
      await running.settle();
      assert.equal(steps.size, 0);
      await running.advance(100_000);
      await objects.patch("one", { spec: { step: 3 } });
      await running.settle();
      assert.deepEqual(calls, [1, 2]);
      assert.equal(steps.size, 0);
      await running.stop();
    },
  );

  scenario.virtual(
    "[A254] [B86] [B88] a temporary error removes the values until its delay is over and an event comes",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const retries: number[] = [];
      const steps = op.index(Example, function steps({ spec, retry }) {
        retries.push(retry);
        if (spec.fails === true) throw new TemporaryError("on purpose");
        return { step: spec.step };
      });
      const running = await world.start(op);
      await objects.create("one", { spec: { step: 1 } });
      await running.settle();
      await objects.patch("one", { spec: { fails: true } });
      await running.settle();
      assert.equal(steps.size, 0);
      await objects.patch("one", { spec: { fails: false, step: 2 } });
      await running.advance(59);
      await objects.patch("one", { spec: { more: 1 } });
      await running.settle();
      assert.deepEqual([retries.length, steps.size], [2, 0], "not called in the next 60 s, whatever comes");
      await running.advance(2);
      assert.equal(retries.length, 2, "nothing wakes it but an event");
      await objects.patch("one", { spec: { step: 3 } });
      await running.settle();
      assert.deepEqual(show(steps), [["step", [3]]]);
      await objects.patch("one", { spec: { step: 4 } });
      await running.settle();
      assert.deepEqual(retries, [0, 0, 1, 0], "a success begins anew");
      await running.stop();
    },
  );

  scenario.virtual(
    "[B87] a temporary error without a delay is tried again at the next event",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      const calls: string[] = [];
      for (const delay of [0, null]) {
        op.index(Example, { id: `delay${delay}` }, ({ retry }) => {
          calls.push(`${delay} ${retry}`);
          throw new TemporaryError("on purpose", { delay });
        });
      }
      const running = await world.start(op);
      await objects.create("one");
      await running.settle();
      await objects.patch("one", { spec: { a: 1 } });
      await running.settle();
      assert.deepEqual(calls, ["0 0", "null 0", "0 1", "null 1"]);
      await running.stop();
    },
  );

  scenario.virtual("[B89] one attempt is all there is where `retries` is 1", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    let calls = 0;
    op.index(Example, { id: "once", retries: 1 }, () => {
      calls++;
      throw new TemporaryError("on purpose", { delay: 0 });
    });
    const running = await world.start(op);
    await objects.create("one");
    await running.settle();
    await objects.patch("one", { spec: { a: 1 } });
    await running.settle();
    assert.equal(calls, 1);
    await running.stop();
  });

  scenario("[A255] [B90] no handler runs before everything was indexed that was there", async (world) => {
    const [indexed, handled] = [new Objects(world), new Objects(world, PLAINS)];
    for (let number = 0; number < 20; number++) await indexed.create(`indexed-${number}`);
    await handled.create("handled");
    const op = operator();
    const all = op.index(Example, { id: "all" }, async ({ name }) => {
      await slowly();
      return { [name]: true };
    });
    const sizes: string[] = [];
    op.on.create(Plain, () => void sizes.push(`create ${all.size}`));
    op.on.event(Plain, () => void sizes.push(`event ${all.size}`));
    op.on.event(Example, () => void sizes.push(`own event ${all.size}`));
    const running = await world.start(op);
    await world.until(() => sizes.some((size) => size.startsWith("create")));
    assert.ok(sizes.length > 20);
    assert.deepEqual(sizes.filter((size) => !size.endsWith(" 20")), []);
    await running.stop();
  });

  scenario.virtual(
    "[A46] a kind that has indexes only is watched and keeps handlers waiting",
    async (world) => {
      const op = operator();
      op.index(Example, { id: "all" }, ({ name }) => ({ [name]: true }));
      let calls = 0;
      op.on.event(Plain, () => void calls++);
      let opened = false;
      const listing = Promise.withResolvers<void>();
      world.intercept = (request) => {
        const { pathname } = new URL(request.url);
        if (opened || !pathname.endsWith("/examples")) return undefined;
        return listing.promise.then(() => world.server.fetch(request));
      };
      await new Objects(world, PLAINS).create("plain");
      const running = await world.start(op);
      await running.settle();
      assert.equal(calls, 0, "the listing has not come");
      opened = true;
      listing.resolve();
      await running.settle();
      assert.equal(calls, 1);
      assert.ok(world.requests.some(({ path }) => path.includes("/examples") && path.includes("watch=")));
      await running.stop();
    },
  );

  scenario("[B91] an empty listing opens the gate", async (world) => {
    const op = operator();
    op.index(Example, { id: "none" }, () => ({}));
    let calls = 0;
    op.on.create(Plain, () => void calls++);
    await new Objects(world, PLAINS).create("one");
    const running = await world.start(op);
    await world.until(() => calls === 1);
    await running.stop();
  });

  scenario.virtual("[B92] an index function that fails does not keep the gate closed", async (world) => {
    const op = operator();
    const errors = [
      new TemporaryError("on purpose", { delay: 1000 }),
      new PermanentError("on purpose"),
      new Error("on purpose"),
    ];
    for (const [number, error] of errors.entries()) {
      op.index(Example, { id: `bad-${number}` }, ({ name }) => {
        if (name === "bad") throw error;
      });
    }
    let calls = 0;
    const own: unknown[] = [];
    op.on.create(Plain, () => void calls++);
    op.on.create(Example, ({ name }) => void own.push(name));
    for (const name of ["good", "bad"]) await new Objects(world).create(name);
    await new Objects(world, PLAINS).create("one");
    const before = world.host.clock.monotonic();
    const running = await world.start(op);
    await running.settle();
    assert.deepEqual([calls, own.sort()], [1, ["bad", "good"]]);
    assert.equal(world.host.clock.monotonic(), before, "nobody waits for another attempt");
    await running.stop();
  });

  scenario("[B93] an object that comes later is handled after its own indexing", async (world) => {
    const op = operator();
    const all = op.index(Example, { id: "all" }, async ({ name }) => {
      await slowly();
      return { [name]: true };
    });
    const seen: unknown[] = [];
    op.on.create(Example, ({ name }) => void seen.push([name, all.has(name)]));
    const running = await world.start(op);
    await new Objects(world).create("late");
    await world.until(() => seen.length === 1);
    assert.deepEqual(seen, [["late", true]]);
    await running.stop();
  });

  scenario.virtual("[A57] filters see the indexes by name", async (world) => {
    const op = operator();
    op.index(Plain, { id: "allowed" }, ({ name }) => ({ [name]: true }));
    const called: string[] = [];
    const filtered: string[] = [];
    op.on.create(Example, {
      when: ({ indices, name, resource }) => {
        filtered.push(resource.kind);
        return indices.allowed?.has(name) === true;
      },
    }, ({ name }) => void called.push(name));
    await new Objects(world, PLAINS).create("one");
    for (const name of ["one", "two"]) await new Objects(world).create(name);
    const running = await world.start(op);
    await running.settle();
    assert.deepEqual(called, ["one"]);
    assert.deepEqual([...new Set(filtered)], ["Example"], "predicates are asked for their own kind only");
    await running.stop();
  });

  scenario.virtual("[A131] [B97] an index with an argument's name is among the indexes", async (world) => {
    const op = operator();
    op.index(Example, { id: "name" }, ({ uid }) => ({ uid }));
    let seen: unknown;
    op.on.create(Example, ({ name, uid, indices, memo }) => {
      seen = [name, show(indices.name ?? new Map()), "missing" in indices, "constructor" in indices];
      memo.uid = uid;
    });
    const running = await world.start(op);
    await new Objects(world).create("one");
    await running.settle();
    const { metadata: { uid } } = await new Objects(world).get("one");
    assert.deepEqual(seen, ["one", [["uid", [uid]]], false, false]);
    await running.stop();
  });

  scenario("[B95] a daemon that keeps an index sees what comes later", async (world) => {
    const op = operator();
    op.index(Plain, { id: "plains" }, ({ name }) => ({ [name]: true }));
    const seen: unknown[] = [];
    op.daemon(Example, async function look({ indices, stopped }) {
      const { plains } = indices;
      seen.push(plains?.size);
      while (!stopped.aborted && plains?.has("late") !== true) await stopped.wait(0.2);
      seen.push(plains?.size);
    });
    await new Objects(world).create("one");
    const running = await world.start(op);
    await world.until(() => seen.length === 1);
    await new Objects(world, PLAINS).create("late");
    await world.until(() => seen.length === 2);
    assert.deepEqual(seen, [0, 1]);
    await running.stop();
  });

  scenario.virtual("[B98] nobody can change an index but its functions", async (world) => {
    const op = operator();
    const handle = op.index(Example, { id: "all" }, ({ name }) => ({ [name]: { name } }));
    let views: unknown[] = [];
    op.on.create(Example, ({ indices }) => void (views = [indices, indices.all, handle]));
    const running = await world.start(op);
    await new Objects(world).create("one");
    await running.settle();
    for (const view of [indices(views), handle]) {
      for (const name of ["set", "delete", "clear"]) assert.equal(Reflect.get(view, name), undefined, name);
    }
    assert.throws(() => Object.assign(views[0] as object, { all: new Map() }), TypeError);
    assert.throws(() => (handle.get("one") as unknown[]).push("two"), TypeError);
    await running.stop();

    function indices([, view]: unknown[]): object {
      assert.ok(typeof view === "object" && view !== null);
      return view;
    }
  });

  scenario.virtual("[B99] what vanished while the watch was broken leaves the index", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    const all = op.index(Example, { id: "all" }, ({ name }) => ({ [name]: true }));
    for (const name of ["one", "two"]) await objects.create(name);
    const running = await world.start(op);
    assert.equal(all.size, 2);
    let isDown = true;
    world.intercept = (request) => {
      const url = new URL(request.url);
      if (!url.pathname.endsWith("/examples")) return undefined;
      if (isDown) return Promise.reject(new Error("down"));
      const body = { kind: "Status", code: 410, reason: "Expired", message: "too old" };
      return url.searchParams.get("watch") === "true" && url.searchParams.get("resourceVersion") !== null &&
          url.searchParams.get("sendInitialEvents") === null
        ? (world.intercept = undefined, Response.json(body, { status: 410 }))
        : undefined;
    };
    world.host.network.breakAll();
    await objects.delete("two");
    await world.host.clock.advance(1);
    isDown = false;
    await running.advance(300);
    assert.deepEqual([...all.keys()], ["one"]);
    await running.stop();
  });

  scenario.virtual("[B100] a limit of one worker does not keep the gate closed", async (world) => {
    const objects = new Objects(world);
    for (let number = 0; number < 10; number++) await objects.create(`object-${number}`);
    const op = operator({ queueing: { workerLimit: 1 } });
    const all = op.index(Example, { id: "all" }, ({ name }) => ({ [name]: true }));
    const handled: number[] = [];
    op.on.create(Example, () => void handled.push(all.size));
    const running = await world.start(op);
    await running.advance(10);
    assert.deepEqual(handled, Array(10).fill(10));
    await running.stop();
  });

  scenario.virtual("index functions write nothing onto objects, and log at debug only", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    op.index(Example, { id: "quiet" }, ({ name, patch, logger }) => {
      patch.status.state = "written";
      logger.info("Told by the index");
      return { [name]: true };
    });
    const running = await world.start(op);
    await objects.create("one");
    await running.settle();
    assert.equal((await objects.get("one")).status, undefined);
    assert.deepEqual(notesOf(await objects.get("one")), {});
    assert.deepEqual(
      running.logs.filter(({ message }) => message === "Told by the index").map(({ level }) => level),
      [
        "debug",
      ],
    );
    await running.stop();
  });

  scenario.virtual("whatever index functions return, the others go on", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    const circle: Record<string, unknown> = { a: 1 };
    circle.self = circle;
    const circles = op.index(Example, { id: "circles" }, () => circle);
    const keys = op.index(Example, { id: "badKeys" }, () => new Map([[circle, 1]]));
    const maps = op.index(
      Example,
      { id: "maps" },
      () => new Map<unknown, unknown>([[1, "a"], ["1", "b"], [null, "c"]]),
    );
    const many = op.index(Example, { id: "many" }, ({ name }) => {
      return Object.fromEntries(Array.from({ length: 1000 }, (_, number) => [`key-${number}`, name]));
    });
    const odd = op.index(Example, { id: "odd" }, () => JSON.parse('{"__proto__": 1, "constructor": 2}'));
    const dates = op.index(Example, { id: "dates" }, () => new Date(0));
    const running = await world.start(op);
    await objects.create("one");
    await running.settle();
    assert.deepEqual(circles.get("self"), [circle]);
    assert.equal(keys.size, 0);
    assert.equal(
      running.logs.filter(({ level, fields }) => level === "error" && fields.handler === "badKeys").length,
      1,
    );
    assert.deepEqual([maps.get(1), maps.get("1"), maps.get(null)], [["a"], ["b"], ["c"]]);
    assert.equal(many.size, 1000);
    assert.deepEqual([...odd.keys()], ["__proto__", "constructor"]);
    assert.deepEqual(dates.get(null), [new Date(0)]);
    await objects.delete("one");
    await running.settle();
    for (const each of [circles, keys, maps, many, odd, dates]) {
      assert.equal(each.size, 0, "memory is given back");
    }
    await running.stop();
  });

  scenario.virtual("a filter that throws keeps the object out, and is reported once", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    const all = op.index(Example, {
      id: "all",
      when: ({ spec }) => {
        if (spec.bad === true) throw new Error("on purpose");
        return true;
      },
    }, ({ name }) => ({ [name]: true }));
    const running = await world.start(op);
    await objects.create("one");
    await running.settle();
    assert.equal(all.size, 1);
    for (const bad of [true, "x", true]) {
      await objects.patch("one", { spec: { bad } });
      await running.settle();
    }
    assert.equal(all.size, 0);
    assert.equal(running.logs.filter(({ message }) => message.startsWith("Filter failed")).length, 1);
    await running.stop();
  });

  scenario.virtual("a handle shows the latest run, and nothing when it has ended", async (world) => {
    const op = operator();
    const all = op.index(Example, { id: "all" }, ({ name }) => ({ [name]: true }));
    assert.equal(all.size, 0);
    await new Objects(world).create("one");
    for (let run = 0; run < 2; run++) {
      const running = await world.start(op);
      assert.deepEqual([...all.keys()], ["one"]);
      await running.stop();
      assert.equal(all.size, 0);
    }
  });

  scenario.virtual("objects of a kind that is no longer served leave the index", async (world) => {
    const op = operator();
    const Late = resource({ group: "lotse.test", version: "v1", plural: "plains" });
    const all = op.index(Late, { id: "all" }, ({ name }) => ({ [name]: true }));
    await new Objects(world, PLAINS).create("one", { metadata: { finalizers: ["lotse.test/hold"] } });
    const running = await world.start(op);
    assert.equal(all.size, 1);
    world.intercept = ({ url }) => url.includes("/plains") ? Promise.reject(new Error("down")) : undefined;
    world.host.network.breakAll();
    await world.client.delete(
      {
        group: "apiextensions.k8s.io",
        version: "v1",
        plural: "customresourcedefinitions",
        namespaced: false,
      },
      { name: "plains.lotse.test" },
    );
    await new Objects(world, PLAINS).patch("one", { metadata: { finalizers: null } });
    await running.advance(60);
    assert.equal(all.size, 0);
    await running.stop();
  });
});
