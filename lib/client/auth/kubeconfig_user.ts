/**
 * The user's half of a connection info: certificates, tokens, passwords, programs, and whom to act as.
 *
 * Source: client-go, `clientcmd`: data wins over files, a token file over a token, and a program is asked only where no value
 * else is given.
 */

import { isObject } from "../../model/json.ts";
import type { JsonObject } from "../../model/object.ts";
import type { ConnectionInfo, Impersonation } from "./connection_info.ts";
import { LoginError } from "../errors.ts";
import { type ProvidedToken, readProvider } from "./auth_provider.ts";
import { type ExecCluster, runExecPlugin } from "./exec_plugin.ts";
import { checkFields, USER_FIELDS } from "./field_types.ts";
import { placeOf, readMaterial, readNeighbour, type Source, textField } from "./kubeconfig_fields.ts";

/** The fields of a connection info that identify us. */
export type Identity =
  & Omit<
    ConnectionInfo,
    "server" | "ca" | "insecure" | "serverName" | "proxy" | "disableCompression" | "refresh"
  >
  & {
    /** Whether some of it lives in files, and so may change. */
    readonly files: boolean;
  };

/** @throws {LoginError} If a field is missing, or contradicts another one. */
export async function readUser(
  source: Source,
  content: JsonObject,
  options: { readonly cluster: ExecCluster },
): Promise<Identity> {
  checkFields(placeOf(source), content, USER_FIELDS);
  const { exec, "auth-provider": provider } = content;
  if (isObject(exec) && isObject(provider)) {
    throw new LoginError(
      `Cannot use ${placeOf(source)}: it has both an exec plugin and an auth-provider, remove one`,
    );
  }
  const impersonate = readImpersonation(source, content);
  const cert = await readMaterial(source, content, "client-certificate");
  const key = await readMaterial(source, content, "client-key");
  checkPair(source, cert, key);
  const token = await readToken(source, content);
  const [username, password] = [textField(content, "username"), textField(content, "password")];
  if (token !== undefined && (username !== undefined || password !== undefined)) {
    throw new LoginError(
      `Cannot use ${placeOf(source)}: it has both a token and a username or password, remove one`,
    );
  }
  const files = ["client-certificate", "client-key", "tokenFile"].some((name) =>
    textField(content, name) !== undefined
  );
  if (token === undefined && username === undefined && isObject(provider)) {
    const provided: ProvidedToken = await readProvider(source, provider);
    return { cert, key, ...provided, impersonate, files: true };
  }
  if (token === undefined && cert === undefined && username === undefined && isObject(exec)) {
    const identity = await runExecPlugin(source, exec, options);
    return { ...identity, impersonate, files: false };
  }
  return { cert, key, token, username, password, impersonate, files };
}

async function readToken(source: Source, content: JsonObject): Promise<string | undefined> {
  const path = textField(content, "tokenFile");
  if (path === undefined) return textField(content, "token");
  const { file, text } = await readNeighbour(source, path, "tokenFile");
  if (text.trim() !== "") return text.trim();
  throw new LoginError(`Cannot use file "${file}", the tokenFile of ${placeOf(source)}: it is empty`);
}

function readImpersonation(source: Source, content: JsonObject): Impersonation | undefined {
  const [user, uid] = [textField(content, "as"), textField(content, "as-uid")];
  const groups = content["as-groups"];
  const extra = content["as-user-extra"];
  if (user === undefined) {
    if (uid === undefined && groups === undefined && extra === undefined) return undefined;
    throw new LoginError(
      `Cannot impersonate as ${placeOf(source)} says: "as-uid", "as-groups" and "as-user-extra" need "as"`,
    );
  }
  return { user, uid, groups: toTexts(groups), extra: toExtra(extra) };
}

function checkPair(source: Source, cert: string | undefined, key: string | undefined): void {
  if ((cert === undefined) === (key === undefined)) return;
  const [there, missing] = cert === undefined
    ? ["client-key", "client-certificate"]
    : ["client-certificate", "client-key"];
  throw new LoginError(`Cannot use the ${there} of ${placeOf(source)}: its ${missing} is missing`);
}

function toTexts(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.map(String); // lists of texts, as was checked
}

function toExtra(value: unknown): Record<string, readonly string[]> | undefined {
  if (!isObject(value)) return undefined;
  return Object.fromEntries(
    Object.entries(value).map(([name, values]) => [name, toTexts(values) ?? []]),
  );
}
