/**
 * Plans a measurement: which kinds an operator watches, how objects of each look when it has handled them, and how an API server answers
 * its other questions.
 *
 * For that the operator runs beside a few objects on the API server in the process, with handlers that do nothing. So the notes, the finalizers
 * and the managed fields of objects are those of a real server, and a start over them is a restart over objects at rest.
 */

import { isObject } from "../../../model/json.ts";
import type { KubeObject } from "../../../model/object.ts";
import { apiVersionOf, groupResource, keyOf, pathOf, type Resource } from "../../../model/resource.ts";
import { formatSelector, isSpecific, select } from "../../../model/selector.ts";
import type { RunOptions } from "../../../operator/run_options.ts";
import type { DeclaredHandler } from "../../../registry/declared.ts";
import { messageOf } from "../../../client/errors.ts";
import { createVirtualRandom } from "../../../runtime/virtual/random.ts";
import { Administrator } from "../administrator.ts";
import { type TestCluster, testCluster } from "../cluster.ts";
import { type Manifests, readManifests } from "../manifests.ts";
import { Runner } from "../runner.ts";
import { type Content, lengthOf, makeContent, padded, type PaddingPlace } from "./content.ts";
import type { PlannedKind, SizePlan } from "./planned_kind.ts";

/** An operator that is measured, whatever its memo. */
export interface SizedOperator {
  /** The handlers of objects that were declared. */
  readonly declared: readonly DeclaredHandler[];
  /** Runs it with handlers that do nothing. */
  runIdle(options?: RunOptions<never>): Promise<void>;
}

/** The objects to be planned. */
export interface PlanOptions {
  /** How many there are: of each kind, or of kinds by their plurals ("databases", or "databases.example.com"): then of others none. */
  readonly objects: number | Readonly<Record<string, number>>;
  /** How long their texts are, without managed fields and notes. Default: as they are made, or as the samples are. */
  readonly bytes?: number;
  /** Definitions of kinds, and all that the operator needs to be there. */
  readonly manifests?: Manifests;
  /** Objects as they may be. Default: they are made. */
  readonly samples?: Manifests;
}

/** How many different objects of a kind there are, whose texts are repeated under other names. */
const VARIANTS = 8;

/** How often an object is drawn anew that the server refuses. */
const TRIES = 40;

/** How long the operator runs beside the objects, in virtual seconds: it notes what it has handled at once. */
const SETTLING = 5;

/** Plans a measurement. @throws {TypeError} If it cannot be: the message says why, and what to give. */
export async function planSize(op: SizedOperator, options: PlanOptions): Promise<SizePlan> {
  const manifests = await readManifests(options.manifests ?? []);
  await using cluster = await testCluster({ manifests: manifests.map(withPadding) });
  using admin = new Administrator(cluster);
  const samples = await readManifests(options.samples ?? []) as readonly KubeObject[];
  const served = await admin.client.discovery.all();
  const watched = watchedBy(op, served);
  const counts = countsOf(watched, options.objects);
  rejectOtherSamples(samples, watched);
  const recorder = new Recorder(cluster);
  const runner = new Runner({ run: (given) => op.runIdle(given) }, {
    cluster: { host: cluster.host, fetch: (request) => recorder.fetch(request) },
    level: "warn",
    standalone: true,
    scope: "cluster",
  });
  await runner.started();
  const planning = { admin, samples, manifests, bytes: options.bytes };
  const made = new Map<Resource, number>();
  for (const resource of watched) {
    if ((counts.get(resource) ?? 0) > 0) made.set(resource, await createVariants(resource, planning));
  }
  await runner.advance(SETTLING);
  const kinds: PlannedKind[] = [];
  for (const resource of watched) {
    const texts = made.has(resource) ? await textsOf(resource, admin) : [];
    kinds.push({
      kind: groupResource(resource),
      path: pathOf(resource),
      apiVersion: apiVersionOf(resource),
      singular: resource.kind,
      objects: counts.get(resource) ?? 0,
      bytes: made.get(resource) ?? 0,
      texts,
    });
  }
  await runner.stop();
  return { kinds, answers: { ...recorder.answers, ...await definitionsOf(cluster) } };
}

