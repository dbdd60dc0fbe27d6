/**
 * Which objects the children are on the server: their kinds, names and namespaces, and the marks by which they are found again.
 */

import type { AppliedObject } from "../../client/apply.ts";
import type { Discovery } from "../../client/discovery.ts";
import { isSecret, withData, withoutServerFields } from "../../client/manifest.ts";
import type { KubeObject } from "../../model/object.ts";
import { ownerReference } from "../../model/references.ts";
import { apiVersionOf, groupResource, type Resource } from "../../model/resource.ts";
import { findKind, findKindOf } from "../../registry/find_kind.ts";
import { longestName } from "./names.ts";
import { misuse, nameAfter, type Planned } from "./plan.ts";

/** Labels of children: the uid of their owner, their set, their name in it. */
export const OWNER = "lotse.dev/owner";
export const SET = "lotse.dev/children";
export const CHILD = "lotse.dev/child";

/** Annotation of children: how many levels of others must be ready before. */
export const STAGE = "lotse.dev/stage";

/** A child with its kind and its address. */
export interface Wanted extends Planned {
  readonly resource: Resource;
  readonly object: AppliedObject;
  /** Which object it is, whatever the version of its kind. */
  readonly id: string;
  /** The same by the name that earlier releases have made up; undefined: it has none, or the same one. */
  readonly former: Pick<Wanted, "object" | "id"> | undefined;
  /** The fields of the manifest that were left out, as the server owns them. */
  readonly dropped: readonly string[];
}

export interface LocateOptions {
  readonly discovery: Discovery;
  readonly owner: KubeObject;
  readonly set: string;
}

/** The children that were found, and the ones whose kinds cannot be found. */
export interface Located {
  readonly wanted: readonly Wanted[];
  readonly lost: readonly (Pick<Planned, "key" | "name"> & { readonly error: unknown })[];
}

/** Finds the kinds, and completes the manifests. @throws {TypeError} If a child cannot be the owner's, or two are the same. */
export async function locateChildren(
  planned: readonly Planned[],
  options: LocateOptions,
): Promise<Located> {
  const lost: { key: string; name: string; error: unknown }[] = [];
  const found = await Promise.all(planned.map(async (each) => {
    const { key, name } = each;
    try {
      return { each, resource: await findResource(each, options) };
    } catch (error) {
      lost.push({ key, name, error });
      return undefined;
    }
  }));
  const wanted = found.flatMap((one) => one === undefined ? [] : [locate(one.each, one.resource, options)]);
  refuseNamesakes(wanted);
  return { wanted, lost };
}

/**
 * Refuses an object that has the name of a child, and was not made as one: an object of others would go with the owner.
 *
 * @throws {Error} If it is neither the owner's, nor left behind by such an owner, nor to be taken over.
 */
export function refuseForeign({ metadata }: KubeObject, wanted: Wanted, owner: KubeObject): void {
  const { ownerReferences = [], labels = {} } = metadata;
  const { key, adopt, object } = wanted;
  const isOwn = ownerReferences.some(({ uid }) => uid === owner.metadata.uid);
  const isOrphan = labels[SET] === object.metadata.labels?.[SET] && labels[CHILD] === key;
  if (isOwn || isOrphan || adopt) return;
  throw new Error(
    "it is there already, and was not made as this child: give the child another name (metadata.name), or take the " +
      "object over with adopt: true",
  );
}

/** Which object it is, whatever the version of its kind. */
export function idOf(resource: Resource, { metadata }: Pick<KubeObject, "metadata">): string {
  return `${groupResource(resource)} ${resource.namespaced ? metadata.namespace : ""}/${metadata.name}`;
}

/** Returns the children by the names that they have: one that is there under its former name keeps it. */
export function withNamesKept(
  wanted: readonly Wanted[],
  isThere: (id: string) => boolean,
): readonly Wanted[] {
  return wanted.map((each) => {
    const { former } = each;
    return former !== undefined && isThere(former.id) ? { ...each, ...former } : each;
  });
}

async function findResource({ kind, manifest }: Planned, { discovery }: LocateOptions): Promise<Resource> {
  return kind === undefined ? await findKindOf(discovery, manifest) : await findKind(discovery, kind);
}

function locate(planned: Planned, resource: Resource, { owner, set }: LocateOptions): Wanted {
  const { key, stage } = planned;
  const { manifest: own, dropped } = withoutServerFields(planned.manifest, resource);
  const manifest = isSecret(resource) ? withData(own) : own;
  const { metadata = {} } = manifest;
  const namespace = namespaceOf(planned, { resource, owner });
  const { name = nameAfter(owner, key, longestName(resource, manifest)) } = metadata;
  const labels = { ...metadata.labels, [OWNER]: owner.metadata.uid ?? "", [SET]: set, [CHILD]: key };
  const annotations = { ...metadata.annotations, [STAGE]: `${stage}` };
  const ownerReferences = [...metadata.ownerReferences ?? [], ownerReference(owner)];
  const object: AppliedObject = {
    ...manifest,
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    metadata: { ...metadata, name, namespace, labels, annotations, ownerReferences },
  };
  const formerName = metadata.name ?? nameAfter(owner, key);
  const formerObject = { ...object, metadata: { ...object.metadata, name: formerName } };
  const former = formerName === name ? undefined : { object: formerObject, id: idOf(resource, formerObject) };
  return { ...planned, resource, object, id: idOf(resource, object), former, dropped };
}

/** Source: Kubernetes, docs/concepts/overview/working-with-objects/owners-dependents. */
function namespaceOf(
  { key, manifest }: Planned,
  { resource: { namespaced, kind }, owner }: { readonly resource: Resource; readonly owner: KubeObject },
): string | undefined {
  const { namespace } = owner.metadata;
  const wanted = manifest.metadata?.namespace;
  const title = `Cannot bring about child "${key}" (${kind})`;
  if (!namespaced) {
    if (namespace === undefined) return undefined;
    throw misuse(
      `${title}: an owner in a namespace cannot own what is in none, as Kubernetes would never delete it; apply it by op.api`,
    );
  }
  if (namespace === undefined && wanted === undefined) {
    throw misuse(`${title}: its owner has no namespace, so that it needs one of its own`);
  }
  if (namespace !== undefined && wanted !== undefined && wanted !== namespace) {
    throw misuse(
      `${title} in namespace "${wanted}": its owner is in "${namespace}", and owners reach no other namespace`,
    );
  }
  return wanted ?? namespace;
}

function refuseNamesakes(wanted: readonly Wanted[]): void {
  const seen = new Map<string, Wanted>();
  for (const each of wanted) {
    const other = seen.get(each.id);
    if (other !== undefined) {
      throw misuse(
        `Cannot bring about children "${other.key}" and "${each.key}": both are ${each.resource.kind} ` +
          `"${each.object.metadata.name}"`,
      );
    }
    seen.set(each.id, each);
  }
}
