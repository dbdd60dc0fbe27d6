/**
 * `resourceVersion` and `resourceVersionMatch` in queries.
 *
 * Source: Kubernetes documentation, "Kubernetes API Concepts", "Resource versions".
 */

import type { Cause } from "../causes.ts";
import { isTrue } from "../paths.ts";
import { badRequest, expired, invalid, storageFault, tooLargeVersion } from "../refusal.ts";
import type { Store } from "../store.ts";

const LIST_OPTIONS = { group: "meta.k8s.io", plural: "listoptions", kind: "ListOptions" };

/**
 * Reads `resourceVersion`; undefined if it is not given. `isRead`: for one object, or a watch.
 *
 * @throws {Refusal} 400, or 500, if it is not a number.
 */
export function readVersion(
  query: URLSearchParams,
  isRead = isTrue(query.get("watch")),
): number | undefined {
  const text = query.get("resourceVersion") ?? "";
  if (text === "") return undefined;
  if (!/^[0-9]+$/.test(text) || BigInt(text) >= 2n ** 64n) {
    const fault = `resourceVersion: Invalid value: ${JSON.stringify(text)}: ${parseFault("Uint", text)}`;
    throw isRead ? storageFault(fault) : badRequest(`invalid resource version: ${fault}`);
  }
  return Number(text);
}

/** @throws {Refusal} 422 if the options of a list do not go together. */
export function checkListOptions(query: URLSearchParams, watch: boolean): void {
  const causes: Cause[] = [];
  const match = query.get("resourceVersionMatch") ?? "";
  const version = query.get("resourceVersion") ?? "";
  const forbid = (field: string, why: string) =>
    causes.push({ reason: "FieldValueForbidden", message: `Forbidden: ${why}`, field });
  const checkMatch = () => {
    if (match === "" || match === "NotOlderThan") return;
    causes.push({
      reason: "FieldValueNotSupported",
      message: `Unsupported value: ${JSON.stringify(match)}: supported values: "NotOlderThan"`,
      field: "resourceVersionMatch",
    });
  };
  const streamed = query.has("sendInitialEvents");
  const continues = (query.get("continue") ?? "") !== "";
  if (streamed && !watch) forbid("sendInitialEvents", "sendInitialEvents is forbidden for list");
  else if (streamed && match !== "NotOlderThan") {
    forbid("resourceVersionMatch", "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
    checkMatch();
  }
  if (match !== "" && watch && !streamed) {
    forbid(
      "resourceVersionMatch",
      "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
    );
    checkMatch();
  }
  // NB: a watch from the newest version is made a streamed one before its options are looked at.
  if (watch && continues && (match !== "" || (!streamed && (version === "" || version === "0")))) {
    forbid("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided");
  }
  if (match !== "" && !watch) {
    if (version === "") {
      forbid("resourceVersionMatch", "resourceVersionMatch is forbidden unless resourceVersion is provided");
    }
    if (continues) {
      forbid("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided");
    }
    if (match === "Exact" && version === "0") {
      forbid("resourceVersionMatch", 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"');
    }
    if (match !== "Exact" && match !== "NotOlderThan") {
      causes.push({
        reason: "FieldValueNotSupported",
        message: `Unsupported value: ${JSON.stringify(match)}: supported values: "Exact", "NotOlderThan", ""`,
        field: "resourceVersionMatch",
      });
    }
  }
  if (causes.length > 0) throw invalid(LIST_OPTIONS, "", causes);
}

/**
 * Reads a number of the query; 0 if it is not given.
 *
 * @throws {Refusal} 400
 */
export function readCount(query: URLSearchParams, name: string): number {
  const text = query.get(name) ?? "";
  if (text === "") return 0;
  const value = /^[+-]?[0-9]+$/.test(text) ? BigInt(text.replace("+", "")) : undefined;
  if (value === undefined || BigInt.asIntN(64, value) !== value) throw badRequest(parseFault("Int", text));
  return Number(value);
}

function parseFault(type: "Int" | "Uint", text: string): string {
  const isNumber = (type === "Int" ? /^[+-]?[0-9]+$/ : /^[0-9]+$/).test(text);
  const why = isNumber ? "value out of range" : "invalid syntax";
  return `strconv.Parse${type}: parsing ${JSON.stringify(text)}: ${why}`;
}

/** @throws {Refusal} 504 if the version has not come yet. */
export function checkNotFuture(store: Store, version: number | undefined): void {
  if (version !== undefined && version > store.version) throw tooLargeVersion(version, store.version);
}

/** The answer to a version of the past that is no longer known. */
export function tooOld(version: number, oldest: number): Error {
  return expired(`too old resource version: ${version} (${oldest})`);
}
