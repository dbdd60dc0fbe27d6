/**
 * The types of what expressions about requests see, for checks of types before there is a request.
 *
 * Source: k8s.io/apiserver, pkg/admission/plugin/cel/compile.go and composition.go.
 */

import type { Kind } from "../kinds.ts";
import type { Engine } from "./engine.ts";
import type { Environment } from "./environment.ts";
import { KindTypes } from "./kind_types.ts";
import { AUTHORIZER } from "./library/authorizer.ts";
import { DYN, readType, type Type } from "./type.ts";

const NAME = { group: "string", version: "string" };
const REQUEST = "kubernetes.AdmissionRequest";
const NAMESPACE = "kubernetes.Namespace";
const VARIABLES = "kubernetes.variables";
const TIME = "timestamp";
const TEXTS = "map<string, string>";

/** By type, inner ones first. */
const TYPES: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ["kubernetes.GroupVersionKind", { ...NAME, kind: "string" }],
  ["kubernetes.GroupVersionResource", { ...NAME, resource: "string" }],
  ["kubernetes.UserInfo", {
    username: "string",
    uid: "string",
    groups: "list<string>",
    extra: "map<string, list<string>>",
  }],
  [REQUEST, {
    kind: "kubernetes.GroupVersionKind",
    resource: "kubernetes.GroupVersionResource",
    subResource: "string",
    requestKind: "kubernetes.GroupVersionKind",
    requestResource: "kubernetes.GroupVersionResource",
    requestSubResource: "string",
    name: "string",
    namespace: "string",
    operation: "string",
    userInfo: "kubernetes.UserInfo",
    dryRun: "bool",
    options: "dyn",
  }],
  ["kubernetes.NamespaceSpec", { finalizers: "list<string>" }],
  ["kubernetes.NamespaceCondition", {
    status: "string",
    type: "string",
    lastTransitionTime: TIME,
    message: "string",
    reason: "string",
  }],
  ["kubernetes.NamespaceStatus", { conditions: "list<kubernetes.NamespaceCondition>", phase: "string" }],
  ["kubernetes.NamespaceMetadata", {
    name: "string",
    generateName: "string",
    namespace: "string",
    labels: TEXTS,
    annotations: TEXTS,
    UID: "string",
    creationTimestamp: TIME,
    deletionGracePeriodSeconds: "int",
    deletionTimestamp: TIME,
    generation: "int",
    resourceVersion: "string",
    finalizers: "list<string>",
  }],
  [NAMESPACE, {
    metadata: "kubernetes.NamespaceMetadata",
    spec: "kubernetes.NamespaceSpec",
    status: "kubernetes.NamespaceStatus",
  }],
];

/** A variable of a policy. */
export interface Variable {
  readonly name: string;
  readonly expression: string;
}

/** The kinds that a policy is about. */
export interface RequestKinds {
  readonly object: Kind;
  /** The kind of the parameters, if it has any that is known. */
  readonly params?: Kind;
}

/** Returns an environment in which `object` has the type of a kind, and `variables` those of their expressions. */
export function typedEnvironment(
  engine: Engine,
  { object, params }: RequestKinds,
  variables: readonly Variable[],
): Environment {
  // NB: some hundred types are declared for a Pod. They are the same for all policies about a kind.
  const key = `types with ${params?.apiVersion} ${params?.kind}`;
  const base = engine.cached(object, key, () => declareAll(engine, { object, params }));
  const fields = new Map<string, Type>();
  for (const { name, expression } of variables) {
    const { type } = engine.typeOf(withVariables(base, fields), expression);
    if (/^[A-Za-z_]\w*$/.test(name)) fields.set(name, typeOfVariable(type));
  }
  return withVariables(base, fields);
}

function declareAll(engine: Engine, { object, params }: RequestKinds): Environment {
  const environment = engine.environment();
  for (const [name, fields] of TYPES) {
    const types = Object.entries(fields).map(([field, type]): [string, Type] => [field, readType(type)]);
    environment.object(name, new Map(types));
  }
  const types = new KindTypes(environment);
  const type = types.declare(object);
  environment.variable("object", type);
  environment.variable("oldObject", type);
  environment.variable("request", REQUEST);
  environment.variable("namespaceObject", NAMESPACE);
  environment.variable("authorizer", AUTHORIZER);
  if (params !== undefined) environment.variable("params", types.declare(params));
  return environment;
}

function withVariables(base: Environment, fields: ReadonlyMap<string, Type>): Environment {
  const environment = base.clone();
  return environment.variable("variables", environment.object(VARIABLES, new Map(fields)));
}

/** NB: the real server, too, forgets the fields of an object that is kept in a variable. */
function typeOfVariable(type: Type | undefined): Type {
  if (type === undefined || type.kind === "opaque" || type.kind === "object" || type.kind === "error") {
    return DYN;
  }
  return { ...type, params: type.params.map(typeOfVariable) };
}
