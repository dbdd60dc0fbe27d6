/** The operator that is measured: one creation handler that sets one field of the status. */

import { operator, persistence, resource } from "@lotse/lotse";

const Item = resource<{ payload: string }, { state?: string }>({
  group: "bench.lotse.dev",
  version: "v1",
  plural: "items",
});

// The peers beside it note what they have handled in an annotation, too.
const op = operator({ persistence: persistence.annotations() });

op.on.create(Item, function handle({ patch }) {
  patch.status.state = "Ready";
});

await op.run();
