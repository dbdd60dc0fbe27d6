import assert from "node:assert/strict";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { serveApi } from "../../lib/cli/apiserver.ts";
import { currentHost } from "../../lib/runtime/current_host.ts";
import { lotse, PATIENCE, project } from "./processes.ts";

describe("lotse apiserver", () => {
  it("prints one line when it answers, and cleans up at SIGTERM", { timeout: PATIENCE }, async () => {
    await using server = lotse(["apiserver"]);
    const [, path = ""] = await server.wrote(/^ready: https:\/\/127\.0\.0\.1:\d+ KUBECONFIG=(\S+)\n/);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.equal(await server.stop(), 0);
    assert.equal(server.output.trim().split("\n").length, 1);
    assert.equal(existsSync(path), false);
  });

  it("writes the kubeconfig where it is told to, and leaves it there", { timeout: PATIENCE }, async () => {
    const folder = project({});
    await using server = lotse(["apiserver", "--kubeconfig", "kubeconfig"], { cwd: folder });
    await server.wrote(new RegExp(`KUBECONFIG=${join(folder, "kubeconfig")}\n`));
    await server.stop();
    assert.ok(existsSync(join(folder, "kubeconfig")));
  });

  it("enforces quotas if it is told to", { timeout: PATIENCE }, async () => {
    await using api = await serveApi(currentHost(), { quotas: true });
    const post = async (plural: string, body: unknown) =>
      await api.fetch(
        new Request(`${api.url}/api/v1/namespaces/default/${plural}`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(body),
        }),
      );
    await post("resourcequotas", { metadata: { name: "none" }, spec: { hard: { configmaps: "0" } } });
    assert.equal((await post("configmaps", { metadata: { name: "a" } })).status, 403);
  });

  it("says that a port is taken", { timeout: PATIENCE }, async () => {
    await using first = lotse(["apiserver"]);
    const [, port = ""] = await first.wrote(/127\.0\.0\.1:(\d+)/);
    await using second = lotse(["apiserver", "--port", port]);
    assert.equal(await second.ended(), 1);
    assert.match(second.stderr, /^error: .*EADDRINUSE|in use/);
  });

  it("keeps its state in a folder, which nobody else may use meanwhile", { timeout: PATIENCE }, async () => {
    const folder = project({});
    await using server = lotse(["apiserver", "--data", "state"], { cwd: folder });
    await server.wrote(/^ready: /);
    await using second = lotse(["apiserver", "--data", "state"], { cwd: folder });
    assert.equal(await second.ended(), 1);
    assert.match(second.stderr, /^error: Cannot use the folder .*process \d+ on .* uses it/);
    assert.equal(await server.stop(), 0);
    assert.equal(existsSync(join(folder, "state", "lock")), false);
  });
});
