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

  it(
    "runs a command on it, with its definitions, and ends with its code",
    { timeout: PATIENCE },
    async () => {
      const folder = project({
        "crds/kustomization.yaml": "resources: [tea.yaml]\n",
        "crds/tea.yaml": `${TEA}---\napiVersion: v1\nkind: ConfigMap\nmetadata: { name: left-out }\n`,
      });
      const script = 'SERVER=$(sed -n "s/.*server: //p" "$KUBECONFIG"); ' +
        'ask() { curl -sk -H "Authorization: Bearer secret" "$@"; }; ' +
        'ask -o /dev/null -w "%{http_code} " "$SERVER/apis/example.com/v1/teas"; ' +
        'ask -o /dev/null -X POST "$SERVER/lotse/reset"; ' +
        'ask -o /dev/null -w "%{http_code} " "$SERVER/apis/example.com/v1/teas"; ' +
        'ask -o /dev/null -w "%{http_code}" "$SERVER/api/v1/namespaces/default/configmaps/left-out"; exit 3';
      const args = ["apiserver", "--token", "secret", "--crds", "crds", "--", "sh", "-c", script];
      await using program = lotse(args, { cwd: folder });
      assert.equal(await program.ended(), 3, program.stderr);
      assert.equal(program.stdout, "200 200 404");
    },
  );

  it("says what it cannot run or define", { timeout: PATIENCE }, async () => {
    await using missing = lotse(["apiserver", "--", "no-such-program"]);
    assert.equal(await missing.ended(), 2);
    assert.match(missing.stderr, /^error: Cannot run "no-such-program": there is no such program\n/);
    const folder = project({ "maps/map.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n" });
    await using none = lotse(["apiserver", "--crds", "maps"], { cwd: folder });
    assert.equal(await none.ended(), 1);
    assert.match(none.stderr, /there is no CustomResourceDefinition in "maps"/);
  });
});

const TEA = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: teas.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { plural: teas, kind: Tea }
  versions:
    - { name: v1, served: true, storage: true, schema: { openAPIV3Schema: { type: object } } }
`;
