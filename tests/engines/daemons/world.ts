/**
 * An engine of daemons and timers without an operator around it: objects are what the test says they are.
 */

import { TaskGroup } from "../../../lib/async/tasks.ts";
import type { Client, PatchRequest } from "../../../lib/client/client.ts";
import { type Claim, Daemons } from "../../../lib/engines/daemons/daemons.ts";
import type { Subject } from "../../../lib/engines/daemons/record.ts";
import type { KubeObject } from "../../../lib/model/object.ts";
import type { Resource } from "../../../lib/model/resource.ts";
import type { DaemonArgs } from "../../../lib/registry/args.ts";
import type { BackgroundHandler, DaemonHandler, TimerHandler } from "../../../lib/registry/handlers.ts";
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
  /** Names of objects that should be looked at again. */
  readonly woken: string[];
  /** Set to make writes fail. */
  onPatch: ((patch: PatchRequest) => KubeObject | undefined) | undefined;
  observe(
    object: TestObject,
    options?: { readonly isDeleting?: boolean; readonly matching?: boolean },
  ): Promise<Claim>;
}

/** An object as the operator would remember it. */
export interface TestObject extends Subject {
  body: KubeObject;
}

export function testObject(name: string, spec: Record<string, unknown> = {}): TestObject {
  const body: KubeObject = {
    apiVersion: "lotse.test/v1",
    kind: "Example",
    metadata: { name, namespace: "default", uid: name, resourceVersion: "1" },
    spec,
  };
  return { key: name, resource: RESOURCE, memo: {}, body };
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
): EngineWorld {
  const host = virtualHost();
  const tasks = new TaskGroup();
  const logs: LogRecord[] = [];
  const patches: PatchRequest[] = [];
  const woken: string[] = [];
  let version = 100;
  // The engine patches and reads, and does nothing else with it.
  const client = {
    patch: (_resource: unknown, { name }: { name: string }, patch: PatchRequest) => {
      patches.push(patch);
      const answer = world.onPatch?.(patch) ?? testObject(name).body;
      return Promise.resolve({
        ...answer,
        metadata: { ...answer.metadata, resourceVersion: String(version++) },
      });
    },
    get: (_resource: unknown, { name }: { name: string }) => Promise.resolve(testObject(name).body),
    shapeOf: () => undefined,
  } as unknown as Client;
  const daemons = new Daemons({
    clock: host.clock,
    client,
    settings: mergeSettings(defaultSettings(), overrides),
    loggerOf: () => createLogger({ level: "debug", write: (record) => logs.push(record) }, host.clock),
    indices: {},
    tasks,
    deliver: ({ patch }, id, result) => {
      if (result !== undefined) patch.merge({ status: { [id]: result } });
    },
    essenceOf: (_, body) => JSON.stringify(body.spec),
    wake: ({ key }) => void woken.push(key),
  });
  const world: EngineWorld = {
    host,
    daemons,
    tasks,
    logs,
    patches,
    woken,
    onPatch: undefined,
    observe: async (object, { isDeleting = false, matching = true } = {}) => {
      const observed = daemons.observe(object, { handlers, matching: matching ? handlers : [], isDeleting });
      await host.clock.settle();
      return await observed;
    },
  };
  return world;
}
