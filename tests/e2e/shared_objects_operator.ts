/**
 * An operator for tests of replicas as processes. Its handlers print "called UID V HANDLER TIME" and "ended UID V HANDLER TIME", with
 * times in milliseconds since 1970; SIGUSR2 sets its wall clock by up to an hour; SIGHUP has it print "stopping" and stop
 * itself, as by SIGSTOP, with its next read of an object on the way, if that comes within six seconds.
 */

import process from "node:process";
import { currentHost } from "../../lib/runtime/current_host.ts";
import type { Clock, Network } from "../../lib/runtime/host.ts";
import { createLogger } from "../../lib/runtime/logging.ts";
import { kinds, operator, TemporaryError } from "../../mod.ts";
import { Example } from "../support/worlds.ts";

const { name, namespace, shards } = JSON.parse(process.env["SHARED"] ?? "{}");
const real = currentHost();
let offset = 0;
process.on("SIGUSR2", () => offset += (real.random.next() - 0.5) * 7_200_000);
const clock: Clock = {
  now: () => real.clock.now() + offset,
  monotonic: () => real.clock.monotonic(),
  sleep: (seconds, signal) => real.clock.sleep(seconds, signal),
  after: (seconds, callback) => real.clock.after(seconds, callback),
};

let stopsUntil = -Infinity;
process.on("SIGHUP", () => stopsUntil = real.clock.monotonic() + 6);
const network: Network = {
  ...real.network,
  connect(options) {
    const connection = real.network.connect(options);
    return {
      request(request) {
        const answer = connection.request(request);
        if (real.clock.monotonic() < stopsUntil && request.method === "GET" && /\/m\d$/.test(request.path)) {
          stopsUntil = -Infinity;
          console.log("stopping");
          real.clock.after(0, () => process.kill(process.pid, "SIGSTOP"));
        }
        return answer;
      },
      [Symbol.dispose]: () => connection[Symbol.dispose](),
    };
  },
};

const op = operator({
  replicas: {
    name,
    namespace,
    shards,
    leaseDuration: 3,
    renewDeadline: 2,
    retryPeriod: 0.5,
    drainTimeout: 2,
  },
  execution: { defaultBackoff: 1 },
});

const say = (word: string, ...rest: readonly string[]): void => console.log(word, ...rest, Date.now());

const make = (handler: string) =>
async ({ name, uid, spec, patch, signal }: {
  readonly name: string;
  readonly uid: string;
  readonly spec: Readonly<Record<string, unknown>>;
  readonly patch: { readonly status: Record<string, unknown> };
  readonly signal: AbortSignal;
}): Promise<void> => {
  const v = String(spec["v"]);
  say("called", uid, v, handler);
  await clock.sleep(real.random.next() * 0.4, signal);
  if (real.random.next() < 0.2) throw new TemporaryError("Not yet", { delay: 0.3 });
  await op.api.apply(kinds.ConfigMap, { metadata: { name, namespace }, data: { v } }, { force: true });
  signal.throwIfAborted();
  patch.status[handler] = v;
  say("ended", uid, v, handler);
};

// Two handlers: the success of one is noted while the other one is not done.
for (const id of ["first", "second"]) {
  op.on.create(Example, { id }, make(id));
  op.on.update(Example, { id: `${id}-again` }, make(`${id}-again`));
}
op.on.delete(Example, { id: "drop" }, async ({ uid, signal }) => {
  say("called", uid, "", "drop");
  await clock.sleep(real.random.next() * 0.4, signal);
  signal.throwIfAborted();
});

const stop = new AbortController();
process.on("SIGTERM", () => stop.abort());
const write = ({ level, message, fields }: { level: string; message: string; fields?: object }): void =>
  console.error(Date.now(), level, message, JSON.stringify(fields));
await op.run({
  scope: [namespace],
  kubeconfig: process.env["KUBECONFIG"],
  host: { ...real, clock, network },
  standalone: true,
  logger: createLogger({ level: "debug", write }, clock),
  signal: stop.signal,
});
process.exit(0);
