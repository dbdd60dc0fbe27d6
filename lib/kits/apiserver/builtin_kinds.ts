/**
 * The built-in kinds: their names and ways as recorded from a real server (`types/served.ts`), and the rules of each.
 *
 * They are stored kinds: no controller stands behind them, except for namespaces, definitions and garbage collection.
 */

import type { Clock } from "../../runtime/host.ts";
import { roleRules } from "./builtin/kinds/role.ts";
import { AUTOSCALER_CONVERSION } from "./builtin/kinds/autoscaler_conversion.ts";
import { configurationRules } from "./admission/configuration_rules.ts";
import { mutationBindingRules, mutationRules } from "./admission/mutation_rules.ts";
import { bindingRules, policyRules } from "./admission/policy_rules.ts";
import type { CelLoader } from "./cel/loader.ts";
import type { DefinitionParts } from "./cluster.ts";
import { builtinRules } from "./builtin/rules.ts";
import { EVENT_CONVERSION, EVENT_FIELDS } from "./builtin/kinds/event.ts";
import { groupOf, type Kind, type KindRules } from "./kinds.ts";
import type { Late } from "./late.ts";
import { PRIORITY_CLASSES, priorityClassRules } from "./builtin/kinds/priority_class.ts";
import { definitionRules } from "./lifecycle/definitions.ts";
import { BINDING_CELLS, HOOK_CELLS, policyCells } from "./builtin/kinds/admission_cells.ts";
import { serviceRules } from "./builtin/kinds/service.ts";
import type { Store } from "./store.ts";
import { complete, forgetEmpty } from "./types/completion.ts";
import { typeOfKind } from "./types/mod.ts";
import { type KindEntry, type ServedKind, servedKinds } from "./types/served.ts";

/** The subresources that are served here. */
const SUBRESOURCES = [
  "approval",
  "binding",
  "ephemeralcontainers",
  "eviction",
  "finalize",
  "scale",
  "status",
  "token",
];

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
  return servedKinds().map((entry) => {
    const { apiVersion, kind, served } = entry;
    const own = rulesOf({ group: groupOf(apiVersion), kind, served }, options);
    return toKind(options.store, entry, completing(own, { apiVersion, kind }));
  });
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
    settle(object, old, dryRun) {
      rules.settle?.(object, old, dryRun);
      forgetEmpty(object, type);
    },
  };
}

interface RuledKind {
  readonly group: string;
  readonly kind: string;
  readonly served: ServedKind;
}

function rulesOf(
  { group, kind, served }: RuledKind,
  { clock, cel, definitions, store, runsPods = false }: BuiltinOptions,
): KindRules {
  const now = () => clock.now();
  switch (kind) {
    case "CustomResourceDefinition":
      return definitionRules({ now, cel, definitions, store });
    case "MutatingWebhookConfiguration":
    case "ValidatingWebhookConfiguration":
      return { ...configurationRules(kind.startsWith("Mutating"), cel), cells: HOOK_CELLS };
    case "ValidatingAdmissionPolicy":
      return { ...policyRules(cel), cells: policyCells("spec.validations") };
    case "MutatingAdmissionPolicy":
      return { ...mutationRules(cel), cells: policyCells("spec.mutations") };
    case "ValidatingAdmissionPolicyBinding":
      return { ...bindingRules(), cells: BINDING_CELLS };
    case "MutatingAdmissionPolicyBinding":
      return { ...mutationBindingRules(), cells: BINDING_CELLS };
    case "Role":
    case "ClusterRole":
    case "RoleBinding":
    case "ClusterRoleBinding":
      return roleRules(kind);
    case "Service":
      return serviceRules(store.collection("services"));
    case "PriorityClass":
      return priorityClassRules(store.collection(PRIORITY_CLASSES), served.sealed);
    default:
      return builtinRules(kind, { group, now, store, runsPods }, served.sealed);
  }
}

function toKind(store: Store, { apiVersion, kind, served }: KindEntry, rules: KindRules): Kind {
  const [group = "", version = apiVersion] = apiVersion.includes("/") ? apiVersion.split("/") : [];
  const subresources = (served.subresources ?? []).filter((name) => SUBRESOURCES.includes(name)).sort();
  const storage = group === "" || kind === "Event" ? served.plural : `${served.plural}.${group}`;
  const keptFields = apiVersion === "events.k8s.io/v1" ? { keptFields: EVENT_FIELDS } : {};
  return {
    group,
    version,
    apiVersion,
    plural: served.plural,
    kind,
    listKind: `${kind}List`,
    singular: served.singular,
    shortcuts: served.short ?? [],
    categories: served.categories ?? [],
    subresources,
    namespaced: served.cluster !== true,
    preferred: apiVersion !== "autoscaling/v1",
    verbs: served.verbs,
    collection: store.collection(storage),
    custom: false,
    counted: served.counted ?? false,
    rules,
    createOnUpdate: served.createOnUpdate ?? false,
    unconditionalUpdate: served.conditional !== true,
    returnsDeleted: served.returnsDeleted ?? false,
    selectable: served.selectable ?? [],
    hash: served.hash,
    ...keptFields,
    ...(served.deprecation === undefined ? {} : { deprecation: served.deprecation }),
    ...(subresources.includes("scale") ? { scale: SCALE_PATHS } : {}),
    ...CONVERSIONS.get(apiVersion) ?? { storedIn: apiVersion },
  };
}
