/** A rehearsal on one screen: the worst first, many objects in one line, each section cut to a few lines. */

import type { Seconds } from "../../../runtime/host.ts";
import type { FieldChange } from "./differences.ts";
import type { FailureGroup, Played } from "./play.ts";
import type { LoopGroup, MissedRight, WriteGroup } from "./recorder.ts";
import type { DifferenceGroup, Rehearsal } from "./rehearsal.ts";

/** Groups of one section, names of one group, and fields of one group; the JSON has all. */
const MOST_GROUPS = 6;
const MOST_NAMES = 3;
const MOST_FIELDS = 3;
/** Lines of one message. */
const MOST_LINES = 4;
/** Longer lines are cut. */
const WIDTH = 150;

/** Returns the report. */
export function reportRehearsal(
  rehearsal: Rehearsal,
  names: { readonly now: string; readonly old?: string },
): string {
  const { differences, missed, loops, failures, copy, remarks, hours, unproven } = rehearsal;
  const now = rehearsal.new;
  const sections = [
    section(verdict(rehearsal), differences, differenceLines),
    paragraph("NO PROOF", unproven),
    section("NEW RIGHTS NEEDED", missed, rightLines),
    section("HOT LOOPS", loops, loopLines),
    section("FAILING", failures, failureLines),
    now.failure === undefined ? [] : ["THE OPERATOR ENDED WITH AN ERROR", `  ${now.failure}`],
    section(
      `WRITES of the new code: ${
        count(now.requests.writes, "request")
      }, ${now.requests.idle} of them without effect`,
      now.writes,
      writeLines,
    ),
    paragraph("REQUESTS", paceLines(rehearsal)),
    paragraph("NOT REHEARSED", cut([...now.notRehearsed, ...copy.remarks, ...unreadLine(copy.unread)])),
    paragraph("NOTE", remarks),
  ];
  const title = hours === 0
    ? `Plan of ${names.now}: the first pass`
    : `Rehearsal of ${names.now}: ${hours} h of virtual time`;
  const who = copy.user === undefined
    ? "as an administrator: rights are not rehearsed (--as)"
    : `as ${copy.user}`;
  return [
    `${title}${names.old === undefined ? "" : `, against ${names.old}`}`,
    `on ${count(copy.objects, "object")} of the cluster at version ${copy.resourceVersion}, ${who}`,
    "",
    ...sections.filter((lines) => lines.length > 0).flatMap((lines) => [...lines, ""]),
  ].map(shorten).join("\n");
}

function verdict({ differences, old, isDifferent, unproven }: Rehearsal): string {
  if (!isDifferent) {
    const end = `NO DIFFERENCE in the end${old === undefined ? "" : " between old and new"}`;
    return unproven.length === 0 ? end : `${end}, which proves nothing`;
  }
  const total = differences.reduce((sum, { objects }) => sum + objects.length, 0);
  const than = old === undefined ? "than now" : "than with the old code";
  return total === 0
    ? "NO OBJECT IS DIFFERENT in the end, but something else is"
    : `DIFFERENT IN THE END ${than}: ${count(total, "object")}`;
}

function section<Item>(title: string, items: readonly Item[], lines: (item: Item) => string[]): string[] {
  if (items.length === 0) return /^(?:NO |DIFFERENT)/.test(title) ? [title] : [];
  const more = items.length - MOST_GROUPS;
  return [
    title,
    ...items.slice(0, MOST_GROUPS).flatMap(lines).map((line) => `  ${line}`),
    ...more > 0 ? [`  and ${more} more groups (--json has all)`] : [],
  ];
}

function paragraph(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)];
}

function cut(lines: readonly string[]): string[] {
  if (lines.length <= MOST_GROUPS) return [...lines];
  return [...lines.slice(0, MOST_GROUPS), `and ${lines.length - MOST_GROUPS} more (--json has all)`];
}

function differenceLines({ kind, difference, changes, objects }: DifferenceGroup): string[] {
  return [
    `${difference.padEnd(8)} ${count(objects.length, kind)}: ${listOf(objects, objects.length)}`,
    ...difference === "gone" ? [] : fieldLines(changes, difference === "made"),
  ];
}

