/**
 * A day of an operator, in the process alone, since on a real control plane it would take a day. The longer soaks, in real time
 * and with kills, are bench/soak.
 */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { apiServer } from "../../lib/kits/apiserver/mod.ts";
import { type Cluster, type LogRecord, start, virtualHost } from "../../lib/kits/testing/mod.ts";
import { createLogger } from "../../lib/runtime/logging.ts";
import { kinds, operator } from "../../mod.ts";
import { withoutToken } from "../support/judged.ts";

const HOURS = 24;
/** How long a token is good for. In seconds. */
const LIFE = 600;
const ORIGIN = "https://rotating.test";
const ADDRESS = { name: "one", namespace: "default" };

describe("a day", () => {
  it("[B330] of hourly restarts and tokens for ten minutes: no change is missed, and nothing grows", async () => {
    const host = virtualHost();
    const server = apiServer({ host });
    const token = (): string => `token-${Math.floor(host.clock.now() / (LIFE * 1000))}`;
    const refused: string[] = [];
    host.network.route(ORIGIN, async (request) => {
      const sent = request.headers.get("authorization");
      if (sent !== `Bearer ${token()}`) {
        refused.push(String(sent));
        return Response.json({ kind: "Status", code: 401 }, { status: 401 });
      }
      return await server.fetch(withoutToken(request));
    });
    const op = operator();
    const seen: string[] = [];
    op.on.create(kinds.ConfigMap, { id: "begin" }, () => {});
    op.on.update(
      kinds.ConfigMap,
      { id: "note" },
      ({ body }) => void seen.push(String(Object(body["data"]).n)),
    );
    const stopping = new AbortController();
    const logs: LogRecord[] = [];
    const logger = createLogger({ level: "error", write: (record) => logs.push(record) }, host.clock);
    const way = () => ({
      server: ORIGIN,
      token: token(),
      expiration: (Math.floor(host.clock.now() / (LIFE * 1000)) + 1) * LIFE * 1000,
      refresh: () => way(),
    });
    const run = op.run({ host, logger, scope: ["default"], signal: stopping.signal, credentials: way() });
    // Somebody else, who has no need of tokens.
    const outside: Cluster = { host, fetch: (request) => server.fetch(request) };
    const other = await start(operator(), { cluster: outside, scope: ["default"] });
    await other.api.create(kinds.ConfigMap, { metadata: ADDRESS, data: { n: "0" } });
    await other.advance(60);

    const timers: number[] = [];
    const written: string[] = [];
    for (let hour = 0; hour < HOURS; hour++) {
      server.restart({ downFor: 30, compact: hour % 3 === 0 });
      await other.advance(120);
      for (let n = 0; n < 6; n++) {
        written.push(`${hour}.${n}`);
        await other.api.patch(kinds.ConfigMap, ADDRESS, { data: { n: `${hour}.${n}` } });
        await other.advance(n === 5 ? 480 : 600);
      }
      assert.deepEqual(seen, written, `after ${hour + 1} hours`);
      timers.push(host.clock.pending);
    }
    assert.deepEqual(refused.slice(0, 3), []);
    assert.deepEqual(logs.map(({ message }) => message), []);
    const [first = 0] = timers;
    assert.ok(timers.every((count) => count <= first + 3), `timers that wait: ${timers.join(", ")}`);
    stopping.abort();
    await other.advance(60);
    await run;
    await other.stop();
  });
});
