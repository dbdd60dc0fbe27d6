/**
 * A real control plane: a test file has one for itself, borrowed or its own, and each scenario has a namespace.
 */

import type { Client } from "../../lib/client/client.ts";
import { type Credentials, fixedCredentials } from "../../lib/client/auth/connection_info.ts";
import { login } from "../../lib/client/auth/login.ts";
import { createClient } from "../../lib/client/object_client.ts";
import { Transport } from "../../lib/client/transport/transport.ts";
import type { Operator } from "../../lib/operator/operator.ts";
import type { RunOptions } from "../../lib/operator/run_options.ts";
import { currentHost } from "../../lib/runtime/current_host.ts";
import { createLogger, type LogRecord, silentLogger } from "../../lib/runtime/logging.ts";
import { defaultSettings } from "../../lib/settings/settings.ts";
import {
  type ControlPlane,
  type ControlPlaneOptions,
  startControlPlane,
} from "../control_plane/control_plane.ts";
import { borrowControlPlane } from "../control_plane/lending.ts";
import { FaultyProxy } from "./faulty_proxy.ts";
import { CLUSTER, NAMESPACED } from "./meeting.ts";
import { serveProxy, upstreamOf } from "./proxy_server.ts";
import { type RealUpstream, realUpstream } from "./real_upstream.ts";
import { hostFor, type TimedWorld, timedWorld } from "./virtual_world.ts";
import { EXAMPLES, makeKinds, PLAINS, type Running, type World } from "./worlds.ts";

/** How long a scenario may wait for something, in seconds of real time. */
const PATIENCE = 30;

/** How long nothing must happen for nothing to be coming any more, in seconds of real time. */
const QUIET = 1;

/** How long after their making kinds are served without a break, in seconds. */
const FRESH_KINDS = 3;

type AnyKind = Readonly<Record<"group" | "version" | "plural", string>> & { readonly namespaced: boolean };

const DEFINITIONS: AnyKind = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  namespaced: false,
};

const WEBHOOKS: readonly AnyKind[] = ["validating", "mutating"].map((what) => ({
  group: "admissionregistration.k8s.io",
  version: "v1",
  plural: `${what}webhookconfigurations`,
  namespaced: false,
}));

const PEERINGS: readonly AnyKind[] = [CLUSTER, NAMESPACED];

/** A control plane in which scenarios get worlds of their own. */
export class RealPlace implements AsyncDisposable {
  readonly plane: ControlPlane;
  readonly client: Client;
  /** When the kinds were made. */
  readonly #opened: number;
  #made = 0;
  #upstream: RealUpstream | undefined;
  #served: Promise<void> | undefined;

  private constructor(plane: ControlPlane, client: Client, opened: number) {
    this.plane = plane;
    this.client = client;
    this.#opened = opened;
  }

  /** Borrows a control plane where one is lent (`tests/control_plane/lending.ts`); with options it is the file's own. */
  static async open(options?: ControlPlaneOptions): Promise<RealPlace> {
    const lent = options === undefined ? await borrowControlPlane() : undefined;
    if (lent !== undefined) return new RealPlace(lent, await clientOf(lent), -Infinity);
    const plane = await startControlPlane(options);
    const client = await clientOf(plane);
    await makeKinds(client, () => sleep(0.2));
    return new RealPlace(plane, client, currentHost().clock.monotonic());
  }

  /** Makes the kinds in a control plane that is to be lent, and waits until they are served without a break. */
  static async prepare(plane: ControlPlane): Promise<void> {
    const client = await clientOf(plane);
    await makeKinds(client, () => sleep(0.2));
    await sleep(FRESH_KINDS);
    client.transport[Symbol.dispose]();
  }

  /** A world whose operators have a clock in the test's hand; only the server's time really passes. */
  async timedWorld(): Promise<TimedWorld> {
    await this.#clear();
    this.#upstream ??= realUpstream(this.plane);
    const { fetch } = this.#upstream;
    const host = hostFor({ patience: 3 });
    const world = timedWorld({ host, place: "on a real control plane", namespace: "default", fetch });
    const virtually = world.until;
    return Object.assign(world, {
      // NB: the server's own time passes by itself: what it has not come to yet needs patience, and no timer.
      until: (condition: () => boolean | Promise<boolean>, within?: number) =>
        until(() => virtually(condition, within).then(() => true, retriable)),
    });
  }

