/** NetworkPolicies. Source: k8s.io/kubernetes, pkg/apis/networking/validation. */

import type { JsonObject } from "../../../../model/object.ts";
import { type Cause, forbidden, invalid, required } from "../../causes.ts";
import { readAddress } from "../../formats/ip_address.ts";
import { selectorCauses } from "../../labels.ts";
import { portNameErrors } from "../../names.ts";
import { objectAt, objectsIn } from "../../values.ts";
import { ageOf, row, selectorCell } from "../cells.ts";
import type { KindModule } from "../kind_module.ts";
import { choiceCauses, portCauses } from "../value_checks.ts";

export const NETWORK_POLICY: KindModule = {
  causes: ({ spec = {} }) => networkPolicyCauses(spec),
  cells: row(selectorCell("spec.podSelector"), ageOf),
};

/** Returns the faults of a NetworkPolicy. */
function networkPolicyCauses(spec: JsonObject): Cause[] {
  const causes = selectorCauses(spec.podSelector, "spec.podSelector");
  for (const [direction, peers] of [["ingress", "from"], ["egress", "to"]] as const) {
    for (const [index, rule] of objectsIn(spec[direction]).entries()) {
      const path = `spec.${direction}[${index}]`;
      for (const [i, port] of objectsIn(rule.ports).entries()) {
        causes.push(...policyPortCauses(port, `${path}.ports[${i}]`));
      }
      for (const [i, peer] of objectsIn(rule[peers]).entries()) {
        causes.push(...peerCauses(peer, `${path}.${peers}[${i}]`));
      }
    }
  }
  const types = Array.isArray(spec.policyTypes) ? spec.policyTypes : [];
  if (types.length > 2) {
    const detail = "may not specify more than two policyTypes";
    return [...causes, invalid("spec.policyTypes", { value: types, detail })];
  }
  const supported = ["Ingress", "Egress"];
  return [...causes, ...types.flatMap((type, i) => choiceCauses(type, `spec.policyTypes[${i}]`, supported))];
}

function policyPortCauses({ protocol, port, endPort: value }: JsonObject, path: string): Cause[] {
  const causes = choiceCauses(protocol, `${path}.protocol`, ["TCP", "UDP", "SCTP"]);
  const endCauses = (detail: string) =>
    value === undefined ? [] : [invalid(`${path}.endPort`, { value, detail })];
  if (typeof port === "string") {
    return [
      ...causes,
      ...endCauses("may not be specified when `port` is non-numeric"),
      ...portNameErrors(port).map((detail) => invalid(`${path}.port`, { value: port, detail })),
    ];
  }
  if (port === undefined) {
    return [...causes, ...endCauses("may not be specified when `port` is not specified")];
  }
  causes.push(...portCauses(port, `${path}.port`));
  if (value === undefined) return causes;
  if (Number(value) < Number(port)) {
    causes.push(
      invalid(`${path}.endPort`, { value: port, detail: "must be greater than or equal to `port`" }),
    );
  }
  return [...causes, ...portCauses(value, `${path}.endPort`)];
}

function peerCauses(peer: JsonObject, path: string): Cause[] {
  const block = objectAt(peer, "ipBlock");
  const selectors = [objectAt(peer, "podSelector"), objectAt(peer, "namespaceSelector")];
  const count = selectors.filter((each) => each !== undefined).length;
  const selected = ["podSelector", "namespaceSelector"].flatMap((field) =>
    selectorCauses(peer[field], `${path}.${field}`)
  );
  if (block === undefined) return count === 0 ? [required(path, "must specify a peer")] : selected;
  const { cidr = "" } = block;
  const field = `${path}.ipBlock.cidr`;
  const detail = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";
  const wrong = cidr === ""
    ? [required(field)]
    : isNetwork(String(cidr))
    ? []
    : [invalid(field, { value: cidr, detail })];
  const causes = [...selected, ...wrong];
  return count === 0 ? causes : [...causes, forbidden(path, "may not specify both ipBlock and another peer")];
}

function isNetwork(cidr: string): boolean {
  const [, address = "", length = ""] = /^([^/]+)\/(\d{1,3})$/.exec(cidr) ?? [];
  const most = address.includes(":") ? 128 : 32;
  return readAddress(address) !== undefined && Number(length) <= most;
}
