/** Breaks in how causes are told apart, which the scenarios of causes and finalizers must notice. */

import type { Mutant } from "../mutant.ts";

const tests = ["tests/scenarios/causes_test.ts"];
const finalizers = ["tests/scenarios/finalizers_test.ts"];

const CAUSES = { file: "lib/registry/causes.ts", tests };
const PROCESSING = { file: "lib/operator/processing.ts", tests };
const CHANGES = { file: "lib/operator/changes.ts", tests };
const FINALIZERS = { ...CHANGES, tests: finalizers };
const APPLY = { file: "lib/execution/write_requests.ts", tests: finalizers };
const HANDLING = { file: "lib/operator/handling.ts", tests: finalizers };

const mutants: Mutant[] = [
  // The decision table.
  {
    ...CAUSES,
    replace: 'reason: hasFinalizer(body, finalizer) ? "delete" : "free"',
    by: 'reason: "free"',
  },
  {
    ...CAUSES,
    replace: 'reason: hasFinalizer(body, finalizer) ? "delete" : "free"',
    by: 'reason: "delete"',
  },
  { ...CAUSES, replace: 'if (!hasOld) return { reason: "create", initial: false };', by: "" },
  {
    ...CAUSES,
    replace: 'return { reason: "create", initial: false };',
    by: 'return { reason: "create", initial };',
  },
  { ...CAUSES, replace: 'if (hasDiff) return { reason: "update", initial };', by: "" },
  {
    ...CAUSES,
    replace: 'if (hasDiff) return { reason: "update", initial };',
    by: 'if (hasDiff) return { reason: "update", initial: false };',
  },
  {
    ...CAUSES,
    replace: 'return initial ? { reason: "resume", initial }',
    by: 'return false ? { reason: "resume", initial }',
  },
  {
    file: "lib/model/finalizers.ts",
    tests,
    replace: "return metadataOf(body).deletionTimestamp != null;",
    by: 'return "deletionTimestamp" in metadataOf(body);',
  },
  // Nothing is ever noted; or every state looks new.
  { ...CHANGES, replace: "hasOld: old !== undefined,", by: "hasOld: true," },
  { ...CHANGES, replace: "hasDiff: diff.length > 0,", by: "hasDiff: true," },
  {
    file: "lib/registry/args.ts",
    tests,
    replace:
      "return this.#field === undefined ? this.#cause.diff : reduceDiff(this.#cause.diff, this.#field);",
    by: "return [];",
  },
  // Who is resumed: all; again and again; those that were first seen by an event; nobody; also what is being deleted.
  { ...CHANGES, replace: "memory.noticedByListing && !memory.handledOnce", by: "!memory.handledOnce" },
  { ...CHANGES, replace: "memory.noticedByListing && !memory.handledOnce", by: "memory.noticedByListing" },
  {
    file: "lib/operator/memories.ts",
    tests,
    replace: "if (known !== undefined) return known;\n    const memory",
    by: "if (known !== undefined && event.type !== null) return known;\n    const memory",
  },
  {
    file: "lib/registry/registry.ts",
    tests,
    replace:
      'return !cause.initial || (cause.reason === "delete" && !handler.deleted) ? "reason" : undefined;',
    by: 'return !cause.initial ? "reason" : undefined;',
  },
  {
    file: "lib/registry/registry.ts",
    tests,
    replace:
      'return !cause.initial || (cause.reason === "delete" && !handler.deleted) ? "reason" : undefined;',
    by: 'return !cause.initial || cause.reason === "delete" ? "reason" : undefined;',
  },
  {
    file: "lib/registry/registry.ts",
    tests,
    replace:
      'return !cause.initial || (cause.reason === "delete" && !handler.deleted) ? "reason" : undefined;',
    by: "return undefined;",
  },
  {
    file: "lib/registry/registry.ts",
    tests,
    replace: 'if (handler.reason !== undefined && handler.reason !== cause.reason) return "reason";',
    by: "",
  },
  // What has gone is handled once more.
  { ...PROCESSING, tests: [...tests, ...finalizers], replace: 'isGone = event.type === "DELETED";', by: "" },

  // The finalizer: goes on after the handlers; with more than itself; without the version; not at all.
  {
    ...FINALIZERS,
    replace: "if (decision !== undefined) return decision;",
    by:
      "if (decision !== undefined) return { ...decision, ...await runHandlers(pass, { cause, handlers, selected: selectChanges(handlers, select), isPending: claim.isPending }), finalizer: decision.finalizer };",
  },
  {
    ...APPLY,
    replace: "const body = { ...rest, metadata: { ...metadata, finalizers, resourceVersion } };",
    by: "const body = { ...rest, metadata: { ...metadata, finalizers } };",
  },
  {
    ...APPLY,
    replace: "return isDeleting(body) ? undefined : addFinalizer(body, name);",
    by: "return isDeleting(body) ? undefined : [name];",
  },
  {
    ...APPLY,
    replace: "return isDeleting(body) ? undefined : addFinalizer(body, name);",
    by: "return undefined;",
  },
  {
    file: "lib/registry/declare.ts",
    tests: finalizers,
    replace: 'requiresFinalizer: cause === "delete" && options.optional !== true,',
    by: 'requiresFinalizer: cause === "delete",',
  },
  // It stays where nothing requires it; or goes although something does.
  {
    ...FINALIZERS,
    replace: "if (isBlocked && (!claim.isRequired ||",
    by: "if (isBlocked && (",
  },
  {
    ...FINALIZERS,
    replace: "const relevant = handlers.filter((handler) => prematches(handler, select));",
    by: "const relevant = handlers;",
  },
  {
    ...FINALIZERS,
    replace: "if (isDeleting(memory.body) && !isHeld) await sayGoodbye",
    by: "if (false) await sayGoodbye",
  },
  { ...HANDLING, replace: "pass.memory.saidGoodbye = true;", by: "" },
  {
    file: "lib/model/finalizers.ts",
    tests: finalizers,
    replace: "const rest = list.filter((item) => item !== finalizer);",
    by: "const rest = list.filter((item) => item !== finalizer).reverse();",
  },
  // It goes before the rest, with an old version; before all have finished; never.
  {
    ...APPLY,
    replace: "this.body = body;\n  }\n\n  #address",
    by:
      "this.body = { ...body, metadata: { ...body.metadata, resourceVersion: this.body.metadata.resourceVersion } };\n  }\n\n  #address",
  },
  {
    ...HANDLING,
    replace:
      'if (!progress.isDone || (reason === "delete" && isPending)) return unfinished(pass, batches, batch);',
    by:
      "if (!progress.isDone) return { ...unfinished(pass, batches, batch), finalizer: { name: pass.persistence.finalizer, wanted: false } };",
  },
  // What was handled is not noted; it is reported that there was nothing to do.
  {
    ...HANDLING,
    tests: [...finalizers, ...tests],
    replace: "essence: cause.new,",
    by: "essence: cause.old ?? cause.new,",
  },
  { ...HANDLING, replace: "if (selected.length > 0) pass.logger.info", by: "pass.logger.info" },
];

export default mutants;
