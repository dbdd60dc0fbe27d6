/**
 * A priority queue: a binary heap whose entries know their place, so that any of them can be taken out again.
 *
 * It keeps many due times over few timers (the virtual clock, `async/schedule.ts`). Entries that compare as equal
 * come out in any order: callers that need one compare a sequence number too.
 */

/** An entry of a heap. The heap alone writes `place`. */
export interface HeapEntry {
  /** Its index in the heap; -1 while it is in none. */
  place: number;
}

/** A binary heap of entries, the least one first. */
export class Heap<Entry extends HeapEntry> {
  readonly #entries: Entry[] = [];
  readonly #isLess: (a: Entry, b: Entry) => boolean;

  /** `isLess(a, b)` tells whether `a` is to come before `b`. */
  constructor(isLess: (a: Entry, b: Entry) => boolean) {
    this.#isLess = isLess;
  }

  /** How many entries are in it. */
  get size(): number {
    return this.#entries.length;
  }

  /** The least entry, or undefined if the heap is empty. */
  peek(): Entry | undefined {
    return this.#entries[0];
  }

  /** Adds an entry that is in no heap yet. */
  push(entry: Entry): void {
    this.#entries.push(entry);
    this.#rise(entry, this.#entries.length - 1);
  }

  /** Takes the least entry out. */
  pop(): Entry | undefined {
    const least = this.#entries[0];
    if (least) this.remove(least);
    return least;
  }

  /** Takes any entry out; one that is not in is left alone. */
  remove(entry: Entry): void {
    const place = entry.place;
    if (this.#entries[place] !== entry) return;
    entry.place = -1;
    const last = this.#entries.pop();
    if (!last || last === entry) return;
    this.#rise(last, place);
    this.#sink(last, last.place);
  }

  #rise(entry: Entry, from: number): void {
    let place = from;
    while (place > 0) {
      const parentPlace = (place - 1) >> 1;
      const parent = this.#entries[parentPlace];
      if (!parent || !this.#isLess(entry, parent)) break;
      this.#put(parent, place);
      place = parentPlace;
    }
    this.#put(entry, place);
  }

  #sink(entry: Entry, from: number): void {
    let place = from;
    for (;;) {
      const left = this.#entries[2 * place + 1];
      const right = this.#entries[2 * place + 2];
      const child = right && left && this.#isLess(right, left) ? right : left;
      if (!child || !this.#isLess(child, entry)) break;
      const childPlace = child.place;
      this.#put(child, place);
      place = childPlace;
    }
    this.#put(entry, place);
  }

  #put(entry: Entry, place: number): void {
    this.#entries[place] = entry;
    entry.place = place;
  }
}
