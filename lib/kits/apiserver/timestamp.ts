/**
 * Moments as Kubernetes writes them.
 */

/** Returns the time in RFC 3339: whole seconds, UTC. */
export function timestamp(milliseconds: number): string {
  return new Date(Math.floor(milliseconds / 1000) * 1000).toISOString().replace(".000Z", "Z");
}
