/**
 * Kubernetes' functions of semantic versions, such as `1.2.3-rc.1`.
 *
 * Source: Kubernetes documentation, "Common Expression Language in Kubernetes", "Kubernetes semver library".
 */

import type { Environment } from "../environment.ts";
import { Failure, type LibraryValue } from "../values.ts";

const NUMBER = "(?:0|[1-9]\\d*)";
const PARTS = "[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*";
const VERSION = new RegExp(`^(${NUMBER})\\.(${NUMBER})\\.(${NUMBER})(?:-(${PARTS}))?(?:\\+(${PARTS}))?$`);

class SemanticVersion implements LibraryValue {
  static readonly TYPE = "kubernetes.Semver";
  readonly typeName = SemanticVersion.TYPE;
  readonly numbers: readonly bigint[];
  /** Parts after "-"; none of a release. */
  readonly pre: readonly string[];

  constructor(numbers: readonly bigint[], pre: readonly string[]) {
    this.numbers = numbers;
    this.pre = pre;
  }

  equals(other: unknown): boolean {
    return other instanceof SemanticVersion && compareVersions(this, other) === 0;
  }
}

function readVersion(text: string): SemanticVersion | undefined {
  const [all, major = "0", minor = "0", patch = "0", pre] = VERSION.exec(text) ?? [];
  if (all === undefined) return undefined;
  const parts = pre === undefined ? [] : pre.split(".");
  if (parts.some((part) => /^0\d+$/.test(part))) return undefined;
  return new SemanticVersion([major, minor, patch].map(BigInt), parts);
}

/** Returns a version in its full form: without "v", zeros before numbers, and with three numbers. */
function normalized(text: string): string {
  const [, numbers = "", rest = ""] = /^v?([^-+]*)(.*)$/.exec(text) ?? [];
  const parts = numbers.split(".").map((part) => part.replace(/^0+(?=\d)/, ""));
  while (parts.length < 3) parts.push("0");
  return parts.join(".") + rest;
}

function version(text: string): SemanticVersion {
  const found = readVersion(text);
  if (found === undefined) throw new Failure(`Invalid semantic version ${JSON.stringify(text)}`);
  return found;
}

function compareVersions(a: SemanticVersion, b: SemanticVersion): number {
  for (let i = 0; i < 3; i++) {
    const [left = 0n, right = 0n] = [a.numbers[i], b.numbers[i]];
    if (left !== right) return left < right ? -1 : 1;
  }
  if (a.pre.length === 0 || b.pre.length === 0) return Math.sign(b.pre.length - a.pre.length);
  for (let i = 0; i < Math.min(a.pre.length, b.pre.length); i++) {
    const order = compareParts(a.pre[i] ?? "", b.pre[i] ?? "");
    if (order !== 0) return order;
  }
  return Math.sign(a.pre.length - b.pre.length);
}

/** NB: numbers come before words. */
function compareParts(a: string, b: string): number {
  const [isNumber, isOther] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (isNumber && isOther) return BigInt(a) < BigInt(b) ? -1 : BigInt(a) > BigInt(b) ? 1 : 0;
  if (isNumber !== isOther) return isNumber ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Adds them. */
export function addSemverLibrary(environment: Environment): void {
  const type = SemanticVersion.TYPE;
  environment.object(type, new Map());
  environment.function(`semver(string): ${type}`, version);
  environment.function(
    `semver(string, bool): ${type}`,
    (text: string, isLoose: boolean) => version(isLoose ? normalized(text) : text),
  );
  environment.function("isSemver(string): bool", (text: string) => readVersion(text) !== undefined);
  environment.function(
    "isSemver(string, bool): bool",
    (text: string, isLoose: boolean) => readVersion(isLoose ? normalized(text) : text) !== undefined,
  );
  const add = (signature: string, call: (...values: never[]) => unknown) =>
    environment.member(signature, call);
  add(
    `${type}.isGreaterThan(${type}): bool`,
    (a: SemanticVersion, b: SemanticVersion) => compareVersions(a, b) > 0,
  );
  add(
    `${type}.isLessThan(${type}): bool`,
    (a: SemanticVersion, b: SemanticVersion) => compareVersions(a, b) < 0,
  );
  add(
    `${type}.compareTo(${type}): int`,
    (a: SemanticVersion, b: SemanticVersion) => BigInt(compareVersions(a, b)),
  );
  for (const [index, part] of ["major", "minor", "patch"].entries()) {
    add(`${type}.${part}(): int`, ({ numbers }: SemanticVersion) => numbers[index]);
  }
}
