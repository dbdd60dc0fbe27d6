/** Breaks in how handlers' progress is kept, which the scenarios of progress and of sub-handlers must notice. */

import type { Mutant } from "../mutant.ts";

const tests = ["tests/scenarios/progress_test.ts"];
const subs = ["tests/scenarios/sub_handlers_test.ts"];

const BATCHES = { file: "lib/operator/batches.ts", tests: subs };
const HANDLING = { file: "lib/operator/handling.ts", tests };
const PROCESSING = { file: "lib/operator/processing.ts", tests };
const PROGRESS = { file: "lib/execution/progress.ts", tests };
const EXECUTE = { file: "lib/execution/execute.ts", tests };
const SUB = { file: "lib/registry/sub.ts", tests: subs };

const mutants: Mutant[] = [
  // What a handler saw does not matter; or records count for any purpose.
  { ...PROGRESS, replace: "return current === undefined || current === record.digest;", by: "return true;" },
  {
    ...PROGRESS,
    replace: "return record.purpose !== undefined && record.purpose !== purpose;",
    by: "return false;",
  },
  // What handlers write counts as written by others: for themselves, for others' sub-handlers, before it is written.
  {
    ...{ ...BATCHES, tests },
    replace: "const after = this.#essenceWith([this.#pass.patch]);",
    by: "const after = before;",
  },
  {
    ...{ ...BATCHES, tests },
    replace: "return before === after ? this.#all : [",
    by: "return true ? this.#all : [",
  },
  { ...{ ...BATCHES, tests }, replace: "[memory.unsent, ...patches].filter(", by: "patches.filter(" },
  // What can never be written is tried again and again.
  { ...PROCESSING, replace: "dropHopeless(pass, error);", by: "" },
  { ...PROCESSING, replace: "    patch.clear();\n    patch.fns = fns;", by: "    patch.fns = fns;" },
  // A change that was taken back leaves its records.
  { ...HANDLING, replace: 'return reason === "noop" ? tidy(pass, cause, progress) : {};', by: "return {};" },
  {
    ...HANDLING,
    replace: "if (others.succeeded + others.failed + others.unfinished > 0) {",
    by: "if (others.failed > 0) {",
  },
  { ...HANDLING, tests: [...tests, ...subs], replace: "progress.purge(notes);", by: "" },
  // After a failed write: nothing is tried again; what handlers achieved, or wanted, is forgotten; the log says nothing.
  {
    ...PROCESSING,
    replace: 'return { after, wake: "error", paused: pause !== undefined };',
    by: "return {};",
  },
  { ...PROCESSING, replace: "memory.unsaved = decision.records?.() ?? memory.unsaved;", by: "" },
  { ...PROCESSING, replace: "memory.unsent = unsent;", by: "" },
  {
    ...PROCESSING,
    replace: 'logger.error("Processing failed"',
    by: 'if (delays.length > 0) logger.error("Processing failed"',
  },
  {
    ...PROCESSING,
    replace: "const after = pause ?? settings.execution.defaultBackoff;",
    by: "const after = pause ?? 86_400;",
  },
  // Permanent errors are tried again; arbitrary ones sooner or later than the settings say.
  {
    ...EXECUTE,
    replace: 'if (error instanceof PermanentError) return { kind: "failure", error };',
    by: 'if (error instanceof PermanentError) return { kind: "retry", delay: 60, error };',
  },
  { ...EXECUTE, replace: "handler.backoff ?? options.defaultBackoff", by: "handler.backoff ?? 60" },
  {
    ...EXECUTE,
    replace: "handler.retries !== undefined && retry >= handler.retries",
    by: "handler.retries !== undefined && retry > handler.retries",
  },
  {
    ...EXECUTE,
    replace: "const next = { retry: options.attempts.retry + 1,",
    by: "const next = { retry: options.attempts.retry + 2,",
  },
  {
    file: "lib/execution/invoke.ts",
    tests,
    replace: "controller.abort(error);",
    by: "",
  },
  {
    file: "lib/execution/invoke.ts",
    tests,
    replace: "using _timer = clock.after(remaining, () => {",
    by: "using _timer = clock.after(remaining * 2, () => {",
  },

  // Children: in another order, under other names, all in one, forgotten by their parents.
  { ...BATCHES, replace: "this.#children.push(child);", by: "this.#children.unshift(child);" },
  {
    ...SUB,
    replace: "id: `${parent.id}/${handler.id}`,",
    by: 'id: `${parent.id.split("/")[0]}/${handler.id}`,',
  },
  { ...SUB, replace: "id: `${parent.id}/${handler.id}`,", by: "id: handler.id," },
  { ...BATCHES, replace: "await family.finish();\n", by: "" },
  { ...BATCHES, replace: "run: () => this.finish(),", by: "run: () => Promise.resolve()," },
  {
    ...BATCHES,
    replace:
      "for (const id of [...selected.map(({ id }) => id), ...progress.descendants]) descendants.add(id);",
    by: "",
  },
  {
    ...PROGRESS,
    tests: subs,
    replace: "for (const each of [id, ...subrefs]) storage",
    by: "for (const each of [id]) storage",
  },
  // A parent does not wait, or for another time; it fails with its children, or is called once per child.
  { ...BATCHES, replace: "if (progress.isDone) return;", by: "return;" },
  {
    ...BATCHES,
    replace: "throw new ChildrenPending(isIdle && delay === 0 ? Infinity : delay);",
    by: "throw new ChildrenPending(2 * delay);",
  },
  {
    ...EXECUTE,
    tests: subs,
    replace: 'if (error instanceof ChildrenPending) return { kind: "children", delay: error.delay };',
    by: 'if (error instanceof ChildrenPending) return { kind: "retry", delay: error.delay, error };',
  },
  {
    ...PROGRESS,
    tests: subs,
    replace: "retries: record.retries,\n        waits",
    by: "retries: record.retries + 1,\n        waits",
  },
  {
    ...PROGRESS,
    tests: subs,
    replace: ".filter(({ record }) => !isFinished(record) && delayedUntil(record) <= now)",
    by: ".filter(({ record }) => !record.failure && delayedUntil(record) <= now)",
  },
  {
    ...BATCHES,
    replace: "if (progress.isDone) return;",
    by:
      'if (progress.counts.failed > 0) throw new Error("A child has failed");\n    if (progress.isDone) return;',
  },
  // A child's field is looked for below its parent's; or counts for nothing.
  {
    ...SUB,
    replace: "requiresFinalizer: false,",
    by:
      "requiresFinalizer: false,\n    ...parent.field !== undefined && handler.field !== undefined && { field: [...parent.field, ...handler.field] },",
  },
  {
    ...SUB,
    replace: "needsChange: parent.needsChange === true && handler.field !== undefined,",
    by: "needsChange: false,",
  },
  { ...SUB, replace: 'parent.needsChange === true ? "field" : "create"', by: '"field"' },
  { ...BATCHES, replace: "this.#isClosed = true;", by: "" },
];

export default mutants;
