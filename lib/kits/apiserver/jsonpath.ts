/**
 * The part of JSONPath that printer columns and selectable fields need.
 */

/** Gives the values that a path such as `.status.conditions[?(@.type=="Ready")].status` finds, in order. */
export type JsonPath = (value: unknown) => unknown[];

/**
 * Compiles a path.
 *
 * @throws {SyntaxError} If it is not one.
 */
export function compileJsonPath(_path: string): JsonPath {
  return () => [];
}
