/** What an operator makes of lists that come as streams, of bookmarks, and of a server that answers nothing but errors. */

import assert from "node:assert/strict";
import { operator } from "../../mod.ts";
import { type Passing, stream } from "../support/faulty_proxy.ts";
import { suite } from "../support/scenario.ts";
import { Example, Objects, Plain } from "../support/worlds.ts";

suite("A list that comes as a stream", (scenario) => {
  scenario(
    "[C7] [C8] is asked for without a version, gives what there is as nothing new, and goes on with what happens",
    async (world) => {
      const objects = new Objects(world);
      for (const name of ["a", "b"]) await objects.create(name);
      await using place = await world.proxy();
      const op = operator({ watching: { initialStreaming: true } });
      const events: string[] = [];
      op.on.event(Example, { id: "note" }, ({ type, name }) => void events.push(`${type} ${name}`));
      const running = await world.start(op);
      await world.until(() => events.length === 2, 10);
      await objects.create("c");
      await world.until(() => events.length === 3, 10);
      assert.deepEqual([events.slice(0, 2).sort(), events[2]], [["null a", "null b"], "ADDED c"]);
      const asked = place.proxy.seen.filter(({ verb, path }) =>
        verb !== "other" && path.endsWith("/examples")
      );
      assert.deepEqual(asked.filter(({ verb }) => verb === "list"), []);
      const { query } = asked[0]!;
      const parts = ["sendInitialEvents", "resourceVersionMatch", "resourceVersion"];
      assert.deepEqual(parts.map((part) => query.get(part)), ["true", "NotOlderThan", null]);
      await running.stop();
    },
  );

  scenario(
    "[C9] of a kind with an index and without objects lets the handlers of others begin",
    async (world) => {
      const op = operator({ watching: { initialStreaming: true } });
      const index = op.index(Plain, { id: "plains" }, ({ name }) => ({ [name]: true }));
      const seen: string[] = [];
      op.on.create(Example, { id: "make" }, ({ name }) => void seen.push(`${name}, ${index.size} indexed`));
      await new Objects(world).create("one");
      const running = await world.start(op);
      await world.until(() => seen.length > 0, 10);
      assert.deepEqual(seen, ["one, 0 indexed"]);
      await running.stop();
    },
  );

  scenario(
    "[B215] in pages has the kind and version of each object, where the server leaves them out",
    async (world) => {
      const kind = { group: "", version: "v1", plural: "configmaps", namespaced: true };
      const metadata = { name: "mine", namespace: world.namespace, labels: { mine: "yes" } };
      await world.client.create(kind, { apiVersion: "v1", kind: "ConfigMap", metadata });
      const op = operator({ watching: { initialStreaming: false } });
      const seen: string[] = [];
      op.on.event("configmaps.v1", { labels: { mine: "yes" } }, ({ type, body }) => {
        seen.push(`${type} ${body.apiVersion} ${body.kind}`);
      });
      const running = await world.start(op);
      await world.until(() => seen.length > 0, 10);
      assert.deepEqual(seen, ["null v1 ConfigMap"]);
      await running.stop();
    },
  );
});

suite("Minutes in which little comes", (scenario) => {
  scenario.timed("[B223] end no stream that has a bookmark every minute", async (world) => {
    const objects = new Objects(world);
    await using place = await world.proxy();
    const isWatch = ({ verb, path }: Passing): boolean => verb === "watch" && path.endsWith("/examples");
    const streams = (): number => place.proxy.seen.filter(isWatch).length;
    let next = Promise.withResolvers<Uint8Array>();
    place.proxy.inject(
      isWatch,
      stream(async function* () {
        for (;;) {
          yield await next.promise;
          next = Promise.withResolvers();
        }
      }),
    );
    const op = operator({ watching: { initialStreaming: false } });
    op.on.event(Example, { id: "note" }, () => {});
    const running = await world.start(op);
    const { metadata } = await objects.create("unheard");
    const { resourceVersion } = metadata;
    for (let minute = 0; minute < 5; minute++) {
      await running.advance(60);
      const bookmark = {
        type: "BOOKMARK",
        object: { apiVersion: "lotse.test/v1", kind: "Example", metadata: { resourceVersion } },
      };
      next.resolve(new TextEncoder().encode(`${JSON.stringify(bookmark)}\n`));
      await running.settle();
    }
    assert.equal(streams(), 1, "one stream all the time");
    await running.advance(75);
    assert.ok(streams() > 1, "and another after 70 s without one");
    await running.stop();
  });

  scenario.timed(
    "[B236] have nine attempts of a request in 54 s, if the server answers errors only",
    async (world) => {
      const op = operator();
      op.on.event(Example, { id: "see" }, () => {});
      const running = await world.start(op);
      const times: number[] = [];
      world.intercept = (_request, { path }) => {
        if (!path.endsWith("/examples/one")) return undefined;
        times.push(world.host.clock.monotonic());
        return new Response("no", { status: 500 });
      };
      let status: number | undefined;
      op.api.get(Example, { name: "one", namespace: world.namespace }).catch((error) =>
        status = error.status
      );
      await running.advance(53);
      assert.equal(status, undefined);
      await running.advance(2);
      const last = Math.round(times.at(-1)! - times[0]!);
      assert.deepEqual([status, times.length, last], [500, 9, 54]);
      await running.stop();
    },
  );
});
