/**
 * Several replicas in one process on one API server, each with a clock and a network of its own that a test can break.
 */

import assert from "node:assert/strict";
import { fixedCredentials } from "../../lib/client/auth/connection_info.ts";
import type { Client } from "../../lib/client/client.ts";
import { createClient } from "../../lib/client/object_client.ts";
import { Transport, type TransportOptions } from "../../lib/client/transport/transport.ts";
import type { ShardWork, Term, TermEnd } from "../../lib/engines/replicas/shard_fence.ts";
import { LEASES } from "../../lib/engines/replicas/lease.ts";
import type { LeaseSettings } from "../../lib/engines/replicas/options.ts";
import { Replicas } from "../../lib/engines/replicas/replicas.ts";
import { ReplicaClock } from "../../lib/kits/testing/replica_clock.ts";
import { apiServer } from "../../lib/kits/apiserver/mod.ts";
import type { KubeObject } from "../../lib/model/object.ts";
import type { Host } from "../../lib/runtime/host.ts";
import { createLogger, type LogRecord, silentLogger } from "../../lib/runtime/logging.ts";
import { type VirtualHost, virtualHost } from "../../lib/runtime/virtual/host.ts";
import { defaultSettings } from "../../lib/settings/settings.ts";

/** A request of a replica. */
export interface ReplicaRequest {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

/**
 * The fate of a request. pass: as ever. refuse: 500. hang: it does not arrive, and is not answered. lose: it is applied, and not
 * answered. late: its answer is on its way for two seconds.
 */
export type Fate = "pass" | "refuse" | "forbid" | "hang" | "lose" | "late";

export interface GroupOptions {
  readonly settings?: Partial<LeaseSettings>;
  readonly seed?: number;
}

const NAMESPACE = "default";

/** The API server, and the replicas at it. */
export class ReplicaGroup implements AsyncDisposable {
  readonly host: VirtualHost;
  readonly client: Client;
  readonly replicas: TestReplica[] = [];
  readonly #settings: LeaseSettings;
  readonly #fetch: (request: Request) => Promise<Response>;
  /** While set, nobody's requests arrive. */
  isOut = false;

