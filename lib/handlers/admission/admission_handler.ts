/**
 * How handlers of admission are declared: `op.on.validate` and `op.on.mutate`, and their arguments.
 *
 * Source: Kopf, docs/admission.
 */

import type { Diff } from "../../model/diff.ts";
import type { JsonObject, KubeObject } from "../../model/object.ts";
import type { DeepReadonly, FieldValue } from "../../registry/field_paths.ts";
import type { ObjectOf } from "../../registry/stanzas.ts";
import type { AttemptArguments, ObjectArguments, PlainMemo } from "../arguments.ts";
import { type Declaration, declaring, objectHandler } from "../declare.ts";
import type { FilterOptions } from "../filters.ts";
import type { HandlerType } from "../handler_type.ts";
import type { HandlerOptions, ObjectHandler } from "../handlers.ts";
import type { ObjectCause } from "../object_args.ts";
import {
  acceptAny,
  checkBoolean,
  checkString,
  COMMON,
  type OptionChecks,
  type RawOptions,
  show,
} from "../option_checks.ts";
import type { Registry } from "../registry.ts";

/** An operation on an object, in the words of admission. */
export type AdmissionOperation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

/** Options of `on.validate` and `on.mutate`. */
export type AdmissionOptions<
  Spec = JsonObject,
  Status = JsonObject,
  Field = undefined,
  Param = undefined,
  Memo extends object = PlainMemo,
> =
  & HandlerOptions<Param>
  & FilterOptions<AdmissionFilterArguments<Spec, Status, Memo>, Field, FieldValue<Spec, Status, Field>>
  & {
    /**
     * Which operations are asked about. Default: all, of handlers that mutate all but deletions. A handler that mutates is asked about
     * deletions only with `["DELETE"]`, as a deletion cannot be changed. Must not be empty.
     */
    readonly operations?: readonly AdmissionOperation[];
    /** The same for one operation; added to `operations`. */
    readonly operation?: AdmissionOperation;
    /** Default: the object itself only. A name: that subresource only. "*": the object and all its subresources. */
    readonly subresource?: string;
    /** Keep the webhook's configuration when the operator stops: requests are refused then. Default: false. */
    readonly persistent?: boolean;
    /** Whether it has effects besides its answer, except in dry runs. Default: false. */
    readonly sideEffects?: boolean;
    /** Let requests pass if the webhook cannot be asked. Default: false. */
    readonly ignoreFailures?: boolean;
  };

