/**
 * Scenarios of the audit log: what its events say, by the level that a policy wants.
 */

import assert from "node:assert/strict";
import type { Answer, Session } from "../session.ts";
import { JSON_PATCH, MERGE } from "../session.ts";
import { AUDITED } from "../target.ts";
import { binding, LATER, makeNamespace, policy, REGISTRATION } from "./policies.ts";
import { configMap, type Scenario } from "./scenario.ts";

const ALICE = { "impersonate-user": "alice", "impersonate-group": "system:authenticated" };

/** Puts what the log says into the transcript, but for what is another's: users, times, addresses. */
async function tell(api: Session, namespace: string, isMeant: (event: Answer) => boolean): Promise<void> {
  const events = (await api.audited(namespace)).filter(isMeant);
  assert.ok(events.length > 0);
  for (const event of events) {
    const { level, stage, verb, requestURI, impersonatedUser, authenticationMetadata } = event;
    const { objectRef: { apiGroup, resource, subresource, name }, responseStatus, annotations = {} } = event;
    // The log of the real server says these of Pods alone.
    const noted = Object.fromEntries(Object.entries(annotations).filter(([key]) => !key.startsWith("pod-")));
    const { requestObject, responseObject } = event;
    const bodies = { requestObject, responseObject };
    const object = { apiGroup, resource, subresource, name };
    const asked = { level, stage, impersonatedUser, authenticationMetadata, object };
    api.note(`event of ${verb} ${requestURI}`, { ...asked, responseStatus, annotations: noted, ...bodies });
  }
}

export const AUDIT_LOG: readonly Scenario[] = [{
  name: "tells the audit log who did what, as whom, and how it was answered",
  async run(api) {
    await api.namespace(AUDITED.metadata);
    const path = `/api/v1/namespaces/${AUDITED.metadata}/configmaps`;
    const rbac = "/apis/rbac.authorization.k8s.io/v1";
    await api.peek("POST", `${rbac}/namespaces/${AUDITED.metadata}/rolebindings`, {
      metadata: { name: "alice" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "alice" }],
    });
    await api.ok("POST", path, configMap("a"));
    await api.refused(409, "POST", path, configMap("a"));
    await api.ok("PATCH", `${path}/a`, { data: { a: "2" } }, MERGE);
    await api.until(
      async () => (await api.peek("GET", `${path}/a`, undefined, ALICE)).code === 200,
      "the role",
    );
    await api.call("GET", `${path}/b?pretty=0`, undefined, ALICE);
    await api.refused(403, "POST", path, configMap("c"), ALICE);
    await tell(
      api,
      AUDITED.metadata,
      ({ objectRef: { resource, name }, verb, responseStatus: { code } }) =>
        resource === "configmaps" && name !== "kube-root-ca.crt" && !(name === "a" && verb === "get") &&
        code !== 500,
    );
  },
}, {
  name: "tells the audit log what was asked, where a policy wants it",
  async run(api) {
    await api.namespace(AUDITED.request);
    const path = `/api/v1/namespaces/${AUDITED.request}/configmaps`;
    await api.ok("POST", path, configMap("a"));
    await api.ok("PATCH", `${path}/a`, [{ op: "add", path: "/data/b", value: "2" }], JSON_PATCH);
    await api.ok("GET", `${path}/a`);
    await api.ok("POST", `/api/v1/namespaces/${AUDITED.request}/secrets`, { metadata: { name: "untold" } });
    await tell(api, AUDITED.request, ({ objectRef: { name } }) => name !== "kube-root-ca.crt");
  },
}, {
  name: "tells the audit log what was answered, where a policy wants it",
  async run(api) {
    await api.namespace(AUDITED.response);
    const path = `/api/v1/namespaces/${AUDITED.response}/configmaps`;
    await api.ok("POST", path, configMap("a"));
    await api.refused(404, "GET", `${path}/b`);
    await tell(api, AUDITED.response, ({ objectRef: { name } }) => name === "a" || name === "b");
  },
}, {
  name: "tells the audit log what policies note, and which validations fail",
  accepted: LATER,
  async run(api) {
    const path = await makeNamespace(api, AUDITED.notes);
    const spec = {
      validations: [{ expression: "true" }, {
        expression: "object.metadata.name != 'noted'",
        message: "bad",
      }],
      auditAnnotations: [
        { key: "name", valueExpression: "' ' + object.metadata.name" },
        { key: "none", valueExpression: "null" },
        { key: "empty", valueExpression: "' '" },
      ],
    };
    const name = "noted.lotse.dev";
    await api.ok("POST", `${REGISTRATION}/validatingadmissionpolicies`, policy(name, spec));
    await api.ok(
      "POST",
      `${REGISTRATION}/validatingadmissionpolicybindings`,
      binding(name, AUDITED.notes, { validationActions: ["Warn", "Audit"] }),
    );
    await api.until(async () => {
      const { headers } = await api.peek("POST", `${path}?dryRun=All`, configMap("noted"));
      return headers.get("warning") !== null;
    }, "the policy counts");
    await api.ok("POST", path, configMap("noted"));
    await tell(
      api,
      AUDITED.notes,
      ({ objectRef, requestURI }) => objectRef.name === "noted" && !requestURI.includes("dryRun"),
    );
  },
}, {
  name: "tells the audit log what mutating webhooks change, and which were passed over",
  async run(api) {
    const namespace = AUDITED.patches;
    const path = await makeNamespace(api, namespace);
    await using hook = await api.serveHook(({ request, apiVersion, kind }) => {
      const patch = [{ value: "2", path: "/data/b", op: "add" }];
      const isDone = request.object.data?.b === "2";
      return {
        apiVersion,
        kind,
        response: {
          uid: request.uid,
          allowed: true,
          auditAnnotations: { asked: request.name, "not a key": "x" },
          ...(isDone ? {} : { patchType: "JSONPatch", patch: btoa(JSON.stringify(patch)) }),
        },
      };
    });
    const webhook = (name: string, more: Answer) => ({
      name: `${name}.noted.lotse.dev`,
      clientConfig: hook.config("/"),
      rules: [{ apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"], operations: ["CREATE"] }],
      namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
      objectSelector: { matchLabels: { scenario: "noted" } },
      admissionReviewVersions: ["v1"],
      sideEffects: "None",
      failurePolicy: "Ignore",
      ...more,
    });
    const nowhere = { clientConfig: { url: "https://127.0.0.1:1/" } };
    await api.ok("POST", `${REGISTRATION}/mutatingwebhookconfigurations`, {
      metadata: { name: "noted" },
      webhooks: [
        webhook("other", { rules: [] }),
        webhook("changes", { reinvocationPolicy: "IfNeeded" }),
        webhook("fails", nowhere),
        webhook("again", {}),
      ],
    });
    await api.ok("POST", `${REGISTRATION}/validatingwebhookconfigurations`, {
      metadata: { name: "noted" },
      webhooks: [webhook("validates", nowhere)],
    });
    await api.pause(2);
    await api.ok("POST", path, {
      ...configMap("webhooks"),
      metadata: { name: "webhooks", labels: { scenario: "noted" } },
    });
    await tell(api, namespace, ({ objectRef: { name } }) => name === "webhooks");
    for (const type of ["mutating", "validating"]) {
      await api.peek("DELETE", `${REGISTRATION}/${type}webhookconfigurations/noted`);
    }
  },
}];
