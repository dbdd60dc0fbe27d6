/**
 * Scenarios of what policies say for the audit log, and of several policies about one request.
 */

import type { Answer, Session } from "../session.ts";
import { binding, LATER, makeNamespace, policy, REGISTRATION, untilRefused } from "./policies.ts";
import { configMap, type Scenario } from "./scenario.ts";

const POLICIES = `${REGISTRATION}/validatingadmissionpolicies`;
const BINDINGS = `${REGISTRATION}/validatingadmissionpolicybindings`;

async function bind(
  api: Session,
  name: string,
  { namespace, spec, actions }: { namespace: string; spec: Answer; actions: string[] },
): Promise<void> {
  await api.ok("POST", POLICIES, policy(name, spec));
  await api.ok("POST", BINDINGS, binding(name, namespace, { validationActions: actions }));
}

export const AUDIT_ANNOTATIONS: readonly Scenario[] = [{
  name: "asks all policies, and warns although one denies",
  accepted: LATER,
  async run(api) {
    const namespace = "policies-all";
    const path = await makeNamespace(api, namespace);
    const denies = { validations: [{ expression: "object.metadata.name != 'bad'", message: "denied" }] };
    const warns = { validations: [{ expression: "object.metadata.name != 'bad'", message: "warned" }] };
    await bind(api, "m.all.lotse.dev", { namespace, spec: denies, actions: ["Deny"] });
    await bind(api, "a.all.lotse.dev", { namespace, spec: warns, actions: ["Warn"] });
    await bind(api, "z.all.lotse.dev", { namespace, spec: warns, actions: ["Warn", "Audit"] });
    await api.until(async () => {
      const { code, headers } = await api.peek("POST", `${path}?dryRun=All`, configMap("bad"));
      return code === 422 && (headers.get("warning") ?? "").split("Validation failed").length === 3;
    }, "all policies count");
    const { code, body } = await api.peek("POST", path, configMap("bad"));
    api.note("the denial", { code, body });
    await api.ok("POST", path, configMap("good"));
  },
}, {
  name: "refuses what annotations for the audit log cannot be made of",
  accepted: LATER,
  async run(api) {
    const namespace = "policies-audit";
    const path = await makeNamespace(api, namespace);
    const spec = (failurePolicy: string) => ({
      failurePolicy,
      matchConditions: [{ name: "none", expression: "object.metadata.name != 'spared'" }],
      variables: [{ name: "b", expression: "object.data.b" }],
      auditAnnotations: [
        { key: "a", valueExpression: "'the value is ' + object.data.a" },
        { key: "b", valueExpression: "has(object.data.b) ? string(variables.b) : 'none'" },
        { key: "c", valueExpression: "null" },
        {
          key: "d",
          valueExpression:
            "object.metadata.name == 'asks' && authorizer.path('/a').check('get').allowed() ? 'yes' : ''",
        },
      ],
    });
    await bind(api, "ignored.lotse.dev", { namespace, spec: spec("Ignore"), actions: ["Audit"] });
    await bind(api, "fail.lotse.dev", { namespace, spec: spec("Fail"), actions: ["Audit"] });
    await untilRefused(api, path, configMap("probe", {}));
    await api.refused(422, "POST", path, configMap("one", {}));
    await api.ok("POST", path, configMap("one", { a: "x" }));
    await api.ok("POST", path, configMap("two", { a: "x", b: "y" }));
    await api.refused(422, "POST", path, configMap("asks"));
    await api.ok("POST", path, configMap("spared", {}));
  },
}, {
  name: "refuses keys and values of annotations for the audit log that are wrong",
  accepted: [{ line: /"[kK]ey":|\\"[kK]ey\\":/, because: "values are shown as JSON, not as Go has them" }],
  async run(api) {
    const refuse = async (auditAnnotations: Answer[]) => {
      await api.refused(422, "POST", POLICIES, policy("audit-refused.lotse.dev", { auditAnnotations }));
    };
    const valueExpression = "'a'";
    await refuse([{ key: "", valueExpression }]);
    await refuse([{ key: "a b", valueExpression }]);
    await refuse([{ key: "a/b", valueExpression }]);
    await refuse([{ key: "a", valueExpression }, { key: "a", valueExpression }]);
    await refuse([{ key: "a", valueExpression: " " }]);
    await refuse([{ key: "a", valueExpression: `'${"x".repeat(5200)}'` }]);
    await refuse([{ key: "a", valueExpression: "1" }]);
    await refuse(Array.from({ length: 21 }, (_, index) => ({ key: `k${index}`, valueExpression })));
  },
}];
