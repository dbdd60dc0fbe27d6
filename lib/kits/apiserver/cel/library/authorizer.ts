/**
 * Kubernetes' functions that ask who may do what.
 *
 * Source: Kubernetes documentation, "Kubernetes authorizer library"; k8s.io/apiserver, pkg/cel/library/authz.go. Roles know nothing
 * of selectors: they change no answer.
 */

import type { ResourceWish, Wish } from "../../access/attributes.ts";
import type { Decision } from "../../access/authorizer.ts";
import type { User } from "../../access/user.ts";
import { Failure, type FieldValue, type LibraryValue } from "../values.ts";
import type { Environment } from "../environment.ts";
import { objectType, type Type } from "../type.ts";
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
export class AuthorizerValue implements FieldValue {
  readonly fieldsOf: Type = objectType(AUTHORIZER);
  readonly principal: Principal;
  /** The resource that the request is about. Absent for others than its user. */
  readonly requestResource: ResourceCheck | undefined;

  constructor(principal: Principal, request?: Omit<ResourceWish, "verb">) {
    this.principal = principal;
    this.requestResource = request === undefined ? undefined : new ResourceCheck(principal, request);
  }

  get(field: string): unknown {
    return field === "requestResource" ? this.requestResource : undefined;
  }

  fields(): readonly string[] {
    return this.requestResource === undefined ? [] : ["requestResource"];
  }
}

class PathCheck implements LibraryValue {
  readonly typeName = PATH_CHECK;
  readonly principal: Principal;
  readonly path: string;

  constructor(principal: Principal, path: string) {
    this.principal = principal;
    this.path = path;
  }

  equals(other: unknown): boolean {
    return other === this;
  }
}

class GroupCheck implements LibraryValue {
  readonly typeName = GROUP_CHECK;
  readonly principal: Principal;
  readonly group: string;

  constructor(principal: Principal, group: string) {
    this.principal = principal;
    this.group = group;
  }

  equals(other: unknown): boolean {
    return other === this;
  }
}

class ResourceCheck implements LibraryValue {
  readonly typeName = RESOURCE_CHECK;
  readonly principal: Principal;
  readonly wish: Omit<ResourceWish, "verb">;

  constructor(principal: Principal, wish: Omit<ResourceWish, "verb">) {
    this.principal = principal;
    this.wish = wish;
  }

  with(changes: Partial<ResourceWish>): ResourceCheck {
    return new ResourceCheck(this.principal, { ...this.wish, ...changes });
  }

  equals(other: unknown): boolean {
    return other === this;
  }
}

class DecisionValue implements LibraryValue {
  readonly typeName = DECISION;
  readonly decision: Decision;

  constructor({ user, decide }: Principal, wish: Wish) {
    this.decision = decide(user, wish);
  }

  equals(other: unknown): boolean {
    return other === this;
  }
}

/** Adds them. */
export function addAuthorizerLibrary(environment: Environment): void {
  for (const name of [PATH_CHECK, GROUP_CHECK, RESOURCE_CHECK, DECISION]) environment.object(name, new Map());
  environment.object(AUTHORIZER, new Map([["requestResource", objectType(RESOURCE_CHECK)]]));
  const add = (signature: string, call: (...values: never[]) => unknown) =>
    environment.member(signature, call);
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
  if (text.trim() === "") throw new Failure(`${what} must not be empty`);
  return text;
}

function serviceAccount({ principal }: AuthorizerValue, namespace: string, name: string): AuthorizerValue {
  if (dnsSubdomainErrors(name).length > 0) throw new Failure("Invalid service account name");
  if (dnsLabelErrors(namespace).length > 0) throw new Failure("Invalid service account namespace");
  const groups = ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
  const user = { username: `system:serviceaccount:${namespace}:${name}`, groups };
  return new AuthorizerValue({ ...principal, user });
}
