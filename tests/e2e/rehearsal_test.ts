/**
 * A rehearsal of example 02 against a real kube-apiserver, by the command line: the cluster is only read, as its audit log says.
 *
 * NB: how long it takes is tested, too: as seconds of the processor, since CI machines are busy.
 */

import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { Database, type Engine } from "../../examples/02-database/database.ts";
import example from "../../examples/02-database/handlers.ts";
import { Limiter } from "../../lib/async/limiter.ts";
import { kinds } from "../../mod.ts";
import { realCluster, start } from "../../lib/kits/testing/mod.ts";
import type { Rehearsal } from "../../lib/kits/testing/rehearsal/mod.ts";
import { copyLiveCluster } from "../../lib/kits/testing/rehearsal/mod.ts";
import { currentHost } from "../../lib/runtime/current_host.ts";
import { silentLogger } from "../../lib/runtime/logging.ts";
import { lotse, ROOT } from "../cli/processes.ts";
import { findControlPlane } from "../control_plane/control_plane.ts";
import { sized } from "../support/size.ts";

const COUNT = Number(process.env["OBJECTS"] ?? sized({ short: 50, full: 1000 }));
/** How many objects are copied at full size, beside the others. */
const MANY = 10_000;
const ENGINES: readonly Engine[] = ["postgresql", "mysql", "mariadb"];
const missing = findControlPlane().reason;

const POLICY = `
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules: [{ level: Metadata }]
`;

const MANIFESTS = `
apiVersion: v1
kind: ServiceAccount
metadata: { name: operator, namespace: default }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: operator }
rules:
- { apiGroups: [example.com], resources: [databases, databases/status], verbs: [get, list, watch, patch] }
- { apiGroups: [""], resources: [services, persistentvolumeclaims, pods], verbs: [get, list, watch, create, patch] }
- { apiGroups: [apps], resources: [statefulsets], verbs: [get, list, watch, create, patch] }
- { apiGroups: [batch], resources: [cronjobs], verbs: [get, list, watch, create, patch, delete] }
- { apiGroups: [apiextensions.k8s.io], resources: [customresourcedefinitions], verbs: [get, list, watch] }
- { apiGroups: [""], resources: [namespaces], verbs: [list, watch] }
- { apiGroups: ["", events.k8s.io], resources: [events], verbs: [create, patch] }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: operator }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: operator }
subjects: [{ kind: ServiceAccount, name: operator, namespace: default }]
`;

/** A second of the processor, in the clock ticks of /proc. Source: proc_pid_stat(5). */
const TICKS = 100;

interface Rehearsed {
  readonly rehearsal: Rehearsal;
  /** Of real time. */
  readonly seconds: number;
  /** Of the processor, in all processes; as long as it took where Linux does not tell. */
  readonly work: number;
  /** The most that one of its processes had, in MB. */
  readonly memory: number;
}

/** Seconds of the processor that child processes have used which have ended, with their own. */
function workOfChildren(): number | undefined {
  try {
    const fields = readFileSync("/proc/self/stat", "utf8").split(") ")[1]?.split(" ") ?? [];
    return (Number(fields[13]) + Number(fields[14])) / TICKS;
  } catch {
    return undefined;
  }
}

/** The most resident memory that a process and its children have had, in MB; 0 where Linux does not tell. */
function mostMemory(pid: number): number {
  try {
    const most = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? "0";
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean);
    return Math.max(Number(most) / 1024, ...children.map((child) => mostMemory(Number(child))));
  } catch {
    return 0;
  }
}

/** Writes example 02 with other code into a folder. */
function changed(files: Readonly<Record<string, (text: string) => string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "rehearsal-"));
  cpSync(join(ROOT, "examples/02-database"), folder, { recursive: true });
  for (const name of ["handlers.ts", "database.ts", "manifests.ts"]) {
    const path = join(folder, name);
    const text = readFileSync(path, "utf8").replaceAll(
      '"@lotse/lotse"',
      JSON.stringify(pathToFileURL(join(ROOT, "mod.ts")).href),
    );
    writeFileSync(path, files[name]?.(text) ?? text);
  }
  return join(folder, "handlers.ts");
}

const FAULTS = `
op.on.resume(Database, { id: "clean", when: ({ name }) => name === "db-0" }, async ({ name, namespace }) => {
  await op.api.delete(kinds.ConfigMap, { name, namespace: namespace! }, { ifExists: true });
});
op.on.resume(Database, { id: "drop", when: ({ name }) => name === "db-1" }, async ({ namespace }) => {
  await op.api.delete(kinds.CronJob, { name: "db-2-backup", namespace: namespace! });
});
op.on.event(Database, { id: "spin", when: ({ name }) => name === "db-3" }, async ({ name, namespace, meta }) => {
  const seen = String(Number(meta.annotations?.seen ?? 0) + 1);
  await op.api.patch(Database, { name, namespace: namespace! }, { metadata: { annotations: { seen } } } as never);
});
export default op;
`;

