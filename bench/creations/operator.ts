/** The operator that is measured: one creation handler that sets one field of the status. */

import { operator, resource } from "@lotse/lotse";

const Item = resource<{ payload: string }, { state?: string }>({
  group: "bench.lotse.dev",
  version: "v1",
  plural: "items",
});

const op = operator();

op.on.create(Item, function handle({ patch }) {
  patch.status.state = "Ready";
});

await op.run();
