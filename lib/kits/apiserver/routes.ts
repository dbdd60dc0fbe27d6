/**
 * The routes: which module answers which URL.
 */

import type { Context, Hono } from "hono";
import type { JsonObject, KubeObject } from "../../model/object.ts";
import type { Resource } from "../../model/resource.ts";
import type { Target } from "./access/attributes.ts";
import type { User } from "./access/user.ts";
import type { AuditRecord } from "./audit/audit_record.ts";
import type { Cluster } from "./cluster.ts";
import { type Describe, loadDescriptions } from "./documents/descriptions.ts";
import { aggregated, coreVersions, groupDocument, groupList, resourceList } from "./documents/discovery.ts";
import { openapiV2, openapiV3, openapiV3Index } from "./documents/openapi.ts";
import { HEALTH_PARTS, healthResponse, partResponse } from "./health.ts";
import { keyFor, type Kind } from "./kinds.ts";
import { isServedElsewhere } from "./lifecycle/api_services.ts";
import { parseMediaTypes } from "./media_types.ts";
import { apiVersionFor, type ResourcePath } from "./paths.ts";
import { encodeOpenapi, OPENAPI_V2_ACCEPTED, OPENAPI_V2_PROTOBUF } from "./protobuf/openapi.ts";
import {
  badRequest,
  methodNotAllowed,
  noSuchResource,
  notFound,
  notServed,
  onlyAccepted,
  Refusal,
} from "./refusal.ts";
import { readValue } from "./bodies/body.ts";
import { documentResponse, noDescription, takesDescription } from "./answers/documents.ts";
import { serveResource } from "./resources.ts";
import { jsonResponse } from "./answers/respond.ts";
import { isPretty, PRODUCED } from "./answers/shape.ts";
import { findReview, reviewResources } from "./reviews.ts";
import { DEFINITIONS } from "./storage/collection.ts";
import { isObject } from "./values.ts";

/** The version that this server claims: the newest Kubernetes that it was compared with. */
const VERSION = { major: "1", minor: "36", gitVersion: "v1.36.3+lotse" };
const AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/** The facts that come with a request: its user, its target, and its record in the audit log. */
export interface Asked {
  readonly Bindings: { readonly user: User; readonly target: Target; readonly record?: AuditRecord };
}

/** The parts of the server that routes talk to, besides the cluster. */
export interface RoutesOptions {
  /** Is told which kind each request is about. */
  readonly asked: (kind: Kind) => void;
  /** Returns the parts that do not work, by their names in health. */
  readonly failed: () => readonly string[];
}

/** Registers all routes. */
export function addRoutes(app: Hono<Asked>, cluster: Cluster, { asked, failed }: RoutesOptions): void {
  for (const [path, parts] of Object.entries(HEALTH_PARTS)) {
    app.all(path, (c) => healthResponse(path, new URL(c.req.url).searchParams, failed()));
    app.all(`${path}/*`, (c) => {
      const part = c.req.path.slice(path.length + 1);
      return parts.includes(part) ? partResponse(part, failed()) : missing();
    });
  }
  for (const path of ["/version", "/version/"]) {
    app.all(path, (c) => documentResponse(c.req.raw, versionDocument(), { produced: ["application/json"] }));
  }
  addDiscovery(app, cluster);
  addOpenapi(app, cluster);
  const resources = (c: Context<Asked>) => serveApiPath(cluster, c, asked);
  app.all("/api/*", resources);
  app.all("/apis/*", resources);
  app.notFound(() => missing());
}

function versionDocument(): JsonObject {
  return {
    ...VERSION,
    gitCommit: "",
    gitTreeState: "clean",
    buildDate: "1970-01-01T00:00:00Z",
    goVersion: "",
    compiler: "",
    platform: "",
  };
}

/** NB: a path that leads nowhere is answered with text, unless it is below a group that the real server has built in. */
function missing(asText = true): Response {
  if (!asText) throw noSuchResource();
  return new Response("404 page not found\n", {
    status: 404,
    headers: { "content-type": "text/plain; charset=utf-8" },
  });
}

