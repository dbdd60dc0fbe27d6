/** The arguments of handlers of admission. Only the arguments that a function takes are computed. */

import { calculateDiff, type Diff } from "../../model/diff.ts";
import { deepFreeze } from "../../model/json.ts";
import type { JsonObject, KubeObject } from "../../model/object.ts";
import type { Attempt } from "../call.ts";
import type { AdmissionCause, UserInfo } from "./admission_handler.ts";
import type { AdmissionOperation } from "./admission_handler.ts";
import { ObjectArgs } from "../object_args.ts";

/** Arguments about a request under review; `old`, `new` and `diff` are the whole object's, also with a field. */
export class AdmissionArgs extends ObjectArgs<AdmissionCause> {
  readonly #cause: AdmissionCause;
  #diff: Diff | undefined;

  constructor(cause: AdmissionCause, attempt?: Attempt) {
    super(cause, attempt);
    this.#cause = cause;
  }

  get operation(): AdmissionOperation {
    return this.#cause.operation;
  }
  get subresource(): string | undefined {
    return this.#cause.subresource;
  }
  get dryrun(): boolean {
    return this.#cause.dryrun;
  }
  get warnings(): string[] {
    return this.#cause.warnings;
  }
  get userinfo(): UserInfo {
    return deepFreeze(this.#cause.userinfo);
  }
  get headers(): Readonly<Record<string, string>> {
    return this.#cause.headers;
  }
  get sslpeer(): Readonly<JsonObject> {
    return this.#cause.sslpeer;
  }
  get old(): Readonly<KubeObject> | undefined {
    return deepFreeze(this.#cause.old);
  }
  get new(): Readonly<KubeObject> | undefined {
    return deepFreeze(this.#cause.new);
  }
  get diff(): Diff {
    return this.#diff ??= calculateDiff(this.#cause.old, this.#cause.new);
  }
}
