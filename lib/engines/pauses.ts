/**
 * Objects that people have paused by an annotation: no handler, reconcile, daemon or timer of theirs runs until the time is over, or the
 * annotation has gone. Whoever may edit the object may pause it, unless `execution.objectPauses` forbids that.
 *
 * The pause is on the object, so that it survives restarts. Source: scenario N29.1.
 */

import type { Subject } from "../execution/observer.ts";
import { isDeleting } from "../model/finalizers.ts";
import type { KubeObject } from "../model/object.ts";
import { type Pause, PAUSE_FORM, readPause } from "../model/pause.ts";
import { groupResource } from "../model/resource.ts";
import type { Clock } from "../runtime/host.ts";

export interface PausesOptions {
  readonly clock: Pick<Clock, "now">;
  /** Returns the name of the annotation. */
  readonly annotation: () => string;
  /** Whether objects may be paused. Read anew each time. */
  readonly isAllowed: () => boolean;
}

/** The words of an event about a pause. */
export interface PauseWords {
  readonly type: "Normal" | "Warning";
  readonly reason: "Paused" | "Resumed" | "PauseNotUnderstood";
  readonly message: string;
}

/** The pauses of one run. */
export class Pauses {
  readonly #options: PausesOptions;
  readonly #paused = new Map<Subject, Pause>();
  readonly #told = new WeakMap<Subject, string>();

  constructor(options: PausesOptions) {
    this.#options = options;
  }

  /** The name of the annotation. */
  get annotation(): string {
    return this.#options.annotation();
  }

  /** How many objects of each kind are paused, by "plural.group". */
  counts(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const { resource } of this.#paused.keys()) {
      const kind = groupResource(resource);
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
    return counts;
  }

  /** The pause of an object, as its latest turn has found it. */
  of(subject: Subject): Pause | undefined {
    return this.#paused.get(subject);
  }

  /** Whether the object has the annotation, so that its turn has to look at it. */
  concerns({ metadata }: KubeObject): boolean {
    return metadata?.annotations?.[this.#options.annotation()] !== undefined;
  }

  /** Looks at an object at the start of its turn. `tell` is called once for each change of the pause. */
  look(subject: Subject, tell: (words: PauseWords) => void): Pause | undefined {
    const text = this.#options.isAllowed()
      ? subject.body.metadata?.annotations?.[this.#options.annotation()]
      : undefined;
    // Nearly all objects: nothing is read, and nothing is kept.
    if (text === undefined) return this.#resume(subject, tell);
    const isNew = this.#told.get(subject) !== text;
    this.#told.set(subject, text);
    const reading = readPause(text);
    if (reading.is === "nonsense") {
      if (isNew) tell(nonsense(reading.fault));
      return this.#resume(subject, tell);
    }
    const { pause } = reading;
    if (pause.until <= this.#options.clock.now()) {
      if (isNew) tell(nonsense("the time is over already"));
      return this.#resume(subject, tell);
    }
    if (isDeleting(subject.body) && !pause.deletion) return this.#resume(subject, tell);
    this.#paused.set(subject, pause);
    if (isNew) {
      const message = `Paused until ${new Date(pause.until).toISOString()}`;
      tell({
        type: "Normal",
        reason: "Paused",
        message: pause.reason === "" ? message : `${message}: ${pause.reason}`,
      });
    }
    return pause;
  }

  /** The object has gone. */
  forget(subject: Subject): void {
    this.#paused.delete(subject);
  }

  #resume(subject: Subject, tell: (words: PauseWords) => void): undefined {
    if (!this.#paused.delete(subject)) return;
    tell({ type: "Normal", reason: "Resumed", message: "The pause is over: handlers are called again" });
  }
}

function nonsense(fault: string): PauseWords {
  return {
    type: "Warning",
    reason: "PauseNotUnderstood",
    message: `The annotation does not pause this: ${fault}. Understood is: ${PAUSE_FORM}`,
  };
}
