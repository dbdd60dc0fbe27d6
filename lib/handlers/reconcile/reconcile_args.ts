/** The arguments of reconciles and of their predicates: each is computed when the handler reads it. */

import { deepFreeze } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Attempt } from "../call.ts";
import type { ObjectCause } from "../object_args.ts";
import { ObjectArgs } from "../object_args.ts";
import type { ReconcileReason } from "./reconcile_record.ts";

/** Arguments of a reconcile. */
export class ReconcileArgs extends ObjectArgs {
  readonly reasons: readonly ReconcileReason[];
  readonly attempt: number;

  constructor(
    cause: ObjectCause,
    options: { readonly attempt: Attempt; readonly reasons: readonly ReconcileReason[] },
  ) {
    super(cause, options.attempt);
    this.reasons = options.reasons;
    this.attempt = options.attempt.retry + 1;
  }
}

/** Arguments of the predicate of a reconcile. */
export class PredicateArgs extends ObjectArgs {
  readonly #old: KubeObject;

  constructor(cause: ObjectCause, old: KubeObject) {
    super(cause);
    this.#old = old;
  }

  get old(): Readonly<KubeObject> {
    return deepFreeze(this.#old);
  }
}
