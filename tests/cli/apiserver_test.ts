import assert from "node:assert/strict";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
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
