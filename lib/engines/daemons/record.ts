/**
 * What is remembered about one object that has, or had, daemons and timers.
 *
 * Source: Kopf, B §1.2; deviations D7, D8. Small, since there may be ten thousands of them.
 */

import type { KubeObject } from "../../model/object.ts";
import type { Resource } from "../../model/resource.ts";
import { isNewer } from "../../model/versions.ts";
import type { Seconds } from "../../runtime/host.ts";

/** An object as the operator remembers it. */
export interface Subject {
  readonly key: string;
  readonly resource: Resource;
  /** Shared by all handlers of the object. */
  readonly memo: Record<string, unknown>;
  /** The newest state that was seen. Changes as events come. */
  readonly body: KubeObject;
}

/** What belongs to an object, and wants to know when it changes. */
export interface Attached {
  /** Called when the object has changed. */
  onChange(): void;
}

const NONE: readonly never[] = [];

/** The daemons and timers of one object. */
export class ObjectRecord<Companion extends Attached> {
  readonly subject: Subject;
  /** NB: never pushed to: an array that grows keeps room for sixteen more, of which most objects have no need. */
  #companions: readonly Companion[] = NONE;
  /** When the object changed last, on the monotonic clock: first sight counts. */
  idleSince: Seconds;
  /** How often it has changed since. NB: times cannot tell what comes first, where a clock stands still. */
  changes = 0;
  /** A digest of what counts as a change; undefined as long as nobody needed it. */
  #essence: string | undefined;
  /** By id: the essence on which it has failed, or undefined if it has ended for good. */
  #finished: Map<string, string | undefined> | undefined;
  #written: KubeObject | undefined;

  constructor(subject: Subject, now: Seconds) {
    this.subject = subject;
    this.idleSince = now;
  }

  /** The newest state: what was seen, or what our own write has made of it. */
  get body(): KubeObject {
    const seen = this.subject.body;
    const written = this.#written?.metadata.resourceVersion;
    if (this.#written !== undefined && isNewer(written, seen.metadata?.resourceVersion) === true) {
      return this.#written;
    }
    this.#written = undefined;
    return seen;
  }

  /** Takes the response to an own write. */
  adopt(body: KubeObject): void {
    this.#written = body;
  }

  /** Whether changes matter: because something failed, and may be tried again on a changed object. */
  get awaitsChange(): boolean {
    return this.#finished !== undefined && [...this.#finished.values()].some((each) => each !== undefined);
  }

  /** Compares the object with what it was; on a change, idle times begin anew and what has failed may run again. */
  notice(essence: string, now: Seconds): void {
    for (const [id, failed] of this.#finished ?? []) {
      if (failed !== undefined && failed !== essence) this.#finished?.delete(id);
    }
    const before = this.#essence;
    this.#essence = essence;
    if (before === undefined || before === essence) return;
    this.idleSince = now;
    this.changes++;
    for (const companion of this.companions) companion.onChange();
  }

  /** Whether it has ended by itself, and must not be started again. */
  hasFinished(id: string): boolean {
    return this.#finished?.has(id) === true;
  }

  /** It must not be started again: for good, or as long as the essence is this one. */
  finish(id: string, failedOn?: string): void {
    this.#finished ??= new Map();
    this.#finished.set(id, failedOn);
  }

  /** Those that have not ended, stopping ones and those left behind included. Stays as it is: changes make another list. */
  get companions(): readonly Companion[] {
    return this.#companions;
  }

  add(companion: Companion): void {
    this.#companions = this.#companions.concat(companion);
  }

  remove(companion: Companion): void {
    this.#companions = this.#companions.filter((each) => each !== companion);
  }
}
