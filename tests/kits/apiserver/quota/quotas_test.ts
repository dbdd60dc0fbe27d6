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
    await client.send("POST", "resourcequotas", quota({ secrets: "0" }));
    assert.equal((await client.send("POST", "secrets", map("a"))).kind, "Secret");
    assert.deepEqual(await client.used("q"), {});
  });

  it("are in force as soon as they are written, and count what was there before", async () => {
    const client = new Client();
    await client.send("POST", "secrets", map("a"));
    await client.send("POST", "resourcequotas", quota({ secrets: "1" }));
    const { code, message } = await client.send("POST", "secrets", map("b"));
    assert.equal(code, 403);
    assert.match(
      message,
      /exceeded quota: q, requested: secrets=1, used: secrets=1, limited: secrets=1$/,
    );
    assert.deepEqual(await client.used("q"), { hard: { secrets: "1" }, used: { secrets: "1" } });
  });

  it("let no more through when many ask at once", async () => {
    const client = new Client();
    await client.send("POST", "resourcequotas", quota({ secrets: "3" }));
    const names = Array.from({ length: 20 }, (_, i) => `m${i}`);
    const answers = await Promise.all(names.map((name) => client.send("POST", "secrets", map(name))));
    assert.equal(answers.filter(({ kind }) => kind === "Secret").length, 3);
    assert.equal((await client.used("q")).used.secrets, "3");
  });

  it("show what is used as soon as it is written, and nothing of what is only tried", async () => {
    const client = new Client();
    await client.send(
      "POST",
      "resourcequotas",
      quota({ secrets: "9", services: "9", "services.nodeports": "9" }),
    );
    await client.used("q");
    // No time passes from here on: nobody counts anew.
    const used = async () => (await client.send("GET", "resourcequotas/q")).status.used;
    await client.send("POST", "secrets?dryRun=All", map("a"));
    assert.equal((await used()).secrets, "0");
    await client.send("POST", "secrets", map("a"));
    assert.equal((await used()).secrets, "1");
    await client.send("POST", "services", { metadata: { name: "s" }, spec: { ports: [{ port: 1 }] } });
    await client.send("PATCH", "services/s?dryRun=All", { spec: { type: "NodePort" } });
    assert.equal((await used())["services.nodeports"], "0");
    await client.send("PATCH", "services/s", { spec: { type: "NodePort" } });
    assert.deepEqual(await used(), { secrets: "1", services: "2", "services.nodeports": "1" });
  });

  it("charge nothing for what was not written", async () => {
    const client = new Client();
    await client.send("POST", "resourcequotas", quota({ secrets: "2" }));
    await client.send("POST", "secrets?dryRun=All", map("a"));
    await client.send("POST", "secrets", map("a"));
    assert.equal((await client.send("POST", "secrets", map("a"))).reason, "AlreadyExists");
    assert.equal((await client.send("POST", "secrets", map("b"))).kind, "Secret");
  });

  it("give back what goes, with finalizers as well", async () => {
    const client = new Client();
    await client.send("POST", "resourcequotas", quota({ secrets: "1" }));
    await client.send("POST", "secrets", { metadata: { name: "a", finalizers: ["example.com/x"] } });
    await client.send("DELETE", "secrets/a");
    assert.equal((await client.used("q")).used.secrets, "1");
    await client.send("PATCH", "secrets/a", { metadata: { finalizers: null } });
    assert.equal((await client.used("q")).used.secrets, "0");
    assert.equal((await client.send("POST", "secrets", map("b"))).kind, "Secret");
  });

  it("follow their own changes, and forget what they no longer name", async () => {
    const client = new Client();
    await client.send("POST", "resourcequotas", quota({ secrets: "1", services: "2" }));
    await client.send("PATCH", "resourcequotas/q", { spec: { hard: { secrets: "5", services: null } } });
    assert.deepEqual(await client.used("q"), { hard: { secrets: "5" }, used: { secrets: "0" } });
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
