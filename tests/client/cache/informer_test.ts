import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Gate } from "../../../lib/async/gate.ts";
import { Informer, type InformerOptions } from "../../../lib/client/cache/informer.ts";
import { ObjectStore } from "../../../lib/client/cache/object_store.ts";
import type { KubeObject } from "../../../lib/model/object.ts";
import type { WatchItem } from "../../../lib/client/watch/watcher.ts";
import { createLogger, type LogRecord } from "../../../lib/runtime/logging.ts";
import { type VirtualHost, virtualHost } from "../../../lib/runtime/virtual/host.ts";
import { event, FakeStream, listOf, statusOf, widget } from "../fake_server.ts";
import { PAGES, serve, start } from "../watch_world.ts";

interface Bench {
  readonly host: VirtualHost;
  readonly informer: Informer;
  /** "server ADDED a 1 newer": where it came from, its type, the object and its version, and what the store said. */
  readonly told: string[];
  readonly logs: LogRecord[];
  stop(): Promise<void>;
}

/** An informer whose watchers yield these items, one list per watcher, and then stay open. */
function bench(watchers: readonly (readonly WatchItem[])[], options: Partial<InformerOptions> = {}): Bench {
  const host = virtualHost();
  const controller = new AbortController();
  const [told, logs]: [string[], LogRecord[]] = [[], []];
  let number = 0;
  const informer = new Informer({
    host,
    logger: createLogger({ level: "debug", write: (record) => logs.push(record) }, host.clock),
    about: { kind: "widgets" },
    async *watch(_store, signal) {
      const items = watchers[number++] ?? [];
      for (const item of items) yield [item];
      await host.clock.sleep(1e6, signal);
    },
    notify: ({ event: { type, object }, adoption, origin }) => {
      const { name, resourceVersion } = object.metadata;
      told.push(`${origin} ${type} ${name} ${resourceVersion} ${adoption}`);
    },
    onSynced: () => told.push("synced"),
    ...options,
  });
  const run = informer.run(controller.signal);
  const stop = async (): Promise<void> => {
    controller.abort();
    await run;
  };
  return { host, informer, told, logs, stop };
}

const LISTING: WatchItem = { type: "listing" };
const SYNCED: WatchItem = { type: "synced", isSetBack: false };
const seen = (type: "ADDED" | "MODIFIED" | "DELETED" | null, name: string, version: number): WatchItem => {
  return { type: "event", event: { type, object: widget(name, version) } };
};

