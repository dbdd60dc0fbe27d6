/**
 * The webhooks of handlers as they stand in a ValidatingWebhookConfiguration or a MutatingWebhookConfiguration.
 *
 * Kubernetes takes lower case only in names of webhooks and in paths of Services, and each name once: handlers named as
 * JavaScript names functions have hyphens in both. A path belongs to one id; webhooks of one name are numbered, such as the
 * webhooks of one handler for several kinds. Source: scenarios B128–B157, P13; k8s.io/apiserver,
 * pkg/util/webhook/validation.go.
 */

import { getKey, isEmptyObject, isObject } from "../../model/json.ts";
import type { JsonObject } from "../../model/object.ts";
import type { Resource } from "../../model/resource.ts";
import type { WebhookClientConfig } from "../../settings/admission_server.ts";
import { ABSENT, PRESENT } from "../filters.ts";
import type { AdmissionHandler } from "./admission_handler.ts";

export interface WebhooksOptions {
  /** The handlers of one cause, and which kinds each is for. */
  readonly handlers: ReadonlyMap<AdmissionHandler, readonly Resource[]>;
  /** The name of the configuration, with which the names of webhooks end. */
  readonly suffix: string;
  readonly client: WebhookClientConfig;
  /** Leave out webhooks that do not outlive the operator. Default: false. */
  readonly persistentOnly?: boolean;
  /** The operator's own objects, about which it must not be asked. Default: it has none. */
  readonly own?: OwnObjects;
}

/** Returns the list of webhooks, in the handlers' order. */
export function webhooksFor(options: WebhooksOptions): JsonObject[] {
  const { handlers, suffix, client, persistentOnly, own } = options;
  const names = new Set<string>();
  return [...handlers].flatMap(([handler, resources]) => {
    const name = unusedName(handler.id, { suffix, names });
    if (persistentOnly === true && !handler.persistent) return [];
    return [{
      name,
      sideEffects: handler.sideEffects ? "NoneOnDryRun" : "None",
      failurePolicy: handler.ignoreFailures ? "Ignore" : "Fail",
      matchPolicy: "Equivalent",
      rules: resources.map((resource) => ruleFor(handler, resource)),
      objectSelector: selectorFor(handler),
      ...own !== undefined && conditionsFor(resources, own),
      clientConfig: clientConfigFor(webhookPath(handler.id), client),
      timeoutSeconds: 30,
      admissionReviewVersions: ["v1", "v1beta1"],
    }];
  });
}

/**
 * Tells whether the live webhooks are the written ones: as many, in the same order, each with all of its written fields.
 * Defaults that the server has added do not count.
 */
export function areWritten(written: readonly JsonObject[], live: unknown): boolean {
  return includes(live ?? [], written);
}

function includes(live: unknown, written: unknown): boolean {
  if (written === null) return live === null || live === undefined || (isObject(live) && isEmptyObject(live));
  if (Array.isArray(written)) {
    if (written.length === 0 && (live === null || live === undefined)) return true;
    return Array.isArray(live) && live.length === written.length &&
      written.every((item, index) => includes(live[index], item));
  }
  if (!isObject(written)) return written === live;
  return isObject(live) && Object.keys(written).every((key) => includes(getKey(live, key), written[key]));
}

/** Tells whether a webhook leads to our address: "alone" by a URL, "together" with other replicas by a Service. */
export function leadsHere(webhook: unknown, client: WebhookClientConfig): "alone" | "together" | undefined {
  const config = isObject(webhook) ? getKey(webhook, "clientConfig") : undefined;
  if (!isObject(config)) return undefined;
  const [url, service] = [getKey(config, "url"), getKey(config, "service")];
  if (typeof url === "string" && client.url !== undefined) {
    return url.startsWith(`${client.url.replace(/(?<!\/)\/+$/, "")}/`) ? "alone" : undefined;
  }
  if (!isObject(service) || client.service === undefined) return undefined;
  const { name, namespace } = client.service;
  return service.name === name && service.namespace === namespace ? "together" : undefined;
}

/** Returns the name of a handler's webhook: lower case, as DNS has it. */
export function webhookName(id: string, suffix: string): string {
  return `${webhookPath(id).replaceAll("/", ".")}.${suffix}`;
}

/** Returns the path of a handler's webhook, without a slash at its beginning: an id that is a path already stays as it is. */
export function webhookPath(id: string): string {
  const parts = id.split("/").map(spell).filter((part) => part !== "");
  return parts.join("/") || "x";
}

/** Returns a text as DNS spells subdomains. */
function spell(text: string): string {
  const hyphenated = text.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `-${letter}`).toLowerCase();
  const plain = hyphenated.replaceAll("_", "-").replace(/[^a-z0-9.-]/gu, hexOf);
  const labels = plain.split(".").map((label) => label.replace(/^-+|-+$/g, ""));
  return labels.filter((label) => label !== "").join(".");
}

/** The longest name of a webhook that Kubernetes takes. */
const LONGEST_NAME = 253;

/** Kinds without which no Pod starts, by "plural.group". */
const VITAL = [
  "pods.",
  "nodes.",
  "leases.coordination.k8s.io",
  "secrets.",
  "services.",
  "endpointslices.discovery.k8s.io",
];

