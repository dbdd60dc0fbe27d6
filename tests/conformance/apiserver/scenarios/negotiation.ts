/** Which forms and encodings are given to whom; queries, options and selectors that cannot be; Events; objects that are too large. */

import assert from "node:assert/strict";
import { type Answer, JSON_PATCH, MERGE, type Session } from "../session.ts";
import { configMap, databases, type Scenario } from "./scenario.ts";

const AS = (form: string, version = "v1") => `application/json;as=${form};v=${version};g=meta.k8s.io`;

const ACCEPTS = [
  "*/*",
  "text/plain",
  "text/*",
  "application/*",
  "garbage",
  "application/json;q=0.1,application/yaml;q=0.9",
  "application/json;stream=watch",
  "application/json;stream=other",
  "application/cbor,application/json",
  AS("Nothing"),
  AS("Table", "v2"),
  AS("PartialObjectMetadata"),
  AS("PartialObjectMetadata", "v1beta1"),
  AS("PartialObjectMetadataList"),
  AS("PartialObjectMetadataList", "v1beta1"),
  `${AS("Table")},application/json`,
];

/** Asks, and tells what kind of answer came; all of a refusal. */
async function ask(api: Session, path: string, accept?: string, method = "GET"): Promise<void> {
  const headers: Record<string, string> = accept === undefined ? {} : { accept };
  const { code, body, headers: given } = await api.peek(method, path, undefined, headers);
  const type = given.get("content-type");
  const isYaml = typeof body === "string" && (type?.includes("yaml") ?? false);
  const kind = isYaml ? /^kind: (\w+)$/m.exec(body)?.[1] : body.kind;
  const shown = code >= 400 && body.kind === "Status" ? body : { kind, version: body.apiVersion };
  api.note(`${method} ${path} as ${accept}`, { code, type, ...shown });
}

const BAD_QUERIES = [
  "limit=x",
  "limit=99999999999999999999",
  "timeoutSeconds=x",
  "timeoutSeconds=1.5",
  "continue=x",
  "continue=eyJ2IjoieCJ9",
  "continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiIvLi4vIn0",
  "continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MCwic3RhcnQiOiJhIn0",
  "continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiIifQ",
];

const LABEL_SELECTORS = [
  ...[
    "l",
    "!l",
    "!!l",
    "!l=a",
    "l,",
    ",",
    "l=a=b",
    "l===a",
    "l!",
    "l!=",
    "l=",
    "l==a",
    "l=(a)",
    "l=a b",
    "l>1",
    "l>x",
  ],
  ...[
    "l<=1",
    "l<1.5",
    "l in a",
    "l in (a",
    "l in (a) b",
    "l in ()",
    "l in (,)",
    "l in (a,,b)",
    "l notin (a)",
    "(l)",
  ],
  ...["l exists", "-l", "l=-", "l in (a,-)", "a/b/c", "in in (in)", "notin", "l in (=)", "l gt 1", "l in(a)"],
];

const FIELD_SELECTORS = [
  ...[
    "metadata.name=a",
    "metadata.name=a\\",
    "metadata.name=a\\,b",
    "metadata.name=a\\b",
    "metadata.name=a=b",
  ],
  ...[
    "metadata.name=a\\=b",
    "metadata.name",
    ",",
    "=a",
    "metadata.name=a,metadata.name=b",
    "metadata.name!=a",
  ],
];

