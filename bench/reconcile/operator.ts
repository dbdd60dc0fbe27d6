/** The operator that is measured: one ConfigMap for each Item. `controller_runtime/main.go` is the same in Go. */

import process from "node:process";
import { kinds, operator, resource } from "@lotse/lotse";

const Item = resource<{ payload: string }>({ group: "bench.lotse.dev", version: "v1", plural: "items" });

const op = operator();
let calls = 0;

op.owns(Item, kinds.ConfigMap);

op.reconcile(
  Item,
  { resync: Number(process.env["BENCH_RESYNC"] ?? Infinity) },
  async function keep({ name, namespace, spec, body }) {
    calls += 1;
    const wanted = { metadata: { name, namespace }, data: { payload: spec.payload } };
    await op.api.apply(kinds.ConfigMap, wanted, { owner: body, force: true });
  },
);

const printCalls = () => console.log(`calls ${calls}`);
process.on("SIGUSR2", printCalls);
printCalls(); // It listens.
await op.run();
