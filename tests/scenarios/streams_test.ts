/**
 * What an operator asks the server for to know its objects, and what it makes of the answers: lists in pages, streams, bookmarks,
 * errors, and the pauses between requests that are sent again. A proxy in between shows what was asked, and breaks what the
 * server would rarely break.
 */

import assert from "node:assert/strict";
import { type Operator, operator, type OperatorOptions } from "../../mod.ts";
import { ApiError } from "../../lib/client/errors.ts";
import {
  errorEvent,
  type FaultyProxy,
  hangUp,
  LISTS,
  page,
  type Passing,
  refuse,
  RESUMES,
  silence,
  stream,
  STREAMED_LISTS,
  WATCHES,
} from "../support/faulty_proxy.ts";
import { linesOf } from "../../lib/kits/apiserver/faults/streams.ts";
import { suite } from "../support/scenario.ts";
import { Example, Objects, type Running, type World } from "../support/worlds.ts";

const PAGES = { initialStreaming: false } as const;
const STREAMS = { initialStreaming: true } as const;

/** An operator that notes each event as "TYPE name"; the type of what is listed is null. */
function noting(watching: NonNullable<OperatorOptions["watching"]>, more: OperatorOptions = {}) {
  const op = operator({ ...more, watching });
  const events: string[] = [];
  op.on.event(Example, { id: "note" }, ({ type, name }) => void events.push(`${type} ${name}`));
  return { op, events };
}

/** What was asked for objects: "list", "more", or "watch <version>". */
function course({ seen }: FaultyProxy): string[] {
  return seen.filter(({ verb }) => verb !== "other").map(({ verb, query }) =>
    verb === "watch"
      ? `watch ${query.get("sendInitialEvents") === "true" ? "all" : query.get("resourceVersion")}`
      : query.has("continue")
      ? "more"
      : "list"
  );
}

/** The parameter with which each list was asked for. */
function told({ seen }: FaultyProxy, parameter: string): (string | null)[] {
  return seen.filter(({ verb }) => verb === "list").map(({ query }) => query.get(parameter));
}

/** Notes the version that each page says it has. */
function noteVersions(proxy: FaultyProxy): string[] {
  const versions: string[] = [];
  proxy.inject(LISTS, async (_passing, forward) => {
    const response = await forward();
    const text = await response.text();
    versions.push((JSON.parse(text) as { metadata: { resourceVersion: string } }).metadata.resourceVersion);
    return new Response(text, { status: response.status, headers: response.headers });
  }, Infinity);
  return versions;
}

function warnings({ logs }: Running): string[] {
  return logs.filter(({ level }) => level === "warn" || level === "error").map(({ message }) => message);
}

/** What is in a line of a stream. */
interface Line {
  readonly type: string;
  readonly object: {
    readonly metadata: { readonly resourceVersion: string };
    spec?: Record<string, unknown>;
  };
}

function parse(line: Uint8Array): Line {
  return JSON.parse(new TextDecoder().decode(line)) as Line; // it is the server's
}

