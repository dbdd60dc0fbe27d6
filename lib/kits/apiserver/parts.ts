/**
 * The parts that the server could do without: quotas, policies, webhooks, the audit log, workloads, faults. `server.ts` registers them;
 * requests and writes know this interface, and no part.
 */

import type { JsonObject, KubeObject } from "../../model/object.ts";
import type { User } from "./access/user.ts";
import type { AuditLog } from "./audit/audit_log.ts";
import type { Annotate } from "./audit/audit_record.ts";
import type { Kind } from "./kinds.ts";

/** One part; each of its members is optional. */
export interface Part {
  /** Changes, refuses and counts writes. */
  readonly admission?: Admission;
  /** Is told of every request and of its answer. */
  readonly log?: AuditLog;
  /** Begins to work beside the requests, when all parts are there. */
  start?(): void;
  /** Answers a request in the server's place, or passes it on. */
  pass?(request: Request, forward: () => Promise<Response>): Promise<Response>;
}

/** The share of a part in writes. */
export interface Admission {
  /** Whether writes of a kind in a namespace concern it. Where no part is concerned, writes wait for nothing. */
  concerns(kind: Kind, namespace: string | undefined): boolean;
  /** Completes an object in place, before it is changed by others, and once more after that. */
  complete?(attributes: Attributes & { readonly object: KubeObject }): void;
  /** Returns whatever may change the object of a request, in the order in which it is asked. */
  mutators?(attributes: Attributes): readonly Mutator[];
  /** @throws {Refusal} If the object must not be written as it is. */
  validate?(attributes: Attributes): void | Promise<void>;
  /**
   * Looks whether there is room for a write. Returns the function that counts it, to be called when it is written.
   *
   * @throws {Refusal} If there is no room.
   */
  charge?(attributes: Attributes): () => void;
}

/** A policy or a webhook that may change objects. */
export interface Mutator {
  readonly id: string;
  /** Whether it is asked once more if others change the object after it. */
  readonly isRepeatable: boolean;
  /**
   * Returns the object as it shall be: the same one if it stays as it is; undefined if the request is not meant.
   *
   * @throws {Refusal}
   */
  change(attributes: Attributes, round: number): Promise<KubeObject | undefined>;
}

/** The operations that admission is asked about. */
export type Operation = "CREATE" | "UPDATE" | "DELETE";

/** The names of a kind that is no resource of its own, such as Scale. */
export interface Subject {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The question of one request for one object. Source: k8s.io/apiserver, pkg/admission/attributes.go. */
export interface Attributes {
  readonly kind: Kind;
  /** The kind of the objects, where they are not the resource's: of a scale, a binding, an eviction or a token. */
  readonly subject?: Subject;
  readonly subresource: string;
  /** Of a namespace's own requests: its name. "" for other objects without one. */
  readonly namespace: string;
  /** "" where the server is yet to choose it, and where a collection is deleted. */
  readonly name: string;
  readonly operation: Operation;
  /** In the version of the request; undefined on DELETE. */
  readonly object?: KubeObject;
  /** In the version of the request; undefined on CREATE. */
  readonly oldObject?: KubeObject;
  readonly dryRun: boolean;
  /** Such as CreateOptions. */
  readonly options: JsonObject;
  readonly user: User;
  /** How long the client waits: a time in milliseconds since 1970. */
  readonly deadline: number;
  /** Adds a `Warning` to the response. */
  readonly warn: (text: string) => void;
  /** Adds an annotation to the audit event. */
  readonly annotate: Annotate;
}
