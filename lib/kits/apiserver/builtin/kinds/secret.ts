/** Secrets: text that is kept in base64, and the keys that each type must have. */

import { sameField } from "../sealed.ts";
import type { JsonObject, KubeObject } from "../../../../model/object.ts";
import { type Cause, required } from "../../causes.ts";
import { isObject, setOwn } from "../../values.ts";
import { ageOf, row, sizeAt, textCell } from "../cells.ts";
import type { KindModule } from "../kind_module.ts";
import { dataCauses, keyCauses, sizeCauses } from "./config_map.ts";

export const SECRET: KindModule = {
  complete: foldStringData,
  causes: secretCauses,
  sealed: (object, old) => [...sameField("type", object.type, old.type), ...dataCauses(object, old)],
  cells: row(textCell("type"), (object) => sizeAt(object, "data"), ageOf),
};

/** `stringData` can only be written: it ends up in `data`. */
function foldStringData(secret: KubeObject): void {
  const { stringData } = secret;
  if (!isObject(stringData)) return;
  const data: JsonObject = isObject(secret.data) ? { ...secret.data } : {};
  for (const [key, value] of Object.entries(stringData)) setOwn(data, key, toBase64(String(value)));
  secret.data = data;
  delete secret.stringData;
}

function toBase64(text: string): string {
  let binary = "";
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/** The keys that Secrets of a type must have: of a list, one. */
const SECRET_KEYS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  "kubernetes.io/basic-auth": [["username", "password"]],
  "kubernetes.io/dockercfg": [[".dockercfg"]],
  "kubernetes.io/dockerconfigjson": [[".dockerconfigjson"]],
  "kubernetes.io/ssh-auth": [["ssh-privatekey"]],
  "kubernetes.io/tls": [["tls.crt"], ["tls.key"]],
};
const SERVICE_ACCOUNT = "kubernetes.io/service-account.name";

/** Source: k8s.io/kubernetes, pkg/apis/core/validation, ValidateSecret. */
function secretCauses({ type, data, metadata }: KubeObject): Cause[] {
  const causes = [...keyCauses(data, "data"), ...sizeCauses([data], "data")];
  if (type === "kubernetes.io/service-account-token" && !metadata.annotations?.[SERVICE_ACCOUNT]) {
    causes.push(required(`metadata.annotations[${SERVICE_ACCOUNT}]`));
  }
  const given = isObject(data) ? data : {};
  for (const keys of Object.hasOwn(SECRET_KEYS, String(type)) ? SECRET_KEYS[String(type)] ?? [] : []) {
    // NB: the key of SSH must not be empty either.
    const isThere = keys.some((key) =>
      Object.hasOwn(given, key) && (given[key] !== "" || !key.startsWith("ssh"))
    );
    if (!isThere) causes.push(...keys.map((key) => required(`data[${key}]`)));
  }
  return causes;
}
