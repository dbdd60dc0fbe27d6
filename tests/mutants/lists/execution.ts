/** Breaks in lib/execution. */

import { breaksOf, type Mutant } from "../mutant.ts";

const mutants: Mutant[] = [
  ...breaksOf("lib/execution/errors.ts", [
    ["options.delay === undefined ? 60 :", "options.delay == null ? 60 :"],
    ["options.delay === undefined ? 60 :", "options.delay === undefined ? 0 :"],
  ], ["tests/execution/execute_test.ts"]),
  ...breaksOf("lib/execution/execute.ts", [
    ["pauseAfter(backoff ?? defaultBackoff, retry, random)", "pauseAfter(defaultBackoff, retry, random)"],
    [`case "ignored":\n      return { kind: "success" };`, `case "ignored":`],
    [`      return { kind: "failure", error };\n    case "temporary":`, `    case "temporary":`],
    ["if (handler.retries !== undefined && retry >= handler.retries) {", "if (false) {"],
    ["runtime >= handler.timeout) {", "runtime > handler.timeout) {"],
  ]),
  ...breaksOf("lib/execution/execute.ts", [
    ["runtime: options.spent + delay };", "runtime: options.spent };"],
    ["retry: options.attempts.retry + 1,", "retry: options.attempts.retry,"],
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
      "started: started ?? timeOf(record.started) ?? now,",
      "started: started ?? timeOf(record.started) ?? 0,",
    ],
    ["[...all].sort()", "[...all]"],
    ["unite", "new Set([...before, ...now ?? []])", "new Set(now)"],
    ["afterOutcome", "if (waits !== undefined) next.waits = waits;", ""],
    ["afterOutcome", "next.retries = record.retries;", ""],
    ["Math.min(...pending", "Math.max(...pending"],
    ["if (isOfOther(record, purpose)) return false;", ""],
    [
      "isOfOther(record, this.#purpose)) this.#purge(patch, id, record);",
      "false) this.#purge(patch, id, record);",
    ],
    [
      "if (!isFinished(record) || record.digest === undefined) return true;",
      "if (!isFinished(record)) return true;",
    ],
    ["return current === undefined || current === record.digest;", "return true;"],
    ["if (!isFinished(record) || (record.digest === undefined && !hasRun(handler.id))) continue;", ""],
    ["if (!isFinished(state.record) || state.record.digest !== before) continue;", ""],
    ["for (const each of [id, ...subrefs])", "for (const each of [id])"],
  ]),
  ...breaksOf("lib/settings/persistence/annotations.ts", [
    ["if (getKey(annotationsOf(body), key) === undefined) delete", "if (false) delete"],
  ], ["tests/execution/progress_test.ts"]),
  ...breaksOf("lib/execution/lifecycle.ts", [
    ["first === undefined ? [] : [first]", "[first] as Candidate[]"],
    ["candidate.retry < best.retry", "candidate.retry > best.retry"],
    ["candidate.retry < best.retry", "candidate.retry <= best.retry"],
  ]),
  ...breaksOf("lib/execution/progress.ts", [
    ["if (stored !== undefined && isEqual(record, stored)) continue;", ""],
    ["const before = { ...record, retries: record.retries - 1 };", "const before = record;"],
    [
      'if (outcome.kind !== "success") state.record = afterOutcome(before',
      "state.record = afterOutcome(before",
    ],
  ]),
  ...breaksOf("lib/execution/execute.ts", [
    ["  report(handler, outcome, { ...refused, thrown: error });\n", ""],
    [
      "const outcome = judge(handler, { ...refused, attempts",
      'const outcome = judge({ ...handler, errors: "temporary" }, { ...refused, attempts',
    ],
  ]),
  ...breaksOf("lib/execution/observer.ts", [
    ["          onFailure(error, name);", "          throw error;"],
    ["(): Promise<Result> => running ??= inner();", "(): Promise<Result> => inner();"],
    [".catch(recover) ?? once();", "?? once();"],
    ['onFailure(error, "requestBegins");', "throw error;"],
  ]),
  ...breaksOf("lib/execution/object_writer.ts", [
    [
      'logger.error("The server refuses the patch as invalid',
      'logger.debug("The server refuses the patch as invalid',
    ],
    ["(error.status === 400 || error.status === 422)) return", "error.status === 400) return"],
    ["(error.status === 400 || error.status === 422)) return", "error.status === 422) return"],
    ["(error.status === 400 || error.status === 422)) return", "error.status < 500) return"],
    ["if (sent.body !== undefined) this.#adopt(state, sent.body);", ""],
    ["(isDeleting(body) && finalizersOf(body).length === 0)", "false"],
    ["    patch.fns = [];\n    return dropped", "    patch.clear();\n    return dropped"],
    ["  patch.clear();\n  return dropped", "  return dropped"],
    ["    pending.keepLost(lost, handlers);", "    pending.settle();"],
    ["    pending.keep(patch, handlers);", "    pending.keep(patch);"],
    ["    pending.keep(patch, handlers);", ""],
    ["[...new Set([...pending.handlers, ...handlers])]", "[...handlers]"],
    ["races + 1 >= MOST_RACES ||", "races >= MOST_RACES ||"],
    ["races + 1 >= MOST_RACES || fieldsOf(refusal).length > 0", "races + 1 >= MOST_RACES"],
    ['fields.filter((field) => field !== "metadata.resourceVersion")', "fields"],
    ["fns.length > 0 ? [undefined, notes] : [notes, undefined]", "[notes, undefined]"],
    ["const body = readsFirst ? await", "const body = false ? await"],
    ["const body = readsFirst ? await", "const body = true ? await"],
    ["return newest.metadata?.uid === uid ? newest : undefined;", "return newest;"],
    ["if (error instanceof ApiError && error.status === 404) return undefined;", ""],
    ["observer?.written !== undefined && sent.writes > 0", "observer?.written !== undefined"],
    ['.filter((path) => !path.startsWith("metadata."))', ""],
  ]),
  ...breaksOf("lib/execution/pending_write.ts", [
    [
      "if (kept?.patch === undefined || kept.failures > 0) return [];",
      "if (kept?.patch === undefined) return [];",
    ],
    ["    kept.patch = undefined;\n", ""],
    ["    kept.merge(patch.toMergePatch());\n", ""],
    ["failures: failures + 1, races }", "failures, races }"],
    ["races: this.races + 1", "races: 1"],
    ["    this.refusal = undefined;\n    this.notes = undefined;", "    this.notes = undefined;"],
    ["    this.refusal = undefined;\n    return refusal;", "    return refusal;"],
  ]),
  ...breaksOf("lib/execution/write_requests.ts", [
    [
      `if (body !== undefined) await this.#send({ type: "merge", body: this.#addressed(body) });`,
      `await this.#send({ type: "merge", body: this.#addressed(content) });`,
    ],
    ["if (main.length > 0) await", "await"],
    [
      `(key) => key !== "metadata") &&\n      minimisePatch(body, content) !== undefined;`,
      `(key) => key !== "metadata");`,
    ],
    ["    if (fns.length > 0) return true;\n", ""],
    ["if (writer.isBlind) await writer.read();", ""],
    ["if (isDone) await writer.mergeAll", "await writer.mergeAll"],
    ["if (isDone) await writer.mergeAll", "if (false) await writer.mergeAll"],
    ["      await this.read();\n      return false;", "      await this.read();\n      return true;"],
    ["if (namesObject(error, this.body)) return true;", "return true;"],
    ["return isReplaced(second) || (second", "return (second"],
    [`.some((key) => key !== "metadata")`, ".length > 0"],
    ["      if (body === undefined) return;\n", ""],
    ["if (finalizers === undefined) return await this.merge(content);", ""],
    [
      "if (!isConflict || conflicts >= CONFLICTS) throw error;",
      "if (!isConflict || conflicts > CONFLICTS) throw error;",
    ],
    [
      "if (!isConflict || conflicts >= CONFLICTS) throw error;\n        await this.read();",
      "if (!isConflict || conflicts >= CONFLICTS) throw error;",
    ],
    [`if (!resource.subresources.includes("status")) return { main: operations, status: [] };`, ""],
    ["if (error instanceof ReplacedError) return true;", ""],
    ["(error.status !== 422 && error.status !== 409)) return false;", "error.status !== 422) return false;"],
    ["(error.status !== 422 && error.status !== 409)) return false;", "error.status !== 409) return false;"],
    ["return isAboutUid || /UID in precondition/", "return /UID in precondition/"],
    [`some(({ field }) => field === "metadata.uid")`, "some(() => true)"],
    ["if (uid !== undefined && body.metadata?.uid !== uid) throw new ReplacedError();", ""],
    ["    return uid === undefined\n", "    return uid !== undefined\n"],
    ["? splitStatus(content)", "? { main: content, status: undefined }"],
    [": { main: content, status: undefined };", ": splitStatus(content);"],
    [
      `if (!resource.subresources.includes("status")) return { main: operations, status: [] };`,
      "return { main: operations, status: [] };",
    ],
    [
      `return [{ op: "test", path: "/metadata/resourceVersion", value }, ...operations];`,
      "return [...operations];",
    ],
    [
      "const value = this.body.metadata.resourceVersion;",
      "const value = this.#options.body.metadata.resourceVersion;",
    ],
    ["return { remaining: fns, refusal: error };", "return { remaining: [] };"],
  ]),
];

export default mutants;
