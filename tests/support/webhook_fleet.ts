/**
 * Replicas of operators that serve webhooks behind one Service: each a process of its own at the API server in the process, asked
 * by it as by a real one. Only replicas that are ready are asked, as a Service has it, and only while their certificate is one
 * that the `caBundle` of the call trusts.
 */

import assert from "node:assert/strict";
import { fixedCredentials } from "../../lib/client/auth/connection_info.ts";
import type { Client } from "../../lib/client/client.ts";
import { ApiError } from "../../lib/client/errors.ts";
import { apiServer } from "../../lib/kits/apiserver/mod.ts";
import { ReplicaWorld } from "../../lib/kits/testing/replica.ts";
import type { Operator } from "../../lib/operator/operator.ts";
import { splitCertificates } from "../../lib/handlers/admission/webhook_secret.ts";
import { issuerOf } from "../../lib/runtime/certificate_facts.ts";
import type {
  Connection,
  ConnectOptions,
  Host,
  HttpRequest,
  HttpResponse,
  Seconds,
} from "../../lib/runtime/host.ts";
import { createLogger, type LogRecord } from "../../lib/runtime/logging.ts";
import { type VirtualHost, virtualHost } from "../../lib/runtime/virtual/host.ts";
import { operator, webhookServer } from "../../mod.ts";
import { clientOf } from "./virtual_world.ts";
import { EXAMPLES, makeKinds } from "./worlds.ts";

export const NAME = "ferries";
export const SERVICE = `${NAME}-webhook`;
export const MANAGED = "hooks.example.com";

export interface ReleaseOptions {
  /** Declares the handlers. */
  readonly declare: (op: Operator) => void;
  readonly name?: string;
  readonly namespace?: string;
  readonly managed?: string | null;
  readonly admission?: Readonly<Record<string, unknown>>;
  readonly crds?: "apply";
}

/** What became of requests for objects that handlers forbid. */
export interface Tally {
  /** Refused by the handler, as it should be. */
  denied: number;
  /** Refused, since the webhook could not be asked. */
  refused: number;
  /** Let in: must never be. */
  admitted: number;
  readonly reasons: string[];
}

/** How often readiness is asked for, as a kubelet does. */
const PROBE: Seconds = 1;

/** The API server, and the replicas at it. */
export class WebhookFleet {
  readonly host: VirtualHost;
  readonly client: Client;
  readonly pods: Pod[] = [];
  readonly fetch: (request: Request) => Promise<Response>;
  /** Requests of replicas that change something: "METHOD path". */
  readonly writes: string[] = [];
  /** All texts that replicas have sent, for what must be in none of them. */
  readonly sent: string[] = [];
  /** Requests of replicas that are answered with 403. */
  refuses: ((request: Request) => boolean) | undefined;
  #turn = 0;
  #opened = 0;

  constructor({ seed = 1 }: { readonly seed?: number } = {}) {
    this.host = virtualHost({ seed, latency: true, patience: 1 });
    const { network } = this.host;
    const connect = (options: ConnectOptions): Connection =>
      options.server.includes(`${SERVICE}.`) ? this.#service(options) : network.connect(options);
    const server = apiServer({
      host: { ...this.host, network: { connect, serve: (options) => network.serve(options) } },
    });
    this.fetch = async (request) => await server.fetch(request);
    this.client = clientOf({ host: this.host, fetch: this.fetch });
  }

  static async open(options?: { readonly seed?: number }): Promise<WebhookFleet> {
    const fleet = new WebhookFleet(options);
    await makeKinds(fleet.client, () => fleet.host.clock.advance(1));
    return fleet;
  }

  /** Starts a replica of a release. */
  add(release: ReleaseOptions): Pod {
    const number = this.#opened++;
    const cluster = {
      host: this.host,
      fetch: async (request: Request): Promise<Response> => {
        if (this.refuses?.(request)) {
          const message = "secrets is forbidden";
          return Response.json({ kind: "Status", code: 403, reason: "Forbidden", message }, { status: 403 });
        }
        if (request.method !== "GET") {
          const text = await request.clone().text();
          this.writes.push(`${request.method} ${new URL(request.url).pathname}`);
          this.sent.push(text);
        }
        return await this.fetch(request);
      },
    };
    const pod = new Pod(new ReplicaWorld(cluster, number), { ...release, number });
    this.pods.push(pod);
    return pod;
  }

  /** Lets time pass, and probes readiness each second. */
  async advance(seconds: Seconds): Promise<void> {
    const { clock } = this.host;
    const end = clock.monotonic() + seconds;
    while (clock.monotonic() < end - 1e-6) {
      await clock.advance(Math.min(PROBE, end - clock.monotonic()));
      await this.probe();
    }
  }

  async until(condition: () => boolean | Promise<boolean>, within: Seconds = 120): Promise<Seconds> {
    const { clock } = this.host;
    const begun = clock.monotonic();
    while (!await condition()) {
      assert.ok(
        clock.monotonic() - begun < within,
        `the condition must hold within ${within} s\n${this.story()}`,
      );
      await this.advance(PROBE);
    }
    return clock.monotonic() - begun;
  }

  /** The last log lines, for people. */
  story(): string {
    return this.pods.map(({ title, logs, notReady }) =>
      `${title} (${notReady})\n` +
      logs.filter(({ level }) => level !== "debug").slice(-12).map(({ message, fields }) =>
        `  ${message} ${JSON.stringify(fields, (key, value) => key === "error" ? String(value) : value)}`
      ).join("\n")
    ).join("\n");
  }

  async probe(): Promise<void> {
    await Promise.all(this.pods.map((pod) => pod.probe(this.host)));
  }

