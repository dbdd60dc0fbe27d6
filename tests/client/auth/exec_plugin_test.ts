import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type ExecIdentity, runExecPlugin } from "../../../lib/client/auth/exec_plugin.ts";
import { loadKubeconfig } from "../../../lib/client/auth/kubeconfig.ts";
import { login } from "../../../lib/client/auth/login.ts";
import type { RunOptions } from "../../../lib/runtime/host.ts";
import { virtualHost } from "../../../lib/runtime/virtual/host.ts";
import { configOf, PEM, sourceOf } from "../kubeconfigs.ts";

const API = "client.authentication.k8s.io/v1";
const CLUSTER = { server: "https://api.test", serverName: "inner", config: {} };

function credential(status: unknown, apiVersion = API): string {
  return JSON.stringify({ apiVersion, kind: "ExecCredential", status });
}

interface Call {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Runs a plugin that prints the text. */
async function run(
  stdout: string,
  options: {
    exec?: Record<string, unknown>;
    command?: string;
    code?: number;
    stderr?: string;
    calls?: Call[];
    ca?: string;
  } = {},
): Promise<ExecIdentity> {
  const { exec = {}, command = "plugin", code = 0, stderr = "", calls = [], ca = PEM } = options;
  const source = sourceOf();
  source.host.process.program(command, (args: readonly string[], { env = {} }: RunOptions = {}) => {
    calls.push({ args, env });
    return Promise.resolve({ code, stdout, stderr });
  });
  const config = { apiVersion: API, interactiveMode: "Never", command: "plugin", ...exec };
  return JSON.parse(JSON.stringify(await runExecPlugin(source, config, { cluster: { ...CLUSTER, ca } })));
}

describe("runExecPlugin()", () => {
  it("gives a token, or a certificate with its key", async () => {
    assert.deepEqual(await run(credential({ token: "t" })), { token: "t" });
    const status = { clientCertificateData: PEM, clientKeyData: PEM };
    assert.deepEqual(await run(credential(status)), { cert: PEM, key: PEM });
  });

  it("hands arguments, variables and what it may know of the cluster to the program", async () => {
    const calls: Call[] = [];
    const exec = {
      args: ["get", "--x", 1],
      env: [{ name: "A", value: "b" }, { name: "EMPTY" }, {}],
      provideClusterInfo: true,
    };
    await run(credential({ token: "t" }), { exec, calls });
    assert.deepEqual(calls[0]!.args, ["get", "--x", "1"]);
    const { KUBERNETES_EXEC_INFO = "", ...env } = calls[0]!.env;
    assert.deepEqual(env, { A: "b", EMPTY: "" });
    assert.deepEqual(JSON.parse(KUBERNETES_EXEC_INFO), {
      apiVersion: API,
      kind: "ExecCredential",
      spec: {
        interactive: false,
        cluster: {
          "server": "https://api.test",
          "certificate-authority-data": btoa(PEM),
          "tls-server-name": "inner",
        },
      },
    });
    await run(credential({ token: "t" }), { calls });
    assert.equal(JSON.parse(calls[1]!.env["KUBERNETES_EXEC_INFO"]!).spec.cluster, undefined);
  });

  it("hands an authority over whose comments have letters beyond Latin-1", async () => {
    const calls: Call[] = [];
    const ca = `# Zürich → Łódź\n${PEM}`;
    await run(credential({ token: "t" }), { exec: { provideClusterInfo: true }, calls, ca });
    const { spec } = JSON.parse(calls[0]!.env["KUBERNETES_EXEC_INFO"]!);
    const bytes = Uint8Array.from(
      atob(spec.cluster["certificate-authority-data"]),
      (char) => char.charCodeAt(0),
    );
    assert.equal(new TextDecoder().decode(bytes), ca);
  });

  it("finds a command with a folder in it from the kubeconfig, and any other one in PATH", async () => {
    const exec = { command: "./bin/plugin" };
    assert.deepEqual(await run(credential({ token: "t" }), { exec, command: "/kube/bin/plugin" }), {
      token: "t",
    });
  });

  it("says when the credentials expire, and when to renew them", async () => {
    const start = Date.UTC(2026, 0, 1);
    const expirationTimestamp = "2026-01-01T01:00:00Z";
    const { expiration, refreshAfter } = await run(credential({ token: "t", expirationTimestamp }));
    assert.equal(expiration, start + 3600_000);
    assert.equal(refreshAfter, start + 3540_000);
    const short = await run(credential({ token: "t", expirationTimestamp: "2026-01-01T00:01:40Z" }));
    assert.equal(short.refreshAfter, start + 80_000);
  });

  it("names the program, the user and the kubeconfig in whatever goes wrong", async () => {
    const fails = async (promise: Promise<unknown>, problem: RegExp): Promise<void> => {
      const error = await promise.then(() => undefined, (error) => error);
      assert.equal(error?.name, "LoginError");
      assert.match(error.message, /user "u" in kubeconfig "\/kube\/config"/);
      assert.match(error.message, problem);
    };
    await fails(
      run("", { command: "other", exec: { installHint: "Install it" } }),
      /"plugin".*ENOENT\. Install it$/,
    );
    await fails(run("", { code: 3, stderr: "no session\n" }), /it ended with code 3: no session$/);
    await fails(run("secret-token"), /it did not print an ExecCredential/);
    await fails(run(credential({ token: "t" }, "client.authentication.k8s.io/v1beta1")), /of "client.*\/v1"/);
    await fails(run(credential({})), /neither a token nor a certificate/);
    await fails(run(credential(null)), /neither a token nor a certificate/);
    await fails(run(credential({ clientCertificateData: PEM })), /neither a token nor a certificate/);
    await fails(run(credential({ clientCertificateData: "x", clientKeyData: "y" })), /neither PEM/);
    await fails(run(credential({ token: "t", expirationTimestamp: "soon" })), /"soon" is not a time/);
    await fails(run("", { exec: { interactiveMode: "Always" } }), /it needs a terminal/);
    await fails(run("", { exec: { command: "" } }), /no command or no apiVersion/);
    const error = await run("secret-token").catch((error) => error);
    assert.doesNotMatch(`${error.message} ${error.cause}`, /secret/);
  });

  it("refuses credentials that are expired when they come, with both times", async () => {
    const message =
      /exec plugin ".*" of user "u" .*: the credentials that it gave have expired at 1969-12-31T23:00:00\.000Z, and it is \d{4}-.*Z/;
    const expirationTimestamp = "1969-12-31T23:00:00Z";
    await assert.rejects(run(credential({ token: "t", expirationTimestamp })), {
      name: "LoginError",
      message,
    });
  });

  it("does not wait for ever for a program that hangs", async () => {
    const source = sourceOf();
    source.host.process.program("plugin", () => new Promise(() => {}));
    const running = runExecPlugin(source, { apiVersion: API, interactiveMode: "Never", command: "plugin" }, {
      cluster: CLUSTER,
    });
    const failing = assert.rejects(running, {
      name: "LoginError",
      message: /it did not end within 60 seconds/,
    });
    await source.host.clock.advance(61);
    await failing;
  });
});

describe("A kubeconfig with an exec plugin", () => {
  it("[B278] runs it once, keeps what it gave, and renews it before it expires", async () => {
    const exec = { apiVersion: API, interactiveMode: "Never", command: "plugin" };
    const host = virtualHost({ files: { "/config": configOf({ user: { exec } }) } });
    let runs = 0;
    host.process.program("plugin", async () => {
      await host.clock.sleep(2);
      const expirationTimestamp = new Date(host.clock.now() + 600_000).toISOString();
      return { code: 0, stdout: credential({ token: `t${++runs}`, expirationTimestamp }), stderr: "" };
    });
    const loggingIn = login({ host, kubeconfig: "/config" });
    await host.clock.advance(2);
    const vault = await loggingIn;
    for (let minute = 0; minute < 8; minute++) {
      assert.equal((await vault.current()).token, "t1");
      await host.clock.advance(60);
    }
    await host.clock.advance(70);
    assert.equal((await vault.current()).token, "t1", "the old one works while the new one is on its way");
    await host.clock.advance(2);
    assert.equal((await vault.current()).token, "t2");
    assert.equal(runs, 2);
  });

  it("acts as somebody else with the program's credentials", async () => {
    const exec = { apiVersion: API, interactiveMode: "Never", command: "plugin" };
    const host = virtualHost({ files: { "/config": configOf({ user: { exec, as: "jane" } }) } });
    host.process.program(
      "plugin",
      () => Promise.resolve({ code: 0, stdout: credential({ token: "t" }), stderr: "" }),
    );
    const info = await loadKubeconfig({ host, paths: ["/config"] });
    assert.deepEqual([info.token, info.impersonate?.user], ["t", "jane"]);
  });
});
