/**
 * The kinds to copy, each in one version: kinds that the API server in the process has, and custom ones.
 */

import { isObject } from "../../../model/json.ts";
import type { JsonObject, KubeObject } from "../../../model/object.ts";
import { apiVersionOf, groupResource, type Resource } from "../../../model/resource.ts";
import { virtualHost } from "../../../runtime/virtual/host.ts";
import { apiServer } from "../../apiserver/mod.ts";
import { Administrator } from "../administrator.ts";

/** Kinds that change all the time, without consequence: their objects are not copied. */
const PASSING = [
  "events",
  "events.events.k8s.io",
  "leases.coordination.k8s.io",
  "endpoints",
  "endpointslices.discovery.k8s.io",
  "componentstatuses",
];

/** The kinds to copy. */
export interface ChosenKinds {
  readonly kinds: readonly Resource[];
  /** Kinds that there is no server for, by names such as "pods.metrics.k8s.io". */
  readonly foreign: readonly string[];
}

/** Chooses among the kinds that a server serves. @param definitions The definitions of its custom kinds, as far as they are known. */
export async function chooseKinds(
  served: readonly Resource[],
  definitions: readonly KubeObject[] = [],
): Promise<ChosenKinds> {
  const builtIn = new Set((await builtInKinds()).map(versioned));
  const stored = new Map(definitions.map((each) => [each.metadata.name ?? "", storageVersion(each)]));
  const kinds = new Map<string, Resource>();
  const foreign = new Set<string>();
  for (const kind of served) {
    const name = groupResource(kind);
    if (PASSING.includes(name) || !kind.verbs.includes("list") || kind.plural.includes("/")) continue;
    const isKnown = stored.has(name) ? stored.get(name) === kind.version : builtIn.has(versioned(kind));
    if (!isKnown) foreign.add(name);
    else if (!kinds.has(name) || kind.preferred) kinds.set(name, kind);
  }
  return {
    kinds: [...kinds.values()],
    foreign: [...foreign].filter((name) => !kinds.has(name) && !stored.has(name)),
  };
}

function versioned(kind: Resource): string {
  return `${apiVersionOf(kind)}/${kind.plural}`;
}

async function builtInKinds(): Promise<readonly Resource[]> {
  const host = virtualHost();
  const server = apiServer({ host });
  using admin = new Administrator({ host, fetch: (request) => server.fetch(request) });
  return await admin.client.discovery.all();
}

function versionsOf({ spec }: KubeObject): JsonObject[] {
  return Array.isArray(spec?.versions) ? spec.versions.filter(isObject) : [];
}

/** The version in which objects are stored, or the first one that is served, if that one is not. */
function storageVersion(definition: KubeObject): unknown {
  const versions = versionsOf(definition);
  const stored = versions.find(({ storage }) => storage === true);
  return (stored?.served === true ? stored : versions.find(({ served }) => served === true))?.name;
}

/** Returns a definition whose versions are not converted by a webhook; itself if none converts. */
export function withoutConversion(definition: KubeObject): KubeObject {
  const { spec } = definition;
  if (!isObject(spec?.conversion) || spec.conversion.strategy !== "Webhook") return definition;
  return { ...definition, spec: { ...spec, conversion: { strategy: "None" } } };
}

/** Makes definitions of the custom kinds that a server serves, without schemas. */
export function definitionsFor(served: readonly Resource[], known: readonly KubeObject[]): KubeObject[] {
  const names = new Set(known.map(({ metadata }) => metadata.name));
  const custom = served.filter((kind) =>
    kind.group.includes(".") && !kind.group.endsWith(".k8s.io") && kind.preferred &&
    kind.verbs.includes("list") &&
    !names.has(groupResource(kind))
  );
  return custom.map(definitionOf);
}

function definitionOf(kind: Resource): KubeObject {
  const { group, version, plural, singular, shortcuts, categories, namespaced, subresources } = kind;
  const names = {
    plural,
    singular,
    kind: kind.kind,
    listKind: `${kind.kind}List`,
    shortNames: shortcuts,
    categories,
  };
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  const parts = subresources.includes("status") ? { subresources: { status: {} } } : {};
  const met = { status: "True", reason: "Copied", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: groupResource(kind), uid: `definition-${groupResource(kind)}`, resourceVersion: "1" },
    spec: {
      group,
      names,
      scope: namespaced ? "Namespaced" : "Cluster",
      conversion: { strategy: "None" },
      versions: [{ name: version, served: true, storage: true, schema, ...parts }],
    },
    status: {
      acceptedNames: names,
      storedVersions: [version],
      conditions: [{ type: "NamesAccepted", ...met }, { type: "Established", ...met }],
    },
  };
}
