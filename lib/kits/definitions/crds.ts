/** CustomResourceDefinitions: of the kinds that are declared with schemas, and of Kopf's peering kinds. */

import { isEqualJson } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import { hasSchema, type ResourceOptions } from "../../registry/resource.ts";
import type { WebhookClientConfig } from "../../settings/admission_server.ts";
import { toDefinition } from "./definition.ts";

/**
 * Makes the definitions of all kinds that have a schema. `converter` is the way to whoever converts between their versions.
 *
 * @throws {TypeError} If a kind cannot have a definition (see `toDefinition()`), is declared twice in different words, or
 * names collide with the names of another kind of the group.
 */
export function makeCrds(kinds: readonly ResourceOptions[], converter?: WebhookClientConfig): KubeObject[] {
  const crds = new Map<string, KubeObject>();
  for (const kind of kinds.filter(hasSchema)) {
    const crd = toDefinition(kind, converter);
    const name = crd.metadata.name ?? "";
    const before = crds.get(name);
    if (before !== undefined && !isEqualJson(before, crd)) {
      throw new TypeError(
        `Cannot make a definition of "${name}": it is declared twice, and differently (declare it once; further ` +
          `versions go into "versions")`,
      );
    }
    crds.set(name, crd);
  }
  const all = [...crds.values()];
  rejectCollisions(all);
  return all;
}

/** Within a group, the API server takes each name for one kind only. */
function rejectCollisions(crds: readonly KubeObject[]): void {
  const owners = new Map<string, string>();
  for (const crd of crds) {
    const title = crd.metadata.name ?? "";
    for (const [what, name] of takenNames(crd)) {
      const owner = owners.get(`${what}/${name}`);
      if (owner !== undefined && owner !== title) {
        throw new TypeError(
          `Cannot make definitions of both "${owner}" and "${title}": the name "${name}" would mean both of them`,
        );
      }
      owners.set(`${what}/${name}`, title);
    }
  }
}

function takenNames({ spec }: KubeObject): [what: string, name: string][] {
  // Made by toDefinition().
  const { group, names } = spec as { group: string; names: Record<string, string | string[]> };
  const { plural = [], singular = [], shortNames = [], kind = [], listKind = [] } = names;
  return [
    ...[plural, singular, shortNames].flat().map((name): [string, string] => [`${group}/name`, name]),
    ...[kind, listKind].flat().map((name): [string, string] => [`${group}/kind`, name]),
  ];
}

/**
 * Returns Kopf's definitions of peering objects, `kopf.dev/v1`: namespaced and cluster-wide ones.
 *
 * Source: Kopf, docs/peering.
 */
export function peeringCrds(): KubeObject[] {
  const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const define = (scope: "Namespaced" | "Cluster", prefix: string): KubeObject => ({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${prefix.toLowerCase()}kopfpeerings.kopf.dev` },
    spec: {
      group: "kopf.dev",
      scope,
      names: {
        plural: `${prefix.toLowerCase()}kopfpeerings`,
        singular: `${prefix.toLowerCase()}kopfpeering`,
        kind: `${prefix}KopfPeering`,
        listKind: `${prefix}KopfPeeringList`,
      },
      versions: [{
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", properties: { status: open } } },
      }],
    },
  });
  return [define("Cluster", "Cluster"), define("Namespaced", "")];
}
