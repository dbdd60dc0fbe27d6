/**
 * Renews the id token of an `auth-provider` "oidc", and writes it back into the kubeconfig.
 *
 * A refresh token may be valid once: whoever uses it has to write the next one where others find it. So the kubeconfig is locked
 * (by the file that kubectl's lock is, too) before the provider is asked, and read again: another program may have been first.
 * Where the tokens cannot be written, that is an error, as in kubectl, since the next start would have none.
 * Source: client-go, `plugin/pkg/client/auth/oidc`; RFC 8414, 5 (discovery); RFC 6749, 6 and 2.3.1.
 */

import { toBase64 } from "../../model/encoding.ts";
import { isObject } from "../../model/json.ts";
import type { JsonObject } from "../../model/object.ts";
import type { HttpRequest, Seconds } from "../../runtime/host.ts";
import { LoginError, messageOf } from "../errors.ts";
import { proxyFromEnvironment } from "../transport/proxy.ts";
import { placeOf, readMaterial, type Source, textField } from "./kubeconfig_fields.ts";

/** How long the provider may take for each answer. */
const TIMEOUT: Seconds = 30;

/** How often, and after which pauses, a lock of another program is looked at again. */
const LOCK_TRIES = 20;
const LOCK_PAUSE: Seconds = 0.5;

/** How much of the provider's words is told, in characters. */
const MOST_WORDS = 200;

/** Whether there is all that a renewal takes. */
export function isRenewable(config: JsonObject): boolean {
  return ["idp-issuer-url", "client-id", "refresh-token"].every((name) =>
    textField(config, name) !== undefined
  );
}

/**
 * Returns an id token that is valid, which the kubeconfig holds from now on.
 *
 * @param isValid Tells whether an id token can still be used.
 * @throws {LoginError} If the provider gives none, or the file cannot be written.
 */
export async function renewIdToken(source: Source, isValid: (token: string) => boolean): Promise<string> {
  const { files } = source.host;
  const lock = `${source.path}.lock`;
  await takeLock(source, lock);
  try {
    const config = await readConfig(source);
    const current = textField(config, "id-token");
    if (current !== undefined && isValid(current)) return current;
    const { idToken, refreshToken } = await askProvider(source, config);
    if (!isValid(idToken)) throw failure(source, "the id token that it gave has expired already");
    const next = { "id-token": idToken, ...refreshToken !== undefined && { "refresh-token": refreshToken } };
    await writeConfig(source, config, next);
    return idToken;
  } finally {
    await files.remove(lock);
  }
}

async function takeLock(source: Source, lock: string): Promise<void> {
  const { files, clock } = source.host;
  for (let tries = 1;; tries++) {
    try {
      return await files.createText(lock, "");
    } catch (error) {
      const isTaken = isObject(error) && error["code"] === "EEXIST";
      if (isTaken && tries < LOCK_TRIES) {
        await clock.sleep(LOCK_PAUSE);
        continue;
      }
      const problem = isTaken
        ? `its kubeconfig is locked: remove "${lock}" if no program uses it`
        : `its kubeconfig cannot be locked: ${messageOf(error)}`;
      throw failure(source, problem, error);
    }
  }
}

/** Returns the configuration that the file has now: its tokens may be others than when it was read for the login. */
async function readConfig(source: Source): Promise<JsonObject> {
  const [document] = await readDocument(source);
  const config = configIn(source, document);
  if (config !== undefined) return config;
  throw failure(source, "its entry has gone from the kubeconfig");
}

async function readDocument({ host, path }: Source): Promise<[document: unknown, text: string]> {
  const { parseYaml } = await import("../../runtime/yaml.ts");
  const text = await host.files.readText(path);
  return [parseYaml(text)[0], text];
}

function configIn({ name }: Source, document: unknown): JsonObject | undefined {
  const users = isObject(document) && Array.isArray(document["users"]) ? document["users"] : [];
  const entry: unknown = users.find((each) => isObject(each) && textField(each, "name") === name);
  const user = isObject(entry) ? entry["user"] : undefined;
  const provider = isObject(user) ? user["auth-provider"] : undefined;
  const config = isObject(provider) ? provider["config"] : undefined;
  return isObject(config) ? config : undefined;
}

