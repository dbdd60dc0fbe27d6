/**
 * How the API server of a cluster reaches the webhooks of an operator: by the Service and the port that its code names, so that
 * code and manifests cannot differ.
 */

import { labelsOf } from "../../model/labels.ts";
import type { KubeObject } from "../../model/object.ts";
import type { AdmissionServer, WebhookClientConfig } from "../../settings/admission_server.ts";

export interface WebhookOptions {
  readonly operators: readonly {
    readonly settings: { readonly admission: { readonly server: AdmissionServer | null } };
  }[];
  /** The operator's name. Where the code names no Service, it is that with "-webhook". */
  readonly name: string;
  /** The namespace in which the operator lives. */
  readonly home: string;
  /** Where it listens. Default: as the code says, else 9443. */
  readonly webhookPort?: number;
}

/** A way to the webhooks. */
export interface Webhooks {
  /** The name of the Service. */
  readonly service: string;
  /** The port of the container. */
  readonly port: number;
}

/** The port on which webhook servers listen in a cluster, unless the options name another one. */
const WEBHOOK_PORT = 9443;

/** Finds the way. @throws {TypeError} If the code says otherwise than the options. */
export function webhooksOf({ operators, name, home, webhookPort }: WebhookOptions): Webhooks {
  for (const { settings: { admission: { server } } } of operators) {
    if (server === null || typeof server === "function") continue;
    const { port, service } = server;
    if (port === undefined && service === undefined) continue;
    if (service?.namespace !== undefined && service.namespace !== home) {
      throw new TypeError(
        `Cannot lead to the Service "${service.name}": the code says that it is in the namespace "${service.namespace}", and ` +
          `the operator is to be in "${home}" (leave the namespace out of the code, or give --home ${service.namespace})`,
      );
    }
    if (port !== undefined && webhookPort !== undefined && port !== webhookPort) {
      throw new TypeError(
        `Cannot lead to port ${webhookPort}: the code says that webhooks are served on port ${port} (leave --webhook-port out)`,
      );
    }
    return { service: service?.name ?? `${name}-webhook`, port: port ?? webhookPort ?? WEBHOOK_PORT };
  }
  return { service: `${name}-webhook`, port: webhookPort ?? WEBHOOK_PORT };
}

/** The kind of configurations for each cause of handlers. */
const CONFIGURATIONS: Readonly<Record<string, string>> = {
  validate: "ValidatingWebhookConfiguration",
  mutate: "MutatingWebhookConfiguration",
};

export interface ConfigurationsOptions {
  readonly operators: readonly {
    readonly declared: readonly { readonly cause: string }[];
    readonly settings: { readonly admission: { readonly managed: string | null } };
  }[];
  /** The operator's name. */
  readonly name: string;
}

/**
 * Returns the configurations that an operator manages, without webhooks: the operator fills them, and does not make them again
 * when they go with the other manifests. A list here would switch webhooks off again whenever the manifests are applied.
 */
export function configurationsOf({ operators, name }: ConfigurationsOptions): KubeObject[] {
  const found = new Map<string, KubeObject>();
  for (const { declared, settings: { admission: { managed } } } of operators) {
    if (managed === null) continue;
    for (const [cause, kind] of Object.entries(CONFIGURATIONS)) {
      if (!declared.some((handler) => handler.cause === cause)) continue;
      const metadata = { name: managed, labels: labelsOf(name) };
      found.set(`${kind} ${managed}`, { apiVersion: "admissionregistration.k8s.io/v1", kind, metadata });
    }
  }
  return [...found.values()];
}

/** Returns the way to an operator in a cluster that converts objects: the Service of its manifests. */
export function converterOf(options: WebhookOptions): WebhookClientConfig {
  const { service } = webhooksOf(options);
  return { service: { namespace: options.home, name: service, path: "/convert", port: 443 } };
}
