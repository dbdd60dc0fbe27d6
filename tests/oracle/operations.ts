/** What people do to objects, by chance: the same for the same seed. */

import type { Loose, Objects } from "../support/worlds.ts";
import { FAMILIES, IDS } from "./table.ts";

const NAMES = ["anna", "ben", "cleo"] as const;
const FIELDS = [
  "mode",
  "value",
  "deep",
  "items",
  "children",
  "fail",
  "refuse",
  "crash",
  "marks",
  "results",
] as const;
const RETRYING = [
  "made-in-two",
  "made-ignoring",
  "made-once",
  "changed",
  "resumed",
  "ended",
  "items",
] as const;
/** What can fail for a while, and is called as often with whichever notes. */
const FAILING = [...IDS.filter((id) => !FAMILIES.includes(id)), "ticked"];
const NOTE = "example.com/note";

/** Does things to objects of several worlds at once. */
export class Operations {
  readonly #sides: readonly Objects[];
  #state: number;
  readonly #alive = new Set<string>();

  constructor(sides: readonly Objects[], seed: number) {
    this.#sides = sides;
    this.#state = (seed * 2654435761) >>> 0 || 1;
  }

  get names(): readonly string[] {
    return NAMES;
  }

  /** A number below 1. Xorshift: good enough for what people do. */
  random(): number {
    let state = this.#state;
    state = (state ^ (state << 13)) >>> 0;
    state = (state ^ (state >>> 17)) >>> 0;
    state = (state ^ (state << 5)) >>> 0;
    this.#state = state;
    return state / 2 ** 32;
  }

  chance(probability: number): boolean {
    return this.random() < probability;
  }

  /** Does one thing everywhere, and tells what. */
  async next(): Promise<string> {
    const name = this.#pick(NAMES);
    if (!this.#alive.has(name)) return await this.#create(name);
    if (this.chance(0.15)) {
      this.#alive.delete(name);
      await this.#everywhere((objects) => objects.delete(name));
      return `delete ${name}`;
    }
    const [body, subresource] = this.#change();
    await this.#everywhere((objects) => objects.patch(name, body, subresource));
    return `patch ${name} ${subresource ?? ""} ${JSON.stringify(body)}`;
  }

  async #create(name: string): Promise<string> {
    const found = await Promise.all(this.#sides.map((objects) => objects.find(name)));
    if (found.some((object) => object !== undefined)) return `nothing: ${name} is still going`;
    const content = {
      metadata: {
        ...this.chance(0.5) && { labels: { app: this.#pick(["x", "y"]) } },
        ...this.chance(0.4) && { annotations: { [NOTE]: "1" } },
      },
      spec: this.#spec(),
    };
    this.#alive.add(name);
    await this.#everywhere((objects) => objects.create(name, content));
    return `create ${name} ${JSON.stringify(content)}`;
  }

  #change(): [body: Loose, subresource?: string] {
    const labels = (): Loose => ({ labels: { app: this.#pick(["x", "y", null]) } });
    const changes: (() => [Loose, string?])[] = [
      () => [{ metadata: labels() }],
      () => [{ metadata: { annotations: { [NOTE]: this.#pick(["1", "2", null]) } } }],
      () => [{ status: { phase: this.#pick(["a", "b", null]) } }, "status"],
      () => [{ metadata: labels(), spec: { mode: this.#pick(["on", "off", null]) } }],
    ];
    return this.chance(0.45) ? [{ spec: this.#specChange() }] : this.#pick(changes)();
  }

  #specChange(): Loose {
    const spec = this.#spec();
    for (const field of FIELDS) if (!(field in spec) && this.chance(0.3)) spec[field] = null;
    return spec;
  }

  // NB: no booleans, as Python takes 0 for False and 1 for True; we do not.
  #spec(): Loose {
    const some = (probability: number, field: string, make: () => unknown): Loose =>
      this.chance(probability) ? { [field]: make() } : {};
    return {
      ...some(0.6, "mode", () => this.#pick(["on", "off", "odd"])),
      ...some(0.6, "value", () => this.#pick([0, 3, 2.5, "x", "", { k: 1 }, [1], {}])),
      ...some(0.4, "deep", () => this.#pick([{ a: 1 }, { a: 2, b: {} }, { b: 1 }, {}])),
      ...some(0.4, "items", () => this.#pick([[], [1], [{ a: 1 }], [1, 2]])),
      ...some(0.3, "children", () => this.#pick([["k"], ["k", "l"], []])),
      ...some(0.4, "fail", () => ({ [this.#pick(FAILING)]: this.#pick([1, 2]) })),
      ...some(0.3, "refuse", () => [this.#pick(IDS)]),
      ...some(0.3, "crash", () => ({ [this.#pick(RETRYING)]: this.#pick([1, 2]) })),
      ...some(0.2, "marks", () => [this.#pick(IDS)]),
      ...some(0.2, "results", () => [this.#pick(IDS)]),
    };
  }

  #pick<T>(choices: readonly T[]): T {
    return choices[Math.floor(this.random() * choices.length)] as T;
  }

  async #everywhere(act: (objects: Objects) => Promise<unknown>): Promise<void> {
    await Promise.all(this.#sides.map(act));
  }
}
