/** Reads what programs of Go's tests print with `-test.v`. */

import type { Finding } from "./report.ts";

/** How much of a failure's words is kept. */
const KEPT_LINES = 12;
/** What Kubernetes' libraries log meanwhile. */
const LOG_LINE = /^\s*(\S+\.go:\d+: )?([IWEF]\d{4} |$)/;

/**
 * Returns the tests that have no parts, and those that failed although none of their parts did.
 *
 * @param test The one that was asked for: if it never came to an end, its process did not either.
 */
export function readGoTest(output: string, test: string): Finding[] {
  const said = new Map<string, string[]>();
  const ended: Finding[] = [];
  let current = test;
  for (const line of output.split("\n")) {
    const [, name] = /^\s*=== (?:RUN|NAME|CONT) +(\S+)/.exec(line) ?? [];
    const [, outcome, of = "", seconds] = /^\s*--- (PASS|FAIL|SKIP): (\S+) \((\S+)s\)$/.exec(line) ?? [];
    if (name !== undefined) current = name;
    else if (outcome === undefined) {
      if (!LOG_LINE.test(line)) said.set(current, [...said.get(current) ?? [], line.trim()]);
    } else {
      const why = (said.get(of) ?? []).slice(-KEPT_LINES).join("\n    ");
      const finding = { name: of, passed: outcome === "PASS", seconds: Number(seconds), why };
      ended.push(outcome === "SKIP" ? { ...finding, skipped: why } : finding);
    }
  }
  if (!ended.some(({ name }) => name === test)) ended.push(crashed(output, test));
  const isPart = (name: string) => (other: Finding) => other.name.startsWith(`${name}/`);
  return ended.filter(({ name, passed, skipped }) => {
    const parts = ended.filter(isPart(name));
    if (parts.length === 0) return true;
    return !passed && skipped === undefined &&
      parts.every((part) => part.passed || part.skipped !== undefined);
  });
}

function crashed(output: string, name: string): Finding {
  const [, panic] = /^(panic: .*)$/m.exec(output) ?? [];
  return { name, passed: false, seconds: 0, why: panic ?? (output.slice(-400) || "it wrote nothing") };
}
