/**
 * What Kubernetes' objects look like to us.
 *
 * Objects come from strangers: only what every object must have is typed, everything else is `unknown` until narrowed.
 * Kubernetes treats JSON `null` and an absent key alike almost everywhere, and so do we.
 */

/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A JSON object whose content is not known. */
export type JsonObject = Record<string, unknown>;

/** Source: Kubernetes API reference, ObjectMeta. */
export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  /** RFC 3339. */
  creationTimestamp?: string;
  /** RFC 3339; there only while the object is being deleted. */
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
  managedFields?: unknown[];
  selfLink?: string;
}

/** Source: Kubernetes API reference, OwnerReference. */
export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** An object as the API server sends it. */
export interface KubeObject<Spec = JsonObject, Status = JsonObject> {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
  spec?: Spec;
  status?: Status;
  [key: string]: unknown;
}

/** An item of a watch stream, or of a listing (type null). */
export interface WatchEvent<Obj = KubeObject> {
  type: "ADDED" | "MODIFIED" | "DELETED" | null;
  object: Obj;
}

/** Source: Kubernetes API reference, Status: what the API server answers in place of an object. */
export interface StatusBody {
  kind: "Status";
  apiVersion: "v1";
  status?: "Success" | "Failure";
  message?: string;
  reason?: string;
  code?: number;
  details?: {
    name?: string;
    group?: string;
    kind?: string;
    uid?: string;
    retryAfterSeconds?: number;
    causes?: { reason?: string; message?: string; field?: string }[];
  };
}
