import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type ApiServer, apiServer } from "../../../../lib/kits/apiserver/mod.ts";
import { type VirtualHost, virtualHost } from "../../../../lib/runtime/virtual/host.ts";

const BASE = "https://api.test/api/v1/namespaces/default";

// deno-lint-ignore no-explicit-any -- answers are read field by field
type Answer = any;

class Client {
  readonly host = virtualHost();
  readonly server: ApiServer<VirtualHost>;

  constructor(quotas = true, workloads = false) {
    this.server = apiServer({ host: this.host, quotas, workloads });
  }

  async send(method: string, path: string, body?: unknown): Promise<Answer> {
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const response = await this.server.fetch(
      new Request(`${BASE}/${path}`, {
        method,
        headers: { "content-type": type },
        body: body === undefined ? undefined : JSON.stringify(body),
      }),
    );
    return await response.json();
  }

  async used(name: string): Promise<Answer> {
    await this.host.clock.advance(1);
    return (await this.send("GET", `resourcequotas/${name}`)).status;
  }
}

function quota(hard: Answer, name = "q"): Answer {
  return { metadata: { name }, spec: { hard } };
}

function map(name: string): Answer {
  return { metadata: { name } };
}

describe("Quotas", () => {
  it("are only stored unless they are asked for", async () => {
    const client = new Client(false);
    await client.send("POST", "resourcequotas", quota({ configmaps: "0" }));
    assert.equal((await client.send("POST", "configmaps", map("a"))).kind, "ConfigMap");
    assert.deepEqual(await client.used("q"), {});
  });

  it("are in force as soon as they are written, and count what was there before", async () => {
    const client = new Client();
    await client.send("POST", "configmaps", map("a"));
    await client.send("POST", "resourcequotas", quota({ configmaps: "1" }));
    const { code, message } = await client.send("POST", "configmaps", map("b"));
    assert.equal(code, 403);
    assert.match(
      message,
      /exceeded quota: q, requested: configmaps=1, used: configmaps=1, limited: configmaps=1$/,
    );
    assert.deepEqual(await client.used("q"), { hard: { configmaps: "1" }, used: { configmaps: "1" } });
  });

  it("let no more through when many ask at once", async () => {
    const client = new Client();
    await client.send("POST", "resourcequotas", quota({ configmaps: "3" }));
    const names = Array.from({ length: 20 }, (_, i) => `m${i}`);
    const answers = await Promise.all(names.map((name) => client.send("POST", "configmaps", map(name))));
    assert.equal(answers.filter(({ kind }) => kind === "ConfigMap").length, 3);
    assert.equal((await client.used("q")).used.configmaps, "3");
  });

  it("show what is used as soon as it is written, and nothing of what is only tried", async () => {
    const client = new Client();
    await client.send(
      "POST",
      "resourcequotas",
      quota({ configmaps: "9", services: "9", "services.nodeports": "9" }),
    );
    await client.used("q");
    // No time passes from here on: nobody counts anew.
    const used = async () => (await client.send("GET", "resourcequotas/q")).status.used;
    await client.send("POST", "configmaps?dryRun=All", map("a"));
    assert.equal((await used()).configmaps, "0");
    await client.send("POST", "configmaps", map("a"));
    assert.equal((await used()).configmaps, "1");
    await client.send("POST", "services", { metadata: { name: "s" }, spec: { ports: [{ port: 1 }] } });
    await client.send("PATCH", "services/s?dryRun=All", { spec: { type: "NodePort" } });
    assert.equal((await used())["services.nodeports"], "0");
    await client.send("PATCH", "services/s", { spec: { type: "NodePort" } });
    assert.deepEqual(await used(), { configmaps: "1", services: "1", "services.nodeports": "1" });
  });

  it("charge nothing for what was not written", async () => {
    const client = new Client();
    await client.send("POST", "resourcequotas", quota({ configmaps: "2" }));
    await client.send("POST", "configmaps?dryRun=All", map("a"));
    await client.send("POST", "configmaps", map("a"));
    assert.equal((await client.send("POST", "configmaps", map("a"))).reason, "AlreadyExists");
    assert.equal((await client.send("POST", "configmaps", map("b"))).kind, "ConfigMap");
  });

  it("give back what goes, with finalizers as well", async () => {
    const client = new Client();
    await client.send("POST", "resourcequotas", quota({ configmaps: "1" }));
    await client.send("POST", "configmaps", { metadata: { name: "a", finalizers: ["example.com/x"] } });
    await client.send("DELETE", "configmaps/a");
    assert.equal((await client.used("q")).used.configmaps, "1");
    await client.send("PATCH", "configmaps/a", { metadata: { finalizers: null } });
    assert.equal((await client.used("q")).used.configmaps, "0");
    assert.equal((await client.send("POST", "configmaps", map("b"))).kind, "ConfigMap");
  });

  it("follow their own changes, and forget what they no longer name", async () => {
    const client = new Client();
    await client.send("POST", "resourcequotas", quota({ configmaps: "1", secrets: "2" }));
    await client.send("PATCH", "resourcequotas/q", { spec: { hard: { configmaps: "5", secrets: null } } });
    assert.deepEqual(await client.used("q"), { hard: { configmaps: "5" }, used: { configmaps: "0" } });
  });

  it("stop the Pods of workloads, whose controllers try again", async () => {
    const client = new Client(true, true);
    await client.send("POST", "resourcequotas", quota({ pods: "1" }));
    const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };
    const path = "../../../../apis/apps/v1/namespaces/default/replicasets";
    const spec = { replicas: 2, selector: { matchLabels: { a: "b" } }, template };
    await client.send("POST", path, { metadata: { name: "r" }, spec });
    await client.host.clock.advance(30);
    assert.equal((await client.send("GET", "pods")).items.length, 1);
    await client.send("PATCH", "resourcequotas/q", { spec: { hard: { pods: "2" } } });
    await client.host.clock.advance(600);
    assert.equal((await client.send("GET", "pods")).items.length, 2);
  });
});
