import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CallError, callWebhook } from "../../../../lib/kits/apiserver/hooks/client.ts";
import { createAuthority } from "../../../../lib/runtime/certificates.ts";
import { currentHost } from "../../../../lib/runtime/current_host.ts";
import { virtualHost } from "../../../../lib/runtime/virtual/host.ts";

const REVIEW = { kind: "AdmissionReview" };

/** Serves on a real port, with a certificate of an authority of its own. */
async function serve(options: { readonly ipAddress?: string } = {}) {
  const host = currentHost();
  const authority = await createAuthority({ name: "test", now: () => host.clock.now() });
  const { certificate, key } = await authority.issue({
    commonName: "webhook",
    server: true,
    ipAddresses: [options.ipAddress ?? "127.0.0.1"],
  });
  const server = await host.network.serve({
    tls: { cert: certificate, key },
    fetch: async (request) =>
      Response.json({
        path: new URL(request.url).pathname + new URL(request.url).search,
        got: await request.json(),
      }),
  });
  return { host, server, authority, url: `https://127.0.0.1:${server.port}/hook` };
}

function fails(message: RegExp) {
  return (error: unknown) => error instanceof CallError && message.test(error.message);
}

describe("callWebhook()", () => {
  it("posts the review to a server with a certificate of the bundle", async () => {
    const { host, server, authority, url } = await serve();
    await using _server = server;
    const client = { url, caBundle: btoa(authority.certificate) };
    const answer = await callWebhook(host, { client, timeout: 7, review: REVIEW });
    assert.deepEqual(answer, { path: "/hook?timeout=7s", got: REVIEW });
  });

  it("refuses a server with a certificate of another authority", async () => {
    const { host, server, url } = await serve();
    await using _server = server;
    const other = await createAuthority({ name: "other", now: () => host.clock.now() });
    const client = { url, caBundle: btoa(other.certificate) };
    const words =
      /^Post "https:\/\/127\.0\.0\.1:\d+\/hook\?timeout=7s": tls: failed to verify certificate: x509: /;
    await assert.rejects(callWebhook(host, { client, timeout: 7, review: REVIEW }), fails(words));
  });

  it("refuses a server with a certificate of another address", async () => {
    const { host, server, authority, url } = await serve({ ipAddress: "10.0.0.1" });
    await using _server = server;
    const client = { url, caBundle: btoa(authority.certificate) };
    const words = /x509: certificate is not valid for 127\.0\.0\.1$/;
    await assert.rejects(callWebhook(host, { client, timeout: 7, review: REVIEW }), fails(words));
  });

  it("says in Go's words that nobody listens", async () => {
    const client = { url: "https://127.0.0.1:1/hook" };
    const words =
      /^Post "https:\/\/127\.0\.0\.1:1\/hook\?timeout=3s": dial tcp 127\.0\.0\.1:1: connect: connection refused$/;
    for (const host of [currentHost(), virtualHost()]) {
      await assert.rejects(callWebhook(host, { client, timeout: 3, review: REVIEW }), fails(words));
    }
  });

  it("gives up a server that does not answer in time", async () => {
    const host = virtualHost();
    host.network.route("https://slow.test", () => new Promise(() => {}));
    const called = callWebhook(host, { client: { url: "https://slow.test/" }, timeout: 3, review: REVIEW });
    const rejected = assert.rejects(called, fails(/: context deadline exceeded$/));
    await host.clock.advance(2.9);
    let isOver = false;
    rejected.then(() => (isOver = true));
    await host.clock.settle();
    assert.equal(isOver, false);
    await host.clock.advance(0.2);
    await rejected;
  });

  it("reaches services by their name", async () => {
    const host = virtualHost();
    host.network.route("https://hook.shop.svc:8443", ({ url }) => Response.json({ url }));
    const service = { namespace: "shop", name: "hook", port: 8443, path: "/check" };
    const answer = await callWebhook(host, { client: { service }, timeout: 10, review: REVIEW });
    assert.equal(answer.url, "https://hook.shop.svc:8443/check?timeout=10s");
  });

  it("follows redirects as Go does: with the review again, or without", async () => {
    for (
      const [status, method, sent] of [[307, "POST", REVIEW], [308, "POST", REVIEW], [
        303,
        "GET",
        "",
      ]] as const
    ) {
      const host = virtualHost();
      const location = "https://there.test/check";
      host.network.route("https://here.test", () => new Response(null, { status, headers: { location } }));
      host.network.route("https://there.test", async (request) => {
        const text = await request.text();
        return Response.json({ method: request.method, url: request.url, got: text && JSON.parse(text) });
      });
      const client = { url: "https://here.test/" };
      const answer = await callWebhook(host, { client, timeout: 10, review: REVIEW });
      assert.deepEqual(answer, { method, url: location, got: sent });
    }
  });

  it("takes a review in YAML", async () => {
    const host = virtualHost();
    host.network.route("https://here.test", () => new Response("kind: AdmissionReview\n"));
    const client = { url: "https://here.test/" };
    assert.deepEqual(await callWebhook(host, { client, timeout: 10, review: REVIEW }), REVIEW);
  });

  for (
    const { what, answer, words } of [
      {
        what: "an error",
        answer: () => new Response("it broke", { status: 500 }),
        words: /^an error on the server \("it broke"\)/,
      },
      {
        what: "redirects without end",
        answer: () => new Response(null, { status: 302, headers: { location: "/again" } }),
        words: /^Post "https:\/\/odd\.test\/again": stopped after 10 redirects$/,
      },
      {
        what: "a redirect to nowhere",
        answer: () => new Response(null, { status: 302 }),
        words: /status code 302/,
      },
      {
        what: "nothing",
        answer: () => new Response("", { headers: { "content-type": "application/json" } }),
        words: /^0-length response with status code: 200 and content type: application\/json$/,
      },
      {
        what: "no JSON",
        answer: () => new Response("<html>"),
        words: /^couldn't get version\/kind; json parse error: /,
      },
      { what: "a list", answer: () => new Response("[]"), words: /cannot unmarshal array/ },
      {
        what: "too much",
        answer: () => new Response("x".repeat(17 * 1024 * 1024)),
        words: /longer than 16777216 bytes/,
      },
    ]
  ) {
    it(`fails where a webhook answers with ${what}`, async () => {
      const host = virtualHost();
      host.network.route("https://odd.test", answer);
      const called = callWebhook(host, { client: { url: "https://odd.test/" }, timeout: 10, review: REVIEW });
      await assert.rejects(called, fails(words));
    });
  }
});
