/**
 * The rights that follow from the declarations of an operator, and the handlers that need them.
 *
 * The requests that handlers make by themselves show in their code at best (see calls_in_code.ts): the rest is recorded (see
 * recorder.ts).
 */

import { isBuiltIn, KINDS } from "../../model/kinds.ts";
import { EVERYTHING, formatSelector, isSpecific, type Selector, selectorKey } from "../../model/selector.ts";
import { convertedIn, type DeclaredHandler } from "../../registry/declared.ts";
import { hasSchema, type ResourceOptions } from "../../registry/resource.ts";
import type { Settings } from "../../settings/settings.ts";
import { rightsShownBy } from "./calls_in_code.ts";
import type { Right } from "./rights.ts";

/** A kind, as far as rights go. */
export interface RightsKind {
  readonly group: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** Whether its status is a subresource. */
  readonly hasStatus: boolean;
}

/** A right, and its purpose. */
export interface Need extends Right {
  /** Such as "handler create", or "events about objects". */
  readonly by: string;
  /** Whether its kind lives in namespaces. */
  readonly namespaced: boolean;
  /** Whether only some clusters ask for it: it is granted, and not missed. Default: false. */
  readonly isRare?: boolean;
}

export interface NeedsOptions {
  readonly handlers: readonly DeclaredHandler[];
  readonly settings: Settings;
  /** The namespaces that are served: names and patterns. Undefined: the whole cluster. */
  readonly namespaces?: readonly (string | RegExp)[];
  /** Whether the definitions of the operator's own kinds are applied at the start. */
  readonly crds?: "apply";
  /** The namespace in which the operator itself lives. Default: unknown, and nothing is needed there. */
  readonly home?: string;
  /** Returns the kinds that a selector means; undefined if they cannot be known. */
  readonly resolve: (selector: Selector) => readonly RightsKind[] | undefined;
}

/** The needs of an operator, as far as they are known. */
export interface Needs {
  readonly needs: readonly Need[];
  /** Sentences about handlers whose kinds are not known. */
  readonly unknown: readonly string[];
  /** Sentences about handlers of which more shows only when it is recorded. */
  readonly unseen: readonly string[];
}

const READ = ["list", "watch"];

/** As `children` are found, applied and deleted. */
const KEEP = ["get", "list", "create", "patch", "delete"];

/** Declarations whose functions are no handlers: they name objects, or are asked. */
const UNCALLED: readonly string[] = ["owns", "watches", "cache", "index"];

/** The causes of handlers that keep notes on the state of their objects. */
const CHANGES: readonly string[] = ["create", "update", "delete", "resume", "change"];

const DEFINED = "definitions of own kinds";

/** Rights to keep definitions in step. */
const DEFINITIONS: readonly Need[] = [["", "get"], ["", "create"], ["", "patch"], ["/status", "patch"]].map(
  ([subresource, verb = ""]) => ({
    group: "apiextensions.k8s.io",
    resource: `customresourcedefinitions${subresource}`,
    verb,
    namespaced: false,
    by: DEFINED,
  }),
);

/** Returns the rights that an operator's declarations and settings imply. */
export function findNeeds({ handlers, settings, namespaces, crds, home, resolve }: NeedsOptions): Needs {
  const needs: Need[] = [];
  const unknown = new Set<string>();
  let isNoted = false;
  for (const handler of handlers) {
    const verbs = verbsOf(handler);
    if (verbs.length === 0) continue;
    const kinds = resolve(handler.selector);
    if (kinds === undefined) {
      unknown.add(`handler "${handler.id}": which kind is "${formatSelector(handler.selector)}"?`);
      continue;
    }
    const by = `handler "${handler.id}"`;
    isNoted ||= CHANGES.includes(handler.cause) && kinds.some((kind) => kind.hasStatus && !isBuiltIn(kind));
    for (const { group, plural, namespaced, hasStatus } of kinds) {
      for (const verb of verbs) needs.push({ group, resource: plural, verb, by, namespaced });
      if (hasStatus && verbs.includes("patch")) {
        needs.push({ group, resource: `${plural}/status`, verb: "patch", by, namespaced });
      }
    }
  }
  const { needs: own, unseen } = needsOfCode(handlers, resolve);
  needs.push(...own, ...needsOfOwners(handlers, resolve));
  if (crds === "apply") needs.push(...DEFINITIONS, ...needsOfDefined(handlers));
  else if (isNoted && usesStatus(settings)) {
    // Without it notes go to annotations, which need no right of their own.
    needs.push(
      ...DEFINITIONS.slice(0, 1).map((need) => ({ ...need, by: "notes in the status", isRare: true })),
    );
  }
  return {
    needs: [
      ...needs,
      ...frameworkNeeds(settings, handlers, namespaces),
      ...needsOfReplicas(settings, home),
      ...needsOfWebhooks(settings, { handlers, home }),
    ],
    unknown: [...unknown],
    unseen,
  };
}

