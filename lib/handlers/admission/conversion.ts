/**
 * Answers conversion reviews: objects of one version of a kind become objects of another one.
 *
 * Each conversion goes by the kind's own version, the hub, so that two functions for each further version do for all pairs. The
 * API server compares the answer with its request; fields whose change it would refuse (the name, the uid) are never taken from
 * functions here. Source: Kubernetes API reference, ConversionReview; Kubernetes, "Webhook conversion".
 */

import { toError } from "../../execution/errors.ts";
import { cloneJson, getKey, isObject, setKey, toJson } from "../../model/json.ts";
import type { JsonObject, ObjectMeta } from "../../model/object.ts";
import { namespacedName } from "../../model/references.ts";
import type { ResourceOptions } from "../../registry/resource.ts";
import type { Conversion, ConvertedParts, VersionedObject } from "../../registry/schemas.ts";
import { blamedOn, cutAtCaller } from "../../runtime/call_site.ts";
import type { Logger } from "../../runtime/logging.ts";
import type { ConversionAnswer } from "../../settings/admission_server.ts";
import { ReviewError } from "./review.ts";

/** The path by which the API server asks, below the server's path: the server tells reviews apart by their content alone. */
export const CONVERSION_PATH = "convert";

const API_VERSION = "apiextensions.k8s.io/v1";

/** How a kind's objects become each other. */
interface ConvertedKind {
  readonly group: string;
  readonly hub: string;
  /** By version. Versions without functions differ from the hub by their name alone. */
  readonly conversions: ReadonlyMap<string, Conversion | undefined>;
}

/** One object on its way. */
type Convertible = JsonObject & { apiVersion: string; kind: string; metadata: ObjectMeta };

/** Tells a conversion review from reviews of other kinds. */
export function isConversionReview(payload: unknown): payload is JsonObject {
  return isObject(payload) && getKey(payload, "kind") === "ConversionReview";
}

/** The conversions of one operator. */
export class Conversions {
  readonly #logger: Logger;
  /** By "Kind.group". */
  readonly #kinds: ReadonlyMap<string, ConvertedKind>;

  /** Of the given kinds, each of which has a conversion. */
  constructor(kinds: readonly ResourceOptions[], logger: Logger) {
    this.#logger = logger;
    this.#kinds = new Map(kinds.map(({ group = "", version = "", kind = "", versions = {} }) => [
      `${kind}.${group}`,
      {
        group,
        hub: version,
        conversions: new Map([
          [version, undefined],
          ...Object.entries(versions).map(([name, { convert }]) => [name, convert] as const),
        ]),
      },
    ]));
  }

  /** Answers a parsed review; a function that throws is an answer, too. @throws {ReviewError} If it is no such review. */
  answer(payload: JsonObject): ConversionAnswer {
    const { uid, desired, objects } = parse(payload);
    const head = { apiVersion: API_VERSION, kind: "ConversionReview" } as const;
    try {
      const convertedObjects = objects.map((object) => this.#convert(object, desired));
      return { ...head, response: { uid, convertedObjects, result: { status: "Success" } } };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#logger.error("Objects cannot be converted: requests for them fail", { version: desired, error });
      return { ...head, response: { uid, convertedObjects: [], result: { status: "Failure", message } } };
    }
  }

  /** @throws {Error} If no conversion is declared for the two versions, or a function throws. */
  #convert(given: unknown, desired: string): JsonObject {
    const object = convertible(given);
    const [group, version] = split(object.apiVersion);
    const [wantedGroup, wanted] = split(desired);
    const kind = this.#kinds.get(`${object.kind}.${group}`);
    const title = `${object.kind} "${
      namespacedName(object.metadata)
    }" from ${object.apiVersion} to ${desired}`;
    const isKnown = kind !== undefined && group === wantedGroup && kind.conversions.has(version) &&
      kind.conversions.has(wanted);
    if (!isKnown) throw new Error(`Cannot convert ${title}: no such versions are declared`);
    const hub = `${group}/${kind.hub}`;
    const [from, to] = [kind.conversions.get(version), kind.conversions.get(wanted)];
    try {
      const atHub = merge(object, hub, from && callConversion("toHub", from, object));
      return merge(atHub, desired, to && callConversion("fromHub", to, atHub));
    } catch (thrown) {
      const cause = toError(thrown);
      cutAtCaller(cause, callConversion.name);
      throw blamedOn(new Error(`Cannot convert ${title}: ${cause.message}`, { cause }));
    }
  }
}

