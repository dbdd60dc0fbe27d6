/**
 * An operator as a process of its own whose way to a real API server leads through an HTTP proxy and TLS, and whose server
 * gets a certificate of another authority meanwhile.
 */

import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { type Authority, createAuthority } from "../../lib/runtime/certificates.ts";
import { currentHost } from "../../lib/runtime/current_host.ts";
import { lotse, type Program } from "../cli/processes.ts";
import { type ControlPlane, findControlPlane, startControlPlane } from "../control_plane/control_plane.ts";
import { type ConnectProxy, startConnectProxy } from "../support/connect_proxy.ts";
import { until } from "./operator_process.ts";

const { reason, binaries } = findControlPlane();
const skip = reason ?? (binaries?.kubectl === undefined ? "there is no kubectl" : false);

const HANDLERS = fileURLToPath(new URL("copies.ts", import.meta.url));

/** A name that the proxy alone can resolve; the API server has a certificate for it that it reads again when it changes. */
const NAME = "cluster.rotating.test";

describe("An operator behind a proxy", () => {
  it("goes on when the server's certificate comes from another authority, whose file it is given later", {
    skip,
    timeout: 300_000,
  }, async () => {
    using way = await Way.make();
    await using plane = await startControlPlane({
      apiServerFlags: [`--tls-sni-cert-key=${way.pair}:${NAME}`],
    });
    using proxy = await startConnectProxy({ user: "me:secret", hosts: { [NAME]: "127.0.0.1" } });
    const args = ["run", HANDLERS, "-n", "default", "--standalone", "--log-format", "plain"];
    const kubeconfig = way.writeKubeconfig(plane, proxy);
    const env = { TRACE: way.path("trace.log"), COPY: "it" };
    await using program = lotse([...args, "--kubeconfig", kubeconfig], { env });
    const isHandled = (name: string): Promise<void> => way.handled(name, program);
    await makeObject(plane, "before");
    await isHandled("before");

    await way.replaceAuthority();
    await until(() => way.isServed(plane), () => "The API server does not take the new certificate");
    proxy.breakAll();
    await makeObject(plane, "while-it-is-a-stranger");
    await until(() => /certificate/i.test(program.output), () => program.output);
    assert.doesNotMatch(
      way.trace(),
      /stranger/,
      "nobody is trusted who shows a certificate of somebody else",
    );

    way.tellAuthority();
    await isHandled("while-it-is-a-stranger");
    await makeObject(plane, "after");
    await isHandled("after");
    assert.ok(proxy.asked.length >= 2 && proxy.asked.every((line) => line.startsWith(`${NAME}:`)));
    assert.equal(await program.stop(), 0, program.output);
    assert.doesNotMatch(program.output, /secret/);
  });
});

async function makeObject(plane: ControlPlane, name: string): Promise<void> {
  const metadata = { name, namespace: "default", labels: { worked: "yes" } };
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata };
  await plane.kubectl(["create", "-f", "-"], { input: JSON.stringify(object) });
}

/** The files of the way: the server's certificate, and what the operator trusts. */
class Way implements Disposable {
  readonly #folder: string = mkdtempSync(join(tmpdir(), "lotse-way-"));
  #authority: Authority;

  private constructor(authority: Authority) {
    this.#authority = authority;
  }

  static async make(): Promise<Way> {
    const way = new Way(await createAuthority({ name: "first" }));
    await way.#issue();
    way.tellAuthority();
    return way;
  }

  path(name: string): string {
    return join(this.#folder, name);
  }

  /** Of the server: certificate and key, as its flag wants them. */
  get pair(): string {
    return `${this.path("server.crt")},${this.path("server.key")}`;
  }

  async #issue(): Promise<void> {
    const { certificate, key } = await this.#authority.issue({
      commonName: NAME,
      dnsNames: [NAME],
      server: true,
    });
    writeFileSync(this.path("server.key"), key);
    writeFileSync(this.path("server.crt"), certificate);
  }

  /** The server gets a certificate of another authority, which the operator does not know yet. */
  async replaceAuthority(): Promise<void> {
    this.#authority = await createAuthority({ name: "second" });
    await this.#issue();
  }

  /** The operator's file gets the authority. */
  tellAuthority(): void {
    writeFileSync(this.path("ca.crt"), this.#authority.certificate);
  }

  /** Whether the server shows a certificate of today's authority. */
  async isServed({ server, adminToken }: ControlPlane): Promise<boolean> {
    const ca = this.#authority.certificate;
    using connection = currentHost().network.connect({ server, ca, serverName: NAME });
    const headers = { authorization: `Bearer ${adminToken}` };
    try {
      return (await connection.request({ method: "GET", path: "/version", headers })).status === 200;
    } catch {
      return false;
    }
  }

  writeKubeconfig({ server, adminToken }: ControlPlane, { port }: ConnectProxy): string {
    const { port: serverPort } = new URL(server);
    const cluster = {
      "server": `https://${NAME}:${serverPort}`,
      "certificate-authority": "ca.crt",
      "proxy-url": `http://me:secret@127.0.0.1:${port}`,
    };
    const config = {
      "apiVersion": "v1",
      "kind": "Config",
      "clusters": [{ name: "c", cluster }],
      "users": [{ name: "u", user: { token: adminToken } }],
      "contexts": [{ name: "x", context: { cluster: "c", user: "u" } }],
      "current-context": "x",
    };
    writeFileSync(this.path("kubeconfig"), JSON.stringify(config));
    return this.path("kubeconfig");
  }

  trace(): string {
    return existsSync(this.path("trace.log")) ? readFileSync(this.path("trace.log"), "utf8") : "";
  }

  async handled(name: string, program: Program): Promise<void> {
    const explain = (): string => `${this.trace()}\n${program.output}`;
    await until(() => this.trace().includes(`it make ${name}\n`), explain);
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
