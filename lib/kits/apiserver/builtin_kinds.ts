/**
 * The built-in kinds: what Kubernetes calls them, and what is particular to each.
 *
 * They are stored kinds: no controller stands behind them, except for namespaces, definitions and garbage collection.
 * Sources: Kubernetes API reference; `kubectl api-resources`; k8s.io/kubernetes, pkg/registry (strategies).
 */

import type { Clock } from "../../runtime/host.ts";
import { roleRules } from "./access/role_rules.ts";
import { AUTOSCALER_CONVERSION } from "./builtin/autoscaler_conversion.ts";
import { configurationRules } from "./admission/configuration_rules.ts";
import { mutationBindingRules, mutationRules } from "./admission/mutation_rules.ts";
import { bindingRules, policyRules } from "./admission/policy_rules.ts";
import type { CelLoader } from "./cel/loader.ts";
import type { DefinitionParts } from "./cluster.ts";
import { builtinRules } from "./builtin/rules.ts";
import { EVENT_CONVERSION, EVENT_FIELDS } from "./builtin/event_conversion.ts";
import { groupOf, type Kind, type KindRules } from "./kinds.ts";
import type { Late } from "./late.ts";
import { PRIORITY_CLASSES, priorityClassRules } from "./builtin/priority_classes.ts";
import { definitionRules } from "./lifecycle/definitions.ts";
import { serviceRules } from "./builtin/service_rules.ts";
import { builtinWarnings } from "./builtin/warnings.ts";
import type { Store } from "./store.ts";
import { complete, forgetEmpty } from "./types/completion.ts";
import { typeOfKind } from "./types/mod.ts";

/** The rare properties; "none" of them is the rule. */
interface Traits {
  readonly short?: readonly string[];
  readonly all?: boolean;
  readonly category?: string;
  readonly cluster?: boolean;
  readonly subresources?: readonly string[];
  /** Counts generations. */
  readonly counted?: boolean;
  readonly returnsDeleted?: boolean;
  readonly createOnUpdate?: boolean;
  readonly selectable?: readonly string[];
  /** The same, where they are kept under other names. */
  readonly keptFields?: Readonly<Record<string, string>>;
  /** Needs `resourceVersion` in a PUT. */
  readonly conditional?: boolean;
  readonly plural?: string;
  readonly singular?: string;
  readonly verbs?: readonly string[];
  /** The version in which a real cluster keeps objects, where it is another. */
  readonly storedIn?: string;
  /** The warning that every write gets. */
  readonly deprecation?: string;
}

