/**
 * Kubernetes' functions that ask who may do what.
 *
 * Source: Kubernetes documentation, "Kubernetes authorizer library"; k8s.io/apiserver, pkg/cel/library/authz.go. Roles know nothing
 * of selectors: they change no answer.
 */

import type { Environment } from "@marcbachmann/cel-js";
import type { ResourceWish, Wish } from "../../access/attributes.ts";
import type { Decision } from "../../access/authorizer.ts";
import type { User } from "../../access/user.ts";
import { dnsLabelErrors, dnsSubdomainErrors } from "../../names.ts";

/** The type of the variable `authorizer`. */
export const AUTHORIZER = "kubernetes.authorization.Authorizer";
const PATH_CHECK = "kubernetes.authorization.PathCheck";
const GROUP_CHECK = "kubernetes.authorization.GroupCheck";
const RESOURCE_CHECK = "kubernetes.authorization.ResourceCheck";
const DECISION = "kubernetes.authorization.Decision";

/** A user, and who decides about them. */
export interface Principal {
  readonly user: User;
  decide(user: User, wish: Wish): Decision;
}

/** The value of the variable `authorizer`. */
export class AuthorizerValue {
  readonly principal: Principal;
  /** The resource that the request is about. Absent for others than its user. */
  readonly requestResource: ResourceCheck | undefined;

  constructor(principal: Principal, request?: Omit<ResourceWish, "verb">) {
    this.principal = principal;
    this.requestResource = request === undefined ? undefined : new ResourceCheck(principal, request);
  }
}

class PathCheck {
  readonly principal: Principal;
  readonly path: string;

  constructor(principal: Principal, path: string) {
    this.principal = principal;
    this.path = path;
  }
}

class GroupCheck {
  readonly principal: Principal;
  readonly group: string;

  constructor(principal: Principal, group: string) {
    this.principal = principal;
    this.group = group;
  }
}

class ResourceCheck {
  readonly principal: Principal;
  readonly wish: Omit<ResourceWish, "verb">;

  constructor(principal: Principal, wish: Omit<ResourceWish, "verb">) {
    this.principal = principal;
    this.wish = wish;
  }

  with(changes: Partial<ResourceWish>): ResourceCheck {
    return new ResourceCheck(this.principal, { ...this.wish, ...changes });
  }
}

class DecisionValue {
  readonly decision: Decision;

  constructor({ user, decide }: Principal, wish: Wish) {
    this.decision = decide(user, wish);
  }
}

/** Adds them. */
export function addAuthorizerLibrary(environment: Environment): void {
  environment.registerType(PATH_CHECK, { ctor: PathCheck, fields: {} });
  environment.registerType(GROUP_CHECK, { ctor: GroupCheck, fields: {} });
  environment.registerType(RESOURCE_CHECK, { ctor: ResourceCheck, fields: {} });
  environment.registerType(DECISION, { ctor: DecisionValue, fields: {} });
  environment.registerType(AUTHORIZER, {
    ctor: AuthorizerValue,
    fields: { requestResource: RESOURCE_CHECK },
  });
  const add = (signature: string, handler: (...values: never[]) => unknown) =>
    environment.registerFunction(signature, handler);
  add(
    `${AUTHORIZER}.path(string): ${PATH_CHECK}`,
    ({ principal }: AuthorizerValue, path: string) => new PathCheck(principal, filled(path, "path")),
  );
  add(
    `${AUTHORIZER}.group(string): ${GROUP_CHECK}`,
    ({ principal }: AuthorizerValue, group: string) => new GroupCheck(principal, group),
  );
  add(`${AUTHORIZER}.serviceAccount(string, string): ${AUTHORIZER}`, serviceAccount);
  add(
    `${GROUP_CHECK}.resource(string): ${RESOURCE_CHECK}`,
    ({ principal, group }: GroupCheck, resource: string) =>
      new ResourceCheck(principal, {
        group,
        resource: filled(resource, "resource"),
        subresource: "",
        namespace: "",
        name: "",
      }),
  );
  for (const part of ["subresource", "namespace", "name"] as const) {
    add(
      `${RESOURCE_CHECK}.${part}(string): ${RESOURCE_CHECK}`,
      (check: ResourceCheck, value: string) => check.with({ [part]: value }),
    );
  }
  for (const selector of ["fieldSelector", "labelSelector"]) {
    add(`${RESOURCE_CHECK}.${selector}(string): ${RESOURCE_CHECK}`, (check: ResourceCheck) => check);
  }
  add(
    `${PATH_CHECK}.check(string): ${DECISION}`,
    ({ principal, path }: PathCheck, verb: string) => new DecisionValue(principal, { verb, path }),
  );
  add(
    `${RESOURCE_CHECK}.check(string): ${DECISION}`,
    ({ principal, wish }: ResourceCheck, verb: string) => new DecisionValue(principal, { ...wish, verb }),
  );
  add(`${DECISION}.allowed(): bool`, ({ decision }: DecisionValue) => decision.allowed);
  add(`${DECISION}.reason(): string`, ({ decision }: DecisionValue) => decision.reason);
  // NB: roles always decide.
  add(`${DECISION}.errored(): bool`, () => false);
  add(`${DECISION}.error(): string`, () => "");
}

function filled(text: string, what: string): string {
  if (text.trim() === "") throw new RangeError(`${what} must not be empty`);
  return text;
}

function serviceAccount({ principal }: AuthorizerValue, namespace: string, name: string): AuthorizerValue {
  if (dnsSubdomainErrors(name).length > 0) throw new RangeError("Invalid service account name");
  if (dnsLabelErrors(namespace).length > 0) throw new RangeError("Invalid service account namespace");
  const groups = ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
  const user = { username: `system:serviceaccount:${namespace}:${name}`, groups };
  return new AuthorizerValue({ ...principal, user });
}
