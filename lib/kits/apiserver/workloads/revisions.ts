/**
 * The history of a template: one ControllerRevision for each that was in force, as StatefulSets and DaemonSets keep it.
 *
 * Source: k8s.io/kubernetes, pkg/controller/history.
 */

import { equal } from "../values.ts";
import { controlledBy, controllerReference, hashOf, plain, type PodOwner } from "./pods.ts";
import type { PodTemplate } from "./types.ts";
import type { KubeObject } from "../../../model/object.ts";
import { PLACES, type World } from "./world.ts";

/** The label of Pods that says which revision they are made from. */
export const REVISION_LABEL = "controller-revision-hash";
const HASH_LABEL = "controller.kubernetes.io/hash";

/** Returns the revision of the template, made if there is none, and the newest in any case. */
export async function currentRevision(
  world: World,
  { owner, template }: { readonly owner: PodOwner; readonly template: PodTemplate },
): Promise<KubeObject> {
  const all = revisionsOf(world, owner);
  const data = { spec: { template: { ...template, $patch: "replace" } } };
  const newest = all.at(-1);
  // NB: of several alike the newest counts, or they would overtake each other for ever.
  const found = all.findLast((revision) => equal(revision.data, data));
  const number = Number(newest?.revision ?? 0) + 1;
  if (found !== undefined) {
    if (found !== newest) await world.replace(PLACES.revisions, plain({ ...found, revision: number }));
    return found;
  }
  const { name, namespace, annotations } = owner.object.metadata;
  const hash = hashOf(template);
  return await world.create(PLACES.revisions, {
    apiVersion: "apps/v1",
    kind: "ControllerRevision",
    metadata: {
      name: `${name}-${hash}`,
      namespace,
      labels: { ...template.metadata?.labels, [HASH_LABEL]: hash },
      ...(annotations === undefined ? {} : { annotations }),
      ownerReferences: [controllerReference(owner)],
    },
    data,
    revision: number,
  });
}

/** The template of a revision. */
export function templateOf(revision: KubeObject | undefined): PodTemplate | undefined {
  const data = revision?.data as { spec?: { template?: PodTemplate & { $patch?: string } } } | undefined;
  const template = data?.spec?.template;
  if (template === undefined) return undefined;
  const { $patch: _patch, ...rest } = template;
  return rest;
}

/** All revisions of an owner, the oldest first. */
export function revisionsOf(world: World, { object }: PodOwner): KubeObject[] {
  return controlledBy<KubeObject>(world, PLACES.revisions, object)
    .sort((a, b) => Number(a.revision) - Number(b.revision));
}

/** Drops the oldest revisions that no Pod is made from, but for some to go back to. */
export async function dropRevisions(
  world: World,
  { owner, live, limit }: {
    readonly owner: PodOwner;
    readonly live: ReadonlySet<string | undefined>;
    readonly limit: number;
  },
): Promise<void> {
  const unused = revisionsOf(world, owner).filter(({ metadata }) => !live.has(metadata.name));
  for (const revision of unused.slice(0, Math.max(0, unused.length - limit))) {
    await world.remove(PLACES.revisions, revision);
  }
}