const STATUS = ["status"];
const SCALE_AND_STATUS = ["scale", "status"];
const CORE_EVENT_FIELDS = [
  "involvedObject.kind",
  "involvedObject.namespace",
  "involvedObject.name",
  "involvedObject.uid",
  "involvedObject.apiVersion",
  "involvedObject.resourceVersion",
  "involvedObject.fieldPath",
  "reason",
  "reportingComponent",
  "source",
  "type",
];
const POD_FIELDS = [
  "spec.nodeName",
  "spec.restartPolicy",
  "spec.schedulerName",
  "spec.serviceAccountName",
  "spec.hostNetwork",
  "status.phase",
  "status.podIP",
  "status.nominatedNodeName",
];
const VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/** By group and version: kind, and traits. */
const BUILTIN: Readonly<Record<string, readonly (readonly [string, Traits])[]>> = {
  "v1": [
    ["ConfigMap", { short: ["cm"] }],
    ["Endpoints", {
      short: ["ep"],
      plural: "endpoints",
      singular: "endpoints",
      createOnUpdate: true,
      deprecation: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
    }],
    ["Event", { short: ["ev"], selectable: CORE_EVENT_FIELDS, createOnUpdate: true }],
    ["LimitRange", { short: ["limits"], createOnUpdate: true }],
    ["Namespace", {
      short: ["ns"],
      cluster: true,
      subresources: ["finalize", "status"],
      selectable: ["status.phase"],
      verbs: VERBS.filter((verb) => verb !== "deletecollection"),
    }],
    ["Node", { short: ["no"], cluster: true, subresources: STATUS, selectable: ["spec.unschedulable"] }],
    ["PersistentVolumeClaim", { short: ["pvc"], subresources: STATUS, returnsDeleted: true }],
    ["PersistentVolume", { short: ["pv"], cluster: true, subresources: STATUS, returnsDeleted: true }],
    ["Pod", {
      short: ["po"],
      all: true,
      subresources: ["binding", "ephemeralcontainers", "eviction", "status"],
      counted: true,
      returnsDeleted: true,
      selectable: POD_FIELDS,
    }],
    ["PodTemplate", { counted: true, createOnUpdate: true, returnsDeleted: true }],
    ["ReplicationController", {
      short: ["rc"],
      all: true,
      subresources: SCALE_AND_STATUS,
      counted: true,
      selectable: ["status.replicas"],
    }],
    ["ResourceQuota", { short: ["quota"], subresources: STATUS }],
    ["Secret", { selectable: ["type"] }],
    ["ServiceAccount", { short: ["sa"], subresources: ["token"], returnsDeleted: true }],
    ["Service", {
      short: ["svc"],
      all: true,
      subresources: STATUS,
      returnsDeleted: true,
      createOnUpdate: true,
      selectable: ["spec.clusterIP", "spec.type"],
    }],
  ],
  "admissionregistration.k8s.io/v1": [
    ["MutatingAdmissionPolicy", {
      category: "api-extensions",
      cluster: true,
      plural: "mutatingadmissionpolicies",
      counted: true,
      storedIn: "admissionregistration.k8s.io/v1beta1",
    }],
    ["MutatingAdmissionPolicyBinding", {
      category: "api-extensions",
      cluster: true,
      counted: true,
      storedIn: "admissionregistration.k8s.io/v1beta1",
    }],
    ["MutatingWebhookConfiguration", { category: "api-extensions", cluster: true, counted: true }],
    ["ValidatingAdmissionPolicy", {
      category: "api-extensions",
      cluster: true,
      plural: "validatingadmissionpolicies",
      subresources: STATUS,
      counted: true,
    }],
    ["ValidatingAdmissionPolicyBinding", { category: "api-extensions", cluster: true, counted: true }],
    ["ValidatingWebhookConfiguration", { category: "api-extensions", cluster: true, counted: true }],
  ],
  "apiextensions.k8s.io/v1": [
    ["CustomResourceDefinition", {
      short: ["crd", "crds"],
      category: "api-extensions",
      cluster: true,
      subresources: STATUS,
      counted: true,
      conditional: true,
      storedIn: "apiextensions.k8s.io/v1beta1",
    }],
  ],
  "apiregistration.k8s.io/v1": [
    ["APIService", {
      category: "api-extensions",
      cluster: true,
      subresources: STATUS,
      conditional: true,
    }],
  ],
  "apps/v1": [
    ["ControllerRevision", {}],
    ["DaemonSet", { short: ["ds"], all: true, subresources: STATUS, counted: true }],
    ["Deployment", { short: ["deploy"], all: true, subresources: SCALE_AND_STATUS, counted: true }],
    ["ReplicaSet", { short: ["rs"], all: true, subresources: SCALE_AND_STATUS, counted: true }],
    ["StatefulSet", { short: ["sts"], all: true, subresources: SCALE_AND_STATUS, counted: true }],
  ],
  "autoscaling/v2": [["HorizontalPodAutoscaler", { short: ["hpa"], all: true, subresources: STATUS }]],
  "autoscaling/v1": [["HorizontalPodAutoscaler", { short: ["hpa"], all: true, subresources: STATUS }]],
  "batch/v1": [
    ["CronJob", { short: ["cj"], all: true, subresources: STATUS, counted: true }],
    ["Job", { all: true, subresources: STATUS, counted: true, selectable: ["status.successful"] }],
  ],
  "certificates.k8s.io/v1": [
    ["CertificateSigningRequest", {
      short: ["csr"],
      cluster: true,
      subresources: ["approval", "status"],
      selectable: ["spec.signerName"],
    }],
  ],
  "coordination.k8s.io/v1": [["Lease", { createOnUpdate: true, conditional: true }]],
  "discovery.k8s.io/v1": [["EndpointSlice", { counted: true }]],
  "events.k8s.io/v1": [["Event", { short: ["ev"], createOnUpdate: true, keptFields: EVENT_FIELDS }]],
  "flowcontrol.apiserver.k8s.io/v1": [
    ["FlowSchema", { cluster: true, subresources: STATUS, counted: true }],
    ["PriorityLevelConfiguration", { cluster: true, subresources: STATUS, counted: true }],
  ],
  "networking.k8s.io/v1": [
    ["IPAddress", {
      short: ["ip"],
      cluster: true,
      plural: "ipaddresses",
      selectable: ["spec.parentRef"],
    }],
    ["IngressClass", { cluster: true, plural: "ingressclasses", counted: true }],
    ["Ingress", { short: ["ing"], plural: "ingresses", subresources: STATUS, counted: true }],
    ["NetworkPolicy", { short: ["netpol"], plural: "networkpolicies", counted: true }],
    ["ServiceCIDR", { cluster: true, subresources: STATUS }],
  ],
  "node.k8s.io/v1": [["RuntimeClass", { cluster: true, plural: "runtimeclasses", conditional: true }]],
  "policy/v1": [["PodDisruptionBudget", { short: ["pdb"], subresources: STATUS, counted: true }]],
  "rbac.authorization.k8s.io/v1": [
    ["ClusterRoleBinding", { cluster: true, createOnUpdate: true }],
    ["ClusterRole", { cluster: true, createOnUpdate: true }],
    ["RoleBinding", { createOnUpdate: true }],
    ["Role", { createOnUpdate: true }],
  ],
  "resource.k8s.io/v1": [
    ["DeviceClass", { cluster: true, plural: "deviceclasses", counted: true, returnsDeleted: true }],
    ["ResourceClaim", { subresources: STATUS, returnsDeleted: true }],
    ["ResourceClaimTemplate", { returnsDeleted: true }],
    ["ResourceSlice", {
      cluster: true,
      counted: true,
      returnsDeleted: true,
      selectable: ["spec.driver", "spec.nodeName"],
    }],
  ],
  "scheduling.k8s.io/v1": [
    ["PriorityClass", { short: ["pc"], plural: "priorityclasses", cluster: true, counted: true }],
  ],
  "storage.k8s.io/v1": [
    ["CSIDriver", { cluster: true, conditional: true, returnsDeleted: true }],
    ["CSINode", { cluster: true, conditional: true, returnsDeleted: true }],
    ["CSIStorageCapacity", { plural: "csistoragecapacities", conditional: true }],
    ["StorageClass", {
      short: ["sc"],
      cluster: true,
      plural: "storageclasses",
      returnsDeleted: true,
    }],
    ["VolumeAttachment", {
      cluster: true,
      subresources: STATUS,
      conditional: true,
      returnsDeleted: true,
    }],
    ["VolumeAttributesClass", {
      short: ["vac"],
      cluster: true,
      plural: "volumeattributesclasses",
      returnsDeleted: true,
    }],
  ],
};

