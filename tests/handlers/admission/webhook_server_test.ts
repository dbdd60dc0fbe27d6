import { Buffer } from "node:buffer";
import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { describe, it } from "node:test";
import { connect } from "node:tls";
import { ReviewError } from "../../../lib/handlers/admission/review.ts";
import { subjectOf } from "../../../lib/handlers/admission/subject.ts";
import { webhookServer, type WebhookServerOptions } from "../../../lib/handlers/admission/webhook_server.ts";
import { createAuthority } from "../../../lib/runtime/certificates.ts";
import { currentHost } from "../../../lib/runtime/current_host.ts";
import type { Host } from "../../../lib/runtime/host.ts";
import { createLogger } from "../../../lib/runtime/logging.ts";
import { virtualHost } from "../../../lib/runtime/virtual/host.ts";
import type {
  AdmissionServerContext,
  ReviewFn,
  WebhookClientConfig,
} from "../../../lib/settings/admission_server.ts";

interface PostOptions {
  readonly method?: string;
  readonly body?: string;
  /** The name in the server's certificate, where it is not that of the URL. */
  readonly serverName?: string;
}

/** A server that was asked to serve. */
class Served implements AsyncDisposable {
  readonly said: string[] = [];
  readonly presented: string[] = [];
  isLeaving = false;
  review: ReviewFn = (_review, { webhook = "all" } = {}) =>
    Promise.resolve({ apiVersion: "v", kind: "k", response: { uid: webhook, allowed: true } });
  readonly #controller = new AbortController();
  readonly #ways: AsyncIterator<WebhookClientConfig>;
  readonly #host: Host;

  constructor(options: WebhookServerOptions, host: Host = virtualHost()) {
    this.#host = host;
    const write = ({ message, fields }: { message: string; fields: object }): void =>
      void this.said.push(`${message} ${Object.values(fields)}`);
    const context: AdmissionServerContext = {
      review: (...args) => this.review(...args),
      convert: ({ kind }) => ({
        apiVersion: "apiextensions.k8s.io/v1",
        kind: "ConversionReview",
        response: { uid: String(kind), convertedObjects: [], result: { status: "Success" } },
      }),
      fetch: () => Promise.reject(new Error("not used")),
      host,
      logger: createLogger({ level: "debug", write }, host.clock),
      signal: this.#controller.signal,
      presents: ({ notAfter }) => void this.presented.push(notAfter),
      isLeaving: () => this.isLeaving,
    };
    this.#ways = webhookServer(options).serve(context)[Symbol.asyncIterator]();
  }

  async next(): Promise<WebhookClientConfig> {
    const { value, done } = await this.#ways.next();
    assert.notEqual(done, true);
    return value;
  }