/** Whether notes go to the status of the kinds that have room there. */
function usesStatus({ persistence: { diffBase, restored } }: Settings): boolean {
  return diffBase.room !== undefined && restored !== "resume";
}

/** The objects of own kinds are looked for before a definition changes, in all namespaces, and moved to another version. */
function needsOfDefined(handlers: readonly DeclaredHandler[]): Need[] {
  return handlers.flatMap(({ resource }) => {
    if (resource === undefined || !hasSchema(resource)) return [];
    const { group = "", plural = "" } = resource;
    return ["list", "patch"].map((verb) => ({
      group,
      resource: plural,
      verb,
      namespaced: false,
      by: DEFINED,
    }));
  });
}

/** The needs of the calls of handlers to `op.api` and `children`, as far as their code and `op.owns` show it. */
function needsOfCode(
  handlers: readonly DeclaredHandler[],
  resolve: NeedsOptions["resolve"],
): Pick<Needs, "needs" | "unseen"> {
  const needs: Need[] = [];
  const unseen = new Set<string>();
  for (const { id, cause, selector, fn } of handlers) {
    if (UNCALLED.includes(cause)) continue;
    const { rights, hasMore } = rightsShownBy(fn);
    needs.push(...rights.map((right) => ({ ...right, by: `handler "${id}"` })));
    if (hasMore) unseen.add(`handler "${id}": of which kinds are the objects that it reaches by op.api?`);
    if (!names(fn, /\bchildren\b/)) continue;
    const owned = handlers.filter(({ owner }) => owner !== undefined && isSameKind(owner, selector, resolve));
    if (owned.length === 0) {
      unseen.add(`handler "${id}": of which kinds are its children? (op.owns says it, too)`);
    }
    for (const { group, plural, namespaced } of owned.flatMap((each) => resolve(each.selector) ?? [])) {
      const place = { group, resource: plural, namespaced, by: `children of handler "${id}"` };
      needs.push(...KEEP.map((verb) => ({ ...place, verb })));
    }
  }
  return { needs, unseen: [...unseen] };
}

/**
 * The right to hold owners back, which owner references of children do (`blockOwnerDeletion`), and OpenShift checks.
 *
 * Source: Kubernetes, "Admission Control in Kubernetes", OwnerReferencesPermissionEnforcement.
 */
function needsOfOwners(handlers: readonly DeclaredHandler[], resolve: NeedsOptions["resolve"]): Need[] {
  return handlers.flatMap(({ id, cause, selector, owner, fn }) => {
    const isMaker = !UNCALLED.includes(cause) &&
      names(fn, /\b(?:children|ownerReference|adopt)\b|\bowner\s*:/);
    const owners = owner ?? (isMaker ? selector : undefined);
    const kinds = owners === undefined ? [] : resolve(owners) ?? [];
    return kinds.map(({ group, plural, namespaced }) => ({
      group,
      resource: `${plural}/finalizers`,
      verb: "update",
      by: `children of handler "${id}"`,
      namespaced,
      isRare: true,
    }));
  });
}

/** Whether two selectors mean the same kind, by whatever names. */
function isSameKind(a: Selector, b: Selector, resolve: NeedsOptions["resolve"]): boolean {
  if (selectorKey(a) === selectorKey(b)) return true;
  const [left, right] = [a, b].map((each) => resolve(each)?.map(({ group, plural }) => `${plural}.${group}`));
  return left?.some((kind) => right?.includes(kind)) === true;
}

