/**
 * The records of an operator in peering objects: those whose name is a Pod of its Deployment. An operator that ends takes its own record
 * away; one that was killed leaves it, and where no other operator comes, for good.
 *
 * Records of other operators, and of people who hold operators up, stay in the same objects.
 */

import { expiryOf, readPeers } from "../../engines/peering/record.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Clock, Seconds } from "../../runtime/host.ts";

/** A record. */
export interface PeeringRecord {
  readonly identity: string;
  /** For how long it counts as alive unless it is renewed. 0: it is over. */
  readonly rest: Seconds;
}

/** The characters of the parts that Kubernetes makes up for the names of Pods. Source: k8s.io/apimachinery, util/rand. */
const MADE_UP = "[bcdfghjklmnpqrstvwxz2456789]";

/** Returns the records of the Pods of a Deployment. Their times are timestamps of the Pods' clocks. */
export function recordsOf(
  object: KubeObject,
  deployment: string,
  clock: Pick<Clock, "now">,
): readonly PeeringRecord[] {
  const now = clock.now();
  const pod = new RegExp(`^${deployment.replaceAll(".", "\\.")}-${MADE_UP}{1,10}-${MADE_UP}{5}$`);
  return readPeers(object, now).filter(({ identity }) => pod.test(identity)).map((peer) => ({
    identity: peer.identity,
    rest: Math.max(0, (expiryOf(peer) - now) / 1000),
  }));
}
