/** EndpointSlices. */

import type { KubeObject } from "../../../../model/object.ts";
import { type Cause, invalid, required } from "../../causes.ts";
import { ipErrors } from "../../formats/ip_address.ts";
import { objectsIn } from "../../values.ts";
import { ageOf, at, listAt, row, textCell } from "../cells.ts";
import type { KindModule } from "../kind_module.ts";
import { choiceCauses } from "../value_checks.ts";

export const ENDPOINT_SLICE: KindModule = {
  causes: sliceCauses,
  cells: row(
    textCell("addressType"),
    (object) => fewOf(listAt(object, "ports").map((port) => at(port, "port") ?? at(port, "name") ?? "*")),
    (object) => fewOf(listAt(object, "endpoints").flatMap((one) => listAt(one, "addresses"))),
    ageOf,
  ),
};

/** Returns the faults of an EndpointSlice. */
function sliceCauses({ addressType, endpoints }: KubeObject): Cause[] {
  const supported = ["FQDN", "IPv4", "IPv6"];
  if (addressType === undefined || addressType === "") return [required("addressType")];
  const causes = choiceCauses(addressType, "addressType", supported);
  if (causes.length > 0 || addressType === "FQDN") return causes;
  return objectsIn(endpoints).flatMap(({ addresses }, index) =>
    (Array.isArray(addresses) ? addresses : []).flatMap((value, i) =>
      addressCauses(value, { type: String(addressType), path: `endpoints[${index}].addresses`, index: i })
    )
  );
}

function addressCauses(
  value: unknown,
  { type, path, index }: { readonly type: string; readonly path: string; readonly index: number },
): Cause[] {
  const errors = ipErrors(String(value));
  if (errors.length > 0) return errors.map((detail) => invalid(`${path}[${index}]`, { value, detail }));
  const isOther = String(value).includes(":") !== (type === "IPv6");
  return isOther ? [invalid(path, { value, detail: `must be an ${type} address` })] : [];
}

/** Up to three, and how many more there are. */
function fewOf(all: readonly unknown[]): string {
  const shown = all.slice(0, 3).map(String).join(",");
  return all.length > 3 ? `${shown} + ${all.length - 3} more...` : shown || "<unset>";
}
