/**
 * The Database operator: turns a Database into a volume, a Service and a StatefulSet, and keeps them in step with it.
 *
 * A handler may run more than once: after an error, or after a crash of the operator. So each one says what should be there
 * (`op.api.apply`), not what to do: the API server makes it, or brings it in line, and nothing is sent where it is as it should.
 */
import { kinds, operator, PermanentError } from "@lotse/lotse";
import type { ApplyOptions } from "@lotse/lotse";
import type { ChildHandlerArguments } from "@lotse/lotse/types";

import { Database, type DatabaseSpec, type DatabaseStatus } from "./database.ts";
import * as manifests from "./manifests.ts";

const op = operator({ networking: { fieldManager: "database-operator" } });

/** A volume that is there stays as it is: its size is refused by the API, and left to a human by `change`. */
const volumes = op.cache(kinds.PersistentVolumeClaim, { labels: manifests.OURS });

/** What the API refuses is tried again in ten seconds. */
const SOON = { backoff: 10 };

op.on.create(
  Database,
  SOON,
  async function provision({ body, name, namespace, spec, patch, conditions, logger }) {
    const origin = { name, namespace, spec };
    logger.info("Provisioning", { engine: spec.engine, version: spec.version });
    await applyChildren(origin, body);
    patch.status.state = "Provisioned";
    patch.status.endpoint = manifests.endpointOf(origin);
    conditions.set("Provisioned", true, {
      reason: "ObjectsExist",
      message: "The volume, the Service and the StatefulSet exist",
    });
  },
);

op.on.resume(Database, SOON, async function restore({ body, name, namespace, spec, logger }) {
  await applyChildren({ name, namespace, spec }, body);
  logger.info("Made sure that nothing went missing while the operator was away");
});

op.on.update(Database, SOON, async function change({ old, body, name, namespace, spec, patch, logger }) {
  const { version, storage, replicas } = { ...spec, ...old.spec };
  refuseDowngrade({ from: version, to: spec.version });
  if (storage !== spec.storage) { // many storage classes cannot grow a volume, and none can shrink one: a human decides
    patch.status.pendingAction = `Resize the volume from ${storage} to ${spec.storage}`;
    logger.warn("The volume must be resized by hand", { from: storage, to: spec.storage });
  }
  const origin = { name, namespace, spec };
  await op.api.apply(kinds.StatefulSet, manifests.statefulSet(origin), { owner: body });
  if (spec.backupEnabled) await op.api.apply(kinds.CronJob, manifests.backupJob(origin), { owner: body });
  if (replicas !== spec.replicas) logger.info("Scaled", { from: replicas, to: spec.replicas });
  if (version !== spec.version) logger.info("Upgraded", { from: version, to: spec.version });
});

op.on.field(
  Database,
  "spec.backupEnabled",
  SOON,
  async function backups({ body, name, namespace, spec, logger }) {
    const job = manifests.backupJob({ name, namespace, spec });
    if (spec.backupEnabled) await op.api.apply(kinds.CronJob, job, { owner: body });
    else await op.api.delete(kinds.CronJob, { name: job.metadata.name, namespace }, { ifExists: true });
    logger.info(spec.backupEnabled ? "Nightly backups are on" : "Nightly backups are off");
  },
);

op.on.delete(Database, SOON, async function takeSnapshot({ name, namespace, spec, logger }) {
  const { metadata } = await op.api.apply(
    kinds.ConfigMap,
    manifests.finalSnapshot({ name, namespace, spec }),
  );
  logger.info("Took the final snapshot", { configMap: metadata.name });
});

// What somebody deletes comes back.
for (const kind of ["persistentvolumeclaims", "services", "statefulsets.apps", "cronjobs.batch"]) {
  op.on.child(Database, kind, { ...SOON, predicate: ({ type }) => type === "DELETED" }, putBack);
}

op.on.event(kinds.Pod, { labels: manifests.OURS }, function followPod({ type, status, logger }) {
  logger.info("A Pod changed", { event: type ?? "LISTED", phase: status.phase });
});

async function putBack(
  { child, body, name, namespace, spec, meta, logger }: ChildHandlerArguments<DatabaseSpec, DatabaseStatus>,
): Promise<void> {
  const isUnwanted = child.kind === "CronJob" && !spec.backupEnabled;
  if (isUnwanted || meta.deletionTimestamp !== undefined) return;
  const origin = { name, namespace, spec };
  await applyChildren(origin, body);
  if (spec.backupEnabled) await op.api.apply(kinds.CronJob, manifests.backupJob(origin), { owner: body });
  logger.info("Put back", { kind: child.kind, name: child.metadata.name });
}

async function applyChildren(origin: manifests.Origin, owner: ApplyOptions["owner"]): Promise<void> {
  const claim = manifests.volumeClaim(origin);
  if (volumes.get(claim.metadata) === undefined) {
    await op.api.apply(kinds.PersistentVolumeClaim, claim, { owner });
  }
  await op.api.apply(kinds.Service, manifests.service(origin), { owner });
  await op.api.apply(kinds.StatefulSet, manifests.statefulSet(origin), { owner });
}

function refuseDowngrade({ from, to }: { from: string; to: string }): void {
  if (to.localeCompare(from, "en", { numeric: true }) >= 0) return;
  throw new PermanentError(
    `Cannot go back from version ${from} to ${to}: restore a backup into a new Database`,
  );
}

export default op;