/** Returns the verbs of the framework on the objects of a handler. */
function verbsOf({ cause, fn, hasFinalizer }: DeclaredHandler): string[] {
  switch (cause) {
    case "validate":
    case "mutate":
      return []; // The API server sends them.
    case "index":
    case "owns":
    case "watches":
    case "cache":
      return READ;
    case "event":
    case "child":
      // It is written to only where it changes the patch, for which it has to name it.
      return namesPatch(fn) ? [...READ, "get", "patch"] : READ;
    case "reconcile":
      // Without a finalizer only the function writes to the object.
      return hasFinalizer || namesPatch(fn) ? [...READ, "get", "patch"] : READ;
    default:
      // Notes and finalizers are patched; after a conflict the object is read.
      return [...READ, "get", "patch"];
  }
}

function namesPatch(fn: unknown): boolean {
  return names(fn, /\b(?:patch|conditions|children)\b/);
}

function names(fn: unknown, words: RegExp): boolean {
  return typeof fn === "function" && words.test(Function.prototype.toString.call(fn));
}

function frameworkNeeds(
  { posting, scanning, peering, admission, probing }: Settings,
  handlers: readonly DeclaredHandler[],
  namespaces: readonly (string | RegExp)[] | undefined,
): Need[] {
  const needs: Need[] = [];
  const add = (
    place: {
      readonly group: string;
      readonly resource: string;
      readonly namespaced: boolean;
      readonly by: string;
    },
    verbs: readonly string[],
  ): void => void needs.push(...verbs.map((verb) => ({ ...place, verb })));
  if (posting.enabled) {
    const group = posting.api === "v1" ? "" : "events.k8s.io";
    add({ group, resource: "events", namespaced: true, by: "events about objects" }, ["create", "patch"]);
  }
  if (probing.metricsReview) {
    const by = "callers who read metrics";
    add({ group: "authentication.k8s.io", resource: "tokenreviews", namespaced: false, by }, ["create"]);
    add({ group: "authorization.k8s.io", resource: "subjectaccessreviews", namespaced: false, by }, [
      "create",
    ]);
  }
  if (!scanning.disabled) {
    const group = "apiextensions.k8s.io";
    add(
      { group, resource: "customresourcedefinitions", namespaced: false, by: "kinds that come and go" },
      READ,
    );
    if (namespaces?.some((pattern) => typeof pattern !== "string" || /[*?!,[]/.test(pattern))) {
      add({ group: "", resource: "namespaces", namespaced: false, by: "namespaces that come and go" }, READ);
    }
  }
  if (!peering.standalone && peering.mandatory) {
    const isWide = namespaces === undefined || peering.clusterwide;
    const resource = isWide ? "clusterkopfpeerings" : "kopfpeerings";
    add({ group: "kopf.dev", resource, namespaced: !isWide, by: "peering" }, [...READ, "get", "patch"]);
  }
  if (admission.managed !== null) {
    for (const cause of ["validate", "mutate"]) {
      if (!handlers.some((handler) => handler.cause === cause)) continue;
      const resource = cause === "validate"
        ? "validatingwebhookconfigurations"
        : "mutatingwebhookconfigurations";
      const place = {
        group: "admissionregistration.k8s.io",
        resource,
        namespaced: false,
        by: "managed webhooks",
      };
      add(place, ["get", "list", "watch", "create", "patch"]);
    }
    if (convertedIn(handlers).length > 0) {
      const group = "apiextensions.k8s.io";
      const place = { group, resource: "customresourcedefinitions", namespaced: false, by: "conversions" };
      add(place, ["get", "patch"]);
    }
  }
  return needs;
}

/** The Leases of replicas, and the Events about them, in the namespace of the operator. */
function needsOfReplicas({ replicas, posting }: Settings, home: string | undefined): Need[] {
  const namespace = replicas.namespace ?? home;
  if (!replicas.enabled || namespace === undefined) return [];
  const by = "replicas";
  const leases = ["get", "list", "watch", "create", "update", "delete"].map((verb) => ({
    group: "coordination.k8s.io",
    resource: "leases",
    verb,
    namespace,
    namespaced: true,
    by,
  }));
  if (!posting.enabled) return leases;
  const group = posting.api === "v1" ? "" : "events.k8s.io";
  const events = ["create", "patch"].map((verb) => ({
    group,
    resource: "events",
    verb,
    namespace,
    namespaced: true,
    by,
  }));
  return [...leases, ...events];
}

/**
 * The Secret with the certificate that replicas share, or the Lease of a process that its webhooks reach by a URL, in the namespace
 * of the operator. The right to create cannot be bound to a name.
 */
function needsOfWebhooks(
  { replicas, admission: { managed, server } }: Settings,
  { handlers, home }: Pick<NeedsOptions, "handlers" | "home">,
): Need[] {
  const namespace = replicas.namespace ?? home;
  const isAsked = handlers.some(({ cause }) => cause === "validate" || cause === "mutate") ||
    convertedIn(handlers).length > 0;
  if (!isAsked || namespace === undefined || server === null) return [];
  const rights = (
    place: { readonly group: string; readonly resource: string; readonly by: string },
    { verbs, name }: { readonly verbs: readonly string[]; readonly name?: string },
  ): Need[] => {
    const named = name === undefined ? {} : { name };
    return verbs.map((verb) => ({ ...place, verb, namespace, namespaced: true, ...named }));
  };
  if (replicas.enabled) {
    const place = { group: "", resource: "secrets", by: "certificate of webhooks" };
    const name = replicas.name === null ? undefined : `${replicas.name}-webhook`;
    return [
      ...rights(place, { verbs: ["create"] }),
      ...rights(place, { verbs: ["get", "list", "watch", "update"], name }),
    ];
  }
  const isShared = typeof server !== "function" && server.service !== undefined;
  if (managed === null || isShared) return [];
  const place = { group: "coordination.k8s.io", resource: "leases", by: "name of webhooks" };
  return [
    ...rights(place, { verbs: ["create"] }),
    ...rights(place, { verbs: ["get", "update", "delete"], name: managed }),
  ];
}

/**
 * Makes a resolver that knows built-in kinds and declared ones, without a cluster.
 *
 * A lower-case name with a group is taken for the plural.
 */
export function declaredResolver(
  declared: readonly ResourceOptions[],
  optionsOf: (selector: Selector) => ResourceOptions | undefined,
): (selector: Selector) => readonly RightsKind[] | undefined {
  return (selector) => {
    if (selector.anyName === EVERYTHING) {
      return [{ group: selector.group ?? "*", plural: "*", namespaced: false, hasStatus: false }];
    }
    if (!isSpecific(selector)) return undefined;
    const options = optionsOf(selector);
    const own = options ?? declared.find((each) => isNamed(each, selector));
    const builtin = [...KINDS.values()].find((kind) =>
      isNamed({ ...kind, shortNames: kind.shortcuts }, selector)
    );
    if (builtin !== undefined) {
      const { group, plural, namespaced, subresources } = builtin;
      return [{ group, plural, namespaced, hasStatus: subresources.includes("status") }];
    }
    const group = own?.group ?? selector.group;
    const plural = own?.plural ?? selector.plural ?? lowerCase(selector.anyName);
    if (group === undefined || plural === undefined) return undefined;
    return [{ group, plural, namespaced: own?.namespaced !== false, hasStatus: true }];
  };
}

/** A kind's names, wherever they come from. */
type Named = Pick<ResourceOptions, "group" | "plural" | "kind" | "singular" | "shortNames">;

function isNamed({ group, plural, kind, singular, shortNames = [] }: Named, selector: Selector): boolean {
  if (selector.group !== undefined && selector.group !== group) return false;
  if (selector.plural !== undefined) return selector.plural === plural;
  if (selector.kind !== undefined) return selector.kind === kind;
  if (selector.singular !== undefined) return selector.singular === (singular ?? kind?.toLowerCase());
  if (selector.shortcut !== undefined) return shortNames.includes(selector.shortcut);
  const name = selector.anyName;
  return typeof name === "string" &&
    [plural, kind, singular ?? kind?.toLowerCase(), ...shortNames].includes(name);
}

function lowerCase(name: string | typeof EVERYTHING | undefined): string | undefined {
  return typeof name === "string" && name === name.toLowerCase() ? name : undefined;
}