const SCALE_PATHS = {
  specReplicasPath: ".spec.replicas",
  statusReplicasPath: ".status.replicas",
  labelSelectorPath: ".spec.selector",
};

/** Versions in which kinds are shown, and not kept. */
const CONVERSIONS = new Map([
  ["autoscaling/v1", { storedIn: "autoscaling/v2", conversion: AUTOSCALER_CONVERSION }],
  ["events.k8s.io/v1", { storedIn: "v1", conversion: EVENT_CONVERSION }],
]);

/** The things that built-in kinds are made with. */
export interface BuiltinOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly cel: CelLoader;
  readonly definitions: Late<DefinitionParts>;
  /** Whether Pods live: they get the service account `default`, then. */
  readonly runsPods?: boolean;
}

/** Returns the built-in kinds, with their collections in the store. */
export function builtinKinds(options: BuiltinOptions): Kind[] {
  const kinds: Kind[] = [];
  for (const [apiVersion, entries] of Object.entries(BUILTIN)) {
    for (const [kind, traits] of entries) {
      const own = rulesOf({ group: groupOf(apiVersion), kind }, options);
      const rules = completing(own, { apiVersion, kind });
      kinds.push(toKind(options.store, { apiVersion, kind, traits, rules }));
    }
  }
  return kinds;
}

