/** Namespaces: the label with their name, the finalizer that clears them, and the ones that stay. */

import { objectAt } from "../../values.ts";
import { ageOf, row, textCell } from "../cells.ts";
import type { KindModule } from "../kind_module.ts";

/** The namespaces that cannot be deleted. */
const IMMORTAL: readonly string[] = ["default", "kube-public", "kube-system"];

export const NAMESPACE: KindModule = {
  status: { phase: "Active" },
  cells: row(textCell("status.phase"), ageOf),
  complete({ metadata }) {
    metadata.labels = { ...metadata.labels, "kubernetes.io/metadata.name": metadata.name ?? "" };
  },
  settle(object, old) {
    if (old === undefined) object.spec = { ...object.spec, finalizers: ["kubernetes"] };
  },
  terminate(object) {
    delete object.metadata.deletionGracePeriodSeconds;
    object.status = { ...object.status, phase: "Terminating" };
  },
  holds(object) {
    const finalizers = objectAt(object, "spec")?.finalizers;
    return Array.isArray(finalizers) && finalizers.length > 0;
  },
  isImmortal: (name) => IMMORTAL.includes(name) ? "this namespace may not be deleted" : undefined,
};