function fieldLines(changes: readonly FieldChange[], isNew: boolean): string[] {
  const lines = changes.slice(0, MOST_FIELDS).map(({ path, before, after }) =>
    isNew || before === undefined
      ? `           ${path === "" ? "all" : path}: ${after ?? ""}`
      : `           ${path}: ${before} -> ${after ?? "(none)"}`
  );
  const more = changes.length - MOST_FIELDS;
  return more > 0 ? [...lines, `           and ${count(more, "field")} more`] : lines;
}

function rightLines({ verb, resource, requests, namespaces, handlers }: MissedRight): string[] {
  const where = namespaces.length === 0
    ? "in the whole cluster"
    : `in ${listOf(namespaces, namespaces.length)}`;
  return [`${verb} ${resource} ${where}: ${count(requests, "request")} refused${by(handlers)}`];
}

function loopLines({ objects, perMinute, fields, handlers }: LoopGroup): string[] {
  return [
    `${count(objects.length, "object")}, ${perMinute} writes a minute and more each${by(handlers)}: ${
      listOf(objects, objects.length)
    }`,
    `           ${fields.join(", ") || "notes of the operator"}`,
  ];
}

function failureLines({ handler, error, objects, examples, retries }: FailureGroup): string[] {
  const how = retries ? "tries again" : "has given up";
  return [
    `${count(objects, "object")}: ${listOf(examples, objects)}`,
    `  handler "${handler}" ${how}:`,
    ...wrapped(error).map((line) => `    ${line}`),
  ];
}

/** A message is read whole: its end often has the reason. */
function wrapped(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < WIDTH - 10) {
      lines[lines.length - 1] = `${last} ${word}`;
    } else lines.push(word);
  }
  return lines.length <= MOST_LINES ? lines : [...lines.slice(0, MOST_LINES), "…"];
}

function writeLines({ verb, resource, changes, objects, writes, examples, handlers }: WriteGroup): string[] {
  const times = writes === objects ? "" : ` (${writes} times)`;
  return [
    `${verb} ${resource} of ${count(objects, "object")}${times}${by(handlers)}: ${listOf(examples, objects)}`,
    ...fieldLines(changes, verb === "create"),
  ];
}

function by(handlers: readonly string[]): string {
  return handlers.length === 0 ? "" : `, by ${handlers.map((handler) => `"${handler}"`).join(", ")}`;
}

function unreadLine(unread: readonly string[]): string[] {
  if (unread.length === 0) return [];
  return [`kinds without the right to read them: ${listOf(unread, unread.length)}`];
}

function paceLines({ new: now, old, hours }: Rehearsal): string[] {
  const lines = [`${old === undefined ? "" : "new: "}${paceOf(now, hours)}`];
  return old === undefined ? lines : [...lines, `old: ${paceOf(old, hours)}`];
}

function paceOf(
  { requests: { perMinute }, lastWrite, isAtRest, seconds }: Omit<Played, "changed">,
  hours: number,
): string {
  const [first = 0, ...rest] = perMinute;
  const rate = rest.reduce((sum, each) => sum + each, 0) / Math.max(1, seconds / 60 - 1);
  const later = hours === 0 ? "" : `, then ${Math.round(rate * 10) / 10} a minute`;
  const peak = Math.max(0, ...rest) > first ? ` (at most ${Math.max(...rest)})` : "";
  const end = lastWrite === undefined
    ? "no write"
    : isAtRest
    ? `at rest after ${durationOf(lastWrite)}`
    : "not at rest in the end";
  return `${first} in the first minute${later}${peak}; ${end}`;
}

function durationOf(seconds: Seconds): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 360) / 10} h`;
}

function listOf(names: readonly string[], total: number): string {
  const shown = names.slice(0, MOST_NAMES);
  const more = total - shown.length;
  return more > 0 ? `${shown.join(", ")} and ${more} more` : shown.join(", ");
}

function count(number: number, noun: string): string {
  const many = number === 1 || /[A-Z]/.test(noun) ? noun : `${noun}s`;
  return `${number.toLocaleString("en-US")} ${many}`;
}

/** NB: texts of strangers come to a terminal. */
function shorten(line: string): string {
  // deno-lint-ignore no-control-regex -- these are what must not come through
  const clean = line.replace(/[\x00-\x1f\x7f-\x9f]/g, "?");
  return clean.length <= WIDTH ? clean : `${clean.slice(0, WIDTH - 1)}…`;
}
