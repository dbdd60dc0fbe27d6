/**
 * Where the objects of simulations come from: the schemas of definitions, samples of the author's, or functions.
 */

import { isObject } from "../../../model/json.ts";
import type { JsonObject, KubeObject } from "../../../model/object.ts";
import { groupResource, type Resource } from "../../../model/resource.ts";
import type { Random } from "../../../runtime/host.ts";
import { createVirtualRandom } from "../../../runtime/virtual/random.ts";
import type { Administrator } from "../administrator.ts";
import type { ObjectSource } from "./draw.ts";
import { pick } from "./draw.ts";
import { drawChange, drawValue } from "./values.ts";

/** Sources, and the kinds of their objects. */
export interface Sources {
  readonly sources: readonly ObjectSource[];
  readonly kinds: ReadonlyMap<string, Resource>;
}

/** The given parts of sources. */
export interface SourceOptions {
  /** The definitions of the cluster. */
  readonly definitions: readonly KubeObject[];
  /** Objects as the author has them. */
  readonly samples: readonly KubeObject[];
  /** Sources of the author's own, which stand above all others of their kinds. */
  readonly own: readonly ObjectSource[];
}

/** How often a value of a sample gives way to a drawn one. */
const DRAWN = 0.4;

/** How many objects are drawn to find out whether the server takes one. */
const TRIED = 40;

/**
 * Finds the sources.
 *
 * @throws {TypeError} If there is none, or the cluster does not know a kind.
 */
export async function findSources(
  { definitions, samples, own }: SourceOptions,
  admin: Administrator,
): Promise<Sources> {
  const kinds = new Map<string, Resource>();
  const sources = new Map<string, ObjectSource>();
  for (const definition of definitions) {
    const { group, names, versions } = readDefinition(definition);
    const resource = await findKind(group, names, admin);
    const kind = groupResource(resource);
    kinds.set(kind, resource);
    const schema = versions.find(({ name }) => name === resource.version)?.schema;
    const ofKind = samples.filter((sample) => sample.kind === resource.kind);
    sources.set(kind, sourceOf(kind, schema, ofKind));
  }
  for (const sample of samples) {
    const [group = "", version] = sample.apiVersion?.includes("/")
      ? sample.apiVersion.split("/")
      : ["", sample.apiVersion];
    const resource = (await admin.client.discovery.group(group)).find((each) =>
      each.kind === sample.kind && each.version === version
    );
    if (resource === undefined) {
      throw new TypeError(`Cannot simulate: the cluster knows no kind "${sample.kind}"`);
    }
    const kind = groupResource(resource);
    if (kinds.has(kind)) continue;
    kinds.set(kind, resource);
    sources.set(kind, sourceOf(kind, undefined, samples.filter((each) => each.kind === sample.kind)));
  }
  for (const source of own) {
    const [plural = "", ...rest] = source.kind.split(".");
    if (!kinds.has(source.kind)) kinds.set(source.kind, await findKind(rest.join("."), { plural }, admin));
    sources.set(source.kind, source);
  }
  if (sources.size === 0) {
    throw new TypeError(
      "Cannot simulate without objects: give `manifests` with definitions, or `samples`, or `sources`",
    );
  }
  return { sources: [...sources.values()], kinds };
}

/**
 * Looks whether the server takes objects of each source.
 *
 * @throws {TypeError} If it takes none of a source: its last words are in the message.
 */
export async function checkSources({ sources, kinds }: Sources, admin: Administrator): Promise<void> {
  const random = createVirtualRandom(1);
  for (const { kind, make } of sources) {
    const resource = kinds.get(kind);
    if (resource === undefined) continue;
    let why = "";
    for (let tries = 0; tries < TRIED; tries++) {
      const { metadata, ...rest } = make(random);
      const place = resource.namespaced ? { namespace: "default" } : {};
      const apiVersion = resource.group === "" ? resource.version : `${resource.group}/${resource.version}`;
      const named = { ...isObject(metadata) ? metadata : {}, ...place, name: "tried" };
      const object = { apiVersion, kind: resource.kind, ...rest, metadata: named };
      try {
        await admin.client.create(resource, object, place);
        await admin.client.delete(resource, { ...place, name: "tried" });
        why = "";
        break;
      } catch (error) {
        why = error instanceof Error ? error.message : String(error);
      }
    }
    if (why === "") continue;
    throw new TypeError(
      `Cannot simulate ${kind}: of ${TRIED} objects that were drawn from its schema, the server takes none (${why}); give \`samples\`, or \`sources\` of your own`,
    );
  }
}

