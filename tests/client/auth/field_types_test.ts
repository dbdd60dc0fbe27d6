import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  CLUSTER_FIELDS,
  CONTEXT_FIELDS,
  EXEC_FIELDS,
  USER_FIELDS,
} from "../../../lib/client/auth/field_types.ts";
import { loadKubeconfig } from "../../../lib/client/auth/kubeconfig.ts";
import type { RunOptions } from "../../../lib/runtime/host.ts";
import { virtualHost } from "../../../lib/runtime/virtual/host.ts";

const PEM = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";

/** A kubeconfig with such lines in its cluster, its user and its context. */
function kubeconfig({ cluster = "server: https://api.test", user = "token: t", context = "" }): string {
  return `apiVersion: v1
kind: Config
current-context: it
contexts: [{ name: it, context: { cluster: c, user: u, ${context} } }]
clusters:
- name: c
  cluster:
    ${cluster.replaceAll("\n", "\n    ")}
users:
- name: u
  user:
    ${user.replaceAll("\n", "\n    ")}
`;
}

async function load(text: string) {
  const files = { "/kube/config": text, "/kube/f.pem": PEM, "/kube/token": "filed" };
  const host = virtualHost({ files });
  return await loadKubeconfig({ host, paths: ["/kube/config"] });
}

type Part = Parameters<typeof kubeconfig>[0];

