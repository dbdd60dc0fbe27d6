/** A watch of widgets under way against a fake server, and what it gave so far. */

import type { WatchingSettings } from "../../lib/settings/sections.ts";
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
  /** Called for each item, before the next one is pulled. */
  readonly onItem?: (item: string) => void | Promise<void>;
};

export function start(answer: Answer, options: StartOptions = {}): Running {
  const { watching, watch, onItem, ...rest } = options;
  const world = makeWorld({ answer, networking: { errorBackoffs: [] }, ...rest });
  const controller = new AbortController();
  const items: string[] = [];
  const phases: string[] = [];
  let state: WatchState | undefined;
  const run = (async () => {
    const stream = watchObjects({
      client: world.client,
      resource: WIDGETS,
      namespace: "ns",
      settings: { ...defaultSettings().watching, ...watching },
      signal: controller.signal,
      logger: world.transport.logger,
      host: world.host,
      onState: (next) => {
        state = next;
        if (phases.at(-1) !== next.phase) phases.push(next.phase);
      },
      ...watch,
    });
    for await (const item of stream) {
      const text = item.type === "listed"
        ? "LISTED"
        : `${item.synthetic ? "synthetic " : ""}${item.event.type} ${item.event.object.metadata.name}`;
      items.push(text);
      await onItem?.(text);
    }
  })();
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
