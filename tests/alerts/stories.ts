/** The faults that are planted for the alerts, and the soak in which none may fire. */

import { PermanentError, TemporaryError } from "../../mod.ts";
import { Example } from "../support/worlds.ts";
import type { Recorded, Story } from "./record.ts";

let writes = 0;

export const STORIES: Readonly<Record<string, Story>> = {
  "a healthy soak": {
    declare: (op) => {
      op.on.create(Example, ({ patch }) => void (patch.status.made = true));
      op.on.update(Example, () => {});
      op.timer(Example, { interval: 60 }, () => {});
    },
    each: async (objects, minute) => {
      await objects.create(`one-${minute}`, { spec: { size: 1 } });
      if (minute > 2) await objects.patch(`one-${minute - 2}`, { spec: { size: minute } });
    },
    minutes: 35,
    fires: [],
  },
  "a handler that is tried again all night": {
    declare: (op) =>
      op.on.create(Example, () => {
        throw new TemporaryError("Not yet", { delay: 60 });
      }),
    each: async (objects, minute) => void (minute === 0 && await objects.create("one")),
    minutes: 40,
    fires: ["ObjectsFailing", "ReconcileErrors"],
  },
  "a handler that has given up": {
    declare: (op) =>
      op.on.create(Example, () => {
        throw new PermanentError("No");
      }),
    each: async (objects, minute) => void (minute === 5 && await objects.create("one")),
    minutes: 10,
    fires: ["HandlerGaveUp"],
  },
  "a handler that does not end": {
    declare: (op) => op.on.create(Example, () => new Promise<void>(() => {})),
    each: async (objects, minute) => void (minute === 0 && await objects.create("one")),
    minutes: 25,
    fires: ["HandlerStuck"],
  },
  "a fault of the code": {
    declare: (op) =>
      op.on.create(Example, () => {
        throw new TypeError("x is undefined");
      }),
    each: async (objects, minute) => void (minute === 5 && await objects.create("one")),
    minutes: 10,
    fires: ["HandlerFault"],
  },
  "too few workers": {
    settings: { queueing: { workerLimit: 1 } },
    declare: (op) =>
      op.on.create(Example, async ({ signal }) => {
        void signal;
        await new Promise<void>((resolve) => slow.push(resolve));
      }),
    each: async (objects, minute) => {
      for (let number = 0; number < 3; number++) await objects.create(`one-${minute}-${number}`);
      slow.shift()?.();
    },
    minutes: 40,
    fires: ["QueueWaits"],
  },
  "an overloaded API server": {
    declare: (op) => op.on.create(Example, ({ patch }) => void (patch.status.made = true)),
    each: async (objects, minute, world) => {
      world.intercept = (request) =>
        request.method === "PATCH"
          ? new Response("{}", { status: 429, headers: { "retry-after": "1" } })
          : undefined;
      for (let number = 0; number < 8; number++) await objects.create(`one-${minute}-${number}`);
    },
    minutes: 25,
    fires: ["Throttled"],
  },
  "a watch that fails": {
    declare: (op) => op.on.create(Example, () => {}),
    each: (_, minute, world) => {
      if (minute !== 2) return;
      world.intercept = (request, { path }) =>
        request.method === "GET" && path.includes("/examples")
          ? new Response("{}", { status: 500 })
          : undefined;
      world.host.network.breakAll();
    },
    minutes: 15,
    fires: ["Blind"],
  },
  "writes that are refused": {
    declare: (op) => op.on.create(Example, ({ patch }) => void (patch.metadata = { labels: { it: "a b" } })),
    each: async (objects, minute) => void (minute === 5 && await objects.create("one")),
    minutes: 10,
    fires: ["WritesRefused"],
  },
  "a hot loop": {
    declare: (op) => op.on.update(Example, ({ patch }) => void (patch.spec.count = ++writes)),
    each: async (objects, minute) => {
      if (minute !== 0) return;
      await objects.create("one", { spec: { count: 0 } });
      await objects.patch("one", { spec: { count: -1 } });
    },
    minutes: 15,
    fires: ["HotLoop"],
  },
  "events that may not be posted": {
    declare: (op) => op.on.create(Example, ({ body }) => op.events.normal(body, { reason: "Made" })),
    each: async (objects, minute, world) => {
      world.intercept = (_, { path }) =>
        path.includes("/events") ? new Response("{}", { status: 403 }) : undefined;
      await objects.create(`one-${minute}`);
    },
    minutes: 10,
    fires: ["EventsLost"],
  },
  "errors that no code catches": {
    declare: (op) => op.on.create(Example, () => {}),
    each: (_, minute, world) => {
      if (minute === 5) world.host.process.stray(new Error("nobody awaited it"), "rejection");
    },
    minutes: 10,
    fires: ["StrayErrors"],
  },
  "changes that are given up": {
    declare: (op) =>
      op.on.create(Example, ({ name }) => {
        if (name.endsWith("0")) throw new PermanentError("No");
      }),
    each: async (objects, minute) => {
      for (let number = 0; number < 4; number++) await objects.create(`one-${minute}-${number}`);
    },
    minutes: 75,
    fires: ["ChangesLateFast"],
  },
};

/** The calls of the slow handler that have not ended. */
const slow: (() => void)[] = [];

/** Series that would take too long to record. */
export const COMPUTED: Readonly<
  Record<string, { readonly series: Recorded; readonly fires: readonly string[] }>
> = {
  "an operator that is not there": { series: Array.from({ length: 31 }, () => new Map()), fires: ["Absent"] },
  "a tenth of the changes is late": {
    series: Array.from({ length: 2 * 60 * 7 }, (_, scrape) =>
      new Map([
        ['lotse_change_handled_seconds_count{kind="examples.lotse.test"}', 10 * scrape],
        ['lotse_change_handled_seconds_bucket{kind="examples.lotse.test",le="60"}', 9 * scrape],
      ])),
    fires: ["ChangesLateSlow"],
  },
};
