/**
 * Reports that are made again and again by Jobs, as a CronJob does: admission fills in and refuses, a reconcile makes one Job
 * for each time that is due, and removes old ones.
 */
import { AdmissionError, cron, kinds, operator, resource, webhookServer } from "@lotse/lotse";
import { child } from "@lotse/lotse/children";

interface ReportSpec {
  /** A cron expression, such as `0 3 * * *`. */
  schedule: string;
  timeZone?: string;
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
  try {
    cron(spec.schedule, spec);
  } catch (error) {
    throw new AdmissionError(`spec.schedule: ${error instanceof Error ? error.message : error}`, {
      code: 422,
    });
  }
});

op.owns(Report, kinds.Job);

op.reconcile(Report, async function plan({ name, spec, status, body, children, clock, patch, logger }) {
  const times = cron(spec.schedule, spec);
  const now = new Date(clock.now());
  const began = new Date(body.metadata.creationTimestamp ?? now);
  const last = new Date(status.lastTime ?? began);
  // The time itself counts: a turn may come to the millisecond.
  const due = times.previous(new Date(now.getTime() + 1));
  const isDue = !spec.suspend && due !== undefined && due > last;
  // A Job is named after its time: however often this runs, each time has one.
  const kept: Date[] = [];
  let time = isDue ? due : last;
  while (time > began && kept.length < (spec.keep ?? 3)) {
    kept.push(time);
    time = times.previous(time) ?? began;
  }
  await children(
    Object.fromEntries(kept.map((each) => [`at-${each.getTime() / 60_000}`, jobOf(name, spec)])),
  );
  if (isDue) {
    patch.status.lastTime = due.toISOString();
    logger.info("Job made");
  }
  const next = spec.suspend ? undefined : times.next(now);
  return next && { requeueAfter: (next.getTime() - now.getTime()) / 1000 };
});

function jobOf(name: string, { image }: Pick<ReportSpec, "image">) {
  const containers = [{ name: "report", image, args: [name] }];
  return child(kinds.Job, { spec: { template: { spec: { restartPolicy: "Never", containers } } } });
}

export default op;
