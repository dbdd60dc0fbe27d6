/** `operator()`, with the work of kits that its options ask for: kits know the operator, and it knows none. */

import { applyDefinitions, checkFields } from "../kits/definitions/mod.ts";
import { checkRights, RightsFile } from "../kits/rights/mod.ts";
import type { Extras } from "../operator/extras.ts";
import { Operator, type OperatorOptions } from "../operator/operator.ts";
import type { PlainMemo } from "../handlers/arguments.ts";
import { pointTo } from "../runtime/call_site.ts";

const EXTRAS: Extras = {
  applyDefinitions,
  checks: [checkRights, checkFields],
  openRecord: (options) => RightsFile.open(options),
};

/**
 * Makes an operator, to which handlers are added.
 *
 * With a type, `operator<Memo>()`, the `memo` of all its handlers has that type; else it is a record of anything.
 *
 * @throws {TypeError} If a setting is unknown or of the wrong kind.
 * @example
 * ```ts
 * import { operator } from "@lotse/lotse";
 *
 * const op = operator({ execution: { defaultBackoff: 10 } });
 *
 * op.on.create("databases.example.com", ({ name, logger }) => {
 *   logger.info("Hello", { name });
 * });
 * ```
 */
export function operator<Memo extends object = PlainMemo>(
  options?: OperatorOptions<NoInfer<Memo>>,
): Operator<Memo>;
/** The same without a type. The last overload, so that `ReturnType<typeof operator>` is the plain one. */
export function operator(options?: OperatorOptions): Operator;
export function operator<Memo extends object>(options: OperatorOptions<Memo> = {}): Operator<Memo> {
  try {
    return new Operator<Memo>(options, EXTRAS);
  } catch (error) {
    pointTo(error, operator);
    throw error;
  }
}
