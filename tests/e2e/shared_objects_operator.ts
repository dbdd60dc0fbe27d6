/** An operator for tests of replicas as processes: it notes on each ConfigMap of its namespace the state that it has handled. */

import { kinds, operator } from "../../mod.ts";

const op = operator({
  replicas: { leaseDuration: 3, renewDeadline: 2, retryPeriod: 0.5, drainTimeout: 2 },
  execution: { defaultBackoff: 1 },
});

op.on.create(kinds.ConfigMap, { id: "make", labels: { shared: "yes" } }, handle);
op.on.update(kinds.ConfigMap, { id: "change", labels: { shared: "yes" } }, handle);

async function handle(
  { name, body, patch, clock, signal }: {
    readonly name: string;
    readonly body: object;
    readonly patch: { readonly metadata: { readonly labels: Record<string, string | null> } };
    readonly clock: { sleep(seconds: number, signal: AbortSignal): Promise<boolean> };
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { v = "" } = (body as { data?: { v?: string } }).data ?? {};
  console.log(`handling ${name} ${v}`);
  await clock.sleep(0.3, signal);
  signal.throwIfAborted();
  patch.metadata.labels["handled"] = v;
}

export default op;
