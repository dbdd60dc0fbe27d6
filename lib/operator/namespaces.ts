/**
 * Which namespaces an operator serves: names, and patterns whose namespaces come and go.
 *
 * Names need no request, and no rights on namespaces. With patterns, namespaces are watched; where that is forbidden,
 * the names among the patterns are served, with a warning, until it is allowed. Source: Kopf, docs/scopes.
 */

import { Informer } from "../client/cache/informer.ts";
import type { Client } from "../client/client.ts";
import type { ApiError } from "../client/errors.ts";
import { watchObjects } from "../client/watch/watcher.ts";
import { isObject } from "../model/json.ts";
import type { KubeObject, WatchEvent } from "../model/object.ts";
import { isExactName, type NameTest, parsePattern } from "../model/patterns.ts";
import type { Resource } from "../model/resource.ts";
import type { Host } from "../runtime/host.ts";
import type { Logger } from "../runtime/logging.ts";
import { explicitSelectorsFor } from "../settings/server_selectors.ts";
import type { Settings } from "../settings/settings.ts";

export interface NamespacesOptions {
  readonly client: Client;
  readonly host: Host;
  readonly logger: Logger;
  readonly settings: Settings;
  /** Undefined: the whole cluster. */
  readonly patterns: readonly (string | RegExp)[] | undefined;
  /** Called when other namespaces are served than before. */
  readonly onChange: () => void;
}

/** Source: Kubernetes, API reference, Namespace. */
export const NAMESPACES: Resource = {
  group: "",
  version: "v1",
  plural: "namespaces",
  kind: "Namespace",
  singular: "namespace",
  shortcuts: ["ns"],
  categories: [],
  subresources: ["status"],
  namespaced: false,
  preferred: true,
  verbs: ["get", "list", "watch"],
};

/** The namespaces of one operator. */
export class Namespaces {
  readonly #options: NamespacesOptions;
  readonly #tests: readonly NameTest[];
  readonly #served: Set<string>;
  readonly #ready = Promise.withResolvers<void>();
  #isRefused = false;

  constructor(options: NamespacesOptions) {
    this.#options = options;
    const { patterns = [] } = options;
    this.#tests = patterns.map(parsePattern);
    // Names count until it is known which of them are there.
    this.#served = new Set(this.#isObserved ? [] : exactNames(patterns));
    if (!this.#isObserved) this.#ready.resolve();
  }

  /**
   * `scanning.clusterwideFrom`, for patterns whose namespaces are watched; else undefined. Undefined, too, where a selector
   * hides namespaces from the operator: it cannot know whether a hidden namespace is served.
   */
  get clusterwideFrom(): number | undefined {
    const { watching, scanning } = this.#options.settings;
    const isSelected = Object.values(explicitSelectorsFor(watching, NAMESPACES)).some((text) => text);
    return this.#isObserved && !isSelected ? scanning.clusterwideFrom ?? undefined : undefined;
  }

  /** Whether a name matches some pattern. */
  matches(name: string): boolean {
    return this.#tests.some((test) => test(name));
  }

  /** Has the streams chosen anew. */
  revise(): void {
    this.#options.onChange();
  }

  /** Undefined: the whole cluster. */
  get served(): readonly string[] | undefined {
    return this.#options.patterns === undefined ? undefined : [...this.#served];
  }

  /** Resolves when it is known which namespaces there are. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** Watches namespaces until the signal aborts, if there are patterns. */
  async watch(signal: AbortSignal): Promise<void> {
    if (!this.#isObserved) return;
    const { client, host, logger, settings } = this.#options;
    const selectors = explicitSelectorsFor(settings.watching, NAMESPACES);
    const watch = { client, host, logger, settings: settings.watching, resource: NAMESPACES, ...selectors };
    const informer = new Informer({
      host,
      logger,
      about: { kind: NAMESPACES.plural },
      watch: (store, signal) =>
        watchObjects({
          ...watch,
          store,
          signal,
          onRefused: (error) => {
            if (!this.#isRefused && error.status !== 404) this.#serveNamesAlone(error);
            return "retry";
          },
        }),
      notify: ({ event }) => this.#take(event),
      onSynced: () => {
        this.#isRefused = false;
        this.#ready.resolve();
      },
    });
    await informer.run(signal);
  }

  get #isObserved(): boolean {
    const { patterns = [], settings } = this.#options;
    return !settings.scanning.disabled && !patterns.every(isExactName);
  }

  #take({ type, object }: WatchEvent): void {
    const { name = "" } = object.metadata;
    if (!this.matches(name)) return;
    const isGone = type === "DELETED" || this.#hasEnded(object);
    if (isGone === !this.#served.has(name)) return;
    if (isGone) this.#served.delete(name);
    else this.#served.add(name);
    this.#options.logger.debug(isGone ? "Namespace is served no more" : "Namespace is served", {
      namespace: name,
    });
    this.#options.onChange();
  }

  /** A namespace that is being deleted is served as long as Kubernetes waits for objects in it. */
  #hasEnded({ metadata, status }: KubeObject): boolean {
    const conditions = isObject(status) && Array.isArray(status["conditions"]) ? status["conditions"] : [];
    if (metadata.deletionTimestamp === undefined || conditions.length === 0) return false;
    const pending = conditions.filter((each) => isObject(each) && each["status"] === "True");
    if (pending.length === 0) return true;
    this.#options.logger.debug("Namespace is being deleted, but is still served", {
      namespace: metadata.name,
      waitsFor: pending.map((each) => isObject(each) && each["type"]),
    });
    return false;
  }

  #serveNamesAlone(error: ApiError): void {
    this.#isRefused = true;
    const { patterns = [], logger, onChange } = this.#options;
    const names = exactNames(patterns);
    logger.warn(
      "Namespaces cannot be watched: patterns match nothing new (allow to list and watch namespaces)",
      {
        names,
        error,
      },
    );
    if (this.#served.size === 0) { for (const name of names) this.#served.add(name); }
    this.#ready.resolve();
    onChange();
  }
}

function exactNames(patterns: readonly (string | RegExp)[]): string[] {
  return patterns.filter(isExactName).map((name) => name.trim());
}
