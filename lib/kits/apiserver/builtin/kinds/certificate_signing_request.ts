/** CertificateSigningRequests. */

import type { KubeObject } from "../../../../model/object.ts";
import { humanDuration } from "../../formats/human_duration.ts";
import { ageOf, at, conditionOf, row, textAt, textCell } from "../cells.ts";
import type { KindModule } from "../kind_module.ts";

export const CERTIFICATE_SIGNING_REQUEST: KindModule = {
  status: {},
  namesRequester: true,
  cells: row(
    ageOf,
    textCell("spec.signerName"),
    textCell("spec.username"),
    (object) => {
      const seconds = at(object, "spec", "expirationSeconds");
      return typeof seconds === "number" ? humanDuration(seconds * 1000) : "<none>";
    },
    requestState,
  ),
};

function requestState(request: KubeObject): string {
  const has = (type: string) => conditionOf(request, type) !== undefined;
  const failed = has("Failed") ? ",Failed" : "";
  const issued = textAt(request, "status", "certificate") === "" ? "" : ",Issued";
  return (has("Denied") ? "Denied" : has("Approved") ? "Approved" : "Pending") + failed + issued;
}
