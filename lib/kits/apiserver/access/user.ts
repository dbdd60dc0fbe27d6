/**
 * The user that asks.
 *
 * Source: Kubernetes documentation, "Authenticating"; k8s.io/apiserver, pkg/authentication/user.
 */

import type { JsonObject } from "../../../model/object.ts";

export interface User {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The group that may do everything, whatever roles there are. */
export const MASTERS = "system:masters";
export const AUTHENTICATED = "system:authenticated";

/** The user of the kubeconfig, and of calls in the process without credentials. */
export const ADMIN: User = { username: "kubernetes-admin", groups: [MASTERS, AUTHENTICATED] };

/** Returns a user as reviews show one: `UserInfo`. */
export function userInfo({ username, uid, groups, extra }: User): JsonObject {
  return {
    username,
    ...(uid === undefined ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups: [...groups] }),
    ...(extra === undefined || Object.keys(extra).length === 0 ? {} : { extra }),
  };
}
