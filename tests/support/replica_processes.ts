/**
 * Replicas as processes at a real kube-apiserver with an audit log, each with a user and a network of its own.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import type { JsonObject } from "../../mod.ts";
import { Program } from "../cli/processes.ts";
import type { ControlPlane } from "../control_plane/control_plane.ts";
import { RealPlace } from "./real_world.ts";
import { TcpTunnel } from "./tcp_tunnel.ts";
import type { TermWitness } from "./term_witness.ts";
import { EXAMPLES } from "./worlds.ts";

/** One line of the audit log. */
export interface Audited {
  readonly verb: string;
  readonly requestURI?: string;
  readonly user: { readonly username: string };
  readonly userAgent?: string;
  readonly objectRef?: { readonly resource: string; readonly name?: string };
  readonly responseStatus?: { readonly code?: number };
  readonly responseObject?: JsonObject;
  readonly requestObject?: JsonObject;
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
}

const POLICY = {
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  omitStages: ["RequestReceived"],
  omitManagedFields: true,
  rules: [
    {
      level: "RequestResponse",
      verbs: ["create", "update", "patch"],
      resources: [
        { group: "coordination.k8s.io", resources: ["leases"] },
        { group: "", resources: ["configmaps"] },
        { group: EXAMPLES.group },
      ],
    },
    { level: "RequestResponse", verbs: ["get"], resources: [{ group: EXAMPLES.group }] },
    { level: "Metadata", verbs: ["list", "watch"], resources: [{ group: EXAMPLES.group }] },
    { level: "None" },
  ],
};

/** A control plane with an audit log. */
export class AuditedPlace implements AsyncDisposable {
  readonly place: RealPlace;
  readonly folder: string;

  private constructor(place: RealPlace, folder: string) {
    this.place = place;
    this.folder = folder;
  }

  static async open(): Promise<AuditedPlace> {
    const folder = await mkdtemp(join(tmpdir(), "lotse-shared-"));
    writeFileSync(join(folder, "policy.json"), JSON.stringify(POLICY));
    const apiServerFlags = [
      `--audit-policy-file=${join(folder, "policy.json")}`,
      `--audit-log-path=${join(folder, "audit.log")}`,
    ];
    return new AuditedPlace(await RealPlace.open({ apiServerFlags }), folder);
  }

