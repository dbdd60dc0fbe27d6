/**
 * Reports that are made again and again by Jobs, as a CronJob does: admission fills in and refuses, a reconcile makes one Job
 * for each time that is due, and removes old ones.
 */
import { AdmissionError, kinds, operator, resource, webhookServer } from "@lotse/lotse";
import { child } from "@lotse/lotse/children";

interface ReportSpec {
  everyMinutes: number;
  image: string;
  keep?: number;
  suspend?: boolean;
}
interface ReportStatus {
  lastTime?: string;
}

const Report = resource<ReportSpec, ReportStatus>({ group: "example.com", version: "v1", plural: "reports" });

const op = operator({
  // In a cluster `webhookServer({ port: 9443, service: { name: "reports-webhook" } })`, which the manifests then have.
  admission: { server: webhookServer({ addr: "127.0.0.1", port: 9444 }), managed: "reports.example.com" },
});

op.on.mutate(Report, { operations: ["CREATE"] }, function setDefaults({ spec, patch }) {
  patch.spec.keep ??= spec.keep ?? 3;
});

op.on.validate(Report, { operations: ["CREATE", "UPDATE"] }, function checkTimes({ spec }) {
  if (Number.isInteger(spec.everyMinutes) && spec.everyMinutes > 0) return;
  throw new AdmissionError(`A report is made every 1, 2, 3 … minutes, not ${spec.everyMinutes}`, {
    code: 422,
  });
});

op.owns(Report, kinds.Job);

op.reconcile(Report, async function plan({ name, spec, status, body, children, clock, patch, logger }) {
  const period = spec.everyMinutes * 60_000;
  const now = clock.now();
  const due = Math.floor(now / period) * period;
  const began = Date.parse(body.metadata.creationTimestamp ?? "");
  const last = status.lastTime === undefined ? began : Date.parse(status.lastTime);
  const isDue = !spec.suspend && due > last;
  const newest = isDue ? due : last;
  // A Job is named after its time: however often this runs, each time has one.
  const times = newest > began
    ? Array.from({ length: spec.keep ?? 3 }, (_, age) => newest - age * period).filter((time) => time > began)
    : [];
  await children(Object.fromEntries(times.map((time) => [`at-${time / 60_000}`, jobOf(name, spec)])));
  if (isDue) {
    patch.status.lastTime = new Date(due).toISOString();
    logger.info("Job made");
  }
  return spec.suspend ? undefined : { requeueAfter: (due + period - now) / 1000 };
});

function jobOf(name: string, { image }: Pick<ReportSpec, "image">) {
  const containers = [{ name: "report", image, args: [name] }];
  return child(kinds.Job, { spec: { template: { spec: { restartPolicy: "Never", containers } } } });
}

export default op;
