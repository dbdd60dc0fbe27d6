/**
 * Wishes of people about single objects, as annotations: `reconcile-now`, which has an object handled once for each text, and
 * `log-level: debug`, which shows all its log lines.
 *
 * Kept in memory. A text that stands on an object when the operator sees it first is no new wish: the object is handled then
 * anyway. Whoever may edit the object may wish. Source: scenario N29.7.
 */

import type { Subject } from "../execution/observer.ts";
import type { KubeObject, WatchEvent } from "../model/object.ts";

/** The wishes of one run. */
export class Wishes {
  readonly #prefix: () => string;
  /** The texts that were heeded, of objects that have one. */
  readonly #heeded = new WeakMap<Subject, string>();
  #known = { prefix: "", reconcile: "", level: "" };

  /** @param prefix Returns the domain of the operator's annotations. */
  constructor(prefix: () => string) {
    this.#prefix = prefix;
  }

  /** Whether a wish is on an object, which its first turn is to see. */
  concerns({ metadata }: KubeObject): boolean {
    return metadata?.annotations?.[this.#names().reconcile] !== undefined;
  }

  /** Whether people want an object to be handled now: once for each text. `events`: those that have brought the turn. */
  takeReconcile(subject: Subject, events: readonly { readonly event: WatchEvent }[]): boolean {
    const text = subject.body.metadata?.annotations?.[this.#names().reconcile];
    // Nearly all objects: nothing is kept of them.
    if (text === undefined || this.#heeded.get(subject) === text) return false;
    this.#heeded.set(subject, text);
    return events.every(({ event: { type } }) => type === "MODIFIED");
  }

  /** Whether all log lines of an object are wanted. */
  isVerbose(subject: Subject): boolean {
    return subject.body.metadata?.annotations?.[this.#names().level] === "debug";
  }

  /** The names of the annotations, made once: they are asked for in each turn, and may change at the start. */
  #names(): { readonly reconcile: string; readonly level: string } {
    const prefix = this.#prefix();
    if (prefix !== this.#known.prefix) {
      this.#known = { prefix, reconcile: `${prefix}/reconcile-now`, level: `${prefix}/log-level` };
    }
    return this.#known;
  }
}
