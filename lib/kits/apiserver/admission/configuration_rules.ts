/**
 * Defaults and refusals of Kubernetes for Validating- and MutatingWebhookConfigurations.
 *
 * Source: k8s.io/kubernetes, pkg/apis/admissionregistration/{v1/defaults.go,validation}; k8s.io/apiserver,
 * pkg/util/webhook/validation.go.
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import { type Cause, duplicate, invalid, notSupported, required } from "../causes.ts";
import type { CelLoader } from "../cel/loader.ts";
import type { KindRules } from "../kinds.ts";
import { dns1035Errors, dnsSubdomainErrors } from "../names.ts";
import { selectorCauses } from "../selector.ts";
import { fill, getOwn, objectAt, objectsIn } from "../values.ts";
import { conditionCauses } from "./conditions.ts";
import { ruleCauses } from "./rule_causes.ts";

/** Returns the rules of the two kinds. */
export function configurationRules(mutating: boolean, cel: CelLoader): KindRules {
  return {
    prepare: ({ webhooks }) => objectsIn(webhooks).some(hasConditions) ? cel.load() : undefined,
    normalize(object) {
      for (const hook of objectsIn(object.webhooks)) defaultHook(hook, mutating);
      return Object.keys(object).filter((field) => !FIELDS.includes(field)).map((field) => {
        delete object[field];
        return field;
      });
    },
    validate: (object) => configurationCauses(object, { mutating, cel }),
  };
}

const FIELDS = ["apiVersion", "kind", "metadata", "webhooks"];

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
    const twice = mutating || !names.has(hook.name) ? [] : [duplicate(`${at}.name`, hook.name)];
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

/** NB: lists of what is supported are in the order of the alphabet. */
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

/** Says what is wrong with where a webhook is. */
export function clientCauses(client: JsonObject, at: string): Cause[] {
  const url = getOwn(client, "url") ?? undefined;
  const service = objectAt(client, "service");
  if ((url === undefined) === (service === undefined)) {
    return [required(at, "exactly one of url or service is required")];
  }
  return service === undefined
    ? urlCauses(String(url), `${at}.url`)
    : serviceCauses(service, `${at}.service`);
}

const FORM = "; desired format: https://host[/path]";

function urlCauses(text: string, at: string): Cause[] {
  if (!URL.canParse(text)) {
    const scheme = invalid(at, { value: "", detail: `'https' is the only allowed URL scheme${FORM}` });
    return [scheme, invalid(at, { value: "", detail: `host must be specified${FORM}` })];
  }
  const url = new URL(text);
  const causes: Cause[] = [];
  const refuse = (value: string, detail: string) => causes.push(invalid(at, { value, detail }));
  if (url.protocol !== "https:") {
    refuse(url.protocol.slice(0, -1), `'https' is the only allowed URL scheme${FORM}`);
  }
  if (url.host === "") refuse("", `host must be specified${FORM}`);
  if (url.username !== "" || url.password !== "") {
    const secret = url.password === "" ? "" : `:${url.password}`;
    refuse(`${url.username}${secret}`, "user information is not permitted in the URL");
  }
  if (url.hash !== "") refuse(url.hash.slice(1), "fragments are not permitted in the URL");
  if (url.search !== "") refuse(url.search.slice(1), "query parameters are not permitted in the URL");
  return causes;
}

function serviceCauses(service: JsonObject, at: string): Cause[] {
  const { port, path } = service;
  const causes = ["name", "namespace"]
    .filter((field) => (getOwn(service, field) ?? "") === "")
    .map((field) => required(`${at}.${field}`));
  if (typeof port !== "number" || !Number.isInteger(port) || port < 1 || port > 65535) {
    causes.push(
      invalid(`${at}.port`, {
        value: port,
        detail: "port is not valid: must be between 1 and 65535, inclusive",
      }),
    );
  }
  if (typeof path !== "string" || path === "" || path === "/") return causes;
  const refuse = (detail: string) => causes.push(invalid(`${at}.path`, { value: path, detail }));
  if (!path.startsWith("/")) refuse("must start with a '/'");
  const steps = path.slice(1).replace(/\/$/, "").split("/");
  for (const [index, step] of steps.entries()) {
    if (step === "") refuse(`segment[${index}] may not be empty`);
    else for (const error of dnsSubdomainErrors(step)) refuse(`segment[${index}]: ${error}`);
  }
  return causes;
}

const REVIEWS = ["v1", "v1beta1"];

function versionCauses(versions: unknown, at: string): Cause[] {
  const list = Array.isArray(versions) ? versions.map(String) : [];
  if (list.length === 0) return [required(at, `must specify one of ${REVIEWS.join(", ")}`)];
  const causes = list.flatMap((value, index) => {
    if (list.indexOf(value) < index) {
      return [invalid(`${at}[${index}]`, { value, detail: "duplicate version" })];
    }
    return dns1035Errors(value).map((detail) => invalid(`${at}[${index}]`, { value, detail }));
  });
  if (list.some((version) => REVIEWS.includes(version))) return causes;
  const detail = `must include at least one of ${REVIEWS.join(", ")}`;
  return [...causes, invalid(at, { value: list, detail })];
}