function isBuiltinGroup({ kinds }: Cluster, apiVersion: string): boolean {
  const isBelow = (resource: Resource) => apiVersionFor(resource) === apiVersion;
  return kinds.all().some((kind) => !kind.custom && isBelow(kind)) || reviewResources().some(isBelow);
}

function addDiscovery(app: Hono<Asked>, cluster: Cluster): void {
  const all = () => resourcesOf(cluster);
  for (const path of ["/api", "/apis"]) {
    const core = path === "/api";
    const routed = core ? { produced: PRODUCED } : {};
    app.all(path, ({ req: { raw, url } }) => {
      if ((!core || raw.method === "GET") && wantsAggregated(raw)) {
        const headers = new Headers({ "content-type": AGGREGATED, vary: "Accept" });
        return jsonResponse(aggregated(all(), core), { headers });
      }
      return documentResponse(raw, core ? coreVersions(new URL(url).host) : groupList(all()), routed);
    });
    app.get(`${path}/`, (c) => c.redirect(path, 301));
  }
  app.all("/api/v1", ({ req }) => {
    const document = resourceList(all(), "v1");
    return document === undefined ? missing() : documentResponse(req.raw, document, { produced: PRODUCED });
  });
  for (const path of ["/apis/:group", "/apis/:group/"]) {
    app.all(path, (c) => {
      const document = groupDocument(all(), c.req.param("group") ?? "");
      return document === undefined ? missing() : documentResponse(c.req.raw, document);
    });
  }
  app.all("/apis/:group/:version", (c) => {
    const { group, version } = c.req.param();
    const known = groupDocument(all(), group) !== undefined;
    const document = resourceList(all(), `${group}/${version}`);
    if (document === undefined) return absent(cluster, `${group}/${version}`, !known);
    return documentResponse(
      c.req.raw,
      document,
      isBuiltinGroup(cluster, `${group}/${version}`) ? { produced: PRODUCED } : {},
    );
  });
  app.all("/", () => jsonResponse({ paths: ["/api", "/apis", "/healthz", "/livez", "/readyz", "/version"] }));
}

/** NB: servers that an APIService names are not asked, and so are not available. */
function absent(cluster: Cluster, apiVersion: string, isPlain: boolean): Response {
  if (!isServedElsewhere(cluster, apiVersion)) return missing(isPlain);
  const headers = { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" };
  return new Response("service unavailable\n", { status: 503, headers });
}

function resourcesOf({ kinds }: Cluster): Resource[] {
  return [...kinds.all(), ...reviewResources()];
}

function wantsAggregated(request: Request): boolean {
  return parseMediaTypes(request.headers.get("accept") ?? "").some(({ type, parameters }) =>
    type === "application/json" && parameters.get("as") === "APIGroupDiscoveryList" &&
    parameters.get("v") === "v2" && parameters.get("g") === "apidiscovery.k8s.io"
  );
}

function addOpenapi(app: Hono<Asked>, cluster: Cluster): void {
  const definitions = (): KubeObject[] =>
    [...cluster.store.collection(DEFINITIONS).values()].map(({ object }) => object);
  let loaded: Promise<Describe> | undefined;
  const served = async () => ({
    describe: await (loaded ??= loadDescriptions()),
    resources: resourcesOf(cluster),
    crds: definitions(),
  });
  app.all("/openapi/v2", async (c) => {
    if (!takesDescription(c.req.raw, OPENAPI_V2_ACCEPTED)) return noDescription();
    const document = openapiV2(await served());
    const accepted = c.req.header("accept") ?? "";
    if (!OPENAPI_V2_ACCEPTED.some((type) => accepted.includes(type))) return jsonResponse(document);
    return new Response(encodeOpenapi(document), { headers: { "content-type": OPENAPI_V2_PROTOBUF } });
  });
  app.all("/openapi/v3", () => jsonResponse(openapiV3Index(resourcesOf(cluster), definitions())));
  app.all("/openapi/v3/*", async (c) => {
    const path = c.req.path.slice("/openapi/v3/".length);
    if (!takesDescription(c.req.raw, OPENAPI_V3_ACCEPTED)) return noDescription();
    const document = openapiV3(path, await served());
    return document === undefined ? missing() : jsonResponse(document);
  });
}

/** NB: in protocol buffers, too, by the real server; a client that accepts these alone gets JSON. */
const OPENAPI_V3_ACCEPTED = [
  "application/com.github.proto-openapi.spec.v3@v1.0+protobuf",
  "application/com.github.proto-openapi.spec.v3.v1.0+protobuf",
];

const RUNNING = "what needs a running container";

/** Subresources of the real server that need more than a server. */
const NOT_SERVED: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
  "v1/pods/attach": `pods/attach, or ${RUNNING}`,
  "v1/pods/exec": `pods/exec, or ${RUNNING}`,
  "v1/pods/log": `pods/log, or ${RUNNING}`,
  "v1/pods/portforward": `pods/portforward, or ${RUNNING}`,
  "v1/pods/proxy": `pods/proxy, or ${RUNNING}`,
  "v1/pods/resize": "pods/resize",
  "v1/services/proxy": `services/proxy, or ${RUNNING}`,
  "v1/nodes/proxy": `nodes/proxy, or ${RUNNING}`,
});

