/**
 * The resources that a Pod asks for, or is limited to, as a whole.
 *
 * Containers run at once, and so do the sidecars among the init containers; the other init containers run one after the
 * other before that, beside the sidecars that were started by then. Source: k8s.io/component-helpers, resource/helpers.go.
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import { objectAt, objectsIn } from "../values.ts";
import { addAmounts, type Amounts, largerAmounts, NOTHING, pickAmounts, readAmounts } from "./amounts.ts";

/** Resources that a Pod can name for all its containers together. */
const OF_PODS = ["cpu", "memory"];

/** Returns the requests or limits of a Pod. */
export function podAmounts(pod: KubeObject, which: "requests" | "limits"): Amounts {
  const spec = pod.spec ?? {};
  const of = (container: JsonObject) => readAmounts(objectAt(objectAt(container, "resources"), which));
  let together = NOTHING;
  for (const container of objectsIn(spec.containers)) together = addAmounts(together, of(container));
  let [sidecars, before] = [NOTHING, NOTHING];
  for (const container of objectsIn(spec.initContainers)) {
    const own = of(container);
    if (container.restartPolicy === "Always") {
      together = addAmounts(together, own);
      sidecars = addAmounts(sidecars, own);
      before = largerAmounts(before, sidecars);
    } else {
      before = largerAmounts(before, addAmounts(own, sidecars));
    }
  }
  const whole = new Map(largerAmounts(together, before));
  for (const [name, quantity] of readAmounts(objectAt(objectAt(spec, "resources"), which))) {
    if (OF_PODS.includes(name)) whole.set(name, quantity);
  }
  return whole;
}

/** Returns the same with the Pod's overhead. */
export function podAmountsWithOverhead(pod: KubeObject, which: "requests" | "limits"): Amounts {
  const overhead = readAmounts(objectAt(pod.spec, "overhead"));
  const amounts = podAmounts(pod, which);
  if (which === "requests") return addAmounts(amounts, overhead);
  // NB: a resource without a limit has none with the overhead, either.
  return addAmounts(amounts, pickAmounts(overhead, (name) => (amounts.get(name)?.value ?? 0n) !== 0n));
}
