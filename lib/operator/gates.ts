/**
 * The gates of a run, in one passive place: informers, peering and the end of a run write it; informers, the work queue, daemons
 * and the object writer ask it.
 *
 * | gate | turns of objects | watches | daemons and timers | writes |
 * |---|---|---|---|---|
 * | peering: others are in the way | hold wakes; events that had come are handled | closed, listed anew afterwards | stopped | go on |
 * | an informer is stale after that | hold wakes until it has listed | open | | go on |
 * | handlers, fence: the run ends | | closed before | told to exit | none once the fence has gone up |
 *
 * The wait for the first indexing is a gate of the work queue's own. Source: Kopf, docs/peering.
 */

import { GateSet } from "../async/gate.ts";
import { keyOf, type Resource } from "../model/resource.ts";
import type { KubeObject } from "../model/object.ts";

/** The gates of one run. */
export class Gates {
  /**
   * Open while no other operator has precedence: then informers watch, and daemons and timers run. Each peering object has a
   * gate in it.
   */
  readonly peering: GateSet = new GateSet();
  /** Informers that a pause has closed, and that have not listed since, by "plural.version.group|namespace". */
  readonly #stale = new Set<string>();
  readonly #handlers = new AbortController();
  readonly #fence = new AbortController();

  get isPaused(): boolean {
    return !this.peering.isOpen;
  }

  /** Aborts when handlers must stop. */
  get handlers(): AbortSignal {
    return this.#handlers.signal;
  }

  /** Aborts when no more writes may be sent. */
  get fence(): AbortSignal {
    return this.#fence.signal;
  }

  /** An informer was closed by a pause: until it has listed, objects may be other than they are known. */
  markStale(key: string): void {
    this.#stale.add(key);
  }

  /** An informer has listed, or is no more. Returns whether it was stale. */
  markCurrent(key: string): boolean {
    return this.#stale.delete(key);
  }

  /** Whether a turn of the object must wait that no event has brought. */
  holds({ resource, body }: { readonly resource: Resource; readonly body: KubeObject }): boolean {
    if (this.isPaused) return true;
    if (this.#stale.size === 0) return false;
    return keysFor(resource, body.metadata?.namespace).some((key) => this.#stale.has(key));
  }

  stopHandlers(): void {
    this.#handlers.abort(new DOMException("The operator is stopping", "AbortError"));
  }

  stopWrites(): void {
    this.#fence.abort(new DOMException("The operator is stopping", "AbortError"));
  }
}

/**
 * Returns the key of the informer of a resource: in one namespace, in all namespaces (""), or in all namespaces that are served
 * ("*").
 */
export function informerKey(resource: Resource, scope: string): string {
  return `${keyOf(resource)}|${scope}`;
}

/** Returns the keys under which the informer of an object may be. */
export function keysFor(resource: Resource, namespace = ""): readonly string[] {
  return ["*", namespace, ""].map((scope) => informerKey(resource, scope));
}
