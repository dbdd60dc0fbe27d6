/**
 * Replicas as processes behind a TCP balancer, asked by a real kube-apiserver for admission: replaced one after the other, killed
 * at random, their certificate replaced again and again. No forbidden object gets in.
 *
 * NB: time is real here: reviews come at a rate. The Service is one of the type ExternalName, which leads to the balancer. How long reviews
 * take is printed, and judged with `WEBHOOK_TIMES=judged` alone: bench/README.md, "replicas".
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import process from "node:process";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { ApiError } from "../../lib/client/errors.ts";
import { VALIDATING_WEBHOOK_CONFIGURATIONS } from "../../lib/model/kinds.ts";
import { lotse, Program, project } from "../cli/processes.ts";
import { findControlPlane } from "../control_plane/control_plane.ts";
import { RealPlace } from "../support/real_world.ts";
import { sized } from "../support/size.ts";
import { TcpBalancer } from "../support/tcp_balancer.ts";
import { EXAMPLES } from "../support/worlds.ts";

const PROGRAM = fileURLToPath(new URL("webhook_program.ts", import.meta.url));
const HANDLERS = fileURLToPath(new URL("webhook_handlers.ts", import.meta.url));
const SERVICES = { group: "", version: "v1", plural: "services", namespaced: true };
const skip = findControlPlane().reason ?? false;
const SECRETS = { group: "", version: "v1", plural: "secrets", namespaced: true };
const MANAGED = "hooks.example.com";
const SECRET = "balanced-webhook";

/** How long the load is, and how many reviews come in a second. */
const SECONDS = sized({ short: 8, full: 180 });
const RATE = sized({ short: 20, full: 100 });
/** Where a test names other sizes: for one run by hand. */
const seconds = Number(process.env["WEBHOOK_SECONDS"] ?? SECONDS);
const rate = Number(process.env["WEBHOOK_RATE"] ?? RATE);

/** Whether times are judged, too: for an idle machine alone. */
const IS_JUDGED = process.env["WEBHOOK_TIMES"] === "judged";

/**
 * Builds the operator as it is deployed, where times are judged: sixty replicas from sources take four times the processor time
 * of sixty executables to start, of the cores that answer reviews meanwhile (bench/README.md, "webhooks of replicas"). On Deno,
 * which needs a runtime from the network for that, and in short runs: undefined.
 */
async function built(): Promise<string | undefined> {
  if (!IS_JUDGED || "Deno" in globalThis) return undefined;
  const executable = join(project({}), "operator");
  await using build = lotse(["build", HANDLERS, "-o", executable]);
  assert.equal(await build.ended(), 0, build.output);
  return executable;
}

interface ReplicaOptions {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly kubeconfig: string;
  /** Default: it runs from the sources. */
  readonly executable: string | undefined;
}

/** One replica process. */
class Replica {
  readonly program: Program;
  readonly port: number;
  readonly #probes: number;
  isReady = false;
  /** Between SIGKILL and the end of its connections reviews may be lost that are on their way to it. */
  killedAt: number | undefined;

