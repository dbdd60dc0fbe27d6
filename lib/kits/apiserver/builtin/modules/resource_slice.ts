/** ResourceSlices: taints of devices are dated when they are added. */

import { timestamp } from "../../formats/timestamp.ts";
import { fill, objectAt, objectsIn } from "../../values.ts";
import type { KindContext, KindModule } from "../kind_module.ts";

export function resourceSliceModule({ now }: KindContext): KindModule {
  return {
    complete(slice) {
      for (
        const taint of objectsIn(objectAt(slice, "spec")?.devices).flatMap(({ taints }) => objectsIn(taints))
      ) {
        fill(taint, { timeAdded: timestamp(now()) });
      }
    },
  };
}
