/**
 * `@lotse/lotse/filters`: filters made of other filters.
 *
 * @example
 * ```ts
 * import { operator } from "@lotse/lotse";
 * import { all, not } from "@lotse/lotse/filters";
 *
 * const isLarge = ({ spec }: { spec: Record<string, unknown> }): boolean => Number(spec.size) > 100;
 * const isPaused = ({ spec }: { spec: Record<string, unknown> }): boolean => spec.paused === true;
 *
 * const op = operator();
 * op.on.create("volumes.example.com", { when: all([isLarge, not(isPaused)]) }, ({ logger }) => logger.info("Large"));
 * ```
 *
 * @module
 */

export {
  all,
  any,
  type ChangeFilterOptions,
  type FilterOptions,
  type MetaFilter,
  none,
  not,
  type ValueFilter,
} from "../handlers/filters.ts";
