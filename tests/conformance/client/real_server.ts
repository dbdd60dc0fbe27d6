/** What the client's conformance tests share: a client of a real kube-apiserver, a kind of their own, watches under way. */

import type { Client } from "../../../lib/client/client.ts";
import type { Credentials } from "../../../lib/client/auth/connection_info.ts";
import { login } from "../../../lib/client/auth/login.ts";
import { createClient } from "../../../lib/client/object_client.ts";
import { type ApiRequest, Transport } from "../../../lib/client/transport/transport.ts";
import { Informer } from "../../../lib/client/cache/informer.ts";
import { watchObjects, type WatchOptions, type WatchState } from "../../../lib/client/watch/watcher.ts";
import type { KubeObject } from "../../../lib/model/object.ts";
import { currentHost } from "../../../lib/runtime/current_host.ts";
import { createLogger, type LogRecord } from "../../../lib/runtime/logging.ts";
import { defaultSettings } from "../../../lib/settings/settings.ts";
import type { ControlPlane } from "../../control_plane/control_plane.ts";

export const CONFIG_MAPS = { group: "", version: "v1", plural: "configmaps", namespaced: true } as const;
export const NAMESPACES = { group: "", version: "v1", plural: "namespaces", namespaced: false } as const;
export const SECRETS = { group: "", version: "v1", plural: "secrets", namespaced: true } as const;
export const WIDGETS = { group: "example.com", version: "v1", plural: "widgets", namespaced: true } as const;
export const DEFINITIONS = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  namespaced: false,
} as const;

/** How long anything may take, in seconds of real time. */
const PATIENCE = 40;

/** A client of a control plane, and what it sent. */
export interface RealClient {
  readonly client: Client;
  readonly requests: ApiRequest[];
  readonly logs: LogRecord[];
}

export async function connect(plane: ControlPlane, credentials?: Credentials): Promise<RealClient> {
  const host = currentHost();
  const requests: ApiRequest[] = [];
  const logs: LogRecord[] = [];
  const transport = new Transport({
    host,
    credentials: credentials ?? await login({ host, kubeconfig: plane.kubeconfig }),
    networking: defaultSettings().networking,
    logger: createLogger({ level: "debug", write: (record) => logs.push(record) }, host.clock),
    observer: { requestBegins: (request) => void requests.push(request) },
  });
  return { client: createClient(transport), requests, logs };
}

export function configMap(name: string, namespace: string, more: Record<string, unknown> = {}): KubeObject {
  const { labels, ...rest } = more;
  // Labels are texts by name.
  const metadata = { name, namespace, labels: labels as Record<string, string> | undefined };
  return { apiVersion: "v1", kind: "ConfigMap", metadata, ...rest };
}

export function widgetDefinition(): KubeObject {
  const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "widgets", kind: "Widget", shortNames: ["wd"], categories: ["all"] },
      versions: [{
        ...{ name: "v1", served: true, storage: true, subresources: { status: {} } },
        schema: { openAPIV3Schema: { type: "object", properties: { spec: open, status: open } } },
      }],
    },
  };
}

export function widget(name: string, namespace: string): KubeObject {
  return { apiVersion: "example.com/v1", kind: "Widget", metadata: { name, namespace }, spec: { size: 1 } };
}

/** A watch under way on a real server. */
export interface RealWatch extends AsyncDisposable {
  readonly items: string[];
  readonly state: () => WatchState | undefined;
  /** Stops pulling, until it is called with false. */
  hold(isHeld: boolean): void;
}

/** Follows objects: "null a", "ADDED b", "synthetic DELETED a", "LISTED". */
export function follow(
  { client, logs }: RealClient,
  options: Pick<WatchOptions, "resource" | "namespace" | "labelSelector"> & { streaming?: boolean | "auto" },
): RealWatch {
  const host = currentHost();
  const controller = new AbortController();
  const items: string[] = [];
  let state: WatchState | undefined;
  let held = Promise.resolve();
  let release = (): void => {};
  const { streaming = "auto", ...scope } = options;
  const logger = createLogger({ level: "debug", write: (record) => logs.push(record) }, host.clock);
  const informer = new Informer({
    host,
    logger,
    notify: ({ event, origin }) =>
      void items.push(
        `${origin === "missing" ? "synthetic " : ""}${event.type} ${event.object.metadata.name}`,
      ),
    onSynced: () => void items.push("LISTED"),
    watch: async function* (store, signal) {
      const settings = { ...defaultSettings().watching, initialStreaming: streaming, chunkSize: 10 };
      const onState = (next: WatchState): void => void (state = next);
      for await (
        const batch of watchObjects({ client, host, logger, signal, settings, store, onState, ...scope })
      ) {
        for (const item of batch) {
          yield [item];
          if (item.type !== "listing") await held; // its beginning tells of no object
        }
      }
    },
  });
  const run = informer.run(controller.signal);
  return {
    items,
    state: () => state,
    hold(isHeld) {
      release();
      if (isHeld) held = new Promise((resolve) => release = resolve);
    },
    async [Symbol.asyncDispose]() {
      release();
      controller.abort();
      await run;
    },
  };
}

/** Waits for a condition, in real time: there is no other on a real server. */
export async function until(condition: () => boolean, what: () => unknown = () => ""): Promise<void> {
  const { clock } = currentHost();
  const end = clock.monotonic() + PATIENCE;
  while (!condition()) {
    if (clock.monotonic() > end) throw new Error(`Not within ${PATIENCE} s: ${JSON.stringify(what())}`);
    await clock.sleep(0.05);
  }
}

/** Keeps trying until it does not throw. */
export async function eventually<T>(attempt: () => Promise<T>): Promise<T> {
  const { clock } = currentHost();
  const end = clock.monotonic() + PATIENCE;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (clock.monotonic() > end) throw error;
      await clock.sleep(0.1);
    }
  }
}
