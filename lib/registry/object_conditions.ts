/**
 * `conditions`, as handlers see them: the conditions that they set are written with their patch, onto the newest state of the object.
 */

import { type Condition, findCondition, removeCondition, setCondition } from "../model/conditions.ts";
import type { KubeObject } from "../model/object.ts";
import type { Patch } from "../model/patch.ts";
import { formatJson } from "../runtime/json.ts";

/** The parts of a condition beside its status. */
export interface ConditionOptions {
  /** Why, for programs: one CamelCase word, such as "MinimumReplicasAvailable". */
  readonly reason: string;
  /** For readers. Default: "". */
  readonly message?: string;
}

/** The conditions in the status of the object. Entries of other types stay as they are, whoever writes them meanwhile. */
export interface Conditions {
  /**
   * Sets a condition. The time of its last transition moves only if its status changes; `observedGeneration` is the
   * generation that the handler sees. A condition that is there already is not written.
   */
  set(type: string, status: boolean | "Unknown", options: ConditionOptions): void;
  /** Removes a condition. */
  remove(type: string): void;
  /** Returns a condition as it is, or as this handler has set it; undefined if there is none. */
  get(type: string): Condition | undefined;
  /** Whether the condition is there, and holds. */
  is(type: string): boolean;
}

export interface ObjectConditionsOptions {
  /** The state that the handler sees. */
  readonly body: () => KubeObject;
  /** The patch that takes the changes. */
  readonly patch: Patch;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Source: Kubernetes API reference, meta/v1 Condition: patterns and lengths. */
const TYPE = /^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const REASON = /^[A-Za-z]([A-Za-z0-9_,:]{0,1022}[A-Za-z0-9_])?$/;
const LONGEST_MESSAGE = 32_768;

/** The conditions of one object, for one attempt of a handler. */
export class ObjectConditions implements Conditions {
  readonly #options: ObjectConditionsOptions;
  /** The conditions that this handler has set; undefined: removed. */
  readonly #changed = new Map<string, Condition | undefined>();

  constructor(options: ObjectConditionsOptions) {
    this.#options = options;
  }

  set(type: string, status: boolean | "Unknown", options: ConditionOptions): void {
    const { body, patch, now } = this.#options;
    const { reason, message = "" } = options ?? {};
    check(type, { status, reason, message });
    const condition: Condition = {
      type,
      status: status === "Unknown" ? status : status ? "True" : "False",
      reason,
      message,
      lastTransitionTime: new Date(now()).toISOString().replace(/\.\d+Z$/, "Z"),
      observedGeneration: body().metadata?.generation,
    };
    this.#changed.set(type, condition);
    patch.fns.push((newest) => setCondition(newest, condition));
  }

  remove(type: string): void {
    this.#changed.set(type, undefined);
    this.#options.patch.fns.push((newest) => removeCondition(newest, type));
  }

  get(type: string): Condition | undefined {
    return this.#changed.has(type) ? this.#changed.get(type) : findCondition(this.#options.body(), type);
  }

  is(type: string): boolean {
    return this.get(type)?.status === "True";
  }
}

/** @throws {TypeError} If the API server would refuse such a condition. */
function check(
  type: string,
  { status, reason, message }: {
    readonly status: unknown;
    readonly reason: unknown;
    readonly message: unknown;
  },
): void {
  if (typeof type !== "string" || type.length > 316 || !TYPE.test(type)) {
    throw new TypeError(`Cannot set condition "${type}": take a type such as "Ready" or "example.com/Ready"`);
  }
  if (typeof status !== "boolean" && status !== "Unknown") {
    throw new TypeError(
      `Cannot set condition "${type}" to ${formatJson(status)}: take true, false or "Unknown"`,
    );
  }
  if (typeof reason !== "string" || !REASON.test(reason)) {
    throw new TypeError(
      `Cannot set condition "${type}": its reason must be one word, such as "ImageNotFound"`,
    );
  }
  if (typeof message !== "string" || message.length > LONGEST_MESSAGE) {
    throw new TypeError(
      `Cannot set condition "${type}": its message must be a string of at most ${LONGEST_MESSAGE}`,
    );
  }
}
