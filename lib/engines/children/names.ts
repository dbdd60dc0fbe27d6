/**
 * How long names of children may be: some kinds make longer names and labels of theirs, which have to fit as well.
 *
 * | kind | longest name | since |
 * |---|---|---|
 * | CronJob | 52 | its Jobs have eleven characters more |
 * | StatefulSet | 52 | its Pods have the name of the revision for a label: "-" and up to ten digits more |
 * | Job by index | 63 without "-" and the highest index | the host names of its Pods |
 * | any other | 63 | names of Services, and names that become labels |
 *
 * Source: Kubernetes, `pkg/apis/batch/validation`; Kubernetes, `pkg/controller/history`, ControllerRevisionName;
 * https://github.com/kubernetes/kubernetes/issues/64023.
 */

import { getField } from "../../model/fields.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Resource } from "../../model/resource.ts";

/** As long as names of most kinds may be. */
export const LONGEST_NAME = 63;

/** The longest value of a label. */
const LONGEST_LABEL = 63;

/** "-" and the suffix of Kubernetes. */
const LONGEST_SUFFIX = 11;

type Kind = Pick<Resource, "group" | "plural">;

/** Returns how long the name of an object may be. */
export function longestName(kind: Kind, manifest: object): number {
  if (isKind(kind, "cronjobs", "batch") || isStatefulSet(kind)) return LONGEST_NAME - LONGEST_SUFFIX;
  if (!isKind(kind, "jobs", "batch")) return LONGEST_NAME;
  const mode = getField(manifest, ["spec", "completionMode"]);
  const completions = Number(getField(manifest, ["spec", "completions"]) ?? 1);
  if (mode !== "Indexed" || !(completions > 0)) return LONGEST_NAME;
  return LONGEST_NAME - `-${completions - 1}`.length;
}

/**
 * Returns why no Pods can come of a StatefulSet with that name; undefined for all else.
 *
 * @param live Undefined: it is not there yet. Of one that is there, the revision tells: it may be shorter.
 */
export function podlessReason(kind: Kind, name: string, live: KubeObject | undefined): string | undefined {
  if (!isStatefulSet(kind) || name.length <= LONGEST_NAME - LONGEST_SUFFIX) return undefined;
  const revision = live === undefined ? `${name}-0123456789` : getField(live, ["status", "updateRevision"]);
  if (typeof revision !== "string" || revision.length <= LONGEST_LABEL) return undefined;
  return `its name has ${name.length} characters, so that its Pods cannot come: their label "controller-revision-hash" ` +
    `would have more than ${LONGEST_LABEL}; give it a name of at most ${
      LONGEST_NAME - LONGEST_SUFFIX
    } (metadata.name)`;
}

function isStatefulSet(kind: Kind): boolean {
  return isKind(kind, "statefulsets", "apps");
}

function isKind(kind: Kind, plural: string, group: string): boolean {
  return kind.group === group && kind.plural === plural;
}
