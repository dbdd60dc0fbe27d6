/**
 * Custom objects in several versions, where a webhook knows how one becomes the other.
 *
 * Objects are kept in the version that is marked for storage, and converted for whoever asks in another one: in reads, lists,
 * watches and writes. Source: k8s.io/apiextensions-apiserver, pkg/apiserver/conversion/webhook_converter.go.
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import type { Host } from "../../../runtime/host.ts";
import { CallError, callWebhook } from "../hooks/client.ts";
import { goType } from "../apply/checking.ts";
import { keptObject } from "./conversion.ts";
import type { Kind, VersionConverter } from "../kinds.ts";
import { storageFault } from "../refusal.ts";
import { Stored } from "../storage/stored.ts";
import { getOwn, isObject, objectAt } from "../values.ts";

const GROUP = "apiextensions.k8s.io";
const TIMEOUT = 30;

/** The conversion webhook of a definition. */
export class Converter implements VersionConverter {
  /** The `apiVersion` in which objects are kept. */
  readonly storage: string;
  readonly #host: Host;
  readonly #webhook: JsonObject;

  constructor(host: Host, { storage, webhook }: { readonly storage: string; readonly webhook: JsonObject }) {
    this.storage = storage;
    this.#host = host;
    this.#webhook = webhook;
  }

  /**
   * Returns objects in a version, in their order; objects that have it already are not sent.
   *
   * @throws {Refusal} 500 if the webhook does not answer, or not with these objects.
   */
  async convert(objects: readonly KubeObject[], apiVersion: string): Promise<KubeObject[]> {
    const wrong = objects.filter((object) => object.apiVersion !== apiVersion);
    const [first] = wrong;
    if (first === undefined) return [...objects];
    const what = `conversion webhook for ${first.apiVersion}, Kind=${first.kind}`;
    const converted = await this.#ask(wrong, { apiVersion, what });
    if (converted.length !== wrong.length) {
      throw storageFault(`${what} returned ${converted.length} objects, expected ${wrong.length}`);
    }
    const restored = wrong.map((original, index) =>
      restore(original, converted[index], { apiVersion, what, index, isAlone: wrong.length === 1 })
    );
    let next = 0;
    return objects.map((object) => object.apiVersion === apiVersion ? object : restored[next++] ?? object);
  }

