import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { bookmark, event, FakeStream, listOf, refusal, statusOf, widget } from "../fake_server.ts";
import { course, PAGES, serve, start } from "../watch_world.ts";

describe("A watch that fails", () => {
  it("keeps trying, ever more slowly, where it is forbidden or the kind is unknown", async () => {
    for (const [code, least, most] of [[403, 8, 20], [404, 20, 60]] as const) {
      let isOpen = false;
      const world = start((request) => {
        if (!isOpen) return refusal(code);
        return request.query["watch"] ? new FakeStream().response : listOf(1, []);
      }, { watching: PAGES });
      await world.host.clock.advance(600);
      const count = world.seen.length;
      assert.ok(count >= least && count <= most, `${count} requests in ten minutes after ${code}`);
      assert.equal(world.state().phase, "waiting");
      assert.equal((world.state().lastError as { status?: number }).status, code);
      isOpen = true;
      await world.host.clock.until(() => world.items.includes("LISTED"), { within: code === 403 ? 450 : 46 });
      await world.stop();
    }
  });

  it("[B224] goes on after 429, no sooner than the server asks", async () => {
    const world = start(
      serve(() => listOf(10, []), (number) => {
        if (number === 0) return refusal(429);
        if (number === 1) return refusal(429, "", { details: { retryAfterSeconds: 7 } });
        return new FakeStream(event("ADDED", widget("a", 11))).response;
      }),
      { watching: PAGES },
    );
    await world.host.clock.advance(0.2);
    assert.equal(world.seen.length, 3);
    await world.host.clock.advance(6.5);
    assert.equal(world.seen.length, 3);
    await world.host.clock.advance(1);
    assert.deepEqual(world.items, ["LISTED", "ADDED a"]);
    await world.stop();
  });

  it("says in a line that a kind was defined a moment ago, and warns only if that does not pass", async () => {
    const starting = { message: "storage is (re)initializing" };
    for (const [times, infos, warnings] of [[2, 2, 0], [7, 5, 2]] as const) {
      let left: number = times;
      const world = start(
        serve(
          () => left-- > 0 ? refusal(429, "TooManyRequests", starting) : listOf(10, []),
          () => new FakeStream().response,
        ),
        { watching: PAGES, networking: { errorBackoffs: [] } },
      );
      await world.host.clock.advance(120);
      assert.deepEqual(world.items, ["LISTED"]);
      const told = world.logs.filter(({ message }) => message.startsWith("The server is not ready"));
      assert.deepEqual(
        told.map(({ level, fields }) => [level, "error" in fields]),
        Array(infos).fill(["info", false]),
      );
      assert.equal(world.messages("warn").length, warnings);
      await world.stop();
    }
  });

  it("[B225] sends the server timeout, and reopens at once and for ever when the server ends streams", async () => {
    const world = start(
      serve(() => listOf(10, []), () => {
        const stream = new FakeStream();
        world.host.clock.after(10, () => stream.end());
        return stream.response;
      }),
      { watching: { ...PAGES, serverTimeout: 10 } },
    );
    await world.host.clock.advance(100.5);
    assert.equal(world.seen[1]!.query["timeoutSeconds"], "10");
    assert.equal(course(world).length, 12);
    assert.deepEqual(world.messages("warn"), []);
    await world.stop();
  });

  it("[B239] asks a server that closes each watch at once a few dozens of times at most", async () => {
    const world = start(
      serve(() => listOf(10, []), () => {
        const stream = new FakeStream();
        stream.end();
        return stream.response;
      }),
      { watching: PAGES },
    );
    await world.host.clock.advance(10);
    assert.ok(world.seen.length >= 5 && world.seen.length <= 24, `${world.seen.length} requests`);
    await world.stop();
  });

  it("goes on quickly while streams bring news, however short they are", async () => {
    let version = 10;
    const world = start(
      serve(() => listOf(10, []), () => {
        const stream = new FakeStream(event("ADDED", widget(`w${++version}`, version)));
        stream.end();
        return stream.response;
      }),
      { watching: PAGES },
    );
    await world.host.clock.advance(20);
    const count = world.seen.length;
    // At most 0.15 s between two, where without news it would be half a minute by now.
    assert.ok(count >= 20 / 0.16 && count <= 20 / 0.04, `${count} requests`);
    await world.stop();
  });

  it("asks at once again after a stream that lived, whatever was before", async () => {
    let broken = 8;
    let live: FakeStream | undefined;
    const world = start(
      serve(() => listOf(10, []), () => {
        const stream = new FakeStream();
        if (broken-- > 0) stream.end();
        else live = stream;
        return stream.response;
      }),
      { watching: PAGES },
    );
    await world.host.clock.until(() => live !== undefined, { within: 120 });
    await world.host.clock.advance(2);
    assert.equal(world.state().failures, 0);
    const count = world.seen.length;
    live!.end();
    await world.host.clock.advance(0.01);
    assert.equal(world.seen.length, count + 1);
    await world.stop();
  });

  it("resumes when all connections break, and finds the server again when it was away", async () => {
    const world = start(serve(() => listOf(10, []), () => new FakeStream().response), { watching: PAGES });
    await world.host.clock.advance(5);
    world.host.network.breakAll();
    await world.host.clock.advance(1);
    assert.deepEqual(course(world), ["list", "watch 10", "watch 10"]);
    world.answer(() => {
      throw Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
    });
    world.host.network.breakAll();
    await world.host.clock.advance(20);
    const { length } = world.seen;
    assert.ok(length < 20, `${length} requests`);
    world.answer(() => new FakeStream(event("ADDED", widget("a", 11))).response);
    await world.host.clock.until(() => world.items.includes("ADDED a"), { within: 31 });
    await world.stop();
  });

  it("has listed anew within 46 s of a server's return, however long it was away, also if the version has expired meanwhile", async () => {
    const times: number[] = [];
    for (let away = 5; away < 400; away += 7) {
      let isExpired = false;
      const world = start(serve(() => listOf(10, []), () => new FakeStream().response), { watching: PAGES });
      for (let skip = 0; skip < away; skip++) world.host.random.next();
      await world.host.clock.advance(60);
      assert.equal(world.state().failures, 0);
      const isBack = world.host.clock.monotonic() + away;
      world.answer((request) => {
        if (world.host.clock.monotonic() < isBack) {
          throw Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
        }
        isExpired ||= request.query["resourceVersion"] === "10";
        if (request.query["resourceVersion"] === "10") return refusal(410);
        return request.query["watch"] ? new FakeStream().response : listOf(20, [widget("a", 15)]);
      });
      world.host.network.breakAll();
      await world.host.clock.advance(away);
      world.items.length = 0;
      await world.host.clock.until(() => world.items.includes("LISTED"), { within: 46 });
      assert.ok(isExpired);
      assert.deepEqual(world.items, ["null a", "LISTED"]);
      times.push(world.host.clock.monotonic() - isBack);
      await world.stop();
    }
    assert.ok(Math.max(...times) > 30, "some had to wait");
  });

  it("waits longer and longer for a server that calls each version expired", async () => {
    for (
      const fault of [
        () => refusal(410),
        () => new FakeStream({ type: "ERROR", object: statusOf(410) }).response,
      ]
    ) {
      const world = start(serve(() => listOf(10, []), fault), { watching: PAGES });
      await world.host.clock.advance(60);
      const lists = course(world).filter((step) => step === "list").length;
      assert.ok(lists >= 5 && lists <= 20, `${lists} lists in a minute`);
      await world.stop();
    }
  });

  it("tells its phases, its last sign of life and its restarts", async () => {
    const stream = new FakeStream();
    const world = start(
      serve(() => listOf(10, []), (number) => number === 0 ? refusal(503) : stream.response),
      { watching: PAGES },
    );
    const begin = world.host.clock.monotonic();
    await world.host.clock.advance(1);
    assert.deepEqual(world.phases, ["listing", "waiting", "watching"]);
    assert.equal(world.state().restarts, 1);
    await world.host.clock.advance(59);
    stream.send(bookmark(11));
    await world.host.clock.settle();
    assert.equal(world.state().lastActivity, begin + 60);
    assert.equal(world.state().failures, 0);
    await world.stop();
  });

  it("forgives a version that breaks streams when there is progress", async () => {
    const world = start(
      serve(() => listOf(10, []), (number) => {
        const stream = new FakeStream();
        if (number === 2) stream.send(event("ADDED", widget("a", 11)));
        if (number < 4) stream.sendBytes("not JSON\n");
        return stream.response;
      }),
      { watching: PAGES },
    );
    await world.host.clock.advance(10);
    assert.deepEqual(course(world), ["list", "watch 10", "watch 10", "watch 10", "watch 11", "watch 11"]);
    await world.stop();
  });

  it("does not ask in a tight loop where a list is refused as a bad request", async () => {
    const world = start(() => refusal(400, "BadRequest"));
    await world.host.clock.advance(60);
    assert.deepEqual(course(world).slice(0, 3), ["initial", "list", "list"]);
    assert.ok(world.seen.length < 20, `${world.seen.length} requests`);
    await world.stop();
  });

  it("waits with jitter, so that watches do not come back together", async () => {
    const pauses = new Set<number>();
    for (let seed = 0; seed < 5; seed++) {
      const world = start(() => refusal(403), { watching: PAGES });
      for (let skip = 0; skip < seed; skip++) world.host.random.next();
      await world.host.clock.until(() => world.seen.length === 2);
      pauses.add(world.seen[1]!.at);
      await world.stop();
    }
    assert.ok(pauses.size >= 4, [...pauses].join());
  });

  it("lists anew when the same version breaks three streams in a row", async () => {
    const world = start(
      serve(() => listOf(10, []), (number) => {
        const stream = new FakeStream();
        if (number < 3) stream.sendBytes("not JSON\n");
        return stream.response;
      }),
      { watching: PAGES },
    );
    await world.host.clock.advance(5);
    assert.deepEqual(course(world), ["list", "watch 10", "watch 10", "watch 10", "list", "watch 10"]);
    await world.stop();
  });
});