/** The user that makes a request, as the API server knows it. Source: Kubernetes API reference, UserInfo. */
export interface UserInfo {
  /** Such as "system:serviceaccount:default:robot". */
  readonly username?: string;
  /** Unique over time. */
  readonly uid?: string;
  /** Its groups. */
  readonly groups?: readonly string[];
  /** Whatever the authenticator adds. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Arguments of filters of admission handlers. */
export interface AdmissionFilterArguments<
  Spec = JsonObject,
  Status = JsonObject,
  Memo extends object = PlainMemo,
> extends ObjectArguments<Spec, Status, Memo> {
  /** The operation that is requested on the object. */
  readonly operation: AdmissionOperation;
  /** Which part of the object is written; undefined: the object itself. */
  readonly subresource: string | undefined;
  /** Whether the server will not store the object: then there must be no side effects. */
  readonly dryrun: boolean;
  /** Texts that are shown to whoever makes the request. Add yours. */
  readonly warnings: string[];
  /** The user that makes the request. */
  readonly userinfo: UserInfo;
  /** The request's headers; empty if they are unknown. */
  readonly headers: Readonly<Record<string, string>>;
  /** The client's certificate; empty if it is unknown. */
  readonly sslpeer: Readonly<JsonObject>;
  /** The object as it is; undefined on creation. */
  readonly old: DeepReadonly<ObjectOf<Spec, Status>> | undefined;
  /** The object as it is to be; undefined on deletion. */
  readonly new: DeepReadonly<ObjectOf<Spec, Status>> | undefined;
  /** From old to new. */
  readonly diff: Diff;
}

/** Arguments of admission handlers. */
export interface AdmissionHandlerArguments<
  Spec = JsonObject,
  Status = JsonObject,
  Param = unknown,
  Memo extends object = PlainMemo,
> extends AdmissionFilterArguments<Spec, Status, Memo>, AttemptArguments<Param> {}

/** A request that is under review, before it is carried out. */
export interface AdmissionCause extends ObjectCause {
  readonly operation: AdmissionOperation;
  readonly subresource: string | undefined;
  readonly dryrun: boolean;
  readonly warnings: string[];
  readonly userinfo: UserInfo;
  readonly headers: Readonly<Record<string, string>>;
  readonly sslpeer: Readonly<JsonObject>;
  /** The whole object as it is. */
  readonly old: KubeObject | undefined;
  /** The whole object as it is to be. */
  readonly new: KubeObject | undefined;
}

/** Asked before an object is written. */
export interface AdmissionHandler extends ObjectHandler {
  readonly type: "admission";
  readonly cause: "validate" | "mutate";
  /** Undefined: all. Never empty. */
  readonly operations: readonly AdmissionOperation[] | undefined;
  /** Undefined: the object itself. "*": it and all subresources. */
  readonly subresource: string | undefined;
  readonly persistent: boolean;
  readonly sideEffects: boolean;
  readonly ignoreFailures: boolean;
}

/** Handlers of admission. Their kinds are not watched on their account. */
export const ADMISSION: HandlerType<AdmissionHandler> = {
  name: "admission",
  about: "requests",
  isFixed: true,
  causeOf: ({ cause }) => cause,
};

const KNOWN: OptionChecks = {
  ...COMMON,
  operations: acceptAny,
  operation: acceptAny,
  subresource: checkString,
  persistent: checkBoolean,
  sideEffects: checkBoolean,
  ignoreFailures: checkBoolean,
};
const OPERATIONS: readonly AdmissionOperation[] = ["CREATE", "UPDATE", "DELETE", "CONNECT"];

/** Returns `op.on.validate` and `op.on.mutate`. */
export function declareAdmission(
  registry: Registry,
): Record<AdmissionHandler["cause"], (...args: readonly unknown[]) => void> {
  const add = (cause: AdmissionHandler["cause"]) => (declaration: Declaration): void =>
    registry.add(ADMISSION, admissionHandler(declaration, cause));
  return { validate: declaring(add("validate")), mutate: declaring(add("mutate")) };
}

/** @throws {TypeError | RangeError} If an option is wrong, if an operation is unknown, or if none is left. */
function admissionHandler(declaration: Declaration, cause: AdmissionHandler["cause"]): AdmissionHandler {
  const { options } = declaration;
  return {
    ...objectHandler(declaration, { cause, known: KNOWN }),
    type: "admission",
    cause,
    operations: operationsOf(options),
    // Just checked.
    subresource: options.subresource as string | undefined,
    persistent: options.persistent === true,
    sideEffects: options.sideEffects === true,
    ignoreFailures: options.ignoreFailures === true,
  };
}

/** Undefined: all. */
function operationsOf(options: RawOptions): readonly AdmissionOperation[] | undefined {
  const { operation, operations } = options;
  const listed: unknown = operations ?? undefined;
  if (listed !== undefined && !Array.isArray(listed)) {
    throw new TypeError(`Cannot take ${show(listed)} for "operations": it must be a list of operations`);
  }
  if (listed?.length === 0) {
    throw new RangeError('Cannot register an admission handler for no "operations": leave it out for all');
  }
  const wanted = [...listed ?? [], ...operation === undefined || operation === null ? [] : [operation]];
  for (const each of wanted) {
    if (OPERATIONS.some((known) => known === each)) continue;
    throw new TypeError(`Cannot take ${show(each)} for an operation: known are ${OPERATIONS.join(", ")}`);
  }
  return wanted.length === 0 ? undefined : OPERATIONS.filter((known) => wanted.includes(known));
}
