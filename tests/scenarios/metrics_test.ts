import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readFileSync } from "node:fs";
import { type Operator, operator, PermanentError, TemporaryError } from "../../mod.ts";
import { Doorway, reviewOf } from "../support/reviews.ts";
import { suite } from "../support/scenario.ts";
import { Metrics } from "../../lib/engines/metrics/metrics.ts";
import { SECRETS } from "../../lib/model/kinds.ts";
import type { VirtualWorld } from "../support/virtual_world.ts";
import { SERVICE, WebhookFleet } from "../support/webhook_fleet.ts";
import { Example, Objects } from "../support/worlds.ts";

const LIVENESS = "http://localhost:8080/healthz";

interface Sample {
  readonly name: string;
  readonly labels: string;
  readonly value: number;
}

async function scrape({ host }: VirtualWorld): Promise<Sample[]> {
  using connection = host.network.connect({ server: "http://localhost:8080" });
  const response = await connection.request({ method: "GET", path: "/metrics", headers: {} });
  assert.equal(response.status, 200);
  assert.match(response.headers["content-type"] ?? "", /^text\/plain/);
  const lines = (await response.text()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return lines.map((line) => {
    const [, name = "", labels = "", value] = /^([a-z_]+)(\{.*\})? (\S+)$/.exec(line) ?? [];
    return { name: name.replace(/_(bucket|sum|count)$/, ""), labels, value: Number(value) };
  });
}

/** How attempts are counted: "handler outcome count". */
async function attemptCounts(world: VirtualWorld): Promise<string[]> {
  const counts = (await scrape(world)).filter(({ name, value }) =>
    name === "lotse_handler_attempts_total" && value > 0
  );
  return counts.map(({ labels, value }) =>
    `${/handler="(\w+)",outcome="(\w+)"/.exec(labels)?.slice(1).join(" ")} ${value}`
  ).toSorted();
}

function read(path: string): string {
  return readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
}

function documented(): string[] {
  return [...read("docs/metrics.md").matchAll(/^\| `([a-z_]+)` \|/gm)].map(([, name = ""]) => name);
}

/** Metrics that move among replicas alone. */
const OF_REPLICAS = /^(certwatcher_|leader_election_|lotse_shard|lotse_webhook_repairs)/;

describe("metrics of replicas", () => {
  it("[N11] that are documented move", async () => {
    const fleet = await WebhookFleet.open();
    const declare = (op: Operator): void => void op.on.validate(Example, { id: "check" }, () => {});
    fleet.add({ declare });
    fleet.add({ declare });
    await fleet.until(() => fleet.pods.every(({ isReady }) => isReady));
    const change = { type: "merge", body: { data: { "tls.key": "" } } } as const;
    await fleet.client.patch(SECRETS, { namespace: "default", name: SERVICE }, change);
    await fleet.advance(5);
    // The answers of some renewals are lost.
    fleet.refuses = ({ method, url }) => method === "PUT" && url.includes("/leases/");
    await fleet.advance(5);
    fleet.refuses = undefined;
    await fleet.advance(20);
    const texts = await Promise.all(fleet.pods.map((pod) => pod.metrics(fleet.host)));
    const moved = new Set(
      texts.join("\n").split("\n").flatMap((line) => {
        const [, name = "", value] = /^([a-z_]+)(?:\{.*\})? (\S+)$/.exec(line) ?? [];
        return Number(value) > 0 ? [name] : [];
      }),
    );
    assert.deepEqual(documented().filter((name) => OF_REPLICAS.test(name) && !moved.has(name)), []);
    await fleet.close();
  });
});

suite("metrics", (scenario) => {
  scenario.virtual(
    "attempts whose writes are refused count as what they become, and not as successes",
    async (world) => {
      const objects = new Objects(world);
      const op = operator({ execution: { defaultBackoff: 1 } });
      // The value of a label has no blanks.
      const wrong = (name: string) => ({ labels: { [name]: "a b" } });
      op.on.create(Example, { id: "once" }, ({ patch, retry }) => {
        if (retry === 0) patch.metadata = wrong("once");
      });
      op.on.create(
        Example,
        { id: "never", retries: 2 },
        ({ patch }) => void (patch.metadata = wrong("never")),
      );
      op.on.create(Example, { id: "fine" }, ({ patch }) => void (patch.status["fine"] = true));
      op.timer(Example, { id: "tick", interval: 1e6, backoff: 1 }, ({ patch, retry }) => {
        if (retry === 0) patch.metadata = wrong("tick");
      });
      op.daemon(Example, { id: "quiet" }, () => {});
      op.reconcile(Example, { id: "keep", backoff: 1 }, ({ patch, retry }) => {
        if (retry === 0) patch.metadata = wrong("keep");
      });
      const running = await world.start(op, { liveness: LIVENESS });
      await objects.create("one");
      await running.advance(60);
      assert.deepEqual(await attemptCounts(world), [
        "fine success 1",
        "keep retry 1",
        "keep success 1",
        "never failure 1",
        "never retry 1",
        "once retry 1",
        "once success 1",
        "quiet success 1",
        "tick retry 1",
        "tick success 1",
      ]);
      await running.stop();
    },
  );

  const wanting = (patch: { metadata: object }): void =>
    void (patch.metadata = { labels: { handled: "yes" } });
  const declarations: Readonly<Record<string, (op: Operator) => void>> = {
    "a create handler": (op) => op.on.create(Example, { id: "it" }, ({ patch }) => wanting(patch)),
    "a timer": (op) =>
      op.timer(Example, { id: "it", interval: 1e6, backoff: 1 }, ({ patch }) => wanting(patch)),
    "a reconcile": (op) => op.reconcile(Example, { id: "it", backoff: 1 }, ({ patch }) => wanting(patch)),
  };
  for (const [what, declare] of Object.entries(declarations)) {
    scenario.virtual(
      `attempts of ${what} whose writes cannot be sent count once, when they are refused or written`,
      async (world) => {
        const op = operator({ execution: { defaultBackoff: 1 }, networking: { errorBackoffs: [] } });
        declare(op);
        // It cannot be sent twice, then it is refused for good; the next attempt's neither, then it is written.
        const answers = [503, 503, 422, 503, 503];
        world.intercept = (request, { body }) => {
          if (request.method !== "PATCH" || !body.includes('"handled":"yes"')) return undefined;
          const status = answers.shift();
          return status === undefined ? undefined : new Response("{}", { status });
        };
        const running = await world.start(op, { liveness: LIVENESS });
        await new Objects(world).create("one");
        await running.advance(600);
        assert.deepEqual(answers, []);
        // A reconcile is called once more, as the object has changed.
        const successes = running.calls.length - 1;
        assert.ok(successes === 1 || what === "a reconcile", `${successes}`);
        assert.deepEqual(await attemptCounts(world), ["it retry 1", `it success ${successes}`]);
        await running.stop();
      },
    );
  }

  scenario.virtual(
    "attempts whose object goes before they are written count as they ended",
    async (world) => {
      const objects = new Objects(world);
      const op = operator({ networking: { errorBackoffs: [] } });
      op.on.create(
        Example,
        { id: "made" },
        ({ patch }) => void (patch.metadata = { labels: { made: "yes" } }),
      );
      world.intercept = (request) =>
        request.method === "PATCH" ? new Response("{}", { status: 503 }) : undefined;
      const running = await world.start(op, { liveness: LIVENESS });
      await objects.create("one");
      await running.advance(20);
      assert.deepEqual(await attemptCounts(world), [], "nothing is known yet");
      await objects.delete("one");
      await running.advance(60);
      assert.deepEqual(await attemptCounts(world), ["made success 1"]);
      await running.stop();
    },
  );

  scenario.virtual(
    "[N11] every metric that is documented moves, and no label holds an object's name",
    async (world) => {
      const objects = new Objects(world);
      const doors: Doorway[] = [];
      const server: Doorway["serve"] = (context) => {
        const door = new Doorway();
        doors.push(door);
        return door.serve(context);
      };
      const op = operator({
        queueing: { workerLimit: 2 },
        execution: { warnAfter: 1 },
        admission: { server },
        watching: { memory: "cold" },
      });
      const release = Promise.withResolvers<void>();
      let counter = 0;
      op.on.create(Example, async function make({ name, namespace, body, retry, sub }) {
        world.host.process.block(0.01);
        if (name === "secret-loop") await op.api.get(Example, { namespace: namespace ?? "", name });
        op.events.normal(body, { reason: "Made" });
        sub(`for-${name}`, () => {});
        if (name.startsWith("secret-flaky") && retry === 0) throw new TemporaryError("once", { delay: 1 });
        if (name.startsWith("secret-late")) throw new TemporaryError("later", { delay: 10_000 });
        if (name.startsWith("secret-bad")) throw new PermanentError("no");
        if (name.startsWith("secret-fault")) throw new TypeError("x is undefined");
        if (name.startsWith("secret-slow")) await release.promise;
      });
      op.on.validate(Example, { id: "check" }, () => release.promise);
      op.timer(Example, { interval: 600, field: "spec.ticks" }, function tick() {});
      op.on.create(Example, { attemptTimeout: 0.5 }, async function hang({ name, signal }) {
        if (!name.startsWith("secret-fault")) return;
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
      });
      op.on.update(Example, function loop({ patch }) {
        patch.spec.counter = ++counter;
      });
      world.intercept = (_, { path }) => {
        if (path.includes("/events")) return new Promise<Response>(() => {});
        return undefined;
      };
      const seen: Sample[] = [];
      const paused = await world.start(op, { liveness: LIVENESS, peering: "nowhere" });
      seen.push(...await scrape(world));
      await paused.stop();
      const running = await world.start(op, { liveness: LIVENESS, strayErrors: "handle" });
      world.host.process.stray(new Error("nobody awaited it"), "rejection");
      for (const name of ["secret-flaky", "secret-bad", "secret-fault", "secret-loop"]) {
        await objects.create(name);
      }
      await objects.create("secret-late", { spec: { ticks: true } });
      await objects.create("secret-paused", {
        metadata: { annotations: { "lotse.dev/pause": "until=2126-01-01T00:00:00Z reason=held" } },
      });
      // More than stay parsed.
      for (let number = 0; number < 20; number++) await objects.create(`secret-many-${number}`);
      await running.advance(5);
      await objects.patch("secret-loop", { spec: { counter: -1 } });
      await running.advance(5);
      seen.push(...await scrape(world));
      for (let number = 0; number < 4; number++) await objects.create(`secret-slow-${number}`);
      const review = doors.at(-1)?.context?.review(reviewOf(), { webhook: "check" });
      const strange = doors.at(-1)?.context?.review(reviewOf(), { webhook: "secret" });
      await assert.rejects(async () => await strange, /there is no handler "secret"/);
      await running.advance(2);
      seen.push(...await scrape(world));
      world.intercept = (request) =>
        request.method === "PATCH" ? new Response("{}", { status: 400 }) : undefined;
      release.resolve();
      assert.equal((await review)?.response.allowed, true);
      await running.advance(2);
      world.intercept = () => new Response("{}", { status: 429 });
      await objects.patch("secret-loop", { spec: { counter: -2 } });
      await running.advance(2);
      world.intercept = () => new Response("{}", { status: 500 });
      await running.advance(3000);
      seen.push(...await scrape(world));
      const names = [...new Set(seen.map(({ name }) => name))].sort();
      const wanted = documented().sort();
      assert.deepEqual(names.filter((name) => !wanted.includes(name)), [], "what is served is documented");
      const moved = new Set(seen.filter(({ value }) => value > 0).map(({ name }) => name));
      const alone = wanted.filter((name) => !OF_REPLICAS.test(name));
      assert.deepEqual(alone.filter((name) => !moved.has(name)), [], "what is documented moves");
      assert.deepEqual(seen.filter(({ labels }) => labels.includes("secret")), []);
      const reviews = seen.filter(({ name }) => name === "controller_runtime_webhook_requests_total");
      assert.deepEqual([...new Set(reviews.map(({ labels }) => labels))].sort(), [
        '{webhook="/check",code="200"}',
        '{webhook="unknown",code="404"}',
      ]);
      await running.stop();
    },
  );

  scenario.virtual("those who ask for the head alone take no place from others", async (world) => {
    const op = operator();
    op.on.event(Example, () => {});
    const running = await world.start(op, { liveness: LIVENESS });
    using connection = world.host.network.connect({ server: "http://localhost:8080" });
    for (let count = 0; count < 20; count++) {
      const { status } = await connection.request({ method: "HEAD", path: "/metrics", headers: {} });
      assert.equal(status, 200);
    }
    await scrape(world);
    await running.stop();
  });

  scenario.virtual("what daemons and timers write is counted, too", async (world) => {
    const op = operator();
    let runs = 0;
    op.timer(Example, { interval: 10 }, function stamp({ patch }) {
      patch.status.runs = ++runs;
    });
    const running = await world.start(op, { liveness: LIVENESS });
    await new Objects(world).create("one");
    await running.advance(45);
    const writes = (await scrape(world)).find(({ name }) => name === "lotse_writes_total");
    assert.equal(runs, 5);
    // The finalizer is one more.
    assert.equal(writes?.value, 6);
    await running.stop();
  });

  scenario.virtual("[N11.2] say what each handler's code costs", async (world) => {
    const { host } = world;
    const objects = new Objects(world);
    await objects.create("asked", { spec: { text: "ü" } });
    const op = operator();
    op.on.create(Example, { when: ({ name }) => name === "one" }, async function ask({ namespace, sub }) {
      host.process.block(0.2);
      const asked = await op.api.get(Example, { namespace: namespace ?? "", name: "asked" });
      host.process.block(0.3);
      const { labels } = asked.metadata;
      await op.api.patch(Example, { namespace: namespace ?? "", name: "asked" }, {
        metadata: { labels: { ...labels, text: "x" } },
      });
      await host.clock.sleep(10);
      host.process.block(0.7); // not seen
      sub("inner", async () => {
        host.process.block(0.05);
        await op.api.get(Example, { namespace: namespace ?? "", name: "nowhere" }).catch(() => {});
        host.process.block(0.01);
      });
    });
    op.timer(Example, { interval: 60, when: ({ name }) => name === "one" }, async function look({ patch }) {
      for await (const { metadata } of op.api.list(Example)) {
        if (metadata.name === "one") host.process.block(0.1);
      }
      patch.status.looked = true;
    });
    const running = await world.start(op, { liveness: LIVENESS });
    await objects.create("one");
    await running.advance(30);
    const costs = Object.fromEntries(
      (await scrape(world)).filter(({ name }) => /^lotse_handler_(requests|request_bytes|compute)/.test(name))
        .map(({ name, labels, value }) => [
          `${name.slice("lotse_handler_".length)} ${
            /handler="([^"]*)"(?:,direction="(\w+)")?/.exec(labels)?.slice(1).join(" ")
          }`,
          Math.round(value * 1000) / 1000,
        ]),
    );
    assert.deepEqual(
      [
        costs["compute_seconds_total ask "],
        costs["compute_seconds_total ask/* "],
        costs["compute_seconds_total look "],
      ],
      [0.5, 0.06, 0.1],
      JSON.stringify(costs),
    );
    assert.deepEqual(
      [costs["requests_total ask "], costs["requests_total ask/* "], costs["requests_total look "]],
      [2, 1, 1],
    );
    assert.equal(costs["request_bytes_total ask sent"], '{"metadata":{"labels":{"text":"x"}}}'.length);
    const { metadata } = await objects.get("asked");
    assert.ok((costs["request_bytes_total ask received"] ?? 0) > 2 * JSON.stringify({ metadata }).length);
    await running.stop();
  });

  scenario.virtual("[N11] what is documented has the labels that it is said to have", (world) => {
    const said = new Map(
      [...read("docs/metrics.md").matchAll(/^\| `([a-z_]+)` \| \w+ \| (.*?) \|/gm)].map((
        [, name = "", labels = ""],
      ) => [name, [...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label)]),
    );
    using metrics = new Metrics({ host: world.host });
    assert.deepEqual(new Map([...metrics.labels].sort()), new Map([...said].sort()));
    return Promise.resolve();
  });

  scenario.virtual("[N11] the dashboard asks for metrics that there are", async () => {
    const known = new Set(documented());
    const { panels } = JSON.parse(read("docs/grafana.json")) as { panels: { targets: { expr: string }[] }[] };
    const asked = panels.flatMap(({ targets }) =>
      targets.flatMap(({ expr }) => [
        ...expr.matchAll(/\b(?:lotse|workqueue|controller_runtime|rest_client|process)_[a-z_]+/g),
      ])
    ).map(([name]) => name.replace(/_bucket$/, ""));
    assert.ok(asked.length > 10);
    assert.deepEqual(asked.filter((name) => !known.has(name)), []);
    await Promise.resolve();
  });
});
