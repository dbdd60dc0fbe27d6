/**
 * An operator with one of each: startup, cleanup, probe, index, changes, daemon, timer, Kubernetes event; what happens to them goes
 * into a trace file, which TRACE names. The test starts this file with `lotse run`.
 */

import { appendFileSync } from "node:fs";
import process from "node:process";
import { type Operator, operator, resource } from "../../mod.ts";

interface Spec {
  readonly colour?: string;
}

const Example = resource<Spec, { runs?: number; friends?: number }>({
  group: "lotse.test",
  version: "v1",
  plural: "examples",
});

const op: Operator = operator();

op.on.startup(function open({ settings }) {
  settings.background.cancellationPolling = 5;
  trace("startup");
});

op.on.cleanup(() => trace("cleanup"));

op.on.probe(function objects() {
  return byColour.size;
});

const byColour = op.index(Example, function byColour({ spec, name }) {
  return { [spec.colour ?? "none"]: name };
});

op.on.create(Example, function make({ body, name }) {
  op.events.normal(body, { reason: "Made", message: `${name} is there` });
  trace(`made ${name}`);
});

op.on.update(Example, { field: "spec.colour" }, function paint({ name, old, new: colour }) {
  trace(`painted ${name} ${old} ${colour}`);
});

op.on.delete(Example, ({ name }) => trace(`deleted ${name}`));

op.daemon(Example, async function watch({ name, stopped }) {
  trace(`daemon begins ${name}`);
  while (!stopped.aborted) await stopped.wait(60);
  trace(
    `daemon ends ${name} ${[...stopped.reasons].filter((reason) => reason !== "DAEMON_SIGNALLED").join()}`,
  );
});

op.timer(Example, { interval: 0.5 }, function count({ spec, status, patch }) {
  patch.status.runs = (status.runs ?? 0) + 1;
  patch.status.friends = byColour.get(spec.colour ?? "none")?.length ?? 0;
});

/** Synchronous: it stands in the file, whatever becomes of the process. */
function trace(line: string): void {
  appendFileSync(process.env["TRACE"] ?? "trace.log", `${line}\n`);
}

export default op;
