/** Reads the metrics of an operator as a scraper does. */

import assert from "node:assert/strict";
import type { VirtualHost } from "../../lib/kits/testing/mod.ts";

/** Where the tests' operators answer probes. */
export const LIVENESS = "http://localhost:8080/healthz";

/** Returns the text of `/metrics`. */
export async function scrapeText(host: VirtualHost): Promise<string> {
  using connection = host.network.connect({ server: "http://localhost:8080" });
  const response = await connection.request({ method: "GET", path: "/metrics", headers: {} });
  assert.equal(response.status, 200);
  return await response.text();
}

/** Returns the value of one series, written as in the text: `name{label="value"}`; undefined if there is none. */
export function valueOf(text: string, series: string): number | undefined {
  const line = text.split("\n").find((each) => each.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}