  constructor(number: number, { settings, kubeconfig, executable }: ReplicaOptions) {
    this.port = 23_000 + number;
    this.#probes = 24_000 + number;
    const env = {
      KUBECONFIG: kubeconfig,
      REPLICA: JSON.stringify({ ...settings, port: this.port, probes: this.#probes }),
    };
    const flags = "Deno" in globalThis ? ["run", "-A", "--no-check"] : [];
    const liveness = `http://127.0.0.1:${this.#probes}/healthz`;
    this.program = executable === undefined
      ? new Program(process.execPath, [...flags, PROGRAM], { env })
      : new Program(executable, ["--namespace", "default", "--liveness", liveness], { env });
  }

  async probe(): Promise<void> {
    this.isReady = await fetch(`http://127.0.0.1:${this.#probes}/readyz`).then(
      async (response) => {
        await response.body?.cancel();
        return response.ok;
      },
      () => false,
    );
  }
}

describe("Webhooks of replicas on a real control plane", () => {
  it(
    "[N27.14] let no forbidden object in while replicas are replaced and killed and certificates change, and refuse none in a roll",
    {
      skip,
      timeout: (seconds + 150) * 1000,
    },
    async (t) => {
      const executable = await built();
      await using place = await RealPlace.open();
      const world = await place.world();
      const { client, plane: { kubeconfig } } = place;
      const replicas: Replica[] = [];
      await using balancer = await TcpBalancer.open(() => replicas);
      const service = SECRET;
      await client.create(SERVICES, {
        apiVersion: "v1",
        kind: "Service",
        metadata: { name: service, namespace: "default" },
        spec: { type: "ExternalName", externalName: "localhost" },
      });
      const settings = {
        name: "balanced",
        service,
        servicePort: balancer.port,
        managed: MANAGED,
        admission: { certificateSettle: 2, linger: 3 },
      };
      let made = 0;
      const add = (): Replica => {
        const replica = new Replica(++made, { settings, kubeconfig, executable });
        replicas.push(replica);
        return replica;
      };
      const readiness = new AbortController();
      const probing = (async () => {
        while (!readiness.signal.aborted) {
          await Promise.all(replicas.map((replica) => replica.probe()));
          await sleep(200);
        }
      })();
      const outputs = (): string =>
        replicas.map(({ program }) => program.output.slice(-2000)).join("\n---\n");
      const until = async (condition: () => boolean | Promise<boolean>, within = 60): Promise<void> => {
        const end = performance.now() + within * 1000;
        while (!await condition()) {
          assert.ok(performance.now() < end, outputs());
          await sleep(50);
        }
      };
      const ask = async (): Promise<string> => {
        const { group, version, plural, kind } = EXAMPLES;
        const body = {
          apiVersion: `${group}/${version}`,
          kind,
          metadata: { generateName: "x-", namespace: "default" },
          spec: { size: 11 },
        };
        const path = `/apis/${group}/${version}/namespaces/default/${plural}?dryRun=All`;
        try {
          await client.transport.request({ method: "POST", path, body, backoffs: [] });
          return "admitted";
        } catch (error) {
          if (!(error instanceof ApiError)) return `lost: ${error}`;
          return error.message.includes("denied the request: Too large") ? "denied" : error.message;
        }
      };
      try {
        for (let number = 0; number < 3; number++) add();
        await until(() => replicas.every(({ isReady }) => isReady), 90);
        await until(async () => await ask() === "denied");
        const refusals: { readonly begun: number; readonly at: number; readonly why: string }[] = [];
        const times: number[] = [];
        const kills: number[] = [];
        let [admitted, denied] = [0, 0];
        const under: Promise<void>[] = [];
        const asked = async (): Promise<void> => {
          const begun = performance.now();
          const answer = await ask();
          if (answer === "admitted") admitted += 1;
          else if (answer === "denied") {
            denied += 1;
            times.push(performance.now() - begun);
          } else refusals.push({ begun, at: performance.now(), why: answer });
        };
        const end = performance.now() + seconds * 1000;
        const rotating = (async () => {
          for (let round = 0; performance.now() < end; round++) {
            const body = { metadata: { annotations: { "lotse.dev/rotate": String(round) } } };
            await client.patch(SECRETS, { namespace: "default", name: SECRET }, { type: "merge", body });
            await sleep(sized({ short: 4000, full: 10_000 }));
          }
        })();
        const disturbing = (async () => {
          for (let round = 0; performance.now() < end; round++) {
            const next = add();
            await until(() => next.isReady, 90);
            const old = replicas[0];
            if (old === undefined) return;
            const isKill = round % 3 === 1;
            if (isKill) kills.push(performance.now());
            else old.program.kill("SIGTERM");
            if (isKill) old.program.kill("SIGKILL");
            await old.program.ended();
            replicas.splice(replicas.indexOf(old), 1);
            await sleep(500);
          }
        })();
        for (let number = 0; performance.now() < end; number++) {
          under.push(asked());
          const due = end - seconds * 1000 + (number + 1) * 1000 / rate;
          await sleep(Math.max(0, due - performance.now()));
        }
        await Promise.all([disturbing, rotating]);
        await Promise.all(under);
        // A review may have been on its way to a replica when that was killed.
        const inRolls = refusals.filter(({ begun, at }) =>
          !kills.some((killed) => at >= killed && begun < killed + 2000)
        );
        times.sort((a, b) => a - b);
        const p99 = times[Math.floor(times.length * 0.99)] ?? 0;
        const secret = await client.get<{ metadata: object; data: Record<string, string> }>(SECRETS, {
          namespace: "default",
          name: SECRET,
        });
        const certificates = atob(secret.data["ca.crt"] ?? "").split("BEGIN CERTIFICATE").length - 1;
        const reasons = new Map<string, number>();
        for (const { why } of inRolls) {
          const reason = why.replace(/^.*failed to call webhook: /, "").replace(/\d{2,}/g, "N");
          reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
        }
        const figures =
          `${denied} denied, ${admitted} admitted, ${refusals.length} refused (${inRolls.length} away from kills), ` +
          `${made} replicas, ${kills.length} kills, p99 ${p99.toFixed(0)} ms, ${certificates} certificates`;
        t.diagnostic?.(figures);
        console.log(figures);
        assert.equal(admitted, 0);
        if (IS_JUDGED) assert.ok(p99 < 100, `p99 is ${p99.toFixed(0)} ms, and should be below 100`);
        assert.ok(certificates >= 2, `${certificates} certificates`);
        assert.deepEqual([...reasons], [], `${balancer.unled} connections without a backend\n${outputs()}`);
        // Apart from the load, and from its last kill: a Lease of six seconds may have to run out before another replica is responsible.
        await sleep(8000);
        // A configuration that is deleted stands again, on an idle machine within a second.
        await client.delete(VALIDATING_WEBHOOK_CONFIGURATIONS, { name: MANAGED });
        const deleted = performance.now();
        await until(async () => {
          const found = await client.get<{ metadata: object; webhooks?: unknown[] }>(
            VALIDATING_WEBHOOK_CONFIGURATIONS,
            { name: MANAGED },
          ).catch(() => undefined);
          return (found?.webhooks ?? []).length === 1;
        }, 5);
        const back = performance.now() - deleted;
        console.log(`stands again ${back.toFixed(0)} ms after it was deleted`);
        if (IS_JUDGED) {
          assert.ok(back < 1000, `it stands again after ${back.toFixed(0)} ms, and should within a second`);
        }
      } finally {
        readiness.abort();
        await probing;
        await Promise.all(replicas.map(({ program }) => program[Symbol.asyncDispose]()));
        await client.delete(VALIDATING_WEBHOOK_CONFIGURATIONS, { name: MANAGED }).catch(() => {});
        await client.delete(SERVICES, { namespace: "default", name: service }).catch(() => {});
        await world.close();
      }
    },
  );
});
