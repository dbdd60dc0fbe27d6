/**
 * Which kinds are watched by one watch for the whole cluster, although only the namespaces of a pattern are served.
 *
 * Hundreds of namespaces would be hundreds of streams. Where rights allow, one stream brings the objects of the whole cluster,
 * and objects of other namespaces are dropped as they come. Rights change: a kind that is refused gets a stream per namespace,
 * and it is tried now and then whether the whole cluster is allowed again. Source: docs/architecture.md.
 */

import type { TaskGroup } from "../async/tasks.ts";
import type { Client } from "../client/client.ts";
import { toQuery } from "../client/list_pages.ts";
import { refusedPause } from "../client/watch/optional_watch.ts";
import type { Refusal } from "../client/watch/watcher.ts";
import { keyOf, pathOf, type Resource } from "../model/resource.ts";
import type { Host } from "../runtime/host.ts";
import type { Logger } from "../runtime/logging.ts";

/** Which namespaces are served. */
export interface NamespaceScope {
  /** Undefined: the whole cluster. */
  readonly served: readonly string[] | undefined;
  /** From how many namespaces on one stream is to serve them all. Undefined: never. */
  readonly clusterwideFrom?: number;
  /** Whether a namespace is served, or will be as soon as it is noticed. */
  matches(namespace: string): boolean;
  /** Has the streams chosen anew. */
  revise(): void;
}

export interface ClusterWatchesOptions {
  readonly client: Client;
  readonly host: Host;
  readonly logger: Logger;
  readonly tasks: TaskGroup;
  readonly scope: NamespaceScope;
}

/** A server that has just started may refuse for a moment: a stream that has worked must fail so often in a row. */
const LASTING_FAILURES = 5;

/** The kinds of one operator that have one stream for many namespaces. */
export class ClusterWatches {
  readonly #options: ClusterWatchesOptions;
  readonly #shared = new Set<string>();
  readonly #refused = new Set<string>();
  /** How often each kind was refused. */
  readonly #refusals = new Map<string, number>();

  constructor(options: ClusterWatchesOptions) {
    this.#options = options;
  }

  /** Whether one stream is to serve the kind's namespaces. Once it does, it goes on, however few they become. */
  isShared(resource: Resource): boolean {
    const { served, clusterwideFrom } = this.#options.scope;
    if (!resource.namespaced || served === undefined || clusterwideFrom === undefined) return false;
    const kind = keyOf(resource);
    if (this.#refused.has(kind)) return false;
    if (served.length >= clusterwideFrom) this.#shared.add(kind);
    return this.#shared.has(kind);
  }

  /** The one watch of a kind was forbidden: gives it up, unless that may pass. */
  refused(resource: Resource, { failures, listed }: Refusal): void {
    if (listed && failures < LASTING_FAILURES) return;
    const kind = keyOf(resource);
    if (this.#refused.has(kind)) return;
    const { logger, tasks, scope } = this.#options;
    logger.info("The kind may not be watched in the whole cluster: each namespace gets a stream", {
      kind,
      namespaces: scope.served?.length,
    });
    this.#shared.delete(kind);
    this.#refused.add(kind);
    tasks.start(`rights for ${kind}`, (signal) => this.#tryAgain(resource, signal));
    scope.revise();
  }

  async #tryAgain(resource: Resource, signal: AbortSignal): Promise<void> {
    const { host, logger, scope } = this.#options;
    const kind = keyOf(resource);
    while (!signal.aborted) {
      const refusals = this.#refusals.get(kind) ?? 0;
      this.#refusals.set(kind, refusals + 1);
      await host.clock.sleep(refusedPause(refusals), signal);
      if (signal.aborted || !await this.#isAllowed(resource, signal)) continue;
      logger.info("The kind may be watched in the whole cluster: one stream serves all namespaces", { kind });
      this.#refused.delete(kind);
      return scope.revise();
    }
  }

  /** Tells whether the kind can be both listed and watched everywhere. */
  async #isAllowed(resource: Resource, signal: AbortSignal): Promise<boolean> {
    const { transport } = this.#options.client;
    const ask = async (verb: string, query: Parameters<typeof toQuery>[0]): Promise<void> => {
      const path = pathOf(resource) + toQuery(query);
      const subject = { verb, resource };
      await transport.request({ method: "GET", path, subject, signal, text: true, backoffs: [] });
    };
    try {
      await ask("list", { limit: 1 });
      // A stream without a resource version begins with all objects that the selector leaves: here, with none.
      await ask("watch", { watch: true, timeoutSeconds: 1, labelSelector: "lotse.dev/rights=tried" });
      return true;
    } catch {
      return false;
    }
  }
}