export const NEGOTIATION: readonly Scenario[] = [
  {
    name: "gives objects and lists in the form and encoding that is wanted most",
    async run(api) {
      const group = "forms.example.com";
      await api.define(databases(group));
      const maps = "/api/v1/namespaces/default/configmaps";
      await api.ok("POST", maps, configMap("forms"));
      const customs = `/apis/${group}/v1/namespaces/default/databases`;
      for (const path of [maps, `${maps}/forms`, "/apis/apps/v1/deployments", customs]) {
        for (const accept of ACCEPTS) await ask(api, path, accept);
      }
      for (const accept of ACCEPTS.slice(0, 8)) await ask(api, `${maps}/missing`, accept);
      await ask(api, `${maps}?includeObject=x`, AS("Table"));
      await ask(api, `${maps}?watch=1&resourceVersion=0&timeoutSeconds=1`, "application/yaml");
      await api.ok("DELETE", `${maps}/forms`);
    },
  },
  {
    name: "gives documents of discovery to those who can read them, by GET alone",
    async run(api) {
      for (
        const path of ["/api", "/api/v1", "/apis", "/apis/apps", "/apis/apps/v1", "/version", "/openapi/v2"]
      ) {
        for (const accept of [...ACCEPTS.slice(0, 4), "application/yaml", AS("Table")]) {
          if (path === "/openapi/v2" && accept === "garbage") continue;
          await ask(api, path, accept);
        }
      }
      for (
        const path of ["/api", "/api/v1", "/apis", "/apis/apps", "/apis/apps/v1", "/version", "/", "/livez"]
      ) {
        for (const method of ["POST", "DELETE", "OPTIONS"]) await ask(api, path, undefined, method);
      }
    },
  },
  {
    name: "refuses queries that cannot be, and reads selectors by the book",
    accepted: [{ line: /it is no JSON/, because: "the words are those of a Go decoder" }],
    async run(api) {
      await api.namespace("selected");
      const path = "/api/v1/namespaces/selected/configmaps";
      for (const [name, l] of [["a", "a"], ["b", "2"], ["c", "b"]]) {
        const { metadata, ...rest } = configMap(String(name));
        await api.ok("POST", path, { ...rest, metadata: { ...metadata, labels: { l, only: String(name) } } });
      }
      const root = { labelSelector: "only" };
      await api.until(async () => {
        const { body } = await api.peek("GET", `${path}?${new URLSearchParams(root)}`);
        return body.items.length === 3;
      }, "all are listed");
      for (const query of BAD_QUERIES) await api.call("GET", `${path}?${query}`);
      for (const query of ["resourceVersion=x", "resourceVersion=-1"]) {
        await api.call("GET", `${path}/a?${query}`);
      }
      const names = async (query: Record<string, string>) => {
        const { code, body } = await api.peek("GET", `${path}?${new URLSearchParams(query)}`);
        const items = body.items?.map(({ metadata }: Answer) => metadata.name);
        api.note(JSON.stringify(query), { code, items, message: body.message });
      };
      for (const text of LABEL_SELECTORS) await names({ labelSelector: `only,${text}` });
      for (const text of ["!!l", ",", "(l)", "l=(a)"]) await names({ labelSelector: text });
      for (const fieldSelector of FIELD_SELECTORS) await names({ labelSelector: "only", fieldSelector });
    },
  },
  {
    name: "reads the options of writes by the book",
    async run(api) {
      const path = "/api/v1/namespaces/default/configmaps";
      await api.refused(422, "POST", `${path}?dryRun=`, configMap("optional"));
      await api.ok("POST", `${path}?fieldValidation=`, { ...configMap("optional"), unknown: 1 });
      const one = `${path}/optional`;
      await api.refused(422, "PATCH", `${one}?dryRun=`, {}, MERGE);
      await api.refused(422, "DELETE", `${one}?dryRun=`);
      await api.refused(422, "DELETE", one, { dryRun: ["x"] });
      await api.refused(400, "DELETE", one, { gracePeriodSeconds: "x" });
      await api.refused(400, "DELETE", one, []);
      await api.refused(400, "DELETE", one, 5);
      await api.ok("DELETE", one, "null");
    },
  },
  {
    name: "refuses YAML that holds itself, and takes empty YAML for an empty object",
    async run(api) {
      const path = "/api/v1/namespaces/default/configmaps";
      const yaml = { "content-type": "application/yaml" };
      await api.refused(400, "POST", path, "a: &a\n  b: *a\n", yaml);
      await api.refused(
        400,
        "POST",
        path,
        "apiVersion: v1\nkind: ConfigMap\nmetadata: &m {name: endless, labels: *m}",
        yaml,
      );
      await api.refused(422, "POST", path, "null", yaml);
      await api.refused(422, "POST", path, "", yaml);
      const twice = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: alias}\ndata: {a: &x b, c: *x}";
      assert.equal((await api.ok("POST", path, twice, yaml)).data.c, "b");
      await api.ok("DELETE", `${path}/alias`);
    },
  },
  {
    name: "refuses objects that etcd would not take",
    async run(api) {
      const path = "/api/v1/namespaces/default/configmaps";
      const { metadata, ...rest } = configMap("large", { a: "x".repeat(1_000_000) });
      await api.peek("POST", path, { ...rest, metadata });
      const owner = (_: unknown, index: number) => ({
        apiVersion: "v1",
        kind: "ConfigMap",
        name: `owner-${index}`,
        uid: `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`,
      });
      const ownerReferences = Array.from({ length: 9000 }, owner);
      await api.refused(500, "PATCH", `${path}/large`, { metadata: { ownerReferences } }, MERGE);
      const finalizers = Array.from(
        { length: 12_000 },
        (_, index) => `example.com/${"f".repeat(50)}${index}`,
      );
      const other = { ...rest, metadata: { name: "larger", finalizers } };
      await api.refused(500, "POST", path, other);
      assert.equal((await api.peek("GET", `${path}/larger`)).code, 404);
      assert.equal((await api.peek("DELETE", `${path}/large`)).code, 200);
    },
  },
  {
    name: "holds Events against the namespace of their object, and those of the newer group against more",
    async run(api) {
      await api.namespace("told");
      const eventTime = "2026-01-01T00:00:00.000000Z";
      const core = (namespace: string) => `/api/v1/namespaces/${namespace}/events`;
      const newer = (namespace: string) => `/apis/events.k8s.io/v1/namespaces/${namespace}/events`;
      const about = (namespace?: string) => ({ kind: "Pod", name: "p", namespace });
      const old = (name: string, more: Answer = {}) => ({
        metadata: { name },
        involvedObject: about("told"),
        reason: "R",
        message: "m",
        type: "Normal",
        ...more,
      });
      await api.ok("POST", core("told"), old("a"));
      await api.refused(422, "POST", core("told"), old("b", { involvedObject: about("other") }));
      await api.refused(422, "POST", core("told"), old("b", { involvedObject: about() }));
      await api.ok("POST", core("default"), old("about-node", { involvedObject: about() }));
      await api.refused(422, "POST", core("told"), old("b", { eventTime }));
      await api.refused(422, "POST", core("told"), {
        ...old("b", { eventTime, reason: "r".repeat(129), message: "m".repeat(1025) }),
        reportingComponent: "a b",
        reportingInstance: "i".repeat(129),
        action: "a".repeat(129),
      });
      await api.refused(422, "PATCH", `${core("told")}/a`, { involvedObject: about("other") }, MERGE);
      await api.ok("PATCH", `${core("told")}/a`, { message: "other" }, MERGE);
      const fresh = (name: string, more: Answer = {}) => ({
        metadata: { name },
        regarding: about("told"),
        reason: "R",
        note: "m",
        type: "Normal",
        action: "A",
        reportingController: "example.com/c",
        reportingInstance: "i",
        eventTime,
        ...more,
      });
      await api.ok("POST", newer("told"), fresh("k"));
      for (
        const more of [
          { regarding: about() },
          { eventTime: null },
          { reportingController: "a b" },
          { action: "" },
          { reason: "" },
          { type: "" },
          { type: "Odd" },
          { note: "m".repeat(1025) },
          { series: { count: 1, lastObservedTime: null } },
          { deprecatedCount: 1, deprecatedSource: { component: "c" } },
          { deprecatedFirstTimestamp: "2026-01-01T00:00:00Z" },
        ]
      ) {
        api.note("event", more);
        await api.refused(422, "POST", newer("told"), fresh("l", more));
      }
      const one = `${newer("told")}/k`;
      await api.refused(422, "PATCH", one, { note: "other", reason: "Other", action: "Other" }, MERGE);
      await api.refused(422, "PATCH", one, { series: { count: 1, lastObservedTime: eventTime } }, MERGE);
      await api.ok("PATCH", one, { series: { count: 2, lastObservedTime: eventTime } }, MERGE);
      const patch = [{ op: "replace", path: "/message", value: "other" }];
      assert.equal((await api.peek("PATCH", `${core("told")}/k`, patch, JSON_PATCH)).code, 200);
    },
  },
];