describe("Informer", () => {
  it("keeps what it is shown, and tells it with what the store makes of it", async () => {
    const items = [
      LISTING,
      seen(null, "a", 1),
      seen(null, "b", 2),
      SYNCED,
      seen("MODIFIED", "a", 3),
      seen("DELETED", "b", 4),
    ];
    const { host, informer, told, stop } = bench([items]);
    assert.equal(informer.phase, "starting");
    await host.clock.settle();
    assert.deepEqual(told, [
      "server null a 1 newer",
      "server null b 2 newer",
      "synced",
      "server MODIFIED a 3 newer",
      "server DELETED b 4 newer",
    ]);
    assert.equal(informer.phase, "synced");
    assert.equal(informer.store.size, 1);
    assert.equal(informer.store.get(widget("a", 0))?.object.metadata.resourceVersion, "3");
    await stop();
  });

  it("[N47] lists anew when asked to, and tells of known versions that look different", async () => {
    const [a, b] = [widget("a", 1), widget("b", 2)];
    const listed = (...objects: KubeObject[]): WatchItem[] => [
      LISTING,
      ...objects.map((object): WatchItem => ({ type: "event", event: { type: null, object } })),
      SYNCED,
    ];
    const grown: KubeObject = { ...a, spec: { grown: true } };
    const { host, informer, told, stop } = bench([listed(a, b), listed(grown, b), listed(a, b)]);
    await host.clock.settle();
    told.length = 0;
    informer.relist();
    await host.clock.settle();
    assert.deepEqual(told, ["server null a 1 newer", "server null b 2 same", "synced"]);
    assert.deepEqual(informer.store.get(a)?.object, grown);
    assert.equal(informer.phase, "synced");
    informer.store.beginListing();
    assert.equal(informer.store.put(a).adoption, "same", "once listed, versions count again");
    await stop();
  });

  it("tells what a later listing lacks, in its last known state, before it is synced", async () => {
    const items = [LISTING, seen(null, "a", 1), seen(null, "b", 2), SYNCED, seen("MODIFIED", "a", 3)];
    const { host, told, stop } = bench([[...items, LISTING, seen(null, "b", 2), SYNCED]]);
    await host.clock.settle();
    assert.deepEqual(told.slice(4), ["server null b 2 same", "missing DELETED a 3 newer", "synced"]);
    await stop();
  });

  it("tells of all objects again, as they are now, when the server was set back", async () => {
    const items = [LISTING, seen(null, "a", 90), seen(null, "b", 20), SYNCED];
    const back = [LISTING, seen(null, "a", 40), seen(null, "b", 20), {
      type: "synced",
      isSetBack: true,
    }] as const;
    const { host, informer, told, stop } = bench([[...items, ...back]]);
    await host.clock.settle();
    assert.deepEqual(told.slice(3), [
      "server null a 40 older",
      "server null b 20 same",
      "restored null a 40 newer",
      "restored null b 20 newer",
      "synced",
    ]);
    assert.equal(informer.store.get(widget("a", 0))?.object.metadata.resourceVersion, "40");
    await stop();
  });

  it("watches nothing while its gate is closed, is stale then, and tells what vanished meanwhile", async () => {
    const gate = new Gate(true);
    const before = [LISTING, seen(null, "a", 1), SYNCED];
    const { host, informer, told, stop } = bench([before, [LISTING, SYNCED]], { gate });
    await host.clock.settle();
    gate.close();
    await host.clock.advance(100);
    assert.equal(informer.phase, "stale");
    assert.equal(told.length, 2);
    gate.open();
    await host.clock.settle();
    assert.equal(informer.phase, "synced");
    assert.deepEqual(told.slice(2), ["missing DELETED a 1 newer", "synced"]);
    await stop();
  });

  it("starts a watcher again that has crashed, ever later, and says so", async () => {
    const crashes: number[] = [];
    const { host, logs, stop } = bench([], {
      watch: () => {
        throw new Error("our own fault");
      },
      onCrash: () => crashes.push(host.clock.monotonic()),
    });
    await host.clock.advance(30);
    assert.ok(crashes.length >= 4 && crashes.length <= 6, crashes.join());
    const errors = logs.filter(({ level }) => level === "error");
    assert.equal(errors[0]?.message, "Informer crashed, it is started again");
    assert.deepEqual([errors[0]?.fields["kind"], errors.length], ["widgets", crashes.length]);
    await stop();
    assert.equal(host.clock.pending, 0);
  });

  it("ends with its watcher when the server refuses for good", async () => {
    const controller = new AbortController();
    const { host, logger } = {
      host: virtualHost(),
      logger: createLogger({ level: "debug", write: () => {} }, virtualHost().clock),
    };
    await new Informer({ host, logger, notify: () => {}, async *watch() {} }).run(controller.signal);
    assert.equal(host.clock.pending, 0);
  });

  it("lets the event loop turn while many objects come at once", async () => {
    const items = Array.from({ length: 100 }, (_, number) => seen(null, `object-${number}`, number + 1));
    const { host, told, stop } = bench([], {
      async *watch(_store, signal) {
        yield [LISTING, ...items, SYNCED];
        await host.clock.sleep(1e6, signal);
      },
    });
    const inTurns: number[] = [];
    // What is due now is what the event loop would come to: an answer, a probe.
    const look = (): void => {
      inTurns.push(told.length - inTurns.reduce((sum, count) => sum + count, 0));
      if (!told.includes("synced")) host.clock.after(0, look);
    };
    host.clock.after(0, look);
    await host.clock.settle();
    assert.equal(told.length, 101);
    assert.ok(Math.max(...inTurns) <= 16, inTurns.join(" "));
    await stop();
  });

  it("does not let one object that cannot be taken in keep the others out", async () => {
    const taken: string[] = [];
    const { host, logs, stop } = bench([[LISTING, seen(null, "a", 1), seen(null, "b", 2), SYNCED]], {
      notify: ({ event: { object } }) => {
        if (object.metadata.name === "a") throw new Error("our own fault");
        taken.push(object.metadata.name ?? "");
      },
    });
    await host.clock.settle();
    assert.deepEqual(taken, ["b"]);
    const [line] = logs.filter(({ level }) => level === "error");
    assert.equal(line?.message, "Cannot queue an event: it is dropped");
    assert.deepEqual([line.fields["kind"], line.fields["name"]], ["widgets", "a"]);
    await stop();
  });
});

