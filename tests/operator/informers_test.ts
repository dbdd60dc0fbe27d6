import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Gate } from "../../lib/async/gate.ts";
import { TaskGroup } from "../../lib/async/tasks.ts";
import { Informers, type InformersOptions } from "../../lib/operator/informers.ts";
import { defaultSettings } from "../../lib/settings/settings.ts";
import { event, FakeStream, listOf, makeWorld, widget, WIDGETS, type World } from "../client/fake_server.ts";
import { serve } from "../client/watch_world.ts";

const KIND = "widgets.v1.example.com";

interface Bench extends World {
  readonly informers: Informers;
  readonly tasks: TaskGroup;
  readonly events: string[];
}

function bench(options: Partial<InformersOptions> = {}): Bench {
  const world = makeWorld({
    answer: serve(
      () => listOf(10, [widget("a", 1), widget("b", 2)]),
      (number) => {
        const stream = new FakeStream(event("ADDED", widget(`c${number}`, 11 + number)));
        if (number === 0) world.host.clock.after(5, () => stream.break());
        return stream.response;
      },
    ),
  });
  const tasks = new TaskGroup({ onError: (error) => assert.fail(String(error)) });
  const events: string[] = [];
  const informers = new Informers({
    gate: new Gate(true),
    ...{ client: world.client, host: world.host, logger: world.transport.logger, tasks, observer: {} },
    settings: { ...defaultSettings().watching, initialStreaming: false },
    scope: { served: undefined, matches: () => true, revise: () => {} },
    notify: (_resource, { event: { type, object } }) => void events.push(`${type} ${object.metadata.name}`),
    onSynced: () => {},
    ...options,
  });
  return Object.assign(world, { informers, tasks, events });
}

describe("Informers", () => {
  it("[B259] starts a stream again that has crashed, and its health shows it", async () => {
    let isBroken = true;
    let crashes = 0;
    const world = bench({
      observer: {
        streamed(_resource, { state }) {
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
    assert.deepEqual([...world.informers.states.keys()], [`${KIND}|ns1`, `${KIND}|ns2`]);
    world.events.length = 0;
    served = undefined;
    await world.informers.revise([WIDGETS]);
    assert.deepEqual([...world.informers.states.keys()], [`${KIND}|`]);
    assert.equal(world.events.length, 0, "all are still told about");
    await world.informers.revise([]);
    assert.equal(world.informers.states.size, 0);
    assert.ok(
      world.events.length > 0 && world.events.every((each) => /^(null|DELETED) /.test(each)),
      world.events.join(),
    );
    assert.ok(world.events.includes("DELETED a"));
    await world.tasks.stop();
  });

  it("is stale from a pause until everything is listed anew", async () => {
    const gate = new Gate(true);
    let relisted = 0;
    const world = bench({ gate, onRelisted: () => void relisted++ });
    await world.informers.revise([WIDGETS]);
    await world.host.clock.advance(1);
    assert.equal(world.informers.isStale(WIDGETS, "ns"), false);
    gate.close();
    await world.host.clock.settle();
    assert.equal(world.informers.isStale(WIDGETS, "ns"), true);
    gate.open();
    assert.equal(world.informers.isStale(WIDGETS, "ns"), true);
    await world.host.clock.settle();
    assert.equal(world.informers.isStale(WIDGETS, "ns"), false);
    assert.equal(relisted, 1);
    await world.tasks.stop();
  });
});
