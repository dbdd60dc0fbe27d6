/**
 * The types of what expressions about requests see, for checks of types before there is a request.
 *
 * Source: k8s.io/apiserver, pkg/admission/plugin/cel/compile.go and composition.go.
 */

import type { Kind } from "../kinds.ts";
import type { Engine, Environment } from "./engine.ts";
import { declareFields, KindTypes } from "./kind_types.ts";
import { AUTHORIZER } from "./library/authorizer.ts";

const NAME = { group: "string", version: "string" };
const REQUEST = "kubernetes.AdmissionRequest";
const NAMESPACE = "kubernetes.Namespace";
const VARIABLES = "kubernetes.variables";
const TIME = "google.protobuf.Timestamp";
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
  const fields: Record<string, string> = Object.create(null);
  for (const { name, expression } of variables) {
    const { type } = engine.typeOf(withVariables(base, fields), expression);
    if (/^[A-Za-z_]\w*$/.test(name)) fields[name] = typeOfVariable(type);
  }
  return withVariables(base, fields);
}

function declareAll(engine: Engine, { object, params }: RequestKinds): Environment {
  const environment = engine.environment();
  for (const [name, fields] of TYPES) declareFields(environment, name, fields);
  const types = new KindTypes(engine, environment);
  const type = types.declare(object);
  environment.registerVariable("object", type);
  environment.registerVariable("oldObject", type);
  environment.registerVariable("request", REQUEST);
  environment.registerVariable("namespaceObject", NAMESPACE);
  environment.registerVariable("authorizer", AUTHORIZER);
  if (params !== undefined) environment.registerVariable("params", types.declare(params));
  return environment;
}

function withVariables(base: Environment, fields: Readonly<Record<string, string>>): Environment {
  const environment = base.clone();
  declareFields(environment, VARIABLES, { ...fields });
  return environment.registerVariable("variables", VARIABLES);
}

const KEPT = new Set(["string", "bool", "int", "uint", "double", "bytes", "list", "map", "dyn", TIME]);

/** NB: the real server, too, forgets the fields of an object that is kept in a variable. */
function typeOfVariable(type: string | undefined): string {
  if (type === undefined || type.startsWith("optional")) return "dyn";
  return type.replaceAll(/[\w.]+/g, (word) => KEPT.has(word) ? word : "dyn");
}
