/** The faults that are planted for the alerts, and the soak in which none may fire. */

import { PermanentError, TemporaryError } from "../../mod.ts";
import { Example } from "../support/worlds.ts";
import type { Recorded, Story } from "./record.ts";

let writes = 0;

/** When faults begin, unless their story says otherwise: the operator is well before. In minutes. */
export const AT = 5;

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
  "an operator that is killed": {
    declare: (op) => op.on.create(Example, () => {}),
    dies: true,
    fires: ["Absent"],
  },
  "a handler that is tried again all night": {
    declare: (op) =>
      op.on.create(Example, () => {
        throw new TemporaryError("Not yet", { delay: 60 });
      }),
    each: async (objects, minute) => void (minute === AT && await objects.create("one")),
    fires: ["ObjectsFailing", "ReconcileErrors"],
  },
  "a handler that has given up": {
    declare: (op) =>
      op.on.create(Example, () => {
        throw new PermanentError("No");
      }),
    each: async (objects, minute) => void (minute === AT && await objects.create("one")),
    fires: ["HandlerGaveUp"],
  },
  "a handler that does not end": {
    declare: (op) => op.on.create(Example, () => new Promise<void>(() => {})),
    each: async (objects, minute) => void (minute === AT && await objects.create("one")),
    fires: ["HandlerStuck"],
  },
  "a fault of the code": {
    declare: (op) =>
      op.on.create(Example, () => {
        throw new TypeError("x is undefined");
      }),
    each: async (objects, minute) => void (minute === AT && await objects.create("one")),
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
      if (minute < AT) return;
      for (let number = 0; number < 3; number++) await objects.create(`one-${minute}-${number}`);
      slow.shift()?.();
    },
    fires: ["QueueWaits"],
  },
  "an overloaded API server": {
    declare: (op) => op.on.create(Example, ({ patch }) => void (patch.status.made = true)),
    each: async (objects, minute, world) => {
      if (minute < AT) return;
      world.intercept = (request) =>
        request.method === "PATCH"
          ? new Response("{}", { status: 429, headers: { "retry-after": "1" } })
          : undefined;
      for (let number = 0; number < 8; number++) await objects.create(`one-${minute}-${number}`);
    },
    fires: ["Throttled"],
  },
  "a watch that fails": {
    declare: (op) => op.on.create(Example, () => {}),
    each: (_, minute, world) => {
      if (minute !== AT) return;
      world.intercept = (request, { path }) =>
        request.method === "GET" && path.includes("/examples")
          ? new Response("{}", { status: 500 })
          : undefined;
      world.host.network.breakAll();
    },
    fires: ["Blind"],
  },
  "writes that are refused": {
    declare: (op) => op.on.create(Example, ({ patch }) => void (patch.metadata = { labels: { it: "a b" } })),
    each: async (objects, minute) => void (minute === AT && await objects.create("one")),
    fires: ["WritesRefused"],
  },
  "a hot loop": {
    declare: (op) => op.on.update(Example, ({ patch }) => void (patch.spec.count = ++writes)),
    each: async (objects, minute) => {
      if (minute !== AT) return;
      await objects.create("one", { spec: { count: 0 } });
      await objects.patch("one", { spec: { count: -1 } });
    },
    fires: ["HotLoop"],
  },
  "events that may not be posted": {
    declare: (op) => op.on.create(Example, ({ body }) => op.events.normal(body, { reason: "Made" })),
    each: async (objects, minute, world) => {
      if (minute < AT) return;
      world.intercept = (_, { path }) =>
        path.includes("/events") ? new Response("{}", { status: 403 }) : undefined;
      await objects.create(`one-${minute}`);
    },
    fires: ["EventsLost"],
  },
  "errors that no code catches": {
    declare: (op) => op.on.create(Example, () => {}),
    each: (_, minute, world) => {
      if (minute === AT) world.host.process.stray(new Error("nobody awaited it"), "rejection");
    },
    fires: ["StrayErrors"],
  },
  "changes that are all given up, after a good hour": {
    declare: (op) =>
      op.on.create(Example, ({ name }) => {
        if (name.startsWith("bad")) throw new PermanentError("No");
      }),
    each: async (objects, minute) => {
      const title = minute < 60 ? "good" : "bad";
      for (let number = 0; number < 4; number++) await objects.create(`${title}-${minute}-${number}`);
    },
    at: 60,
    fires: ["ChangesLateFast"],
  },
};

/** The calls of the slow handler that have not ended. */
const slow: (() => void)[] = [];

/** The scrapes of good hours that go before a slow burn. */
const GOOD = 2 * 60 * 6;

/** Series that would take too long to record. */
export const COMPUTED: Readonly<
  Record<string, { readonly series: Recorded; readonly at: number; readonly fires: readonly string[] }>
> = {
  "all changes are late, after six good hours": {
    series: Array.from({ length: GOOD + 2 * 60 }, (_, scrape) =>
      new Map([
        ['lotse_change_handled_seconds_count{kind="examples.lotse.test"}', 10 * scrape],
        [
          'lotse_change_handled_seconds_bucket{kind="examples.lotse.test",le="60"}',
          10 * Math.min(scrape, GOOD),
        ],
      ])),
    at: GOOD / 2,
    fires: ["ChangesLateSlow"],
  },
};