/** Calls a function of the author's. @throws {TypeError} If it has to be waited for. */
function callConversion(
  name: "toHub" | "fromHub",
  conversion: Conversion,
  object: Convertible,
): ReturnedParts {
  const parts: unknown = conversion[name](viewOf(object));
  const isPromise = isObject(parts) && "then" in parts;
  // The promise is not awaited: its error is not to be reported a second time, as the error of a stray promise.
  if (isPromise) Promise.resolve(parts).catch(() => {});
  if (!isPromise && isObject(parts)) return { name, parts };
  throw new TypeError(
    isPromise
      ? `${name}() returned a promise: conversions must not wait for anything`
      : `${name}() returned ${
        parts === null ? "null" : typeof parts
      }: it must return { spec, status, metadata }, or {} for no change`,
  );
}

/** The answer of one of the functions; it may be anything, whatever its type says. */
interface ReturnedParts {
  readonly name: string;
  readonly parts: ConvertedParts;
}

interface Request {
  readonly uid: string;
  /** Such as "example.com/v1". */
  readonly desired: string;
  readonly objects: readonly unknown[];
}

/** @throws {ReviewError} */
function parse(payload: JsonObject): Request {
  const request = getKey(payload, "request");
  if (getKey(payload, "apiVersion") !== API_VERSION || !isObject(request)) {
    throw malformed(`it is not of "${API_VERSION}", or has no "request"`);
  }
  const [uid, desired, objects] = ["uid", "desiredAPIVersion", "objects"].map((key) => getKey(request, key));
  if (typeof uid !== "string" || uid === "") throw malformed('the request has no "uid"');
  if (typeof desired !== "string") throw malformed('the request has no "desiredAPIVersion"');
  if (!Array.isArray(objects)) throw malformed('the request has no "objects"');
  return { uid, desired, objects };
}

function malformed(reason: string): ReviewError {
  return new ReviewError(400, `Cannot read the conversion review: ${reason}`);
}

/** @throws {Error} If it is no object of Kubernetes. */
function convertible(given: unknown): Convertible {
  const isConvertible = isObject(given) && typeof given.apiVersion === "string" &&
    typeof given.kind === "string" && isObject(given.metadata);
  if (!isConvertible) throw new Error("Cannot convert what has no apiVersion, kind or metadata");
  // Looked at above.
  return given as Convertible;
}

/** Functions get copies: the object stays as it is, whatever they do to them. */
function viewOf(object: Convertible): VersionedObject {
  const { apiVersion, kind, metadata, spec, status } = cloneJson(object);
  return { apiVersion, kind, metadata, spec, status };
}

/** @throws {TypeError} If a part is no JSON object: the API server would store it, and no list of the kind would work any more. */
function merge(object: Convertible, apiVersion: string, returned?: ReturnedParts): Convertible {
  const converted: Convertible = { ...object, apiVersion };
  if (returned === undefined) return converted;
  const { name, parts } = returned;
  const read = (path: string, value: unknown): JsonObject => {
    const part = toJson(value, path);
    if (isObject(part)) return part;
    throw new TypeError(`${name}() returned ${describe(value)} for "${path}": it must be an object`);
  };
  for (const part of ["spec", "status"] as const) {
    if (parts[part] !== undefined) converted[part] = read(part, parts[part]);
  }
  if (parts.metadata === undefined) return converted;
  const { labels, annotations } = read("metadata", parts.metadata);
  const metadata = { ...object.metadata };
  for (const [part, texts] of Object.entries({ labels, annotations })) {
    if (texts === undefined) continue;
    const found = Object.entries(read(`metadata.${part}`, texts)).find(([, text]) =>
      typeof text !== "string"
    );
    if (found !== undefined) {
      throw new TypeError(
        `${name}() returned ${describe(found[1])} for "metadata.${part}.${found[0]}": it must be a string`,
      );
    }
    setKey(metadata, part, texts);
  }
  return { ...converted, metadata };
}

function describe(value: unknown): string {
  return Array.isArray(value) ? "a list" : value === null ? "null" : `a ${typeof value}`;
}

function split(apiVersion: string): [group: string, version: string] {
  const [group = "", version = ""] = apiVersion.split("/");
  return [group, version];
}
