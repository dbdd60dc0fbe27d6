/** A watch of widgets under way against a fake server, and what it gave so far. */

import assert from "node:assert/strict";
import type { WatchingSettings } from "../../lib/settings/sections.ts";
import { Informer } from "../../lib/client/cache/informer.ts";
import type { ObjectStore } from "../../lib/client/cache/object_store.ts";
import { watchObjects, type WatchOptions, type WatchState } from "../../lib/client/watch/watcher.ts";
import { defaultSettings } from "../../lib/settings/settings.ts";
import {
  type Answer,
  makeWorld,
  type SeenRequest,
  WIDGETS,
  type World,
  type WorldOptions,
} from "./fake_server.ts";

/** A watch under way, and what it gave: "ADDED a", "null a", "synthetic DELETED a", "LISTED". */
export interface Running extends World {
  readonly items: string[];
  readonly state: () => WatchState;
  readonly phases: string[];
  /** Ends the watch, and waits until it has ended. */
  stop(): Promise<void>;
}

export type StartOptions = Omit<WorldOptions, "answer"> & {
  readonly watching?: Partial<WatchingSettings>;
  readonly watch?: Partial<WatchOptions>;
  /** What an earlier watch has shown. */
  readonly store?: ObjectStore;
  /** Called for each item, before the next one is pulled. */
  readonly onItem?: (item: string) => void | Promise<void>;
};

export function start(answer: Answer, options: StartOptions = {}): Running {
  const { watching, watch, store, onItem, ...rest } = options;
  const world = makeWorld({ answer, networking: { errorBackoffs: [] }, ...rest });
  const controller = new AbortController();
  const { host, transport: { logger } } = world;
  const items: string[] = [];
  const phases: string[] = [];
  let state: WatchState | undefined;
  const settings = { ...defaultSettings().watching, ...watching };
  const informer = new Informer({
    store,
    host,
    logger,
    notify: ({ event, origin }) =>
      void items.push(
        `${origin === "missing" ? "synthetic " : ""}${event.type} ${event.object.metadata.name}`,
      ),
    onSynced: () => void items.push("LISTED"),
    onCrash: () => assert.fail("the watcher has crashed"),
    watch: async function* (store, signal) {
      const stream = watchObjects({
        client: world.client,
        resource: WIDGETS,
        namespace: "ns",
        settings,
        signal,
        logger,
        host,
        store,
        onState: (next) => {
          state = next;
          if (phases.at(-1) !== next.phase) phases.push(next.phase);
        },
        ...watch,
      });
      for await (const batch of stream) {
        for (const item of batch) {
          const from = items.length;
          yield [item];
          for (const text of items.slice(from)) await onItem?.(text);
        }
      }
    },
  });
  const run = informer.run(watch?.signal ?? controller.signal);
  return Object.assign(world, {
    items,
    phases,
    state: () => state!,
    stop: async () => {
      controller.abort();
      await run;
    },
  });
}

export const PAGES = { initialStreaming: false } as const;

/** Lists are answered by the first function, watches by the second with their number, from 0. */
export function serve(
  lists: (request: SeenRequest) => Response,
  watches: (number: number, request: SeenRequest) => Response,
): Answer {
  let number = 0;
  return (request) => request.query["watch"] ? watches(number++, request) : lists(request);
}

/** The versions from which watches were opened; "initial" for streamed lists, "list" for lists. */
export function course(world: World): string[] {
  return world.seen.map(({ query }) => {
    if (query["watch"] === undefined) return "list";
    return query["sendInitialEvents"] === "true" ? "initial" : `watch ${query["resourceVersion"]}`;
  });
}
