/**
 * The same operator in a cluster: replicas that the API server reaches by a Service. They share one certificate, which Lotse keeps
 * in the Secret `ferries-webhook`.
 */
import { webhookServer } from "@lotse/lotse";
import op from "./handlers.ts";

op.settings.admission.server = webhookServer({ port: 9443, service: { name: "ferries-webhook" } });
op.settings.replicas.enabled = true;
op.settings.replicas.name = "ferries";

export default op;
