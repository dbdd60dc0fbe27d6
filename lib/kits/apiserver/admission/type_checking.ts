/**
 * Whether the expressions of a ValidatingAdmissionPolicy fit the types of the kinds that it is about, as its status tells.
 *
 * The real server's controller does this a moment after a policy was written; here the same write does. Source: k8s.io/apiserver,
 * pkg/admission/plugin/policy/validating/typechecking.go; Kubernetes documentation, "Validating Admission Policy", "Type
 * checking".
 */

import type { JsonObject } from "../../../model/object.ts";
import type { Engine, Environment } from "../cel/engine.ts";
import { typedEnvironment } from "../cel/request_types.ts";
import type { Kind, Kinds } from "../kinds.ts";
import { objectAt, objectsIn } from "../values.ts";

/** No more kinds are looked at. */
const MOST = 10;

/** A warning about one expression. */
export interface ExpressionWarning {
  readonly fieldRef: string;
  readonly warning: string;
}

/** Returns what is wrong with the expressions of a policy, for the kinds that it names. */
export function typeWarnings(engine: Engine, kinds: Kinds, spec: JsonObject): ExpressionWarning[] {
  const environments = kindsOf(kinds, spec).map((object) => ({
    name: `${object.group}/${object.version}, Kind=${object.kind}`,
    environment: environmentOf(engine, { kinds, object, spec }),
  }));
  return objectsIn(spec.validations).flatMap((validation, index) =>
    ["expression", "messageExpression"].flatMap((field) => {
      const source = String(validation[field] ?? "");
      const found = source === "" ? [] : environments.flatMap(({ name, environment }) => {
        const { error } = engine.typeOf(environment, source);
        return error === undefined ? [] : [`${name}: ${error.replace(/^compilation failed: /, "")}\n`];
      });
      const fieldRef = `spec.validations[${index}].${field}`;
      return found.length === 0 ? [] : [{ fieldRef, warning: found.join("\n") }];
    })
  );
}

function environmentOf(
  engine: Engine,
  { kinds, object, spec }: { readonly kinds: Kinds; readonly object: Kind; readonly spec: JsonObject },
): Environment {
  const wanted = objectAt(spec, "paramKind");
  const found = kinds.named(String(wanted?.apiVersion), String(wanted?.kind));
  const params = found?.apiVersion === wanted?.apiVersion ? found : undefined;
  const variables = objectsIn(spec.variables).map(({ name, expression }) => ({
    name: String(name ?? ""),
    expression: String(expression ?? ""),
  }));
  return typedEnvironment(engine, { object, ...(params === undefined ? {} : { params }) }, variables);
}

/** The kinds that rules name without wildcards, in the order of their names. */
function kindsOf(kinds: Kinds, spec: JsonObject): Kind[] {
  const found = new Map<string, Kind>();
  for (const rule of objectsIn(objectAt(spec, "matchConstraints")?.resourceRules)) {
    let count = 0;
    for (const group of namesIn(rule.apiGroups, /\*/)) {
      for (const version of namesIn(rule.apiVersions, /\*/)) {
        for (const resource of namesIn(rule.resources, /[*/]/)) {
          const kind = kinds.at(group === "" ? version : `${group}/${version}`, resource);
          if (kind === undefined || count === MOST) continue;
          found.set(`${group}/${version}/${kind.kind}`, kind);
          count++;
        }
      }
    }
    if (count === MOST) break;
  }
  return [...found].sort(([a], [b]) => a < b ? -1 : 1).map(([, kind]) => kind);
}

/** The names in a list, in order; none at all if one of them may stand for several. */
function namesIn(list: unknown, several: RegExp): string[] {
  const names = Array.isArray(list) ? list.map(String) : [];
  return names.some((name) => several.test(name)) ? [] : names.sort();
}
