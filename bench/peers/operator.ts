/**
 * The operator that is measured, on Lotse: sets one field of the status of each object that is new.
 *
 * PEERS_NAMESPACE is the namespace that it serves; PEERS_NOTES where it keeps its notes: "default", "annotations", or "none" for a
 * reconcile, which keeps none; PEERS_WEBHOOK the port of an admission webhook in place of that, with the certificate in the folder
 * PEERS_CERTIFICATES. It runs by itself, or inside the executable that `lotse build` makes of it.
 */

import process from "node:process";
import { operator, persistence, resource, webhookServer } from "@lotse/lotse";

const Item = resource<{ payload: string; color?: string }, { state?: string }>({
  group: "bench.lotse.dev",
  version: "v1",
  plural: "items",
});

const { PEERS_NAMESPACE = "default", PEERS_NOTES, PEERS_WEBHOOK, PEERS_CERTIFICATES } = process.env;

const op = operator({
  persistence: PEERS_NOTES === "annotations" ? persistence.annotations() : undefined,
  ...PEERS_WEBHOOK !== undefined && {
    admission: {
      server: webhookServer({
        addr: "127.0.0.1",
        port: Number(PEERS_WEBHOOK),
        certfile: `${PEERS_CERTIFICATES}/server.crt`,
        pkeyfile: `${PEERS_CERTIFICATES}/server.key`,
      }),
    },
  },
});

if (PEERS_WEBHOOK !== undefined) {
  op.on.mutate(Item, function fill({ patch }) {
    patch.spec.color = "blue";
  });
} else if (PEERS_NOTES === "none") {
  op.reconcile(Item, function handle({ status, patch }) {
    if (status.state !== "Ready") patch.status.state = "Ready";
  });
} else {
  op.on.create(Item, function handle({ patch }) {
    patch.status.state = "Ready";
  });
}

export default op;

if (import.meta.main) await op.run({ scope: [PEERS_NAMESPACE] });
