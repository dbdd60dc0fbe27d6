/**
 * Moments as Kubernetes writes them.
 */

/** Returns the time in RFC 3339: whole seconds, UTC. */
export function timestamp(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, -5)}Z`;
}
