import assert from "node:assert/strict";
import { operator, PermanentError, TemporaryError } from "../../mod.ts";
import { ask, LIVENESS } from "../support/probing.ts";
import { suite } from "../support/scenario.ts";
import { Example } from "../support/worlds.ts";

suite("probes", (scenario) => {
  scenario.virtual(
    "[B291] the answer holds what probe handlers return, without those that return nothing",
    async (world) => {
      const op = operator();
      op.on.probe(function now({ memo, activity }) {
        return { calls: memo.calls = Number(memo.calls ?? 0) + 1, activity };
      });
      op.on.probe(function nothing() {});
      op.on.probe(function none() {
        return null;
      });
      const running = await world.start(op, { liveness: LIVENESS });
      assert.deepEqual(await ask(world, "/healthz"), [200, '{"now":{"calls":1,"activity":"probe"}}']);
      await running.advance(11);
      assert.deepEqual(await ask(world, "/healthz"), [200, '{"now":{"calls":2,"activity":"probe"}}']);
      await running.stop();
      await assert.rejects(ask(world, "/healthz"), /ECONNREFUSED|nobody listens/);
    },
  );

  scenario.virtual(
    "[B293] a probe that fails makes the answer a 500, and is asked again the next time",
    async (world) => {
      const op = operator();
      const errors = [
        new PermanentError("for good"),
        new Error("any"),
        new TemporaryError("later"),
        undefined,
      ];
      op.on.probe(function fails() {
        const error = errors.shift();
        if (error !== undefined) throw error;
        return "fine";
      });
      const running = await world.start(op, { liveness: LIVENESS });
      for (const reason of ["for good", "any", "later"]) {
        const [status, text] = await ask(world, "/healthz?verbose");
        assert.equal(status, 500);
        assert.ok(text.includes(`handler "fails" failed: ${reason}`), text);
      }
      assert.deepEqual(await ask(world, "/healthz"), [200, '{"fails":"fine"}']);
      await running.stop();
    },
  );

  scenario.virtual(
    "a probe that hangs makes the answer a 500 after five seconds, and is not called twice",
    async (world) => {
      const op = operator();
      let calls = 0;
      op.on.probe(function hangs() {
        calls++;
        return new Promise(() => {});
      });
      op.on.probe({ id: "short", timeout: 1 }, () => 1);
      const running = await world.start(op, { liveness: LIVENESS });
      const before = world.host.clock.now();
      const [status, text] = await ask(world, "/healthz?verbose");
      assert.equal(world.host.clock.now() - before, 5000);
      assert.deepEqual([status, text.includes("timed out")], [500, true], text);
      const [again, why] = await ask(world, "/healthz?verbose");
      assert.deepEqual([again, why.includes("still at the probe before"), calls], [500, true, 1], why);
      await running.stop();
    },
  );

  scenario.virtual(
    "[B294] an address that is no http:// address ends the run before it begins",
    async (world) => {
      for (const liveness of ["https://localhost:8080/h", "tcp://localhost:8080"]) {
        const op = operator();
        let calls = 0;
        op.on.startup(() => void calls++);
        await assert.rejects(world.start(op, { liveness }), /Cannot answer probes at ".*http:\/\//);
        assert.equal(calls, 0);
      }
    },
  );

  scenario.virtual("an address that is taken ends the run, and the cleanup still runs", async (world) => {
    const op = operator();
    let cleanups = 0;
    op.on.cleanup(() => void cleanups++);
    await using _other = await world.host.network.serve({
      hostname: "localhost",
      port: 8080,
      fetch: () => new Response(),
    });
    await assert.rejects(world.start(op, { liveness: LIVENESS }), /"localhost:8080": is the address in use/);
    assert.equal(cleanups, 1);
  });

  scenario.virtual("probes are answered once the startup handlers have succeeded", async (world) => {
    const op = operator();
    op.on.event(Example, () => {});
    op.on.startup(({ retry }) => {
      if (retry === 0) throw new TemporaryError("not yet", { delay: 10 });
    });
    const running = await world.start(op, { liveness: LIVENESS });
    await assert.rejects(ask(world, "/livez"), /ECONNREFUSED|nobody listens/);
    await running.advance(11);
    assert.deepEqual(await ask(world, "/livez"), [200, "ok"]);
    assert.deepEqual(await ask(world, "/readyz"), [200, "ok"]);
    await running.stop();
  });

  scenario.virtual("the operator is not ready before everything is listed and indexed", async (world) => {
    const op = operator();
    op.index(Example, { id: "all" }, ({ name }) => ({ [name]: 1 }));
    const listing = Promise.withResolvers<void>();
    let isHeld = true;
    world.intercept = (request) => {
      if (!isHeld || !request.url.includes("/examples")) return undefined;
      return listing.promise.then(() => world.server.fetch(request));
    };
    const running = await world.start(op, { liveness: LIVENESS });
    const [status, text] = await ask(world, "/readyz?verbose");
    assert.equal(status, 503);
    assert.match(text, /^\[\+\]started ok$/m);
    assert.match(
      text,
      /^\[-\]indexes failed: they are not complete yet: handlers wait for examples\.v1\.lotse\.test\|/m,
    );
    assert.match(text, /^\[-\]watch .*examples.* failed: not listed yet$/m);
    assert.deepEqual(await ask(world, "/livez"), [200, "ok"]);
    isHeld = false;
    listing.resolve();
    await running.settle();
    assert.deepEqual(await ask(world, "/readyz"), [200, "ok"]);
    await running.stop();
  });

  scenario.virtual(
    "the operator is not ready while a stream is broken for more than fifteen seconds",
    async (world) => {
      const op = operator();
      op.on.event(Example, () => {});
      const running = await world.start(op, { liveness: LIVENESS });
      assert.deepEqual(await ask(world, "/readyz"), [200, "ok"]);
      world.intercept = ({ url }) =>
        url.includes("/examples") ? Response.json({}, { status: 500 }) : undefined;
      world.host.network.breakAll();
      await running.advance(5);
      assert.equal((await ask(world, "/readyz"))[0], 200);
      await running.advance(120);
      const [status, text] = await ask(world, "/readyz?verbose");
      assert.equal(status, 503);
      assert.match(text, /^\[-\]watch .*examples.* failed: no stream for \d+ s: Server refused/m);
      world.intercept = undefined;
      await running.advance(120);
      assert.deepEqual(await ask(world, "/readyz"), [200, "ok"]);
      await running.stop();
    },
  );

  scenario.virtual(
    "[N13.1] checks of the author's own count for /readyz, each under its name",
    async (world) => {
      const op = operator();
      op.on.event(Example, () => {});
      let isUp = false;
      let calls = 0;
      op.on.ready(function store() {
        calls++;
        if (!isUp) throw new Error("the store is away");
      });
      op.on.ready({ id: "hangs", timeout: 2 }, async ({ signal }) => {
        if (!isUp) {
          await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
        }
      });
      const running = await world.start(op, { liveness: LIVENESS });
      const asked = await ask(world, "/readyz?verbose");
      assert.equal(asked[0], 503);
      assert.match(
        asked[1],
        /\[-\]store failed: the store is away\n\[-\]hangs failed: .*\nreadyz check failed/,
      );
      assert.equal((await ask(world, "/readyz"))[0], 503);
      assert.equal(calls, 1, "all callers together");
      isUp = true;
      await running.advance(10);
      assert.deepEqual(await ask(world, "/readyz"), [200, "ok"]);
      assert.match((await ask(world, "/readyz?verbose"))[1], /\[\+\]store ok\n\[\+\]hangs ok\n/);
      assert.equal(calls, 2);
      assert.equal((await ask(world, "/livez"))[0], 200);
      await running.stop();
    },
  );

  scenario.virtual(
    "a listener of ours that takes no connections any more makes /livez fail, and not before it was tried twice",
    async (world) => {
      const server = "http://localhost:9443";
      const op = operator({
        admission: {
          async *server({ host, fetch, signal }) {
            await using _server = await host.network.serve({ hostname: "localhost", port: 9443, fetch });
            yield { url: server };
            await new Promise((resolve) => signal.addEventListener("abort", resolve));
          },
        },
      });
      op.on.validate(Example, { id: "check" }, () => {});
      const running = await world.start(op, { liveness: LIVENESS });
      const good =
        "[+]ping ok\n[+]listener localhost:8080 ok\n[+]listener localhost:9443 ok\nlivez check passed\n";
      assert.deepEqual(await ask(world, "/livez?verbose"), [200, good]);
      world.host.network.deafen(server);
      await running.advance(4);
      assert.deepEqual(await ask(world, "/livez"), [200, "ok"], "it was looked at a moment ago");
      await running.advance(4);
      assert.deepEqual(await ask(world, "/livez"), [200, "ok"], "once may be chance");
      await running.advance(6);
      const [status, text] = await ask(world, "/livez?verbose");
      assert.equal(status, 503);
      assert.match(text, /^\[-\]listener localhost:9443 failed: it takes no connections any more$/m);
      await running.stop();
    },
  );
});
