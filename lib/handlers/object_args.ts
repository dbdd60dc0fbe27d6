/**
 * The one argument that functions are called with: a class with getters, so that only the arguments that a function takes are computed.
 */

import type { KubeObject, ObjectMeta } from "../model/object.ts";
import type { Patch } from "../model/patch.ts";
import type { Resource } from "../model/resource.ts";
import { liveViews, snapshotViews, type Views } from "../model/views.ts";
import type { Children } from "../registry/children.ts";
import type { MakeChildren } from "../registry/children.ts";
import { type Conditions, ObjectConditions } from "../registry/object_conditions.ts";
import type { Clock, Seconds } from "../runtime/host.ts";
import type { Logger } from "../runtime/logging.ts";
import type { Attempt } from "./call.ts";
import type { Index } from "./index/index_handle.ts";

/** The facts that the arguments about an object are made of. */
export interface ObjectCause {
  readonly resource: Resource;
  readonly body: KubeObject;
  readonly patch: Patch;
  readonly logger: Logger;
  readonly memo: Record<string, unknown>;
  readonly indices: Readonly<Record<string, Index>>;
  /** For handlers that live on while the object changes: its newest state, instead of `body`, in all views. */
  readonly newest?: () => KubeObject;
  /** Makes `children` for handlers of the object. Default: they have none. */
  readonly makeChildren?: MakeChildren;
}

/** Arguments about an object. Filters get it without an attempt. */
export class ObjectArgs<Cause extends ObjectCause = ObjectCause> {
  readonly #cause: Cause;
  readonly #attempt: Attempt | undefined;
  #made: Views | undefined;
  #conditions: Conditions | undefined;
  #children: Children | undefined;

  constructor(cause: Cause, attempt?: Attempt) {
    this.#cause = cause;
    this.#attempt = attempt;
  }

  get resource(): Resource {
    return this.#cause.resource;
  }
  get body(): Readonly<KubeObject> {
    return this.#views.body;
  }
  get spec(): Readonly<Record<string, unknown>> {
    return this.#views.spec;
  }
  get status(): Readonly<Record<string, unknown>> {
    return this.#views.status;
  }
  get meta(): Readonly<ObjectMeta> {
    return this.#views.meta;
  }
  get labels(): Readonly<Record<string, string>> {
    return this.#views.labels;
  }
  get annotations(): Readonly<Record<string, string>> {
    return this.#views.annotations;
  }
  get name(): string | undefined {
    return this.#cause.body.metadata?.name;
  }
  get namespace(): string | undefined {
    return this.#cause.body.metadata?.namespace;
  }
  get uid(): string | undefined {
    return this.#cause.body.metadata?.uid;
  }
  get patch(): Patch {
    return this.#cause.patch;
  }
  get logger(): Logger {
    return this.#cause.logger;
  }
  get memo(): Record<string, unknown> {
    return this.#cause.memo;
  }
  get indices(): Readonly<Record<string, Index>> {
    return this.#cause.indices;
  }
  get param(): unknown {
    return this.#attempt?.param;
  }
  get retry(): number | undefined {
    return this.#attempt?.retry;
  }
  get started(): Date | undefined {
    return this.#attempt && new Date(this.#attempt.started);
  }
  get runtime(): Seconds | undefined {
    if (this.#attempt === undefined) return undefined;
    const { clock, begun } = this.#attempt;
    return clock.monotonic() - begun;
  }
  get signal(): AbortSignal | undefined {
    return this.#attempt?.signal;
  }
  get clock(): Clock | undefined {
    return this.#attempt?.clock;
  }

  /** The conditions. Set conditions go into the patch: handlers only. */
  get conditions(): Conditions | undefined {
    const { patch, body, newest = () => body } = this.#cause;
    const clock = this.#attempt?.clock;
    return clock &&
      (this.#conditions ??= new ObjectConditions({ body: newest, patch, now: () => clock.now() }));
  }

  /** Brings about the children of the object: in handlers only that are called again. */
  get children(): Children | undefined {
    const { body, newest = () => body, patch, makeChildren } = this.#cause;
    const { signal, waiting } = this.#attempt ?? {};
    const { conditions } = this;
    if (makeChildren === undefined || signal === undefined || conditions === undefined) return undefined;
    return this.#children ??= makeChildren({ owner: newest, patch, conditions, signal, waiting });
  }

  get #views(): Views {
    const { body, newest } = this.#cause;
    return this.#made ??= newest === undefined ? snapshotViews(body) : liveViews(newest);
  }
}