/** Texts that stand in the file are replaced there, so that its comments stay; else it is written anew, as kubectl does. */
async function writeConfig(
  source: Source,
  before: JsonObject,
  next: Readonly<Record<string, string>>,
): Promise<void> {
  const { formatYaml } = await import("../../runtime/yaml.ts");
  try {
    const [document, text] = await readDocument(source);
    const olds = Object.keys(next).map((name) => [textField(before, name) ?? "", next[name] ?? ""] as const);
    if (olds.every(([old]) => old !== "" && text.split(old).length === 2)) {
      const changed = olds.reduce((all, [old, other]) => all.replace(old, () => other), text);
      return await source.host.files.writeText(source.path, changed);
    }
    Object.assign(configIn(source, document) ?? {}, next);
    await source.host.files.writeText(source.path, formatYaml(document));
  } catch (error) {
    throw failure(source, `the tokens that it gave cannot be written: ${messageOf(error)}`, error);
  }
}

interface Tokens {
  readonly idToken: string;
  readonly refreshToken: string | undefined;
}

async function askProvider(source: Source, config: JsonObject): Promise<Tokens> {
  const [issuer = "", clientId = "", refreshToken = ""] = ["idp-issuer-url", "client-id", "refresh-token"]
    .map(
      (name) => textField(config, name),
    );
  const ca = await readMaterial(source, config, "idp-certificate-authority");
  const discovery = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const found = await ask(source, { url: discovery, ca });
  const endpoint = found.status === 200 ? textField(found.answer, "token_endpoint") : undefined;
  if (endpoint === undefined || !URL.canParse(endpoint)) {
    throw failure(source, `"${discovery}" names no token_endpoint (it answered ${found.status})`);
  }
  const secret = textField(config, "client-secret");
  const form = { grant_type: "refresh_token", refresh_token: refreshToken };
  const inForm = { ...form, client_id: clientId, ...secret !== undefined && { client_secret: secret } };
  const pair = toBase64(`${encodeURIComponent(clientId)}:${encodeURIComponent(secret ?? "")}`);
  // A provider says nowhere where it wants the client's secret: both ways are tried, as in client-go.
  let given = secret === undefined
    ? undefined
    : await ask(source, { url: endpoint, ca, form, authorization: `Basic ${pair}` });
  if (given === undefined || [400, 401].includes(given.status)) {
    given = await ask(source, { url: endpoint, ca, form: inForm });
  }
  const idToken = textField(given.answer, "id_token");
  if (given.status === 200 && idToken !== undefined) {
    return { idToken, refreshToken: textField(given.answer, "refresh_token") };
  }
  const words = ["error", "error_description"].map((name) => textField(given.answer, name)).filter((each) =>
    each !== undefined
  ).join(": ").slice(0, MOST_WORDS);
  throw failure(
    source,
    given.status === 200
      ? "its answer has no id_token (was the scope openid asked for at the login?)"
      : `"${endpoint}" answered ${given.status}${words === "" ? "" : ` (${words})`}: log in again`,
  );
}

interface Question {
  readonly url: string;
  readonly ca: string | undefined;
  /** Sent by POST. */
  readonly form?: Readonly<Record<string, string>>;
  readonly authorization?: string;
}

/** The answer is empty where it is no JSON object. */
async function ask(
  source: Source,
  { url, ca, form, authorization }: Question,
): Promise<{ readonly status: number; readonly answer: JsonObject }> {
  const { host } = source;
  const { origin, pathname, search } = new URL(url);
  const ending = new AbortController();
  using _timer = host.clock.after(TIMEOUT, () => ending.abort(new Error(`no answer after ${TIMEOUT} s`)));
  try {
    using connection = host.network.connect({
      server: origin,
      ca,
      proxy: proxyFromEnvironment(host, origin),
    });
    const request: HttpRequest = {
      method: form === undefined ? "GET" : "POST",
      path: `${pathname}${search}`,
      headers: {
        accept: "application/json",
        ...form !== undefined && { "content-type": "application/x-www-form-urlencoded" },
        ...authorization !== undefined && { authorization },
      },
      body: form && new URLSearchParams(form).toString(),
      signal: ending.signal,
    };
    const response = await connection.request(request);
    return { status: response.status, answer: parseObject(await response.text()) };
  } catch (error) {
    throw failure(source, `"${origin}" cannot be asked: ${messageOf(error)}`, error);
  }
}

function parseObject(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {}; // said by the caller, without the text: it may hold a token
  }
}

function failure(source: Source, problem: string, cause?: unknown): LoginError {
  return new LoginError(`Cannot renew the token of auth-provider "oidc" of ${placeOf(source)}: ${problem}`, {
    cause,
  });
}
