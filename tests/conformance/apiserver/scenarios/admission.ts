/**
 * Scenarios of webhooks: who is asked, in which order, about what, and what becomes of the answers.
 *
 * Each has a namespace of its own with a label, by which its webhooks select, so that scenarios do not meet.
 */

import assert from "node:assert/strict";
import type { Answer, Session } from "../session.ts";
import { MERGE } from "../session.ts";
import type { ServedHook } from "../target.ts";
import { configMap, database, databases, type Scenario } from "./scenario.ts";

const REGISTRATION = "/apis/admissionregistration.k8s.io/v1";

/** A webhook as a configuration has it; the scenario's label is in its selector. */
function hook(scenario: string, name: string, clientConfig: Answer, changes: Answer = {}): Answer {
  return {
    name: `${name}.lotse.dev`,
    clientConfig,
    rules: [{
      apiGroups: [""],
      apiVersions: ["v1"],
      resources: ["configmaps"],
      operations: ["CREATE", "UPDATE"],
    }],
    namespaceSelector: { matchLabels: { scenario } },
    admissionReviewVersions: ["v1"],
    sideEffects: "None",
    timeoutSeconds: 5,
    ...changes,
  };
}

async function configure(
  api: Session,
  type: "mutating" | "validating",
  name: string,
  webhooks: Answer[],
): Promise<Answer> {
  const kind = type === "mutating" ? "MutatingWebhookConfiguration" : "ValidatingWebhookConfiguration";
  return await api.ok("POST", `${REGISTRATION}/${kind.toLowerCase()}s`, {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind,
    metadata: { name },
    webhooks,
  });
}

async function makeNamespace(api: Session, name: string): Promise<void> {
  await api.ok("POST", "/api/v1/namespaces", { metadata: { name, labels: { scenario: name } } });
}

/** NB: a real server whose cache is behind tries a change with what it has there, and once more with the newer object. */
function lastTries(calls: readonly Answer[]): Answer[] {
  const wanted = ({ request: { operation, object } }: Answer) => JSON.stringify([operation, object?.data]);
  return calls.filter((call, index) => {
    const next = calls[index + 1];
    return next === undefined || wanted(next) !== wanted(call);
  });
}

/** Waits until the server calls the webhook; the real one learns of a configuration after a moment. */
async function untilCalled(api: Session, namespace: string, calls: readonly Answer[]): Promise<void> {
  await api.until(async () => {
    await api.peek("POST", `/api/v1/namespaces/${namespace}/configmaps?dryRun=All`, configMap("probe"));
    return calls.length > 0;
  }, "a call of the webhook");
}

/** The real server asks again, if a write meets another; and it learns of webhooks one by one. */
async function settle(api: Session): Promise<void> {
  await api.pause(1);
}

function allow({ request }: Answer, more: Answer = {}): Answer {
  return {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    response: { uid: request.uid, allowed: true, ...more },
  };
}

function deny(review: Answer, status?: Answer): Answer {
  return allow(review, { allowed: false, ...(status === undefined ? {} : { status }) });
}

function patch(...operations: Answer[]): Answer {
  return { patchType: "JSONPatch", patch: btoa(JSON.stringify(operations)) };
}

/** What a review says, without what differs from server to server. */
function essence({ apiVersion, kind, request }: Answer): Answer {
  const trim = (object: Answer) =>
    object === null ? null : {
      ...object,
      metadata: {
        ...object.metadata,
        creationTimestamp: undefined,
        managedFields: undefined,
        uid: undefined,
      },
    };
  const { userInfo: _user, uid: _uid, object, oldObject, ...rest } = request;
  return { apiVersion, kind, request: { ...rest, object: trim(object), oldObject: trim(oldObject) } };
}