  /** Asks for objects that are forbidden, in a dry run, and tells what became of it. */
  async ask(tally: Tally, object: Readonly<Record<string, unknown>> = { spec: { size: 11 } }): Promise<void> {
    const { group, version, kind } = EXAMPLES;
    const body = {
      apiVersion: `${group}/${version}`,
      kind,
      metadata: { generateName: "x-", namespace: "default" },
      ...object,
    };
    try {
      await this.client.transport.request({
        method: "POST",
        path: `/apis/${group}/${version}/namespaces/default/${EXAMPLES.plural}?dryRun=All`,
        body,
        backoffs: [],
      });
      tally.admitted += 1;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.message.includes("denied the request: Too large")) tally.denied += 1;
      else {
        tally.refused += 1;
        tally.reasons.push(`${this.host.clock.monotonic().toFixed(1)} ${error.message}`);
      }
    }
  }

  /** Asks four times a second for some time. */
  async load(tally: Tally, seconds: Seconds): Promise<void> {
    const { clock } = this.host;
    const end = clock.monotonic() + seconds;
    for (let round = 0; clock.monotonic() < end - 1e-6; round++) {
      await this.ask(tally);
      await clock.advance(0.25);
      if (round % 4 === 3) await this.probe();
    }
  }

  async close(): Promise<void> {
    for (const pod of this.pods) pod.stop();
    await this.until(() => this.pods.every(({ isRunning }) => !isRunning));
  }

  /** A Service, with the trust that a caller has. */
  #service({ ca = "" }: ConnectOptions): Connection {
    const request = async (sent: HttpRequest): Promise<HttpResponse> => {
      const ready = this.pods.filter((pod) => pod.isReady && pod.isRunning);
      const pod = ready[this.#turn++ % Math.max(1, ready.length)];
      const refused = (code: string): Error => Object.assign(new Error(code), { code });
      if (pod?.certificate === undefined) throw refused("ECONNREFUSED");
      if (issuerOf(pod.certificate, splitCertificates(ca)) === undefined) {
        throw refused("SELF_SIGNED_CERT_IN_CHAIN");
      }
      using connection = this.host.network.connect({ server: `https://[::]:${pod.port}` });
      const response = await connection.request(sent);
      const text = await response.text();
      const body = [new TextEncoder().encode(text)];
      return {
        status: response.status,
        headers: response.headers,
        text: () => Promise.resolve(text),
        body: (async function* () {
          yield* body;
        })(),
        cancel: () => {},
      };
    };
    return { request, [Symbol.dispose]: () => {} };
  }
}

/** One replica. */
export class Pod {
  readonly title: string;
  readonly port: number;
  readonly world: ReplicaWorld;
  readonly logs: LogRecord[] = [];
  /** As the Service has it. */
  isReady = false;
  isRunning = true;
  /** Why it is not ready. */
  notReady = "not asked yet";
  /** The certificate that it presents. */
  certificate: string | undefined;
  failure: unknown;
  readonly #probes: string;
  readonly #controller = new AbortController();

  constructor(world: ReplicaWorld, release: ReleaseOptions & { readonly number: number }) {
    const { number, declare, name = NAME, namespace = "default", managed = MANAGED, admission = {}, crds } =
      release;
    this.world = world;
    this.title = `pod-${number}`;
    this.port = 20_000 + number;
    this.#probes = `http://localhost:${10_000 + number}`;
    const op = operator({
      crds,
      replicas: { name, namespace },
      admission: {
        server: webhookServer({ port: this.port, service: { name: SERVICE, namespace: "default" } }),
        managed,
        ...admission,
      },
    });
    declare(op as unknown as Operator);
    const write = (record: LogRecord): void => void this.logs.push(record);
    op.run({
      scope: "cluster",
      host: this.#host(world.host),
      logger: createLogger({ level: "debug", write }, world.host.clock),
      credentials: fixedCredentials({ server: world.server }),
      signal: this.#controller.signal,
      liveness: `${this.#probes}/healthz`,
      identity: this.title,
    }).catch((error) => void (this.failure = error)).finally(() => void (this.isRunning = false));
  }

  /** Ends it in order. The Service notices at once: what is on its way comes nevertheless. */
  stop(): void {
    this.#controller.abort();
  }

  kill(): void {
    this.world.kill();
    this.isRunning = false;
    this.isReady = false;
  }

  async probe(host: Host): Promise<void> {
    if (!this.isRunning) return void (this.isReady = false);
    try {
      using connection = host.network.connect({ server: this.#probes });
      const response = await connection.request({ method: "GET", path: "/readyz?verbose", headers: {} });
      const text = await response.text();
      this.isReady = response.status === 200;
      this.notReady = text.split("\n").filter((line) => line.startsWith("[-]")).join("; ");
    } catch (error) {
      this.isReady = false;
      this.notReady = String(error);
    }
  }

  /** Returns its metrics as text. */
  async metrics(host: Host): Promise<string> {
    using connection = host.network.connect({ server: this.#probes });
    return await (await connection.request({ method: "GET", path: "/metrics", headers: {} })).text();
  }

  messages(): string[] {
    return this.logs.map(({ message }) => message);
  }

  /** Sees which certificate it presents. */
  #host(host: Host): Host {
    const { network } = host;
    return {
      ...host,
      network: {
        connect: (options) => network.connect(options),
        serve: async (options) => {
          const server = await network.serve(options);
          if (options.tls === undefined) return server;
          this.certificate = options.tls.cert;
          return {
            ...server,
            updateTls: (tls) => {
              this.certificate = tls.cert;
              server.updateTls(tls);
            },
          };
        },
      },
    };
  }
}
