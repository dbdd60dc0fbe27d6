/**
 * A request for a resource, as far as all verbs read it alike. Apart from those who serve it, so that they need not know each other.
 */

import type { AuditRecord } from "../audit/audit_record.ts";
import type { User } from "../access/user.ts";
import type { Kind } from "../kinds.ts";
import type { ResourcePath } from "../paths.ts";
import type { Shape } from "../answers/shape.ts";

/** One request, understood. */
export interface Call {
  readonly request: Request;
  readonly kind: Kind;
  readonly path: ResourcePath;
  readonly query: URLSearchParams;
  readonly shape: Shape;
  readonly dryRun: boolean;
  readonly user: User;
  /** Its place in the audit log; undefined if that tells nothing of it. */
  readonly record?: AuditRecord;
  /** How long the client waits: a time in milliseconds since 1970. */
  readonly deadline: number;
}
