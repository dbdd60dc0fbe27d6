/**
 * Users of a cluster, as its API server knows them. Source: Kubernetes API reference, UserInfo.
 */

/** Who makes a request, as the API server knows them. */
export interface UserInfo {
  /** Such as "system:serviceaccount:default:robot". */
  readonly username?: string;
  /** Unique over time. */
  readonly uid?: string;
  /** Its groups. */
  readonly groups?: readonly string[];
  /** Whatever the authenticator adds. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}
