/** The arguments of change handlers: each is computed when the handler reads it. */

import { type Diff, reduceDiff } from "../../model/diff.ts";
import { type FieldPath, getField } from "../../model/fields.ts";
import { deepFreeze } from "../../model/json.ts";
import type { Sub } from "./change_handler.ts";
import type { Attempt } from "../call.ts";
import type { ChangeCause, Reason } from "./change_cause.ts";
import { ObjectArgs } from "../object_args.ts";

/** Options of {@linkcode ChangeArgs}. */
export interface ChangeArgsOptions {
  readonly attempt?: Attempt;
  readonly field?: FieldPath;
  /** Makes the function that sub-handlers are declared with. */
  readonly sub?: () => Sub;
}

/** Arguments about a change; with a field, `old`, `new` and `diff` are the field's. */
export class ChangeArgs extends ObjectArgs<ChangeCause> {
  readonly #cause: ChangeCause;
  readonly #field: FieldPath | undefined;
  readonly #sub: (() => Sub) | undefined;

  constructor(cause: ChangeCause, options: ChangeArgsOptions = {}) {
    super(cause, options.attempt);
    this.#cause = cause;
    this.#field = options.field;
    this.#sub = options.sub;
  }

  get reason(): Reason {
    return this.#cause.reason;
  }
  get old(): unknown {
    return this.#at(this.#cause.old);
  }
  get new(): unknown {
    return this.#at(this.#cause.new);
  }
  get sub(): Sub | undefined {
    return this.#sub?.();
  }
  get diff(): Diff {
    // NB: the diff's list is frozen already, and deepFreeze() goes into no frozen value: so it gets the values in its entries.
    for (const { old, new: now } of this.#cause.diff) [old, now].forEach(deepFreeze);
    return this.#field === undefined ? this.#cause.diff : reduceDiff(this.#cause.diff, this.#field);
  }

  #at(essence: unknown): unknown {
    const value = this.#field === undefined ? essence : getField(essence, this.#field);
    return deepFreeze(value);
  }
}
