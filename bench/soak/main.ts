/**
 * The soak: an operator on a real control plane that is changed all the time, whose API server is killed, and whose login is
 * taken away. README.md says what must hold in the end.
 *
 *   deno task soak [--minutes 30] [--runtime bun|deno] [--seed 1] [--rate 20] [--kill 120] [--rotate 20]
 */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { type ControlPlane, startControlPlane } from "../../tests/control_plane/control_plane.ts";
import { findRuntime, type RuntimeName } from "../../tests/runner/tools.ts";
import { Api } from "../creations/api.ts";
import { readOptions } from "../../tools/options.ts";
import { Changes, seeded } from "./changes.ts";
import { checkAll, checkSettled } from "./checks.ts";
import { DEFINITION, type Item, ITEMS } from "./kind.ts";
import { Readiness } from "./readiness.ts";
import { print, type Report, reportOf } from "./report.ts";
import { kubeconfig, Tokens, USER } from "./tokens.ts";
import type { Line } from "./trace.ts";

const { values } = readOptions(import.meta.url, {
  options: {
    minutes: { type: "string", default: "30" },
    runtime: { type: "string", default: "bun" },
    seed: { type: "string", default: "1" },
    rate: { type: "string", default: "20" },
    kill: { type: "string", default: "120" },
    rotate: { type: "string", default: "20" },
    slots: { type: "string", default: "60" },
  },
});

/** How long nobody is let in after the API server has started again. */
const LOCKED_MS = 5000;
/** How long everything may take to settle after the last change: the longest pause between two tries, and a timer's interval. */
const SETTLING_MS = 60_000;
const STOPPING_MS = 30_000;

const directory = mkdtempSync(join(tmpdir(), "lotse-soak-"));
const random = seeded(Number(values.seed));
const paths = { trace: join(directory, "trace.jsonl"), log: join(directory, "operator.log") };
const report = await soak();
writeFileSync(join(directory, "report.json"), JSON.stringify(report, null, 2));
print(report);
console.log(`\nTrace, log and report.json: ${directory}`);
process.exit(report.passed ? 0 : 1);

async function soak(): Promise<Report> {
  const { tokens, webhook } = await Tokens.start(directory);
  await using _tokens = tokens;
  await using plane = await startControlPlane({
    apiServerFlags: [
      `--authentication-token-webhook-config-file=${webhook}`,
      "--authentication-token-webhook-version=v1",
      "--authentication-token-webhook-cache-ttl=0s",
    ],
  });
  const client = new Api({
    server: plane.server,
    ca: plane.caPem,
    cert: plane.admin.certificate,
    key: plane.admin.key,
  });
  await prepare(client);
  const changes = new Changes({
    api: client,
    slots: Number(values.slots),
    perSecond: Number(values.rate),
    random,
  });
  const port = 20_000 + Math.floor(Math.random() * 10_000);
  const operator = startOperator(plane, `http://127.0.0.1:${port}/healthz`);
  const readiness = new Readiness(`http://127.0.0.1:${port}/readyz`);
  const end = new AbortController();
  const begun = Date.now();
  const jobs = [
    changes.run(end.signal),
    rotate(tokens, end.signal),
    readiness.watch(end.signal),
  ];
  const kills = await killAgainAndAgain(plane, tokens, operator);
  const quiet = await settle(operator, { changes, end, jobs });
  const items = (await client.send<{ items: Item[] }>("GET", ITEMS)).items;
  const settled = checkSettled({ lines: readTrace(), truth: changes.truth }, items);
  await changes.clear();
  const left = await untilEmpty(client, operator);
  await readiness.look();
  const { isReady } = readiness;
  const { code, seconds } = await stop(operator);
  const lines = readTrace();
  const findings = {
    ...settled,
    ...checkAll({ lines, truth: changes.truth }),
    "no object was left over": left,
    "ready at the end": isReady ? [] : ["it is not"],
    "exit code 0 on SIGTERM": code === 0 ? [] : [`it is ${code}`],
  };
  return reportOf({
    lines,
    findings,
    begun,
    quiet,
    changes: changes.counts,
    tokens: tokens.counts,
    ...{ kills, runtime: values.runtime, seed: Number(values.seed), minutes: Number(values.minutes) },
    ...{ notReadySeconds: readiness.badSeconds, stoppingSeconds: seconds },
  });
}