describe("fields of a kubeconfig", () => {
  it("are taken in the spellings of YAML and client-go", async () => {
    const server = "server: https://api.test\n";
    const cases: [Part, Record<string, unknown>][] = [
      [{ cluster: "server: HTTPS://API.test:6443/" }, { server: "https://API.test:6443" }],
      [{ cluster: "server: 'https://api.test'" }, { server: "https://api.test" }],
      [{ cluster: "server: api.test:8080" }, { server: "http://api.test:8080" }],
      [{ cluster: "server: api.test\ninsecure-skip-tls-verify: true" }, {
        server: "https://api.test",
        insecure: true,
      }],
      [{ cluster: `${server}insecure-skip-tls-verify: True` }, { insecure: true }],
      [{ cluster: `${server}insecure-skip-tls-verify: yes` }, { insecure: true }],
      [{ cluster: `${server}insecure-skip-tls-verify: on` }, { insecure: true }],
      [{ cluster: `${server}insecure-skip-tls-verify: !!bool true` }, { insecure: true }],
      [{ cluster: `${server}insecure-skip-tls-verify: false` }, { insecure: undefined }],
      [{ cluster: `${server}insecure-skip-tls-verify: no` }, { insecure: undefined }],
      [{ cluster: `${server}insecure-skip-tls-verify: ~` }, { insecure: undefined }],
      [{ cluster: `${server}insecure-skip-tls-verify:` }, { insecure: undefined }],
      [{ cluster: `${server}disable-compression: true` }, { disableCompression: true }],
      [{ cluster: `${server}tls-server-name: inner` }, { serverName: "inner" }],
      [{ cluster: `${server}certificate-authority: f.pem` }, { ca: PEM }],
      [{ cluster: `${server}certificate-authority: none\ncertificate-authority-data: ${btoa(PEM)}` }, {
        ca: PEM,
      }],
      [
        { cluster: `${server}certificate-authority-data: |\n  ${btoa(PEM).replace(/.{20}/g, "$&\n      ")}` },
        { ca: PEM },
      ],
      [{ cluster: `${server}proxy-url: HTTP://proxy.test:3128` }, { proxy: "http://proxy.test:3128" }],
      [{ cluster: `${server}proxy-url: SOCKS5://proxy.test:1080` }, { proxy: "socks5://proxy.test:1080" }],
      [{ cluster: `${server}proxy-url: Https://proxy.test` }, { proxy: "https://proxy.test" }],
      [{ cluster: `${server}proxy-url: ""` }, { proxy: undefined }],
      [{ user: "token: 007" }, { token: "007" }],
      [{ user: "token: 0x1F" }, { token: "0x1F" }],
      [{ user: "token: 1e10" }, { token: "1e10" }],
      [{ user: "token: 12345678901234567890123" }, { token: "12345678901234567890123" }],
      [{ user: "token: !!str 42" }, { token: "42" }],
      [{ user: "token: 'yes'" }, { token: "yes" }],
      [{ user: "token: &t abc\nas: *t" }, {
        token: "abc",
        impersonate: { user: "abc", uid: undefined, groups: undefined, extra: undefined },
      }],
      [{ user: "token: old\ntokenFile: token" }, { token: "filed" }],
      [{ user: "username: 1\npassword: 2.50" }, { username: "1", password: "2.50" }],
      [{ user: "client-certificate: f.pem\nclient-key: f.pem" }, { cert: PEM, key: PEM }],
      [
        { user: "as: 7\nas-uid: 8\nas-groups: [9, a]\nas-user-extra: { x: [1, '2'] }" },
        { impersonate: { user: "7", uid: "8", groups: ["9", "a"], extra: { x: ["1", "2"] } } },
      ],
      [{ context: "namespace: 123" }, { defaultNamespace: "123" }],
      [{ context: "namespace: null" }, { defaultNamespace: undefined }],
      [{ context: "extensions: [{ name: a, extension: { b: 1 } }]" }, { token: "t" }],
    ];
    for (const [part, wanted] of cases) {
      const info: Record<string, unknown> = { ...await load(kubeconfig(part)) };
      for (const [name, value] of Object.entries(wanted)) {
        assert.deepEqual(info[name], value, `${name} of ${JSON.stringify(part)}`);
      }
    }
  });

  it("are refused by their names where their type is another one", async () => {
    const server = "server: https://api.test\n";
    const wrong = {
      "text": ["[a]", "{ a: b }", "true", "yes"],
      "flag": ['"true"', "'false'", "1", "[true]"],
    } as const;
    const cases: [Part, string][] = [];
    for (const [name, type] of Object.entries(CLUSTER_FIELDS)) {
      const base = name === "server" ? "" : server;
      for (const value of wrong[type as "text" | "flag"]) {
        cases.push([{ cluster: `${base}${name}: ${value}` }, name]);
      }
    }
    for (const [name, type] of Object.entries(USER_FIELDS)) {
      const values = type === "text" ? wrong.text : ["a", "[[a]]", "true"];
      for (const value of values) cases.push([{ user: `${name}: ${value}` }, name]);
    }
    for (const [name, type] of Object.entries(EXEC_FIELDS)) {
      const values = type === "text" || type === "flag" ? wrong[type] : ["a", "{ a: b }", "[[a]]"];
      for (const value of values) cases.push([{ user: `exec: { ${name}: ${value} }` }, name]);
    }
    assert.deepEqual(Object.keys(CONTEXT_FIELDS), ["cluster", "user", "namespace"]);
    cases.push([{ context: "namespace: [a]" }, "namespace"]);
    cases.push([{ cluster: `${server}proxy-url: ftp://user:hunter2@proxy.test` }, "proxy-url"]);
    cases.push([{ cluster: `${server}proxy-url: socks4://proxy.test` }, "proxy-url"]);
    cases.push([{ cluster: `${server}proxy-url: proxy.test` }, "proxy-url"]);
    for (const [part, name] of cases) {
      const text = kubeconfig(part);
      const error = await load(text).then(() => undefined, (error) => error);
      assert.equal(error?.name, "LoginError", JSON.stringify(part));
      assert.match(error.message, new RegExp(`"?${name}"? `), JSON.stringify(part));
      assert.doesNotMatch(error.message, /hunter2/);
    }
  });

  it("are refused where they contradict each other, or lack what client-go wants", async () => {
    const API = "client.authentication.k8s.io/v1";
    const plugin = (fields: string) => ({ user: `exec: { command: plugin, ${fields} }` });
    const both = /it has both a token and a username or password, remove one/;
    const cases: [Part, RegExp][] = [
      [{ user: "token: t\nusername: me" }, both],
      [{ user: "token: t\npassword: pw" }, both],
      [{ user: "tokenFile: token\nusername: me\npassword: pw" }, both],
      [plugin(`apiVersion: ${API}`), /"client\.authentication\.k8s\.io\/v1" wants an interactiveMode/],
      [plugin(`apiVersion: ${API}, interactiveMode: ""`), /wants an interactiveMode/],
      [plugin(`apiVersion: ${API}, interactiveMode: never`), /interactiveMode "never" is none of "Never"/],
      [plugin(`apiVersion: ${API}, interactiveMode: Always`), /needs a terminal/],
      [plugin(`apiVersion: ${API}alpha1, interactiveMode: Never`), /apiVersion ".*v1alpha1" is neither/],
      [plugin("interactiveMode: Never"), /no command or no apiVersion/],
      // As far as the program, which is not there: the older version has a default.
      [plugin(`apiVersion: ${API}beta1`), /Cannot run exec plugin "plugin"/],
      [plugin(`apiVersion: ${API}, interactiveMode: IfAvailable`), /Cannot run exec plugin "plugin"/],
    ];
    for (const [part, message] of cases) {
      await assert.rejects(load(kubeconfig(part)), { name: "LoginError", message }, JSON.stringify(part));
    }
  });

  it("are refused where a name stands twice in one file, and the first file counts among several", async () => {
    const text = kubeconfig({});
    const entries: Record<string, string> = {
      clusters: "{ name: c, cluster: { server: https://other.test } }",
      users: "{ name: u, user: { token: other } }",
      contexts: "{ name: it, context: { cluster: c, user: u } }",
    };
    for (const [list, entry] of Object.entries(entries)) {
      const twice = text.replace(
        new RegExp(`^${list}: *(\\[|\\n)`, "m"),
        (begin) => begin.endsWith("[") ? `${begin}${entry}, ` : `${begin}- ${entry}\n`,
      );
      assert.notEqual(twice, text, list);
      await assert.rejects(load(twice), {
        name: "LoginError",
        message: /^Cannot read kubeconfig ".*": (cluster|user|context) "(c|u|it)" is in it twice/,
      });
    }
    const second = kubeconfig({ user: "token: second" });
    const host = virtualHost({ files: { "/a": text, "/b": second } });
    assert.equal((await loadKubeconfig({ host, paths: ["/a", "/b"] })).token, "t");
  });

  it("keep numbers in extensions, which exec plugins get", async () => {
    const exec =
      "exec: { apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, command: plugin, provideClusterInfo: true }";
    const extension = "extensions: [{ name: client.authentication.k8s.io/exec, extension: { audience: 7 } }]";
    let config: unknown;
    const answer = {
      apiVersion: "client.authentication.k8s.io/v1",
      kind: "ExecCredential",
      status: { token: "t" },
    };
    const text = kubeconfig({ user: exec, cluster: `server: https://api.test\n${extension}` });
    const host = virtualHost({ files: { "/kube/config": text } });
    host.process.program("plugin", (_: readonly string[], { env = {} }: RunOptions = {}) => {
      config = JSON.parse(env.KUBERNETES_EXEC_INFO ?? "").spec.cluster.config;
      return Promise.resolve({ code: 0, stdout: JSON.stringify(answer), stderr: "" });
    });
    await loadKubeconfig({ host, paths: ["/kube/config"] });
    assert.deepEqual(config, { audience: 7 });
  });
});
