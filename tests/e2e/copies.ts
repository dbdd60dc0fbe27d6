/**
 * An operator of ConfigMaps of which several copies run at once. Each call goes into the file that TRACE names, with the
 * copy that it came to, which COPY names.
 */

import { appendFileSync } from "node:fs";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { kinds, type Operator, operator } from "../../mod.ts";

const op: Operator = operator();
const worked = { labels: { worked: "yes" } };

op.on.create(kinds.ConfigMap, worked, async function make({ name, patch }) {
  trace("make", name);
  await sleep(20);
  patch.meta.annotations["made"] = "yes";
});

op.on.update(kinds.ConfigMap, { ...worked, field: "data.n" }, function change({ name, new: n, patch }) {
  trace(`change-${n}`, name);
  patch.meta.annotations["seen"] = String(n);
});

op.on.delete(kinds.ConfigMap, worked, function clean({ name }) {
  trace("clean", name);
});

op.daemon(kinds.ConfigMap, { labels: { watched: "yes" } }, async function watch({ name, stopped }) {
  trace("watch-begins", name);
  await stopped.wait(3600);
  trace("watch-ends", name);
});

/** Synchronous, and shorter than a page: lines of several processes do not mix. */
function trace(what: string, name: string): void {
  appendFileSync(process.env["TRACE"] ?? "trace.log", `${process.env["COPY"]} ${what} ${name}\n`);
}

export default op;
