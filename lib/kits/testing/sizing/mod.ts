/**
 * Measures what objects cost an operator. For the command `lotse size`, whose first process plans, and whose second one measures:
 * `size_plan.ts` is a door of its own, since it brings an API server with it.
 *
 * @module
 */

export { type Measured, type MeasuredKind, type MeasureOptions, measureSize } from "./measure_size.ts";
export type { PlannedKind, SizePlan } from "./planned_kind.ts";