async function serveApiPath(
  cluster: Cluster,
  c: Context<Asked>,
  asked: (kind: Kind) => void,
): Promise<Response> {
  const request = c.req.raw;
  const { url, path, watches } = c.env.target;
  if (path === undefined) return missing(!url.pathname.startsWith("/api/"));
  const kind = cluster.kinds.at(path.apiVersion, path.plural);
  if (kind === undefined) return await serveReview(cluster, c, path);
  if (watches && request.method !== "GET") throw methodNotAllowed();
  const missingPart = NOT_SERVED[`${path.apiVersion}/${path.plural}/${path.subresource}`];
  if (missingPart !== undefined) {
    const { namespace, name = "" } = path;
    const isThere = kind.collection.get(keyFor(kind, { namespace, name })) !== undefined;
    throw isThere ? notServed(missingPart) : notFound(kind, name);
  }
  const isKnown = path.subresource === undefined || kind.subresources.includes(path.subresource);
  if (!isKnown && kind.custom) throw notFound(kind, path.name ?? "");
  if (!isKnown || (!kind.namespaced && path.namespace !== undefined)) return missing(kind.custom);
  const isRead = request.method === "GET" && path.name === undefined;
  if (kind.custom && kind.namespaced && path.namespace === undefined && !isRead) return missing(true);
  asked(kind);
  const options = { kind, path, query: url.searchParams, user: c.env.user, record: c.env.record };
  if (kind.deprecation === undefined) return await serveResource(cluster, request, options);
  try {
    const response = await serveResource(cluster, request, options);
    response.headers.set("warning", warnFirst(kind.deprecation, response.headers.get("warning")));
    return response;
  } catch (error) {
    if (error instanceof Refusal) error.warning = warnFirst(kind.deprecation, error.warning);
    throw error;
  }
}

function warnFirst(text: string, others: string | null): string {
  const warning = `299 - ${JSON.stringify(text)}`;
  return others === null ? warning : `${warning}, ${others}`;
}

async function serveReview(cluster: Cluster, c: Context<Asked>, path: ResourcePath): Promise<Response> {
  const request = c.req.raw;
  const answer = findReview(path.apiVersion, path.plural);
  if (answer === undefined || path.name !== undefined) {
    return absent(cluster, path.apiVersion, !isBuiltinGroup(cluster, path.apiVersion));
  }
  if (request.method !== "POST") throw methodNotAllowed();
  checkReviewForm(request);
  const question = await readValue(request);
  if (!isObject(question)) throw badRequest("the request body is not an object");
  const { gate } = cluster;
  const asking = { gate, user: c.env.user, namespace: path.namespace };
  const pretty = isPretty(request, c.env.target.url.searchParams);
  return jsonResponse(answer(question, asking), { code: 201, pretty });
}

/** NB: reviews are stored nowhere, and have no other form than their own. @throws {Refusal} 406 */
function checkReviewForm(request: Request): void {
  const accepted = parseMediaTypes(request.headers.get("accept") ?? "");
  if (accepted.length === 0 || accepted.some(({ parameters }) => !parameters.has("as"))) return;
  throw onlyAccepted(["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"]);
}