suite("What is asked for objects", (scenario) => {
  scenario(
    "[B214] [C2] comes in pages, and is followed from the version of the last one",
    async (world) => {
      const objects = new Objects(world);
      for (const name of ["a", "b", "c", "d"]) await objects.create(name);
      await using place = await world.proxy();
      const versions = noteVersions(place.proxy);
      const { op, events } = noting({ ...PAGES, chunkSize: 2 });
      const running = await world.start(op);
      await world.until(() => events.length === 4, 5);
      await objects.create("e");
      await world.until(() => events.length === 5, 5);
      assert.deepEqual(events, ["null a", "null b", "null c", "null d", "ADDED e"]);
      assert.deepEqual(course(place.proxy), ["list", "more", `watch ${versions[1]}`]);
      assert.deepEqual(told(place.proxy, "limit"), ["2", "2"]);
      assert.deepEqual(warnings(running), []);
      await running.stop();
    },
  );

  scenario(
    "[C3] has no limit where nobody wants one, and a token is followed all the same",
    async (world) => {
      const objects = new Objects(world);
      for (const name of ["a", "b"]) await objects.create(name);
      await using place = await world.proxy();
      splitInTwo(place.proxy);
      const { op, events } = noting({ ...PAGES, chunkSize: null });
      const running = await world.start(op);
      await world.until(() => events.length === 2, 5);
      assert.deepEqual(events, ["null a", "null b"]);
      assert.deepEqual(told(place.proxy, "limit"), [null, null]);
      assert.deepEqual(course(place.proxy).slice(0, 2), ["list", "more"]);
      await running.stop();
    },
  );

  for (const broken of [1, 2]) {
    scenario(
      `[${
        broken === 1 ? "B220" : "C4"
      }] comes anew from its beginning when the connection breaks at page ${broken}`,
      async (world) => {
        const objects = new Objects(world);
        for (const name of ["a", "b", "c"]) await objects.create(name);
        await using place = await world.proxy();
        place.proxy.inject(page(broken), hangUp());
        const { op, events } = noting({ ...PAGES, chunkSize: 2 }, { networking: { errorBackoffs: [] } });
        const running = await world.start(op);
        await world.until(() => course(place.proxy).some((step) => step.startsWith("watch")), 5);
        assert.deepEqual([...new Set(events)], ["null a", "null b", "null c"]);
        const asked = course(place.proxy);
        assert.deepEqual(asked.slice(0, -1), [
          ...broken === 1 ? ["list"] : ["list", "more"],
          "list",
          "more",
        ]);
        await running.stop();
      },
    );
  }

  scenario("[B216] goes on from a bookmark when the stream breaks, and nobody is called", async (world) => {
    await new Objects(world).create("a");
    await using place = await world.proxy();
    const bookmarks: string[] = [];
    place.proxy.inject(
      STREAMED_LISTS,
      stream(async function* (chunks) {
        for await (const line of linesOf(chunks)) {
          const { type, object } = parse(line);
          if (type === "BOOKMARK") bookmarks.push(object.metadata.resourceVersion);
          yield line;
        }
      }),
      Infinity,
    );
    const { op, events } = noting(STREAMS);
    const running = await world.start(op);
    await world.until(() => bookmarks.length > 0, 5);
    place.breakAll();
    await world.until(() => course(place.proxy).length === 2, 10);
    // NB: the next bookmark may have passed here, or have been lost on its way, by now.
    const [first, second] = course(place.proxy);
    assert.equal(first, "watch all");
    assert.ok(
      bookmarks.some((version) => second === `watch ${version}`),
      `${second}, bookmarks ${bookmarks}`,
    );
    await world.settle();
    assert.deepEqual(events, ["null a"]);
    await running.stop();
  });

  const gone = { "[B217] an ERROR event": errorEvent(410), "[B238] an answer": refuse(410) };
  for (const [what, fault] of Object.entries(gone)) {
    scenario(`${what} of 410 has everything listed anew, and nobody is alarmed`, async (world) => {
      const objects = new Objects(world);
      await objects.create("a");
      await using place = await world.proxy();
      const versions = noteVersions(place.proxy);
      place.proxy.inject(WATCHES, fault);
      const { op, events } = noting(PAGES);
      const running = await world.start(op);
      await world.until(() => course(place.proxy).length === 4, 10);
      const [first, second] = versions;
      assert.deepEqual(course(place.proxy), ["list", `watch ${first}`, "list", `watch ${second}`]);
      await objects.create("b");
      await world.until(() => events.includes("ADDED b"), 5);
      assert.deepEqual(events.filter((event) => event !== "null a"), ["ADDED b"]);
      assert.deepEqual(warnings(running), []);
      await running.stop();
    });
  }

  scenario("[B218] an ERROR event of 666 is told, and the stream goes on where it was", async (world) => {
    const objects = new Objects(world);
    await using place = await world.proxy();
    const versions = noteVersions(place.proxy);
    place.proxy.inject(WATCHES, errorEvent(666));
    const { op, events } = noting(PAGES);
    const running = await world.start(op);
    await world.until(() => course(place.proxy).length === 3, 10);
    await objects.create("a");
    await world.until(() => events.length === 1, 5);
    const again = `watch ${versions[0]}`;
    assert.deepEqual(course(place.proxy), ["list", again, again]);
    assert.deepEqual([events, warnings(running)], [["ADDED a"], ["Watching failed, will be tried again"]]);
    await running.stop();
  });

  scenario("[B219] an event of an unknown type is told, and the stream stays as it is", async (world) => {
    const objects = new Objects(world);
    await using place = await world.proxy();
    place.proxy.inject(
      WATCHES,
      stream(async function* (chunks) {
        yield new TextEncoder().encode('{"type":"STRANGE","object":{}}\n');
        yield* chunks;
      }),
    );
    const { op, events } = noting(PAGES);
    const running = await world.start(op);
    await objects.create("a");
    await world.until(() => events.length === 1, 5);
    assert.equal(course(place.proxy).length, 2);
    assert.deepEqual([events, warnings(running)], [["ADDED a"], ["Unknown watch event, it is skipped"]]);
    await running.stop();
  });

  scenario("[B221] an event of 3 MB is read, in however many pieces it comes", async (world) => {
    await using place = await world.proxy();
    // NB: no server takes such an object, but its notes of who manages what make it larger than it was written.
    place.proxy.inject(
      WATCHES,
      stream(async function* (chunks) {
        for await (const line of linesOf(chunks)) {
          const event = parse(line);
          (event.object.spec ??= {})["padding"] = "ü".repeat(1_500_000);
          const bytes = new TextEncoder().encode(`${JSON.stringify(event)}\n`);
          for (let at = 0; at < bytes.length; at += 65_537) yield bytes.slice(at, at + 65_537);
        }
      }),
    );
    const op = operator({ watching: PAGES });
    const sizes: number[] = [];
    op.on.event(Example, { id: "note" }, ({ spec }) => void sizes.push(String(spec["padding"]).length));
    const running = await world.start(op);
    await new Objects(world).create("a", { spec: {} });
    await world.until(() => sizes.length > 0, 5);
    assert.deepEqual(sizes, [1_500_000]);
    await running.stop();
  });

  scenario("[B222] comes anew from the last version when a stream falls silent", async (world) => {
    const objects = new Objects(world);
    await using place = await world.proxy();
    const versions = noteVersions(place.proxy);
    place.proxy.inject(RESUMES, silence());
    const { op, events } = noting({ ...PAGES, inactivityTimeout: 2 });
    const running = await world.start(op);
    await objects.create("unheard");
    await world.until(() => events.length === 1, 10);
    const again = `watch ${versions[0]}`;
    assert.deepEqual([course(place.proxy), events], [["list", again, again], ["ADDED unheard"]]);
    await running.stop();
  });

  scenario("[B224] is asked for again after 429, no sooner than the server says", async (world) => {
    const objects = new Objects(world);
    await using place = await world.proxy();
    place.proxy.inject(WATCHES, refuse(429, { retryAfter: 1 }));
    const { op, events } = noting(PAGES, { networking: { errorBackoffs: [] } });
    const running = await world.start(op);
    await objects.create("a");
    await world.until(() => events.length === 1, 10);
    assert.deepEqual([course(place.proxy).length, events], [3, ["ADDED a"]]);
    const pauses = running.logs.flatMap(({ fields: { pause } }) => typeof pause === "number" ? [pause] : []);
    assert.ok(pauses.length === 1 && Number(pauses[0]) >= 1, `${pauses}`);
    await running.stop();
  });

  scenario(
    "[B225] says how long a stream may last, and the server ends it then, again and again",
    async (world) => {
      const objects = new Objects(world);
      await using place = await world.proxy();
      const { op, events } = noting({ ...PAGES, serverTimeout: 1 });
      const running = await world.start(op);
      await world.until(() => course(place.proxy).length >= 4, 30);
      await objects.create("a");
      await world.until(() => events.length === 1, 10);
      const streams = place.proxy.seen.filter(({ verb }) => verb === "watch");
      assert.deepEqual([...new Set(streams.map(({ query }) => query.get("timeoutSeconds")))], ["1"]);
      assert.equal(course(place.proxy).filter((step) => step === "list").length, 1);
      assert.deepEqual([events, warnings(running)], [["ADDED a"], []]);
      await running.stop();
    },
  );
});

