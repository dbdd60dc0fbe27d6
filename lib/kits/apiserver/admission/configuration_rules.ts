/**
 * Defaults and refusals of Kubernetes for Validating- and MutatingWebhookConfigurations.
 *
 * Source: k8s.io/kubernetes, pkg/apis/admissionregistration/{v1/defaults.go,validation}.
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import { type Cause, duplicate, invalid, notSupported, required } from "../causes.ts";
import type { CelLoader } from "../cel/loader.ts";
import type { KindRules } from "../kinds.ts";
import { dnsSubdomainErrors } from "../names.ts";
import { selectorCauses } from "../labels.ts";
import { fill, getOwn, objectAt, objectsIn } from "../values.ts";
import { clientCauses, REVIEWS, reviewVersionCauses } from "../hooks/client_rules.ts";
import { conditionCauses } from "./conditions.ts";
import { ruleCauses } from "./rule_causes.ts";

/** Returns the rules of the two kinds. */
export function configurationRules(mutating: boolean, cel: CelLoader): KindRules {
  return {
    prepare: ({ webhooks }) => objectsIn(webhooks).some(hasConditions) ? cel.load() : undefined,
    normalize(object) {
      for (const hook of objectsIn(object.webhooks)) defaultHook(hook, mutating);
      return [];
    },
    validate: (object) => configurationCauses(object, { mutating, cel }),
  };
}

function defaultHook(hook: JsonObject, mutating: boolean): void {
  fill(hook, {
    failurePolicy: "Fail",
    matchPolicy: "Equivalent",
    namespaceSelector: {},
    objectSelector: {},
    timeoutSeconds: 10,
    ...(mutating ? { reinvocationPolicy: "Never" } : {}),
  });
  for (const rule of objectsIn(hook.rules)) fill(rule, { scope: "*" });
  const service = objectAt(objectAt(hook, "clientConfig"), "service");
  if (service !== undefined) fill(service, { port: 443 });
}

function hasConditions({ matchConditions }: JsonObject): boolean {
  return objectsIn(matchConditions).length > 0;
}

interface Judged {
  readonly mutating: boolean;
  readonly cel: CelLoader;
}

function configurationCauses({ webhooks }: KubeObject, { mutating, cel }: Judged): Cause[] {
  const names = new Set<unknown>();
  return objectsIn(webhooks).flatMap((hook, index) => {
    const at = `webhooks[${index}]`;
    const twice = hook.name === "" || !names.has(hook.name) ? [] : [duplicate(`${at}.name`, hook.name)];
    names.add(hook.name);
    return [
      ...nameCauses(hook, `${at}.name`),
      ...objectsIn(hook.rules).flatMap((rule, number) => ruleCauses(rule, `${at}.rules[${number}]`)),
      ...choiceCauses(hook, { at, mutating }),
      ...selectorCauses(hook.namespaceSelector, `${at}.namespaceSelector`),
      ...selectorCauses(hook.objectSelector, `${at}.objectSelector`),
      ...clientCauses(objectAt(hook, "clientConfig") ?? {}, `${at}.clientConfig`),
      ...versionCauses(hook.admissionReviewVersions, `${at}.admissionReviewVersions`),
      ...twice,
      ...(hasConditions(hook)
        ? conditionCauses(cel.engine, hook.matchConditions, { at: `${at}.matchConditions` })
        : []),
    ];
  });
}

function nameCauses({ name = "" }: JsonObject, at: string): Cause[] {
  const value = String(name);
  if (value === "") return [required(at)];
  const errors = dnsSubdomainErrors(value);
  if (errors.length > 0) return [invalid(at, { value, detail: errors.join(",") })];
  if (value.split(".").length >= 3) return [];
  return [
    invalid(at, { value, detail: "should be a domain with at least three segments separated by dots" }),
  ];
}

interface Place {
  readonly at: string;
  readonly mutating: boolean;
}

/** Lists of supported values are in the order of the alphabet. */
function choiceCauses(hook: JsonObject, { at, mutating }: Place): Cause[] {
  const choices: Readonly<Record<string, readonly string[]>> = {
    failurePolicy: ["Fail", "Ignore"],
    matchPolicy: ["Equivalent", "Exact"],
    sideEffects: ["None", "NoneOnDryRun"],
    ...(mutating ? { reinvocationPolicy: ["IfNeeded", "Never"] } : {}),
  };
  const causes = Object.entries(choices).flatMap(([field, supported]) => {
    const value = getOwn(hook, field) ?? undefined;
    if (value === undefined) {
      return [required(`${at}.${field}`, `must specify one of ${supported.join(", ")}`)];
    }
    return supported.includes(String(value)) ? [] : [notSupported(`${at}.${field}`, { value, supported })];
  });
  const { timeoutSeconds } = hook;
  if (typeof timeoutSeconds === "number" && timeoutSeconds >= 1 && timeoutSeconds <= 30) return causes;
  const detail = "the timeout value must be between 1 and 30 seconds";
  return [...causes, invalid(`${at}.timeoutSeconds`, { value: timeoutSeconds, detail })];
}

function versionCauses(versions: unknown, at: string): Cause[] {
  const list = Array.isArray(versions) ? versions.map(String) : [];
  if (list.length > 0) return reviewVersionCauses(list, at);
  return [required(at, `must specify one of ${REVIEWS.join(", ")}`)];
}
