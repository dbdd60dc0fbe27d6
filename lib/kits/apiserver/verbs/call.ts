/**
 * A request for a resource, as far as all verbs read it alike. It is a file of its own so that the verbs need not know each
 * other.
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
  /** Its record for the audit log; undefined if the log leaves it out. */
  readonly record?: AuditRecord;
  /** How long the client waits: a time in milliseconds since 1970. */
  readonly deadline: number;
}