describe("lotse rehearse, on a real kube-apiserver", () => {
  it(
    "[N24.17] names a changed default, a missing right, a hot loop and a deleted child, and writes nothing",
    { skip: missing ?? false, timeout: sized({ short: 900_000, full: 3_600_000 }) },
    async () => {
      const folder = mkdtempSync(join(tmpdir(), "audit-"));
      const [log, policy] = [join(folder, "audit.log"), join(folder, "policy.yaml")];
      writeFileSync(policy, POLICY);
      await using cluster = await realCluster({
        controllers: false,
        flags: [
          `--audit-log-path=${log}`,
          `--audit-policy-file=${policy}`,
          "--audit-log-mode=blocking",
          // Addresses for a thousand Services.
          "--service-cluster-ip-range=10.0.0.0/16",
        ],
        manifests: [join(ROOT, "examples/02-database/crd.yaml"), MANIFESTS],
      });
      const numbers = Array.from({ length: COUNT }, (_, number) => number);
      const limiter = new Limiter(20);
      await Promise.all(numbers.map((number) =>
        limiter.run(() =>
          cluster.api.create(Database, {
            metadata: { name: `db-${number}`, namespace: "default" },
            spec: {
              engine: ENGINES[number % 3] ?? "mysql",
              version: "8",
              storage: "1Gi",
              replicas: 1,
              backupEnabled: number % 2 === 0,
            },
          })
        )
      ));
      {
        await using run = await start(example, { cluster, level: "error" });
        const done = (id: string): number =>
          run.calls.filter(({ handler, outcome }) => handler.startsWith(id) && outcome === "success").length;
        await run.until(() => done("provision") + done("backups") >= 2 * COUNT, {
          within: sized({ short: 600, full: 1800 }),
        });
      }
      const before = readFileSync(log, "utf8").length;
      const rehearse = async (...args: string[]): Promise<Rehearsed> => {
        const began = performance.now();
        const env = { KUBECONFIG: cluster.kubeconfig };
        const worked = workOfChildren();
        await using program = lotse(["rehearse", ...args, "--as", "default/operator", "--json"], { env });
        let memory = 0;
        const looking = setInterval(() => memory = Math.max(memory, mostMemory(program.pid)), 250);
        assert.equal(await program.ended().finally(() => clearInterval(looking)), 3, program.stderr);
        const seconds = (performance.now() - began) / 1000;
        const work = worked === undefined ? seconds : (workOfChildren() ?? 0) - worked;
        console.log(
          `${args.slice(1).join(" ")}: ${seconds.toFixed(1)} s, ${work.toFixed(1)} s of the processor, ${
            memory.toFixed(0)
          } MB`,
        );
        return { rehearsal: JSON.parse(program.stdout), seconds, work, memory };
      };
      const planted = changed({
        "manifests.ts": (text) => text.replace('image: "mysql"', 'image: "percona"'),
      });
      const { rehearsal, seconds, work, memory } = await rehearse(
        planted,
        "--compare",
        changed({}),
        "--hours",
        "1",
      );
      const mysql = numbers.filter((number) => number % 3 === 1);
      assert.deepEqual(
        rehearsal.differences.filter(({ kind }) => kind !== "Pod").map(({ kind, changes, objects }) => ({
          kind,
          changes,
          objects,
        })),
        [{
          kind: "StatefulSet",
          changes: [{
            path: "spec.template.spec.containers[database].image",
            before: '"mysql:8"',
            after: '"percona:8"',
          }],
          objects: mysql.map((number) => `default/db-${number}`).sort(),
        }],
      );
      const faulty = changed({ "handlers.ts": (text) => text.replace("export default op;", FAULTS) });
      const { rehearsal: bad } = await rehearse(faulty, "--hours", "0.2");
      assert.deepEqual(bad.missed.map(({ verb, resource }) => `${verb} ${resource}`), ["delete configmaps"]);
      assert.deepEqual(bad.loops.map(({ objects }) => objects), [["Database default/db-3"]]);
      const gone = bad.new.writes.filter(({ verb }) => verb === "delete").map((
        { resource, examples },
      ) => [resource, examples]);
      assert.deepEqual(gone, [["cronjobs.batch", ["default/db-2-backup"]]]);
      const asked = readFileSync(log, "utf8").slice(before).split("\n").filter((line) =>
        line.includes('"userAgent":"lotse/')
      )
        .map((line) => JSON.parse(line));
      const reviews = ["selfsubjectreviews", "selfsubjectrulesreviews", "selfsubjectaccessreviews"];
      const writes = asked.filter(({ verb, objectRef }) =>
        !["get", "list"].includes(verb) && !reviews.includes(objectRef?.resource)
      );
      assert.deepEqual(writes.map(({ verb, requestURI }) => `${verb} ${requestURI}`), []);
      assert.ok(asked.length > 20);
      console.log(
        `${COUNT} objects: ${seconds.toFixed(1)} s, ${work.toFixed(1)} s of the processor, ${
          memory.toFixed(0)
        } MB, ${asked.length} requests`,
      );
      if (COUNT < 1000) return;
      assert.ok(work < 60, `${work} s`);
      assert.ok(memory < 500, `${memory} MB`);
      await Promise.all(
        Array.from({ length: MANY }, (_, number) =>
          limiter.run(() =>
            cluster.api.create(kinds.ConfigMap, {
              metadata: { name: `settings-${number}`, namespace: "default" },
              data: { text: "x".repeat(2000) },
            })
          )),
      );
      const began = performance.now();
      const copy = await copyLiveCluster({
        host: currentHost(),
        logger: silentLogger(),
        kubeconfig: cluster.kubeconfig,
      });
      const copying = (performance.now() - began) / 1000;
      console.log(`${copy.objects.length} objects copied in ${copying.toFixed(1)} s`);
      assert.ok(copy.objects.length > MANY);
      assert.ok(copying < 30, `${copying} s`);
    },
  );
});