describe("Informer over watchObjects()", () => {
  it("tells of an object made anew under its name as another one, and of the old one in its last known state", async () => {
    let lists = 0;
    const store = new ObjectStore();
    const reborn = widget("a", 15);
    reborn.metadata.uid = "uid-a2";
    const answer = serve(
      () => ++lists === 1 ? listOf(10, [widget("a", 1)]) : listOf(20, [reborn]),
      (number) => {
        const lines = [event("MODIFIED", widget("a", 11)), event("ERROR", statusOf(410))];
        return new FakeStream(...number === 0 ? lines : []).response;
      },
    );
    const world = start(answer, { watching: PAGES, store });
    await world.host.clock.advance(1);
    assert.deepEqual(world.items, [
      "null a",
      "LISTED",
      "MODIFIED a",
      "null a",
      "synthetic DELETED a",
      "LISTED",
    ]);
    assert.deepEqual([...store.values()].map(({ object }) => object.metadata.uid), ["uid-a2"]);
    await world.stop();
  });

  it("tells what vanished while it did not run, where it is given an earlier store", async () => {
    const store = new ObjectStore();
    let lists = 0;
    const answer = serve(
      () => ++lists === 1 ? listOf(10, [widget("a", 1), widget("b", 2)]) : listOf(20, [widget("b", 2)]),
      () => new FakeStream().response,
    );
    const first = start(answer, { watching: PAGES, store });
    await first.host.clock.settle();
    await first.stop();
    const second = start(answer, { watching: PAGES, store });
    await second.host.clock.settle();
    assert.deepEqual(second.items, ["null b", "synthetic DELETED a", "LISTED"]);
    await second.stop();
  });

  it("does not tell of a deletion twice", async () => {
    let lists = 0;
    const answer = serve(
      () => ++lists === 1 ? listOf(10, [widget("a", 1)]) : listOf(20, []),
      (number) => {
        const lines = [event("DELETED", widget("a", 11)), event("ERROR", statusOf(410))];
        return new FakeStream(...number === 0 ? lines : []).response;
      },
    );
    const world = start(answer, { watching: PAGES });
    await world.host.clock.advance(1);
    assert.deepEqual(world.items, ["null a", "LISTED", "DELETED a", "LISTED"]);
    await world.stop();
  });

  it("tells once that the server refuses, and ends, where nobody wants to ask again", async () => {
    const refused: string[] = [];
    const world = start(() => new Response("{}", { status: 403 }), {
      watching: PAGES,
      watch: {
        onRefused: (
          { status },
          { failures, listed },
        ) => (refused.push(`${status} ${failures} ${listed}`), "stop"),
      },
    });
    await world.host.clock.advance(100);
    assert.deepEqual(refused, ["403 1 false"]);
    assert.deepEqual(world.messages("warn"), []);
    assert.equal(world.host.clock.pending, 0);
    await world.stop();
  });
});
