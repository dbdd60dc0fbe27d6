/**
 * Server-side apply: writes the fields that an operator wants of an object, unless the server has them noted already.
 *
 * The server keeps for each field manager which fields its applied configuration held (`metadata.managedFields`). An apply
 * changes nothing if it holds exactly these fields, with the values that the object has; then it is not sent. Where that is
 * hard to tell (values that the server writes in another way, such as quantities), it is sent once, and the result is
 * remembered.
 * Source: Kubernetes, docs/reference/using-api/server-side-apply; KEP-555.
 */

import { isEqualJson, isObject } from "../model/json.ts";
import type { JsonObject, KubeObject, ObjectMeta } from "../model/object.ts";
import type { Resource } from "../model/resource.ts";
import { parseJson } from "../runtime/json.ts";
import { type AppliedSpellings, contentOf } from "./cache/applied_spellings.ts";
import { dropKeys, formerKeys, isSecret } from "./manifest.ts";
import type { AppliedStates } from "./cache/applied_states.ts";
import type { Addressable, CallOptions, Client, PatchRequest } from "./client.ts";
import { ApiError } from "./errors.ts";

/** An object to be applied: its address, its type, and the fields that are wanted. */
export interface AppliedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Partial<ObjectMeta> & { readonly name: string };
  readonly [stanza: string]: unknown;
}

