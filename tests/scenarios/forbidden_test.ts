import assert from "node:assert/strict";
import { kinds, operator } from "../../mod.ts";
import { suite } from "../support/scenario.ts";
import { Example, Objects } from "../support/worlds.ts";

suite("what is forbidden", (scenario) => {
  scenario.virtual("[P12] comes back at once, and names the right that is missing", async (world) => {
    const objects = new Objects(world);
    const op = operator();
    const seen: unknown[] = [];
    op.on.create(Example, { id: "look", retries: 1 }, async () => {
      const begun = world.host.clock.monotonic();
      await op.api.get(kinds.Secret, { name: "password", namespace: world.namespace }).catch((error) => {
        seen.push(error.status, error.message);
      });
      seen.push(world.host.clock.monotonic() - begun);
    });
    world.intercept = ({ url }) => url.includes("/secrets") ? new Response("no", { status: 403 }) : undefined;
    const running = await world.start(op);
    await objects.create("one");
    await running.advance(60);
    const [status, message, seconds] = seen;
    assert.ok(status === 403 && Number(seconds) < 1, `${status} after ${seconds} s`);
    assert.match(String(message), /a role must allow "get" on "secrets"/);
    assert.equal(world.requests.filter(({ path }) => path.includes("/secrets")).length, 1);
    await running.stop();
  });

  scenario.virtual(
    "[P12] is asked for once at a time: lists, writes and events wait for their own next turn, not in a request",
    async (world) => {
      const objects = new Objects(world);
      const op = operator({ posting: { level: "info" } });
      const calls: string[] = [];
      op.on.create(Example, { id: "make" }, ({ patch, name }) => {
        calls.push(name);
        patch.status.made = true;
      });
      let forbidden = /examples\?/;
      const refused: string[] = [];
      world.intercept = ({ url, method }) => {
        if (!forbidden.test(url)) return undefined;
        refused.push(method);
        return new Response("no", { status: 403 });
      };
      const running = await world.start(op);
      await objects.create("one");
      await running.advance(60);
      assert.ok(refused.length > 1 && refused.length < 12, `lists: ${refused.length}`);
      assert.deepEqual(calls, []);
      forbidden = /examples\/one|events/;
      refused.length = 0;
      await world.until(() => calls.length > 0);
      await running.advance(60);
      assert.ok(refused.length > 2 && refused.length < 20, `writes: ${refused}`);
      assert.deepEqual(
        running.logs.filter(({ fields }) => "attempt" in fields && "request" in fields),
        [],
        "no request was repeated",
      );
      forbidden = /nothing/;
      await world.until(async () => (await objects.get("one")).status?.made === true);
      assert.deepEqual(calls, ["one"], "what was made is written when it may be");
      await running.stop();
    },
  );
});
