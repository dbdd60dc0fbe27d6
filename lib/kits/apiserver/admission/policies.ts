/**
 * ValidatingAdmissionPolicies: refusals by expressions, where bindings put them in force.
 *
 * Source: k8s.io/apiserver, pkg/admission/plugin/policy/validating; Kubernetes documentation, "Validating Admission Policy".
 */

import type { JsonObject, KubeObject } from "../../../model/object.ts";
import type { Engine } from "../cel/engine.ts";
import { compileForRequest, requestValues } from "../cel/requests.ts";
import type { Cluster } from "../cluster.ts";
import type { Kind } from "../kinds.ts";
import type { Admission } from "../parts.ts";
import { forbidden, Refusal } from "../refusal.ts";
import { isObject, objectsIn } from "../values.ts";
import { type Attributes, shownName } from "./attributes.ts";
import { Conditions } from "./conditions.ts";
import { hasMutations, mutationsOf } from "./mutations.ts";
import { addVariables, factsOf, isExcluded, matchedBy, paramsFor } from "./policy_parts.ts";

const POLICIES = "validatingadmissionpolicies.admissionregistration.k8s.io";
const BINDINGS = "validatingadmissionpolicybindings.admissionregistration.k8s.io";

/** Returns the part that asks policies of both sorts: MutatingAdmissionPolicies and ValidatingAdmissionPolicies. */
export function policies(cluster: Cluster): Admission {
  const isInForce = () =>
    cluster.store.collection(BINDINGS).size > 0 && cluster.store.collection(POLICIES).size > 0;
  return {
    concerns: () => isInForce() || hasMutations(cluster),
    mutators: () => mutationsOf(cluster),
    validate: (attributes) => isInForce() ? checkPolicies(cluster, attributes) : undefined,
  };
}

/**
 * Asks all policies, so that no warnings are lost.
 *
 * @throws {Refusal} The refusal of the first one that denies the request.
 */
async function checkPolicies(cluster: Cluster, attributes: Attributes): Promise<void> {
  const bindings = [...cluster.store.collection(BINDINGS).values()].map(({ object }) => object);
  const refusals: Refusal[] = [];
  for (const { object: policy } of cluster.store.collection(POLICIES).values()) {
    const own = bindings.filter(({ spec }) => isObject(spec) && spec.policyName === policy.metadata.name);
    if (own.length > 0) refusals.push(...await new PolicyCheck(cluster, policy, attributes).run(own));
  }
  if (refusals[0] !== undefined) throw refusals[0];
}

/** The view of one request that expressions of a policy have. */
interface Scope {
  readonly values: Readonly<Record<string, unknown>>;
  /** Why variables could not be evaluated, by name. */
  readonly errors: ReadonlyMap<string, string>;
  readonly names: { readonly params: boolean; readonly variables?: readonly string[] };
}

interface Denial {
  readonly message: string;
  readonly reason?: unknown;
  /** It is about an annotation for the audit log, and counts whatever the actions of the binding are. */
  readonly isAudit?: boolean;
  /** Of the validation. */
  readonly index?: number;
}

interface Evaluated {
  readonly param: KubeObject | undefined;
  /** The values of annotations for the audit log, by their keys; the values for several parameters stand in one. */
  readonly noted: Map<string, Set<string>>;
}

/** Of an annotation's value. */
const LONGEST = 10 * 1024;

/** One policy about one request. */
class PolicyCheck {
  readonly #cluster: Cluster;
  readonly #policy: KubeObject;
  readonly #spec: JsonObject;
  readonly #attributes: Attributes;

  constructor(cluster: Cluster, policy: KubeObject, attributes: Attributes) {
    this.#cluster = cluster;
    this.#policy = policy;
    this.#spec = isObject(policy.spec) ? policy.spec : {};
    this.#attributes = attributes;
  }

