import assert from "node:assert/strict";
import { connect } from "node:net";
import { describe, it } from "node:test";
import { Metrics } from "../../../lib/engines/metrics/metrics.ts";
import type { Subject } from "../../../lib/execution/observer.ts";
import type { Resource } from "../../../lib/model/resource.ts";
import { currentHost } from "../../../lib/runtime/current_host.ts";
import { virtualHost } from "../../../lib/runtime/virtual/host.ts";

const resource = {
  group: "example.com",
  version: "v1",
  plural: "examples",
  kind: "Example",
  namespaced: true,
} as Resource;

function subjectOf(name: string): Subject {
  return { key: name, resource, body: { metadata: { name } } };
}

describe("Metrics", () => {
  it("counts sub-handlers under their parent, and objects under their kind", async () => {
    using metrics = new Metrics({ host: currentHost() });
    const attempt = { noun: "Handler", handler: "make/for-db-1", family: "make/*", retry: 0 };
    metrics.attemptBegins(subjectOf("db-1"), attempt);
    assert.match(await metrics.text(), /lotse_handlers_active\{noun="Handler"\} 1\n/);
    const end = { ...attempt, start: attempt, outcome: { kind: "success" as const }, seconds: 0.2 };
    metrics.attemptEnds(subjectOf("db-1"), end);
    metrics.attemptCounts(subjectOf("db-1"), end);
    const text = await metrics.text();
    assert.match(
      text,
      /lotse_handler_attempts_total\{kind="examples.example.com",handler="make\/\*",outcome="success"\} 1\n/,
    );
    assert.match(text, /lotse_handlers_active\{noun="Handler"\} 0\n/);
    assert.ok(!text.includes("db-1"));
  });

  it("does not count an object as waiting whose events were dropped", async () => {
    using metrics = new Metrics({ host: virtualHost() });
    const depth = async () => (await metrics.text()).match(/^workqueue_depth\{.*\} (\d+)$/m)?.[1] ?? "0";
    metrics.enqueued(subjectOf("a"), "MODIFIED");
    const subject = subjectOf("b");
    metrics.enqueued(subject, "MODIFIED");
    assert.equal(await depth(), "2");
    metrics.dropped(subject);
    assert.equal(await depth(), "1");
  });

  it("tells how long each resource's worst watch has been silent, on a clock that is never set", async () => {
    const host = virtualHost();
    using metrics = new Metrics({ host });
    const none = (): number => 0;
    const calm = { phase: "watching", listed: true, restarts: 0, failures: 0, lastError: undefined } as const;
    metrics.attach({
      objects: () => new Map(),
      packed: () => [],
      hotLoops: () => new Map(),
      paused: () => new Map(),
      stuckHandlers: () => new Map(),
      handlers: () => [],
      failures: () => [],
      waitingEvents: none,
      background: none,
      planned: none,
      workerLimit: () => Infinity,
      requestLimit: () => Infinity,
      isPaused: () => false,
      replicas: () => undefined,
      watches: () => [
        { resource, state: { ...calm, since: 10, lastActivity: 50 } },
        { resource, state: { ...calm, since: 40, lastActivity: undefined } },
      ],
    });
    await host.clock.advance(70);
    assert.match(await metrics.text(), /lotse_watch_silence_seconds\{kind="examples.example.com"\} 30\n/);
  });

  it("tells of replicas, of their Leases, and of what webhooks share", async () => {
    const host = virtualHost();
    using metrics = new Metrics({ host });
    const none = (): number => 0;
    metrics.attach({
      objects: () => new Map(),
      packed: () => [],
      hotLoops: () => new Map(),
      paused: () => new Map(),
      stuckHandlers: () => new Map(),
      handlers: () => [],
      failures: () => [],
      waitingEvents: none,
      background: none,
      planned: none,
      workerLimit: () => Infinity,
      requestLimit: () => Infinity,
      isPaused: () => false,
      replicas: () => ({ name: "shop", held: [true, false, true] }),
      watches: () => [],
    });
    metrics.shardMoved("taken");
    metrics.slowRenewal("shop");
    metrics.certificateRead(true);
    metrics.certificateRead(false);
    metrics.webhooksRepaired("Secret");
    const text = await metrics.text();
    for (
      const line of [
        'leader_election_master_status{name="shop"} 1',
        'lotse_shards_held{name="shop"} 2',
        'lotse_shard_moves_total{reason="taken"} 1',
        'leader_election_slowpath_total{name="shop"} 1',
        "certwatcher_read_certificate_total 2",
        "certwatcher_read_certificate_errors_total 1",
        'lotse_webhook_repairs_total{kind="Secret"} 1',
      ]
    ) assert.ok(text.includes(`\n${line}\n`), line);
  });

  it("counts each restart of a watch once, also when the watch begins anew", async () => {
    using metrics = new Metrics({ host: virtualHost() });
    for (const restarts of [0, 2, 2, 3, 1]) {
      const state = {
        restarts,
        phase: "waiting",
        since: 0,
        lastActivity: 0,
        listed: true,
        failures: 1,
        lastError: 1,
      } as const;
      metrics.watchChanged(resource, { key: "a", state });
    }
    const text = await metrics.text();
    const counted = [...text.matchAll(/^lotse_watch_restarts_total\{.*\} (\d+)$/gm)].map(([, value]) =>
      Number(value)
    );
    assert.equal(counted.reduce((sum, each) => sum + each, 0), 4);
  });

  it("are served to others while a client takes its time to read, and nothing waits for it at the end", async () => {
    using metrics = new Metrics({ host: currentHost() });
    // As much as no buffer of a socket holds.
    for (let number = 0; number < 3000; number++) {
      const start = { noun: "Activity", handler: "a", family: `a${number}`, retry: 0 };
      metrics.attemptEnds(undefined, {
        ...start,
        start,
        outcome: { kind: "success" },
        seconds: 1,
      });
    }
    const server = await currentHost().network.serve({ fetch: (request) => metrics.answer(request) });
    const slow = connect(server.port, server.hostname);
    slow.on("error", () => {});
    slow.write("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
    slow.pause();
    for (let time = 0; time < 5; time++) {
      using connection = currentHost().network.connect({
        server: `http://${server.hostname}:${server.port}`,
      });
      const response = await connection.request({ method: "GET", path: "/metrics", headers: {} });
      assert.ok((await response.text()).length > 1_000_000);
    }
    const begun = currentHost().clock.monotonic();
    await server.close(0);
    assert.ok(currentHost().clock.monotonic() - begun < 2);
    slow.destroy();
  });
});
