/**
 * The object that a note belongs to. Each of our notes names it, so that an object that was copied or restored together with its
 * annotations is not taken for one that was handled.
 *
 * Notes of earlier releases name no object, and Kopf's never do: these count as notes of the object that they stand on.
 */

import type { KubeObject } from "../../model/object.ts";
import type { FetchOptions, ForeignNote } from "./storage.ts";

/** Returns the name of the object in its notes: "namespace/name/uid", or "name/uid"; undefined without a uid. */
export function identityOf({ metadata }: KubeObject): string | undefined {
  const { uid, namespace, name = "" } = metadata ?? {};
  if (typeof uid !== "string" || uid === "") return undefined;
  return namespace ? `${namespace}/${name}/${uid}` : `${name}/${uid}`;
}

/** Whether a note that names this object is the body's own, or counts as such. Tells `onForeign` of any other note. */
export function isOwnNote(
  of: unknown,
  body: KubeObject,
  { restored = "create", onForeign }: FetchOptions = {},
): boolean {
  const own = identityOf(body);
  if (typeof of !== "string" || own === undefined || of === own) return true;
  const origin: ForeignNote["origin"] = placeIn(of) === placeIn(own) ? "restored" : "copied";
  const counts = origin === "restored" && restored === "resume";
  onForeign?.({ of, origin, counts });
  return counts;
}

/** Returns namespace and name. */
function placeIn(identity: string): string {
  return identity.slice(0, identity.lastIndexOf("/"));
}
