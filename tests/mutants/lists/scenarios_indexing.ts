/** Breaks in indexes, which the scenarios of indexing must notice. */

import type { Mutant } from "../mutant.ts";

const tests = ["tests/scenarios/indexing_test.ts"];

const INDEXING = { file: "lib/handlers/index/indexing.ts", tests };
const TABLE = { file: "lib/handlers/index/index_table.ts", tests };

const mutants: Mutant[] = [
  // What functions return: only texts are keys; nothing is a value, too; former keys stay.
  {
    ...INDEXING,
    in: "entriesOf",
    replace: "return isPlain(result) ? Object.entries(result) : [[null, result]];",
    by: "return [[null, result]];",
  },
  {
    ...INDEXING,
    in: "entriesOf",
    replace: "return isPlain(result) ? Object.entries(result) : [[null, result]];",
    by: "return isPlain(result) ? Object.entries(result) : [];",
  },
  { ...INDEXING, in: "entriesOf", replace: "if (result instanceof Map) return result;", by: "" },

  {
    ...INDEXING,
    in: "Indexing.#attempt",
    replace: "if (result !== undefined && result !== null) table.replace",
    by: "table.replace",
  },
  {
    ...INDEXING,
    in: "Indexing.#attempt",
    replace: "if (result !== undefined && result !== null) table.replace",
    by: "if (result !== undefined) table.replace",
  },
  {
    ...TABLE,
    in: "IndexTable.replace",
    replace: "if (!wanted.has(hash)) this.#remove(object, hash);",
    by: "",
  },
  {
    ...TABLE,
    in: "hashOf",
    replace: "return isStructure(key) ? `=${canonicalJson(key)}` : key;",
    by: "return key;",
  },
  {
    ...TABLE,
    in: "IndexTable.#remove",
    replace: "if (slot.values.size === 0) this.#slots.delete(hash);",
    by: "",
  },
  {
    ...TABLE,
    in: "listOf",
    replace: "Object.freeze([...slot.values.values()])",
    by: "[...slot.values.values()]",
  },
  // Objects stay in that have gone, or that filters leave out; or go while they are being deleted.
  {
    ...INDEXING,
    in: "Indexing.#work",
    replace: 'if (event.type === "DELETED") this.#drop(object.key);',
    by: 'if (event.type === "DELETED") {}',
  },
  {
    ...INDEXING,
    in: "Indexing.#work",
    replace: 'if (event.type === "DELETED") this.#drop(object.key);\n',
    by: "if (false) this.#drop(object.key);\n",
  },
  {
    ...INDEXING,
    in: "Indexing.#work",
    replace: 'if (event.type === "DELETED") this.#drop(object.key);',
    by: "if (event.object.metadata.deletionTimestamp !== undefined) this.#drop(object.key);",
  },
  {
    ...INDEXING,
    in: "Indexing.#index",
    replace: "if (!this.#isWanted(handler, object, cause)) table.drop(object.key);",
    by: "if (!this.#isWanted(handler, object, cause)) {}",
  },
  // Errors: arbitrary ones remove what was there; others keep it; nothing is left out; for too short; for ever.
  { ...INDEXING, replace: 'errors: "ignored" };', by: 'errors: "permanent" };' },
  { ...INDEXING, in: "Indexing.#attempt", replace: "table.drop(key);", by: "" },
  { ...INDEXING, in: "Indexing.#isExcluded", replace: "retry !== undefined &&", by: "false &&" },
  {
    ...INDEXING,
    in: "Indexing.#isExcluded",
    replace: "!isDue(retry, this.#options.clock.monotonic())",
    by: "true",
  },
  {
    ...INDEXING,
    in: "Indexing.#attempt",
    replace: "after(retry, outcome, clock.monotonic())",
    by: "after(retry, outcome, clock.monotonic() - 1)",
  },
  {
    ...INDEXING,
    in: "Indexing.#attempt",
    replace: "after(retry, outcome, clock.monotonic())",
    by: "after({ ...retry, attempts: 0 }, outcome, clock.monotonic())",
  },
  { ...INDEXING, in: "Indexing.#include", replace: "known?.delete(id);\n", by: "" },
  // Of functions with one id only the first fills the index.
  {
    ...INDEXING,
    in: "Indexing.#index",
    replace: "const table = this.#tables.get(handler.id);",
    by:
      "const first = this.#options.handlers.find(({ id }) => id === handler.id);\n      const table = first === handler ? this.#tables.get(handler.id) : undefined;",
  },
  // The gate: is open from the beginning; opens before all was indexed; never opens where a function fails; takes slots.
  {
    ...INDEXING,
    in: "Indexing.block",
    replace: "if (!this.#gate.isOpen) this.#blockers.add(blocker);",
    by: "this.#gate.open();",
  },
  {
    file: "lib/operator/informers.ts",
    tests,
    in: "Informers.#start",
    replace: "if (indexing.concerns(resource) || isLookedUp(resource)) indexing.block(key);",
    by: "",
  },
  { ...INDEXING, in: "Indexing.submit", replace: "this.block(object.key);", by: "" },
  {
    file: "lib/operator/informers.ts",
    tests,
    in: "Informers.#listed",
    replace: "this.#options.indexing.release(key);",
    by: "",
  },
  {
    ...INDEXING,
    in: "Indexing.#work",
    replace: "      this.release(object.key);\n      return;",
    by: "      if (!this.#exclusions.has(object.key)) this.release(object.key);\n      return;",
  },
  // Kinds that have indexes only are not watched.
  {
    file: "lib/handlers/index/index_handler.ts",
    tests,
    replace: 'about: "objects",',
    by: 'about: "requests",',
  },
  {
    file: "lib/handlers/registry.ts",
    tests,
    in: "Registry.#find",
    replace: "isWatching(each) && this.#isServed(each.handler, resource)",
    by: "isWatching(each)",
  },
  {
    ...INDEXING,
    in: "Indexing.constructor",
    replace: "Object.freeze(Object.assign(Object.create(null), Object.fromEntries(views)))",
    by: "Object.assign({}, Object.fromEntries(views))",
  },
  {
    file: "lib/handlers/object_args.ts",
    tests,
    in: "ObjectArgs.name",
    replace: "return this.#cause.body.metadata?.name;",
    by:
      "return (this.#cause.indices.name as unknown as string | undefined) ?? this.#cause.body.metadata?.name;",
  },
  // What vanished while the watch was broken stays.
  {
    file: "lib/client/cache/informer.ts",
    tests,
    in: "Informer.#complete",
    replace: 'for (const cached of missing) this.#tellOf(cached, { type: "DELETED", origin: "missing" });',
    by: "",
  },
  // What daemons keep of an index is as it was when they began.
  {
    file: "lib/handlers/background/daemon_call.ts",
    tests,
    in: "argsOf",
    replace: "newest, patch, logger, memo, indices, makeChildren };",
    by:
      "newest, patch, logger, memo, indices: Object.fromEntries(Object.entries(indices).map(([id, index]) => [id, new Map(index)])), makeChildren };",
  },
];

export default mutants;
