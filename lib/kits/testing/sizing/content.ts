/**
 * The content of objects whose memory is measured: an author's sample, values that a schema allows, or a workload like most are.
 *
 * Packed objects take as little as their text compresses to, so that made-up text must not compress better than real one: digests and
 * names in it are drawn.
 */

import { withoutServerFields } from "../../../client/manifest.ts";
import { isObject } from "../../../model/json.ts";
import type { JsonObject, KubeObject } from "../../../model/object.ts";
import { apiVersionOf, type Resource } from "../../../model/resource.ts";
import type { Random } from "../../../runtime/host.ts";
import { drawValue } from "../simulation/values.ts";

/** An object as its author would write it, with a status where a sample has one. */
export type Content = JsonObject & Pick<KubeObject, "apiVersion" | "kind"> & {
  readonly metadata: JsonObject;
};

/** The things to make content of. */
export interface ContentSource {
  readonly resource: Resource;
  /** Objects as the author has them. None: they are made. */
  readonly samples: readonly KubeObject[];
  /** The schema of its definition. Undefined: the kind is built in. */
  readonly schema: unknown;
}

/** Members of an object that are no content of its kind, or not the author's to write. */
const SYSTEM: readonly string[] = ["apiVersion", "kind", "metadata", "status"];

/** Makes one object of a kind. */
export function makeContent({ resource, samples, schema }: ContentSource, random: Random): Content {
  const head = { apiVersion: apiVersionOf(resource), kind: resource.kind };
  if (samples.length > 0) {
    const sample = samples[Math.floor(random.next() * samples.length)];
    const { manifest } = withoutServerFields(sample ?? { metadata: {} }, { subresources: [] });
    const { labels, annotations } = manifest.metadata as KubeObject["metadata"];
    const kept = Object.fromEntries(
      Object.entries({ labels, annotations }).filter(([, value]) => value !== undefined),
    );
    return { ...manifest, ...head, metadata: kept as JsonObject };
  }
  const labels = { "app.kubernetes.io/name": wordOf(random), "app.kubernetes.io/instance": nameOf(random) };
  const metadata = { labels };
  if (schema === undefined) return { ...head, metadata, ...builtIn(resource.kind, labels, random) };
  const properties = isObject(schema) && isObject(schema.properties) ? schema.properties : {};
  const stanzas = Object.entries(properties).filter(([key]) => !SYSTEM.includes(key));
  const drawn = stanzas.map(([key, each]): [string, unknown] => [key, drawValue(each, random)]);
  return { ...head, metadata, ...Object.fromEntries(drawn.filter(([, value]) => value !== undefined)) };
}

/** Where the padding of a kind's objects goes. */
export type PaddingPlace = "spec" | "data" | "annotation";

/** The member of a spec that padding goes into. */
export const PADDING = "padding";

/** The annotation that it goes into where neither the spec nor the data has room for it. */
const ANNOTATION = "size.lotse.dev/padding";

/** Returns the object made longer, until its text has about so many bytes. */
export function padded(
  content: Content,
  { bytes, place, random }: { readonly bytes: number; readonly place: PaddingPlace; readonly random: Random },
): Content {
  const missing = bytes - lengthOf(content);
  const entries: JsonObject[] = [];
  for (let made = 0; made < missing;) {
    const entry = container(random);
    entries.push(entry);
    // NB: quotes are escaped in texts.
    made += place === "spec" ? lengthOf(entry) + 1 : lengthOf(JSON.stringify(entry)) + 1;
  }
  if (entries.length === 0) return content;
  if (place === "spec") {
    return { ...content, spec: { ...isObject(content.spec) ? content.spec : {}, [PADDING]: entries } };
  }
  const text = JSON.stringify(entries);
  if (place === "data") {
    const data = isObject(content.data) ? content.data : {};
    return { ...content, data: { ...data, [PADDING]: text.slice(0, missing) } };
  }
  const annotations = isObject(content.metadata.annotations) ? content.metadata.annotations : {};
  return {
    ...content,
    metadata: { ...content.metadata, annotations: { ...annotations, [ANNOTATION]: text.slice(0, missing) } },
  };
}

/** The bytes of a value's text. */
export function lengthOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}

/** Returns the fields that a built-in kind demands, and that most of its objects have. Of other kinds: none. */
function builtIn(kind: string, labels: JsonObject, random: Random): JsonObject {
  const pod = (restartPolicy = "Always"): JsonObject => ({
    containers: [container(random), container(random)],
    restartPolicy,
    serviceAccountName: wordOf(random),
  });
  const template = { metadata: { labels }, spec: pod() };
  const workload = { replicas: 3, selector: { matchLabels: labels }, template };
  switch (kind) {
    case "Pod":
      return { spec: pod() };
    case "Deployment":
    case "ReplicaSet":
      return { spec: workload };
    case "StatefulSet":
      return { spec: { ...workload, serviceName: nameOf(random) } };
    case "DaemonSet":
      return { spec: { selector: workload.selector, template } };
    case "Job":
      return { spec: { template: { spec: pod("Never") } } };
    case "CronJob":
      return { spec: { schedule: "0 3 * * *", jobTemplate: { spec: { template: { spec: pod("Never") } } } } };
    case "Service":
      return { spec: { selector: labels, ports: [{ name: "http", port: 80, targetPort: 8080 }] } };
    case "ConfigMap":
      return { data: { "settings.json": JSON.stringify(container(random), undefined, 2) } };
    default:
      return {};
  }
}

/** A container as a Pod template has it: the image by its digest, some variables, resources. */
function container(random: Random): JsonObject {
  const name = nameOf(random);
  return {
    name,
    image: `registry.example.com/${wordOf(random)}/${name}@sha256:${hex(random, 64)}`,
    env: Array.from({ length: 2 }, () => ({
      name: `${wordOf(random)}_${wordOf(random)}`.toUpperCase(),
      value: `https://${nameOf(random)}.${wordOf(random)}.svc:${1024 + Math.floor(random.next() * 60_000)}/`,
    })),
    resources: {
      requests: {
        cpu: `${1 + Math.floor(random.next() * 900)}m`,
        memory: `${16 + Math.floor(random.next() * 4000)}Mi`,
      },
    },
  };
}

const WORDS =
  "account archive batch billing broker cache catalog checkout cluster customer delivery gateway identity ingest invoice ledger mailer metrics order payment portal pricing profile queue report search session stock storage worker"
    .split(" ");

function wordOf(random: Random): string {
  return WORDS[Math.floor(random.next() * WORDS.length)] ?? "worker";
}

/** A name as controllers make them. */
function nameOf(random: Random): string {
  return `${wordOf(random)}-${hex(random, 10)}`;
}

function hex(random: Random, length: number): string {
  return Array.from({ length }, () => Math.floor(random.next() * 16).toString(16)).join("");
}
