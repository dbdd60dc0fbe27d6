/** Breaks in how causes are told apart, which the scenarios of causes and finalizers must notice. */

import type { Mutant } from "../mutant.ts";

const tests = ["tests/scenarios/causes_test.ts"];
const finalizers = ["tests/scenarios/finalizers_test.ts"];

const CAUSES = { file: "lib/handlers/change/change_cause.ts", tests };
const APPLY = { file: "lib/execution/write_requests.ts", tests: finalizers };

const mutants: Mutant[] = [
  // The decision table.
  {
    ...CAUSES,
    in: "detectReason",
    replace: 'reason: hasFinalizer(body, finalizer) ? "delete" : "free"',
    by: 'reason: "free"',
  },
  {
    ...CAUSES,
    in: "detectReason",
    replace: 'reason: hasFinalizer(body, finalizer) ? "delete" : "free"',
    by: 'reason: "delete"',
  },
  {
    ...CAUSES,
    in: "detectReason",
    replace: 'if (!hasOld) return { reason: "create", initial: false };',
    by: "",
  },
  {
    ...CAUSES,
    in: "detectReason",
    replace: 'return { reason: "create", initial: false };',
    by: 'return { reason: "create", initial };',
  },
  { ...CAUSES, in: "detectReason", replace: 'if (hasDiff) return { reason: "update", initial };', by: "" },
  {
    ...CAUSES,
    in: "detectReason",
    replace: 'if (hasDiff) return { reason: "update", initial };',
    by: 'if (hasDiff) return { reason: "update", initial: false };',
  },
  {
    ...CAUSES,
    in: "detectReason",
    replace: 'return initial ? { reason: "resume", initial }',
    by: 'return false ? { reason: "resume", initial }',
  },
  {
    file: "lib/model/finalizers.ts",
    tests,
    in: "isDeleting",
    replace: "return metadataOf(body).deletionTimestamp != null;",
    by: 'return "deletionTimestamp" in metadataOf(body);',
  },
  {
    file: "lib/handlers/change/change_args.ts",
    tests,
    in: "ChangeArgs.diff",
    replace:
      "return this.#field === undefined ? this.#cause.diff : reduceDiff(this.#cause.diff, this.#field);",
    by: "return [];",
  },
  {
    file: "lib/handlers/change/decide.ts",
    tests,
    in: "isOfOtherReason",
    replace: '(!cause.initial || (cause.reason === "delete" && !handler.deleted))',
    by: "!cause.initial",
  },
  {
    file: "lib/handlers/change/decide.ts",
    tests,
    in: "isOfOtherReason",
    replace: '(cause.reason === "delete" && !handler.deleted)',
    by: 'cause.reason === "delete"',
  },
  {
    file: "lib/handlers/change/decide.ts",
    tests,
    in: "isOfOtherReason",
    replace: 'return handler.initial && (!cause.initial || (cause.reason === "delete" && !handler.deleted));',
    by: "return false;",
  },
  {
    file: "lib/handlers/change/decide.ts",
    tests,
    in: "isOfOtherReason",
    replace: "if (handler.reason !== undefined && handler.reason !== cause.reason) return true;",
    by: "",
  },
  {
    ...APPLY,
    in: "Writer.mergeWithFinalizer",
    replace: "const body = { ...rest, metadata: { ...metadata, finalizers, resourceVersion } };",
    by: "const body = { ...rest, metadata: { ...metadata, finalizers } };",
  },
  {
    ...APPLY,
    in: "finalizersAfter",
    replace: "return isDeleting(body) ? undefined : addFinalizer(body, name);",
    by: "return isDeleting(body) ? undefined : [name];",
  },
  {
    ...APPLY,
    in: "finalizersAfter",
    replace: "return isDeleting(body) ? undefined : addFinalizer(body, name);",
    by: "return undefined;",
  },
  {
    file: "lib/handlers/change/change_handler.ts",
    tests: finalizers,
    in: "changeHandler",
    replace: 'requiresFinalizer: cause === "delete" && options.optional !== true,',
    by: 'requiresFinalizer: cause === "delete",',
  },
  {
    file: "lib/model/finalizers.ts",
    tests: finalizers,
    in: "removeFinalizer",
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
];

export default mutants;
