/** Kubeconfigs for tests: one context, one cluster, one user. */

import type { Source } from "../../lib/client/auth/kubeconfig_fields.ts";
import { type VirtualHost, virtualHost } from "../../lib/runtime/virtual/host.ts";

export const PEM = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";

/** The text of a kubeconfig whose parts are replaced by the given ones. */
export function configOf(
  parts: {
    readonly user?: Record<string, unknown>;
    readonly cluster?: Record<string, unknown>;
    readonly context?: Record<string, unknown>;
    readonly "current-context"?: string;
  } = {},
): string {
  const { user = {}, cluster = { server: "https://api.test" }, context = {} } = parts;
  return JSON.stringify({
    "apiVersion": "v1",
    "kind": "Config",
    "current-context": parts["current-context"] ?? "it",
    "contexts": [{ name: "it", context: { cluster: "c", user: "u", ...context } }],
    "clusters": [{ name: "c", cluster }],
    "users": [{ name: "u", user }],
  });
}

/** Where a user stands: "u" in "/kube/config". */
export function sourceOf(files: Record<string, string> = {}): Source & { readonly host: VirtualHost } {
  return { host: virtualHost({ files }), kind: "user", name: "u", path: "/kube/config" };
}

/** An id token that expires so many seconds after a time in milliseconds. */
export function idToken(now: number, seconds: number, name = "me"): string {
  const part = (value: object) =>
    btoa(JSON.stringify(value)).replaceAll("=", "").replaceAll("+", "-").replaceAll("/", "_");
  return `${part({ alg: "none" })}.${part({ name, exp: now / 1000 + seconds })}.c2ln`;
}
