/** `replicas` prints the Leases of operators: which replicas there are, and which of them holds which shard. */

import type { Command } from "commander";

import { type LeaseReport, reportLeases } from "../operator/lease_report.ts";
import type { Host } from "../runtime/host.ts";
import { CommandError } from "./errors.ts";
import { addClusterOptions, addLogOptions, type ClusterFlags, type LogFlags, loggerFor } from "./options.ts";
import { addExamples, CommandOption } from "./program.ts";

interface ReplicasFlags extends ClusterFlags, LogFlags {
  readonly namespace?: string;
}

/** Adds the command. */
export function addReplicas(program: Command, host: Host): void {
  const command = program.command("replicas").argument("[name]", "The operator's name; default: all");
  command.summary("Show the replicas of an operator, and who is responsible");
  command.description(
    `${command.summary()}\n\nRead from Leases, with a kubeconfig alone. Ages are by the clock of this machine.`,
  );
  command.addOption(
    new CommandOption(
      "-n, --namespace <namespace>",
      "Where the Leases stand; default: as the kubeconfig says",
    ),
  );
  addLogOptions(addClusterOptions(command));
  addExamples(command, ["replicas bakery -n bakery-system", "replicas"]);
  command.action((name: string | undefined, flags: ReplicasFlags) => show(name, flags, host));
}

async function show(name: string | undefined, flags: ReplicasFlags, host: Host): Promise<void> {
  const { namespace, kubeconfig, context } = flags;
  const logger = loggerFor(flags, host);
  const reports = await reportLeases({ name, namespace, kubeconfig, context, logger, host });
  if (reports.length === 0) {
    throw new CommandError(
      `No Leases of ${
        name === undefined ? "operators" : `"${name}"`
      } are there (name another namespace by -n)`,
    );
  }
  host.process.write("stdout", reports.map(textOf).join("\n"));
}

function textOf({ name, members, shards }: LeaseReport): string {
  const held = (identity: string): string =>
    shards.filter(({ holder }) => holder === identity).map(({ shard }) => shard).join(",") || "-";
  const rows = members.map(({ identity, isLive, isAble, isLeaving, release, renewed }) => [
    identity,
    isLeaving ? "leaving" : !isLive ? "ended" : isAble ? "live" : "starting",
    held(identity),
    ageOf(renewed),
    release || "-",
  ]);
  const leases = shards.map(({ lease, holder, since, transitions }) => [
    lease,
    holder || "-",
    ageOf(since),
    String(transitions),
  ]);
  return `${name}\n${table(["REPLICA", "STATE", "SHARDS", "RENEWED", "RELEASE"], rows)}\n${
    table(["LEASE", "HOLDER", "SINCE", "CHANGES"], leases)
  }`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? "").length)));
  return all.map((row) =>
    `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ").trimEnd()}\n`
  )
    .join("");
}

/** As kubectl has it: "12s", "5m", "3h", "8d". */
function ageOf(seconds: number): string {
  if (seconds < 120) return `${Math.floor(seconds)}s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)}m`;
  return seconds < 172_800 ? `${Math.floor(seconds / 3600)}h` : `${Math.floor(seconds / 86_400)}d`;
}