  /** All lines about the users whose names begin so. */
  audited(users: string): Audited[] {
    const lines = readFileSync(join(this.folder, "audit.log"), "utf8").split("\n");
    return lines.filter((line) => line.includes(`"username":"${users}`)).map((line) => JSON.parse(line));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.place[Symbol.asyncDispose]();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** One replica: a process, with a network and a user of its own. */
export class ReplicaProcess {
  readonly program: Program;
  readonly tunnel: TcpTunnel;
  isGone = false;

  private constructor(program: Program, tunnel: TcpTunnel) {
    this.program = program;
    this.tunnel = tunnel;
  }

  static async start(
    { plane, folder, username, program: path, env }: {
      plane: ControlPlane;
      folder: string;
      username: string;
      /** The path of its program, which gets the way to its kubeconfig as KUBECONFIG, and its name as POD_ID. */
      program: string;
      env: Record<string, string>;
    },
  ): Promise<ReplicaProcess> {
    const tunnel = await TcpTunnel.open(Number(new URL(plane.server).port));
    const { certificate, key } = await plane.authority.issue({
      commonName: username,
      organizations: ["system:masters"],
      client: true,
    });
    const user = { "client-certificate-data": btoa(certificate), "client-key-data": btoa(key) };
    const server = `https://127.0.0.1:${tunnel.port}`;
    const kubeconfig = join(folder, `${username}.json`);
    writeFileSync(
      kubeconfig,
      JSON.stringify({
        apiVersion: "v1",
        kind: "Config",
        "current-context": "c",
        contexts: [{ name: "c", context: { cluster: "c", user: "c" } }],
        clusters: [{ name: "c", cluster: { server, "certificate-authority-data": btoa(plane.caPem) } }],
        users: [{ name: "c", user }],
      }),
    );
    const flags = "Deno" in globalThis ? ["run", "-A", "--no-check"] : [];
    const program = new Program(process.execPath, [...flags, path], {
      env: { ...env, KUBECONFIG: kubeconfig, POD_ID: username },
    });
    return new ReplicaProcess(program, tunnel);
  }

  signal(signal: "SIGKILL" | "SIGSTOP" | "SIGCONT" | "SIGTERM" | "SIGUSR2" | "SIGHUP"): void {
    if (signal === "SIGKILL" || signal === "SIGTERM") this.isGone = true;
    process.kill(this.program.pid, signal);
  }

  /** @throws {Error} If its process has ended by itself. */
  assertAlive(): void {
    if (this.isGone || !this.program.hasEnded) return;
    throw new Error(`A replica has ended by itself:\n${this.program.stderr.slice(-3000)}`);
  }

  async end(): Promise<void> {
    // A process that is stopped takes no signal but this one.
    if (!this.isGone && !this.program.hasEnded) process.kill(this.program.pid, "SIGCONT");
    await this.program[Symbol.asyncDispose]();
    await this.tunnel[Symbol.asyncDispose]();
  }
}

/** The parts of a run from which the story of one object is told. */
export interface StoryOptions {
  readonly uid: string;
  readonly name: string;
  readonly audited: readonly Audited[];
  readonly replicas: readonly ReplicaProcess[];
}

/**
 * Returns everything that has happened to an object, one line each, by time: requests for it, for its child and for Leases of shards,
 * with the times of their coming and of their answer, and the lines that its replicas have written. For the message of a failure.
 */
export function storyOf({ uid, name, audited, replicas }: StoryOptions): string {
  const lines: { readonly time: number; readonly text: string }[] = [];
  for (const line of audited) {
    const { verb, objectRef: { resource = "", name: of = "" } = {}, responseStatus, user, userAgent } = line;
    const isLease = resource === "leases" && !of.includes("-member-");
    if (of !== name && !isLease) continue;
    const [received, answered] = [line.requestReceivedTimestamp, line.stageTimestamp].map(millisecondsOf);
    const { metadata, spec } = (line.responseObject ?? {}) as {
      metadata?: { uid?: string; resourceVersion?: string };
      spec?: unknown;
    };
    const words = [
      `request of ${user.username} (${userAgent}): ${verb} ${line.requestURI}`,
      `sent ${JSON.stringify(line.requestObject)}`,
      `answered after ${(answered! - received!).toFixed(3)} ms with ${responseStatus?.code}`,
      `version ${metadata?.resourceVersion} uid ${metadata?.uid} ${JSON.stringify(spec)}`,
    ];
    lines.push({ time: received!, text: words.join("; ") });
  }
  for (const [number, { program }] of replicas.entries()) {
    for (const line of program.output.split("\n")) {
      const time = Number(/^(?:called|ended) .* (\d{13})$/.exec(line)?.[1] ?? /^(\d{13}) /.exec(line)?.[1]);
      const isAbout = line.includes(uid) || /Session|Shard|turn has ended/.test(line);
      if (isAbout && !Number.isNaN(time)) lines.push({ time, text: `replica ${number}: ${line}` });
    }
  }
  lines.sort((a, b) => a.time - b.time);
  return lines.map(({ time, text }) => `${new Date(time).toISOString().slice(11)} ${text}`).join("\n");
}

/** An object as the judge is told of it when the request was taken, and when it was answered. */
export function stepsOf(
  line: Audited,
  witness: TermWitness,
): { readonly time: number; readonly tell: () => void }[] {
  const { user: { username }, objectRef, responseStatus, requestObject = {}, responseObject = {} } = line;
  if (["get", "list", "watch"].includes(line.verb)) return [];
  const by = Number(username.split("-").at(-1));
  const { resource = "", name = "" } = objectRef ?? {};
  const request = { by, resource, name };
  const [received, answered] = [line.requestReceivedTimestamp, line.stageTimestamp].map(millisecondsOf);
  if ((responseStatus?.code ?? 500) >= 300) return [{ time: received!, tell: () => witness.took(request) }];
  const applied = { body: requestObject, object: responseObject };
  return [
    { time: received!, tell: () => witness.took(request) },
    // A holder's next request may come before the server says that it has answered the one for the Lease.
    { time: resource === "leases" ? received! : answered!, tell: () => witness.applied(request, applied) },
  ];
}

/** Returns the milliseconds since 1970 of a timestamp, with its microseconds as a fraction. */
export function millisecondsOf(timestamp: string): number {
  return Date.parse(timestamp) + Number(timestamp.slice(23, 26)) / 1000;
}
