/** Breaks in the gates of a run, and in what they are made of. */

import { breaksOf, type Mutant } from "../mutant.ts";

const mutants: Mutant[] = [
  ...breaksOf("lib/operator/gates.ts", [
    ["Gates.holds", "if (this.isPaused) return true;", ""],
    ["Gates.holds", "keysFor(resource, body.metadata?.namespace)", "keysFor(resource)"],
    ["Gates.holds", ".some((key) => this.#stale.has(key))", ".every((key) => this.#stale.has(key))"],
    ["Gates.markCurrent", "return this.#stale.delete(key);", "return this.#stale.has(key);"],
    ["Gates.stopHandlers", "this.#handlers.abort(", "this.#fence.abort("],
    ["Gates.stopWrites", "this.#fence.abort(", "this.#handlers.abort("],
    ["keysFor", '["*", namespace, ""]', '[namespace, ""]'],
  ]),
  ...breaksOf("lib/async/gate.ts", [
    ["Gate.set", "if (isOpen === this.#isOpen) return;", ""],
    ["Gate.opened", "while (!this.#isOpen) if", "if (!this.#isOpen) if"],
    ["GateSet.remove", "this.#update();", ""],
  ]),
];

export default mutants;
