/** An operator that leaves every sort of trace: it is killed, and then taken out of the cluster by its manifests alone. */

import process from "node:process";
import { z } from "zod";
import { AdmissionError, operator, persistence, resource, webhookServer } from "../../mod.ts";

const { PORT = "0", SERVICE_PORT = "443" } = process.env;

/** Converted between two versions, judged, held back by a finalizer, and with a child. */
const Shop = resource({
  group: "leaving.lotse.test",
  version: "v1",
  plural: "shops",
  kind: "Shop",
  spec: z.object({ size: z.number().default(1) }),
  status: z.object({ made: z.boolean().optional() }),
  versions: { v0: { convert: { toHub: (old) => old, fromHub: (hub) => hub } } },
});

/** Not held back. */
const Till = resource({
  group: "leaving.lotse.test",
  version: "v1",
  plural: "tills",
  kind: "Till",
  spec: z.object({ size: z.number().default(1) }),
});

const op = operator({
  persistence: persistence.annotations({ prefix: "shops.leaving.test" }),
  admission: {
    server: webhookServer({
      addr: "127.0.0.1",
      port: Number(PORT),
      service: { name: "leaving-webhook", namespace: "leaving", port: Number(SERVICE_PORT) },
    }),
    managed: "shops.leaving.test",
  },
  replicas: { name: "leaving", namespace: "leaving", shards: 2 },
});

op.on.create(Shop, async function open({ name, patch, children }) {
  patch.status.made = true;
  if (!name.endsWith("0")) return;
  const stock = { apiVersion: "v1", kind: "ConfigMap", data: { size: "1" } };
  await children({ stock });
});
op.on.delete(Shop, function close() {});
op.on.create(Till, function count() {});
op.on.update(Till, function recount() {
  throw new Error("The service is away"); // A note about it stays on the object.
});
op.on.validate(Shop, function check({ spec: { size } }) {
  if (Number(size) > 100) throw new AdmissionError("Too large", { code: 422 });
});

export default op;