  /** Posts by a client that trusts what the way says. */
  async post(way: WebhookClientConfig, path: string, options: PostOptions = {}): Promise<string> {
    const { method = "POST", body = "{}", serverName } = options;
    const { url = "", caBundle } = way;
    const ca = caBundle && fromBase64(caBundle);
    using connection = this.#host.network.connect({ server: url, ca, serverName });
    const response = await connection.request({
      method,
      path,
      headers: { "content-type": "application/json" },
      ...method === "POST" && { body },
    });
    return `${response.status} ${await response.text()}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#controller.abort();
    assert.equal((await this.#ways.next()).done, true);
  }
}

async function certificateFor(name: string): Promise<{ readonly cert: string; readonly key: string }> {
  const authority = await createAuthority({ name: "a" });
  const issued = await authority.issue({ commonName: name, dnsNames: [name], server: true });
  return { cert: issued.certificate, key: issued.key };
}

describe("webhookServer()", () => {
  it("[B143] says under which URL it is reached, without certificates if it is insecure", async () => {
    const options = { addr: "127.0.0.1", insecure: true, path: "/p1/p2", port: 22533 };
    await using served = new Served(options);
    const way = await served.next();
    assert.deepEqual(way, { url: "http://127.0.0.1:22533/p1/p2" });
    assert.match(await served.post(way, "/some/id"), /^200 .*"uid":"some\/id"/);
    assert.match(await served.post(way, "/"), /^200 .*"uid":"all"/);
    assert.match(await served.post(way, "", { method: "GET" }), /^405 /);
    assert.match(await served.post({ url: "http://127.0.0.1:22533" }, "/elsewhere"), /^404 /);
  });

  it("[B144] [B145] [B150] names hosts as URLs have them", async () => {
    const cases: [WebhookServerOptions, string, string][] = [
      [{ addr: "::1" }, "http://[::1]:9443", "http://[::1]:9443"],
      [{}, "http://localhost:9443", "http://*:9443"],
      [{ addr: "0.0.0.0" }, "http://127.0.0.1:9443", "http://0.0.0.0:9443"],
      [{ addr: "::" }, "http://[::1]:9443", "http://[::]:9443"],
      [{ cluster: "k3d" }, "http://host.k3d.internal:9443", "http://*:9443"],
      [{ cluster: "minikube" }, "http://host.minikube.internal:9443", "http://*:9443"],
      [{ cluster: "docker-desktop" }, "http://host.docker.internal:9443", "http://*:9443"],
      [{ host: "my.test", cluster: "k3d" }, "http://my.test:9443", "http://*:9443"],
    ];
    for (const [options, url, local] of cases) {
      await using served = new Served({ port: 9443, insecure: true, ...options });
      assert.deepEqual(await served.next(), { url });
      assert.deepEqual(served.said, [
        `Listening for admission reviews ${local}`,
        `Admission reviews are to go to ${url}`,
      ]);
    }
  });

  it("is reached by a Service of the cluster, where there is one, with a certificate in its name", async () => {
    const service = { namespace: "home", name: "hooks" };
    await using served = new Served({ addr: "127.0.0.1", port: 0, service, path: "/p" }, currentHost());
    const { service: way, caBundle, url } = await served.next();
    assert.deepEqual([way, url], [{ ...service, port: 443, path: "/p" }, undefined]);
    const [, port] = /127\.0\.0\.1:(\d+)/.exec(served.said.join()) ?? [];
    const local = { url: `https://127.0.0.1:${port}`, caBundle };
    assert.match(await served.post(local, "/p/id", { serverName: "hooks.home.svc" }), /^200 .*"uid":"id"/);
    assert.throws(() => webhookServer({ service, host: "x" }), /leave out "host" and "cluster"/);
  });

  it("takes the Service for one of its Pod's namespace, if it has one", async () => {
    const namespace = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";
    const options = { service: { name: "hooks" }, certfile: "/tls.crt", pkeyfile: "/tls.key" };
    const { cert, key } = await certificateFor("a.test");
    const files = { "/tls.crt": cert, "/tls.key": key };
    await using served = new Served(options, virtualHost({ files: { ...files, [namespace]: "home\n" } }));
    assert.deepEqual((await served.next()).service, { namespace: "home", name: "hooks", port: 443 });
    await assert.rejects(new Served(options, virtualHost({ files })).next(), /"hooks" is: this is no Pod/);
  });

  it("hands reviews of conversions to whoever converts", async () => {
    await using served = new Served({ addr: "127.0.0.1", insecure: true, port: 9443 });
    const review = JSON.stringify({ kind: "ConversionReview" });
    assert.match(
      await served.post(await served.next(), "/convert", { body: review }),
      /"uid":"ConversionReview"/,
    );
  });

  it("[B146] is trusted by the certificate that it was given", async () => {
    const { cert, key } = await certificateFor("a.test");
    const host = virtualHost({ files: { "/tls.crt": cert, "/tls.key": key, "/ca.crt": "some authority" } });
    const files = { certfile: "/tls.crt", pkeyfile: "/tls.key", host: "a.test", port: 443 };
    await using served = new Served(files, host);
    const { url, caBundle = "" } = await served.next();
    assert.deepEqual([url, fromBase64(caBundle)], ["https://a.test", cert]);
    await using other = new Served({ ...files, port: 444, cafile: "/ca.crt", cadump: "/dump" }, host);
    assert.equal(fromBase64((await other.next()).caBundle ?? ""), "some authority");
    assert.equal(await host.files.readText("/dump"), "some authority");
  });

  it("[B147] makes a certificate for itself, which clients can trust", async () => {
    await using served = new Served({ addr: "127.0.0.1", extraSans: ["more.test"] }, currentHost());
    const way = await served.next();
    assert.match(await served.post(way, "/x"), /^200 .*"uid":"x"/);
    await assert.rejects(served.post({ url: way.url }, "/x"), "nobody else trusts it");
  });

  it("[B154] [B155] answers what cannot be answered as HTTP has it", async () => {
    await using served = new Served({ addr: "127.0.0.1", port: 1, insecure: true });
    const way = await served.next();
    served.review = () => Promise.reject(new Error("a secret"));
    assert.equal(await served.post(way, "/x"), "500 Internal server error\n");
    served.review = () => Promise.reject(new ReviewError(503, "not now"));
    assert.equal(await served.post(way, "/x"), "503 not now\n");
    assert.match(
      await served.post(way, "/x", { body: "{" }),
      /^400 Cannot read the admission review: it is not JSON/,
    );
    assert.match(await served.post(way, "/x", { body: "x".repeat(8 * 1024 * 1024) }), /^413 /);
    assert.match(await served.post(way, "/%ff"), /^400 Cannot read the path/);
  });

  it("[B148] takes files that were replaced, after the interval", async () => {
    const [before, after] = await Promise.all([certificateFor("a.test"), certificateFor("a.test")]);
    const host = virtualHost({ files: { "/tls.crt": before.cert, "/tls.key": before.key } });
    const options = { certfile: "/tls.crt", pkeyfile: "/tls.key", fileCheckInterval: 10 };
    const { network } = host;
    const updates: string[] = [];
    const serve: Host["network"]["serve"] = async (wanted) => {
      const server = await network.serve(wanted);
      return { ...server, updateTls: ({ cert }) => void updates.push(cert) };
    };
    const served = new Served(options, { ...host, network: { connect: (to) => network.connect(to), serve } });
    const first = await served.next();
    const ways = [first];
    const waiting = served.next().then((way) => ways.push(way));
    await host.clock.advance(5);
    await host.files.writeText("/tls.crt", after.cert);
    await host.files.writeText("/tls.key", after.key);
    await host.clock.advance(4);
    assert.equal(ways.length, 1);
    await host.clock.advance(2);
    await waiting;
    assert.deepEqual(ways.map(({ url }) => url), [first.url, first.url]);
    assert.deepEqual(updates, [after.cert], "without closing connections");
    const ends = [before, after].map(({ cert }) => new Date(new X509Certificate(cert).validTo).toISOString());
    assert.deepEqual(served.presented, ends);
    assert.deepEqual(ways.map(({ caBundle = "" }) => fromBase64(caBundle)), [before.cert, after.cert]);
    await served[Symbol.asyncDispose]();
  });

  it("[B149] has names and addresses in its certificate", async () => {
    assert.deepEqual(subjectOf(["1.2.3.4", "Host1", "host1", "::", "0.0.0.0", "[::1]"]), {
      commonName: "host1",
      dnsNames: ["host1"],
      ipAddresses: ["1.2.3.4", "::1"],
    });
    assert.equal(subjectOf(["1.2.3.4"]).commonName, "1.2.3.4");
    const authority = await createAuthority({ name: "a" });
    const { certificate } = await authority.issue({ ...subjectOf(["1.2.3.4", "host1"]), server: true });
    const { subject, subjectAltName } = new X509Certificate(certificate);
    assert.deepEqual([subject, subjectAltName], ["CN=host1", "DNS:host1, IP Address:1.2.3.4"]);
  });

  it("[N27.3] ends each connection with its whole answer while it leaves, and keeps it before", async () => {
    const host = currentHost();
    await using served = new Served({ addr: "127.0.0.1" }, host);
    const { url = "", caBundle = "" } = await served.next();
    const { port } = new URL(url);
    const socket = connect({ host: "127.0.0.1", port: Number(port), ca: fromBase64(caBundle) });
    let [text, hasEnded] = ["", false];
    const ended = Promise.withResolvers<void>();
    socket.setEncoding("utf8").on("data", (part: string) => text += part).on("end", () => {
      hasEnded = true;
      ended.resolve();
    });
    await once(socket, "secureConnect");
    const ask = async (count: number): Promise<void> => {
      socket.write(
        `POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}`,
      );
      while (text.split('"allowed":true}}').length <= count) await host.clock.sleep(0.01);
    };
    await ask(1);
    assert.equal(hasEnded, false);
    served.isLeaving = true;
    await ask(2);
    await ended.promise;
    assert.match(text, /connection: close/i);
    socket.destroy();
  });

  it("refuses options that contradict each other", () => {
    const bad: WebhookServerOptions[] = [
      { insecure: true, certfile: "a", pkeyfile: "b" },
      { certfile: "a" },
      { path: "p" },
      { path: "/p/" },
      { cluster: "kind" as never },
      { verifyMode: "required" },
      { service: { namespace: "home", name: "hooks" }, cluster: "k3d" },
      { service: { namespace: "home", name: "hooks" }, insecure: true },
      { service: { namespace: "home", name: "" } },
      { service: { namespace: "", name: "hooks" } },
    ];
    for (const options of bad) assert.throws(() => webhookServer(options), TypeError);
  });

  it("refuses a path that Kubernetes refuses behind a Service", () => {
    const service = { name: "hooks" };
    for (const path of ["/Hooks", "/a_b", "/a//b", "/-a", "/a."]) {
      webhookServer({ path });
      assert.throws(() => webhookServer({ path, service }), /"path" must be in lower case with a "service"/);
    }
    for (const path of ["/hooks", "/a.b/c-1"]) webhookServer({ path, service });
  });
});

function fromBase64(base64: string): string {
  return Buffer.from(base64, "base64").toString();
}
