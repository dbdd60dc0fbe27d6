/**
 * The operator of the soak: one handler of each sort, which write down what they were called for.
 *
 * It is run by `lotse run`; SOAK_TRACE names the file for the lines.
 */

import { createWriteStream } from "node:fs";
import process from "node:process";
import { operator, resource, TemporaryError } from "@lotse/lotse";
import { GROUP, type ItemSpec, type ItemStatus } from "./kind.ts";
import type { Call, Line } from "./trace.ts";
import { collect } from "../../tests/support/heap.ts";

const SAMPLING_MS = 10_000;

const Item = resource<ItemSpec, ItemStatus>({ group: GROUP, version: "v1", plural: "items" });
const op = operator();
const trace = createWriteStream(process.env["SOAK_TRACE"] ?? "trace.jsonl", { flags: "a" });

function write(line: Line): void {
  trace.write(`${JSON.stringify(line)}\n`);
}

interface Seen {
  readonly uid: string;
  readonly name: string;
  readonly spec: Readonly<ItemSpec>;
}

function note(what: Call["what"], { uid, name, spec }: Seen, more: Partial<Call> = {}): void {
  write({ at: Date.now(), what, uid, name, n: spec.n, ...more });
}

function stumble(spec: ItemSpec, retry: number): void {
  if (spec.flaky && retry === 0) throw new TemporaryError("It is flaky", { delay: 0.5 });
}

const shards = op.index(Item, { id: "shards" }, ({ name, spec }) => ({ [spec.shard]: `${name}=${spec.n}` }));

op.on.create(Item, { id: "made" }, (args) => {
  stumble(args.spec, args.retry);
  args.patch.status.state = "Ready";
  note("made", args);
});

op.on.update(Item, { id: "changed" }, (args) => {
  stumble(args.spec, args.retry);
  args.patch.status.n = args.spec.n;
  note("changed", args);
});

op.on.delete(Item, { id: "removed" }, (args) => {
  stumble(args.spec, args.retry);
  note("removed", args);
});

op.on.event(Item, { id: "gone" }, (args) => {
  if (args.type !== "DELETED") return;
  note("gone", args, { isSudden: args.meta.deletionTimestamp === undefined });
});

op.timer(Item, { id: "tick", interval: 15 }, (args) => {
  args.patch.status.ticks = (args.status.ticks ?? 0) + 1;
  note("tick", args);
});

op.daemon(Item, { id: "daemon" }, async (args) => {
  note("daemon", args);
  while (!args.stopped.aborted) await args.stopped.wait(7);
  note("daemon-end", args);
});

let sampling: ReturnType<typeof setInterval> | undefined;

op.on.startup(() => {
  sampling = setInterval(sample, SAMPLING_MS);
});

op.on.cleanup(async () => {
  clearInterval(sampling);
  await new Promise<void>((resolve) => trace.end(resolve));
});

function sample(): void {
  collect();
  const { rss, heapUsed: heap } = process.memoryUsage();
  const index = [...shards].flatMap(([shard, values]) => values.map((value) => `${shard}/${value}`)).sort();
  write({ at: Date.now(), what: "sample", rss, heap, index });
}

export default op;