/** NB: definitions are completed by themselves, as they are large. */
function completing(
  rules: KindRules,
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
): KindRules {
  const type = typeOfKind(CONVERSIONS.get(apiVersion)?.storedIn ?? apiVersion, kind);
  if (type === undefined || type.startsWith("apiextensions.")) return rules;
  return {
    ...rules,
    normalize(object, options) {
      const unknown = rules.normalize(object, options);
      complete(object, kind, type);
      return unknown;
    },
    warnings: (object, old) => builtinWarnings(kind, object, old),
    settle(object, old, dryRun) {
      rules.settle?.(object, old, dryRun);
      forgetEmpty(object, type);
    },
  };
}

function rulesOf(
  { group, kind }: { readonly group: string; readonly kind: string },
  { clock, cel, definitions, store, runsPods = false }: BuiltinOptions,
): KindRules {
  if (kind === "CustomResourceDefinition") {
    return definitionRules({ now: () => clock.now(), cel, definitions, store });
  }
  if (kind.endsWith("WebhookConfiguration")) return configurationRules(kind.startsWith("Mutating"), cel);
  if (kind === "ValidatingAdmissionPolicy") return policyRules(cel);
  if (kind === "ValidatingAdmissionPolicyBinding") return bindingRules();
  if (kind === "MutatingAdmissionPolicy") return mutationRules(cel);
  if (kind === "MutatingAdmissionPolicyBinding") return mutationBindingRules();
  if (ROLE_KINDS.includes(kind)) return roleRules(kind);
  if (kind === "Service") return serviceRules(store.collection("services"));
  if (kind === "PriorityClass") return priorityClassRules(store.collection(PRIORITY_CLASSES));
  return builtinRules(kind, { group, now: () => clock.now(), store, runsPods });
}

const ROLE_KINDS = ["Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"];

interface Entry {
  readonly apiVersion: string;
  readonly kind: string;
  readonly traits: Traits;
  readonly rules: KindRules;
}

function toKind(store: Store, { apiVersion, kind, traits, rules }: Entry): Kind {
  const [group, version] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
  const plural = traits.plural ?? `${kind.toLowerCase()}s`;
  const subresources = traits.subresources ?? [];
  const storage = group === "" || kind === "Event" ? plural : `${plural}.${group}`;
  return {
    group: group ?? "",
    version: version ?? "",
    apiVersion,
    plural,
    kind,
    listKind: `${kind}List`,
    singular: traits.singular ?? kind.toLowerCase(),
    shortcuts: traits.short ?? [],
    categories: traits.all ? ["all"] : traits.category === undefined ? [] : [traits.category],
    subresources,
    namespaced: traits.cluster !== true,
    preferred: apiVersion !== "autoscaling/v1",
    verbs: traits.verbs ?? VERBS,
    collection: store.collection(storage),
    custom: false,
    counted: traits.counted ?? false,
    rules,
    createOnUpdate: traits.createOnUpdate ?? false,
    unconditionalUpdate: traits.conditional !== true,
    returnsDeleted: traits.returnsDeleted ?? false,
    selectable: traits.selectable ?? Object.keys(traits.keptFields ?? {}),
    ...(traits.keptFields === undefined ? {} : { keptFields: traits.keptFields }),
    ...(traits.deprecation === undefined ? {} : { deprecation: traits.deprecation }),
    ...(subresources.includes("scale") ? { scale: SCALE_PATHS } : {}),
    ...CONVERSIONS.get(apiVersion) ?? { storedIn: traits.storedIn ?? apiVersion },
  };
}
