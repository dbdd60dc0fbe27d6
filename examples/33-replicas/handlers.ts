import { kinds, operator } from "@lotse/lotse";

/** Makes the operator: each replica is a process, and has its own. */
export function makeOperator() {
  const op = operator({ replicas: { name: "greeter", shards: 8 } });

  op.on.create(kinds.ConfigMap, { labels: { greet: "me" } }, function greet({ patch }) {
    patch.meta.labels.greeted = "yes";
  });

  // One replica runs it for all.
  op.every("report", { cron: "0 * * * *", once: true }, ({ logger }) => logger.info("An hour has passed"));

  return op;
}

export default makeOperator();