/** @throws {TypeError} If it watches no kind, or one that the cluster does not know. */
function watchedBy({ declared }: SizedOperator, served: readonly Resource[]): readonly Resource[] {
  const found = new Map<string, Resource>();
  for (const selector of declared.filter(isWatching).map((handler) => handler.selector)) {
    const matching = select(selector, served);
    if (matching.length === 0) {
      throw new TypeError(
        `Cannot measure objects of "${
          formatSelector(selector)
        }": its definition is not known (give it with --crd)`,
      );
    }
    if (isSpecific(selector) && matching.length > 1) {
      throw new TypeError(
        `Cannot measure objects of "${formatSelector(selector)}": it may mean ${
          matching.map(keyOf).join(", ")
        }, and the operator serves none of them (name the group)`,
      );
    }
    for (const each of matching) {
      if (each.verbs.includes("list") && each.verbs.includes("watch")) found.set(keyOf(each), each);
    }
  }
  if (found.size > 0) return [...found.values()];
  throw new TypeError("Cannot measure the operator: it watches no objects, so that none cost it memory");
}

/** Causes of handlers that are called about requests. */
const REQUESTS: readonly string[] = ["validate", "mutate"];

function isWatching({ cause }: DeclaredHandler): boolean {
  return !REQUESTS.includes(cause);
}

/** @throws {RangeError} If there are none. @throws {TypeError} If a kind is named that is not watched. */
function countsOf(
  watched: readonly Resource[],
  objects: PlanOptions["objects"],
): ReadonlyMap<Resource, number> {
  if (typeof objects === "number") return new Map(watched.map((resource) => [resource, objects]));
  const counts = new Map<Resource, number>();
  for (const [name, count] of Object.entries(objects)) {
    const meant = watched.filter((each) => each.plural === name || groupResource(each) === name);
    if (meant.length === 0) {
      throw new TypeError(
        `Cannot measure objects of "${name}": the operator watches ${watched.map(groupResource).join(", ")}`,
      );
    }
    for (const resource of meant) counts.set(resource, count);
  }
  return counts;
}

/** @throws {TypeError} If an object is of a kind that is not watched. */
function rejectOtherSamples(samples: readonly KubeObject[], watched: readonly Resource[]): void {
  for (const { apiVersion, kind = "", metadata } of samples) {
    if (watched.some((each) => each.kind === kind && apiVersionOf(each) === apiVersion)) continue;
    throw new TypeError(
      `Cannot take ${kind} "${metadata.name}" of ${apiVersion} for a sample: the operator watches ${
        watched.map((each) => `${each.kind} of ${apiVersionOf(each)}`).join(", ")
      }`,
    );
  }
}

interface Planning {
  readonly admin: Administrator;
  readonly samples: readonly KubeObject[];
  readonly manifests: readonly object[];
  readonly bytes: number | undefined;
}

/** Creates some objects of a kind, and returns how long their texts are, on average. */
async function createVariants(resource: Resource, planning: Planning): Promise<number> {
  const { samples, manifests, bytes } = planning;
  const source = {
    resource,
    samples: samples.filter((each) =>
      each.kind === resource.kind && each.apiVersion === apiVersionOf(resource)
    ),
    schema: schemaOf(resource, manifests),
  };
  const random = createVirtualRandom(1);
  const made = new Map<Content, string>();
  let why = "";
  for (let tries = 0; tries < TRIES && made.size < VARIANTS; tries++) {
    const content = makeContent(source, random);
    const name = variantName(made.size);
    const named = placed(content, { resource, name });
    if (bytes !== undefined && lengthOf(named) > bytes) {
      why = `it has ${lengthOf(named)} bytes, more than the ${bytes} of --bytes`;
      continue;
    }
    const place = paddingPlace(resource, source.schema);
    const whole = bytes === undefined ? named : padded(named, { bytes, place, random });
    try {
      await create(whole, { resource, name, admin: planning.admin });
      made.set(whole, name);
    } catch (error) {
      why = messageOf(error);
    }
  }
  if (made.size > 0) {
    return Math.round([...made.keys()].reduce((sum, each) => sum + lengthOf(each), 0) / made.size);
  }
  const origin = source.samples.length > 0 ? "its sample" : `an object that was made for it`;
  const advice = source.samples.length > 0 ? "" : " (give objects as you have them with --sample)";
  throw new TypeError(
    `Cannot measure objects of "${groupResource(resource)}": ${origin} is not fit: ${why}${advice}`,
  );
}

function variantName(number: number): string {
  return `lotse-size-${number}-of-${VARIANTS}`;
}

function placed(
  content: Content,
  { resource, name }: { readonly resource: Resource; readonly name: string },
): Content {
  const place = resource.namespaced ? { namespace: "default" } : {};
  return { ...content, metadata: { name, ...place, ...content.metadata } };
}

