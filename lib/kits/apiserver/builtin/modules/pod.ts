/** Pods: their priority, tolerations, service account and topology, and the time that they have to end. */

import type { KubeObject } from "../../../../model/object.ts";
import { fill } from "../../values.ts";
import { tolerate } from "../defaults.ts";
import type { KindContext, KindModule } from "../kind_module.ts";
import { newPodCauses } from "../pod_checks.ts";
import { copyTopology, NODES } from "../pod_topology.ts";
import { PRIORITY_CLASSES, setPriority } from "../priority_classes.ts";

export function podModule({ store, runsPods }: KindContext): KindModule {
  return {
    admit(object, old) {
      setPriority(object, old, store.collection(PRIORITY_CLASSES));
      tolerate(object);
      if (runsPods && object.spec !== undefined) {
        fill(object.spec, { serviceAccountName: "default", serviceAccount: "default" });
      }
      if (old === undefined) {
        copyTopology(object.metadata, object.spec?.nodeName, store.collection(NODES));
      }
    },
    causes: ({ spec = {} }, { old }) => old === undefined ? newPodCauses(spec) : [],
    gracePeriod: podGracePeriod,
    keptWithStatus: ["deletionTimestamp"],
  };
}

/** Pods that nobody runs need no time to end. Source: k8s.io/kubernetes, pkg/registry/core/pod/strategy.go. */
function podGracePeriod({ spec, status }: KubeObject, asked: number | undefined): number {
  const isOver = status?.phase === "Failed" || status?.phase === "Succeeded";
  if (isOver || spec?.nodeName === undefined || spec.nodeName === "") return 0;
  const seconds = asked ?? Number(spec.terminationGracePeriodSeconds ?? 0);
  return seconds < 0 ? 1 : seconds;
}
