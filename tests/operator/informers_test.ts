import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Gate } from "../../lib/async/gate.ts";
import { TaskGroup } from "../../lib/async/tasks.ts";
import { Orchestration, type OrchestrationOptions } from "../../lib/operator/informers.ts";
import { defaultSettings } from "../../lib/settings/settings.ts";
import { event, FakeStream, listOf, makeWorld, widget, WIDGETS, type World } from "../client/fake_server.ts";
import { serve } from "../client/watch_world.ts";

interface Bench extends World {
  readonly orchestration: Orchestration;
  readonly tasks: TaskGroup;
  readonly events: string[];
}

function bench(options: Partial<OrchestrationOptions> = {}): Bench {
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
  const orchestration = new Orchestration({
    passage: new Gate(true),
    ...{ client: world.client, host: world.host, logger: world.transport.logger, tasks, observer: {} },
    settings: { ...defaultSettings().watching, initialStreaming: false },
    scope: { served: undefined, matches: () => true, revise: () => {} },
    submit: (_resource, { type, object }) => void events.push(`${type} ${object.metadata.name}`),
    onSynced: () => {},
    ...options,
  });
  return Object.assign(world, { orchestration, tasks, events });
}

describe("Orchestration", () => {
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
    const problems = (): (string | undefined)[] => world.orchestration.checks().map(({ problem }) => problem);
    await world.orchestration.revise([WIDGETS]);
    await world.host.clock.settle();
    assert.deepEqual(problems(), [undefined]);
    await world.host.clock.advance(30);
    assert.ok(crashes >= 3 && crashes <= 20, `${crashes} crashes`);
    assert.ok(world.logs.some(({ level, message }) => level === "error" && /has crashed/.test(message)));
    assert.match(String(problems()[0]), /^no stream for \d+ s/);
    isBroken = false;
    await world.host.clock.until(() => problems()[0] === undefined, { within: 60 });
    assert.deepEqual(world.events.slice(-4), ["null a", "null b", "DELETED c0", "ADDED c1"]);
    assert.deepEqual(problems(), [undefined]);
    await world.tasks.stop();
  });

  it("does not let one object that cannot be taken in keep the others out", async () => {
    const taken: string[] = [];
    const world = bench({
      submit: (_resource, { object }) => {
        if (object.metadata.name === "a") throw new Error("our own fault");
        taken.push(object.metadata.name ?? "");
      },
    });
    await world.orchestration.revise([WIDGETS]);
    await world.host.clock.settle();
    assert.deepEqual(taken, ["b", "c0"]);
    const [line] = world.logs.filter(({ level }) => level === "error");
    assert.equal(line?.message, "An event cannot be taken in: it is dropped");
    assert.equal(line.fields["name"], "a");
    await world.tasks.stop();
  });
});
