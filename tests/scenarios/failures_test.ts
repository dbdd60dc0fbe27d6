import assert from "node:assert/strict";
import { operator, PermanentError, TemporaryError } from "../../mod.ts";
import type { KubeObject } from "../../lib/model/object.ts";
import { LIVENESS, scrapeText, valueOf } from "../support/samples.ts";
import { suite } from "../support/scenario.ts";
import { Example, Objects, type World } from "../support/worlds.ts";

const EVENTS = { group: "events.k8s.io", version: "v1", plural: "events", namespaced: true };
const KIND = "examples.lotse.test";

/** Events of the world's namespace that the operator has posted. */
async function eventsIn({ client, namespace }: World): Promise<KubeObject[]> {
  const found: KubeObject[] = [];
  for await (const page of client.list(EVENTS, { namespace })) found.push(...page.items);
  return found.filter(({ reportingController }) => reportingController === "lotse");
}

function wordsOf({ type, reason, note }: KubeObject): string {
  return `${type} ${reason} ${note}`;
}

suite("failures that people see", (scenario) => {
  scenario("[N59.1] are warnings on the object, with the handler and the error", async (world) => {
    const objects = new Objects(world);
    const op = operator({ persistence: { confidential: { [KIND]: ["spec.password"] } } });
    op.on.create(Example, function provision({ name, spec }) {
      if (name === "waiting") throw new TemporaryError(`No room for ${spec.password}`, { delay: 0.2 });
      if (name === "hopeless") throw new PermanentError("Cannot be downgraded");
    });
    const running = await world.start(op);
    await objects.create("waiting", { spec: { password: "tops3cret" } });
    await objects.create("hopeless");
    await objects.create("fine");
    await world.until(async () => (await eventsIn(world)).length >= 2);
    await world.settle();
    const events = await eventsIn(world);
    assert.deepEqual(events.map(wordsOf).sort(), [
      'Warning PermanentError Handler "provision" has given up: Cannot be downgraded',
      'Warning TemporaryError Handler "provision" has failed, and is tried again: No room for (confidential)',
    ]);
    const names = events.map(({ regarding }) => (regarding as { name: string }).name);
    assert.deepEqual(names.sort(), ["hopeless", "waiting"]);
    await running.stop();
  });

  scenario.timed(
    "[N59.1] are told once in five minutes, however often they are tried again",
    async (world) => {
      const op = operator();
      op.on.create(Example, function provision() {
        throw new TemporaryError("Not yet", { delay: 20 });
      });
      const running = await world.start(op);
      await new Objects(world).create("one");
      const posts = () => world.requests.filter(({ path }) => path.includes("/events"));
      await world.until(() => posts().length === 1, 30);
      await running.advance(290);
      assert.equal(posts().length, 1);
      await running.advance(40);
      assert.deepEqual(posts().map(({ method }) => method), ["POST", "PATCH"]);
      const [event] = await eventsIn(world);
      assert.equal((event?.series as { count: number }).count, 2);
      await running.stop();
    },
  );

  scenario.virtual(
    "[N59.1] are told once although numbers in their messages change, and anew where the failure is another one",
    async (world) => {
      const op = operator();
      op.on.create(Example, function provision({ retry }) {
        if (retry >= 30) throw new PermanentError("Request 5f3a9c is hopeless");
        const [reason, id] = retry < 10 ? ["No room", retry] : ["No rights", `${retry}ab3f`];
        throw new TemporaryError(`${reason}: request ${id} at 12:0${retry % 10}`, { delay: 10 });
      });
      const running = await world.start(op);
      await new Objects(world).create("one");
      const notes = async () => (await eventsIn(world)).map(({ note }) => note);
      await running.advance(95);
      assert.equal((await notes()).length, 1);
      await running.advance(100);
      assert.equal((await notes()).length, 2);
      await running.advance(200);
      assert.deepEqual(
        (await notes()).map((each) => /No room|No rights|hopeless/.exec(String(each))?.[0]).sort(),
        [
          ...["No rights", "No room", "hopeless"],
        ],
      );
      await running.stop();
    },
  );

  for (const setting of [{ failures: false }, { enabled: false }]) {
    scenario.virtual(`[N59.1] are not posted with ${JSON.stringify(setting)}`, async (world) => {
      const op = operator({ posting: setting });
      op.on.create(Example, function provision() {
        throw new PermanentError("No");
      });
      const running = await world.start(op);
      await new Objects(world).create("one");
      await running.advance(60);
      assert.deepEqual(await eventsIn(world), []);
      await running.stop();
    });
  }

  scenario.virtual("[N59.1] are posted by their log lines alone with `posting.loggers`", async (world) => {
    const op = operator({ posting: { loggers: true, level: "error" } });
    op.on.create(Example, function provision() {
      throw new PermanentError("No");
    });
    const running = await world.start(op);
    await new Objects(world).create("one");
    await running.advance(60);
    assert.deepEqual((await eventsIn(world)).map(({ reason }) => reason), ["Logging"]);
    await running.stop();
  });

  scenario.virtual(
    "[N59.2] attempts that fail make the reconcile an error, and the object a failing one until it is handled",
    async (world) => {
      const objects = new Objects(world);
      const op = operator();
      let isWell = false;
      op.on.create(Example, function provision({ name }) {
        if (name === "broken") throw new TypeError("x is undefined");
        if (!isWell) throw new TemporaryError("Not yet", { delay: 30 });
      });
      op.on.update(Example, function amend() {});
      op.timer(Example, { interval: 1e6 }, function look() {
        throw new PermanentError("Nothing to see");
      });
      const running = await world.start(op, { liveness: LIVENESS });
      const series = {
        errors: `controller_runtime_reconcile_errors_total{controller="${KIND}"}`,
        results: `controller_runtime_reconcile_total{controller="${KIND}",result="error"}`,
        panics: `controller_runtime_reconcile_panics_total{controller="${KIND}"}`,
        terminal: `controller_runtime_terminal_reconcile_errors_total{controller="${KIND}"}`,
        failing: `lotse_objects_failing{kind="${KIND}",handler="provision"}`,
        looking: `lotse_objects_failing{kind="${KIND}",handler="look"}`,
        amending: `lotse_objects_failing{kind="${KIND}",handler="amend"}`,
        oldest: `lotse_oldest_failing_seconds{kind="${KIND}",handler="provision"}`,
        handled: `lotse_change_handled_seconds_count{kind="${KIND}"}`,
        late: `lotse_change_handled_seconds_bucket{le="10",kind="${KIND}"}`,
      };
      const read = async () => {
        const text = await scrapeText(world.host);
        return Object.fromEntries(Object.entries(series).map(([name, each]) => [name, valueOf(text, each)]));
      };
      const zero = Object.fromEntries(Object.keys(series).map((name) => [name, 0]));
      assert.deepEqual(await read(), zero, "from the start");
      await objects.create("late");
      await objects.create("broken");
      await running.advance(100);
      const { oldest = 0, errors = 0, ...counts } = await read();
      // At 0, 30, 60 and 90 s; the other one at 0 and 60 s.
      assert.deepEqual(counts, {
        ...{ results: errors, panics: 2, terminal: 0, failing: 2, looking: 2, amending: 0 },
        ...{ handled: 0, late: 0 },
      });
      assert.ok(errors >= 6 && errors <= 7 && oldest >= 99 && oldest <= 101, `${errors} ${oldest}`);
      isWell = true;
      await running.advance(30);
      const after = await read();
      assert.deepEqual([after.failing, after.handled, after.late], [1, 1, 0]);
      await objects.delete("broken");
      await objects.delete("late");
      await running.advance(30);
      const { failing, looking } = await read();
      assert.deepEqual([failing, looking], [0, 0]);
      await running.stop();
    },
  );

  scenario.virtual(
    "[N59.3] all lines of one turn have its id, and other turns have others",
    async (world) => {
      const op = operator();
      op.on.create(Example, function provision({ logger }) {
        logger.info("Provisioning");
      });
      const running = await world.start(op);
      await new Objects(world).create("one");
      await new Objects(world).create("two");
      await running.advance(10);
      const ids = new Map<string, Set<string | undefined>>();
      for (const { message, reference, context } of running.logs) {
        if (!["Provisioning", "Handler succeeded", "Creation is processed"].includes(message)) continue;
        const name = reference?.name ?? "";
        ids.set(name, (ids.get(name) ?? new Set()).add(context?.reconcile));
      }
      assert.deepEqual([...ids.keys()].sort(), ["one", "two"]);
      const all = [...ids.values()].flatMap((each) => [...each]);
      assert.equal(new Set(all).size, 2, "one for each object");
      assert.equal(all.length, 2);
      for (const id of all) assert.match(id ?? "", /^[0-9a-z]+-\d+$/);
      await running.stop();
    },
  );
});
