import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { TaskGroup } from "../../lib/async/tasks.ts";
import { Caches } from "../../lib/client/cache/caches.ts";
import { Gates } from "../../lib/operator/gates.ts";
import { Informers, type InformersOptions } from "../../lib/operator/informers.ts";
import { defaultSettings } from "../../lib/settings/settings.ts";
import { event, FakeStream, listOf, makeWorld, widget, WIDGETS, type World } from "../client/fake_server.ts";
import { serve } from "../client/watch_world.ts";

const KIND = "widgets.v1.example.com";

interface Bench extends World {
  readonly informers: Informers;
  readonly tasks: TaskGroup;
  readonly caches: Caches;
  readonly events: string[];
}

function bench(options: Partial<InformersOptions> = {}, listed = [widget("a", 1), widget("b", 2)]): Bench {
  const world = makeWorld({
    answer: serve(
      () => listOf(10, listed),
      (number) => {
        const stream = new FakeStream(event("ADDED", widget(`c${number}`, 11 + number)));
        if (number === 0) world.host.clock.after(5, () => stream.break());
        return stream.response;
      },
    ),
  });
  const tasks = new TaskGroup({ onError: (error) => assert.fail(String(error)) });
  const caches = new Caches();
  const events: string[] = [];
  const informers = new Informers({
    caches,
    gates: new Gates(),
    queue: { release: () => {}, isAtWork: false },
    indexing: {
      concerns: () => false,
      block: () => {},
      release: () => {},
      goWithout: () => false,
      namesFor: () => [],
    },
    isLookedUp: () => false,
    crds: { doubt: () => {} },
    ...{ client: world.client, host: world.host, logger: world.transport.logger, tasks, observer: {} },
    settings: { ...defaultSettings().watching, initialStreaming: false },
    scope: { served: undefined, matches: () => true, revise: () => {} },
    controller: {
      notify: (_, { event: { type, object } }) => void events.push(`${type} ${object.metadata.name}`),
    },
    onSynced: () => {},
    ...options,
  });
  return Object.assign(world, { informers, caches, tasks, events });
}

