/**
 * kubectl against the API server in the process, held to what it says to a real kube-apiserver: the same words on both,
 * but for what is different each time (times, versions, identities).
 */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { apiServer } from "../../../lib/kits/apiserver/mod.ts";
import { currentHost } from "../../../lib/runtime/current_host.ts";
import {
  findControlPlane,
  type KubectlOptions,
  startControlPlane,
} from "../../control_plane/control_plane.ts";
import { runKubectl } from "../../control_plane/kubectl.ts";
import { CHAPTERS, type KubectlCall } from "./kubectl_commands.ts";

const { reason, binaries } = findControlPlane();
const skip = reason ?? (binaries?.kubectl ? false : "No kubectl in KUBEBUILDER_ASSETS or PATH");

/** A server, and kubectl for it. */
interface Side extends AsyncDisposable {
  kubectl(args: readonly string[], options: KubectlOptions): Promise<string>;
}

describe("kubectl", () => {
  let sides: readonly [Side, Side] | undefined;
  before(async () => {
    process.chdir(fileURLToPath(new URL("../../../", import.meta.url)));
    if (skip === false) sides = await Promise.all([startControlPlane(), startOurs()]);
  }, { timeout: 120_000 });
  after(async () => {
    for (const side of sides ?? []) await side[Symbol.asyncDispose]();
  });

  for (const { title, calls } of CHAPTERS) {
    it(`says the same on both servers: ${title}`, { skip, timeout: 120_000 }, async () => {
      for (const call of calls) {
        const [real, ours] = sides ?? assert.fail("There are no servers");
        const [wanted, found] = await Promise.all([say(real, call), say(ours, call)]);
        assert.equal(found, wanted, call.args.join(" "));
      }
    });
  }
});

async function startOurs(): Promise<Side> {
  const server = apiServer({ host: currentHost() });
  const served = await server.serve({ port: 0 });
  const directory = mkdtempSync(join(tmpdir(), "lotse-kubectl-"));
  const kubeconfig = join(directory, "kubeconfig");
  writeFileSync(kubeconfig, served.kubeconfig);
  const command = binaries?.kubectl ?? assert.fail("There is no kubectl");
  return {
    kubectl: (args, options) => {
      // Of the folder, only these two are looked at.
      const folder = { directory, kubeconfig } as Parameters<typeof runKubectl>[2]["folder"];
      return runKubectl(command, args, { ...options, folder });
    },
    async [Symbol.asyncDispose]() {
      await served.close();
      rmSync(directory, { recursive: true });
    },
  };
}

/** What kubectl says, be it content or complaint, without what is different each time. */
async function say(side: Side, { args, input, editor = "false" }: KubectlCall): Promise<string> {
  process.env.KUBE_EDITOR = editor;
  const said = await side.kubectl(args, { input }).catch((error: Error) => error.message);
  return said
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "UID")
    .replaceAll(/\d{4}-\d\d-\d\d[T ][\d:.]+(Z| \+0000)/g, "TIME")
    .replaceAll(/\w{3}, \d\d \w{3} \d{4} [\d:]{8} [+-]\d{4}/g, "TIME")
    .replaceAll(/(resource ?version"?: +"?)\d+/gi, "$1VERSION")
    .replaceAll(/https:\/\/127\.0\.0\.1:\d+/g, "URL")
    .replaceAll(/(LIVE|MERGED|kubectl-edit)-\d+/g, "$1")
    .replaceAll(/ +(\d+m)?\d+s( |$)/gm, " AGE$2")
    .replaceAll(/\b3[0-2]\d{3}\b/g, "PORT")
    // A column is as wide as its addresses.
    .replaceAll(/10\.\d+\.\d+\.\d+ */g, "ADDRESS ")
    .replaceAll(/CLUSTER-IP +/g, "CLUSTER-IP ");
}
