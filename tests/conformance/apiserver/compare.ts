/**
 * What differs between two transcripts of the same scenario.
 */

import type { Entry } from "./session.ts";

/** Returns one line per difference: what was asked, where, and both values. */
export function differences(ours: readonly Entry[], theirs: readonly Entry[]): string[] {
  const lines: string[] = [];
  for (let i = 0; i < Math.max(ours.length, theirs.length); i++) {
    const [a, b] = [ours[i], theirs[i]];
    if (a?.ask !== b?.ask) {
      return [...lines, `step ${i + 1}: we were asked ${a?.ask}, the real one ${b?.ask}`];
    }
    compare(a?.reply, b?.reply, (path, mine, real) => {
      lines.push(`step ${i + 1}: ${a?.ask} ${path}\n    ours: ${show(mine)}\n    real: ${show(real)}`);
    });
  }
  return lines;
}

type Report = (path: string, ours: unknown, theirs: unknown) => void;

function compare(ours: unknown, theirs: unknown, report: Report, path = ""): void {
  if (Object.is(ours, theirs)) return;
  const both = [ours, theirs].every((value) => typeof value === "object" && value !== null);
  if (!both || Array.isArray(ours) !== Array.isArray(theirs)) {
    report(path, ours, theirs);
    return;
  }
  // Both are objects or both are lists: keys and indices are walked alike.
  const [a, b] = [ours as Record<string, unknown>, theirs as Record<string, unknown>];
  if (a.code !== b.code && a.body !== undefined) {
    report(path, `${a.code} ${show(messageOf(a.body))}`, `${b.code} ${show(messageOf(b.body))}`);
    return;
  }
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    compare(a[key], b[key], report, `${path}.${key}`);
  }
}

function messageOf(body: unknown): unknown {
  return typeof body === "object" && body !== null && "message" in body ? body.message : body;
}

function show(value: unknown): string {
  return value === undefined ? "(nothing)" : JSON.stringify(value).slice(0, 500);
}
