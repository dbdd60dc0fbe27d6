/**
 * Optional values, as far as the package leaves them out: the macros `optMap` and `optFlatMap`, and their equality.
 *
 * Source: cel-go, cel/library.go, OptionalTypes. A macro is expanded when an expression is parsed, and comes back to be
 * checked and evaluated; what it is given there has no types, so that only what is used of it is described here.
 */

import { Environment } from "@marcbachmann/cel-js";
import { sameFields } from "../equality.ts";

interface Type {
  readonly kind: string;
  readonly valueType?: Type;
}

interface Scope {
  forkWithVariable(name: string, type: Type): Scope;
  reuse(parent: Scope): Scope;
  setIterValue(value: unknown, evaluator: unknown): Scope;
}

interface Node {
  readonly op: string;
  readonly args: unknown;
}

interface Checker {
  readonly registry: { getOptionalType(type: Type): Type };
  check(node: Node, scope: Scope): Type;
  getType(name: string): Type;
}

interface Evaluator {
  run(node: Node, scope: Scope): unknown;
}

interface Optional {
  hasValue(): boolean;
  value(): unknown;
}

interface Macro {
  readonly receiver: Node;
  readonly variable: string;
  readonly body: Node;
  scope?: Scope;
}

/** Adds them. */
export function addOptionals(environment: Environment): void {
  environment.registerOperator(
    "optional<A> == optional<A>",
    (a: Optional, b: Optional) =>
      a.hasValue() && b.hasValue() ? sameFields(a.value(), b.value()) : a.hasValue() === b.hasValue(),
  );
  const loose = new Environment({ enableOptionalTypes: true, unlistedVariablesAreDyn: true });
  const wrap = loose.parse("optional.of(value)");
  for (const isFlat of [false, true]) {
    environment.registerFunction(
      `optional.${isFlat ? "optFlatMap" : "optMap"}(ast, ast): optional<dyn>`,
      ({ args: [variable, body], receiver }: { readonly args: readonly Node[]; readonly receiver: Node }) => {
        if (variable?.op !== "id" || body === undefined) {
          throw new SyntaxError("argument must be a simple name");
        }
        return {
          receiver,
          variable: String(variable.args),
          body,
          typeCheck: (checker: Checker, macro: Macro, scope: Scope) =>
            check(checker, macro, { scope, isFlat }),
          evaluate(evaluator: Evaluator, macro: Macro, scope: Scope) {
            // The receiver was checked to be optional.
            const found = evaluator.run(macro.receiver, scope) as Optional;
            if (!found.hasValue() || macro.scope === undefined) return found;
            const inner = macro.scope.reuse(scope).setIterValue(found.value(), evaluator);
            const result = evaluator.run(macro.body, inner);
            return isFlat ? result : wrap({ value: result });
          },
        };
      },
    );
  }
}

function check(
  checker: Checker,
  macro: Macro,
  { scope, isFlat }: { readonly scope: Scope; readonly isFlat: boolean },
): Type {
  const { valueType = checker.getType("dyn") } = checker.check(macro.receiver, scope);
  macro.scope = scope.forkWithVariable(macro.variable, valueType);
  const type = checker.check(macro.body, macro.scope);
  return isFlat ? type : checker.registry.getOptionalType(type);
}
