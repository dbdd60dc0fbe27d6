import assert from "node:assert/strict";
import { operator } from "../../mod.ts";
import { suite } from "../support/scenario.ts";
import { Example, Objects } from "../support/worlds.ts";

/** API servers take 10,000. */
const LEVELS = 9000;

function nested(bottom: number): string {
  return `${'{"a":'.repeat(LEVELS)}${bottom}${"}".repeat(LEVELS)}`;
}

suite("objects nested as deeply as API servers take them", (scenario) => {
  scenario.virtual(
    "[N41] are handled once, also by the next process, and a change at their bottom is seen",
    async (world) => {
      const objects = new Objects(world);
      // NB: the server in the process takes fewer levels on some runtimes: it keeps a word in their place.
      let bottom = 1;
      world.intercept = async (request, { body }) => {
        const inner = body === "" ? undefined : body.replaceAll(nested(bottom), '"(deep)"');
        const { method, headers, signal } = request;
        const answer = await world.server.fetch(
          new Request(request.url, { method, headers, signal, body: inner }),
        );
        const deepen = new TransformStream<string, string>({
          transform: (text, controller) => controller.enqueue(text.replaceAll('"(deep)"', nested(bottom))),
        });
        const text = answer.body?.pipeThrough(new TextDecoderStream()).pipeThrough(deepen);
        const { status } = answer;
        return new Response(text?.pipeThrough(new TextEncoderStream()), { status, headers: answer.headers });
      };
      const op = operator();
      const calls: string[] = [];
      op.on.event(Example, () => {});
      op.on.create(Example, ({ spec, patch }) => {
        calls.push("create");
        patch.status.copy = spec.deep;
      });
      op.on.update(Example, ({ diff }) => {
        calls.push(`update ${diff.map(([op, path, , value]) => `${op} ${path.length} ${value}`)}`);
      });
      await objects.create("one", { spec: { deep: "(deep)" } });
      const first = await world.start(op);
      await world.until(() => calls.length === 1);
      await first.advance(600);
      assert.equal((await objects.get("one")).status?.copy, "(deep)");
      await first.stop();
      bottom = 2;
      const second = await world.start(op);
      await world.until(() => calls.length === 2);
      await second.advance(600);
      await second.stop();
      const third = await world.start(op);
      await third.advance(600);
      await third.stop();
      assert.deepEqual(calls, ["create", `update change ${LEVELS + 2} 2`]);
      const logs = [...first.logs, ...second.logs, ...third.logs];
      assert.deepEqual(logs.filter(({ level }) => level === "error" || level === "warn"), []);
    },
  );
});
