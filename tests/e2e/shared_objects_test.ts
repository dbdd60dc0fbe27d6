/**
 * Operators as processes that share objects on a real kube-apiserver, killed and stopped at random: the audit log is the witness.
 *
 * `ROUNDS` and `LOTSE_SEED` say how many faults, and which. NB: time is real: processes are killed and stopped for as long as Leases last, which are as short as they may be.
 */

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { lotse, type Program } from "../cli/processes.ts";
import { type ControlPlane, findControlPlane, startControlPlane } from "../control_plane/control_plane.ts";
import { createVirtualRandom } from "../../lib/runtime/virtual/random.ts";
import { sized } from "../support/size.ts";

const OPERATOR = fileURLToPath(new URL("shared_objects_operator.ts", import.meta.url));
const skip = findControlPlane().reason ?? false;
const ROUNDS = Number(process.env["ROUNDS"] ?? sized({ short: 1, full: 60 }));
const OBJECTS = 5;
const SEED = Number(process.env["LOTSE_SEED"] ?? 1);
// Operators take variables that begin so for settings.
delete process.env["LOTSE_SEED"];

/** One line of the audit log. */
interface Audited {
  readonly stage: string;
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly objectRef?: { readonly resource: string; readonly name?: string };
  readonly responseStatus?: { readonly code?: number };
  readonly responseObject?: { readonly spec?: { readonly holderIdentity?: string } };
  readonly requestObject?: { readonly metadata?: { readonly annotations?: Record<string, string | null> } };
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
}

const POLICY = {
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  omitStages: ["RequestReceived"],
  rules: [
    {
      level: "RequestResponse",
      verbs: ["create", "update", "patch"],
      resources: [{ group: "coordination.k8s.io", resources: ["leases"] }, {
        group: "",
        resources: ["configmaps"],
      }],
    },
    { level: "None" },
  ],
};

