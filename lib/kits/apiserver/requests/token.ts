/**
 * The token subresource of service accounts.
 *
 * Source: Kubernetes API reference, TokenRequest; k8s.io/kubernetes, pkg/registry/core/serviceaccount/storage/token.go.
 */

import { ISSUER } from "../access/tokens.ts";
import { type Cause, invalid } from "../causes.ts";
import type { Cluster } from "../cluster.ts";
import { badRequest, invalid as invalidObject, methodNotAllowed, notFound } from "../refusal.ts";
import { timestamp } from "../timestamp.ts";
import { isObject, objectAt } from "../values.ts";
import { askAbout } from "./admitted.ts";
import { readValue } from "./body.ts";
import type { Call } from "./call.ts";
import { jsonResponse } from "./respond.ts";

const HOUR = 3600;
const SHORTEST = 600;
const NAMES = { group: "authentication.k8s.io", plural: "tokenrequests", kind: "TokenRequest" };

/**
 * Makes a token.
 *
 * @throws {Refusal} 404, 405 or 422
 */
export async function tokenResponse(cluster: Cluster, call: Call): Promise<Response> {
  const { request, kind, path, shape } = call;
  if (request.method !== "POST") throw methodNotAllowed();
  const { namespace = "", name = "" } = path;
  const wanted = await readValue(request);
  if (!isObject(wanted)) throw badRequest("the request body is not an object of kind TokenRequest");
  if (kind.collection.get(`${namespace}/${name}`) === undefined) throw notFound(kind, name);
  const subject = { ...NAMES, version: "v1" };
  const headers = new Headers();
  const body = await askAbout(cluster, call, { subject, operation: "CREATE", object: wanted, headers });
  const account = kind.collection.get(`${namespace}/${name}`)?.metadata;
  if (account === undefined) throw notFound(kind, name);
  const spec = objectAt(body, "spec") ?? {};
  const lifetime = typeof spec.expirationSeconds === "number" ? spec.expirationSeconds : HOUR;
  const causes = lifetimeCauses(lifetime);
  if (causes.length > 0) throw invalidObject(NAMES, "", causes);
  const given = Array.isArray(spec.audiences) ? spec.audiences.map(String) : [];
  const audiences = given.length === 0 ? [ISSUER] : given;
  const { token, expires } = cluster.gate.tokens.issue({
    namespace,
    name,
    uid: account.uid ?? "",
    audiences,
    lifetime,
  });
  const answer = {
    kind: NAMES.kind,
    apiVersion: `${NAMES.group}/v1`,
    metadata: { name, namespace, creationTimestamp: timestamp(expires - lifetime * 1000) },
    spec: { audiences, expirationSeconds: lifetime, boundObjectRef: spec.boundObjectRef ?? null },
    status: { token, expirationTimestamp: timestamp(expires) },
  };
  return jsonResponse(answer, { code: 201, headers, pretty: shape.pretty });
}

function lifetimeCauses(value: number): Cause[] {
  const refuse = (detail: string) => [invalid("spec.expirationSeconds", { value, detail })];
  if (value < SHORTEST) return refuse("may not specify a duration less than 10 minutes");
  return value > 2 ** 32 ? refuse("may not specify a duration larger than 2^32 seconds") : [];
}
