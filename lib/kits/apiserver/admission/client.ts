/**
 * Calls of webhooks: one POST of a review, by HTTPS, to a server whose certificate is checked against `caBundle`.
 *
 * Failures are told in the words of Go's HTTP client, which people know from the real server. Sources:
 * k8s.io/apiserver, pkg/util/webhook/client.go; k8s.io/apimachinery, pkg/api/errors, NewGenericServerResponse.
 * Each call has a connection of its own: webhooks come and go, and change their certificates.
 */

import type { JsonObject } from "../../../model/object.ts";
import type { Connection, Host, HttpResponse, Seconds } from "../../../runtime/host.ts";
import { formatJson, parseJson } from "../../../runtime/json.ts";
import { getOwn, isObject, objectAt } from "../values.ts";
import { concat } from "../requests/respond.ts";

/** A webhook that did not answer, or not with a review. */
export class CallError extends Error {
  override readonly name = "CallError";
}

export interface CallOptions {
  /** `clientConfig`: `url` or `service`, and `caBundle`. */
  readonly client: JsonObject;
  readonly timeout: Seconds;
  readonly review: JsonObject;
}

/** Answers longer than this are not read. In bytes. */
const ANSWER_LIMIT = 16 * 1024 * 1024;

/**
 * Returns the review with which a webhook answers.
 *
 * @throws {CallError} Worded as Kubernetes words it.
 */
export async function callWebhook(host: Host, { client, timeout, review }: CallOptions): Promise<JsonObject> {
  const target = targetOf(client, timeout);
  const abort = new AbortController();
  using _timer = host.clock.after(timeout, () => abort.abort(new CallError("context deadline exceeded")));
  const fail = (error: unknown): never => {
    const reason = abort.signal.aborted ? abort.signal.reason : error;
    throw new CallError(`Post "${target.url}": ${networkWords(reason, target)}`, { cause: error });
  };
  let response: HttpResponse;
  let text: string;
  try {
    using connection: Connection = host.network.connect(target.connect);
    response = await connection.request({
      method: "POST",
      path: target.path,
      headers: {
        "content-type": "application/json",
        "accept": "application/json",
        "user-agent": "kube-apiserver-admission",
      },
      body: formatJson(review),
      signal: abort.signal,
    });
    text = await readText(response);
  } catch (error) {
    return fail(error);
  }
  if (response.status < 200 || response.status > 206) throw new CallError(statusWords(response.status, text));
  return parseReview(text);
}

async function readText({ body }: HttpResponse): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (size > ANSWER_LIMIT) throw new Error(`the answer is longer than ${ANSWER_LIMIT} bytes`);
    pieces.push(piece);
  }
  return new TextDecoder().decode(concat(pieces));
}

function parseReview(text: string): JsonObject {
  const prefix = "couldn't get version/kind; json parse error: ";
  let value: unknown;
  try {
    value = parseJson(text, 64);
  } catch (error) {
    throw new CallError(prefix + (error instanceof Error ? error.message : String(error)), { cause: error });
  }
  if (isObject(value)) return value;
  throw new CallError(
    `${prefix}json: cannot unmarshal ${Array.isArray(value) ? "array" : typeof value} into Go value`,
  );
}

interface Target {
  readonly url: string;
  readonly address: string;
  readonly hostname: string;
  readonly path: string;
  readonly connect: { readonly server: string; readonly ca?: string; readonly serverName?: string };
}

/** @throws {CallError} If the configuration leads nowhere. */
function targetOf(client: JsonObject, timeout: Seconds): Target {
  const service = objectAt(client, "service");
  const given = getOwn(client, "url");
  const address = service === undefined ? String(given ?? "") : serviceUrl(service);
  if (!URL.canParse(address)) {
    throw new CallError(`parse ${JSON.stringify(address)}: invalid URI for request`);
  }
  const url = new URL(address);
  const bundle = getOwn(client, "caBundle");
  const path = `${url.pathname}?timeout=${Math.ceil(timeout)}s`;
  return {
    url: `${url.protocol}//${url.host}${service === undefined ? "" : ":" + (url.port || "443")}${path}`,
    hostname: url.hostname,
    address: `${url.hostname}:${url.port || "443"}`,
    path,
    connect: {
      server: url.origin,
      ...(typeof bundle === "string" && bundle !== "" ? { ca: decodeBundle(bundle) } : {}),
    },
  };
}

/** Nothing resolves the names of services here, but a test may serve them. */
function serviceUrl({ namespace, name, port = 443, path = "" }: JsonObject): string {
  const suffix = String(path);
  return `https://${name}.${namespace}.svc:${port}${suffix.startsWith("/") ? "" : "/"}${suffix}`;
}

function decodeBundle(bundle: string): string {
  try {
    return atob(bundle.replaceAll(/\s/g, ""));
  } catch (error) {
    throw new CallError("unable to load root certificates: illegal base64 data", { cause: error });
  }
}

/** Node's words for what goes wrong, and Go's. */
const UNTRUSTED = "tls: failed to verify certificate: x509: certificate signed by unknown authority";
const WORDS: Readonly<Record<string, (target: Target, message: string) => string>> = {
  ECONNREFUSED: ({ address }) => `dial tcp ${address}: connect: connection refused`,
  ENOTFOUND: ({ hostname }) => `dial tcp: lookup ${hostname}: no such host`,
  EAI_AGAIN: ({ hostname }) => `dial tcp: lookup ${hostname}: no such host`,
  ECONNRESET: () => "EOF",
  ETIMEDOUT: ({ address }) => `dial tcp ${address}: i/o timeout`,
  CERT_HAS_EXPIRED: () =>
    "tls: failed to verify certificate: x509: certificate has expired or is not yet valid",
  DEPTH_ZERO_SELF_SIGNED_CERT: () => UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: () => UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: () => UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: () => UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: () => UNTRUSTED,
  ERR_TLS_CERT_ALTNAME_INVALID: ({ hostname }) =>
    `tls: failed to verify certificate: x509: certificate is not valid for ${hostname}`,
};

function networkWords(error: unknown, target: Target): string {
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  return Object.hasOwn(WORDS, code) ? WORDS[code]!(target, error.message) : error.message;
}

const STATUS_WORDS: Readonly<Record<number, string>> = {
  400: "the server rejected our request for an unknown reason",
  401: "the server has asked for the client to provide credentials",
  404: "the server could not find the requested resource",
  405: "the server does not allow this method on the requested resource",
  409: "the server reported a conflict",
  422: "the server rejected our request due to an error in our request",
  429: "the server has received too many requests and has asked us to try again later",
  503: "the server is currently unable to handle the request",
  504:
    "the server was unable to return a response in the time allotted, but may still be processing the request",
};

function statusWords(status: number, text: string): string {
  const known = STATUS_WORDS[status];
  if (known !== undefined) return known;
  const shown = JSON.stringify(text.trim().slice(0, 2048) || "unknown");
  if (status >= 500) return `an error on the server (${shown}) has prevented the request from succeeding`;
  if (status === 403 || status === 406 || status === 415) return text.trim().slice(0, 2048) || "unknown";
  return `the server responded with the status code ${status} but did not return more information`;
}
