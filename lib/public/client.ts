/**
 * `@lotse/lotse/client`: ways into a cluster, and their types.
 *
 * @module
 */

export { ApplyConflictError, type FieldConflict } from "../client/apply.ts";
export type { ApiClass } from "../client/api_classes.ts";
export type { ConnectionInfo, Credentials, Impersonation } from "../client/auth/connection_info.ts";
export type { KubeConfigCluster, KubeConfigLike, KubeConfigUser } from "../client/auth/kubeconfig_object.ts";
export {
  type GivenCredentials,
  type LoginInfo,
  type LoginSource,
  loginWithKubeconfig,
  loginWithServiceAccount,
} from "../client/auth/login.ts";
