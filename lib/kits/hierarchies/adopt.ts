/**
 * Owner, name and namespace of an object that is being made.
 *
 * All functions change objects in place before they are sent, and send no request. Source: Kopf, docs/hierarchies; scenarios B310–B324.
 * `own` and `disown` are Kopf's `append_owner_reference` and `remove_owner_reference`.
 */

import {
  addOwnerReference,
  ownerReference,
  type OwnerReferenceOptions,
  removeOwnerReference,
} from "../../model/references.ts";
import { type Child, type Children, eachChild, metadataOf } from "./children.ts";
import { label, type LabelOptions } from "./labels.ts";
import { type Owner, type OwnerOption, resolveOwner, warnHandled } from "./children.ts";

/** Options of {@linkcode own}. */
export interface OwnOptions extends OwnerOption, OwnerReferenceOptions {}

/** Options of {@linkcode harmonizeNaming}. */
export interface NamingOptions extends OwnerOption {
  /** Overwrites a name that is there. Default: false. */
  readonly forced?: boolean;
  /** Takes the name as it is, instead of as the beginning of one that the server completes. Default: false. */
  readonly strict?: boolean;
}

/** Options of {@linkcode adjustNamespace}. */
export interface NamespaceOptions extends OwnerOption {
  /** Overwrites a namespace that is there. Default: false. */
  readonly forced?: boolean;
}

/** Options of {@linkcode adopt}. */
export interface AdoptOptions extends NamingOptions, Pick<LabelOptions, "nested"> {}

/**
 * Makes objects children of the owner, in place: owner reference, name, namespace and labels. Values that are there are kept.
 *
 * The owner is the object that the running handler is about, unless one is given. With it gone, Kubernetes deletes its
 * children.
 *
 * @throws {TypeError} If a child is no object, or if there is no owner.
 * @example
 * ```ts
 * import { operator, resource } from "@lotse/lotse";
 * import { adopt } from "@lotse/lotse/hierarchies";
 *
 * const ConfigMap = resource({ group: "", version: "v1", plural: "configmaps", kind: "ConfigMap" });
 * const op = operator();
 *
 * op.on.create("databases.example.com", async function configure() {
 *   const settings = { data: { tier: "gold" } };
 *   adopt(settings);
 *   await op.api.create(ConfigMap, settings);
 * });
 * ```
 */
export function adopt(children: Children, options: AdoptOptions = {}): void {
  const owner = resolveOwner(options);
  const given = { ...options, owner };
  // Read once: the list may be a generator.
  const all = [...eachChild(children)];
  harmonizeNaming(all, undefined, given);
  adjustNamespace(all, undefined, given);
  own(all, given);
  label(all, undefined, given);
}

/**
 * Adds a reference to the owner to objects, in place, unless they have one to the same uid.
 *
 * @throws {TypeError} If a child is no object, or if there is no owner, or it was never in a cluster.
 */
export function own(children: Children, options: OwnOptions = {}): void {
  const owner = resolveOwner(options);
  const { controller, blockOwnerDeletion } = options;
  for (const child of eachChild(children)) {
    warnIfApart(child, owner);
    // Each child gets a reference of its own, which may be changed later.
    addOwnerReference(child, ownerReference(owner, { controller, blockOwnerDeletion }));
  }
}

/**
 * Removes the reference to the owner from objects, in place; an emptied list goes too.
 *
 * @throws {TypeError} If a child is no object, or if there is no owner.
 */
export function disown(children: Children, options: OwnerOption = {}): void {
  const { uid } = ownerReference(resolveOwner(options));
  for (const child of eachChild(children)) removeOwnerReference(child, { uid });
}

/**
 * Names objects after the owner (or as given), in place: `generateName: "<name>-"`, or with `strict` the name itself.
 * Objects that have a name, or the beginning of one, keep it.
 *
 * @throws {TypeError} If a child is no object, or if no name is given and there is no owner with one.
 */
export function harmonizeNaming(children: Children, name?: string, options: NamingOptions = {}): void {
  const wanted = name ?? resolveOwner(options).metadata?.name;
  if (!wanted) throw new TypeError("Cannot name objects after an owner without a name: pass a name");
  const { forced = false, strict = false } = options;
  for (const child of eachChild(children)) {
    const metadata = metadataOf(child);
    if ((metadata.name || metadata.generateName) && !forced) continue;
    delete metadata.name;
    delete metadata.generateName;
    if (strict) metadata.name = wanted;
    else metadata.generateName = `${wanted}-`;
  }
}

/**
 * Puts objects into the owner's namespace (or the one given), in place. Objects that have one keep it.
 *
 * With an owner that is cluster-scoped and `forced`, they lose it.
 *
 * @throws {TypeError} If a child is no object, or if no namespace is given and there is no owner.
 */
export function adjustNamespace(
  children: Children,
  namespace?: string,
  options: NamespaceOptions = {},
): void {
  const wanted = namespace ?? resolveOwner(options).metadata?.namespace;
  for (const child of eachChild(children)) {
    const metadata = metadataOf(child);
    if (metadata.namespace && options.forced !== true) continue;
    if (wanted) metadata.namespace = wanted;
    else delete metadata.namespace;
  }
}

/** Owners must be in the same namespace, or in none: Kubernetes takes all others for gone, and collects the children. */
function warnIfApart(child: Child, { metadata: owner }: Owner): void {
  const { namespace, name, generateName } = metadataOf(child);
  if (!owner?.namespace || !namespace || owner.namespace === namespace) return;
  warnHandled(
    "An owner in another namespace does not count: Kubernetes will delete the child; use labels instead",
    {
      child: `${namespace}/${name ?? generateName ?? ""}`,
      owner: `${owner.namespace}/${owner.name ?? ""}`,
    },
  );
}
