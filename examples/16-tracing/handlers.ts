/**
 * Traces: where the time goes, from the reconcile through the handler's own steps to the requests.
 */
import { trace } from "@opentelemetry/api";
import { kinds, type Logger, operator, resource } from "@lotse/lotse";
import { registerSpans } from "./spans.ts";

const Parcel = resource<{ weight: number }>({ group: "example.com", version: "v1", plural: "parcels" });

let log: Logger | undefined;

registerSpans(({ name, parent }) => {
  // What has nothing around it, besides the reconciles, are the lists and watches.
  if (parent !== undefined || name === "lotse.reconcile") {
    log?.info("Span", { name, parent: parent ?? "none" });
  }
});

const op = operator();

op.on.startup(({ logger }) => {
  log = logger;
});

op.on.create(Parcel, async function send({ name, namespace, spec, patch }) {
  await trace.getTracer("parcels").startActiveSpan("label", async (span) => {
    const data = { weight: String(spec.weight) };
    await op.api.create(kinds.ConfigMap, { metadata: { name: `${name}-label`, namespace }, data });
    span.end();
  });
  patch.status.state = "sent";
});

export default op;