  /** Removes what earlier scenarios have left: such a world has the whole cluster to itself. */
  async #clear(): Promise<void> {
    await this.#untilKindsAreServed();
    for (const kind of [EXAMPLES, PLAINS]) await this.#remove(kind);
    for (const kind of WEBHOOKS) await this.#remove(kind);
    // NB: the kinds of peering stay, as definitions take seconds to go and to come.
    for (const kind of PEERINGS) await this.#remove(kind).catch(() => {});
    const own = [EXAMPLES, PLAINS, ...PEERINGS].map(({ plural, group }) => `${plural}.${group}`);
    await this.#remove(DEFINITIONS, own);
    await until(async () => (await this.#names(DEFINITIONS)).every(({ name }) => own.includes(name)));
  }

  /** NB: the first who asks for a new kind is refused, and a definition's first watches are ended after a second or two. */
  #untilKindsAreServed(): Promise<void> {
    return this.#served ??= (async () => {
      for (const kind of [EXAMPLES, PLAINS]) await this.#names(kind);
      await sleep(Math.max(0, this.#opened + FRESH_KINDS - currentHost().clock.monotonic()));
    })();
  }

  async #names(kind: AnyKind): Promise<{ readonly name: string; readonly namespace: string | undefined }[]> {
    const found = [];
    for await (const { items } of this.client.list(kind)) {
      for (const { metadata: { name = "", namespace } } of items) found.push({ name, namespace });
    }
    return found;
  }

  async #remove(kind: AnyKind, kept: readonly string[] = []): Promise<void> {
    for (const address of await this.#names(kind)) {
      if (kept.includes(address.name)) continue;
      const body = { metadata: { finalizers: null } };
      if (kind !== DEFINITIONS) {
        await this.client.patch(kind, address, { type: "merge", body }).catch(() => {});
      }
      await this.client.delete(kind, address).catch(() => {});
    }
  }

  async #makeNamespace(): Promise<string> {
    const namespace = `scenario-${++this.#made}`;
    await this.client.create({ group: "", version: "v1", plural: "namespaces", namespaced: false }, {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: namespace },
    });
    return namespace;
  }

  async world(): Promise<World> {
    const { client, plane } = this;
    await this.#untilKindsAreServed();
    const namespace = await this.#makeNamespace();
    let credentials: Credentials | undefined;
    return {
      place: "on a real control plane",
      client,
      namespace,
      start: (op, options) =>
        startReal(op, { scope: [namespace], kubeconfig: plane.kubeconfig, credentials, ...options }),
      proxy: async () => {
        const upstream = upstreamOf(plane);
        const proxy = new FaultyProxy(upstream);
        const server = await serveProxy(proxy);
        credentials = fixedCredentials({ server: server.url });
        return {
          proxy,
          breakAll: () => server.breakAll(),
          async [Symbol.asyncDispose]() {
            credentials = undefined;
            await server[Symbol.asyncDispose]();
            upstream[Symbol.dispose]();
          },
        };
      },
      until,
      // Real time: there is no other way to see that nothing comes.
      settle: () => sleep(QUIET),
      close: () => Promise.resolve(),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#upstream?.[Symbol.dispose]();
    this.client.transport[Symbol.dispose]();
    await this.plane[Symbol.asyncDispose]();
  }
}

/** A client of the administrator. */
async function clientOf({ kubeconfig }: ControlPlane): Promise<Client> {
  const host = currentHost();
  const credentials = await login({ host, logger: silentLogger(), kubeconfig });
  const { networking } = defaultSettings();
  return createClient(new Transport({ host, credentials, networking, logger: silentLogger() }));
}

async function startReal(op: Operator, options: RunOptions): Promise<Running> {
  const host = currentHost();
  const logs: LogRecord[] = [];
  const write = (record: LogRecord): void => {
    // NB: it speaks of the machine, which is busy with other tests.
    if (!record.message.startsWith("The event loop was blocked")) logs.push(record);
  };
  const logger = createLogger({ level: "debug", write }, host.clock);
  const controller = new AbortController();
  const synced = Promise.withResolvers<void>();
  const run = op.run({ ...options, host, logger, signal: controller.signal, synced: synced.resolve });
  run.catch(synced.reject);
  await synced.promise;
  await sleep(QUIET);
  return {
    logs,
    stop: async () => {
      controller.abort();
      await run;
    },
  };
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const { clock } = currentHost();
  const end = clock.monotonic() + PATIENCE;
  while (!(await condition())) {
    if (clock.monotonic() > end) throw new Error(`The condition did not come true within ${PATIENCE} s`);
    await sleep(0.05);
  }
}

/** Whether a virtual wait may come true as the server goes on. @throws What it failed with otherwise. */
function retriable(error: unknown): boolean {
  if (error instanceof Error && error.message.endsWith("no timer is left")) return false;
  throw error;
}

async function sleep(seconds: number): Promise<void> {
  await currentHost().clock.sleep(seconds);
}
