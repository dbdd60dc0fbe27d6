/** Breaks in how handlers are called, which the scenarios of handlers must notice. */

import type { Mutant } from "../mutant.ts";

const tests = ["tests/scenarios/handlers_test.ts"];

const ARGS = { file: "lib/handlers/object_args.ts", tests };

const mutants: Mutant[] = [
  // Their errors are not logged.
  {
    file: "lib/execution/execute.ts",
    tests,
    in: "report",
    replace: "logger.error(`${noun} failed with an error that is ignored`",
    by: "logger.debug(`${noun} failed with an error that is ignored`",
  },
  { ...ARGS, in: "ObjectArgs.param", replace: "return this.#attempt?.param;", by: "return undefined;" },
  {
    ...ARGS,
    file: "lib/handlers/event/event_args.ts",
    in: "EventArgs.type",
    replace: 'get type(): WatchEvent["type"] {\n    return this.#event.type;',
    by: 'get type(): WatchEvent["type"] {\n    return null;',
  },
  // Handlers of a field get the whole object's change.
  {
    ...ARGS,
    file: "lib/handlers/change/change_args.ts",
    in: "ChangeArgs.diff",
    replace:
      "return this.#field === undefined ? this.#cause.diff : reduceDiff(this.#cause.diff, this.#field);",
    by: "return this.#cause.diff;",
  },
  {
    ...ARGS,
    file: "lib/handlers/change/change_args.ts",
    in: "ChangeArgs.#at",
    replace: "const value = this.#field === undefined ? essence : getField(essence, this.#field);",
    by: "const value = essence;",
  },
  // The essence is the whole object; or the object is the essence.
  {
    file: "lib/model/essence.ts",
    tests,
    replace:
      'const SYSTEM_STANZAS: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata", "status"]);',
    by: 'const SYSTEM_STANZAS: ReadonlySet<string> = new Set(["metadata", "status"]);',
  },
  // What the object does not have is made; or is not there.
  {
    file: "lib/model/views.ts",
    tests,
    in: "stanza",
    replace: "return isObject(value) ? value : EMPTY;",
    by: "return value;",
  },
  {
    file: "lib/model/views.ts",
    tests,
    in: "Snapshot.spec",
    replace: "return stanza(this.body.spec) as Spec;",
    by: "return ((this as { readonly body: { spec?: object } }).body.spec ??= {}) as Spec;",
  },
  // Records are made for handlers that have run, and for no others; and they stay.
  {
    file: "lib/handlers/change/progress.ts",
    tests,
    in: "Progress.store",
    replace: "} else if (stored === undefined || !isEqual(record, stored)) {",
    by: "} else if (record.retries > 0 && (stored === undefined || !isEqual(record, stored))) {",
  },
];

export default mutants;
