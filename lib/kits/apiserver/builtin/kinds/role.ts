/**
 * Defaults and refusals of Kubernetes for roles and bindings.
 *
 * Source: k8s.io/kubernetes, pkg/apis/rbac/{v1/defaults.go,validation}.
 */

import type { JsonObject, KubeObject } from "../../../../model/object.ts";
import { type Cause, invalid, notSupported, required } from "../../causes.ts";
import type { Change, KindRules } from "../../kinds.ts";
import { dnsSubdomainErrors } from "../../names.ts";
import { equal, getOwn, isObject, objectAt, objectsIn } from "../../values.ts";
import { ageOf, listAt, row, textAt } from "../cells.ts";

const GROUP = "rbac.authorization.k8s.io";

/** Returns the rules of Role, ClusterRole, RoleBinding or ClusterRoleBinding. */
export function roleRules(kind: string): KindRules {
  const isBinding = kind.endsWith("Binding");
  return {
    normalize(object) {
      const reference = objectAt(object, "roleRef");
      // NB: an empty group gets the default, too.
      if (reference?.apiGroup === "") delete reference.apiGroup;
      for (const subject of objectsIn(object.subjects)) {
        const hasGroup = subject.kind === "User" || subject.kind === "Group";
        if (hasGroup && !subject.apiGroup) subject.apiGroup = GROUP;
      }
      return [];
    },
    validate: (object, change) => isBinding ? bindingCauses(kind, object, change) : ruleCauses(kind, object),
    ...(isBinding ? { cells: BINDING_CELLS } : {}),
  };
}

const BINDING_CELLS = row(
  (object) => `${textAt(object, "roleRef", "kind")}/${textAt(object, "roleRef", "name")}`,
  ageOf,
  ...["User", "Group", "ServiceAccount"].map((kind) => (object: KubeObject) => subjects(object, kind)),
);

function subjects(binding: KubeObject, kind: string): string {
  return listAt(binding, "subjects")
    .filter((subject) => textAt(subject, "kind") === kind)
    .map((subject) => {
      const name = textAt(subject, "name");
      return kind === "ServiceAccount" ? `${textAt(subject, "namespace")}/${name}` : name;
    })
    .join(", ");
}

function ruleCauses(kind: string, role: KubeObject): Cause[] {
  const causes = objectsIn(role.rules).flatMap((rule, index) => {
    const at = `rules[${index}]`;
    const size = (key: string) => Array.isArray(rule[key]) ? rule[key].length : 0;
    const found: Cause[] = [];
    if (size("verbs") === 0) found.push(required(`${at}.verbs`, "verbs must contain at least one value"));
    if (size("nonResourceURLs") > 0) {
      const refuse = (detail: string) =>
        found.push(invalid(`${at}.nonResourceURLs`, { value: rule.nonResourceURLs, detail }));
      if (kind === "Role") refuse("namespaced rules cannot apply to non-resource URLs");
      if (size("apiGroups") + size("resources") + size("resourceNames") > 0) {
        refuse("rules cannot apply to both regular resources and non-resource URLs");
      }
      return found;
    }
    if (size("apiGroups") === 0) {
      found.push(required(`${at}.apiGroups`, "resource rules must supply at least one api group"));
    }
    if (size("resources") === 0) {
      found.push(required(`${at}.resources`, "resource rules must supply at least one resource"));
    }
    return found;
  });
  const aggregation = objectAt(role, "aggregationRule");
  if (aggregation === undefined || objectsIn(aggregation.clusterRoleSelectors).length > 0) return causes;
  const detail = "at least one clusterRoleSelector required if aggregationRule is non-nil";
  return [...causes, required("aggregationRule.clusterRoleSelectors", detail)];
}

function bindingCauses(kind: string, binding: KubeObject, { old }: Change): Cause[] {
  const reference = objectAt(binding, "roleRef") ?? {};
  const kinds = kind === "RoleBinding" ? ["Role", "ClusterRole"] : ["ClusterRole"];
  const causes: Cause[] = [];
  const group = getOwn(reference, "apiGroup") ?? "";
  if (group !== GROUP) causes.push(notSupported("roleRef.apiGroup", { value: group, supported: [GROUP] }));
  const referred = getOwn(reference, "kind") ?? "";
  if (!kinds.includes(String(referred))) {
    causes.push(notSupported("roleRef.kind", { value: referred, supported: kinds }));
  }
  const name = String(getOwn(reference, "name") ?? "");
  if (name === "") causes.push(required("roleRef.name"));
  for (const char of ["/", "%"].filter((char) => name.includes(char))) {
    causes.push(invalid("roleRef.name", { value: name, detail: `may not contain '${char}'` }));
  }
  causes.push(
    ...objectsIn(binding.subjects).flatMap((subject, index) =>
      subjectCauses(subject, { at: `subjects[${index}]`, isNamespaced: kind === "RoleBinding" })
    ),
  );
  if (old === undefined || !isObject(old.roleRef) || equal(old.roleRef, binding.roleRef)) return causes;
  return [
    ...causes,
    invalid("roleRef", { value: new PrintedReference(reference), detail: "cannot change roleRef" }),
  ];
}

/** A reference as Kubernetes prints it: in the order of its Go fields. */
class PrintedReference {
  readonly #reference: JsonObject;

  constructor(reference: JsonObject) {
    this.#reference = reference;
  }

  print(): string {
    const { apiGroup = "", kind = "", name = "" } = this.#reference;
    return JSON.stringify({ APIGroup: apiGroup, Kind: kind, Name: name });
  }
}

const SUBJECTS = ["ServiceAccount", "User", "Group"];

function subjectCauses(
  { kind = "", name = "", namespace = "", apiGroup = "" }: JsonObject,
  { at, isNamespaced }: { readonly at: string; readonly isNamespaced: boolean },
): Cause[] {
  const causes = name === "" ? [required(`${at}.name`)] : [];
  if (!SUBJECTS.includes(String(kind))) {
    return [...causes, notSupported(`${at}.kind`, { value: kind, supported: SUBJECTS })];
  }
  const wanted = kind === "ServiceAccount" ? "" : GROUP;
  if (kind === "ServiceAccount" && name !== "") {
    for (const detail of dnsSubdomainErrors(String(name))) {
      causes.push(invalid(`${at}.name`, { value: name, detail }));
    }
  }
  if (apiGroup !== wanted) {
    causes.push(notSupported(`${at}.apiGroup`, { value: apiGroup, supported: [wanted] }));
  }
  if (kind === "ServiceAccount" && namespace === "" && !isNamespaced) {
    causes.push(required(`${at}.namespace`));
  }
  return causes;
}
