/** The part of a patch that one call of a handler has put in, beside others. */

import type { JsonObject } from "../model/object.ts";
import type { Patch, PatchFunction } from "../model/patch.ts";
import { formatJson } from "../runtime/json.ts";

/** Is made before the call, and asked after it. */
export class Contribution {
  readonly #patch: Patch;
  /** Undefined: an earlier call has put a value in that cannot be sent, and is to answer for it. */
  readonly #before: JsonObject | undefined;
  readonly #fns: readonly PatchFunction[];

  constructor(patch: Patch) {
    this.#patch = patch;
    this.#before = contentOf(patch);
    this.#fns = patch.fns.length === 0 ? NO_FUNCTIONS : [...patch.fns];
  }

  /** Whether the call has left the patch as it was. */
  get isEmpty(): boolean {
    // In nearly all calls the patch was empty before: then it is neither copied nor compared.
    if (this.#before === NOTHING && this.#fns.length === 0) return this.#patch.isEmpty;
    if (this.#patch.fns.length !== this.#fns.length) return false;
    const after = contentOf(this.#patch);
    if (this.#before === undefined || after === undefined) return this.#before === after;
    return formatJson(after) === formatJson(this.#before);
  }

  /**
   * Makes sure that it can be sent; else it is taken out again, all of it.
   *
   * @throws {TypeError} If a value in it cannot be JSON; the message says where.
   */
  check(): void {
    const patch = this.#patch;
    if (this.#before === undefined || patch.isEmpty) return;
    try {
      patch.toMergePatch();
    } catch (error) {
      patch.clear();
      patch.merge(this.#before);
      patch.fns = [...this.#fns];
      throw error;
    }
  }
}

const NOTHING: JsonObject = {};

const NO_FUNCTIONS: readonly PatchFunction[] = [];

function contentOf(patch: Patch): JsonObject | undefined {
  if (patch.isEmpty) return NOTHING;
  try {
    return patch.toMergePatch();
  } catch {
    return undefined;
  }
}
