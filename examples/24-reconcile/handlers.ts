/**
 * The Website operator: says what should be there for a Website, and puts back what somebody changes or deletes.
 */
import { kinds, operator } from "@lotse/lotse";
import { deployment, page, service } from "./manifests.ts";
import { Website } from "./website.ts";

const op = operator();

op.owns(Website, kinds.ConfigMap);
op.owns(Website, kinds.Deployment);
op.owns(Website, kinds.Service);

op.reconcile(
  Website,
  async function publish({ name, namespace, spec, body, reasons, patch, conditions, logger }) {
    const origin = { name, namespace, spec };
    // `force`: what somebody has edited by hand is ours again.
    const options = { owner: body, force: true };
    await op.api.apply(kinds.ConfigMap, page(origin), options);
    await op.api.apply(kinds.Service, service(origin), options);
    const { status } = await op.api.apply(kinds.Deployment, deployment(origin), options);
    const ready = status?.availableReplicas ?? 0;
    const isUp = ready >= spec.replicas;
    const message = `${ready} of ${spec.replicas} servers are ready`;
    conditions.set("Available", isUp, { reason: isUp ? "AllReplicasReady" : "ReplicasMissing", message });
    patch.status.url = `http://${name}.${namespace}.svc`;
    const why = reasons.map((reason) =>
      "object" in reason ? `${reason.kind} ${reason.object.kind}` : reason.kind
    );
    logger.info("Published", { why: why.join(", ") });
    const isNews = reasons.some(({ kind }) => kind === "create" || kind === "change");
    if (isNews) op.events.normal(body, { reason: "Published", message: `"${spec.text}" is online` });
  },
);

op.timer(Website, { initialDelay: 30, interval: 30 }, function check({ status, patch }) {
  patch.status.checks = (status.checks ?? 0) + 1;
});

export default op;
