/**
 * A server that has more to do than it can, and an operator that has to wait without losing anything.
 */

import assert from "node:assert/strict";
import type { Runner } from "../../lib/kits/testing/mod.ts";
import type { KubeObject } from "../../lib/model/object.ts";
import { operator } from "../../mod.ts";
import { ask, LIVENESS } from "../support/probing.ts";
import { suite } from "../support/scenario.ts";
import { sized } from "../support/size.ts";
import type { VirtualWorld } from "../support/virtual_world.ts";
import { Example, EXAMPLES, LAST_HANDLED, type Loose, notesOf, Objects } from "../support/worlds.ts";

const COUNT = sized({ short: 350, full: 500 });

/** In which priority level a request is, as such servers say with each answer. */
function levelOf(path: string): string {
  return path.includes("/events") ? "level-of-events" : "level-of-work";
}

function busy(path: string): Response {
  const headers = { "retry-after": "1", "x-kubernetes-pf-prioritylevel-uid": levelOf(path) };
  return Response.json({ kind: "Status", code: 429, reason: "TooManyRequests" }, { status: 429, headers });
}

async function fine(world: VirtualWorld, request: Request, path: string): Promise<Response> {
  const response = await world.server.fetch(request);
  response.headers.set("x-kubernetes-pf-prioritylevel-uid", levelOf(path));
  return response;
}

async function limitOf(world: VirtualWorld): Promise<number> {
  const [, text] = await ask(world, "/metrics");
  return Number(/^lotse_client_concurrency_limit (\S+)$/m.exec(text)?.[1]);
}

async function makeStorm(objects: Objects): Promise<void> {
  for (let number = 0; number < COUNT; number++) await objects.create(`storm-${number}`);
}

/** Lets seconds pass until all of the storm is handled; gives how many. */
async function calm(running: Runner, world: VirtualWorld, within: number): Promise<number> {
  for (let seconds = 0; seconds < within; seconds++) {
    if (await unhandled(world) === 0) return seconds;
    await running.advance(1);
  }
  assert.fail(`After ${within} s ${await unhandled(world)} objects are left`);
}

async function unhandled({ client }: VirtualWorld): Promise<number> {
  let count = 0;
  for await (const { items } of client.list<KubeObject<Loose, Loose>>(EXAMPLES)) {
    for (const object of items) {
      if (!(LAST_HANDLED in notesOf(object)) || object.status?.made !== true) count++;
    }
  }
  return count;
}

suite("A server with too many requests", (scenario) => {
  scenario.virtual(
    "[N10] is asked less and less for as long as it refuses, and nothing is lost, nor other levels held back",
    async (world) => {
      const { clock } = world.host;
      const objects = new Objects(world);
      await makeStorm(objects);
      const op = operator();
      const made = new Map<string, number>();
      const seen: string[] = [];
      op.on.create(Example, function make({ name, body, patch }) {
        made.set(name, (made.get(name) ?? 0) + 1);
        patch.status.made = true;
        if (name === "late") op.events.normal(body, { reason: "Made" });
      });
      op.on.event(Example, ({ name, type }) => {
        if (type === "ADDED") seen.push(name);
      });
      const end = clock.monotonic() + 60;
      const writes: number[] = [];
      const posts: number[] = [];
      world.intercept = async (request, { method, path }) => {
        if (method === "GET") return await world.server.fetch(request);
        const isPost = path.includes("/events");
        (isPost ? posts : writes).push(clock.monotonic());
        await clock.sleep(0.02);
        return !isPost && clock.monotonic() < end ? busy(path) : await fine(world, request, path);
      };
      const running = await world.start(op, { liveness: LIVENESS });
      const begun = clock.monotonic();
      await running.advance(30);
      // What needs no writing goes on at once, and so does what the server puts into another level.
      await objects.create("late");
      await running.advance(1);
      assert.deepEqual([seen, made.get("late"), posts.length], [["late"], 1, 1]);
      assert.equal(await limitOf(world), 1);
      await running.advance(end - clock.monotonic());
      const rate = (from: number, to: number): number =>
        writes.filter((at) => at >= begun + from && at < begun + to).length / (to - from);
      assert.ok(rate(0, 1) >= 64, `at first there are ${rate(0, 1)} in a second`);
      assert.ok(rate(20, 60) <= 1.1, `later there are ${rate(20, 60)}`);
      await calm(running, world, 15);
      assert.ok(await limitOf(world) >= 20, `${await limitOf(world)} may be under way again`);
      await running.advance(60);
      assert.equal(await limitOf(world), 64);
      assert.equal(made.size, COUNT + 1);
      assert.deepEqual([...made].filter(([, times]) => times !== 1), []);
      const said = running.logs.filter(({ logger, level }) => logger === "lotse.client" && level !== "debug");
      assert.deepEqual(said.map(({ level, message }) => `${level} ${message}`), [
        "warn The server has too many requests: they are slowed down",
        "info The server takes requests as before",
      ]);
      await running.stop();
    },
  );

  scenario.virtual(
    "[N10] writes for live events before it writes for the initial listing",
    async (world) => {
      const { clock } = world.host;
      const objects = new Objects(world);
      await makeStorm(objects);
      const op = operator();
      op.on.create(Example, function make({ patch }) {
        patch.status.made = true;
      });
      // It has two seats, and no queue.
      let seated = 0;
      let most = 0;
      world.intercept = async (request, { method, path }) => {
        if (method === "GET") return await world.server.fetch(request);
        if (seated >= 2) return busy(path);
        most = Math.max(most, ++seated);
        await clock.sleep(0.2);
        seated--;
        return await fine(world, request, path);
      };
      const running = await world.start(op);
      await running.advance(10);
      const left = await unhandled(world);
      assert.ok(left > COUNT / 2, `${left} are left`);
      await objects.create("late");
      const begun = clock.monotonic();
      await running.until(async () => LAST_HANDLED in notesOf(await objects.get("late")), { within: 10 });
      const taken = clock.monotonic() - begun;
      assert.ok(await unhandled(world) > COUNT / 2, `after ${taken} s the storm is not over`);
      await calm(running, world, 600);
      assert.equal(most, 2);
      await running.stop();
    },
  );
});
