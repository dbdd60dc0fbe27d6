/**
 * The Database operator: turns a Database into a volume, a Service and a StatefulSet, and keeps them in step with it.
 *
 * A handler may run more than once: after an error, or after a crash of the operator. So each one asks for a state
 * ("there is such a Service"), not for a step ("make a Service").
 */
import { ApiError, kinds, operator, ownerReference, PermanentError, TemporaryError } from "@lotse/lotse";
import type { Address, KubeObject, ResourceType } from "@lotse/lotse";

import { type Condition, Database } from "./database.ts";
import * as manifests from "./manifests.ts";

const op = operator();

op.on.create(Database, async function provision({ body, name, namespace, spec, patch, logger }) {
  const origin = { name, namespace, spec, owner: ownerReference(body) };
  logger.info("Provisioning", { engine: spec.engine, version: spec.version });
  await ensureChildren(origin);

  patch.status.state = "Provisioned";
  patch.status.endpoint = manifests.endpointOf(origin);
  patch.status.conditions = [provisioned()];
});

op.on.resume(Database, async function restore({ body, name, namespace, spec, logger }) {
  await ensureChildren({ name, namespace, spec, owner: ownerReference(body) });
  logger.info("Made sure that nothing went missing while the operator was away");
});

op.on.update(Database, async function change({ body, name, namespace, spec, diff, patch, logger }) {
  const origin = { name, namespace, spec, owner: ownerReference(body) };
  for (const { path, old } of diff) {
    if (path.join(".") === "spec.version") refuseDowngrade({ from: String(old), to: spec.version });
  }
  for (const { path, old, new: wanted } of diff) {
    switch (path.join(".")) {
      case "spec.replicas":
        await amend(kinds.StatefulSet, manifests.statefulSet(origin));
        logger.info("Scaled", { from: old, to: wanted });
        break;
      case "spec.version":
        await amend(kinds.StatefulSet, manifests.statefulSet(origin));
        if (spec.backupEnabled) await amend(kinds.CronJob, manifests.backupJob(origin));
        logger.info("Upgraded", { from: old, to: wanted });
        break;
      case "spec.storage": // many storage classes cannot grow a volume, and none can shrink one: a human decides
        patch.status.pendingAction = `Resize the volume from ${old} to ${wanted}`;
        logger.warn("The volume must be resized by hand", { from: old, to: wanted });
        break;
    }
  }
});

op.on.field(Database, "spec.backupEnabled", async function backups({ body, name, namespace, spec, logger }) {
  const job = manifests.backupJob({ name, namespace, spec, owner: ownerReference(body) });
  if (spec.backupEnabled) await ensure(kinds.CronJob, job);
  else await remove(kinds.CronJob, job);
  logger.info(spec.backupEnabled ? "Nightly backups are on" : "Nightly backups are off");
});

op.on.delete(Database, async function takeSnapshot({ name, namespace, spec, logger }) {
  const snapshot = manifests.finalSnapshot({ name, namespace, spec });
  await ensure(kinds.ConfigMap, snapshot);
  logger.info("Took the final snapshot", { configMap: snapshot.metadata.name });
});

op.on.event(kinds.Pod, { labels: manifests.OURS }, function followPod({ type, status, logger }) {
  logger.info("A Pod changed", { event: type ?? "LISTED", phase: status.phase });
});

async function ensureChildren(origin: manifests.Origin): Promise<void> {
  await ensure(kinds.PersistentVolumeClaim, manifests.volumeClaim(origin));
  await ensure(kinds.Service, manifests.service(origin));
  await ensure(kinds.StatefulSet, manifests.statefulSet(origin));
}

/** Makes sure that there is such an object; one that is there already stays as it is. */
async function ensure(kind: ResourceType, object: KubeObject): Promise<void> {
  await calling(`create ${nameOf(object)}`, async () => {
    await op.api.create(kind, object).catch(unlessRefusedWith(409));
  });
}

/** Brings an object in line with the manifest; one that has gone missing is made again. */
async function amend(kind: ResourceType, object: KubeObject): Promise<void> {
  await ensure(kind, object);
  await calling(`change ${nameOf(object)}`, async () => {
    await op.api.patch(kind, addressOf(object), { spec: object.spec });
  });
}

/** Makes sure that there is no such object. */
async function remove(kind: ResourceType, object: KubeObject): Promise<void> {
  await calling(`delete ${nameOf(object)}`, async () => {
    await op.api.delete(kind, addressOf(object)).catch(unlessRefusedWith(404));
  });
}

/** Calls the API; where that fails, the handler is to be tried again soon. */
async function calling(what: string, call: () => Promise<void>): Promise<void> {
  try {
    await call();
  } catch (error) {
    throw new TemporaryError(`Cannot ${what}`, { delay: 10, cause: error });
  }
}

/** Takes a refusal that says no more than what is wanted: "it is there already", "it is not there". */
function unlessRefusedWith(status: number): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof ApiError) || error.status !== status) throw error;
  };
}

function addressOf({ metadata: { name = "", namespace } }: KubeObject): Address {
  return { name, namespace };
}

function nameOf({ kind, metadata }: KubeObject): string {
  return `${kind} "${metadata.name}"`;
}

function refuseDowngrade({ from, to }: { from: string; to: string }): void {
  if (to.localeCompare(from, "en", { numeric: true }) >= 0) return;
  throw new PermanentError(
    `Cannot go back from version ${from} to ${to}: restore a backup into a new Database`,
  );
}

function provisioned(): Condition {
  return {
    type: "Provisioned",
    status: "True",
    reason: "ObjectsExist",
    message: "The volume, the Service and the StatefulSet exist",
    lastTransitionTime: new Date().toISOString(),
  };
}

export default op;
