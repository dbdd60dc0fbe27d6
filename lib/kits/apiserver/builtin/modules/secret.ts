/** Secrets: what is written as text is kept in base64. */

import type { JsonObject, KubeObject } from "../../../../model/object.ts";
import { isObject, setOwn } from "../../values.ts";
import type { KindModule } from "../kind_module.ts";

export const SECRET: KindModule = { complete: foldStringData };

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