async function prepare(client: Api): Promise<void> {
  await client.send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", DEFINITION);
  await client.send("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name: USER },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: USER }],
  });
  while (!await client.send("GET", ITEMS).then(() => true, () => false)) await sleep(200);
}

function startOperator(plane: ControlPlane, liveness: string): ChildProcess {
  const config = join(directory, "kubeconfig");
  const user = "{ tokenFile: token }";
  writeFileSync(config, kubeconfig({ server: plane.server, ca: plane.caPem, user }));
  const runtime = values.runtime as RuntimeName;
  const root = join(import.meta.dirname ?? ".", "../..");
  const program = runtime === "deno" ? ["run", "-A", "--v8-flags=--expose-gc"] : [];
  const log = openSync(paths.log, "a");
  return spawn(findRuntime(runtime).path, [
    ...program,
    join(root, "cli.ts"),
    ...["run", join(root, "bench/soak/operator.ts"), "--kubeconfig", config, "--liveness", liveness],
  ], { stdio: ["ignore", log, log], cwd: root, env: { ...process.env, SOAK_TRACE: paths.trace } });
}

async function rotate(tokens: Tokens, signal: AbortSignal): Promise<void> {
  for (;;) {
    await sleep(Number(values.rotate) * 1000, undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
    tokens.rotate();
  }
}

/** Until the time is over, or the operator has ended. Gives how often. */
async function killAgainAndAgain(
  plane: ControlPlane,
  tokens: Tokens,
  operator: ChildProcess,
): Promise<number> {
  const end = performance.now() + Number(values.minutes) * 60_000;
  const ended = new AbortController();
  operator.on("exit", () => ended.abort());
  for (let kills = 0;; kills++) {
    const next = Math.min(Number(values.kill) * 1000, end - performance.now());
    await sleep(Math.max(0, next), undefined, { signal: ended.signal }).catch(() => {});
    if (ended.signal.aborted || performance.now() >= end - 1000) return kills;
    await plane.stopApiServer("SIGKILL");
    await sleep(random() * 10_000);
    tokens.isLocked = true;
    await plane.startApiServer();
    await sleep(LOCKED_MS);
    tokens.isLocked = false;
    console.log(`${new Date().toISOString()} killed and started again: ${kills + 1}`);
  }
}

/** Ends the changes, and waits until everything should be handled. Gives when the changes had ended. */
async function settle(
  operator: ChildProcess,
  { changes, end, jobs }: { changes: Changes; end: AbortController; jobs: readonly Promise<void>[] },
): Promise<number> {
  end.abort();
  await Promise.all(jobs);
  const quiet = Date.now();
  console.log(`${new Date().toISOString()} quiet: ${JSON.stringify(changes.counts)}`);
  if (isRunning(operator)) await sleep(SETTLING_MS);
  return quiet;
}

async function untilEmpty(client: Api, operator: ChildProcess): Promise<string[]> {
  const end = performance.now() + SETTLING_MS;
  for (;;) {
    const { items } = await client.send<{ items: Item[] }>("GET", ITEMS);
    const left = items.map(({ metadata: { name, finalizers } }) => `${name}: ${finalizers}`);
    if (left.length === 0 || performance.now() > end || !isRunning(operator)) {
      await sleep(2000); // What is to be said of the last one is said.
      return left;
    }
    await sleep(500);
  }
}

async function stop(operator: ChildProcess): Promise<{ code: number | string | null; seconds: number }> {
  const begun = performance.now();
  let code: number | string | null = operator.exitCode ?? operator.signalCode;
  if (isRunning(operator)) {
    const ended = new Promise<number | string | null>((resolve) =>
      operator.once("exit", (code, signal) => resolve(code ?? signal))
    );
    // NB: not operator.kill(), after which Deno says that the signal has ended it, whatever has.
    process.kill(operator.pid ?? 0, "SIGTERM");
    const late = setTimeout(() => operator.kill("SIGKILL"), STOPPING_MS);
    code = await ended;
    clearTimeout(late);
  }
  return { code, seconds: (performance.now() - begun) / 1000 };
}

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

function readTrace(): Line[] {
  return readFileSync(paths.trace, "utf8").trimEnd().split("\n").map((line) => JSON.parse(line) as Line);
}
