/**
 * The audit log: who asked for what, when, and how it was answered. One line of JSON for each request, in the form of
 * Kubernetes' audit events at the level `Metadata`.
 *
 * Source: Kubernetes documentation, "Auditing".
 */

import type { Host } from "../../runtime/host.ts";
import { isPathWish, type Wish } from "./access/attributes.ts";
import { type User, userInfo } from "./access/user.ts";
import { parseResourcePath } from "./paths.ts";

/** A request that has been answered. */
export interface AuditedRequest {
  readonly request: Request;
  readonly wish: Wish;
  /** Absent if nobody knows who asked. */
  readonly user: User | undefined;
  readonly code: number;
  /** When it came, in milliseconds since 1970. */
  readonly received: number;
}

export class AuditLog {
  readonly #host: Host;
  readonly #path: string;
  #waiting: string[] = [];
  #writing: Promise<void> | undefined;
  #isTold = false;

  constructor(host: Host, path: string) {
    this.#host = host;
    this.#path = host.files.resolve(path);
  }

  /** Adds a line. Lines stand in the file in the order of the answers. */
  add({ request, wish, user, code, received }: AuditedRequest): void {
    const { pathname, search } = new URL(request.url);
    const event = {
      kind: "Event",
      apiVersion: "audit.k8s.io/v1",
      level: "Metadata",
      auditID: this.#host.random.uuid(),
      // NB: of a watch, only the beginning is told.
      stage: wish.verb === "watch" ? "ResponseStarted" : "ResponseComplete",
      requestURI: pathname + search,
      verb: wish.verb,
      user: user === undefined ? {} : userInfo(user),
      userAgent: request.headers.get("user-agent") ?? undefined,
      objectRef: isPathWish(wish) ? undefined : referenceOf(pathname, wish),
      responseStatus: { metadata: {}, code },
      requestReceivedTimestamp: new Date(received).toISOString(),
      stageTimestamp: new Date(this.#host.clock.now()).toISOString(),
    };
    this.#waiting.push(`${JSON.stringify(event)}\n`);
    this.#writing ??= this.#write().catch((error) => this.#tell(error));
  }

  /** NB: as on the real server, nobody's request fails because the log cannot be written; but somebody has to know. */
  #tell(error: unknown): void {
    if (this.#isTold) return;
    this.#isTold = true;
    const why = error instanceof Error ? error.message : String(error);
    this.#host.process.write("stderr", `Cannot write the audit log "${this.#path}": ${why}\n`);
  }

  /** Resolves when all lines so far stand in the file. */
  async written(): Promise<void> {
    await this.#writing;
  }

  async #write(): Promise<void> {
    try {
      while (this.#waiting.length > 0) {
        const lines = this.#waiting;
        this.#waiting = [];
        await this.#host.files.appendText(this.#path, lines.join(""));
      }
    } finally {
      // NB: at once, so that a line that comes now is not left to one who has just ended.
      this.#writing = undefined;
    }
  }
}

function referenceOf(pathname: string, wish: Exclude<Wish, { readonly path: string }>): unknown {
  const { resource, namespace, name, group, subresource } = wish;
  const version = parseResourcePath(pathname)?.apiVersion.split("/").at(-1);
  const shown = { resource, namespace, name, apiGroup: group, apiVersion: version, subresource };
  return Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== ""));
}
