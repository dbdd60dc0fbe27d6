/**
 * The audit log: the user, the time, the request and the code of its answer. One line of JSON for each request, in the form of
 * Kubernetes' audit events; at the level `Metadata`, unless a policy says otherwise.
 *
 * Source: Kubernetes documentation, "Auditing".
 */

import type { Host } from "../../../runtime/host.ts";
import { formatJson } from "../../../runtime/json.ts";
import type { Wish } from "../access/attributes.ts";
import type { User } from "../access/user.ts";
import { AuditPolicy, type AuditWish } from "./audit_policy.ts";
import { AuditRecord } from "./audit_record.ts";

const EVERYTHING: AuditWish = { level: "Metadata", omitStages: [], omitManagedFields: false };

export class AuditLog {
  readonly #host: Host;
  readonly #path: string;
  readonly #policy: AuditPolicy | undefined;
  /** NB: an empty text at first: so the file is made, or a warning says at once that it cannot be written. */
  #waiting: string[] = [""];
  #writing: Promise<void> | undefined;
  #isTold = false;

  /** @throws {TypeError} If the policy is none. */
  constructor(host: Host, { path, policy }: { readonly path: string; readonly policy?: unknown }) {
    this.#host = host;
    this.#path = host.files.resolve(path);
    this.#policy = policy === undefined ? undefined : new AuditPolicy(policy);
    this.#writing = this.#write().catch((error) => this.#tell(error));
  }

  /** Begins with a request; undefined if the policy leaves it out. The user is absent if it is unknown. */
  begin(request: Request, wish: Wish, user: User | undefined): AuditRecord | undefined {
    const told = this.#policy?.wishFor(wish, user) ?? EVERYTHING;
    return told.level === "None" ? undefined : new AuditRecord(request, { wish, told, user });
  }

  /** Adds a line, and resolves when it stands in the file. Lines stand in the file in the order of the answers. `received` is in milliseconds since 1970. */
  async add(
    record: AuditRecord,
    { code, received }: { readonly code: number; readonly received: number },
  ): Promise<void> {
    const event = record.event(code);
    if (event === undefined) return;
    const line = {
      kind: "Event",
      apiVersion: "audit.k8s.io/v1",
      auditID: this.#host.random.uuid(),
      ...event,
      requestReceivedTimestamp: microTime(received),
      stageTimestamp: microTime(this.#host.clock.now()),
    };
    this.#waiting.push(`${formatJson(line)}\n`);
    this.#writing ??= this.#write().catch((error) => this.#tell(error));
    await this.#writing;
  }

  /** NB: as on the real server, no request fails because the log cannot be written; so a warning says it, once. */
  #tell(error: unknown): void {
    if (this.#isTold) return;
    this.#isTold = true;
    const why = error instanceof Error ? error.message : String(error);
    this.#host.process.write("stderr", `Cannot write the audit log "${this.#path}": ${why}\n`);
  }

  async #write(): Promise<void> {
    try {
      while (this.#waiting.length > 0) {
        const lines = this.#waiting;
        this.#waiting = [];
        await this.#host.files.appendText(this.#path, lines.join(""));
      }
    } finally {
      // NB: at once, so that a line that comes now is not left to a loop that has just ended.
      this.#writing = undefined;
    }
  }
}

/** NB: Kubernetes' programs read times with six digits alone. */
function microTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace("Z", "000Z");
}
