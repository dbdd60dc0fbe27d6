/**
 * Comparing resource versions.
 *
 * Since Kubernetes 1.35 they are officially decimal numbers that grow (KEP-5504), and they always were in etcd. They
 * may outgrow 2^53, so they are compared as strings. Servers that use anything else get no order at all: undefined.
 */

const DECIMAL = /^[0-9]+$/;

/** Returns -1, 0 or 1 as `a` is older, the same or newer; undefined if one is missing or not a decimal number. */
export function compareVersions(a: string | undefined, b: string | undefined): -1 | 0 | 1 | undefined {
  if (typeof a !== "string" || typeof b !== "string" || !DECIMAL.test(a) || !DECIMAL.test(b)) {
    return undefined;
  }
  const left = a.replace(/^0+/, "");
  const right = b.replace(/^0+/, "");
  if (left.length !== right.length) return left.length < right.length ? -1 : 1;
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** Tells whether `a` is newer than `b`; undefined if they cannot be compared. */
export function isNewer(a: string | undefined, b: string | undefined): boolean | undefined {
  const order = compareVersions(a, b);
  return order === undefined ? undefined : order > 0;
}
