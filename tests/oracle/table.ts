/**
 * The handlers of table.json, as we have them; table.py has Kopf's. What they do is said by the object: `spec.fail` and
 * `spec.crash` hold how many attempts of which handler fail, `spec.refuse` those that fail for good, `spec.marks` those that
 * set a label, `spec.results` those that return something, `spec.children` the sub-handlers of families.
 */

import { readFileSync } from "node:fs";
import {
  ABSENT,
  type Operator,
  operator,
  type OperatorOptions,
  PermanentError,
  PRESENT,
  TemporaryError,
} from "../../mod.ts";
import { Example, type Loose } from "../support/worlds.ts";

/** A call of a handler, of either side. */
export interface Seen extends Loose {
  readonly id: string;
  readonly name: string;
  /** Of handlers of raw events. */
  readonly type?: string | null;
}

/** What objects say. */
export interface Told extends Loose {
  readonly value?: unknown;
  readonly fail?: Readonly<Record<string, number>>;
  readonly crash?: Readonly<Record<string, number>>;
  readonly refuse?: readonly string[];
  readonly marks?: readonly string[];
  readonly results?: readonly string[];
  readonly children?: readonly string[];
}

interface Row {
  readonly id: string;
  readonly on:
    | "create"
    | "update"
    | "delete"
    | "resume"
    | "field"
    | "event"
    | "timer"
    | "daemon"
    | "index";
  readonly family?: boolean;
  readonly options?: Loose;
}

/** What is used of the arguments. */
interface Attempt {
  readonly name: string;
  readonly spec: Told;
  readonly retry: number;
  readonly reason: string;
  readonly diff: unknown;
  readonly old?: unknown;
  readonly new?: unknown;
  readonly indices: { readonly modes: Iterable<readonly [string, readonly unknown[]]> };
  readonly patch: { readonly metadata: { labels?: Record<string, unknown> } };
  sub(id: string, fn: (attempt: Attempt) => unknown): void;
}

type Declare = (kind: unknown, options: Loose, fn: (attempt: Attempt) => unknown) => void;

/** Where declarations from a table go: what they hold, no type can know. */
interface Declarations extends Readonly<Record<"create" | "update" | "delete" | "resume", Declare>> {
  event(kind: unknown, options: Loose, fn: (event: { type: string; name: string }) => void): void;
  field(kind: unknown, path: unknown, options: Loose, fn: (attempt: Attempt) => unknown): void;
}

/** What else an operator declares. */
interface Others {
  timer(kind: unknown, options: Loose, fn: (attempt: Attempt) => void): void;
  daemon(kind: unknown, options: Loose, fn: (run: Run) => Promise<void>): void;
  index(kind: unknown, options: Loose, fn: (object: Attempt) => Loose): void;
}

/** What a daemon uses of its arguments. */
interface Run {
  readonly name: string;
  readonly stopped: { wait(seconds: number): Promise<boolean>; readonly reasons: ReadonlySet<string> };
}

/** Why daemons are told to stop; how far that has come is another matter. */
const REASONS = ["FILTERS_MISMATCH", "OPERATOR_EXITING", "OPERATOR_PAUSING", "RESOURCE_DELETED"];

/** Handlers that are not called for a change, and whose calls have no place among the others. */
const BESIDE: readonly string[] = ["event", "timer", "daemon", "index"];

const TABLE = JSON.parse(readFileSync(new URL("table.json", import.meta.url), "utf8")) as Row[];

/** The ids of handlers that can fail. */
export const IDS: readonly string[] = TABLE.filter(({ on }) => !BESIDE.includes(on)).map(({ id }) => id);

/** The ids of those that have sub-handlers. In Kopf, each time that those are waited for is an attempt (G7). */
export const FAMILIES: readonly string[] = TABLE.filter(({ family }) => family === true).map(({ id }) => id);

/** Makes the operator; each call is handed over. */
export function makeOperator(
  note: (seen: Seen) => void,
  persistence?: OperatorOptions["persistence"],
): Operator {
  const op = operator({ persistence });
  const on = op.on as unknown as Declarations;
  const others = op as unknown as Others;
  for (const { id, on: word, family, options = {} } of TABLE) {
    const { field, ...rest } = { ...withMarkers(options), id } as Loose;
    const fn = family ? (attempt: Attempt) => beget(id, attempt) : (attempt: Attempt) => act(id, attempt);
    if (word === "event") {
      on.event(Example, { ...rest, field }, ({ type, name }) => note({ id, name, type: theirs(type) }));
    } else if (word === "timer") others.timer(Example, { ...rest, field }, (attempt) => tick(id, attempt));
    else if (word === "daemon") others.daemon(Example, { ...rest, field }, (run) => watch(id, run));
    else if (word === "index") {
      others.index(Example, rest, ({ spec, name }) => ({ [String(spec["mode"] ?? "none")]: name }));
    } else if (word === "field") on.field(Example, field, rest, fn);
    else on[word](Example, field === undefined ? rest : { ...rest, field }, fn);
  }
  return op;

  function tick(id: string, attempt: Attempt): void {
    const { name, spec, retry } = attempt;
    note({ id, name, retry, modes: ownKeys(attempt) });
    if (retry < (spec.fail?.[id] ?? 0)) throw new TemporaryError("fails", { delay: 0.2 });
  }

  async function watch(id: string, { name, stopped }: Run): Promise<void> {
    note({ id, name, type: "begins" });
    await stopped.wait(3600);
    note({ id, name, type: "ends", reasons: REASONS.filter((reason) => stopped.reasons.has(reason)) });
  }

  function beget(id: string, attempt: Attempt): void {
    act(id, attempt);
    for (const child of attempt.spec.children ?? []) attempt.sub(child, (own) => act(`${id}/${child}`, own));
  }

  function act(id: string, attempt: Attempt): unknown {
    const { name, spec, retry, reason, diff, old = null, new: now = null, patch } = attempt;
    note({ id, name, retry, reason, diff, old, new: now, modes: ownKeys(attempt) });
    if (spec.refuse?.includes(id)) throw new PermanentError("refused");
    if (retry < (spec.fail?.[id] ?? 0)) throw new TemporaryError("fails", { delay: 0.2 });
    if (retry < (spec.crash?.[id] ?? 0)) throw new Error("crashes");
    if (spec.marks?.includes(id)) (patch.metadata.labels ??= {})[`by-${id}`] = "yes";
    return spec.results?.includes(id) ? { value: spec.value ?? "none" } : undefined;
  }
}

/** Under which keys an object stands in the index. */
function ownKeys({ indices, name }: Attempt): string[] {
  return [...indices.modes].filter(([, names]) => names.includes(name)).map(([key]) => key).sort();
}

/** Kopf has no name for what the initial listing shows. */
function theirs(type: string): string | null {
  return type === "LISTED" ? null : type;
}

/** Table entries such as `{ "is": "absent" }` are markers. */
function withMarkers(options: Loose): Loose {
  const marker = (value: unknown): unknown =>
    typeof value === "object" && value !== null && "is" in value
      ? value.is === "present" ? PRESENT : ABSENT
      : value;
  return Object.fromEntries(
    Object.entries(options).map(([key, value]) => [
      key,
      key === "labels" || key === "annotations"
        ? Object.fromEntries(Object.entries(value as Loose).map(([name, one]) => [name, marker(one)]))
        : marker(value),
    ]),
  );
}
