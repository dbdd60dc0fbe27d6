/** Records the metrics of an operator in which a fault was planted, as a scraper would. */

import { type Operator, operator } from "../../mod.ts";
import type { Runner } from "../../lib/kits/testing/mod.ts";
import { LIVENESS, scrapeText } from "../support/samples.ts";
import { type VirtualWorld, virtualWorld } from "../support/virtual_world.ts";
import { Objects } from "../support/worlds.ts";

/** How often it is scraped, in seconds. */
export const INTERVAL = 30;

/** A fault, and the alerts that must fire at the end of it; none: the operator is well. */
export interface Story {
  readonly settings?: Parameters<typeof operator>[0];
  readonly declare: (op: Operator) => void;
  /** Called before each scrape, with the number of the minute. */
  readonly each?: (objects: Objects, minute: number, world: VirtualWorld) => Promise<void> | void;
  /** When the fault begins, in minutes. Default: `AT`. */
  readonly at?: number;
  /** Whether the operator ends then. */
  readonly dies?: true;
  /** How long it goes on. Default: until all alerts must have fired. */
  readonly minutes?: number;
  readonly fires: readonly string[];
}

/** The scrapes, in order: the value of each series, by its name with its labels. */
export type Recorded = readonly ReadonlyMap<string, number>[];

/** Plays a story for so many minutes. An operator that has died has scrapes without series. */
export async function record(
  { settings, declare, each, dies, at }: Story,
  minutes: number,
): Promise<Recorded> {
  const world = await virtualWorld({ wallClock: "steady" });
  const op = operator({ networking: { errorBackoffs: [] }, ...settings });
  declare(op);
  const running: Runner = await world.start(op, { liveness: LIVENESS, strayErrors: "handle" });
  const objects = new Objects(world);
  const recorded: ReadonlyMap<string, number>[] = [];
  for (let scrape = 0; scrape <= (minutes * 60) / INTERVAL; scrape++) {
    const minute = (scrape * INTERVAL) / 60;
    if (dies && minute >= (at ?? 0)) {
      recorded.push(new Map());
      continue;
    }
    if (Number.isInteger(minute)) await each?.(objects, minute, world);
    await running.advance(INTERVAL);
    recorded.push(parse(await scrapeText(world.host)));
  }
  world.intercept = undefined;
  await running.stop().catch(() => {});
  return recorded;
}

function parse(text: string): ReadonlyMap<string, number> {
  const series = new Map<string, number>();
  for (const line of text.split("\n")) {
    const found = /^([a-z_]+(?:\{.*\})?) (\S+)$/.exec(line);
    // Only what alerts ask for: promtool reads each value.
    if (
      found?.[1] === undefined || !/^(lotse_|controller_runtime_reconcile|workqueue_queue)/.test(found[1])
    ) continue;
    series.set(found[1], Number(found[2]?.replace("+Inf", "Infinity").replace("-Inf", "-Infinity")));
  }
  return series;
}

/** Returns the series as promtool reads them, with the labels that a scrape gives. */
export function inputSeries(recorded: Recorded, job: string): object[] {
  const names = new Set(recorded.flatMap((scrape) => [...scrape.keys()]));
  const labels = `job="${job}",namespace="shop"`;
  const values = (name: string): string =>
    recorded.map((scrape) => {
      const value = scrape.get(name);
      return value === undefined ? "_" : String(value).replace("Infinity", "Inf");
    }).join(" ");
  const own = [...names].map((name) => ({
    series: name.endsWith("}") ? name.replace(/\}$/, `,${labels}}`) : `${name}{${labels}}`,
    values: values(name),
  }));
  const up = recorded.map((scrape) => scrape.size > 0 ? "1" : "0").join(" ");
  return [...own, { series: `up{${labels}}`, values: up }];
}