export interface ApplyRequest
  extends CallOptions, Pick<PatchRequest, "force" | "dryRun" | "fieldValidation"> {
  /** Whose fields they are from now on. */
  readonly fieldManager: string;
  /** Such as "status". Default: the object itself. */
  readonly subresource?: string;
  /** Another object, or another state of it, is not written: that is an ApiError with the status 409. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

/** A field of another manager that an apply would change. */
export interface FieldConflict {
  /** As the server names it, such as ".spec.replicas" or `.spec.ports[port=80].name`. */
  readonly field: string;
  /** Whose it is, as the server says it, such as `"kubectl" using apps/v1`. */
  readonly manager: string;
  /** The value that is there; undefined where that cannot be told. */
  readonly value: unknown;
}

/** An apply would change fields of others. Its status is 409. */
export class ApplyConflictError extends ApiError {
  /** Always "ApplyConflictError". */
  override readonly name: string = "ApplyConflictError";
  /** All of them. */
  readonly conflicts: readonly FieldConflict[];
  /** The message without the request. */
  override readonly explanation: string;

  /** Makes the error from the server's refusal. */
  constructor(refusal: ApiError, options: { readonly title: string; readonly live: KubeObject | undefined }) {
    const { status, request, headers, body } = refusal;
    // It is the refusal, in other words: as its cause, that would be told twice.
    super({ status, request, headers, body });
    this.conflicts = conflictsIn(refusal, options.live);
    const listed = this.conflicts.map(({ field, manager, value }) =>
      `${field}${value === undefined ? "" : ` (${JSON.stringify(value)})`} of ${manager}`
    );
    this.explanation = `it would change ${
      listed.join(", ")
    }; leave these fields out, or take them over with force: true`;
    this.message = `Cannot apply ${options.title}: ${this.explanation}`;
  }
}

/** Whether it is the object itself that is applied, whatever it is by now. */
function isPlain(
  { subresource, preconditions, dryRun }: Pick<ApplyRequest, "subresource" | "preconditions" | "dryRun">,
): boolean {
  return subresource === undefined && preconditions === undefined && dryRun !== true;
}

/** Returns the remembered result of earlier applies: the object, if it is as it is wanted; "missing" if there is none. */
export function recallApplied(
  states: AppliedStates | undefined,
  resource: Resource,
  { request, object, fieldManager }: {
    readonly request: Pick<ApplyRequest, "subresource" | "preconditions" | "dryRun">;
    readonly object: AppliedObject;
    readonly fieldManager: string;
  },
): KubeObject | "missing" | undefined {
  return isPlain(request) ? states?.look(resource, { object, fieldManager }) : undefined;
}

/**
 * Applies an object of which it is not remembered that it is as it is wanted, and returns its newest state.
 *
 * @param options `states` takes the result. Default: it is not remembered. `isMissing`: whether it is known that there is none.
 * @throws {ApplyConflictError} If it would change fields of others, and `force` is not set.
 */
export async function applyObject(
  client: Client,
  resource: Resource,
  { object, states, isMissing, ...request }: ApplyRequest & {
    readonly object: AppliedObject;
    readonly states?: AppliedStates;
    readonly isMissing: boolean;
  },
): Promise<KubeObject> {
  const { fieldManager } = request;
  const remembered = isPlain(request) ? states : undefined;
  const spellings = remembered?.spellings;
  const after = isMissing
    ? await sendApply(client, resource, { ...request, object, live: undefined, spellings })
    : await applyToLive(client, resource, { ...request, object, spellings });
  remembered?.note(resource, { object, fieldManager }, after);
  return after;
}

/** Looks at the object first, and sends no request if it is as wanted. */
async function applyToLive(
  client: Client,
  resource: Addressable,
  { object, ...request }: ApplyRequest & {
    readonly object: AppliedObject;
    readonly spellings: AppliedSpellings | undefined;
  },
): Promise<KubeObject> {
  const { fieldManager, subresource, spellings, preconditions = {}, signal, urgent } = request;
  const { name, namespace } = object.metadata;
  const live = await unlessMissing(() =>
    client.get<KubeObject>(resource, { name, namespace }, {
      signal,
      urgent,
      managedFields: true,
    })
  );
  if (live !== undefined) refuseOther(live, { object, preconditions });
  if (live !== undefined) {
    const isSettled = isApplied(live, { object, fieldManager, subresource }) ||
      spellings?.has(live, { object, fieldManager }) === true;
    if (isSettled) return withoutOwners(live);
  }
  return await sendApply(client, resource, { ...request, object, live });
}

/**
 * Applies an object without looking whether that is needed, and returns its newest state.
 *
 * @param options `live` is the present object, if it is known: conflicts are told with it. `spellings` remembers the result.
 * @throws {ApplyConflictError} If it would change fields of others, and `force` is not set.
 */
export async function sendApply(
  client: Client,
  resource: Addressable,
  { object, live, ...request }: ApplyRequest & {
    readonly object: AppliedObject;
    readonly live: KubeObject | undefined;
    readonly spellings?: AppliedSpellings;
  },
): Promise<KubeObject> {
  const { fieldManager, subresource, force, dryRun, fieldValidation, spellings, ...rest } = request;
  const { preconditions: given, ...options } = rest;
  const { name, namespace } = object.metadata;
  const isReal = live !== undefined && dryRun !== true && subresource === undefined;
  const former = isReal && isSecret(resource) ? { ...options, object, fieldManager } : undefined;
  const changed = former && await dropFormerKeys(client, resource, live!, former);
  // The caller knows the version of before.
  const preconditions = given?.resourceVersion === undefined || changed === undefined
    ? given
    : { ...given, resourceVersion: changed.metadata.resourceVersion };
  const wanted = preconditions === undefined
    ? object
    : { ...object, metadata: { ...object.metadata, ...preconditions } };
  const body: PatchRequest = { type: "apply", body: wanted, fieldManager, force, dryRun, fieldValidation };
  try {
    const after: KubeObject = await client.patch(resource, { name, namespace, subresource }, body, options);
    const isOwnSpelling = spellings !== undefined &&
      (!isPartOf(object, after) || isSameContent(live, after, object));
    if (isOwnSpelling) spellings.note(after, { object, fieldManager });
    return after;
  } catch (error) {
    if (!(error instanceof ApiError) || !isConflict(error)) throw error;
    throw new ApplyConflictError(error, { title: `${object.kind} "${namespace ?? ""}/${name}"`, live });
  }
}

/** Takes the remains of applies of `stringData` off a Secret. Returns its new state; undefined if there were none. */
async function dropFormerKeys(
  client: Client,
  resource: Addressable,
  live: KubeObject,
  { object, ...options }: CallOptions & { readonly object: AppliedObject; readonly fieldManager: string },
): Promise<KubeObject | undefined> {
  const { own: keys, unowned } = formerKeys(live, { object, fieldManager: options.fieldManager });
  if (unowned.length > 0) {
    const { name, namespace } = live.metadata;
    client.transport.logger.warn(
      "A Secret has keys that nobody owns: if an earlier `stringData` has left them, delete them",
      { namespace, name, keys: unowned },
    );
  }
  return keys.length === 0 ? undefined : await dropKeys(client, resource, { ...options, live, keys });
}

/** Whether sending has changed no field, so that it was not needed. */
function isSameContent(live: KubeObject | undefined, after: KubeObject, object: AppliedObject): boolean {
  return live !== undefined && isEqualJson(contentOf(live, object), contentOf(after, object));
}

/** @throws {ApiError} 409, as the server has it, if it is not the object that was meant. */
function refuseOther(
  { metadata }: KubeObject,
  { object: { kind }, preconditions: { uid, resourceVersion } }: {
    readonly object: AppliedObject;
    readonly preconditions: NonNullable<ApplyRequest["preconditions"]>;
  },
): void {
  const isSame = (uid === undefined || uid === metadata.uid) &&
    (resourceVersion === undefined || resourceVersion === metadata.resourceVersion);
  if (isSame) return;
  const message =
    `${kind} "${metadata.name}" is not what the preconditions say: it has uid "${metadata.uid}" and ` +
    `resourceVersion "${metadata.resourceVersion}"`;
  const body = { kind: "Status", apiVersion: "v1", code: 409, reason: "Conflict", message } as const;
  throw new ApiError({ status: 409, request: `apply ${kind} "${metadata.name}"`, body });
}

/** Tells whether the manager's applied configuration is this one, and the object still says so. */
export function isApplied(
  live: KubeObject,
  { object, fieldManager, subresource = "" }: Pick<ApplyRequest, "fieldManager" | "subresource"> & {
    readonly object: AppliedObject;
  },
): boolean {
  const { managedFields } = live.metadata;
  const entries: readonly unknown[] = Array.isArray(managedFields) ? managedFields : [];
  const own = entries.filter(isObject).find((entry) =>
    entry.manager === fieldManager && entry.operation === "Apply" && (entry.subresource ?? "") === subresource
  );
  if (own === undefined || own.apiVersion !== object.apiVersion || !isObject(own.fieldsV1)) return false;
  const { apiVersion: _version, kind: _kind, metadata, ...stanzas } = object;
  const { name: _name, namespace: _namespace, ...rest } = metadata;
  const wanted = Object.keys(rest).length > 0 ? { ...stanzas, metadata: rest } : stanzas;
  return holds(wanted, live, own.fieldsV1);
}

/** Whether the value fits the set of fields, and is there already. */
function holds(wanted: unknown, live: unknown, fields: JsonObject): boolean {
  const elements = Object.keys(fields).filter((element) => element !== ".");
  if (elements.length === 0) return isPartOf(wanted, live);
  if (Array.isArray(wanted)) return holdsItems(wanted, live, fields);
  if (!isObject(wanted) || !isObject(live)) return false;
  const names = Object.keys(wanted).filter((name) => wanted[name] !== undefined);
  return names.length === elements.length && names.every((name) => {
    const below = fields[`f:${name}`];
    return isObject(below) && holds(wanted[name], Object.hasOwn(live, name) ? live[name] : undefined, below);
  });
}

/** Items of lists are named by their keys, `k:{"name":"a"}`, or by their values, `v:"a"`. */
function holdsItems(wanted: readonly unknown[], live: unknown, fields: JsonObject): boolean {
  const elements = Object.entries(fields).filter(([element]) => element !== ".");
  if (!Array.isArray(live) || elements.length !== wanted.length) return false;
  return elements.every(([element, below]) => {
    const parsed = parseElement(element);
    if (parsed === undefined || !isObject(below)) return false;
    const { keys, value } = parsed;
    if (keys === undefined) {
      return wanted.some((item) => isEqualJson(item, value)) && live.some((item) => isEqualJson(item, value));
    }
    // NB: a manifest may leave out a key that has a default, such as the protocol of a port.
    const item = only(wanted, (each) => agrees(each, keys, true));
    const found = only(live, (each) => agrees(each, keys, false));
    return item !== undefined && found !== undefined && holds(item, found, below);
  });
}

function parseElement(element: string): { readonly keys?: JsonObject; readonly value?: unknown } | undefined {
  try {
    const parsed = parseJson(element.slice(2));
    if (element.startsWith("v:")) return { value: parsed };
    return element.startsWith("k:") && isObject(parsed) ? { keys: parsed } : undefined;
  } catch {
    return undefined;
  }
}

function only(items: readonly unknown[], isWanted: (item: JsonObject) => boolean): JsonObject | undefined {
  const [found, second] = items.filter(isObject).filter(isWanted);
  return second === undefined ? found : undefined;
}

function agrees(item: JsonObject, keys: JsonObject, isLoose: boolean): boolean {
  return Object.entries(keys).every(([name, value]) =>
    Object.hasOwn(item, name) ? isEqualJson(item[name], value) : isLoose
  );
}

/** Whether all that is wanted is there; the server may have added to it. */
function isPartOf(wanted: unknown, live: unknown): boolean {
  if (isObject(wanted)) {
    const given = Object.entries(wanted).filter(([, value]) => value !== undefined);
    if (!isObject(live)) return given.length === 0 && live === undefined;
    return given.every(([name, value]) =>
      isPartOf(value, Object.hasOwn(live, name) ? live[name] : undefined)
    );
  }
  if (!Array.isArray(wanted)) return wanted !== null && isEqualJson(wanted, live);
  return Array.isArray(live) && live.length === wanted.length &&
    wanted.every((item, index) => isPartOf(item, live[index]));
}

/** Returns an object as it comes where the owners of its fields are not needed. */
export function withoutOwners(live: KubeObject): KubeObject {
  const { managedFields: _owners, ...metadata } = live.metadata;
  return { ...live, metadata };
}

/** Returns undefined where the server says that there is no such object. */
export async function unlessMissing<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

function isConflict({ status, details }: ApiError): boolean {
  return status === 409 && details?.causes?.some(({ reason }) => reason === "FieldManagerConflict") === true;
}

function conflictsIn({ details }: ApiError, live: KubeObject | undefined): FieldConflict[] {
  return (details?.causes ?? []).map(({ field = "", message = "" }) => ({
    field,
    manager: message.replace(/^conflict with /, ""),
    value: valueAt(live, field),
  }));
}

/** Only paths of names can be followed: items of lists are named by their keys. */
function valueAt(live: KubeObject | undefined, field: string): unknown {
  if (live === undefined || !/^(\.[\w-]+)+$/.test(field)) return undefined;
  let value: unknown = live;
  for (const name of field.slice(1).split(".")) {
    value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return value;
}
