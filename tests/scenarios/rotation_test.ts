/** Credentials that change every few seconds while requests go on: none of them may be lost. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { login } from "../../lib/client/auth/login.ts";
import { Transport } from "../../lib/client/transport/transport.ts";
import { createAuthority, type IssuedCertificate } from "../../lib/runtime/certificates.ts";
import { currentHost } from "../../lib/runtime/current_host.ts";
import type { Host } from "../../lib/runtime/host.ts";
import { silentLogger } from "../../lib/runtime/logging.ts";
import { virtualHost } from "../../lib/runtime/virtual/host.ts";
import { defaultSettings } from "../../lib/settings/settings.ts";
import { json, refusal, SERVER } from "../client/fake_server.ts";
import { configOf, PEM } from "../client/kubeconfigs.ts";

async function transportOf(host: Host, kubeconfig: string): Promise<Transport> {
  const credentials = await login({ host, kubeconfig });
  // No second attempts: a 401 must be mended by new credentials, all else must not happen.
  const networking = { ...defaultSettings().networking, errorBackoffs: [] };
  return new Transport({ host, credentials, networking, logger: silentLogger() });
}

/** Sends requests side by side until told to stop; gives how many succeeded, and what went wrong. */
async function load(
  transport: Transport,
  { host, seconds = Infinity, lanes, signal }: {
    readonly host: Host;
    readonly seconds?: number;
    readonly lanes: number;
    readonly signal?: AbortSignal;
  },
): Promise<{ readonly done: number; readonly errors: unknown[] }> {
  const errors: unknown[] = [];
  let done = 0;
  const end = host.clock.monotonic() + seconds;
  const lane = async (): Promise<void> => {
    while (host.clock.monotonic() < end && signal?.aborted !== true) {
      await transport.request({ method: "GET", path: "/x" }).then(
        () => done++,
        (error) => errors.push(error),
      );
      await host.clock.sleep(0.01);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return { done, errors };
}

describe("Credentials under load", () => {
  it("lose no request when the token in a file changes every three seconds, and the old one is refused at once", async () => {
    const host = virtualHost({
      files: { "/config": configOf({ user: { tokenFile: "/token" } }), "/token": "token-0" },
    });
    let accepted = "token-0";
    let refused = 0;
    host.network.route(SERVER, async (request) => {
      await host.clock.sleep(0.02);
      if (request.headers.get("authorization") === `Bearer ${accepted}`) return json({});
      refused++;
      return refusal(401);
    });
    using transport = await transportOf(host, "/config");
    const running = load(transport, { host, seconds: 60, lanes: 5 });
    for (let turn = 1; turn <= 19; turn++) {
      await host.clock.advance(3);
      await host.files.writeText("/token", accepted = `token-${turn}`);
    }
    await host.clock.advance(10);
    const { done, errors } = await running;
    assert.deepEqual(errors, []);
    assert.ok(done > 5000, `${done} requests`);
    assert.ok(refused >= 19, "each token was refused in its turn");
  });

  it("lose no request when the client's certificate changes, on new connections", async () => {
    const certificate = (turn: number): string => PEM.replace("MIIB", `MII${turn}`);
    const user = { "client-certificate": "/cert", "client-key": "/key" };
    const host = virtualHost({
      files: {
        "/config": configOf({ user, cluster: { server: "https://127.0.0.1:6443" } }),
        "/cert": certificate(0),
        "/key": PEM,
      },
    });
    let accepted = certificate(0);
    await host.network.serve({
      port: 6443,
      tls: { cert: PEM, key: PEM, ca: PEM },
      fetch: async (_request, peer) => {
        await host.clock.sleep(0.02);
        return peer.certificate === accepted ? json({}) : refusal(401);
      },
    });
    using transport = await transportOf(host, "/config");
    const running = load(transport, { host, seconds: 60, lanes: 5 });
    for (let turn = 1; turn <= 8; turn++) {
      await host.clock.advance(7);
      await host.files.writeText("/cert", accepted = certificate(turn));
    }
    await host.clock.advance(10);
    const { done, errors } = await running;
    assert.deepEqual(errors, []);
    assert.ok(done > 5000, `${done} requests`);
  });

  it("lose no request over real TLS when the server's and the client's certificates change", {
    timeout: 60_000,
  }, async () => {
    const host = currentHost();
    const authority = await createAuthority({ name: "authority" });
    const serverCertificate = (): Promise<IssuedCertificate> =>
      authority.issue({ commonName: "server", ipAddresses: ["127.0.0.1"], server: true });
    const clientCertificate = (): Promise<IssuedCertificate> =>
      authority.issue({ commonName: "client", client: true });
    const folder = await host.files.makeTempFolder("lotse-rotation-");
    const path = (name: string): string => host.files.resolve(folder, name);
    const present = async ({ certificate, key }: IssuedCertificate): Promise<void> => {
      await host.files.writeText(path("key"), key);
      await host.files.writeText(path("cert"), certificate);
    };
    const tlsOf = ({ certificate, key }: IssuedCertificate) => ({
      ...{ cert: certificate, key, ca: authority.certificate, requireCertificate: true },
    });
    let client = await clientCertificate();
    const clients = new Set([client.certificate.trim()]);
    let isStrict = false;
    const seen = new Set<string>();
    await using server = await host.network.serve({
      tls: tlsOf(await serverCertificate()),
      fetch: (_request, peer) => {
        const certificate = peer.certificate?.trim() ?? "";
        seen.add(certificate);
        if (isStrict && certificate !== client.certificate.trim()) return refusal(401);
        return json({});
      },
    });
    await present(client);
    const user = { "client-certificate": "cert", "client-key": "key" };
    const cluster = {
      "server": `https://127.0.0.1:${server.port}`,
      "certificate-authority-data": btoa(authority.certificate),
    };
    await host.files.writeText(path("config"), configOf({ user, cluster }));
    using transport = await transportOf(host, path("config"));
    // Real time: real handshakes are what may go wrong.
    const enough = new AbortController();
    const running = load(transport, { host, lanes: 8, signal: enough.signal });
    for (let turn = 0; turn < 4; turn++) {
      await host.clock.sleep(0.2);
      isStrict = false;
      const next = await clientCertificate();
      await present(next);
      client = next;
      clients.add(next.certificate.trim());
      isStrict = true;
      server.updateTls(tlsOf(await serverCertificate()));
      while (!seen.has(next.certificate.trim())) await host.clock.sleep(0.05);
    }
    enough.abort();
    const { done, errors } = await running;
    await host.files.remove(folder);
    assert.deepEqual(errors, []);
    assert.ok(done > 20, `${done} requests`);
    assert.deepEqual(seen.size, clients.size, "each certificate was used");
  });
});
