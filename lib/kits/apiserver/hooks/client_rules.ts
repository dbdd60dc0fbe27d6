/**
 * Refusals of Kubernetes for the address of a webhook, and the versions of reviews that it reads, of admission and of conversion.
 *
 * Source: k8s.io/apiserver, pkg/util/webhook/validation.go.
 */

import type { JsonObject } from "../../../model/object.ts";
import { type Cause, invalid, required } from "../causes.ts";
import { dns1035Errors, dnsSubdomainErrors } from "../names.ts";
import { getOwn, objectAt } from "../values.ts";

/** Returns the faults of where a webhook is. */
export function clientCauses(client: JsonObject, at: string): Cause[] {
  const url = getOwn(client, "url") ?? undefined;
  const service = objectAt(client, "service");
  if ((url === undefined) === (service === undefined)) {
    return [required(at, "exactly one of url or service is required")];
  }
  return service === undefined
    ? urlCauses(String(url), `${at}.url`)
    : serviceCauses(service, `${at}.service`);
}

const FORM = "; desired format: https://host[/path]";

function urlCauses(text: string, at: string): Cause[] {
  if (!URL.canParse(text)) {
    const scheme = invalid(at, { value: "", detail: `'https' is the only allowed URL scheme${FORM}` });
    return [scheme, invalid(at, { value: "", detail: `host must be specified${FORM}` })];
  }
  const url = new URL(text);
  const causes: Cause[] = [];
  const refuse = (value: string, detail: string) => causes.push(invalid(at, { value, detail }));
  if (url.protocol !== "https:") {
    refuse(url.protocol.slice(0, -1), `'https' is the only allowed URL scheme${FORM}`);
  }
  if (url.host === "") refuse("", `host must be specified${FORM}`);
  if (url.username !== "" || url.password !== "") {
    const secret = url.password === "" ? "" : `:${url.password}`;
    refuse(`${url.username}${secret}`, "user information is not permitted in the URL");
  }
  if (url.hash !== "") refuse(url.hash.slice(1), "fragments are not permitted in the URL");
  if (url.search !== "") refuse(url.search.slice(1), "query parameters are not permitted in the URL");
  return causes;
}

function serviceCauses(service: JsonObject, at: string): Cause[] {
  const { port, path } = service;
  // NB: the real server confuses the two: a missing name is told of the namespace, and the other way round.
  const causes = [["name", "namespace"], ["namespace", "name"]]
    .filter(([, field]) => (getOwn(service, field!) ?? "") === "")
    .map(([told]) => required(`${at}.${told}`));
  if (typeof port !== "number" || !Number.isInteger(port) || port < 1 || port > 65535) {
    causes.push(
      invalid(`${at}.port`, {
        value: port,
        detail: "port is not valid: must be between 1 and 65535, inclusive",
      }),
    );
  }
  if (typeof path !== "string" || path === "" || path === "/") return causes;
  const refuse = (detail: string) => causes.push(invalid(`${at}.path`, { value: path, detail }));
  if (!path.startsWith("/")) refuse("must start with a '/'");
  const steps = path.slice(1).replace(/\/$/, "").split("/");
  for (const [index, step] of steps.entries()) {
    if (step === "") refuse(`segment[${index}] may not be empty`);
    else for (const error of dnsSubdomainErrors(step)) refuse(`segment[${index}]: ${error}`);
  }
  return causes;
}

/** The versions of reviews that the server speaks. */
export const REVIEWS = ["v1", "v1beta1"];

/** Returns the faults of the versions of reviews that a webhook reads. */
export function reviewVersionCauses(list: readonly string[], at: string): Cause[] {
  if (list.length === 0) return [required(at)];
  const causes = list.flatMap((value, index) => {
    if (list.indexOf(value) < index) {
      return [invalid(`${at}[${index}]`, { value, detail: "duplicate version" })];
    }
    return dns1035Errors(value).map((detail) => invalid(`${at}[${index}]`, { value, detail }));
  });
  if (list.some((version) => REVIEWS.includes(version))) return causes;
  const detail = `must include at least one of ${REVIEWS.join(", ")}`;
  return [...causes, invalid(at, { value: list, detail })];
}
