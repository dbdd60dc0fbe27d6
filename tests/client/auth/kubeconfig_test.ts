import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { kubeconfigPaths, loadKubeconfig } from "../../../lib/client/auth/kubeconfig.ts";
import { type VirtualHost, virtualHost } from "../../../lib/runtime/virtual/host.ts";
import { configOf, PEM } from "../kubeconfigs.ts";

function hostWith(files: Record<string, string>, env: Record<string, string> = {}): VirtualHost {
  return virtualHost({ files, env: { HOME: "/home/me", ...env } });
}

async function failureOf(host: VirtualHost, context?: string): Promise<string> {
  const error = await loadKubeconfig({ host, context }).then(() => undefined, (error) => error);
  assert.equal(error?.name, "LoginError");
  return error.message;
}

const PATH = "/home/me/.kube/config";

describe("loadKubeconfig()", () => {
  it("reads ~/.kube/config where KUBECONFIG names nothing", async () => {
    const environments: Record<string, string>[] = [{}, { KUBECONFIG: "" }, { KUBECONFIG: " : " }];
    for (const env of environments) {
      const host = hostWith(
        { [PATH]: configOf({ user: { token: "t" }, context: { namespace: "mine" } }) },
        env,
      );
      const { refresh, ...info } = await loadKubeconfig({ host });
      assert.equal(typeof refresh, "function");
      assert.deepEqual(JSON.parse(JSON.stringify(info)), {
        server: "https://api.test",
        token: "t",
        defaultNamespace: "mine",
      });
    }
  });

  it("takes all of a cluster's fields", async () => {
    const cluster = {
      "server": "https://api.test:6443/prefix/",
      "certificate-authority-data": btoa(PEM),
      "tls-server-name": "inner",
      "proxy-url": "http://proxy.test:3128",
    };
    const info = await loadKubeconfig({ host: hostWith({ [PATH]: configOf({ cluster }) }) });
    assert.equal(info.server, "https://api.test:6443/prefix");
    assert.equal(info.ca, PEM);
    assert.equal(info.serverName, "inner");
    assert.equal(info.proxy, "http://proxy.test:3128");
    assert.equal(info.insecure, undefined);
  });

  it("checks no certificates where the cluster says so", async () => {
    const cluster = { "server": "https://api.test", "insecure-skip-tls-verify": true };
    const info = await loadKubeconfig({ host: hostWith({ [PATH]: configOf({ cluster }) }) });
    assert.equal(info.insecure, true);
    assert.equal(info.ca, undefined);
    const both = { ...cluster, "certificate-authority": "/none" };
    await assert.rejects(
      loadKubeconfig({ host: hostWith({ [PATH]: configOf({ cluster: both }) }) }),
      /"insecure-skip-tls-verify" stands beside a certificate authority/,
    );
  });

  it("finds relative files from the folder of the file that names them", async () => {
    const cluster = { "server": "https://api.test", "certificate-authority": "pki/ca.crt" };
    const user = { "client-certificate": "../me.crt", "client-key": "/abs/me.key" };
    const host = hostWith({
      "/etc/a/config": configOf({ cluster }),
      "/etc/b/config": configOf({ user, cluster: { server: "https://other.test" } }),
      "/etc/a/pki/ca.crt": PEM,
      "/etc/me.crt": PEM.replace("MIIB", "cert"),
      "/abs/me.key": PEM.replace("MIIB", "key"),
    }, { KUBECONFIG: "/etc/a/config:/etc/b/config" });
    const info = await loadKubeconfig({ host, context: "it" });
    assert.equal(info.ca, PEM);
    // The first file defines the user too, so the second one's does not count.
    assert.equal(info.cert, undefined);
    const second = await loadKubeconfig({ host, paths: ["/etc/b/config"] });
    assert.equal(second.cert, PEM.replace("MIIB", "cert"));
    assert.equal(second.key, PEM.replace("MIIB", "key"));
  });

  it("[B272] lets the first of several files win for each name, and passes over those that are missing unless all are", async () => {
    const first = {
      "contexts": [{ name: "x", context: { cluster: "c", user: "u" } }],
      "current-context": "x",
    };
    const second = {
      "contexts": [{ name: "x", context: { cluster: "none" } }, {
        name: "y",
        context: { cluster: "c", user: "u" },
      }],
      "current-context": "y",
      "clusters": [{ name: "c", cluster: { server: "https://api.test" } }],
      "users": [{ name: "u", user: { token: "second" } }],
    };
    const files = { "/a": JSON.stringify(first), "/b": JSON.stringify(second) };
    const host = hostWith(files, { KUBECONFIG: " /a : :/b " });
    assert.equal((await loadKubeconfig({ host })).token, "second");
    assert.equal((await loadKubeconfig({ host, context: "y" })).server, "https://api.test");
    for (const paths of ["/none:/a:/b", "/a:/b:/none"]) {
      assert.equal((await loadKubeconfig({ host: hostWith(files, { KUBECONFIG: paths }) })).token, "second");
    }
    for (const paths of ["/none", "/none:/nor/this"]) {
      assert.match(
        await failureOf(hostWith(files, { KUBECONFIG: paths })),
        /^Cannot read kubeconfig "\/none"/,
      );
    }
    const broken = hostWith({ ...files, "/c": "a: [" }, { KUBECONFIG: "/a:/b:/c" });
    assert.match(await failureOf(broken), /^Cannot read kubeconfig "\/c"/);
  });

  it("[B273] fails where there is no current context, and none is named", async () => {
    const host = hostWith({ [PATH]: configOf({ "current-context": "" }) });
    assert.match(
      await failureOf(host),
      /"\/home\/me\/\.kube\/config": it has no current-context, .* \(--context NAME; there are .*\)$/,
    );
    assert.equal((await loadKubeconfig({ host, context: "it" })).server, "https://api.test");
  });

  it("names what is missing or makes no sense, and where", async () => {
    const cases: readonly (readonly [string, RegExp])[] = [
      ["a: [", /Cannot read kubeconfig "\/home\/me\/\.kube\/config": .*YAML/],
      ["[1]", /it does not hold an object/],
      [configOf({ "current-context": "other" }), /context "other" in kubeconfig ".*": there are "it"/],
      ["current-context: x", /context "x" in kubeconfig ".*": there are none/],
      [
        configOf({ context: { cluster: "none" } }),
        /context "it" of kubeconfig ".*": there is no cluster "none"/,
      ],
      [configOf({ context: { cluster: undefined } }), /context "it" of kubeconfig ".*": it names no cluster/],
      [configOf({ context: { user: "none" } }), /there is no user "none"/],
      [configOf({ cluster: {} }), /cluster "c" in kubeconfig ".*": it has no server/],
      [
        configOf({ cluster: { server: "ftp://api.test" } }),
        /"ftp:\/\/api\.test" is not an http or https URL/,
      ],
      [configOf({ cluster: { server: "https://" } }), /is not an http or https URL/],
      [
        configOf({ cluster: { server: "https://me:hunter2@exa mple" } }),
        /"https:\/\/me:\*\*\*@exa mple" is not/,
      ],
      [configOf({ cluster: { server: "me:hunter2@api.test" } }), /"me:\*\*\*@api\.test" is not/],
    ];
    for (const [text, message] of cases) assert.match(await failureOf(hostWith({ [PATH]: text })), message);
  });

  it("reads everything anew on refresh(): the files may have changed", async () => {
    const host = hostWith({ [PATH]: configOf({ user: { token: "old" } }) });
    const info = await loadKubeconfig({ host });
    await host.files.writeText(PATH, configOf({ user: { token: "new" } }));
    assert.equal((await info.refresh!()).token, "new");
  });

  it("is read again every minute where credentials are in files, and not where they are inline", async () => {
    const host = hostWith({
      [PATH]: configOf({ user: { tokenFile: "token" } }),
      "/inline": configOf({ user: { token: "t" } }),
      "/home/me/.kube/token": "t\n",
    });
    const info = await loadKubeconfig({ host });
    assert.equal(info.token, "t");
    assert.equal(info.refreshEvery, 60);
    assert.equal((await loadKubeconfig({ host, paths: ["/inline"] })).refreshEvery, undefined);
  });
});

describe("kubeconfigPaths()", () => {
  it("expands ~, and drops empty parts", () => {
    assert.deepEqual(kubeconfigPaths(hostWith({}, { KUBECONFIG: "~/a:/b::rel" })), [
      "/home/me/a",
      "/b",
      "/work/rel",
    ]);
    assert.deepEqual(kubeconfigPaths(hostWith({}, { KUBECONFIG: "/a;/b" })), ["/a", "/b"]);
    assert.deepEqual(kubeconfigPaths(hostWith({})), [PATH]);
  });
});
