/**
 * Looks whether the objects of an explored world have nothing in common: no handler of one asks for anything that a handler of another one
 * writes.
 */

import type { SeenRequest } from "../simulation/journal.ts";
import { isAuthorsWrite } from "../simulation/wire.ts";

/** The requests of all runs, by the objects that they were made for. */
export class Footprints {
  readonly #writers = new Map<string, Set<string>>();
  readonly #readers = new Map<string, Set<string>>();
  /** The first thing that two objects have in common, such as "configmaps shared"; undefined: there is none. */
  shared: string | undefined;

  /** Takes a request. @param subject The object that it is made for; undefined: this is not known. */
  add(request: SeenRequest, subject = ""): void {
    const { kind, name } = request;
    const one = `${kind} ${name}`;
    const all = `${kind} *`;
    if (!isAuthorsWrite(request)) {
      const thing = name === "" ? all : one;
      note(this.#readers, thing, subject);
      if (hasOther(this.#writers, thing, subject)) this.shared ??= thing;
      return;
    }
    note(this.#writers, all, subject);
    if (hasOther(this.#readers, all, subject)) this.shared ??= all;
    // A name that the server makes is no other object's.
    if (name === "") return;
    note(this.#writers, one, subject);
    if (hasOther(this.#readers, one, subject) || hasOther(this.#writers, one, subject)) this.shared ??= one;
  }
}

function note(all: Map<string, Set<string>>, thing: string, subject: string): void {
  const subjects = all.get(thing);
  if (subjects === undefined) all.set(thing, new Set([subject]));
  else subjects.add(subject);
}

function hasOther(all: ReadonlyMap<string, ReadonlySet<string>>, thing: string, subject: string): boolean {
  for (const each of all.get(thing) ?? []) if (each !== subject) return true;
  return false;
}
