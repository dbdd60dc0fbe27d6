/**
 * Expressions about requests: match conditions, and the expressions of policies.
 *
 * The values that such an expression sees have no schema here: `object`, `oldObject`, `params` and the like are checked when
 * it is evaluated. Source: k8s.io/apiserver, pkg/admission/plugin/cel.
 */

import type { JsonObject } from "../../../model/object.ts";
import type { Compiled, Engine } from "./engine.ts";
import type { Environment } from "./environment.ts";
import { addInitializers } from "./initializers.ts";
import { AUTHORIZER, type AuthorizerValue } from "./library/authorizer.ts";
import { toDynamic } from "./schema_types.ts";
import { DYN } from "./type.ts";

/** The names that expressions about a request can use. */
export interface RequestNames {
  /** `params` exists. Default: false. */
  readonly params?: boolean;
  /** The names below `variables`; undefined: there is no `variables`. */
  readonly variables?: readonly string[];
  /** `authorizer` exists. Default: true. */
  readonly authorizer?: boolean;
  /** It may make objects, by initializers. Default: false. */
  readonly patches?: boolean;
}

/** Returns an environment for expressions about requests. */
export function requestEnvironment(engine: Engine, options: RequestNames): Environment {
  const { params = false, variables, authorizer = true, patches = false } = options;
  const environment = engine.environment();
  if (patches) addInitializers(environment);
  for (const name of ["object", "oldObject", "request", "namespaceObject"]) {
    environment.variable(name, "dyn");
  }
  if (authorizer) environment.variable("authorizer", AUTHORIZER);
  if (params) environment.variable("params", "dyn");
  if (variables !== undefined) {
    const fields = new Map(variables.map((name) => [name, DYN]));
    environment.variable("variables", environment.object(VARIABLES, fields));
  }
  return environment;
}

export interface CompileRequestOptions extends RequestNames {
  /** The types that it may have; none: anything. */
  readonly types: readonly string[];
  /** The stored object that holds the expression: for it, it is compiled once. */
  readonly owner?: object;
}

/** Compiles an expression about a request. */
export function compileForRequest(engine: Engine, source: string, options: CompileRequestOptions): Compiled {
  const { owner, params, variables, authorizer, types, patches } = options;
  if (owner === undefined) return compileAnew(engine, source, options);
  const key = JSON.stringify([source, params, variables, authorizer, types, patches]);
  return engine.cached(owner, key, () => compileAnew(engine, source, options));
}

function compileAnew(engine: Engine, source: string, options: CompileRequestOptions): Compiled {
  const environment = requestEnvironment(engine, options);
  // NB: variables have the types of their expressions on the real server, and none here.
  const isUntyped = options.variables !== undefined && options.types.length > 0;
  return engine.compile(environment, source, isUntyped ? [...options.types, "dyn"] : options.types);
}

/** The type of `variables`. */
const VARIABLES = "kubernetes.variables";

/** A request as expressions see it. All but `request` may be absent. */
export interface RequestFacts {
  readonly object?: JsonObject;
  readonly oldObject?: JsonObject;
  readonly request: JsonObject;
  readonly namespaceObject?: JsonObject;
  readonly params?: JsonObject;
  readonly authorizer?: AuthorizerValue;
}

/** Returns the values of the variables. */
export function requestValues(
  { object, oldObject, request, namespaceObject, params, authorizer }: RequestFacts,
): Record<string, unknown> {
  return {
    object: toDynamic(object ?? null),
    oldObject: toDynamic(oldObject ?? null),
    request: toDynamic(request),
    namespaceObject: toDynamic(namespaceObject ?? null),
    params: toDynamic(params ?? null),
    authorizer,
  };
}