describe("Operators that share objects on a real control plane", () => {
  let plane: ControlPlane | undefined;
  let folder = "";
  before(async () => {
    if (skip !== false) return;
    folder = await mkdtemp(join(tmpdir(), "lotse-shared-"));
    writeFileSync(join(folder, "policy.json"), JSON.stringify(POLICY));
    plane = await startControlPlane({
      apiServerFlags: [
        `--audit-policy-file=${join(folder, "policy.json")}`,
        `--audit-log-path=${join(folder, "audit.log")}`,
      ],
    });
  });
  after(async () => await plane?.[Symbol.asyncDispose]());

  async function start(number: number): Promise<Program> {
    const { authority, caPem, server } = plane!;
    const username = `replica-${number}`;
    const { certificate, key } = await authority.issue({
      commonName: username,
      organizations: ["system:masters"],
      client: true,
    });
    const encode = (text: string): string => btoa(text);
    const user = { "client-certificate-data": encode(certificate), "client-key-data": encode(key) };
    const path = join(folder, `${username}.json`);
    writeFileSync(
      path,
      JSON.stringify({
        apiVersion: "v1",
        kind: "Config",
        "current-context": "c",
        contexts: [{ name: "c", context: { cluster: "c", user: "c" } }],
        clusters: [{ name: "c", cluster: { server, "certificate-authority-data": encode(caPem) } }],
        users: [{ name: "c", user }],
      }),
    );
    const args = ["run", OPERATOR, "-n", "default", "--standalone", "--replicas", "--kubeconfig", path];
    const env = { POD_ID: username, LOTSE_REPLICAS_NAME: "shared", LOTSE_REPLICAS_NAMESPACE: "default" };
    return lotse(args, { env });
  }

  async function apply(name: string, value: number): Promise<void> {
    const object = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, namespace: "default", labels: { shared: "yes" } },
      data: { v: String(value) },
    };
    const path = join(folder, `${name}.json`);
    writeFileSync(path, JSON.stringify(object));
    await plane!.kubectl(["apply", "--server-side", "-f", path]);
  }

  it(
    "[N28.12] write in turn, repeat no success, and lose no change, by the audit log",
    { skip },
    async (t) => {
      const random = createVirtualRandom(SEED);
      const programs = [await start(0), await start(1)];
      const values = new Map<string, number>();
      const change = async (): Promise<void> => {
        const name = `m${Math.floor(random.next() * OBJECTS)}`;
        const value = (values.get(name) ?? 0) + 1;
        values.set(name, value);
        await apply(name, value);
      };
      try {
        await Promise.all(programs.map((program) => program.wrote(/Session begun/)));
        for (let round = 0; round < ROUNDS; round++) {
          for (let count = 0; count < 3; count++) await change();
          const holder = Math.max(0, programs.findIndex(({ stdout }) => stdout.includes("handling")));
          const victim = round % 2 === 0 ? programs[holder]! : programs[round % programs.length]!;
          if (random.next() < 0.5 || round === 0) {
            process.kill(victim.pid, "SIGSTOP");
            await change();
            await sleep(4500);
            process.kill(victim.pid, "SIGCONT");
          } else {
            process.kill(victim.pid, "SIGKILL");
            await change();
            programs[programs.indexOf(victim)] = await start(programs.length + round);
          }
          await sleep(1000);
        }
        await settled(values);
      } finally {
        for (const program of programs) await program[Symbol.asyncDispose]();
      }
      const { writes, changes } = witness(auditOf(join(folder, "audit.log")));
      t.diagnostic?.(`${writes} writes, ${changes} changes of hands`);
      assert.ok(changes >= 2, "the Lease has changed hands");
    },
  );

  /** Waits until the last value of each object is noted as handled. */
  async function settled(values: ReadonlyMap<string, number>): Promise<void> {
    for (let attempt = 0;; attempt++) {
      const text = await plane!.kubectl([
        "get",
        "configmaps",
        "-n",
        "default",
        "-l",
        "shared=yes",
        "-o",
        "json",
      ]);
      const { items } = JSON.parse(text) as {
        items: { metadata: { name: string; labels: Record<string, string> } }[];
      };
      const open = items.filter(({ metadata: { name, labels } }) =>
        labels["handled"] !== String(values.get(name))
      );
      if (open.length === 0) return;
      assert.ok(attempt < 60, `not handled: ${JSON.stringify(open.map(({ metadata }) => metadata))}`);
      await sleep(500);
    }
  }
});

function auditOf(path: string): Audited[] {
  const lines = readFileSync(path, "utf8").split("\n").filter((line) => line !== "");
  const events = lines.map((line) => JSON.parse(line) as Audited);
  return events.sort((a, b) => a.requestReceivedTimestamp < b.requestReceivedTimestamp ? -1 : 1);
}

/** Goes through the log in the order in which requests came: a write counts while the Lease names its writer. */
function witness(events: readonly Audited[]): { writes: number; changes: number } {
  let holder = "";
  let changes = 0;
  let writes = 0;
  const noted = new Set<string>();
  for (const { user, objectRef, responseStatus, responseObject, requestObject, verb } of events) {
    const { username } = user;
    if (!username.startsWith("replica-") || (responseStatus?.code ?? 500) >= 300) continue;
    if (objectRef?.resource === "leases" && objectRef.name === "shared") {
      const next = responseObject?.spec?.holderIdentity ?? "";
      if (next !== holder && next !== "") changes++;
      holder = next;
    }
    if (objectRef?.resource !== "configmaps" || verb !== "patch") continue;
    writes++;
    assert.ok(
      holder.startsWith(`${username}_`),
      `${username} has written ${objectRef.name}, which is ${holder}'s`,
    );
    const note = requestObject?.metadata?.annotations?.["lotse.dev/last-handled-configuration"];
    if (!note) continue;
    assert.ok(!noted.has(`${objectRef.name} ${note}`), `${objectRef.name} was handled again: ${note}`);
    noted.add(`${objectRef.name} ${note}`);
  }
  return { writes, changes };
}
