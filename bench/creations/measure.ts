/** What the operating system and the API server say about a candidate, from outside. */

import { readFileSync } from "node:fs";
import type { Api } from "./api.ts";

/** CPU time of a process so far, in milliseconds; Linux, in steps of 10. */
export function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // NB: the program's name is in parentheses and may hold spaces; utime and stime are the 12th and 13th field after it.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Resident memory of a process, in MB. */
export function memoryMb(pid: number): number {
  const line = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Math.round(Number(line?.[1] ?? 0) / 1024);
}

/** How many requests for a kind the API server has answered, by verb ("PATCH status" for subresources). Open watches count when they end. */
export async function readRequests(api: Api, plural = "items"): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const line of (await api.text("/metrics")).split("\n")) {
    if (!line.startsWith("apiserver_request_total{") || !line.includes(`,resource="${plural}"`)) continue;
    const label = (name: string) => new RegExp(`[{,]${name}="([^"]*)"`).exec(line)?.[1] ?? "";
    const verb = [label("verb"), label("subresource")].filter(Boolean).join(" ");
    counts.set(verb, (counts.get(verb) ?? 0) + Number(line.slice(line.lastIndexOf(" "))));
  }
  return counts;
}

/** The differences, without what has not changed. */
export function subtract(
  after: ReadonlyMap<string, number>,
  before: ReadonlyMap<string, number>,
): Map<string, number> {
  const differences = [...after].map(([verb, count]) => [verb, count - (before.get(verb) ?? 0)] as const);
  return new Map(differences.filter(([, count]) => count > 0));
}

/** The value below which that share of the sorted values lies. */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
