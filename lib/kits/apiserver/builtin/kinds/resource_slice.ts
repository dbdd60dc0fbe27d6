/** ResourceSlices: taints of devices are dated when they are added. */

import type { JsonObject } from "../../../../model/object.ts";
import { type Cause, invalid, required, tooLong } from "../../causes.ts";
import { timestamp } from "../../formats/timestamp.ts";
import { dnsSubdomainErrors } from "../../names.ts";
import { fill, objectAt, objectsIn } from "../../values.ts";
import { ageOf, row, textCell } from "../cells.ts";
import type { KindContext, KindModule } from "../kind_module.ts";

export function resourceSliceModule({ now }: KindContext): KindModule {
  return {
    complete(slice) {
      for (const { taints } of objectsIn(objectAt(slice, "spec")?.devices)) {
        for (const taint of objectsIn(taints)) fill(taint, { timeAdded: timestamp(now()) });
      }
    },
    causes: ({ spec = {} }) => sliceCauses(spec),
    cells: row(textCell("spec.nodeName"), textCell("spec.driver"), textCell("spec.pool.name"), ageOf),
  };
}

const LONGEST_DRIVER = 63;
const PLACES = ["nodeName", "nodeSelector", "allNodes", "perDeviceNodeSelection"];

function sliceCauses(spec: JsonObject): Cause[] {
  const driver = String(spec.driver ?? "");
  const pool = objectAt(spec, "pool") ?? {};
  const causes = driver === ""
    ? [required("spec.driver")]
    : dnsSubdomainErrors(driver).map((detail) => invalid("spec.driver", { value: driver, detail }));
  if (driver.length > LONGEST_DRIVER) causes.push(tooLong("spec.driver", LONGEST_DRIVER));
  if ((pool.name ?? "") === "") causes.push(required("spec.pool.name"));
  if (Number(pool.resourceSliceCount ?? 0) <= 0) {
    const detail = "must be greater than zero";
    causes.push(invalid("spec.pool.resourceSliceCount", { value: pool.resourceSliceCount ?? 0, detail }));
  }
  const places = PLACES.filter((place) => spec[place] !== undefined && spec[place] !== false);
  const detail = `exactly one of ${PLACES.map((place) => `\`${place}\``).join(", ")} is required`;
  if (places.length === 0) causes.push(required("spec", detail));
  if (places.length > 1) {
    const value = `{${places.map((place) => `\`${place}\``).join(", ")}}`;
    causes.push(invalid("spec", { value, detail: `${detail}, but multiple fields are set` }));
  }
  return causes;
}
