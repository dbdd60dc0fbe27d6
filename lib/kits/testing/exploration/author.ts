/**
 * The moves that clients can make in an explored world: the steps of a plan on each object in their order, at any time; and, in the place of
 * a change, a deletion, or the creation of an object that was deleted.
 */

import type { CreateStep, EditStep, Plan, PlannedObject, Step } from "../simulation/plan.ts";

/** A move of a client. */
export interface Move {
  readonly step: Step;
  /** The same in each repetition of a run. */
  readonly label: string;
  /** Whether each run has it: the creation of each object, and their deletion in the end. */
  readonly isDue: boolean;
  readonly take: () => void;
}

/** The life of one object. */
interface Thread {
  readonly object: PlannedObject;
  readonly creation: CreateStep;
  readonly changes: readonly EditStep[];
  state: "absent" | "there" | "deleted";
  /** How many changes it had, and how many of its own were edits. */
  moves: number;
  edits: number;
}

/** The options of an author. */
export interface AuthorOptions {
  /** How many edits there are in a run, of all objects. */
  readonly edits: number;
  /** Whether objects have nothing in common: then the next one comes when those before are at rest. */
  readonly areApart: boolean;
}

/** Makes the moves. */
export class Author {
  readonly #threads: readonly Thread[];
  readonly #areApart: boolean;
  #edits: number;
  #phase: "alive" | "deleted" = "alive";

  /** @throws {TypeError} If an object of the plan has no creation, or a step is none of a client's. */
  constructor({ steps }: Plan, { edits, areApart }: AuthorOptions) {
    this.#edits = edits;
    this.#areApart = areApart;
    const groups = new Map<string, Step[]>();
    for (const step of steps) {
      if (step.do !== "create" && step.do !== "edit") {
        throw new TypeError(
          `Cannot explore a plan with the step "${step.do}": it has "create" and "edit" alone`,
        );
      }
      const key = subjectOf(step);
      groups.set(key, [...groups.get(key) ?? [], step]);
    }
    this.#threads = [...groups].map(([key, [creation, ...changes]]) => {
      if (creation?.do !== "create") {
        throw new TypeError(`Cannot explore a plan that does not create "${key}" first`);
      }
      const { kind, name } = creation;
      return {
        object: { kind, name },
        creation,
        changes: changes.filter((each) => each.do === "edit"),
        state: "absent",
        moves: 0,
        edits: 0,
      };
    });
  }

  /** The part of a state that is the author's. */
  get state(): unknown {
    return [this.#phase, this.#edits, this.#threads.map(({ state, moves, edits }) => [state, moves, edits])];
  }

  /** From now on, each object is deleted. */
  finish(): void {
    this.#phase = "deleted";
  }

  /** Returns the moves that are possible, those that are due first. */
  moves(isQuiet: boolean): Move[] {
    const mayGoOn = isQuiet || !this.#areApart;
    if (this.#phase === "deleted") {
      const left = mayGoOn ? this.#threads.filter(({ state }) => state === "there") : [];
      return left.slice(0, 1).map((thread) => this.#delete(thread, true));
    }
    const next = this.#threads.find(({ state, moves }) => state === "absent" && moves === 0);
    const due = next !== undefined && (mayGoOn || next === this.#threads[0])
      ? [this.#create(next, true)]
      : [];
    return [...due, ...this.#edits > 0 ? this.#changes(next) : []];
  }

  #changes(next: Thread | undefined): Move[] {
    const begun = this.#threads.slice(0, next === undefined ? undefined : this.#threads.indexOf(next));
    const moves: Move[] = [];
    for (const thread of this.#areApart ? begun.slice(-1) : begun) {
      // Objects of one kind are alike: so an object has no more changes than the one before it.
      const before = this.#threads[this.#threads.indexOf(thread) - 1];
      if (before?.object.kind === thread.object.kind && thread.moves >= before.moves) continue;
      if (thread.state === "deleted") moves.push(this.#create(thread, false));
      else if (thread.state === "there") {
        const edit = thread.changes[thread.edits];
        if (edit !== undefined) moves.push(this.#edit(thread, edit));
        moves.push(this.#delete(thread, false));
      }
    }
    return moves;
  }

  #create(thread: Thread, isDue: boolean): Move {
    const { creation, object: { name } } = thread;
    return this.#move(thread, { step: creation, label: `create ${name}`, isDue, state: "there" });
  }

  #delete(thread: Thread, isDue: boolean): Move {
    const { object } = thread;
    const step: Step = { do: "delete", ...object };
    return this.#move(thread, { step, label: `delete ${object.name}`, isDue, state: "deleted" });
  }

  #edit(thread: Thread, step: EditStep): Move {
    const label = `edit ${step.name} ${thread.edits + 1}`;
    return this.#move(thread, { step, label, isDue: false, state: "there" });
  }

  #move(thread: Thread, move: Omit<Move, "take"> & { readonly state: Thread["state"] }): Move {
    const { step, label, isDue, state } = move;
    return {
      step,
      label,
      isDue,
      take: () => {
        thread.state = state;
        if (isDue) return;
        thread.moves += 1;
        this.#edits -= 1;
        if (step.do === "edit") thread.edits += 1;
      },
    };
  }
}

/** Returns the name under which messages are about an object. */
export function subjectOf({ kind, name }: PlannedObject): string {
  return `${kind} ${name}`;
}
