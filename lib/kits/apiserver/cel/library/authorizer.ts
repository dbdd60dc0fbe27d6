/**
 * Kubernetes' functions that ask about the rights of users.
 *
 * Source: Kubernetes documentation, "Kubernetes authorizer library"; k8s.io/apiserver, pkg/cel/library/authz.go. Roles do
 * not know selectors: these change no answer.
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

/** A user, and the authorizer that decides about them. */
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
    this.requestResource = request === undefined ? undefined : resourceCheck(principal, request);
  }

  get(field: string): unknown {
    return field === "requestResource" ? this.requestResource : undefined;
  }

  fields(): readonly string[] {
    return this.requestResource === undefined ? [] : ["requestResource"];
  }
}

/** A value of the library that equals itself alone. */
class Check<T> implements LibraryValue {
  readonly typeName: string;
  readonly principal: Principal;
  readonly about: T;

  constructor(typeName: string, principal: Principal, about: T) {
    this.typeName = typeName;
    this.principal = principal;
    this.about = about;
  }

  equals(other: unknown): boolean {
    return other === this;
  }
}

type ResourceCheck = Check<Omit<ResourceWish, "verb">>;

function resourceCheck(principal: Principal, about: ResourceCheck["about"]): ResourceCheck {
  return new Check(RESOURCE_CHECK, principal, about);
}

function decided(principal: Principal, wish: Wish): Check<Decision> {
  return new Check(DECISION, principal, principal.decide(principal.user, wish));
}

/** Adds them. */
export function addAuthorizerLibrary(environment: Environment): void {
  for (const name of [PATH_CHECK, GROUP_CHECK, RESOURCE_CHECK, DECISION]) environment.object(name, new Map());
  environment.object(AUTHORIZER, new Map([["requestResource", objectType(RESOURCE_CHECK)]]));
  const add = (signature: string, call: (...values: never[]) => unknown) =>
    environment.member(signature, call);
  add(
    `${AUTHORIZER}.path(string): ${PATH_CHECK}`,
    ({ principal }: AuthorizerValue, path: string) => new Check(PATH_CHECK, principal, filled(path, "path")),
  );
  add(
    `${AUTHORIZER}.group(string): ${GROUP_CHECK}`,
    ({ principal }: AuthorizerValue, group: string) => new Check(GROUP_CHECK, principal, group),
  );
  add(`${AUTHORIZER}.serviceAccount(string, string): ${AUTHORIZER}`, serviceAccount);
  add(
    `${GROUP_CHECK}.resource(string): ${RESOURCE_CHECK}`,
    ({ principal, about: group }: Check<string>, resource: string) =>
      resourceCheck(principal, {
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
      ({ principal, about }: ResourceCheck, value: string) =>
        resourceCheck(principal, { ...about, [part]: value }),
    );
  }
  for (const selector of ["fieldSelector", "labelSelector"]) {
    add(`${RESOURCE_CHECK}.${selector}(string): ${RESOURCE_CHECK}`, (check: ResourceCheck) => check);
  }
  add(
    `${PATH_CHECK}.check(string): ${DECISION}`,
    ({ principal, about: path }: Check<string>, verb: string) => decided(principal, { verb, path }),
  );
  add(
    `${RESOURCE_CHECK}.check(string): ${DECISION}`,
    ({ principal, about }: ResourceCheck, verb: string) => decided(principal, { ...about, verb }),
  );
  add(`${DECISION}.allowed(): bool`, ({ about }: Check<Decision>) => about.allowed);
  add(`${DECISION}.reason(): string`, ({ about }: Check<Decision>) => about.reason);
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
