/**
 * When two values of expressions are the same.
 */

/** NB: the evaluator compares what has types of its own only where it is told how. */
export function sameFields(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (a instanceof Map && b instanceof Map) {
    return a.size === b.size && [...a].every(([key, value]) => b.has(key) && sameFields(value, b.get(key)));
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => sameFields(item, b[index]));
  }
  return a instanceof Date && b instanceof Date && a.getTime() === b.getTime();
}
