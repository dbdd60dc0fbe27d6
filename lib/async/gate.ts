/**
 * Gates that let callers through while they are open: pausing an operator, waiting for the first complete listing.
 *
 * A gate is level-triggered: a caller that comes while it is open does not wait.
 */

import { Waiters } from "./waiters.ts";

/** A gate as its waiting callers see it: they cannot open it. */
export interface ReadonlyGate {
  readonly isOpen: boolean;
  /** Waits until it is open; true if it is, false if the signal was aborted first. Never rejects. */
  opened(signal?: AbortSignal): Promise<boolean>;
  /** Waits until it is closed; true if it is, false if the signal was aborted first. Never rejects. */
  closed(signal?: AbortSignal): Promise<boolean>;
}

/** A gate, closed at first unless said otherwise. */
export class Gate implements ReadonlyGate {
  readonly #atOpening = new Waiters<true>();
  readonly #atClosing = new Waiters<true>();
  readonly #onChange: (() => void) | undefined;
  #isOpen: boolean;

  constructor(isOpen = false, onChange?: () => void) {
    this.#isOpen = isOpen;
    this.#onChange = onChange;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  open(): void {
    this.set(true);
  }

  close(): void {
    this.set(false);
  }

  /** Opens or closes it; a gate that is so already stays as it is. */
  set(isOpen: boolean): void {
    if (isOpen === this.#isOpen) return;
    this.#isOpen = isOpen;
    (isOpen ? this.#atOpening : this.#atClosing).serveAll(true);
    this.#onChange?.();
  }

  async opened(signal?: AbortSignal): Promise<boolean> {
    while (!this.#isOpen) if (!await this.#atOpening.wait(signal)) return false;
    return true;
  }

  async closed(signal?: AbortSignal): Promise<boolean> {
    while (this.#isOpen) if (!await this.#atClosing.wait(signal)) return false;
    return true;
  }
}

/** A set of gates: it is open while each of them is; without any, it is open. */
export class GateSet implements ReadonlyGate {
  readonly #gates = new Set<Gate>();
  readonly #all = new Gate(true);

  get isOpen(): boolean {
    return this.#all.isOpen;
  }

  /** Adds a gate, open unless said otherwise. */
  add(isOpen = true): Gate {
    const gate = new Gate(isOpen, () => this.#update());
    this.#gates.add(gate);
    this.#update();
    return gate;
  }

  /** Takes a gate away: it no longer counts. */
  remove(gate: Gate): void {
    this.#gates.delete(gate);
    this.#update();
  }

  opened(signal?: AbortSignal): Promise<boolean> {
    return this.#all.opened(signal);
  }

  closed(signal?: AbortSignal): Promise<boolean> {
    return this.#all.closed(signal);
  }

  #update(): void {
    this.#all.set([...this.#gates].every((gate) => gate.isOpen));
  }
}

/** A time in which a gate is open: its signal aborts when it closes, or with the outer one. Disposing ends the watching. */
export interface OpenPeriod extends Disposable {
  readonly signal: AbortSignal;
}

/** Returns a signal that aborts when the gate closes, or with the outer one; at once if it is closed. */
export function whileOpen(gate: ReadonlyGate, outer: AbortSignal): OpenPeriod {
  const inner = new AbortController();
  const over = new AbortController();
  const end = (): void => inner.abort(new DOMException("The gate was closed", "AbortError"));
  if (!gate.isOpen) end();
  gate.closed(AbortSignal.any([outer, over.signal])).then((isClosed) => isClosed && end());
  return { signal: AbortSignal.any([outer, inner.signal]), [Symbol.dispose]: () => over.abort() };
}
