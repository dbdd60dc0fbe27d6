/** Breaks in lib/execution. */

import { breaksOf, type Mutant } from "../mutant.ts";

const mutants: Mutant[] = [
  ...breaksOf("lib/execution/errors.ts", [
    ["delayOf", "options.delay === undefined ? 60 :", "options.delay == null ? 60 :"],
    ["delayOf", "options.delay === undefined ? 60 :", "options.delay === undefined ? 0 :"],
  ], ["tests/execution/execute_test.ts"]),
  ...breaksOf("lib/execution/execute.ts", [
    [
      "backoffOf",
      "pauseAfter(backoff ?? defaultBackoff, retry, random)",
      "pauseAfter(defaultBackoff, retry, random)",
    ],
    ["judge", `case "ignored":\n      return { kind: "success" };`, `case "ignored":`],
    ["judge", `      return { kind: "failure", error };\n    case "temporary":`, `    case "temporary":`],
    ["exceededLimit", "if (handler.retries !== undefined && retry >= handler.retries) {", "if (false) {"],
    ["exceededLimit", "runtime >= handler.timeout) {", "runtime > handler.timeout) {"],
  ]),
  ...breaksOf("lib/execution/execute.ts", [
    ["retryOrFail", "runtime: options.spent + delay };", "runtime: options.spent };"],
    ["retryOrFail", "retry: options.attempts.retry + 1,", "retry: options.attempts.retry,"],
  ], ["tests/engines/activities_test.ts"]),
  ...breaksOf("lib/execution/progress.ts", [
    ["afterOutcome", "retries: record.retries + 1,", "retries: 1,"],
    [
      "afterOutcome",
      "      next.success = true;\n      break;",
      "      return { ...record, ...next, stopped: formatTimestamp(now), success: true };",
    ],
    [
      "afterOutcome",
      "next.stopped = formatTimestamp(now);",
      "",
    ],
    ["Progress.awake", "this.#rest(id, record, now) > ROUNDING)", "this.#rest(id, record, now) >= 0)"],
    ["Progress.awake", "handler === undefined || isFinished(record)", "handler === undefined"],
    [
      "Progress.awake",
      "started: started ?? timeOf(record.started) ?? now,",
      "started: started ?? timeOf(record.started) ?? 0,",
    ],
    ["unite", "[...all].sort()", "[...all]"],
    ["unite", "new Set([...before, ...now ?? []])", "new Set(now)"],
    ["afterOutcome", "if (waits !== undefined) next.waits = waits;", ""],
    ["afterOutcome", "next.retries = record.retries;", ""],
    ["Progress.delay", "Math.min(...pending", "Math.max(...pending"],
    ["isValid", "if (isOfOther(record, purpose)) return false;", ""],
    [
      "Progress.store",
      "isOfOther(record, this.#purpose)) this.#purge(patch, id, record);",
      "false) this.#purge(patch, id, record);",
    ],
    [
      "isValid",
      "if (!isFinished(record) || record.digest === undefined) return true;",
      "if (!isFinished(record)) return true;",
    ],
    ["isValid", "return current === undefined || current === record.digest;", "return true;"],
    [
      "Progress.sign",
      "if (!isFinished(record) || (record.digest === undefined && !hasRun(handler.id))) continue;",
      "",
    ],
    [
      "Progress.replaceDigest",
      "if (!isFinished(state.record) || state.record.digest !== before) continue;",
      "",
    ],
    ["Progress.#purge", "for (const each of [id, ...subrefs])", "for (const each of [id])"],
  ]),
  ...breaksOf("lib/settings/persistence/annotations.ts", [
    ["dropAnnotation", "if (getKey(annotationsOf(body), key) === undefined) delete", "if (false) delete"],
  ], ["tests/execution/progress_test.ts"]),
  ...breaksOf("lib/execution/lifecycle.ts", [
    ["asap", "first === undefined ? [] : [first]", "[first] as Candidate[]"],
    ["asap", "candidate.retry < best.retry", "candidate.retry > best.retry"],
    ["asap", "candidate.retry < best.retry", "candidate.retry <= best.retry"],
  ]),
  ...breaksOf("lib/execution/progress.ts", [
    ["Progress.refuse", "if (stored !== undefined && isEqual(record, stored)) continue;", ""],
    [
      "Progress.refuse",
      "const before = { ...record, retries: record.retries - 1 };",
      "const before = record;",
    ],
    [
      "Progress.refuse",
      'if (outcome.kind !== "success") state.record = afterOutcome(before',
      "state.record = afterOutcome(before",
    ],
  ]),
  ...breaksOf("lib/execution/execute.ts", [
    ["failAfterwards", "  report(handler, outcome, { ...refused, thrown: error });\n", ""],
    [
      "failAfterwards",
      "const outcome = judge(handler, { ...refused, spent",
      'const outcome = judge({ ...handler, errors: "temporary" }, { ...refused, spent',
    ],
  ]),
  ...breaksOf("lib/execution/observer.ts", [
    ["combineObservers", "          onFailure(error, name);", "          throw error;"],
    ["wrap", "(): Promise<Result> => running ??= inner();", "(): Promise<Result> => inner();"],
    ["wrap", ".catch(recover) ?? once();", "?? once();"],
    ["collectHeaders", 'onFailure(error, "requestBegins");', "throw error;"],
  ]),
  ...breaksOf("lib/execution/object_writer.ts", [
    [
      "settleRefused",
      'logger.error("The server refuses the patch as invalid',
      'logger.debug("The server refuses the patch as invalid',
    ],
    ["settleRefused", "(error.status === 400 || error.status === 422)", "error.status === 400"],
    ["settleRefused", "(error.status === 400 || error.status === 422)", "error.status === 422"],
    ["settleRefused", "(error.status === 400 || error.status === 422)", "error.status < 500"],
    ["ObjectWriter.#write", "if (sent.body !== undefined) this.#adopt(state, sent.body);", ""],
    ["settleSent", "(isDeleting(body) && finalizersOf(body).length === 0)", "false"],
    ["settleSent", "    patch.fns = [];\n    return dropped", "    patch.clear();\n    return dropped"],
    ["settleRefused", "  patch.clear();\n  return dropped", "  return dropped"],
    ["settleSent", "    pending.keepLost(lost, handlers);", "    pending.settle();"],
    ["settleRefused", "    pending.keep(patch, handlers);", "    pending.keep(patch);"],
    ["settleRefused", "    pending.keep(patch, handlers);", ""],
    ["dropped", "[...new Set([...pending.handlers, ...handlers])]", "[...handlers]"],
    ["isFinal", "races + 1 >= MOST_RACES ||", "races >= MOST_RACES ||"],
    ["isFinal", "races + 1 >= MOST_RACES || fieldsOf(refusal).length > 0", "races + 1 >= MOST_RACES"],
    ["fieldsOf", 'fields.filter((field) => field !== "metadata.resourceVersion")', "fields"],
    ["ObjectWriter.#write", "fns.length > 0 ? [undefined, notes] : [notes, undefined]", "[notes, undefined]"],
    ["ObjectWriter.#write", "const body = readsFirst ? await", "const body = false ? await"],
    ["ObjectWriter.#write", "const body = readsFirst ? await", "const body = true ? await"],
    ["ObjectWriter.read", "return newest.metadata?.uid === uid ? newest : undefined;", "return newest;"],
    ["ObjectWriter.read", "if (error instanceof ApiError && error.status === 404) return undefined;", ""],
    [
      "ObjectWriter.#write",
      "observer.written !== undefined && sent.writes > 0",
      "observer.written !== undefined",
    ],
    ["pathsOf", '.filter((path) => !path.startsWith("metadata."))', ""],
  ]),
  ...breaksOf("lib/execution/pending_write.ts", [
    [
      "PendingWrite.takeLost",
      "if (kept?.patch === undefined || kept.failures > 0) return [];",
      "if (kept?.patch === undefined) return [];",
    ],
    ["PendingWrite.takeLost", "    kept.patch = undefined;\n", ""],
    ["PendingWrite.keep", "    kept.merge(patch.toMergePatch());\n", ""],
    ["PendingWrite.keep", "failures: failures + 1, races }", "failures, races }"],
    ["PendingWrite.keepLost", "races: this.races + 1", "races: 1"],
    [
      "PendingWrite.settle",
      "    this.refusal = undefined;\n    this.notes = undefined;",
      "    this.notes = undefined;",
    ],
    ["PendingWrite.takeRefusal", "    this.refusal = undefined;\n    return refusal;", "    return refusal;"],
  ]),
  ...breaksOf("lib/execution/write_requests.ts", [
    [
      "Writer.merge",
      `if (body !== undefined) await this.#send({ type: "merge", body: this.#addressed(body) });`,
      `await this.#send({ type: "merge", body: this.#addressed(content) });`,
    ],
    ["Writer.transform", "if (main.length > 0) await", "await"],
    [
      "Writer.isBlind",
      `(key) => key !== "metadata") &&\n      minimisePatch(body, content) !== undefined;`,
      `(key) => key !== "metadata");`,
    ],
    ["Writer.isBlind", "    if (fns.length > 0) return true;\n", ""],
    ["applyPatch", "if (writer.isBlind) await writer.read();", ""],
    ["applyPatch", "if (isDone) await writer.mergeAll", "await writer.mergeAll"],
    ["applyPatch", "if (isDone) await writer.mergeAll", "if (false) await writer.mergeAll"],
    [
      "Writer.hasGone",
      "      await this.read();\n      return false;",
      "      await this.read();\n      return true;",
    ],
    ["Writer.hasGone", "if (namesObject(error, this.body)) return true;", "return true;"],
    ["Writer.hasGone", "return isReplaced(second) || (second", "return (second"],
    ["Writer.isBlind", `.some((key) => key !== "metadata")`, ".length > 0"],
    ["Writer.mergeStatus", "      if (body === undefined) return;\n", ""],
    ["Writer.mergeWithFinalizer", "if (finalizers === undefined) return await this.merge(content);", ""],
    [
      "Writer.#insist",
      "if (!isConflict || conflicts >= CONFLICTS) throw error;",
      "if (!isConflict || conflicts > CONFLICTS) throw error;",
    ],
    [
      "Writer.#insist",
      "if (!isConflict || conflicts >= CONFLICTS) throw error;\n        await this.read();",
      "if (!isConflict || conflicts >= CONFLICTS) throw error;",
    ],
    [
      "splitOperations",
      `if (!resource.subresources.includes("status")) return { main: operations, status: [] };`,
      "",
    ],
    ["isReplaced", "if (error instanceof ReplacedError) return true;", ""],
    [
      "isReplaced",
      "(error.status !== 422 && error.status !== 409)) return false;",
      "error.status !== 422) return false;",
    ],
    [
      "isReplaced",
      "(error.status !== 422 && error.status !== 409)) return false;",
      "error.status !== 409) return false;",
    ],
    ["isReplaced", "return isAboutUid || /UID in precondition/", "return /UID in precondition/"],
    ["isReplaced", `some(({ field }) => field === "metadata.uid")`, "some(() => true)"],
    ["Writer.#adopt", "if (uid !== undefined && body.metadata?.uid !== uid) throw new ReplacedError();", ""],
    ["Writer.#addressed", "    return uid === undefined\n", "    return uid !== undefined\n"],
    ["split", "? splitStatus(content)", "? { main: content, status: undefined }"],
    ["split", ": { main: content, status: undefined };", ": splitStatus(content);"],
    [
      "splitOperations",
      `if (!resource.subresources.includes("status")) return { main: operations, status: [] };`,
      "return { main: operations, status: [] };",
    ],
    [
      "Writer.#guarded",
      `return [{ op: "test", path: "/metadata/resourceVersion", value }, ...operations];`,
      "return [...operations];",
    ],
    [
      "Writer.#guarded",
      "const value = this.body.metadata.resourceVersion;",
      "const value = this.#options.body.metadata.resourceVersion;",
    ],
    ["Writer.transform", "return { remaining: fns, refusal: error };", "return { remaining: [] };"],
  ]),
];

export default mutants;
