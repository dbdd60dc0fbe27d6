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
import { forbidden, Refusal } from "../refusal.ts";
import { isObject, objectsIn } from "../values.ts";
import { type Attributes, shownName } from "./attributes.ts";
import { Conditions } from "./conditions.ts";
import { addVariables, factsOf, isExcluded, matchedBy, paramsFor } from "./policy_parts.ts";

const POLICIES = "validatingadmissionpolicies.admissionregistration.k8s.io";
const BINDINGS = "validatingadmissionpolicybindings.admissionregistration.k8s.io";

/** Whether any policy is in force. */
export function hasPolicies({ store }: Cluster): boolean {
  return store.collection(BINDINGS).size > 0 && store.collection(POLICIES).size > 0;
}

/**
 * Asks the policies.
 *
 * @throws {Refusal} If one denies the request.
 */
export async function checkPolicies(cluster: Cluster, attributes: Attributes): Promise<void> {
  const bindings = [...cluster.store.collection(BINDINGS).values()].map(({ object }) => object);
  for (const { object: policy } of cluster.store.collection(POLICIES).values()) {
    const own = bindings.filter(({ spec }) => isObject(spec) && spec.policyName === policy.metadata.name);
    if (own.length > 0) await new PolicyCheck(cluster, policy, attributes).run(own);
  }
}

interface RequestOptions {
  readonly params: boolean;
  readonly variables?: readonly string[];
  readonly owner: object;
}

interface Denial {
  readonly message: string;
  readonly reason?: unknown;
}

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

  async run(bindings: readonly KubeObject[]): Promise<void> {
    const attributes = this.#attributes;
    const shown = matchedBy(this.#cluster, this.#spec.matchConstraints, attributes);
    if (shown === undefined) return;
    for (const binding of bindings) {
      const spec = isObject(binding.spec) ? binding.spec : {};
      if (isExcluded(this.#cluster, spec, attributes)) continue;
      const actions = Array.isArray(spec.validationActions) ? spec.validationActions : [];
      const { namespace } = attributes;
      const params = paramsFor(this.#cluster, spec, { policy: this.#spec, namespace });
      if (typeof params === "string") {
        this.#fail({ message: `failed to configure binding: ${params}` }, binding);
        continue;
      }
      for (const param of params) {
        for (const denial of await this.#evaluate(shown, param)) {
          if (actions.includes("Warn")) this.#warn(denial, binding);
          if (actions.includes("Deny")) throw this.#denied(denial, binding);
        }
      }
    }
  }

  async #evaluate(kind: Kind, param: KubeObject | undefined): Promise<Denial[]> {
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
    return objectsIn(this.#spec.validations).flatMap((validation) => {
      const source = String(validation.expression ?? "");
      const options = { params, owner: validation, ...(names.length > 0 ? { variables: names } : {}) };
      const { program } = compileForRequest(engine, source, { ...options, types: ["bool"] });
      if (program === undefined) return [];
      try {
        if (program.evaluate(values) === true) return [];
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        const cause = errors.get(/^no such key: (\w+)$/.exec(why)?.[1] ?? "") ?? why;
        return this.#failed(`expression '${source}' resulted in error: ${cause}`);
      }
      return [{ message: this.#message(engine, validation, { values, options }), reason: validation.reason }];
    });
  }

  #message(
    engine: Engine,
    validation: JsonObject,
    { values, options }: {
      readonly values: Record<string, unknown>;
      readonly options: RequestOptions;
    },
  ): string {
    const source = String(validation.messageExpression ?? "");
    const { program } = source === ""
      ? { program: undefined }
      : compileForRequest(engine, source, { ...options, types: ["string"], authorizer: false });
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

  /** NB: what is wrong with a binding counts whatever its actions are. */
  #fail(denial: Denial, binding: KubeObject): void {
    if (this.#spec.failurePolicy !== "Ignore") throw this.#denied(denial, binding);
  }

  #warn({ message }: Denial, { metadata }: KubeObject): void {
    this.#attributes.warn(
      `Validation failed for ValidatingAdmissionPolicy '${this.#policy.metadata.name}' with binding '${metadata.name}': ${message}`,
    );
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

const CODES: Readonly<Record<string, number>> = {
  Forbidden: 403,
  Invalid: 422,
  RequestEntityTooLarge: 413,
};
