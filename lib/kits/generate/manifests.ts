/**
 * Everything that a cluster needs to run an operator, as files: for kubectl, or as a Kustomize base (see helm.ts for charts).
 */

import { formatYaml } from "../../runtime/yaml.ts";
import type { KubeObject } from "../../model/object.ts";
import type { DeclaredHandler } from "../../registry/declared.ts";
import { declaredKinds } from "../../registry/declared_kinds.ts";
import { hasConversion } from "../../registry/resource.ts";
import {
  budgetOf,
  deploymentOf,
  type DeploymentOptions,
  monitoringOf,
  namespaceOf,
  networkPolicyOf,
  servicesOf,
} from "./deployment.ts";
import { tracesOf } from "../../registry/traces.ts";
import type { Settings } from "../../settings/settings.ts";
import { configurationsOf, webhooksOf } from "./webhooks.ts";

/** The roles of an operator, as the rights kit makes them. */
export interface Roles {
  /** ServiceAccount, roles and bindings. */
  readonly manifests: readonly KubeObject[];
  /** Sentences about handlers whose rights cannot be told from the declarations. */
  readonly unknown: readonly string[];
  /** Sentences about handlers that may need more than that. */
  readonly unseen: readonly string[];
}

/** The manifests to make. */
export interface ManifestsOptions extends Omit<DeploymentOptions, "settings" | "traces" | "webhooks"> {
  readonly operators: readonly {
    readonly declared: readonly DeclaredHandler[];
    readonly settings: Settings;
  }[];
  /** CustomResourceDefinitions of the kinds with schemas, as the definitions kit makes them. */
  readonly crds: readonly KubeObject[];
  readonly roles: Roles;
  /** Where webhooks are served. Default: as the code says, else 9443. */
  readonly webhookPort?: number;
  /** The exports of the operator's modules, for kinds that no handler is for. */
  readonly exports?: readonly unknown[];
}

/** Manifests by their purpose. */
export interface Manifests {
  /** CustomResourceDefinitions of the kinds with schemas. */
  readonly crds: readonly KubeObject[];
  readonly namespace: KubeObject;
  /** ServiceAccount, roles and bindings. */
  readonly rbac: readonly KubeObject[];
  /** Deployment, Services, PodDisruptionBudget, webhook configurations. */
  readonly operator: readonly KubeObject[];
  /** ServiceMonitor and PrometheusRule. */
  readonly monitoring: readonly KubeObject[];
  readonly networkPolicy: KubeObject;
  readonly unknown: Roles["unknown"];
  readonly unseen: Roles["unseen"];
}

/** A text by the path of its file. */
export type FileTexts = ReadonlyMap<string, string>;

/** Makes all manifests. @throws {TypeError} If the code says otherwise than the options. */
export function makeManifests(options: ManifestsOptions): Manifests {
  const { operators, exports, crds, roles } = options;
  const [first] = operators;
  if (first === undefined) throw new TypeError("Cannot make manifests without an operator");
  const kinds = declaredKinds({ operators, exports });
  const hasWebhooks = kinds.some(hasConversion) ||
    operators.some(({ declared }) =>
      declared.some(({ cause }) => cause === "validate" || cause === "mutate")
    );
  const webhooks = hasWebhooks ? webhooksOf(options) : undefined;
  const deployment = { ...options, webhooks, settings: first.settings, traces: tracesOf(options) };
  return {
    crds,
    namespace: namespaceOf(deployment),
    rbac: roles.manifests,
    operator: [
      deploymentOf(deployment),
      ...servicesOf(deployment),
      budgetOf(deployment),
      ...configurationsOf(options),
    ],
    monitoring: monitoringOf(deployment),
    networkPolicy: networkPolicyOf(deployment),
    unknown: roles.unknown,
    unseen: roles.unseen,
  };
}

/** Further wishes. */
export interface FormatOptions {
  readonly monitoring: boolean;
  readonly networkPolicy: boolean;
}

/** Writes manifests as one stream of documents, in the order in which they are to be applied. */
export function toYaml(manifests: Manifests, { monitoring, networkPolicy }: FormatOptions): string {
  return formatAll([
    ...manifests.crds,
    manifests.namespace,
    ...manifests.rbac,
    ...manifests.operator,
    ...monitoring ? manifests.monitoring : [],
    ...networkPolicy ? [manifests.networkPolicy] : [],
  ]);
}

/**
 * Writes manifests as a Kustomize base, with a component each for monitoring and the network policy.
 *
 * Source: Kustomize, "kustomization" and "components".
 */
export function toKustomize(manifests: Manifests, { monitoring, networkPolicy }: FormatOptions): FileTexts {
  const component = (resource: string): string =>
    formatAll([{ apiVersion: "kustomize.config.k8s.io/v1alpha1", kind: "Component", resources: [resource] }]);
  const resources = new Map<string, readonly KubeObject[]>([
    ["crds.yaml", manifests.crds],
    ["namespace.yaml", [manifests.namespace]],
    ["rbac.yaml", manifests.rbac],
    ["operator.yaml", manifests.operator],
  ]);
  const files = new Map<string, string>();
  for (const [file, objects] of resources) if (objects.length > 0) files.set(file, formatAll(objects));
  const components = [
    ...monitoring ? ["components/monitoring"] : [],
    ...networkPolicy ? ["components/network-policy"] : [],
  ];
  const base = {
    apiVersion: "kustomize.config.k8s.io/v1beta1",
    kind: "Kustomization",
    resources: [...files.keys()],
    ...components.length > 0 && { components },
  };
  return new Map([
    ["kustomization.yaml", formatAll([base])],
    ...files,
    ["components/monitoring/kustomization.yaml", component("monitoring.yaml")],
    ["components/monitoring/monitoring.yaml", formatAll(manifests.monitoring)],
    ["components/network-policy/kustomization.yaml", component("network-policy.yaml")],
    ["components/network-policy/network-policy.yaml", formatAll([manifests.networkPolicy])],
  ]);
}

function formatAll(objects: readonly object[]): string {
  return objects.map((object) => formatYaml(object)).join("---\n");
}
