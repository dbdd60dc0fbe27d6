/**
 * `@lotse/lotse/hierarchies`: owner references, labels, names and namespaces of objects that an operator makes.
 *
 * @module
 */

export type { Child, ChildMeta, Children, Owner, OwnerOption } from "../kits/hierarchies/children.ts";
export { label, type LabelOptions, type NestedPath } from "../kits/hierarchies/labels.ts";
export {
  adjustNamespace,
  adopt,
  type AdoptOptions,
  disown,
  harmonizeNaming,
  type NamespaceOptions,
  type NamingOptions,
  own,
  type OwnOptions,
} from "../kits/hierarchies/adopt.ts";
export {
  addOwnerReference,
  type ObjectReference,
  objectReference,
  ownerReference,
  type OwnerReferenceOptions,
  type Referable,
  removeOwnerReference,
} from "../model/references.ts";