  async #ask(
    objects: readonly KubeObject[],
    { apiVersion, what }: { readonly apiVersion: string; readonly what: string },
  ): Promise<readonly unknown[]> {
    const accepted = getOwn(this.#webhook, "conversionReviewVersions");
    const version = Array.isArray(accepted)
      ? accepted.find((known) => known === "v1" || known === "v1beta1")
      : undefined;
    if (version === undefined) throw storageFault("no supported conversion review versions");
    const uid = this.#host.random.uuid();
    const review = {
      kind: "ConversionReview",
      apiVersion: `${GROUP}/${version}`,
      request: { uid, desiredAPIVersion: apiVersion, objects },
    };
    try {
      const client = objectAt(this.#webhook, "clientConfig") ?? {};
      return readAnswer(await callWebhook(this.#host, { client, timeout: TIMEOUT, review }), {
        uid,
        version,
      });
    } catch (error) {
      if (error instanceof CallError) throw storageFault(`${what} failed: ${error.message}`);
      throw error;
    }
  }
}

function readAnswer(
  review: JsonObject,
  { uid, version }: { readonly uid: string; readonly version: string },
): readonly unknown[] {
  const { apiVersion = "/", kind = "" } = review;
  if (version === "v1" && (apiVersion !== `${GROUP}/v1` || kind !== "ConversionReview")) {
    throw new CallError(
      `expected webhook response of ${GROUP}/v1, Kind=ConversionReview, got ${apiVersion}, Kind=${kind}`,
    );
  }
  const response = objectAt(review, "response");
  if (response === undefined) throw new CallError("no response provided");
  const given = String(getOwn(response, "uid") ?? "");
  if (version === "v1" && given !== uid) {
    throw new CallError(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(given)}`);
  }
  const result = objectAt(response, "result") ?? {};
  if (result.status !== "Success") {
    const message = String(getOwn(result, "message") ?? "");
    throw new CallError(
      message === "" ? `response.result.status was '${result.status ?? ""}', not 'Success'` : message,
    );
  }
  const objects = getOwn(response, "convertedObjects");
  return Array.isArray(objects) ? objects : [];
}

interface Place {
  readonly apiVersion: string;
  readonly what: string;
  readonly index: number;
  /** It was converted for itself, not as a part of a list. */
  readonly isAlone: boolean;
}

/** Checks a converted object. NB: of the metadata, only labels and annotations may change. */
function restore(
  original: KubeObject,
  converted: unknown,
  { apiVersion, what, index, isAlone }: Place,
): KubeObject {
  const fail = (fault: string): never => {
    // NB: of a list, the real server says "converted".
    const object = isAlone ? "object" : "converted object";
    throw storageFault(`${what} returned invalid ${object} at index ${index}: ${fault}`);
  };
  if (!isObject(converted)) return fail("it is no object");
  if (converted.apiVersion !== apiVersion) {
    return fail(`invalid groupVersion (expected ${apiVersion}, received ${converted.apiVersion ?? ""})`);
  }
  if (converted.kind !== original.kind) {
    return fail(`invalid kind (expected ${original.kind}, received ${converted.kind ?? ""})`);
  }
  const given = objectAt(converted, "metadata");
  if (given === undefined) {
    throw storageFault(
      `${what} returned invalid metadata for object at index ${index}: missing metadata in converted object`,
    );
  }
  const fault = textsFault(given, "labels") ?? textsFault(given, "annotations");
  if (fault !== undefined) {
    const where = isAlone ? "" : ` in object at index ${index}`;
    throw storageFault(`${what} returned invalid metadata${where}: ${fault} in converted object`);
  }
  const { labels: _labels, annotations: _annotations, ...metadata } = original.metadata;
  return {
    ...converted,
    metadata: { ...metadata, ...textsAt(given, "labels"), ...textsAt(given, "annotations") },
  };
}

function textsAt(metadata: JsonObject, key: "labels" | "annotations"): JsonObject {
  const found = objectAt(metadata, key);
  return found === undefined ? {} : { [key]: found };
}

function textsFault(metadata: JsonObject, key: "labels" | "annotations"): string | undefined {
  const texts = getOwn(metadata, key) ?? {};
  if (!isObject(texts)) return `invalid metadata.${key} of type ${goType(texts)}`;
  const wrong = Object.keys(texts).find((name) => typeof texts[name] !== "string");
  return wrong && `metadata.${key}[${wrong}] must be a string, but is ${goType(texts[wrong])}`;
}

/** Returns stored objects in the version of the kind, where a webhook converts them. */
export async function inVersion(kind: Kind, stored: readonly Stored[]): Promise<readonly Stored[]> {
  const { converter, schemas, apiVersion } = kind;
  if (converter === undefined) return stored;
  if (schemas === undefined && stored.every(({ object }) => object.apiVersion === apiVersion)) return stored;
  const kept = stored.map(({ object }) => ({ kind: kind.kind, ...schemas?.read(object) ?? object }));
  const objects = await converter.convert(kept, apiVersion);
  return objects.map((object, index) => {
    if (object !== kept[index]) schemas?.prune(object);
    return new Stored(object, stored[index]?.version ?? 0);
  });
}

/** Returns one stored object in the version of the kind. */
export async function oneInVersion(kind: Kind, stored: Stored): Promise<Stored> {
  return (await inVersion(kind, [stored]))[0] ?? stored;
}

/** Returns an object of the kind in the version in which it is kept. */
export async function inStorage(kind: Kind, object: KubeObject): Promise<KubeObject> {
  const { converter, schemas } = kind;
  if (converter === undefined) return keptObject(kind, object);
  const named = { ...object, kind: kind.kind };
  const kept = (await converter.convert([named], converter.storage))[0] ?? object;
  if (kept !== named) schemas?.prune(kept);
  return kept;
}
