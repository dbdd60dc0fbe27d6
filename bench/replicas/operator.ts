/**
 * A replica that is measured: prints "taken TIME" for each shard that it takes, and for each call of its handler "called NAME TIME UID V",
 * "handled NAME TIME UID V" if it has ended well, and "left NAME TIME UID V" when it has ended, in milliseconds since 1970. SETTINGS: `replicas`, `namespace`, `wait` (of the handler, in seconds), `workers`.
 */

import process from "node:process";
import { currentHost } from "../../lib/runtime/current_host.ts";
import { createLogger } from "../../lib/runtime/logging.ts";
import { operator } from "../../mod.ts";
import { Example } from "../../tests/support/worlds.ts";

const { replicas, namespace, wait = 0, workers } = JSON.parse(process.env["SETTINGS"] ?? "{}");
const host = currentHost();
const op = operator({ replicas, queueing: { workerLimit: workers } });

async function handle({ name, uid, spec, signal }: {
  readonly name: string;
  readonly uid: string;
  readonly spec: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}): Promise<void> {
  const say = (word: string): void => console.log(word, name, Date.now(), uid, spec["v"]);
  say("called");
  try {
    if (wait > 0) await host.clock.sleep(wait, signal);
    signal.throwIfAborted();
    say("handled");
  } finally {
    say("left");
  }
}
op.on.create(Example, { id: "make" }, handle);
op.on.update(Example, { id: "change" }, handle);

const stop = new AbortController();
process.on("SIGTERM", () => stop.abort());
await op.run({
  scope: [namespace],
  kubeconfig: process.env["KUBECONFIG"],
  standalone: true,
  signal: stop.signal,
  logger: createLogger({
    level: "info",
    write: ({ level, message, fields }) => {
      if (message === "Shard taken") console.log("taken", Date.now());
      if (level !== "info") console.error(level, message, JSON.stringify(fields));
    },
  }, host.clock),
});
process.exit(0);
