import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { connectionOf } from "../../lib/kits/testing/connection.ts";
import { testCluster } from "../../lib/kits/testing/mod.ts";
import { copyLiveCluster, readFork, writeFork } from "../../lib/kits/testing/rehearsal/mod.ts";
import { currentHost } from "../../lib/runtime/current_host.ts";
import { silentLogger } from "../../lib/runtime/logging.ts";
import { kinds } from "../../mod.ts";
import { lotse, ROOT } from "./processes.ts";

const MOD = pathToFileURL(join(ROOT, "mod.ts")).href;

/** Handlers that label ConfigMaps, after some code of the test's own. */
function handlers(label: string, head = ""): string {
  return `import { kinds, operator } from "${MOD}";
${head}
const op = operator();
op.on.create(kinds.ConfigMap, { when: ({ name }) => name !== "kube-root-ca.crt" }, function mark({ patch }) {
  patch.meta.labels.mark = "${label}";
});
export default op;
`;
}

/** A folder with a copy of a small cluster, and files. */
async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "rehearse-"));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const manifests = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one", namespace: "default" } };
  await using cluster = await testCluster({ manifests });
  const { host } = cluster;
  const copy = await copyLiveCluster({ host, logger: silentLogger(), connection: connectionOf(cluster) });
  await writeFork(currentHost().files, join(folder, "fork.tar"), copy);
  return folder;
}

async function rehearse(
  cwd: string,
  ...args: string[]
): Promise<{ code: unknown; stdout: string; stderr: string }> {
  await using program = lotse(["rehearse", ...args], { cwd });
  const code = await program.ended();
  return { code, stdout: program.stdout, stderr: program.stderr };
}

describe("lotse rehearse", () => {
  it("[N24.15] runs old and new code in processes of their own, with their own packages, tells the difference, keeps the copy, and ends with 3", async () => {
    const labelled = handlers("${label}", 'import { label } from "label";').replace('"${label}"', "label");
    const cwd = await folderWith({
      "new/handlers.ts": `${labelled}\nconsole.log("noise of the handlers");`,
      "new/node_modules/label/package.json": '{ "name": "label", "type": "module", "exports": "./index.js" }',
      "new/node_modules/label/index.js": 'export const label = "new";',
      "old/handlers.ts": labelled,
      "old/node_modules/label/package.json": '{ "name": "label", "type": "module", "exports": "./index.js" }',
      "old/node_modules/label/index.js": 'export const label = "old";',
    });
    const { code, stdout } = await rehearse(
      cwd,
      "new/handlers.ts",
      "--fork",
      "fork.tar",
      "--save",
      "kept.tar",
      "--compare",
      "old/handlers.ts",
      "--hours",
      "0",
      "--json",
    );
    const { files } = currentHost();
    const [given, kept] = await Promise.all(
      ["fork.tar", "kept.tar"].map((name) => readFork(files, join(cwd, name))),
    );
    assert.deepEqual(kept, given, "what was kept is the copy itself");
    await using cluster = await testCluster({ fork: join(cwd, "kept.tar") });
    const one = await cluster.api.get(kinds.ConfigMap, { name: "one", namespace: "default" });
    assert.equal(one.metadata.labels?.mark, undefined);
    assert.equal(code, 3);
    const { isDifferent, differences } = JSON.parse(stdout);
    assert.equal(isDifferent, true);
    assert.deepEqual(differences, [{
      kind: "ConfigMap",
      difference: "changed",
      changes: [{ path: "metadata.labels.mark", before: '"old"', after: '"new"' }],
      objects: ["default/one"],
    }]);
  });

  it("[N24.16] says what is wrong: files that do not load, another Lotse without the command, patterns", async () => {
    const cwd = await folderWith({
      "broken.ts": handlers("x", 'throw new Error("No licence");'),
      "calls.ts": handlers("x", 'await fetch("https://licence.example/");'),
      "new.ts": handlers("new"),
      "others.ts": handlers("x").replace("kinds.ConfigMap", '"others.example.com"'),
      "old/handlers.ts": handlers("old"),
      "old/node_modules/@lotse/lotse/package.json": '{ "version": "0.9.0", "bin": { "lotse": "bin.js" } }',
      "old/node_modules/@lotse/lotse/bin.js":
        'console.error("error: unknown command rehearse");\nprocess.exit(2);\n',
    });
    const copy = ["--fork", "fork.tar", "--hours", "0"];
    const cases: readonly (readonly [code: number, message: RegExp, args: readonly string[]])[] = [
      [1, /^error: Cannot rehearse the new code: Cannot load ".*broken\.ts": No licence/, [
        "broken.ts",
        ...copy,
      ]],
      [1, /Cannot load ".*calls\.ts": Cannot call fetch\(https:\/\/licence\.example\/\): nothing outside/, [
        "calls.ts",
        ...copy,
      ]],
      [1, /which proves nothing\n\nNO PROOF\n {2}the cluster does not have the kind "others\.example\.com"/, [
        "others.ts",
        ...copy,
      ]],
      [1, /^error: Cannot load "none\.ts": there is no such file/, ["none.ts", ...copy]],
      [
        1,
        /^error: Cannot run the old code old\/handlers\.ts: its Lotse 0\.9\.0 has no `rehearse` \(update @lotse\/lotse there/,
        ["new.ts", "--compare", "old/handlers.ts", ...copy],
      ],
      [1, /^error: Cannot open ".*none\.tar": there is no such file/, ["new.ts", "--fork", "none.tar"]],
      [2, /-n team-\* is no name of a namespace/, ["new.ts", "-n", "team-*"]],
      [2, /--hours x is no number/, ["new.ts", "--hours", "x"]],
      [2, /--minutes 0 is no number above 0/, ["new.ts", "--minutes", "0"]],
    ];
    for (const [wanted, message, args] of cases) {
      const { code, stdout, stderr } = await rehearse(cwd, ...args);
      assert.match(stdout + stderr, message);
      assert.equal(code, wanted, stderr);
    }
  });
});