describe("Informers", () => {
  it("[B259] starts a stream again that has crashed, and its health shows it", async () => {
    let isBroken = true;
    let crashes = 0;
    const world = bench({
      observer: {
        watchChanged(_resource, { state }) {
          if (!isBroken || state?.phase === "watching" || world.host.clock.monotonic() < 5) return;
          crashes++;
          throw new Error("our own fault");
        },
      },
    });
    const problems = (): (string | undefined)[] => world.informers.checks().map(({ problem }) => problem);
    await world.informers.revise([WIDGETS]);
    await world.host.clock.settle();
    assert.deepEqual(problems(), [undefined]);
    await world.host.clock.advance(30);
    assert.ok(crashes >= 3 && crashes <= 20, `${crashes} crashes`);
    assert.ok(world.logs.some(({ level, message }) => level === "error" && /Informer crashed/.test(message)));
    assert.match(String(problems()[0]), /^no stream for \d+ s/);
    isBroken = false;
    await world.host.clock.until(() => problems()[0] === undefined, { within: 60 });
    assert.deepEqual(world.events.slice(-4), ["null a", "null b", "DELETED c0", "ADDED c1"]);
    assert.deepEqual(problems(), [undefined]);
    await world.tasks.stop();
  });

  it("has the memory released that a start has taken, when the first work is done", async () => {
    for (const count of [2, 1000, 30_001]) {
      const queue = { release: () => {}, isAtWork: true };
      const world = bench({ queue }, Array.from({ length: count }, (_, index) => widget(`w${index}`, 1)));
      let released = 0;
      world.host.process.releaseMemory = () => void released++;
      await world.informers.revise([WIDGETS]);
      await world.host.clock.advance(5);
      assert.equal(released, 0);
      queue.isAtWork = false;
      await world.host.clock.advance(60);
      assert.equal(released, count > 30_000 ? 0 : 1);
      await world.tasks.stop();
    }
  });

  it("hands what an informer knows to those that follow it, and tells what nobody tells about any more", async () => {
    let served: string[] | undefined = ["ns1", "ns2"];
    const world = bench({
      scope: {
        get served() {
          return served;
        },
        matches: () => true,
        revise: () => {},
      },
    });
    await world.informers.revise([WIDGETS]);
    await world.host.clock.advance(1);
    assert.deepEqual(world.informers.checks().map(({ name }) => name), [
      `watch ${KIND}|ns1`,
      `watch ${KIND}|ns2`,
    ]);
    world.events.length = 0;
    served = undefined;
    await world.informers.revise([WIDGETS]);
    assert.deepEqual(world.informers.checks().map(({ name }) => name), [`watch ${KIND}`]);
    assert.equal(world.events.length, 0, "all are still told about");
    await world.informers.revise([]);
    assert.equal(world.informers.watches.length, 0);
    assert.ok(
      world.events.length > 0 && world.events.every((each) => /^(null|DELETED) /.test(each)),
      world.events.join(),
    );
    assert.ok(world.events.includes("DELETED a"));
    await world.tasks.stop();
  });

  it("watches a kind anew that is defined with another scope, kind or subresource, and not for less", async () => {
    const world = bench({
      controller: { notify: ({ kind, namespaced }) => void seen.add(`${kind} ${namespaced}`) },
    });
    const seen = new Set<string>();
    const watches = (): number => world.seen.filter(({ query }) => query["watch"] === "true").length;
    await world.informers.revise([WIDGETS]);
    await world.host.clock.advance(1);
    for (
      const [change, isOther] of [
        [{ namespaced: false }, true],
        [{ kind: "Gadget" }, true],
        [{ subresources: [] }, true],
        [{ shortcuts: ["w"] }, false],
      ] as const
    ) {
      const before = watches();
      seen.clear();
      await world.informers.revise([{ ...WIDGETS, ...change }]);
      await world.host.clock.advance(1);
      assert.equal(watches() > before, isOther, JSON.stringify(change));
      if ("namespaced" in change) assert.ok(seen.has("Widget false"), [...seen].join());
      await world.informers.revise([WIDGETS]);
      await world.host.clock.advance(1);
    }
    await world.tasks.stop();
  });

  it("marks what is stale from a pause until everything is listed anew, and has what was held released", async () => {
    const gates = new Gates();
    const peer = gates.peering.add();
    let released = 0;
    const world = bench({ gates, queue: { release: () => void released++, isAtWork: false } });
    await world.informers.revise([WIDGETS]);
    await world.host.clock.advance(1);
    assert.equal(isHeld(gates), false);
    peer.close();
    await world.host.clock.settle();
    assert.deepEqual(world.informers.checks().map(({ problem, note }) => problem ?? note), ["paused"]);
    peer.open();
    assert.equal(isHeld(gates), true);
    await world.host.clock.settle();
    assert.equal(isHeld(gates), false);
    assert.equal(released, 1);
    await world.tasks.stop();
  });

  it("keeps indexing blocked for each informer of a resource with indexes, until it has listed or has ended", async () => {
    const calls: string[] = [];
    const indexing = {
      concerns: () => true,
      block: (key: string) => void calls.push(`block ${key}`),
      release: (key: string) => void calls.push(`release ${key}`),
      goWithout: () => false,
      namesFor: () => [],
    };
    const world = bench({ indexing });
    await world.informers.revise([WIDGETS]);
    assert.deepEqual(calls, [`block ${KIND}|`]);
    await world.host.clock.settle();
    assert.deepEqual(calls.slice(1), [`release ${KIND}|`]);
    await world.informers.revise([]);
    assert.deepEqual(calls.slice(2), [`release ${KIND}|`]);
    await world.tasks.stop();
  });

  it("lends the stores of its informers to who looks for objects, as long as they run", async () => {
    const world = bench();
    await world.informers.revise([WIDGETS]);
    await world.host.clock.settle();
    const { caches } = world;
    assert.equal(caches.get(WIDGETS, widget("a", 0))?.object.metadata.resourceVersion, "1");
    assert.equal(caches.isSynced(WIDGETS), true);
    assert.equal(caches.get(WIDGETS, widget("missing", 0)), undefined);
    assert.equal(caches.get({ ...WIDGETS, plural: "gadgets" }, widget("a", 0)), undefined);
    await world.informers.revise([]);
    assert.equal(caches.get(WIDGETS, widget("a", 0)), undefined);
    await world.tasks.stop();
  });
});

/** Whether wakes of a widget must wait. */
function isHeld(gates: Gates): boolean {
  return gates.holds({ resource: WIDGETS, body: { metadata: { name: "a", namespace: "ns" } } });
}