  constructor({ settings = {}, seed = 1 }: GroupOptions = {}) {
    // NB: no request hangs but in a sleep, so that a machine that is busy may take its time.
    this.host = virtualHost({ seed, latency: true, patience: 1 });
    const server = apiServer({ host: this.host });
    this.#fetch = async (request) => await server.fetch(request);
    this.#settings = {
      name: "op",
      namespace: NAMESPACE,
      shards: 1,
      leaseDuration: 15,
      renewDeadline: 10,
      retryPeriod: 2,
      drainTimeout: 30,
      ...settings,
    };
    this.host.network.route("https://outside.test", this.#fetch);
    this.client = createClient(new Transport(this.#transport(this.host, "https://outside.test")));
  }

  /** Starts a replica that can work. */
  add(options: AddOptions = {}): TestReplica {
    const number = this.replicas.length;
    const { podName = `pod-${number}`, isAble = true, settings = {} } = options;
    const clock = new ReplicaClock(this.host.clock);
    const host: Host = { ...this.host, clock };
    const origin = `https://replica-${number}.test`;
    const replica = new TestReplica({
      podName,
      clock,
      host,
      settings: { ...this.#settings, ...settings },
      transport: this.#transport(host, origin),
      isAble,
    });
    this.host.network.route(origin, (request) => this.#serve(replica, request));
    this.replicas.push(replica);
    replica.engine.start();
    if (isAble) replica.engine.setAble(true);
    return replica;
  }

  async advance(seconds: number): Promise<void> {
    const { clock } = this.host;
    const end = clock.monotonic() + seconds;
    // In steps, so that a check after each sees states that last for a moment only.
    while (clock.monotonic() < end - 1e-6) {
      await clock.advance(Math.min(0.25, end - clock.monotonic()));
      this.check();
    }
  }

  async until(condition: () => boolean, within = 60): Promise<number> {
    const { clock } = this.host;
    const begun = clock.monotonic();
    while (!condition()) {
      assert.ok(clock.monotonic() - begun < within, `the condition must hold within ${within} s`);
      await clock.advance(0.05);
      this.check();
    }
    return clock.monotonic() - begun;
  }

  /** No two replicas may be responsible for one shard at once. */
  check(): void {
    const sizes = new Set(this.replicas.map(({ settings }) => settings.shards));
    const responsible: string[] = [];
    for (const replica of this.replicas) {
      if (replica.isDead) continue;
      for (const term of replica.terms.values()) {
        if (term.timeLeft() <= 0) continue;
        responsible.push(`${replica.settings.shards}/${term.shard}`);
      }
    }
    assert.equal(
      new Set(responsible).size,
      responsible.length,
      `two are responsible: ${responsible.join(" ")}`,
    );
    const active = new Set(responsible.map((each) => each.split("/")[0]));
    assert.ok(sizes.size === 1 || active.size <= 1, `two sets stand: ${responsible.join(" ")}`);
  }

  /** The shards of each live replica. */
  held(): number[][] {
    return this.replicas.map((replica) => replica.held);
  }

  async leases(): Promise<KubeObject[]> {
    const found: KubeObject[] = [];
    for await (const { items } of this.client.list(LEASES, { namespace: NAMESPACE })) found.push(...items);
    return found;
  }

  async lease(name: string): Promise<LeaseSpec> {
    // The server checks what Leases look like.
    return (await this.client.get(LEASES, { namespace: NAMESPACE, name })).spec as LeaseSpec;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.isOut = false;
    for (const replica of this.replicas) await replica.finish(this.host.clock);
  }

  #transport(host: Host, server: string): TransportOptions {
    const { networking } = defaultSettings();
    return { host, credentials: fixedCredentials({ server }), networking, logger: silentLogger() };
  }

  async #serve(replica: TestReplica, request: Request): Promise<Response> {
    const { clock } = this.host;
    const url = new URL(request.url);
    const seen = {
      method: request.method,
      path: url.pathname + url.search,
      body: await request.clone().text(),
    };
    replica.requests.push(seen);
    const hang = async (): Promise<never> => {
      await clock.sleep(Infinity, request.signal);
      throw Object.assign(new Error("The connection was reset"), { code: "ECONNRESET" });
    };
    const fate = this.isOut || replica.isIsolated ? "hang" : replica.fate(seen);
    if (fate === "hang") await hang();
    if (fate === "refuse") return refusal(500, "InternalError", "The server fails");
    if (fate === "forbid") return refusal(403, "Forbidden", forbiddenBy(seen));
    const response = await this.#fetch(request);
    if (fate === "lose") await hang();
    if (fate === "late") await clock.sleep(2, request.signal);
    await replica.clock.thawed();
    if (response.body === null) return response;
    return new Response(response.body.pipeThrough(this.#gated(replica)), response);
  }

  /** Nothing arrives at a process that is stopped, or without a network. */
  #gated(replica: TestReplica): TransformStream<Uint8Array, Uint8Array> {
    return new TransformStream({
      transform: async (chunk, controller) => {
        await replica.clock.thawed();
        // NB: of a process that was killed nobody reads on.
        if (replica.isDead) await this.host.clock.sleep(Infinity);
        while (this.isOut || replica.isIsolated) await this.host.clock.sleep(0.5);
        controller.enqueue(chunk);
      },
    });
  }
}

function refusal(code: number, reason: string, message: string): Response {
  const status = { kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message };
  return Response.json(status, { status: code });
}

/** As Kubernetes says it. */
function forbiddenBy({ method, path }: ReplicaRequest): string {
  const verbs: Readonly<Record<string, string>> = {
    POST: "create",
    PUT: "update",
    DELETE: "delete",
    GET: "list",
  };
  const verb = path.includes("watch=") ? "watch" : verbs[method];
  return `leases.coordination.k8s.io is forbidden: User "op" cannot ${verb} resource "leases" in API group ` +
    `"coordination.k8s.io" in the namespace "${NAMESPACE}"`;
}

export interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseTransitions?: number;
  readonly leaseDurationSeconds?: number;
}

export interface AddOptions {
  readonly podName?: string;
  readonly isAble?: boolean;
  readonly settings?: Partial<LeaseSettings>;
}

interface TestReplicaOptions {
  readonly podName: string;
  readonly clock: ReplicaClock;
  readonly host: Host;
  readonly settings: LeaseSettings;
  readonly transport: TransportOptions;
  readonly isAble: boolean;
}

/** One replica, whose work notes what it is told. */
export class TestReplica implements ShardWork {
  readonly engine: Replicas;
  readonly clock: ReplicaClock;
  readonly settings: LeaseSettings;
  readonly requests: ReplicaRequest[] = [];
  readonly logs: LogRecord[] = [];
  /** Calls of the work, such as "begin 0". */
  readonly told: string[] = [];
  /** The terms that count, by shard. */
  readonly terms = new Map<number, Term>();
  /** Handlers that run: while any does, nothing is drained. */
  readonly running = new Map<number, PromiseWithResolvers<void>>();
  fate: (request: ReplicaRequest) => Fate = () => "pass";
  isIsolated = false;
  isDead = false;
  readonly #transport: Transport;
  readonly #paused = new Map<number, Term>();

  constructor(options: TestReplicaOptions) {
    const { clock, host, settings, transport, podName } = options;
    this.clock = clock;
    this.settings = settings;
    const write = (record: LogRecord): void => void this.logs.push(record);
    const logger = createLogger({ level: "debug", write }, clock);
    this.#transport = new Transport(transport);
    const { watching } = defaultSettings();
    this.engine = new Replicas({
      host,
      logger,
      settings,
      watching,
      client: createClient(this.#transport),
      transport,
      podName,
      release: "1.0.0",
      work: this,
    });
  }

  get held(): number[] {
    if (this.isDead) return [];
    return [...this.terms].filter(([, term]) => term.timeLeft() > 0).map(([shard]) => shard)
      .sort(
        (a, b) => a - b,
      );
  }

  begin(term: Term): void {
    assert.ok(!this.terms.has(term.shard), "a shard that is held does not begin");
    this.told.push(`begin ${term.shard}`);
    this.terms.set(term.shard, term);
  }

  pause(term: Term): void {
    assert.equal(this.terms.get(term.shard), term);
    this.told.push(`pause ${term.shard}`);
    this.terms.delete(term.shard);
    this.#paused.set(term.shard, term);
  }

  proceed(term: Term, previous: Term): void {
    assert.equal(this.#paused.get(term.shard), previous);
    assert.ok(term.number > previous.number);
    this.told.push(`proceed ${term.shard}`);
    this.#paused.delete(term.shard);
    this.terms.set(term.shard, term);
  }

  async drain(term: Term): Promise<void> {
    this.told.push(`drain ${term.shard}`);
    await this.running.get(term.shard)?.promise;
  }

  resume(term: Term): void {
    this.told.push(`resume ${term.shard}`);
  }

  end(term: Term, why: TermEnd): readonly string[] {
    assert.equal(this.terms.get(term.shard) ?? this.#paused.get(term.shard), term);
    assert.ok(term.signal.aborted);
    this.told.push(`end ${term.shard} ${why}`);
    this.terms.delete(term.shard);
    this.#paused.delete(term.shard);
    return this.running.has(term.shard) ? [`handler of ${term.shard}`] : [];
  }

  /** A handler runs from now on. */
  run(shard: number): PromiseWithResolvers<void> {
    const running = Promise.withResolvers<void>();
    this.running.set(shard, running);
    running.promise.then(() => this.running.delete(shard));
    return running;
  }

  /** As kill -9: nothing of it runs any more. */
  kill(): void {
    this.isDead = true;
    this.isIsolated = true;
    this.clock.freeze();
  }

  /** As SIGTERM: an orderly end. */
  async stop(timeout = 10): Promise<void> {
    await this.engine.leave({ timeout });
    await this.engine[Symbol.asyncDispose]();
    this.#transport[Symbol.dispose]();
    this.isDead = true;
  }

  messages(): string[] {
    return this.logs.map(({ message }) => message);
  }

  async finish(clock: { advance(seconds: number): Promise<void> }): Promise<void> {
    this.isIsolated = false;
    this.fate = () => "pass";
    this.clock.thaw();
    let isOver = false;
    const ended = this.engine[Symbol.asyncDispose]().then(() => void (isOver = true));
    for (let round = 0; !isOver && round < 100; round++) {
      await clock.advance(this.settings.renewDeadline / 20);
    }
    await ended;
    this.#transport[Symbol.dispose]();
  }
}