/** Gives a list of two in two pages, whether anybody asked for pages or not. */
function splitInTwo(proxy: FaultyProxy): void {
  let rest: unknown[] = [];
  proxy.inject(LISTS, async ({ query }, forward) => {
    if (query.has("continue")) return Response.json({ ...head, items: rest });
    const list = await (await forward()).json() as { metadata: object; items: unknown[] };
    const [first, ...others] = list.items;
    rest = others;
    head = { ...list, items: [] };
    return Response.json({ ...list, metadata: { ...list.metadata, continue: "more?&" }, items: [first] });
  }, Infinity);
  let head: object = {};
}

/** An operator whose requests for one object are refused, and how many have come. */
async function refused(
  world: World,
  { networking, answer }: {
    readonly networking: NonNullable<OperatorOptions["networking"]>;
    readonly answer: Parameters<FaultyProxy["inject"]>[1];
  },
): Promise<{ readonly attempts: number; readonly error: unknown; readonly delays: readonly unknown[] }> {
  const op = operator({ networking });
  op.on.event(Example, { id: "see" }, () => {});
  await using place = await world.proxy();
  const running = await world.start(op);
  const isWanted = ({ path }: Passing): boolean => path.endsWith("/examples/one");
  place.proxy.inject(isWanted, answer, Infinity);
  const error = await ask(op, world);
  const attempts = place.proxy.seen.filter(isWanted).length;
  const delays = running.logs.filter(({ fields }) => typeof fields["attempt"] === "number")
    .map(({ fields }) => fields["delay"]);
  await running.stop();
  return { attempts, error, delays };
}

