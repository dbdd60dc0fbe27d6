/**
 * A kind whose fields have changed between two releases. Objects of the old version are converted, the stored ones are moved, and
 * handlers see the new version only.
 */
import { operator, resource, webhookServer } from "@lotse/lotse";
import { z } from "zod";

/** v1beta1 knew two sizes. A number that is none of them is kept here on the way there and back. */
const EXACT = "example.com/replicas";

const Database = resource({
  group: "example.com",
  version: "v1",
  plural: "databases",
  kind: "Database",
  spec: z.object({ replicas: z.int().min(1) }),
  versions: {
    v1beta1: {
      spec: z.object({ size: z.enum(["small", "large"]) }),
      deprecated: true,
      convert: {
        toHub: ({ spec, metadata }) => ({
          spec: { replicas: Number(metadata.annotations?.[EXACT] ?? (spec.size === "large" ? 3 : 1)) },
        }),
        fromHub: ({ spec, metadata }) => ({
          spec: { size: spec.replicas > 1 ? "large" : "small" },
          metadata: { ...metadata, annotations: { ...metadata.annotations, [EXACT]: String(spec.replicas) } },
        }),
      },
    },
  },
});

const op = operator({
  crds: "apply", // the definition of this release, and then the stored objects
  // In a cluster `webhookServer({ port: 9443, service: { name: "databases-webhook" } })`, which the manifests then have.
  admission: { server: webhookServer({ addr: "127.0.0.1", port: 9445 }), managed: "databases.example.com" },
});

op.on.create(Database, function provision({ spec, logger }) {
  logger.info("Provisioning", { replicas: spec.replicas });
});

op.on.update(Database, { field: "spec.replicas" }, function scale({ new: replicas, logger }) {
  logger.info("Scaling", { replicas });
});

export default op;
