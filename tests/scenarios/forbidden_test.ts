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
});