  async run(bindings: readonly KubeObject[]): Promise<Refusal[]> {
    const refusals: Refusal[] = [];
    const attributes = this.#attributes;
    const shown = matchedBy(this.#cluster, this.#spec.matchConstraints, attributes);
    if (shown === undefined) return refusals;
    const noted = new Map<string, Set<string>>();
    for (const binding of bindings) {
      const spec = isObject(binding.spec) ? binding.spec : {};
      if (isExcluded(this.#cluster, spec, attributes)) continue;
      const actions = Array.isArray(spec.validationActions) ? spec.validationActions : [];
      const { namespace } = attributes;
      const params = paramsFor(this.#cluster, spec, { policy: this.#spec, namespace });
      if (typeof params === "string") {
        // NB: a faulty binding denies, whatever its actions are.
        const wrong = this.#failed(`failed to configure binding: ${params}`);
        refusals.push(...wrong.map((denial) => this.#denied(denial, binding)));
        continue;
      }
      for (const param of params) {
        for (const denial of await this.#evaluate(shown, { param, noted })) {
          if (denial.isAudit !== true && actions.includes("Warn")) this.#warn(denial, binding);
          if (denial.isAudit !== true && actions.includes("Audit")) this.#tell(denial, binding, actions);
          if (denial.isAudit === true || actions.includes("Deny")) {
            refusals.push(this.#denied(denial, binding));
          }
        }
      }
    }
    for (const [key, values] of noted) {
      attributes.annotate(`${this.#policy.metadata.name}/${key}`, [...values].join(", "));
    }
    return refusals;
  }

  async #evaluate(kind: Kind, { param, noted }: Evaluated): Promise<Denial[]> {
    const facts = await factsOf(this.#cluster, this.#attributes, { kind, param });
    const engine = this.#cluster.cel.engine;
    const params = isObject(this.#spec.paramKind);
    try {
      const conditions = new Conditions(engine, objectsIn(this.#spec.matchConditions), { params });
      if (!conditions.hold(facts)) return [];
    } catch (error) {
      return this.#failed(error instanceof Error ? error.message : String(error));
    }
    const values = { ...requestValues(facts), variables: undefined as unknown };
    const names = objectsIn(this.#spec.variables).map(({ name }) => String(name));
    const errors = addVariables(engine, values, { params, variables: this.#spec.variables });
    const scope = { values, errors, names: { params, ...(names.length > 0 ? { variables: names } : {}) } };
    const denials = objectsIn(this.#spec.validations).flatMap((validation, index): Denial[] => {
      const source = String(validation.expression ?? "");
      try {
        if (this.#valueOf(source, { scope, owner: validation, types: ["bool"] }) === true) return [];
      } catch (error) {
        const failed = this.#failed(error instanceof Error ? error.message : String(error));
        return failed.map((denial) => ({ ...denial, index }));
      }
      return [{ message: this.#message(engine, validation, scope), reason: validation.reason, index }];
    });
    return [...denials, ...this.#audit(scope, noted)];
  }

  /**
   * Evaluates the annotations for the audit log. They may fail as validations may. NB: it knows no authorizer, though it may name
   * it.
   */
  #audit({ values, ...rest }: Scope, noted: Evaluated["noted"]): Denial[] {
    const scope = { ...rest, values: { ...values, authorizer: undefined } };
    return objectsIn(this.#spec.auditAnnotations).flatMap((annotation): Denial[] => {
      const source = String(annotation.valueExpression ?? "").trim();
      try {
        const value = this.#valueOf(source, { scope, owner: annotation, types: AUDITED });
        const text = typeof value === "string" ? value.trim().slice(0, LONGEST) : "";
        const key = String(annotation.key);
        if (text !== "") noted.set(key, (noted.get(key) ?? new Set()).add(text));
        return [];
      } catch (error) {
        const failed = this.#failed(error instanceof Error ? error.message : String(error));
        return failed.map((denial) => ({ ...denial, isAudit: true }));
      }
    });
  }

  /** @throws {Error} If it cannot be evaluated. */
  #valueOf(
    source: string,
    { scope: { values, errors, names }, owner, types }: {
      readonly scope: Scope;
      readonly owner: JsonObject;
      readonly types: readonly string[];
    },
  ): unknown {
    const { program } = compileForRequest(this.#cluster.cel.engine, source, { ...names, owner, types });
    try {
      return program?.evaluate(values);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const cause = errors.get(/^no such key: (\w+)$/.exec(why)?.[1] ?? "") ?? why;
      throw new Error(`expression '${source}' resulted in error: ${cause}`, { cause: error });
    }
  }

  #message(engine: Engine, validation: JsonObject, { values, names }: Scope): string {
    const source = String(validation.messageExpression ?? "");
    const options = { ...names, owner: validation, types: ["string"], authorizer: false };
    const { program } = source === "" ? { program: undefined } : compileForRequest(engine, source, options);
    try {
      const text = String(program?.evaluate(values) ?? "").trim();
      if (text !== "" && !text.includes("\n") && text.length <= 5 * 1024) return text;
    } catch {
      // A message that cannot be made does not hide that the request is denied.
    }
    const message = String(validation.message ?? "").trim();
    return message === "" ? `failed expression: ${String(validation.expression ?? "").trim()}` : message;
  }

  #failed(message: string): Denial[] {
    return this.#spec.failurePolicy === "Ignore" ? [] : [{ message }];
  }

  #warn({ message }: Denial, { metadata }: KubeObject): void {
    this.#attributes.warn(
      `Validation failed for ValidatingAdmissionPolicy '${this.#policy.metadata.name}' with binding '${metadata.name}': ${message}`,
    );
  }

  #tell({ message, index = 0 }: Denial, { metadata, spec }: KubeObject, actions: readonly unknown[]): void {
    const failure = {
      message,
      policy: spec?.policyName,
      binding: metadata.name,
      expressionIndex: index,
      validationActions: actions,
    };
    const key = "validation.policy.admission.k8s.io/validation_failure";
    this.#attributes.annotate(key, JSON.stringify([failure]));
  }

  #denied({ message, reason }: Denial, { metadata }: KubeObject): Refusal {
    const { kind } = this.#attributes;
    const text =
      `ValidatingAdmissionPolicy '${this.#policy.metadata.name}' with binding '${metadata.name}' denied request: ${message}`;
    const { status } = forbidden(kind, shownName(this.#attributes), text);
    const known = typeof reason === "string" && reason !== "" ? reason : "Invalid";
    const details = { ...status.details, causes: [{ message: text }] };
    return new Refusal({ ...status, reason: known, details, code: CODES[known] ?? 422 });
  }
}

/** The types that values for the audit log may have. */
export const AUDITED: readonly string[] = ["string", "null"];

const CODES: Readonly<Record<string, number>> = {
  Forbidden: 403,
  Invalid: 422,
  RequestEntityTooLarge: 413,
};
