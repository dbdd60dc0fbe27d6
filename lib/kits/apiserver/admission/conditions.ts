/**
 * Match conditions of webhooks and policies.
 *
 * Source: k8s.io/apiserver, pkg/admission/plugin/webhook/matchconditions; k8s.io/kubernetes,
 * pkg/apis/admissionregistration/validation.
 */

import type { JsonObject } from "../../../model/object.ts";
import { type Cause, duplicate, invalid, required, tooMany } from "../causes.ts";
import type { Engine, Program } from "../cel/engine.ts";
import { compileForRequest, type RequestFacts, requestValues } from "../cel/requests.ts";
import { qualifiedNameErrors } from "../names.ts";
import { objectsIn } from "../values.ts";

const MOST = 64;

/** Returns the faults of a list of match conditions. */
export function conditionCauses(
  engine: Engine,
  conditions: unknown,
  { at, params = false }: { readonly at: string; readonly params?: boolean },
): Cause[] {
  const list = objectsIn(conditions);
  const names = new Set<unknown>();
  const causes = list.length > MOST ? [tooMany(at, { actual: list.length, maximum: MOST })] : [];
  for (const [index, { name = "", expression = "" }] of list.entries()) {
    const text = String(expression).trim();
    if (text === "") causes.push(required(`${at}[${index}].expression`));
    else {causes.push(
        ...expressionCauses(engine, text, { at: `${at}[${index}].expression`, types: ["bool"], params }),
      );}
    if (name === "") causes.push(required(`${at}[${index}].name`));
    for (const detail of name === "" ? [] : qualifiedNameErrors(String(name))) {
      causes.push(invalid(`${at}[${index}].name`, { value: name, detail }));
    }
    if (name !== "" && names.has(name)) causes.push(duplicate(`${at}[${index}].name`, name));
    names.add(name);
  }
  return causes;
}

export interface ExpressionPlace {
  readonly at: string;
  readonly types: readonly string[];
  readonly params?: boolean;
  readonly variables?: readonly string[];
  readonly authorizer?: boolean;
  readonly patches?: boolean;
}

/** Returns the faults of one expression about requests. */
export function expressionCauses(
  engine: Engine,
  source: string,
  { at, ...options }: ExpressionPlace,
): Cause[] {
  const { error } = compileForRequest(engine, source, options);
  if (error === undefined) return [];
  return [
    invalid(at, { value: source, detail: error }),
  ];
}

/** Evaluates conditions that were checked when they were declared. */
export class Conditions {
  readonly #programs: readonly { readonly source: string; readonly program: Program }[];

  constructor(
    engine: Engine,
    conditions: readonly JsonObject[],
    { params = false }: { readonly params?: boolean } = {},
  ) {
    this.#programs = conditions.flatMap((condition) => {
      const source = String(condition.expression ?? "").trim();
      const { program } = compileForRequest(engine, source, { types: ["bool"], params, owner: condition });
      return program === undefined ? [] : [{ source, program }];
    });
  }

  /**
   * Tells whether all hold.
   *
   * @throws {Error} If one cannot be evaluated, and none is false.
   */
  hold(facts: RequestFacts): boolean {
    const values = requestValues(facts);
    const errors: string[] = [];
    for (const { source, program } of this.#programs) {
      try {
        if (program.evaluate(values) === false) return false;
      } catch (error) {
        errors.push(
          `expression '${source}' resulted in error: ${error instanceof Error ? error.message : error}`,
        );
      }
    }
    if (errors.length === 0) return true;
    throw new Error(errors.length === 1 ? errors[0] : `[${errors.join(", ")}]`);
  }
}
