/**
 * The types of Kubernetes' objects.
 *
 * Objects come from strangers: only the members that every object must have are typed, everything else is `unknown` until narrowed.
 * Kubernetes treats JSON `null` and an absent key alike almost everywhere, and so do we.
 */

/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A JSON object whose content is not known. */
export type JsonObject = Record<string, unknown>;

/** Source: Kubernetes API reference, ObjectMeta. */
export interface ObjectMeta {
  /** Unique within the kind and the namespace. */
  name?: string;
  /** The beginning of the name that the server makes, if none is given. */
  generateName?: string;
  /** Absent on cluster-scoped objects. */
  namespace?: string;
  /** Unique over all objects that ever were. */
  uid?: string;
  /** Changes with each write. Decimal digits in practice, opaque by contract. */
  resourceVersion?: string;
  /** Counts the changes of the desired state, as the server understands it. */
  generation?: number;
  /** RFC 3339. */
  creationTimestamp?: string;
  /** RFC 3339; there only while the object is being deleted. */
  deletionTimestamp?: string;
  /** How long the object may take to end, in seconds; there only while it is being deleted. */
  deletionGracePeriodSeconds?: number;
  /** For selecting. */
  labels?: Record<string, string>;
  /** For notes; ours are there too. At most 256 KiB together. */
  annotations?: Record<string, string>;
  /** Names of the controllers that must let go before the object may vanish. */
  finalizers?: string[];
  /** Whom the object goes with. */
  ownerReferences?: OwnerReference[];
  /** Owners of fields, kept by the server. */
  managedFields?: unknown[];
  /** No longer sent by servers since Kubernetes 1.20. */
  selfLink?: string;
}

/** Source: Kubernetes API reference, OwnerReference. */
export interface OwnerReference {
  /** "group/version", or "version" in the core group. */
  apiVersion: string;
  /** Such as "Deployment". */
  kind: string;
  /** In the same namespace, or of a cluster-scoped owner. */
  name: string;
  /** Which of all owners that had the name. */
  uid: string;
  /** Whether it is the one that controls the object. */
  controller?: boolean;
  /** Whether the owner, deleted in the foreground, waits for the object to go. */
  blockOwnerDeletion?: boolean;
}

/** An object as the API server sends it. */
export interface KubeObject<Spec = JsonObject, Status = JsonObject> {
  /** "group/version", or "version" in the core group. Absent from the items of some lists. */
  apiVersion?: string;
  /** Such as "Pod". Absent from the items of some lists. */
  kind?: string;
  /** Metadata, which every object has. */
  metadata: ObjectMeta;
  /** The wanted state. */
  spec?: Spec;
  /** The observed state. */
  status?: Status;
  /** Whatever else the kind has beside these. */
  [key: string]: unknown;
}

/** An item of a watch stream, or of a listing (type null). */
export interface WatchEvent<Obj = KubeObject> {
  /** The type of the change; null: the object was in a listing. */
  type: "ADDED" | "MODIFIED" | "DELETED" | null;
  /** Its state after that, or before it vanished. */
  object: Obj;
}

/** The answer of the API server in place of an object. Source: Kubernetes API reference, Status. */
export interface StatusBody {
  /** Always "Status". */
  kind: "Status";
  /** Always "v1". */
  apiVersion: "v1";
  /** Whether the request was carried out. */
  status?: "Success" | "Failure";
  /** For readers. */
  message?: string;
  /** For programs, such as "NotFound". */
  reason?: string;
  /** The HTTP status code. */
  code?: number;
  /** Details of the reason. */
  details?: {
    name?: string;
    group?: string;
    kind?: string;
    uid?: string;
    retryAfterSeconds?: number;
    causes?: { reason?: string; message?: string; field?: string }[];
  };
}
