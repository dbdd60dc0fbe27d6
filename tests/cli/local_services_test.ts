import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { describe, it } from "node:test";
import { LocalServices } from "../../lib/cli/local_services.ts";
import { createLogger } from "../../lib/runtime/logging.ts";
import { virtualHost } from "../../lib/runtime/virtual/host.ts";
import type { AdmissionServerContext, WebhookClientConfig } from "../../lib/settings/admission_server.ts";

/** What an operator gives its server; the answer to a review is its path. */
function contextFor(services: LocalServices, signal: AbortSignal): AdmissionServerContext {
  const { host } = services;
  const answer = { apiVersion: "v", kind: "k" };
  return {
    review: (_, { webhook = "" } = {}) =>
      Promise.resolve({ ...answer, response: { uid: webhook, allowed: true } }),
    convert: () => assert.fail("nothing is converted"),
    fetch: () => Promise.reject(new Error("not used")),
    host,
    logger: createLogger({ level: "error", write: () => {} }, host.clock),
    signal,
    presents: () => {},
  };
}

describe("LocalServices", () => {
  it("leads connections to a Service to the server of its name and port, and others nowhere else", async () => {
    const services = new LocalServices(virtualHost());
    const stop = new AbortController();
    const ways: WebhookClientConfig[] = [];
    const servers = [];
    for (const service of [{ name: "a", port: 8443 }, { name: "a" }, { name: "b", namespace: "n" }]) {
      const server = services.serverFor(service);
      assert.ok(typeof server === "function");
      const serving = server(contextFor(services, stop.signal))[Symbol.asyncIterator]();
      ways.push((await serving.next()).value);
      servers.push(serving);
    }
    assert.deepEqual(ways.map(({ service, url }) => [service, url]), [
      [{ name: "a", namespace: "default", port: 8443 }, undefined],
      [{ name: "a", namespace: "default", port: 443 }, undefined],
      [{ name: "b", namespace: "n", port: 443 }, undefined],
    ]);
    const ask = async (server: string, { caBundle = "" }: WebhookClientConfig): Promise<string> => {
      const ca = Buffer.from(caBundle, "base64").toString();
      using connection = services.host.network.connect({ server, ca });
      const headers = { "content-type": "application/json" };
      const response = await connection.request({ method: "POST", path: "/x", headers, body: "{}" });
      return await response.text();
    };
    assert.match(await ask("https://a.default.svc:8443", ways[0]!), /"uid":"x"/);
    assert.match(await ask("https://a.default.svc", ways[1]!), /"uid":"x"/);
    assert.match(await ask("https://b.n.svc:443", ways[2]!), /"uid":"x"/);
    await assert.rejects(ask("https://b.default.svc", ways[2]!), /nobody listens/);
    stop.abort();
    for (const serving of servers) assert.equal((await serving.next()).done, true);
  });
});
