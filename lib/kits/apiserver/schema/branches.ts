/**
 * Which of ajv's faults Kubernetes would report.
 *
 * ajv reports the faults of every branch of `anyOf` and `oneOf`; Kubernetes those of the best one. ajv says nothing about
 * a failed `allOf` itself; Kubernetes does. Of null, Kubernetes checks only type and enum.
 */

import { own, type Schema } from "./structural.ts";
import type { Fault } from "./validation.ts";

const BRANCH = /\/(allOf|anyOf|oneOf)\/(\d+)(?=\/)/g;

/** Returns the faults to report, found with `schema`. */
export function shownFaults(faults: readonly Fault[], schema: Schema): Fault[] {
  const counted = faults.filter((fault) => !isAboutNull(fault)).flatMap(withRange);
  const shown = onlyFirstOfText(onlyBestBranches(counted));
  return [...shown, ...failedAllOf(shown, schema)];
}

/** A number that is no integer does not fit into an integer's range either: ajv says so once, Kubernetes twice. */
function withRange(fault: Fault): Fault[] {
  const { keyword, data, parentSchema } = fault;
  const fraction = keyword === "type" && typeof data === "number" && !Number.isInteger(data);
  const [type, other] = [parentSchema.type].flat().filter((name) => name !== "null");
  if (!fraction || type !== "integer" || other !== undefined) return [fault];
  const schemaPath = fault.schemaPath.replace(/type$/, "format");
  return [fault, { ...fault, keyword: "format", schemaPath, schema: parentSchema.format }];
}

/** A fault of null itself that is not of its own schema node's type or enum. */
function isAboutNull(fault: Fault): boolean {
  if (fault.data !== null) return false;
  if (fault.keyword !== "type" && fault.keyword !== "enum") return true;
  const last = [...fault.schemaPath.matchAll(BRANCH)].at(-1);
  return last !== undefined && levelsBelow(fault.schemaPath.slice(last.index + last[0].length)) === 0;
}

/** Returns how deep into the value a schema path leads before the first of its combinators; to its end if it has none. */
export function levelsAboveBranches(schemaPath: string): number {
  const at = schemaPath.search(BRANCH);
  return levelsBelow(at < 0 ? schemaPath : `${schemaPath.slice(0, at)}/`);
}

/** How many levels deeper into the value the rest of a schema path leads. */
function levelsBelow(schemaPath: string): number {
  const tokens = schemaPath.split("/").slice(1, -1);
  let levels = 0;
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i];
    if (token === "properties" || token === "patternProperties") i++;
    if (/^(properties|patternProperties|additionalProperties|items)$/.test(token!)) levels++;
  }
  return levels;
}

/** Of a text's length and pattern, Kubernetes reports the first only. */
function onlyFirstOfText(faults: readonly Fault[]): Fault[] {
  const order = ["maxLength", "minLength", "pattern"];
  const nodeOf = (fault: Fault): string =>
    `${fault.instancePath} ${fault.schemaPath.slice(0, fault.schemaPath.lastIndexOf("/"))}`;
  const first = new Map<string, number>();
  for (const fault of faults) {
    const rank = order.indexOf(fault.keyword);
    if (rank >= 0) first.set(nodeOf(fault), Math.min(rank, first.get(nodeOf(fault)) ?? rank));
  }
  return faults.filter((fault) => {
    const rank = order.indexOf(fault.keyword);
    return rank < 0 || first.get(nodeOf(fault)) === rank;
  });
}

/** Of a failed `anyOf` or `oneOf`, keeps one branch's faults; of a `oneOf` with several valid ones, none. */
function onlyBestBranches(faults: readonly Fault[]): Fault[] {
  let left = [...faults];
  for (const fault of faults) {
    if (fault.keyword !== "anyOf" && fault.keyword !== "oneOf") continue;
    const branchOf = (other: Fault): string | undefined => branchBelow(fault, other);
    const counts = new Map<string, number>();
    for (const other of left) {
      const branch = branchOf(other);
      if (branch !== undefined) counts.set(branch, (counts.get(branch) ?? 0) + 1);
    }
    const several = fault.keyword === "oneOf" && Array.isArray(fault.params.passingSchemas);
    const best = several ? undefined : [...counts].sort((a, b) => a[1] - b[1])[0]?.[0];
    left = left.filter((other) => branchOf(other) === undefined || branchOf(other) === best);
  }
  return left;
}

/** Returns the number of the branch of a combinator that a fault was found in. */
function branchBelow(combinator: Fault, fault: Fault): string | undefined {
  const prefix = `${combinator.schemaPath}/`;
  if (!fault.schemaPath.startsWith(prefix)) return undefined;
  const below = fault.instancePath === combinator.instancePath ||
    fault.instancePath.startsWith(`${combinator.instancePath}/`);
  return below ? fault.schemaPath.slice(prefix.length).split("/")[0] : undefined;
}

/** Returns one fault for each `allOf` that a fault was found in. */
function failedAllOf(faults: readonly Fault[], schema: Schema): Fault[] {
  const failed = new Map<string, { fault: Fault; branches: Set<string> }>();
  for (const fault of faults) {
    for (const found of fault.schemaPath.matchAll(BRANCH)) {
      if (found[1] !== "allOf") continue;
      const schemaPath = `${fault.schemaPath.slice(0, found.index)}/allOf`;
      const levels = levelsBelow(fault.schemaPath.slice(found.index + found[0].length));
      const tokens = fault.instancePath.split("/");
      const instancePath = tokens.slice(0, tokens.length - levels).join("/");
      const entry = failed.get(`${instancePath} ${schemaPath}`) ??
        { fault: { ...fault, keyword: "allOf", schemaPath, instancePath }, branches: new Set() };
      failed.set(`${instancePath} ${schemaPath}`, entry);
      entry.branches.add(found[2]!);
    }
  }
  return [...failed.values()].map(({ fault, branches }) => ({
    ...fault,
    params: { none: branches.size === lengthAt(schema, fault.schemaPath) },
  }));
}

function lengthAt(schema: Schema, schemaPath: string): number {
  let current: unknown = schema;
  for (const token of schemaPath.split("/").slice(1)) {
    const key = decodeURIComponent(token).replaceAll("~1", "/").replaceAll("~0", "~");
    current = Array.isArray(current) ? current[Number(key)] : own(current, key);
  }
  return Array.isArray(current) ? current.length : 0;
}
