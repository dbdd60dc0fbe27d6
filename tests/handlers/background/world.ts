/**
 * An engine of daemons and timers without an operator around it: objects are what the test says they are.
 */

import { TaskGroup } from "../../../lib/async/tasks.ts";
import { CachedObject } from "../../../lib/client/cache/object_store.ts";
import type { Client, PatchRequest } from "../../../lib/client/client.ts";
import { type Claim, Daemons } from "../../../lib/handlers/background/daemons.ts";
import { ObjectState } from "../../../lib/execution/object_state.ts";
import type { Fence } from "../../../lib/execution/fence.ts";
import { ObjectWriter } from "../../../lib/execution/object_writer.ts";
import type { Brake } from "../../../lib/execution/observer.ts";
import type { KubeObject } from "../../../lib/model/object.ts";
import type { Resource } from "../../../lib/model/resource.ts";
import type { DaemonArgs } from "../../../lib/handlers/background/daemon_args.ts";
import type {
  BackgroundHandler,
  DaemonHandler,
  TimerHandler,
} from "../../../lib/handlers/background/background_handler.ts";
import { createLogger, type LogRecord } from "../../../lib/runtime/logging.ts";
import { type VirtualHost, virtualHost } from "../../../lib/runtime/virtual/host.ts";
import { defaultSettings, mergeSettings, type SettingsOverrides } from "../../../lib/settings/settings.ts";

export const RESOURCE: Resource = {
  group: "lotse.test",
  version: "v1",
  plural: "examples",
  kind: "Example",
  singular: "example",
  shortcuts: [],
  categories: [],
  subresources: ["status"],
  namespaced: true,
  preferred: true,
  verbs: ["list", "watch", "patch"],
};

export interface EngineWorld {
  readonly host: VirtualHost;
  readonly daemons: Daemons;
  readonly tasks: TaskGroup;
  readonly logs: LogRecord[];
  /** What was sent. */
  readonly patches: PatchRequest[];
  /** Names of objects that should be reconciled again. */
  readonly woken: string[];
  /** Aborted: nothing may be written any more. */
  readonly fence: AbortController;
  /** Set to make writes fail, or wait. */
  onPatch: ((patch: PatchRequest) => KubeObject | Promise<KubeObject> | undefined) | undefined;
  /** Set to make reads wait. */
  onGet: (() => Promise<void>) | undefined;
  /** What the daemons make of an object. */
  match(
    object: TestObject,
    options?: { readonly isDeleting?: boolean; readonly matching?: boolean },
  ): Promise<Claim>;
}

/** The state of an object, as the controller would keep it. */
export type TestObject = ObjectState;

export function testObject(name: string, spec: Record<string, unknown> = {}): TestObject {
  const body: KubeObject = {
    apiVersion: "lotse.test/v1",
    kind: "Example",
    metadata: { name, namespace: "default", uid: name, resourceVersion: "1" },
    spec,
  };
  const cached = new CachedObject(body);
  const kind = { resource: RESOURCE, reportOnce: () => true };
  return new ObjectState({ cached, kind, memo: {}, firstSeen: "event" });
}

export function daemonOf(
  fn: (args: DaemonArgs) => unknown,
  options: Partial<DaemonHandler> = {},
): DaemonHandler {
  return { id: "d", selector: {}, ...options, type: "daemon", fn };
}

export function timerOf(
  fn: (args: DaemonArgs) => unknown,
  options: Partial<TimerHandler> = {},
): TimerHandler {
  return { id: "t", selector: {}, ...options, type: "timer", fn };
}

export function engineWorld(
  handlers: readonly BackgroundHandler[],
  overrides: SettingsOverrides = {},
  brake: Brake = { findOtherWriters: () => undefined, pauseAfter: () => undefined },
  responsible?: Fence,
): EngineWorld {
  const host = virtualHost();
  const tasks = new TaskGroup();
  const logs: LogRecord[] = [];
  const patches: PatchRequest[] = [];
  const woken: string[] = [];
  let version = 100;
  // The engine patches and reads, and does nothing else with it.
  const client = {
    patch: async (_resource: unknown, { name }: { name: string }, patch: PatchRequest) => {
      patches.push(patch);
      const answer = await world.onPatch?.(patch) ?? testObject(name).body;
      return { ...answer, metadata: { ...answer.metadata, resourceVersion: String(version++) } };
    },
    get: async (_resource: unknown, { name }: { name: string }) => {
      await world.onGet?.();
      return testObject(name).body;
    },
    projectionOf: () => undefined,
  } as unknown as Client;
  const fence = new AbortController();
  const daemons = new Daemons({
    clock: host.clock,
    random: host.random,
    observer: {},
    writer: new ObjectWriter({
      client,
      clock: host.clock,
      observer: {},
      settings: defaultSettings().persistence,
      fence: fence.signal,
    }),
    brake,
    settings: mergeSettings(defaultSettings(), overrides),
    loggerOf: () => createLogger({ level: "debug", write: (record) => logs.push(record) }, host.clock),
    indices: {},
    tasks,
    fence: responsible,
    essenceOf: (_, body) => JSON.stringify(body.spec),
    wake: ({ body }) => void woken.push(body.metadata.name ?? ""),
  });
  const world: EngineWorld = {
    host,
    daemons,
    tasks,
    logs,
    patches,
    woken,
    fence,
    onPatch: undefined,
    onGet: undefined,
    match: async (object, { isDeleting = false, matching = true } = {}) => {
      const matches = matching ? handlers : [];
      const matched = daemons.match(object, { handlers, matching: matches, isDeleting });
      await host.clock.settle();
      await matched;
      return daemons.claimOf(object, matches);
    },
  };
  return world;
}
