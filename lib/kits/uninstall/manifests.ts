/**
 * Which operator it is that manifests run: its Deployment, and the traces that this carries in an annotation.
 *
 * Manifests without the annotation, such as hand-written ones, name less: their definitions and roles say of which kinds objects may
 * have marks, and the marks are taken to be Lotse's usual ones.
 */

import type { Client } from "../../client/client.ts";
import { isObject } from "../../model/json.ts";
import { DEPLOYMENTS } from "../../model/kinds.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Selector } from "../../model/selector.ts";
import { DEFAULT_MARKS, parseTraces, type Traces, TRACES_ANNOTATION } from "../../registry/traces.ts";

/** The operator of some manifests. */
export interface InManifests {
  readonly traces: Traces;
  readonly name: string;
  /** Undefined: the manifests leave it to whoever applies them. */
  readonly home: string | undefined;
  /** Whether the marks are guessed, as no annotation names them. */
  readonly isGuess: boolean;
}

/**
 * Finds the operator. @throws {TypeError} If there is no Deployment, or several of which none or more than one is an operator's.
 * @throws {SyntaxError} If the annotation is of another form.
 */
export function operatorIn(manifests: readonly KubeObject[], wanted?: string): InManifests {
  const deployments = manifests.filter(({ kind, metadata: { name } }) =>
    kind === "Deployment" && (wanted === undefined || name === wanted)
  );
  const marked = deployments.filter(({ metadata }) =>
    metadata.annotations?.[TRACES_ANNOTATION] !== undefined
  );
  const candidates = marked.length > 0 ? marked : deployments;
  const [deployment] = candidates;
  if (deployment === undefined) {
    throw new TypeError(
      wanted === undefined
        ? "No Deployment is in the manifests"
        : `No Deployment "${wanted}" is in the manifests`,
    );
  }
  if (candidates.length > 1) {
    const names = candidates.map(({ metadata: { name } }) => `"${name}"`).join(", ");
    throw new TypeError(`Several Deployments are in the manifests: ${names} (choose one with --name)`);
  }
  const { name = "", namespace: home, annotations } = deployment.metadata;
  const text = annotations?.[TRACES_ANNOTATION];
  return text === undefined
    ? { traces: guess(manifests), name, home, isGuess: true }
    : { traces: parseTraces(text), name, home, isGuess: false };
}

/**
 * Finds the operator by its Deployment in a cluster.
 *
 * @throws {ApiError} If it is not there. @throws {TypeError} If it does not carry its traces. @throws {SyntaxError} As above.
 */
export async function operatorInCluster(
  client: Client,
  { name, home }: { readonly name: string; readonly home: string },
): Promise<InManifests> {
  const deployment = await client.get<KubeObject>(DEPLOYMENTS, { namespace: home, name });
  const found = operatorIn([{ ...deployment, kind: "Deployment" }]);
  if (!found.isGuess) return found;
  throw new TypeError(
    `it has no annotation "${TRACES_ANNOTATION}" (give its manifests by -f, or its handler files)`,
  );
}

function guess(manifests: readonly KubeObject[]): Traces {
  const crds = manifests.filter(({ kind }) => kind === "CustomResourceDefinition");
  const definitions = crds.map(({ metadata: { name = "" } }) => name);
  const configurations = manifests.filter(({ kind }) => kind?.endsWith("WebhookConfiguration"));
  const names = new Set([...definitions, ...manifests.flatMap(patchedKinds)]);
  return {
    ...DEFAULT_MARKS,
    kinds: [...names].map(selectorOf),
    configurations: [...new Set(configurations.map(({ metadata: { name = "" } }) => name))],
    converted: definitions.filter((_, index) => isConverted(crds[index])),
    definitions,
    replicas: undefined,
  };
}

/** Groups whose objects an operator writes for its own purposes. */
const MACHINERY: readonly unknown[] = [
  "events.k8s.io",
  "coordination.k8s.io",
  "admissionregistration.k8s.io",
  "apiextensions.k8s.io",
];

/** Returns the kinds that a role lets an operator patch, such as "databases.example.com": patterns name none. */
function patchedKinds({ kind, ...role }: KubeObject): readonly string[] {
  const rules: unknown = role["rules"];
  if ((kind !== "ClusterRole" && kind !== "Role") || !Array.isArray(rules)) return [];
  return rules.filter(isObject).flatMap(({ apiGroups, resources, verbs }) => {
    const [groups, plurals, wanted] = [apiGroups, resources, verbs].map(textsIn);
    if (!wanted?.includes("patch")) return [];
    return (groups ?? []).filter((group) => !MACHINERY.includes(group) && group !== "*").flatMap((group) =>
      (plurals ?? []).filter((plural) => /^[a-z0-9-]+$/.test(plural) && plural !== "events").map((plural) =>
        group === "" ? plural : `${plural}.${group}`
      )
    );
  });
}

function selectorOf(name: string): Selector {
  const dot = name.indexOf(".");
  return dot < 0 ? { plural: name, group: "" } : { plural: name.slice(0, dot), group: name.slice(dot + 1) };
}

function isConverted(crd: KubeObject | undefined): boolean {
  const spec = crd?.["spec"];
  return isObject(spec) && isObject(spec.conversion) && spec.conversion.strategy === "Webhook";
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}
