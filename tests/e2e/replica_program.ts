/**
 * A replica in a process of its own: prints "begin SHARD TIME", "works SHARD TIME" again and again while the fence lets writes
 * through, and "end SHARD TIME". Times are in milliseconds since 1970.
 */

import process from "node:process";
import { login } from "../../lib/client/auth/login.ts";
import { createClient } from "../../lib/client/object_client.ts";
import { Transport } from "../../lib/client/transport/transport.ts";
import type { ShardWork, Term } from "../../lib/engines/replicas/shard_fence.ts";
import { checkReplicas } from "../../lib/engines/replicas/options.ts";
import { Replicas } from "../../lib/engines/replicas/replicas.ts";
import { currentHost } from "../../lib/runtime/current_host.ts";
import { createLogger } from "../../lib/runtime/logging.ts";
import { defaultSettings } from "../../lib/settings/settings.ts";

const host = currentHost();
const say = (word: string, { shard }: Pick<Term, "shard">): void =>
  console.log(`${word} ${shard} ${Date.now()}`);
const write = ({ message, fields }: { message: string; fields: unknown }): void =>
  console.error(message, JSON.stringify(fields));
const logger = createLogger({ level: "info", write }, host.clock);
const settings = checkReplicas(JSON.parse(process.env["REPLICAS"] ?? "{}"), {
  name: undefined,
  namespace: undefined,
});
if (settings === undefined) throw new Error("REPLICAS must be options");

const credentials = await login({ host, logger, kubeconfig: process.env["KUBECONFIG"] });
const { networking, watching } = defaultSettings();
const transport = { host, credentials, networking, logger };
const terms = new Set<Term>();
const begin = (term: Term): void => {
  terms.add(term);
  say("begin", term);
};
const end = (term: Term): readonly string[] => {
  terms.delete(term);
  say("end", term);
  return [];
};
const work: ShardWork = {
  begin,
  pause: end,
  proceed: begin,
  drain: () => Promise.resolve(),
  resume: () => {},
  end,
};
const engine = new Replicas({
  host,
  logger,
  settings,
  watching,
  client: createClient(new Transport(transport)),
  transport,
  podName: `process-${process.pid}`,
  release: "1",
  work,
});
engine.start();
engine.setAble(true);

const stop = new AbortController();
process.on("SIGTERM", () => stop.abort());
while (!stop.signal.aborted) {
  for (const term of terms) if (term.timeLeft() > 0) say("works", term);
  await host.clock.sleep(0.02, stop.signal);
}
await engine.leave({ timeout: 5 });
await engine[Symbol.asyncDispose]();
process.exit(0);