export const ADMISSION: readonly Scenario[] = [{
  name: "fills in what a webhook configuration leaves out, and refuses what is wrong with one",
  async run(api) {
    const bare = (client: Answer) => ({ ...hook("x", "defaults", client), timeoutSeconds: undefined });
    const service = { service: { name: "hook", namespace: "default" } };
    const made = await configure(api, "mutating", "defaults.lotse.dev", [{
      ...bare(service),
      namespaceSelector: { matchLabels: { no: "where" } },
    }]);
    assert.equal(made.webhooks[0].failurePolicy, "Fail");
    assert.equal(made.webhooks[0].clientConfig.service.port, 443);
    const refuse = async (changes: Answer, type = "validating") => {
      const kind = type === "mutating" ? "MutatingWebhookConfiguration" : "ValidatingWebhookConfiguration";
      const webhooks = [{ ...hook("x", "refused", { url: "https://127.0.0.1:1/" }), ...changes }];
      const object = {
        apiVersion: "admissionregistration.k8s.io/v1",
        kind,
        metadata: { name: "refused" },
        webhooks,
      };
      await api.refused(422, "POST", `${REGISTRATION}/${kind.toLowerCase()}s`, object);
    };
    await refuse({ name: "short" });
    await refuse({ name: "" });
    await refuse({ name: "Not.A.Name" });
    await refuse({ sideEffects: undefined });
    await refuse({ sideEffects: "Some" });
    await refuse({ failurePolicy: "Perhaps" });
    await refuse({ matchPolicy: "Similar" });
    await refuse({ timeoutSeconds: 31 });
    await refuse({ timeoutSeconds: 0 });
    await refuse({ reinvocationPolicy: "Always" }, "mutating");
    await refuse({ admissionReviewVersions: [] });
    await refuse({ admissionReviewVersions: ["v2"] });
    await refuse({ admissionReviewVersions: ["v1", "v1"] });
    await refuse({ clientConfig: {} });
    await refuse({ clientConfig: { url: "https://a.b/", ...service } });
    await refuse({ clientConfig: { url: "http://a.b/" } });
    await refuse({ clientConfig: { url: "https://user:secret@a.b/" } });
    await refuse({ clientConfig: { url: "https://a.b/?x=1" } });
    await refuse({ clientConfig: { url: "https://a.b/#x" } });
    await refuse({ clientConfig: { service: { name: "hook", namespace: "default", port: 70000 } } });
    await refuse({ clientConfig: { service: { name: "hook", namespace: "default", path: "a//b" } } });
    await refuse({ rules: [{ apiGroups: [], apiVersions: [], resources: [], operations: [] }] });
    const rule = { apiGroups: [""], apiVersions: ["v1"], resources: ["pods"], operations: ["CREATE"] };
    await refuse({ rules: [{ ...rule, operations: ["*", "CREATE"] }] });
    await refuse({ rules: [{ ...rule, operations: ["READ"] }] });
    await refuse({ rules: [{ ...rule, apiGroups: ["*", "apps"] }] });
    await refuse({ rules: [{ ...rule, scope: "World" }] });
    await refuse({ rules: [{ ...rule, resources: ["*", "pods"] }] });
    await refuse({ rules: [{ ...rule, resources: ["pods/*", "pods/log"] }] });
    await refuse({ rules: [{ ...rule, resources: ["*/*", "pods"] }] });
    await refuse({
      namespaceSelector: { matchExpressions: [{ key: "a", operator: "Like", values: ["b"] }] },
    });
    await refuse({ objectSelector: { matchExpressions: [{ key: "a", operator: "In" }] } });
    await refuse({ objectSelector: { matchExpressions: [{ key: "a", operator: "Exists", values: ["b"] }] } });
    await refuse({ objectSelector: { matchLabels: { "a b": "c" } } });
  },
}, {
  name: "asks a validating webhook about creations, changes and deletions",
  async run(api) {
    const calls: Answer[] = [];
    await using served = await api.serveHook((review) => {
      calls.push(review);
      const { name, operation } = review.request;
      if (name === "unexplained") return deny(review);
      if (name === "reasoned") return deny(review, { reason: "Conflict", code: 409 });
      if (name === "odd") return deny(review, { code: 200, message: "not like this" });
      if (name === "kept" && operation === "DELETE") {
        return deny(review, { code: 403, reason: "Forbidden", message: "it stays" });
      }
      if (name === "warned") return allow(review, { warnings: ["it is old", "it is slow", "it is old"] });
      return allow(review);
    });
    await makeNamespace(api, "hooks-validating");
    const rules = [{ apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"], operations: ["*"] }];
    await configure(api, "validating", "validating.lotse.dev", [
      hook("hooks-validating", "asked", served.config("/x"), { rules }),
    ]);
    await untilCalled(api, "hooks-validating", calls);
    calls.length = 0;
    const path = "/api/v1/namespaces/hooks-validating/configmaps";
    await api.ok("POST", path, configMap("one"));
    await api.ok("PATCH", `${path}/one?fieldManager=tests`, { data: { a: "2" } }, MERGE);
    await api.ok("PUT", `${path}/one`, configMap("one", { a: "3" }));
    await api.ok("DELETE", `${path}/one`);
    const own = lastTries(calls.filter(({ request }) => request.name === "one"));
    for (const call of own) api.note("asked", essence(call));
    assert.deepEqual(own.map(({ request }) => request.operation), ["CREATE", "UPDATE", "UPDATE", "DELETE"]);
    assert.equal(own[1].request.oldObject.data.a, "1");
    await api.refused(400, "POST", path, configMap("unexplained"));
    await api.refused(409, "POST", path, configMap("reasoned"));
    await api.refused(400, "POST", path, configMap("odd"));
    await api.ok("POST", path, configMap("warned"));
    await api.ok("POST", path, configMap("kept"));
    await api.refused(403, "DELETE", `${path}/kept`);
    calls.length = 0;
    await api.ok("POST", path, { metadata: { generateName: "some-" }, data: { a: "1" } });
    assert.match(calls[0].request.name, /^some-/);
    await api.refused(404, "GET", `${path}/unexplained`);
  },
}, {
  name: "lets mutating webhooks change objects, one after the other, and again where they want it",
  async run(api) {
    const calls: string[] = [];
    await makeNamespace(api, "hooks-mutating");
    const hooks: ServedHook[] = [];
    const serve = async (name: string) => {
      const own = await api.serveHook((review) => {
        const { data = {} } = review.request.object;
        calls.push(name);
        const seen = Object.keys(data).sort().join("");
        return name in data
          ? allow(review)
          : allow(review, patch({ op: "add", path: `/data/${name}`, value: seen }));
      });
      hooks.push(own);
      return own.config(`/${name}`);
    };
    try {
      await configure(api, "mutating", "b.lotse.dev", [hook("hooks-mutating", "third", await serve("z"))]);
      await configure(api, "mutating", "a.lotse.dev", [
        hook("hooks-mutating", "first", await serve("x"), { reinvocationPolicy: "IfNeeded" }),
        hook("hooks-mutating", "second", await serve("y")),
      ]);
      const path = "/api/v1/namespaces/hooks-mutating/configmaps";
      await api.until(async () => {
        calls.length = 0;
        await api.peek("POST", `${path}?dryRun=All`, configMap("probe"));
        return new Set(calls).size === 3;
      }, "calls of all webhooks");
      calls.length = 0;
      const made = await api.ok("POST", path, configMap("one"));
      assert.deepEqual(made.data, { a: "1", x: "a", y: "ax", z: "axy" });
      // NB: a busy server's calls for the probes may still be coming in.
      assert.deepEqual(calls.slice(-4), ["x", "y", "z", "x"]);
      await api.ok("PATCH", `${path}/one`, { data: { x: null } }, MERGE);
    } finally {
      for (const own of hooks) await own[Symbol.asyncDispose]();
    }
    await api.ok("DELETE", `${REGISTRATION}/mutatingwebhookconfigurations/a.lotse.dev`);
    await api.ok("DELETE", `${REGISTRATION}/mutatingwebhookconfigurations/b.lotse.dev`);
  },
}, {
  name: "refuses what a webhook fails to answer for, unless failures are ignored",
  async run(api) {
    await makeNamespace(api, "hooks-failing");
    const path = "/api/v1/namespaces/hooks-failing/configmaps";
    const dead = { url: "https://127.0.0.1:1/dead" };
    const only = (name: string) => ({ objectSelector: { matchLabels: { case: name } } });
    const redirect = (status: number) =>
      new Response("over there", { status, headers: { location: "https://127.0.0.1:1/there" } });
    const answers: Record<string, (review: Answer) => unknown> = {
      broken: () => new Response("it broke", { status: 500 }),
      missing: () => new Response("nothing here", { status: 404 }),
      foreign: (review) => allow({ request: { ...review.request, uid: "other" } }),
      nonsense: () => new Response("nonsense"),
      list: () => [],
      text: () => "text",
      nothing: () => new Response("", { headers: { "content-type": "application/json" } }),
      moved: () => redirect(302),
      "moved-along": () => redirect(307),
      "moved-nowhere": () => new Response("gone", { status: 302 }),
      empty: () => ({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview" }),
      unnamed: (review) => ({ response: allow(review).response }),
      older: (review) => ({ ...allow(review), apiVersion: "admission.k8s.io/v1beta1" }),
      patching: (review) => allow(review, patch({ op: "add", path: "/data/x", value: "y" })),
    };
    await using served = await api.serveHook((review) => {
      const answer = answers[review.request.object.metadata.labels?.case ?? ""];
      return answer === undefined ? allow(review) : answer(review);
    });
    const named = Object.keys(answers).map((name) =>
      hook("hooks-failing", name, served.config(`/${name}`), only(name))
    );
    await configure(api, "validating", "failing.lotse.dev", [
      ...named,
      hook("hooks-failing", "dead", dead, only("dead")),
      hook("hooks-failing", "ignored", dead, { ...only("ignored"), failurePolicy: "Ignore" }),
    ]);
    const labelled = (name: string) => ({ ...configMap(name), metadata: { name, labels: { case: name } } });
    await api.until(async () => {
      const { code } = await api.peek("POST", `${path}?dryRun=All`, labelled("dead"));
      return code === 500;
    }, "the configuration is in force");
    await api.refused(500, "POST", path, labelled("dead"));
    for (const name of Object.keys(answers)) await api.refused(500, "POST", path, labelled(name));
    await api.ok("POST", path, labelled("ignored"));
    await api.ok("POST", path, labelled("other"));
  },
}, {
  name: "refuses patches of webhooks that do not fit",
  accepted: [{ line: /undecodable patch/, because: "each parser has its own words" }],
  async run(api) {
    await makeNamespace(api, "hooks-patching");
    const path = "/api/v1/namespaces/hooks-patching/configmaps";
    const answers: Record<string, (review: Answer) => unknown> = {
      undecodable: (review) => allow(review, { patchType: "JSONPatch", patch: btoa("{") }),
      untyped: (review) => allow(review, { patch: btoa("[]") }),
      typeonly: (review) => allow(review, { patchType: "JSONPatch" }),
      othertype: (review) => allow(review, { patchType: "MergePatch", patch: btoa('[{"op":"add"}]') }),
    };
    const calls: Answer[] = [];
    await using served = await api.serveHook((review) => {
      calls.push(review);
      const answer = answers[review.request.object.metadata.labels?.case ?? ""];
      return answer === undefined ? allow(review) : answer(review);
    });
    await configure(api, "mutating", "patching.lotse.dev", [
      hook("hooks-patching", "patching", served.config("/")),
    ]);
    await untilCalled(api, "hooks-patching", calls);
    for (const name of ["undecodable", "untyped", "typeonly", "othertype"]) {
      await api.refused(500, "POST", path, {
        ...configMap(name),
        metadata: { name, labels: { case: name } },
      });
    }
    await api.ok("DELETE", `${REGISTRATION}/mutatingwebhookconfigurations/patching.lotse.dev`);
  },
}, {
  name: "asks webhooks only about what their rules and selectors mean",
  async run(api) {
    const group = "hooked.lotse.dev";
    await api.define(databases(group));
    await makeNamespace(api, "hooks-selecting");
    const calls: string[] = [];
    const hooks: ServedHook[] = [];
    const serve = async (name: string, changes: Answer) => {
      const own = await api.serveHook((review) => {
        calls.push(name);
        return allow(review);
      });
      hooks.push(own);
      return hook("hooks-selecting", name, own.config(`/${name}`), changes);
    };
    const rule = (changes: Answer) => ({
      rules: [{
        apiGroups: [group],
        apiVersions: ["*"],
        resources: ["databases"],
        operations: ["*"],
        ...changes,
      }],
    });
    try {
      await configure(api, "validating", "selecting.lotse.dev", [
        await serve("all", rule({})),
        await serve("created", rule({ operations: ["CREATE"] })),
        await serve("status", rule({ resources: ["databases/status"] })),
        await serve("below", rule({ resources: ["databases/*"] })),
        await serve("cluster", rule({ scope: "Cluster" })),
        await serve("namespaced", rule({ scope: "Namespaced" })),
        await serve("labelled", { ...rule({}), objectSelector: { matchLabels: { gold: "yes" } } }),
        await serve("unlabelled", {
          ...rule({}),
          objectSelector: { matchExpressions: [{ key: "gold", operator: "DoesNotExist" }] },
        }),
        await serve("elsewhere", {
          ...rule({}),
          namespaceSelector: { matchLabels: { scenario: "elsewhere" } },
        }),
        await serve("version", rule({ apiVersions: ["v2"] })),
      ]);
      const path = `/apis/${group}/v1/namespaces/hooks-selecting/databases`;
      await api.until(async () => {
        calls.length = 0;
        await api.peek("POST", `${path}?dryRun=All`, database(group, "probe"));
        return calls.length > 0;
      }, "the configuration is in force");
      await settle(api);
      const asked = async (...ask: [string, string, Answer?, Record<string, string>?]) => {
        calls.length = 0;
        await api.ok(...ask);
        // NB: a change may be tried twice.
        calls.splice(0, Infinity, ...new Set(calls));
        api.note("asked", [...calls].sort());
      };
      await asked("POST", path, database(group, "one"));
      assert.deepEqual([...calls].sort(), ["all", "below", "created", "namespaced", "unlabelled"]);
      await asked("PATCH", `${path}/one/status`, { status: { state: "fine" } }, MERGE);
      assert.deepEqual([...calls].sort(), ["below", "status"]);
      await asked("PATCH", `${path}/one`, { metadata: { labels: { gold: "yes" } } }, MERGE);
      await asked("PATCH", `${path}/one`, { metadata: { labels: { gold: null } } }, MERGE);
      await asked("DELETE", path);
      await asked("POST", `/apis/${group}/v1/namespaces/default/databases`, database(group, "out"));
      assert.deepEqual(calls, []);
    } finally {
      for (const own of hooks) await own[Symbol.asyncDispose]();
    }
    await api.ok("DELETE", `${REGISTRATION}/validatingwebhookconfigurations/selecting.lotse.dev`);
  },
}, {
  name: "spares webhooks with side effects when nothing is to be written",
  async run(api) {
    await makeNamespace(api, "hooks-dry");
    const path = "/api/v1/namespaces/hooks-dry/configmaps";
    const calls: Answer[] = [];
    await using served = await api.serveHook((review) => {
      calls.push(review);
      return allow(review);
    });
    await configure(api, "validating", "dry.lotse.dev", [
      hook("hooks-dry", "harmless", served.config("/"), { sideEffects: "NoneOnDryRun" }),
    ]);
    await untilCalled(api, "hooks-dry", calls);
    calls.length = 0;
    await api.ok("POST", `${path}?dryRun=All`, configMap("dry"));
    assert.equal(calls[0].request.dryRun, true);
    await api.ok("POST", path, configMap("wet"));
    assert.equal(calls[1].request.dryRun, false);
    await api.refused(404, "GET", `${path}/dry`);
  },
}, {
  name: "asks webhooks only where their match conditions hold",
  accepted: [{ line: /undeclared/, because: "types have names of their own" }],
  async run(api) {
    await makeNamespace(api, "hooks-conditions");
    const path = "/api/v1/namespaces/hooks-conditions/configmaps";
    const refuse = async (...matchConditions: Answer[]) => {
      const webhooks = [hook("x", "refused", { url: "https://127.0.0.1:1/" }, { matchConditions })];
      const object = {
        apiVersion: "admissionregistration.k8s.io/v1",
        kind: "ValidatingWebhookConfiguration",
        metadata: { name: "refused" },
        webhooks,
      };
      await api.refused(422, "POST", `${REGISTRATION}/validatingwebhookconfigurations`, object);
    };
    await refuse({ name: "a", expression: "" });
    await refuse({ name: "", expression: "true" });
    await refuse({ name: "a b", expression: "true" });
    await refuse({ name: "a", expression: "true" }, { name: "a", expression: "false" });
    await refuse({ name: "a", expression: "1" });
    await refuse({ name: "a", expression: "nobody.knows == 1" });
    const calls: string[] = [];
    const serve = (name: string) =>
      api.serveHook((review) => {
        calls.push(`${name} ${review.request.operation} ${review.request.name}`);
        return allow(review);
      });
    await using meant = await serve("meant");
    await using broken = await serve("broken");
    await using ignored = await serve("ignored");
    const conditions = (...list: string[]) => ({
      matchConditions: list.map((expression, index) => ({ name: `c${index}`, expression })),
    });
    await configure(api, "validating", "conditions.lotse.dev", [
      hook(
        "hooks-conditions",
        "meant",
        meant.config("/"),
        conditions(
          "request.operation == 'CREATE' && oldObject == null",
          "object.metadata.name.startsWith('a')",
          "!('system:nodes' in request.userInfo.groups)",
        ),
      ),
      hook(
        "hooks-conditions",
        "broken",
        broken.config("/"),
        conditions("object.metadata.name != 'bad' || object.data.missing == 'x'"),
      ),
      hook("hooks-conditions", "ignored", ignored.config("/"), {
        ...conditions("object.data.missing == 'x'"),
        failurePolicy: "Ignore",
      }),
    ]);
    await api.until(async () => {
      calls.length = 0;
      await api.peek("POST", `${path}?dryRun=All`, configMap("aprobe"));
      return calls.length === 2;
    }, "the configuration is in force");
    calls.length = 0;
    await api.ok("POST", path, configMap("apple"));
    await api.ok("POST", path, configMap("pear"));
    await api.ok("PATCH", `${path}/apple`, { data: { b: "2" } }, MERGE);
    // NB: a change may be tried twice.
    assert.deepEqual([...new Set(calls)].sort(), [
      "broken CREATE apple",
      "broken CREATE pear",
      "broken UPDATE apple",
      "meant CREATE apple",
    ]);
    await api.refused(403, "POST", path, configMap("bad"));
    await api.ok("DELETE", `${REGISTRATION}/validatingwebhookconfigurations/conditions.lotse.dev`);
  },
}];
