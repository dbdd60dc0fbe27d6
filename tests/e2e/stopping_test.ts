/**
 * An operator as a process of its own that meets others at a peering object, on a real control plane, and gets SIGTERM.
 */

import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { lotse } from "../cli/processes.ts";
import { type ControlPlane, findControlPlane, startControlPlane } from "../control_plane/control_plane.ts";
import { until } from "./operator_process.ts";

const { reason, binaries } = findControlPlane();
const skip = reason ?? (binaries?.kubectl === undefined ? "there is no kubectl" : false);

const PEERING = fileURLToPath(new URL("../../examples/22-peering/peering.yaml", import.meta.url));

/** How many watches of a kind are open, as the server counts them. */
async function watches(plane: ControlPlane, plural: string): Promise<number> {
  const metrics = await plane.kubectl(["get", "--raw", "/metrics"]);
  const lines = metrics.split("\n").filter((line) =>
    line.startsWith("apiserver_longrunning_requests{") && line.includes(`resource="${plural}"`) &&
    line.includes('verb="WATCH"')
  );
  return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}

describe("An operator among others", () => {
  it(
    "[B249] ends streams and daemons at SIGTERM, then cleans up, takes its peering record away, and exits with 0",
    { skip, timeout: 300_000 },
    async () => {
      await using plane = await startControlPlane();
      await plane.kubectl(["apply", "-f", PEERING]).catch(() => {});
      const established = ["wait", "--for=condition=Established", "crd", "--all"];
      await plane.kubectl(established);
      await plane.kubectl(["apply", "-f", PEERING]);
      await plane.kubectl(["create", "configmap", "one"]);
      await plane.kubectl(["label", "configmap", "one", "watched=yes"]);
      const [trace, go] = [join(plane.directory, "trace.log"), join(plane.directory, "go")];
      const told = (): string[] => existsSync(trace) ? readFileSync(trace, "utf8").trim().split("\n") : [];
      const records = async (): Promise<string> =>
        await plane.kubectl(["get", "kopfpeerings.kopf.dev", "default", "-o", "jsonpath={.status}"]);
      const streams = async (): Promise<[number, number]> => [
        await watches(plane, "configmaps"),
        await watches(plane, "kopfpeerings"),
      ];
      const handlers = fileURLToPath(new URL("stopping.ts", import.meta.url));
      const args = ["run", handlers, "-n", "default", "--kubeconfig", plane.kubeconfig];
      // The control plane has some of its own.
      const before = await streams();
      await using program = lotse(args, { env: { TRACE: trace, GO: go } });
      await until(
        async () => told().length === 1 && (await records()).includes("lastseen"),
        () => program.output,
      );
      assert.deepEqual(await streams(), [before[0] + 1, before[1] + 1]);
      program.kill("SIGTERM");
      await until(() => told().includes("cleanup begins"), () => program.output);
      assert.deepEqual(told(), ["daemon begins", "daemon ends", "cleanup begins"]);
      assert.match(await records(), /lastseen/, "others wait until everything is cleaned up");
      const isBlind = async (): Promise<boolean> => (await streams()).join() === before.join();
      await until(isBlind, () => "There are still streams");
      writeFileSync(go, "");
      assert.equal(await program.ended(), 0, program.output);
      assert.equal(told().at(-1), "cleanup ends");
      assert.doesNotMatch(await records(), /lastseen/);
    },
  );
});