/**
 * Returns the kinds that a cluster needs to start the operator itself, and that a handler would refuse while the operator does not
 * run: where it is for objects of all namespaces, and no labels leave any out.
 */
export function vitalKinds(handler: AdmissionHandler, resources: readonly Resource[]): string[] {
  if (handler.ignoreFailures || selectorFor(handler) !== null) return [];
  const found = resources.filter(({ plural, group }) => VITAL.includes(`${plural}.${group}`));
  return [...new Set(found.map(({ plural }) => plural))];
}

/** @throws {TypeError} If the path of a handler belongs to another one, or its webhook would have a name that is too long. */
export function checkWebhookNames(handlers: readonly AdmissionHandler[], suffix: string | null): void {
  const ids = new Map<string, string>();
  for (const { id } of handlers) {
    const path = webhookPath(id);
    const other = ids.get(path) ?? id;
    if (other !== id) {
      throw new TypeError(
        `Cannot serve the admission handlers "${other}" and "${id}": both are reached at the path "/${path}" (give one of them another id)`,
      );
    }
    ids.set(path, id);
    const { length } = webhookName(id, suffix ?? "");
    if (suffix === null || length <= LONGEST_NAME) continue;
    throw new TypeError(
      `Cannot serve admission handler "${id}": the name of its webhook has ${length} characters, and Kubernetes takes ${LONGEST_NAME} (give it a shorter id)`,
    );
  }
}

/** Returns the server's configuration with a path below the server's own. */
export function clientConfigFor(path: string, client: WebhookClientConfig): WebhookClientConfig {
  const { url, service } = client;
  return {
    ...client,
    ...url !== undefined && { url: `${url.replace(/(?<!\/)\/+$/, "")}/${path}` },
    ...service !== undefined && {
      service: { ...service, path: `${(service.path ?? "").replace(/(?<!\/)\/+$/, "")}/${path}` },
    },
  };
}

function unusedName(
  id: string,
  { suffix, names }: { readonly suffix: string; readonly names: Set<string> },
): string {
  let name = webhookName(id, suffix);
  for (let number = 2; names.has(name); number++) name = webhookName(`${id}-${number}`, suffix);
  names.add(name);
  return name;
}

function ruleFor({ operations, subresource }: AdmissionHandler, resource: Resource): JsonObject {
  const { group, version, plural } = resource;
  return {
    apiGroups: [group],
    apiVersions: [version],
    // "pods/*" means pods as well as all their subresources (k8s.io/apiserver, predicates/rules).
    resources: [subresource === undefined ? plural : `${plural}/${subresource}`],
    operations: operations === undefined ? ["*"] : [...operations],
    scope: "*",
  };
}

/** The objects of an operator by which its replicas work together. */
export interface OwnObjects {
  readonly namespace: string;
  /** The name of the Leases, and the beginning of the Secret's. */
  readonly name: string;
  /** Whether there are member Leases, Leases of shards and a Secret, or one Lease alone. */
  readonly hasReplicas: boolean;
}

/** The kinds of which an operator has objects of its own. */
const OWN_KINDS: readonly string[] = ["leases", "secrets", "events"];

/**
 * Takes the operator's own objects out: it would have to answer before it can renew its session, or write an Event about that.
 *
 * Source: Kubernetes, "Dynamic Admission Control", matchConditions.
 */
function conditionsFor(
  resources: readonly Resource[],
  { namespace, name, hasReplicas }: OwnObjects,
): { matchConditions?: JsonObject[] } {
  if (!resources.some(({ plural }) => OWN_KINDS.includes(plural) || plural === "*")) return {};
  // A name of Leases has no character with a meaning in expressions, but for the dots of a domain.
  const lease = hasReplicas
    ? `request.name.matches("^${name}(-member-[0-9a-f]{10}|-[0-9]+-of-[0-9]+)?$")`
    : `request.name == "${name}"`;
  const named = [`request.resource.resource == "leases" && ${lease}`];
  if (hasReplicas) named.push(`request.resource.resource == "secrets" && request.name == "${name}-webhook"`);
  const isOwnName = `has(request.name) && (${named.map((each) => `(${each})`).join(" || ")})`;
  const isOwn = `has(request.namespace) && request.namespace == "${namespace}" && ` +
    `(request.resource.resource == "events" || (${isOwnName}))`;
  return { matchConditions: [{ name: "not-of-the-operator", expression: `!(${isOwn})` }] };
}

/** Returns the part of a handler's filters that the server can apply by itself. */
function selectorFor({ labels = {} }: AdmissionHandler): JsonObject | null {
  const matchExpressions = Object.entries(labels).flatMap(([key, value]): JsonObject[] => {
    if (value === PRESENT) return [{ key, operator: "Exists" }];
    if (value === ABSENT) return [{ key, operator: "DoesNotExist" }];
    return typeof value === "string" ? [{ key, operator: "In", values: [value] }] : [];
  });
  return matchExpressions.length === 0 ? null : { matchExpressions };
}

function hexOf(character: string): string {
  return [...new TextEncoder().encode(character)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