/** Reads an object; returns the error, if it comes to that. */
async function ask(op: Operator, world: World): Promise<unknown> {
  let result: { readonly error: unknown } | undefined;
  op.api.get(Example, { name: "one", namespace: world.namespace }).then(
    () => result = { error: undefined },
    (error) => result = { error },
  );
  await world.until(() => result !== undefined, 60);
  return result?.error;
}

suite("A request that fails", (scenario) => {
  scenario(
    "[B228] [B233] is sent as often again as there are pauses, each time from the first",
    async (world) => {
      for (const code of world.place === "in the process" ? [429, 500, 503, 599] : [429, 503]) {
        const networking = { errorBackoffs: new Set([0, 0.01, 0.02]) };
        const { attempts, error } = await refused(world, { networking, answer: refuse(code) });
        assert.deepEqual([attempts, (error as ApiError).status], [4, code]);
      }
    },
  );

  scenario("[B230] counts in the same way when the connection breaks", async (world) => {
    const networking = { errorBackoffs: [0, 0, 0] };
    const { attempts, error } = await refused(world, { networking, answer: hangUp() });
    assert.deepEqual([attempts, error instanceof ApiError], [4, false]);
  });

  scenario("[B231] has one more attempt where a number is the pause", async (world) => {
    const { attempts, delays } = await refused(world, {
      networking: { errorBackoffs: 0.3 },
      answer: refuse(500),
    });
    assert.deepEqual([attempts, delays], [2, [0.3]]);
  });

  scenario("[B232] has no more attempts where there are no pauses", async (world) => {
    const { attempts } = await refused(world, { networking: { errorBackoffs: [] }, answer: refuse(500) });
    assert.equal(attempts, 1);
  });

  scenario(
    "[B234] [B235] waits as long as the server asks, and exactly so where that is enforced",
    async (world) => {
      const inBody = JSON.stringify({
        ...{ kind: "Status", apiVersion: "v1", status: "Failure", code: 429, reason: "TooManyRequests" },
        details: { retryAfterSeconds: 1 },
      });
      for (const answer of [refuse(429, { retryAfter: 1 }), refuse(429, { body: inBody })]) {
        for (const enforceRetryAfter of [false, true]) {
          const networking = { errorBackoffs: [0.1, 1.5], enforceRetryAfter };
          const { delays } = await refused(world, { networking, answer });
          assert.deepEqual(delays, enforceRetryAfter ? [1, 1] : [1, 1.5]);
        }
      }
    },
  );

  scenario("[B229] is not sent again when the server says that it is wrong", async (world) => {
    const op = operator({ networking: { errorBackoffs: [0, 0, 0] } });
    op.on.event(Example, { id: "see" }, () => {});
    await new Objects(world).create("there");
    await using place = await world.proxy();
    const running = await world.start(op);
    const { namespace } = world;
    const wrong: Readonly<Record<number, () => Promise<unknown>>> = {
      400: () => Array.fromAsync(op.api.list(Example, { namespace, labelSelector: "((" })),
      404: () => op.api.get(Example, { namespace, name: "missing" }),
      409: () => op.api.create(Example, { metadata: { namespace, name: "there" } }),
      422: () => op.api.create(Example, { metadata: { namespace, name: "NOT/A/NAME" } }),
    };
    for (const [code, act] of Object.entries(wrong)) {
      const before = place.proxy.seen.length;
      let status: number | undefined;
      act().catch((error: ApiError) => status = error.status);
      await world.until(() => status !== undefined, 10);
      assert.deepEqual([status, place.proxy.seen.length - before], [Number(code), 1]);
    }
    await running.stop();
  });

  scenario("[B237] says what the server has said, or no more than a few words of it", async (world) => {
    const networking = { errorBackoffs: [] };
    const op = operator({ networking });
    op.on.event(Example, { id: "see" }, () => {});
    const running = await world.start(op);
    const error = await ask(op, world) as ApiError;
    assert.equal(error.reason, "NotFound");
    assert.match(error.message, /examples\.lotse\.test "one" not found/);
    await running.stop();
    const strange = await refused(world, { networking, answer: refuse(500, { body: '{"a":1}' }) });
    assert.doesNotMatch((strange.error as ApiError).message, /"a"/);
    const long = await refused(world, { networking, answer: refuse(500, { body: "long ".repeat(10_000) }) });
    assert.ok((long.error as ApiError).message.length < 500);
  });
});
