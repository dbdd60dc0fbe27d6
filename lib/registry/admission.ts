/**
 * Admission: handlers that are asked before an object is written, and may change it or refuse.
 *
 * Here is how they are declared; how they are asked is the admission engine's.
 * Source: Kopf, docs/admission; A §2.7; B §3.1.
 */

import type { Diff } from "../model/diff.ts";
import type { JsonObject, KubeObject } from "../model/object.ts";
import { OnActivities } from "./activities.ts";
import type { AttemptArguments, ObjectArguments, PlainMemo } from "./arguments.ts";
import { objectHandler, type RawOptions, takeOptions } from "./declare.ts";
import type { AdmissionHandler, AdmissionOperation } from "./handlers.ts";
import type { FilterOptions, HandlerOptions } from "./options.ts";
import type { DeepReadonly, FieldOf, FieldValue } from "./field_paths.ts";
import type { Registry } from "./registry.ts";
import type { ResourceLike } from "./resource.ts";
import type { UserInfo } from "./causes.ts";

export type { UserInfo } from "./causes.ts";

/** What is known of an admission request. */
export interface AdmissionArguments<Spec = JsonObject, Status = JsonObject> {
  /** What is to be done with the object. */
  readonly operation: AdmissionOperation;
  /** Which part of the object is written; undefined: the object itself. */
  readonly subresource: string | undefined;
  /** Whether nothing will be stored: then there must be no side effects. */
  readonly dryrun: boolean;
  /** Texts that are shown to whoever makes the request. Add yours. */
  readonly warnings: string[];
  /** Who makes the request. */
  readonly userinfo: UserInfo;
  /** The request's headers; empty if they are unknown. */
  readonly headers: Readonly<Record<string, string>>;
  /** The client's certificate; empty if it is unknown. */
  readonly sslpeer: Readonly<JsonObject>;
  /** The object as it is; undefined on creation. */
  readonly old: DeepReadonly<KubeObject<Spec, Status>> | undefined;
  /** The object as it is to be; undefined on deletion. */
  readonly new: DeepReadonly<KubeObject<Spec, Status>> | undefined;
  /** From old to new. */
  readonly diff: Diff;
}

/** What filters of admission handlers are called with. */
export type AdmissionFilterArguments<
  Spec = JsonObject,
  Status = JsonObject,
  Memo extends object = PlainMemo,
> =
  & ObjectArguments<Spec, Status, Memo>
  & AdmissionArguments<Spec, Status>;

/** What admission handlers are called with. */
export type AdmissionHandlerArguments<
  Spec = JsonObject,
  Status = JsonObject,
  Param = unknown,
  Memo extends object = PlainMemo,
> =
  & AdmissionFilterArguments<Spec, Status, Memo>
  & AttemptArguments<Param>;

/** Options of `on.validate` and `on.mutate`. */
export type AdmissionOptions<Spec, Status, Field, Param, Memo extends object = PlainMemo> =
  & HandlerOptions<Param>
  & FilterOptions<AdmissionFilterArguments<Spec, Status, Memo>, Field, FieldValue<Spec, Status, Field>>
  & {
    /** Which operations are asked about. Default: all. Must not be empty. */
    readonly operations?: readonly AdmissionOperation[];
    /** The same for one operation; added to `operations`. */
    readonly operation?: AdmissionOperation;
    /** Default: the object itself only. A name: that subresource only. "*": the object and all its subresources. */
    readonly subresource?: string;
    /** Keep the webhook's configuration when the operator stops: requests are refused then. Default: false. */
    readonly persistent?: boolean;
    /** Whether it does something besides answering, except in dry runs. Default: false. */
    readonly sideEffects?: boolean;
    /** Let requests pass if the webhook cannot be asked. Default: false. */
    readonly ignoreFailures?: boolean;
  };

/** An admission handler. It lets the request pass unless it throws. */
export type AdmissionFn<Spec, Status, Param, Memo extends object = PlainMemo> = (
  args: AdmissionHandlerArguments<Spec, Status, Param, Memo>,
) => unknown;

const OPERATIONS: readonly AdmissionOperation[] = ["CREATE", "UPDATE", "DELETE", "CONNECT"];

