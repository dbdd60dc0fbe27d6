/**
 * Keeps a bucket of a storage service for each Bucket.
 *
 * The service is asked each time: it, and not the status, knows what is there. So nothing is made twice if the operator dies
 * between the call and the note of it.
 */
import { operator, resource } from "@lotse/lotse";
import { Storage } from "./storage.ts";

interface BucketSpec {
  quota: number;
}

interface BucketStatus {
  id?: string;
}

const Bucket = resource<BucketSpec, BucketStatus>({ group: "example.com", version: "v1", plural: "buckets" });

const op = operator();
const storage = new Storage();

/** The key at the service: names alone may come again in other namespaces. */
function keyOf(namespace: string | undefined, name: string): string {
  return `${namespace}/${name}`;
}

op.reconcile(Bucket, {
  // Holds the Bucket by a finalizer until this has succeeded; it may be called again, and for a bucket that was never made.
  async finalize({ namespace, name, logger }) {
    await storage.delete(keyOf(namespace, name));
    logger.info("Deleted");
  },
}, async function keep({ namespace, name, spec, patch, logger }) {
  const key = keyOf(namespace, name);
  const found = await storage.find(key);
  const bucket = found ?? await storage.make(key, spec.quota);
  if (found === undefined) logger.info("Made", { quota: spec.quota });
  else if (found.quota !== spec.quota) {
    found.quota = spec.quota;
    logger.info("Changed", { quota: spec.quota });
  }
  patch.status.id = bucket.id;
});

export default op;
