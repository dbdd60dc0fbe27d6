/** A replica of an operator with a webhook, in a process of its own: forbids objects whose size is above 10. */

import process from "node:process";
import { createLogger } from "../../lib/runtime/logging.ts";
import { AdmissionError, operator, resource, webhookServer } from "../../mod.ts";

const settings = JSON.parse(process.env["REPLICA"] ?? "{}");
const Example = resource<{ size?: number }>({ group: "lotse.test", version: "v1", plural: "examples" });
const op = operator({
  replicas: { name: settings.name, namespace: "default", leaseDuration: 6, renewDeadline: 4, retryPeriod: 1 },
  admission: {
    server: webhookServer({
      addr: "127.0.0.1",
      port: settings.port,
      service: { name: settings.service, namespace: "default", port: settings.servicePort },
    }),
    managed: settings.managed,
    ...settings.admission,
  },
});

op.on.validate(Example, { operations: ["CREATE"] }, function checkSize({ spec }) {
  if (Number(spec.size) > 10) throw new AdmissionError("Too large", { code: 422 });
});

const stop = new AbortController();
process.on("SIGTERM", () => stop.abort());
const write = ({ level, message, fields }: { level: string; message: string; fields: object }): void => {
  if (!message.startsWith("Handler failed")) console.log(level, message, JSON.stringify(fields, told));
};
function told(_key: string, value: unknown): unknown {
  return value instanceof Error ? value.message : value;
}
await op.run({
  scope: ["default"],
  kubeconfig: process.env["KUBECONFIG"],
  liveness: `http://127.0.0.1:${settings.probes}/healthz`,
  logger: createLogger({ level: "info", write }, { now: () => Date.now() }),
  signal: stop.signal,
});
process.exit(0);