async function create(
  object: Content,
  { resource, name, admin: { client } }: {
    readonly resource: Resource;
    readonly name: string;
    readonly admin: Administrator;
  },
): Promise<void> {
  const place = resource.namespaced ? { namespace: "default" } : {};
  await client.create(resource, object, place);
  const { status } = object;
  if (status === undefined || !resource.subresources.includes("status")) return;
  const body = { status };
  await client.patch(resource, { ...place, name, subresource: "status" }, { type: "merge", body });
}

/** Returns the texts of a kind's objects, with gaps for names, uids and versions. */
async function textsOf(resource: Resource, { client }: Administrator): Promise<string[]> {
  const texts: string[] = [];
  for await (const { items } of client.list(resource, { managedFields: true })) {
    for (const item of items) {
      const { name = "", uid = "" } = item.metadata;
      if (!name.startsWith("lotse-size-")) continue;
      const head = { apiVersion: apiVersionOf(resource), kind: resource.kind };
      const metadata = { ...item.metadata, resourceVersion: "<lotse:version>" };
      // Notes name the object that they stand on.
      const text = JSON.stringify({ ...head, ...item, metadata });
      texts.push(text.replaceAll(name, "<lotse:name>").replaceAll(uid, "<lotse:uid>"));
    }
  }
  return texts;
}

function definitionFor(
  { group, plural }: Resource,
  manifests: readonly object[],
): readonly Record<string, unknown>[] {
  for (const manifest of manifests) {
    const { kind, spec } = manifest as Partial<KubeObject>;
    if (kind !== "CustomResourceDefinition" || !isObject(spec) || spec.group !== group) continue;
    if (!isObject(spec.names) || spec.names.plural !== plural || !Array.isArray(spec.versions)) continue;
    return spec.versions.filter(isObject);
  }
  return [];
}

/** Returns the schema of a kind's definition; undefined: the kind is built in. */
function schemaOf(resource: Resource, manifests: readonly object[]): unknown {
  const version = definitionFor(resource, manifests).find(({ name }) => name === resource.version);
  return version && (isObject(version.schema) ? version.schema.openAPIV3Schema ?? {} : {});
}

function paddingPlace({ kind }: Resource, schema: unknown): PaddingPlace {
  if (kind === "ConfigMap" && schema === undefined) return "data";
  return hasOpenSpec(schema) ? "spec" : "annotation";
}

function hasOpenSpec(schema: unknown): boolean {
  const { spec } = isObject(schema) && isObject(schema.properties) ? schema.properties : {};
  return isObject(spec) && spec.type === "object" && spec.additionalProperties === undefined;
}

/** Returns a definition whose specs keep fields that they do not know, so that there is room for padding; other manifests as they are. */
function withPadding<Manifest extends object>(manifest: Manifest): Manifest {
  const { kind, spec } = manifest as Partial<KubeObject>;
  if (kind !== "CustomResourceDefinition" || !isObject(spec) || !Array.isArray(spec.versions)) {
    return manifest;
  }
  const versions = spec.versions.map((version: unknown) => {
    const schema = isObject(version) && isObject(version.schema) ? version.schema.openAPIV3Schema : undefined;
    if (!isObject(version) || !isObject(schema) || !hasOpenSpec(schema)) return version;
    const properties = isObject(schema.properties) ? schema.properties : {};
    const open = {
      ...isObject(properties.spec) ? properties.spec : {},
      "x-kubernetes-preserve-unknown-fields": true,
    };
    return {
      ...version,
      schema: { openAPIV3Schema: { ...schema, properties: { ...properties, spec: open } } },
    };
  });
  return { ...manifest, spec: { ...spec, versions } };
}

/** Where definitions are listed. */
const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

async function definitionsOf({ fetch }: TestCluster): Promise<Record<string, string>> {
  const response = await fetch(new Request(`https://cluster.test${DEFINITIONS}`));
  return { [DEFINITIONS]: await response.text() };
}

/** Remembers how the cluster answers the operator. */
class Recorder {
  readonly answers: Record<string, string> = {};
  readonly #cluster: TestCluster;

  constructor(cluster: TestCluster) {
    this.#cluster = cluster;
  }

  async fetch(request: Request): Promise<Response> {
    const response = await this.#cluster.fetch(request);
    const { pathname, searchParams } = new URL(request.url);
    if (request.method === "GET" && response.status === 200 && !searchParams.has("watch")) {
      this.answers[pathname] = await response.clone().text();
    }
    return response;
  }
}
