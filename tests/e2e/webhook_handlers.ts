/** The operator of `webhooks_test.ts`: forbids objects whose size is above 10. For `webhook_program.ts`, and for `lotse build`. */

import process from "node:process";
import { AdmissionError, operator, resource, webhookServer } from "@lotse/lotse";

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

export default op;