function sourceOf(kind: string, schema: unknown, samples: readonly KubeObject[]): ObjectSource {
  const properties = isObject(schema) && isObject(schema.properties) ? schema.properties : {};
  const stanzas = Object.entries(properties).filter(([key]) => !SYSTEM.includes(key));
  return {
    kind,
    make(random) {
      const labels = random.next() < 0.3 ? { labels: { app: pick(random, ["x", "y"]) } } : {};
      const sample = samples.length > 0 ? contentOf(pick(random, samples)) : undefined;
      if (stanzas.length === 0) return { metadata: labels, ...sample ?? {} };
      const content = stanzas.map((
        [key, each],
      ): [string, unknown] => [key, stanza(each, sample?.[key], random)]);
      return { metadata: labels, ...Object.fromEntries(content.filter(([, value]) => value !== undefined)) };
    },
    change(random) {
      if (random.next() < 0.1) return { metadata: { labels: { app: pick(random, ["x", "y", null]) } } };
      if (stanzas.length > 0) {
        const [key, each] = pick(random, stanzas);
        return { [key]: drawChange(each, random) };
      }
      const sample = samples.length > 0 ? contentOf(pick(random, samples)) : {};
      const key = Object.keys(sample).at(-1) ?? "spec";
      return { [key]: changeOf(sample[key], random) };
    },
  };
}

/** Members of an object that are no content of its kind, or not the author's to write. */
const SYSTEM: readonly string[] = ["apiVersion", "kind", "metadata", "status"];

function contentOf(sample: KubeObject): JsonObject {
  return Object.fromEntries(Object.entries(sample).filter(([key]) => !SYSTEM.includes(key)));
}

/** A stanza as a sample has it, with some of its values drawn anew; or a drawn one. */
function stanza(schema: unknown, sample: unknown, random: Random): unknown {
  if (!isObject(sample)) return drawValue(schema, random);
  return random.next() < DRAWN ? merged(sample, drawChange(schema, random)) : sample;
}

function merged(sample: JsonObject, patch: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries({ ...sample, ...patch }).filter(([, value]) => value !== null));
}

/** Changes one text or number of an object whose kind has no schema here. */
function changeOf(value: unknown, random: Random): JsonObject {
  const all = isObject(value) ? Object.entries(value) : [];
  if (all.length === 0) return { a: pick(random, ["1", "2"]) };
  const [key, old] = pick(random, all);
  if (isObject(old)) return { [key]: changeOf(old, random) };
  if (typeof old === "number") return { [key]: old + 1 + Math.floor(random.next() * 3) };
  if (typeof old === "boolean") return { [key]: !old };
  return { [key]: pick(random, ["1", "2", "größer 漢字", ""]) };
}

interface ReadDefinition {
  readonly group: string;
  readonly names: { readonly plural: string };
  readonly versions: readonly { readonly name: string; readonly schema: unknown }[];
}

function readDefinition({ spec }: KubeObject): ReadDefinition {
  const { group, names, versions } = isObject(spec) ? spec : {};
  const plural = isObject(names) ? String(names.plural) : "";
  const read = Array.isArray(versions) ? versions.filter(isObject) : [];
  return {
    group: String(group),
    names: { plural },
    versions: read.map(({ name, schema }) => ({
      name: String(name),
      schema: isObject(schema) ? schema.openAPIV3Schema : undefined,
    })),
  };
}

async function findKind(
  group: string,
  { plural }: { readonly plural: string },
  { client }: Administrator,
): Promise<Resource> {
  const found = (await client.discovery.group(group)).filter((each) => each.plural === plural);
  const resource = found.find(({ preferred }) => preferred) ?? found[0];
  if (resource === undefined) {
    throw new TypeError(`Cannot simulate: the cluster knows no kind "${plural}.${group}"`);
  }
  return resource;
}
