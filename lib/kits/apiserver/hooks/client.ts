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
import { parseYaml } from "../../../runtime/yaml.ts";
import { concat } from "../formats/bytes.ts";
import { getOwn, isObject, objectAt } from "../values.ts";

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
  let target = targetOf(client, timeout);
  const abort = new AbortController();
  using _timer = host.clock.after(timeout, () => abort.abort(new CallError("context deadline exceeded")));
  const fail = (error: unknown): never => {
    const reason = abort.signal.aborted ? abort.signal.reason : error;
    throw new CallError(`Post "${target.url}": ${networkWords(reason, target)}`, { cause: error });
  };
  let [method, body] = ["POST", formatJson(review) as string | undefined];
  for (let redirects = 0;; redirects++) {
    let answer: Answer;
    try {
      if (redirects > MOST_REDIRECTS) throw new Error(`stopped after ${MOST_REDIRECTS} redirects`);
      answer = await ask(host, target, { method, body, signal: abort.signal });
    } catch (error) {
      return fail(error);
    }
    const next = redirectOf(answer, target);
    if (next === undefined) return reviewIn(answer);
    target = next;
    if (!KEEPING.includes(answer.status)) [method, body] = ["GET", undefined];
  }
}

interface Answer {
  readonly status: number;
  readonly headers: HttpResponse["headers"];
  readonly text: string;
}

interface AskOptions {
  readonly method: string;
  readonly body: string | undefined;
  readonly signal: AbortSignal;
}

async function ask(host: Host, { connect, path }: Target, options: AskOptions): Promise<Answer> {
  const { method, body, signal } = options;
  using connection: Connection = host.network.connect(connect);
  const headers = {
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    "accept": "application/json",
    "user-agent": "kube-apiserver-admission",
  };
  const response = await connection.request({ method, path, headers, body, signal });
  return { status: response.status, headers: response.headers, text: await readText(response) };
}

/** Go's client follows so many. Source: Go, net/http, Client.do and redirectBehavior. */
const MOST_REDIRECTS = 10;
/** Redirects after which the review is sent again; after the others, a GET without a body is. */
const KEEPING = [307, 308];
const REDIRECTS = [301, 302, 303, ...KEEPING];

/** Returns where an answer leads to; undefined if it leads nowhere. */
function redirectOf({ status, headers }: Answer, from: Target): Target | undefined {
  const location = headers.location;
  if (!REDIRECTS.includes(status) || location === undefined || !URL.canParse(location, from.url)) {
    return undefined;
  }
  const url = new URL(location, from.url);
  return {
    url: url.href,
    hostname: url.hostname,
    address: `${url.hostname}:${url.port || (url.protocol === "http:" ? "80" : "443")}`,
    path: url.pathname + url.search,
    connect: { ...from.connect, server: url.origin },
  };
}

function reviewIn({ status, headers, text }: Answer): JsonObject {
  if (status < 200 || status > 206) throw new CallError(statusWords(status, text));
  if (text !== "") return parseReview(text);
  const type = headers["content-type"] ?? "";
  throw new CallError(`0-length response with status code: ${status} and content type: ${type}`);
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
    value = parseAny(text);
  } catch (error) {
    throw new CallError(prefix + (error instanceof Error ? error.message : String(error)), { cause: error });
  }
  if (isObject(value)) return value;
  const type = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  throw new CallError(`${prefix}json: cannot unmarshal ${type} into Go value of type ${GO_TYPE}`);
}

const GO_TYPE =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** NB: the real server reads a text that is no JSON as YAML, whatever its content type is. */
function parseAny(text: string): unknown {
  try {
    return parseJson(text, 64);
  } catch {
    return parseYaml(text)[0];
  }
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

/** The names of services are not resolved here, but a test may serve them. */
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

/** Node's codes of errors, and Go's words for them. */
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
