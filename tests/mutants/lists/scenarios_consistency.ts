/** Breaks in what is done about own writes, which the scenarios of consistency and of writes must notice. */

import type { Mutant } from "../mutant.ts";

const tests = ["tests/scenarios/consistency_test.ts"];
const writes = ["tests/scenarios/writes_test.ts"];

const CONSISTENCY = { file: "lib/operator/consistency.ts", tests };
const PROCESSING = { file: "lib/operator/processing.ts", tests };
const KEEPING = { file: "lib/operator/keeping.ts", tests: writes };

const mutants: Mutant[] = [
  // Nothing is waited for; or everything, whatever it is; or for ever; what was passed over is forgotten.
  {
    ...CONSISTENCY,
    replace: "memory.expected = { version, until: host.clock.monotonic() + timeout };",
    by: "",
  },
  {
    ...CONSISTENCY,
    replace: "memory.expected = { version, until: host.clock.monotonic() + timeout };",
    by: 'memory.expected = { version: "none", until: host.clock.monotonic() + timeout };',
  },
  {
    ...CONSISTENCY,
    replace: "until: host.clock.monotonic() + timeout };",
    by: "until: Infinity };",
  },
  { ...CONSISTENCY, replace: "else expected.skipped = event.object;", by: "" },
  { ...CONSISTENCY, replace: "if (expected === undefined) return false;", by: "return true;" },
  // A deletion waits, too; and handlers of changes, even if nothing was written.
  {
    ...PROCESSING,
    replace: "const byEvent = !pass.patch.isEmpty;",
    by: 'const byEvent = !pass.patch.isEmpty;\n  if (events.some(({ type }) => type === "ADDED")) return {};',
  },
  {
    ...PROCESSING,
    replace: 'isNews = adopt(pass, event) || isNews;\n    isGone = event.type === "DELETED";',
    by:
      'isGone = event.type === "DELETED" && memory.expected === undefined;\n    isNews = adopt(pass, event) || isNews;',
  },
  // An object whose last finalizer was removed is looked at again.
  {
    ...PROCESSING,
    tests: ["tests/scenarios/namesakes_test.ts"],
    replace: "if (isDeleting(applied.body) && finalizersOf(applied.body).length === 0) {",
    by: "if (false) {",
  },
  // Raw events wait, too; or do not come.
  {
    ...PROCESSING,
    replace: "await handleEvent(pass, isGone ? complete(event, memory) : event);",
    by:
      "if (memory.expected === undefined) await handleEvent(pass, isGone ? complete(event, memory) : event);",
  },
  {
    ...PROCESSING,
    replace: "isNews = adopt(pass, event) || isNews;",
    by: "if (isEarly(pass, event)) continue;\n    isNews = adopt(pass, event) || isNews;",
  },
  // A deletion is waited for, although the write was the last one.
  // Functions that have lost are dropped, or come together with the handlers.
  { ...PROCESSING, replace: "memory.unsent.fns.push(...applied.remaining);", by: "" },
  {
    ...PROCESSING,
    replace: "const isBehind = memory.unsent.fns.length > 0 && memory.unsaved.size === 0;",
    by: "const isBehind = false;",
  },
  {
    ...PROCESSING,
    replace: "memory.stale = true;\n    return { after: 0",
    by: "return { after: 10",
  },

  // A record is written although the handler succeeds at once; or parts are written one by one.
  {
    file: "lib/operator/handling.ts",
    tests: writes,
    replace: "const batch = await batches.run(progress, selected);",
    by:
      "const batch = await batches.run(progress, selected);\n  if (Object.keys(pass.memory.body.metadata.annotations ?? {}).length === 0) return unfinished(pass, batches, batch);",
  },
  // What the server drops is not said; or said each time; or said of what is only empty.
  { ...KEEPING, replace: "if (fields.length === 0) return;", by: "return;" },
  { ...KEEPING, replace: "kindComplaints.add(kind);", by: "" },
  {
    ...KEEPING,
    replace:
      "return value === null || (isObject(value) && Object.values(value).every((each) => isNothing(each, path)));",
    by: "return false;",
  },
  { ...KEEPING, replace: "return droppedFields(value, live, `${path}${key}.`);", by: "return [];" },
];

export default mutants;
