/**
 * Tokens that an `auth-provider` of a kubeconfig has left there: the id token of "oidc", and access tokens of the cloud providers
 * that client-go has dropped.
 *
 * An id token that has expired is renewed where there is a refresh token (`oidc.ts`); else that is said plainly, with both times.
 * Source: client-go, `plugin/pkg/client/auth/oidc`; Kopf, `piggybacking.py`.
 */

import { isObject } from "../../model/json.ts";
import type { JsonObject } from "../../model/object.ts";
import { formatTimestamp, parseTimestamp } from "../../model/timestamps.ts";
import { LoginError } from "../errors.ts";
import { checkFields, PROVIDER_FIELDS } from "./field_types.ts";
import { placeOf, type Source, textField } from "./kubeconfig_fields.ts";
import { isRenewable, renewIdToken } from "./oidc.ts";

/** A token, and when it expires, in milliseconds since 1970. */
export interface ProvidedToken {
  readonly token: string;
  readonly expiration: number | undefined;
}

/** How long before its end a token counts as expired, in milliseconds. Source: client-go. */
const MARGIN = 10_000;

/** Returns the token that a provider has left, or gives. @throws {LoginError} If there is none, or it has expired. */
export async function readProvider(source: Source, provider: JsonObject): Promise<ProvidedToken> {
  const place = placeOf(source);
  checkFields(`the auth-provider of ${place}`, provider, PROVIDER_FIELDS);
  const { config } = provider;
  const fields = isObject(config) ? config : {};
  const name = textField(provider, "name") ?? "";
  const token = textField(fields, name === "oidc" ? "id-token" : "access-token");
  const now = source.host.clock.now();
  const isValid = (each: string): boolean => (expirationOf(each) ?? Infinity) - MARGIN > now;
  if (name === "oidc" && isRenewable(fields) && (token === undefined || !isValid(token))) {
    const renewed = await renewIdToken(source, isValid);
    const end = expirationOf(renewed);
    return { token: renewed, expiration: end === undefined ? undefined : end - MARGIN };
  }
  if (token === undefined) {
    const advice = name === "oidc"
      ? "it has no id-token: log in, or use an exec plugin"
      : "it is not supported, as Kubernetes has dropped it too: use an exec plugin";
    throw new LoginError(`Cannot use auth-provider "${name}" of ${place}: ${advice}`);
  }
  const expiration = name === "oidc"
    ? expirationOf(token)
    : parseTimestamp(textField(fields, "expiry") ?? "");
  if (expiration !== undefined && expiration - MARGIN <= now) {
    throw new LoginError(
      `Cannot use auth-provider "${name}" of ${place}: its token has expired at ${
        formatTimestamp(expiration)
      }, and it is ` +
        `${
          formatTimestamp(now)
        }: log in again (it is renewed where it stands with a refresh-token, idp-issuer-url and client-id), or use an exec plugin`,
    );
  }
  return { token, expiration: expiration === undefined ? undefined : expiration - MARGIN };
}

/** Returns undefined for a token that is no JSON Web Token, which the server has to judge. Source: RFC 7519, 4.1.4. */
function expirationOf(token: string): number | undefined {
  try {
    const payload = (token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/");
    const { exp } = JSON.parse(atob(payload)) as { readonly exp?: unknown };
    const seconds = Number(exp);
    return exp !== undefined && Number.isFinite(seconds) ? seconds * 1000 : undefined;
  } catch {
    return undefined;
  }
}