/** The words for admission: `op.on.validate`, `op.on.mutate`. Options may be left out. */
export class OnAdmission<Memo extends object = PlainMemo> extends OnActivities<Memo> {
  readonly #registry: Registry;

  /** Handlers go into this registry. */
  constructor(registry: Registry) {
    super(registry);
    this.#registry = registry;
  }

  /** Asks the function whether a request may pass. To refuse it throws, best an `AdmissionError`. */
  validate<Spec = JsonObject, Status = JsonObject>(
    resource: ResourceLike<Spec, Status>,
    fn: AdmissionFn<Spec, Status, undefined, Memo>,
  ): void;
  /** The same with options. */
  validate<
    Spec = JsonObject,
    Status = JsonObject,
    const Field extends FieldOf<Spec, Status> | readonly string[] | undefined = undefined,
    Param = undefined,
  >(
    resource: ResourceLike<Spec, Status>,
    options: AdmissionOptions<Spec, Status, Field, Param, Memo>,
    fn: AdmissionFn<Spec, Status, Param, Memo>,
  ): void;
  validate(resource: ResourceLike<never, never>, ...rest: unknown[]): void {
    this.#register("validate", resource, rest);
  }

  /** Lets the function change what is to be written, by `patch`, or refuse it. */
  mutate<Spec = JsonObject, Status = JsonObject>(
    resource: ResourceLike<Spec, Status>,
    fn: AdmissionFn<Spec, Status, undefined, Memo>,
  ): void;
  /** The same with options. */
  mutate<
    Spec = JsonObject,
    Status = JsonObject,
    const Field extends FieldOf<Spec, Status> | readonly string[] | undefined = undefined,
    Param = undefined,
  >(
    resource: ResourceLike<Spec, Status>,
    options: AdmissionOptions<Spec, Status, Field, Param, Memo>,
    fn: AdmissionFn<Spec, Status, Param, Memo>,
  ): void;
  mutate(resource: ResourceLike<never, never>, ...rest: unknown[]): void {
    this.#register("mutate", resource, rest);
  }

  #register(
    cause: "validate" | "mutate",
    resource: ResourceLike<never, never>,
    rest: readonly unknown[],
  ): void {
    const { options, fn } = takeOptions(rest);
    const handler = objectHandler({ resource, options, fn, cause });
    this.#registry.addAdmission(
      {
        ...handler,
        cause,
        operations: operationsOf(options),
        subresource: textOf(options, "subresource"),
        persistent: flagOf(options, "persistent"),
        sideEffects: flagOf(options, "sideEffects"),
        ignoreFailures: flagOf(options, "ignoreFailures"),
      } satisfies AdmissionHandler,
    );
  }
}

/** Undefined: all. */
function operationsOf(options: RawOptions): readonly AdmissionOperation[] | undefined {
  const { operation, operations } = options;
  const listed: unknown = operations ?? undefined;
  if (listed !== undefined && !Array.isArray(listed)) {
    throw new TypeError(`Cannot take ${String(listed)} for "operations": it must be a list of operations`);
  }
  if (listed?.length === 0) {
    throw new RangeError('Cannot register an admission handler for no "operations": leave it out for all');
  }
  const wanted = [...listed ?? [], ...operation === undefined || operation === null ? [] : [operation]];
  for (const each of wanted) {
    if (OPERATIONS.some((known) => known === each)) continue;
    throw new TypeError(`Cannot take ${String(each)} for an operation: known are ${OPERATIONS.join(", ")}`);
  }
  return wanted.length === 0 ? undefined : OPERATIONS.filter((known) => wanted.includes(known));
}

function textOf(options: RawOptions, name: string): string | undefined {
  const value = options[name] ?? undefined;
  if (value === undefined || (typeof value === "string" && value !== "")) return value;
  throw new TypeError(`Cannot take ${String(value)} for "${name}": it must be a text that is not empty`);
}

function flagOf(options: RawOptions, name: string): boolean {
  const value = options[name] ?? false;
  if (typeof value === "boolean") return value;
  throw new TypeError(`Cannot take ${String(value)} for "${name}": it must be true or false`);
}
