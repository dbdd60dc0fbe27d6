/**
 * The types of the arguments that all handlers and filters of objects have: one object, to be destructured. The arguments of
 * one manner of handlers stand in its folder.
 *
 * The names are Kopf's keyword arguments. Source: Kopf, docs/kwargs.
 */

import type { JsonObject, ObjectMeta } from "../model/object.ts";
import type { Patch } from "../model/patch.ts";
import type { Resource } from "../model/resource.ts";
import type { DeepReadonly } from "../registry/field_paths.ts";
import type { ObjectOf } from "../registry/stanzas.ts";
import type { Clock, Seconds } from "../runtime/host.ts";
import type { Logger } from "../runtime/logging.ts";
import type { Index } from "./index/index_handle.ts";

/** The type of a memo unless the operator says otherwise: a record of anything. */
export type PlainMemo = Record<string, unknown>;

/** Arguments of all functions about an object, filters included. Objects are for reading: changes go through `patch`. */
export interface ObjectArguments<Spec = JsonObject, Status = JsonObject, Memo extends object = PlainMemo> {
  /** The kind as the server serves it. */
  readonly resource: Resource;
  /** The whole object. */
  readonly body: DeepReadonly<ObjectOf<Spec, Status>>;
  /** Empty where the object has none. */
  readonly spec: DeepReadonly<Spec>;
  /** Empty where the object has none. */
  readonly status: DeepReadonly<Partial<Status>>;
  /** Its metadata. */
  readonly meta: DeepReadonly<ObjectMeta>;
  /** Empty where the object has none. */
  readonly labels: Readonly<Record<string, string>>;
  /** Empty where the object has none. */
  readonly annotations: Readonly<Record<string, string>>;
  /** The object's name. */
  readonly name: string;
  /** Undefined for cluster-scoped kinds. */
  readonly namespace: string | undefined;
  /** The object's uid. */
  readonly uid: string;
  /** The changes to be made on the object when the reconcile ends: a merge patch with typed sections. */
  readonly patch: Patch<Spec, Status>;
  /** Bound to the object: its lines say which one they are about. */
  readonly logger: Logger;
  /** For whatever handlers want to keep in memory about this object; its type is the operator's. Gone with the process. */
  readonly memo: Memo;
  /** The operator's indexes by name: each is a read-only map from keys to lists of values. */
  readonly indices: Readonly<Record<string, Index>>;
}

/** Arguments that handlers get on top of that. */
export interface AttemptArguments<Param = unknown> {
  /** The handler's `param` option. */
  readonly param: Param;
  /** 0 on the first attempt. */
  readonly retry: number;
  /** When the first attempt began; survives restarts. */
  readonly started: Date;
  /** Time since then. */
  readonly runtime: Seconds;
  /** Aborts at the handler's timeout and when the operator stops; pass it on to whatever waits. */
  readonly signal: AbortSignal;
  /** The operator's clock, to wait by (`clock.sleep(5, signal)`) and to take the time from; tests wind it by hand. */
  readonly clock: Clock;
}
