import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { bridgeLogger, Poster, type PosterOptions } from "../../../lib/engines/posting/poster.ts";
import { createLogger, type LogRecord } from "../../../lib/runtime/logging.ts";
import { defaultSettings } from "../../../lib/settings/settings.ts";
import { fixedCredentials } from "../../../lib/client/auth/connection_info.ts";
import { createClient } from "../../../lib/client/object_client.ts";
import { Transport } from "../../../lib/client/transport/transport.ts";
import { virtualHost } from "../../../lib/runtime/virtual/host.ts";

interface Sent {
  readonly at: number;
  readonly method: string;
  readonly path: string;
  // deno-lint-ignore no-explicit-any -- events, looked at by hand
  readonly body: any;
}

/** A poster and an events API that answers as told. */
function setUp(settings: Partial<PosterOptions["settings"]> = {}, defaultNamespace?: string) {
  const host = virtualHost();
  const sent: Sent[] = [];
  const logs: LogRecord[] = [];
  const results: string[] = [];
  const begin = host.clock.now();
  const answers: { next: (sent: Sent) => Response | Promise<Response> | undefined } = {
    next: () => undefined,
  };
  host.network.route("https://events.test", async (request) => {
    const body = JSON.parse(await request.text());
    const path = new URL(request.url).pathname;
    const one = { at: (host.clock.now() - begin) / 1000, method: request.method, path, body };
    sent.push(one);
    const name = path.split("/").at(-1);
    const metadata = { ...body.metadata, name: name === "events" ? `e-${sent.length}` : name };
    return await answers.next(one) ?? Response.json({ ...body, metadata });
  });
  const logger = createLogger({ level: "debug", write: (record) => logs.push(record) }, host.clock);
  const { networking, posting } = defaultSettings();
  const credentials = fixedCredentials({ server: "https://events.test", defaultNamespace });
  const client = createClient(new Transport({ host, credentials, networking, logger }));
  const poster = new Poster({
    client,
    clock: host.clock,
    logger,
    settings: { ...posting, ...settings },
    onResult: (result) => results.push(result),
  });
  return { host, poster, sent, logs, results, answers };
}

const A = { apiVersion: "example.com/v1", kind: "Example", name: "a", uid: "u-a", namespace: "ns" };
const B = { ...A, name: "b", uid: "u-b" };
const say = (message: string) => ({ type: "Normal", reason: "Said", message });
const refuse = (status: number, headers: Record<string, string> = {}) =>
  Response.json({ kind: "Status", apiVersion: "v1", status: "Failure", code: status }, { status, headers });

