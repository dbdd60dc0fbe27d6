/**
 * The token subresource of service accounts.
 *
 * Source: Kubernetes API reference, TokenRequest; k8s.io/kubernetes, pkg/registry/core/serviceaccount/storage/token.go.
 */

import type { JsonObject } from "../../../model/object.ts";
import { type BoundObject, ISSUER } from "../access/tokens.ts";
import { type Cause, invalid } from "../causes.ts";
import type { Cluster } from "../cluster.ts";
import { groupOf } from "../kinds.ts";
import { badRequest, conflict, invalid as invalidObject, methodNotAllowed, notFound } from "../refusal.ts";
import { timestamp } from "../formats/timestamp.ts";
import { isObject, objectAt } from "../values.ts";
import { askAbout } from "../verbs/admitted.ts";
import { readValue } from "../bodies/body.ts";
import type { Call } from "../verbs/call.ts";
import { jsonResponse } from "../answers/respond.ts";

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
  const bound = boundObject(cluster, objectAt(spec, "boundObjectRef"), { namespace, name });
  const { token, expires } = cluster.gate.tokens.issue({
    bound,
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

const BOUND: Readonly<Record<string, BoundObject["plural"]>> = Object.assign(Object.create(null), {
  Pod: "pods",
  Secret: "secrets",
  Node: "nodes",
});

/**
 * Returns the object that a token is bound to.
 *
 * Source: k8s.io/kubernetes, pkg/registry/core/serviceaccount/storage/token.go.
 *
 * @throws {Refusal} 400, 404, or 409 if it is another one by now.
 */
function boundObject(
  { store }: Cluster,
  reference: JsonObject | undefined,
  account: { readonly namespace: string; readonly name: string },
): BoundObject | undefined {
  if (reference === undefined) return undefined;
  const { apiVersion = "", kind = "", name: given = "", uid = "" } = reference;
  const [name, group, word] = [String(given), groupOf(String(apiVersion)), String(kind)];
  const plural = group === "" ? BOUND[word] : undefined;
  if (plural === undefined) {
    const version = String(apiVersion).slice(String(apiVersion).indexOf("/") + 1);
    throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${word}`);
  }
  const namespace = plural === "nodes" ? "" : account.namespace;
  const found = store.collection(plural).get(namespace === "" ? name : `${namespace}/${name}`);
  if (found === undefined) throw notFound({ group: "", plural, kind: word }, name);
  const { spec } = found.object;
  if (plural === "pods" && spec?.serviceAccountName !== account.name) {
    throw badRequest(
      `cannot bind token for serviceaccount ${
        JSON.stringify(account.name)
      } to pod running with different serviceaccount name.`,
    );
  }
  if (uid !== "" && uid !== found.metadata.uid) {
    throw conflict(
      { group: "", plural: word, kind: word },
      name,
      `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  }
  return { plural, namespace, name, uid: found.metadata.uid ?? "" };
}

function lifetimeCauses(value: number): Cause[] {
  const refuse = (detail: string) => [invalid("spec.expirationSeconds", { value, detail })];
  if (value < SHORTEST) return refuse("may not specify a duration less than 10 minutes");
  return value > 2 ** 32 ? refuse("may not specify a duration larger than 2^32 seconds") : [];
}
