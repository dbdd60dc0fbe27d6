/** Endpoints. */

import type { KubeObject } from "../../../../model/object.ts";
import { ageOf, listAt, numberAt, row, textAt } from "../cells.ts";
import type { KindModule } from "../kind_module.ts";

export const ENDPOINTS: KindModule = { cells: row(endpointsText, ageOf) };

function endpointsText(endpoints: KubeObject): string {
  const all = listAt(endpoints, "subsets").flatMap((subset) => {
    const addresses = listAt(subset, "addresses").map((address) => textAt(address, "ip"));
    const ports = listAt(subset, "ports").map((port) => numberAt(port, "port"));
    if (ports.length === 0) return addresses;
    return ports.flatMap((port) => addresses.map((ip) => `${ip.includes(":") ? `[${ip}]` : ip}:${port}`));
  });
  if (listAt(endpoints, "subsets").length === 0) return "<none>";
  const shown = all.slice(0, 3).join(",");
  return all.length > 3 ? `${shown} + ${all.length - 3} more...` : shown;
}