describe("Poster", () => {
  it("warns once when the API refuses, and says when it works again", async () => {
    const { host, poster, logs, results, answers } = setUp({ defaultBackoffs: [1, 1] });
    answers.next = () => refuse(555);
    for (const message of ["one", "two", "three"]) poster.post(A, say(message));
    await host.clock.advance(60);
    const warnings = logs.filter(({ level }) => level === "warn" || level === "error");
    assert.equal(warnings.length, 1);
    assert.match(warnings[0]?.message ?? "", /^Cannot post an event/);
    assert.deepEqual(results, ["dropped", "dropped", "dropped"]);
    answers.next = () => undefined;
    poster.post(A, say("four"));
    await host.clock.settle();
    assert.deepEqual(logs.filter(({ level }) => level === "info").map(({ fields }) => fields.dropped), [3]);
    assert.deepEqual(results.at(-1), "posted");
    await poster.stop();
  });

  it("[C23] posts an object's events in order, holds up no other object, and forgets it after a silence", async () => {
    const { host, poster, sent, answers } = setUp();
    answers.next = ({ at, body }) => body.regarding.name === "a" && at < 100 ? refuse(500) : undefined;
    poster.post(A, say("first"), { backoffs: Array.from({ length: 100 }, () => 1) });
    poster.post(A, say("second"));
    poster.post(B, say("at once"));
    await host.clock.settle();
    assert.deepEqual(sent.map(({ body }) => body.note), ["first", "at once"]);
    assert.equal(poster.size, 2);
    await host.clock.advance(0.9);
    assert.equal(poster.size, 2);
    await host.clock.advance(0.2);
    assert.equal(poster.size, 1, "b has been silent for a second");
    await host.clock.advance(0.9);
    poster.post(B, say("again"));
    await host.clock.settle();
    assert.equal(sent.at(-1)?.body.note, "again");
    await host.clock.advance(120);
    const ofA = sent.filter(({ body }) => body.regarding?.name === "a").map(({ body }) => body.note);
    assert.deepEqual([ofA.indexOf("second"), ofA.lastIndexOf("first")], [ofA.length - 1, ofA.length - 2]);
    assert.equal(poster.size, 0);
    await poster.stop();
  });

  it("[C24] retries as its own settings or the call say, not as those of the network", async () => {
    const { host, poster, sent, answers } = setUp({ defaultBackoffs: [3, 4] });
    answers.next = () => refuse(500);
    poster.post(A, say("by default"));
    poster.post(B, say("by the call"), { backoffs: 9 });
    await host.clock.advance(600);
    const times = (name: string) =>
      sent.filter(({ body }) => body.regarding.name === name).map(({ at }) => at);
    assert.deepEqual(times("a"), [0, 3, 7]);
    assert.deepEqual(times("b"), [0, 9]);
    await poster.stop();
  });

  it("makes one event where the answer to the first attempt was lost", async () => {
    const { host, poster, sent, results, answers } = setUp({ defaultBackoffs: [1, 1] });
    answers.next = ({ method, body: { metadata } }) => {
      if (method === "PATCH") return undefined;
      if (sent.length === 1) return refuse(504);
      const details = { name: metadata.name, kind: "events" };
      return Response.json({ kind: "Status", code: 409, reason: "AlreadyExists", details }, { status: 409 });
    };
    poster.post(A, say("once"));
    await host.clock.advance(10);
    const [first, second] = sent;
    assert.equal(second?.body.metadata.name, first?.body.metadata.name);
    assert.match(first?.body.metadata.name, /^lotse-event-[0-9a-f]{12}$/);
    poster.post(A, say("once"));
    await host.clock.advance(10);
    assert.equal(sent.at(-1)?.path.split("/").at(-1), first?.body.metadata.name, "it is counted on it");
    assert.deepEqual(results, ["posted", "repeated"]);
    await poster.stop();
  });

  it("[C26] posts what is queued behind an event whose post times out", async () => {
    const { host, poster, sent, logs, answers } = setUp({ defaultBackoffs: [] });
    answers.next = ({ body }) => body.note === "lost" ? new Promise<Response>(() => {}) : undefined;
    for (const message of ["lost", "second", "third"]) poster.post(A, say(message));
    await host.clock.advance(74);
    assert.deepEqual(sent.map(({ body }) => body.note), ["lost"]);
    await host.clock.advance(2);
    assert.deepEqual(sent.map(({ body }) => body.note), ["lost", "second", "third"]);
    assert.equal(logs.filter(({ level }) => level === "warn").length, 1);
    await poster.stop();
  });

  it("counts the same event on the first one, in a series, until it has been silent for long", async () => {
    const { host, poster, sent, results } = setUp();
    for (let round = 0; round < 3; round++) {
      poster.post(A, say("again"));
      await host.clock.advance(60);
    }
    assert.deepEqual(sent.map(({ method, body }) => [method, body.series?.count]), [
      ["POST", undefined],
      ["PATCH", 2],
      ["PATCH", 3],
    ]);
    assert.equal(sent[1]?.path, "/apis/events.k8s.io/v1/namespaces/ns/events/e-1");
    await host.clock.advance(400);
    poster.post(A, say("again"));
    await host.clock.settle();
    assert.equal(sent.at(-1)?.method, "POST");
    assert.deepEqual(results, ["posted", "repeated", "repeated", "posted"]);
    await poster.stop();
  });

  it("counts what was said while the first one was on its way, and makes a new one if that has gone", async () => {
    const { host, poster, sent, answers } = setUp();
    for (let time = 0; time < 5; time++) poster.post(A, say("again"));
    await host.clock.settle();
    assert.deepEqual(sent.map(({ method, body }) => [method, body.series?.count]), [
      ["POST", undefined],
      ["PATCH", 5],
    ]);
    answers.next = ({ method }) => method === "PATCH" ? refuse(404) : undefined;
    poster.post(A, say("again"));
    await host.clock.settle();
    assert.deepEqual(sent.slice(2).map(({ method }) => method), ["PATCH", "POST"]);
    await poster.stop();
  });

  it("drops what there is no room for, while the API answers 429 for minutes, and warns once", async () => {
    const { host, poster, sent, logs, results, answers } = setUp({ defaultBackoffs: [60, 60, 60, 60, 60] });
    answers.next = () => refuse(429, { "retry-after": "30" });
    for (let number = 0; number < 300; number++) poster.post(A, say(String(number)));
    await host.clock.advance(240);
    assert.ok(poster.waiting <= 100);
    assert.equal(results.length, 200);
    assert.equal(sent.length, 5);
    const said = logs.filter(({ level }) => level !== "debug").map(({ level, message }) =>
      `${level} ${message}`
    );
    assert.deepEqual(said, [
      "warn Cannot post an event: it is dropped, and so are others until it works again",
      "warn The server has too many requests: they are slowed down",
    ]);
    const stopped = poster.stop();
    await host.clock.advance(3);
    await stopped;
  });

  it("posts what waits when it stops, but waits for two seconds only", async () => {
    const quick = setUp();
    quick.poster.post(A, say("last words"));
    await quick.poster.stop();
    assert.deepEqual(quick.results, ["posted"]);
    const slow = setUp();
    slow.answers.next = () => new Promise<Response>(() => {});
    slow.poster.post(A, say("never heard"));
    let isOver = false;
    void slow.poster.stop().then(() => isOver = true);
    await slow.host.clock.advance(1.9);
    assert.equal(isOver, false);
    await slow.host.clock.advance(0.2);
    assert.equal(isOver, true);
    assert.equal(slow.poster.size, 0);
  });

  it("[B296] posts about cluster-scoped objects in the credentials' namespace, else in the default one", async () => {
    for (const [given, expected] of [["mine", "mine"], [undefined, "default"]] as const) {
      const { host, poster, sent } = setUp({}, given);
      const { namespace: _, ...reference } = A;
      // The first request tells what the credentials say.
      poster.post(B, say("warm up"));
      await host.clock.settle();
      poster.post(reference, say("hello"));
      await host.clock.settle();
      assert.equal(sent.at(-1)?.path, `/apis/events.k8s.io/v1/namespaces/${expected}/events`);
      assert.equal(sent.at(-1)?.body.regarding.namespace, expected);
      await poster.stop();
    }
  });

  it("[A270] [B299] posts nothing about events", async () => {
    const { host, poster, sent, logs } = setUp();
    for (const apiVersion of ["v1", "events.k8s.io/v1"]) {
      poster.post({ ...A, apiVersion, kind: "Event" }, say("about an event"));
    }
    await host.clock.settle();
    assert.deepEqual([sent, logs], [[], []], "and says nothing of it");
    poster.post({ ...A, apiVersion: "calendar.test/v1", kind: "Event" }, say("about a party"));
    await host.clock.settle();
    assert.deepEqual(sent.map(({ body }) => body.note), ["about a party"]);
    await poster.stop();
  });
});

describe("bridgeLogger()", () => {
  it("posts lines from the given level on, with their variables, whatever the log itself takes", () => {
    const lines: string[] = [];
    const posted: unknown[] = [];
    const sink = { level: "error" as const, write: ({ message }: LogRecord) => void lines.push(message) };
    const logger = bridgeLogger(createLogger(sink, { now: () => 0 }), {
      level: () => "info",
      post: (content) => posted.push(content),
    });
    logger.debug("Chatter");
    logger.info("Hello", { whom: "world" });
    logger.child({ fields: { a: 1 } }).warn("Careful");
    logger.error("Failed", { error: new TypeError("oops") });
    assert.deepEqual(lines, ["Failed"]);
    assert.ok(logger.enabled("info"));
    assert.deepEqual(posted, [
      { type: "Normal", reason: "Logging", message: "Hello whom=world" },
      { type: "Warning", reason: "Logging", message: "Careful" },
      { type: "Error", reason: "Logging", message: "Failed: TypeError: oops" },
    ]);
  });
});
