/** Breaks on the way of an object: its store, its state, the queue, the controller, and what a reconcile does. */

import { breaksOf, type Mutant } from "../mutant.ts";

const STORE = "lib/client/cache/object_store.ts";
const STATE = "lib/execution/object_state.ts";
const QUEUE = "lib/controller/work_queue.ts";
const CONTROLLER = "lib/controller/controller.ts";
const RECONCILIATION = "lib/controller/reconciliation.ts";
const RESULTS = "lib/execution/results.ts";
const RECONCILE = "lib/controller/reconcile.ts";
const DECIDE = "lib/controller/decide.ts";
const CHANGES = "lib/controller/change_handlers.ts";
const EVENTS = "lib/controller/event_handlers.ts";
const SIGNATURES = "lib/controller/signatures.ts";
const SUBS = "lib/controller/sub_handlers.ts";
const PRUNED = "lib/controller/pruned_fields.ts";

const causes = ["tests/scenarios/causes_test.ts"];
const consistency = ["tests/scenarios/consistency_test.ts"];
const delays = ["tests/scenarios/delays_test.ts"];
const filters = ["tests/scenarios/filters_test.ts", "tests/scenarios/writes_test.ts"];
const finalizers = ["tests/scenarios/finalizers_test.ts"];
const handlers = ["tests/scenarios/handlers_test.ts"];
const indexing = ["tests/scenarios/indexing_test.ts"];
const posting = ["tests/scenarios/posting_test.ts"];
const progress = ["tests/scenarios/progress_test.ts"];
const running = ["tests/scenarios/running_test.ts"];
const stopping = ["tests/scenarios/daemons_stopping_test.ts"];
const subs = ["tests/scenarios/sub_handlers_test.ts"];
const unseen = ["tests/controller/unseen_test.ts", "tests/scenarios/unseen_test.ts"];
const writes = ["tests/scenarios/writes_test.ts"];

/** One newest state: what is newer, what is kept aside, what a listing says. */
const store: Mutant[] = [
  ...breaksOf(STORE, [
    [
      "CachedObject.adopt",
      `if (order === "same" || order === "older") return order;`,
      `if (order === "same") return order;`,
    ],
    ["ObjectStore.put", "known.shown = object.metadata?.resourceVersion;", ""],
    [
      "ObjectStore.put",
      `if (adoption === "older" && known.generation`,
      `if (adoption === "newer" && known.generation`,
    ],
    ["ObjectStore.sweep", "if (cached.generation === this.#generation) continue;", ""],
    ["ObjectStore.take", "cached.generation = this.#generation;", ""],
    [
      "VersionOrder.compare",
      "if (!this.#isOrdered || typeof a",
      "if (typeof a",
    ],
    ["identityOf", "return uid || `${namespace}/${name}`;", "return uid || name;"],
  ]),
  // Nothing is waited for; or everything, whatever it is; or for ever; what was passed over is forgotten.
  ...breaksOf(STORE, [
    ["CachedObject.adopt", "this.#expected = { version, until: source.until, skipped: undefined };", ""],
    [
      "CachedObject.adopt",
      "this.#expected = { version, until: source.until, skipped: undefined };",
      `this.#expected = { version: "none", until: source.until, skipped: undefined };`,
    ],
    [
      "CachedObject.adopt",
      "until: source.until, skipped: undefined };",
      "until: Infinity, skipped: undefined };",
    ],
    ["CachedObject.adopt", "this.#expected.skipped = object;", ""],
  ], consistency),
  ...breaksOf(STORE, [
    ["CachedObject.adopt", `if (order === "unknown") {\n      if`, `{\n      if`],
  ], ["tests/client/cache/object_store_test.ts"]),
];

/** One state: what a reconcile sees, and what it has to do. */
const states: Mutant[] = breaksOf(STATE, [
  [
    "objectKey",
    "return `${keyOf(resource)}/${uid || `${namespace}/${name}`}`;",
    "return `${keyOf(resource)}/${uid || name}`;",
  ],
  [
    "objectKey",
    "return `${keyOf(resource)}/${uid || `${namespace}/${name}`}`;",
    "return `${resource.plural}/${uid || `${namespace}/${name}`}`;",
  ],
  ["ObjectState.snapshot", "return this.#snapshot ?? this.cached.object;", "return this.cached.object;"],
  ["ObjectState.begin", "this.cached.settle(now);", ""],
  [
    "ObjectState.distrust",
    `this.#doubt = this.#doubt === "restored" ? "restored" : why;`,
    "this.#doubt = why;",
  ],
  [
    "ObjectState.markAbsent",
    "    this.#isAbsent = true;\n    this.#snapshot = this.cached.object;",
    "    this.#isAbsent = true;",
  ],
  ["ObjectState.resolve", `if (this.#doubt === "restored") this.cached.replace(object);\n      else `, ""],
  ["ObjectState.reportOnce", "if (this.#reported?.has(what)) return false;", ""],
]);

/** One queue: who is next, why, and when. */
const queue: Mutant[] = [
  ...breaksOf(QUEUE, [
    ["WorkQueue.addEvent", "if (!keepAll) item.events.length = 0;", ""],
    ["WorkQueue.addEvent", `if (event.event.type === "DELETED" && item.plan`, `if (false && item.plan`],
    ["WorkQueue.add", `if (wake === "dependency" && item.plan?.kind === "throttled") return false;`, ""],
    [
      "WorkQueue.add",
      "if (this.#isStopped || state.isForgotten) return false;",
      "if (this.#isStopped) return false;",
    ],
    [
      "WorkQueue.add",
      `if (wake === "dependency" && item.plan?.kind === "throttled") return false;`,
      `if (wake === "dependency") return false;`,
    ],
    [
      "WorkQueue.release",
      `if (item.plan?.kind === "held") this.add(state, item.plan.wake);`,
      "",
    ],
    ["WorkQueue.stop", "this.#stopping.abort();", ""],
    [
      "WorkQueue.#start",
      "item.isRunning || !this.#isDue(item)) return;",
      "!this.#isDue(item)) return;",
    ],
    ["WorkQueue.#run", "using _slot = await limiter.enter(signal, { urgent });", ""],
    ["WorkQueue.#run", "limiter.enter(signal, { urgent });", "limiter.enter(signal);"],
    ["WorkQueue.starving", "limiter.waiting === 0 || !limiter.isFull", "limiter.waiting === 0"],
    ["turnLimiter", "{ size: TURNS_AT_ONCE, breathe: (goOn) => void clock.after(0, goOn) }", "undefined"],
    ["WorkQueue.#run", "item.events.unshift(...events);", ""],
    [
      "WorkQueue.#run",
      "growingPause(item.failures++, { initial: CRASH_PAUSE, max: LONGEST_CRASH_PAUSE })",
      "(item.failures++, CRASH_PAUSE)",
    ],
    ["WorkQueue.#run", "item.failures = result.failed === true ? item.failures + 1 : 0;", ""],
    ["WorkQueue.#plan", `kind: kind === "throttle" ? "throttled" : "scheduled"`, `kind: "throttled"`],
    ["WorkQueue.#plan", `kind: kind === "throttle" ? "throttled" : "scheduled"`, `kind: "scheduled"`],
    [
      "WorkQueue.#wake",
      `if (this.#options.gates.holds(state)) item.plan = { kind: "held", wake };\n    else `,
      "",
    ],
    ["WorkQueue.#settle", "        item.wake = undefined;\n        item.events = [];\n", ""],
    ["WorkQueue.#settle", "        this.#worker?.forget(state);\n", ""],
    [
      "WorkQueue.#run",
      "if (item.plan === undefined && item.events.length === 0 && item.wake === undefined) {",
      "if (false) {",
    ],
    ["WorkQueue.#plan", "if (this.#isStopped) return;\n    item.plan", "item.plan"],
    ["WorkQueue.#run", "waited: now - since", "waited: 0"],
  ]),
  ...breaksOf(QUEUE, [
    [
      "WorkQueue.#plan",
      "this.#schedule.set(state, this.#options.clock.monotonic() + after);",
      "this.#schedule.set(state, this.#options.clock.monotonic() + Math.min(600, after) + 0.5);",
    ],
    ["WorkQueue.#wake", "else item.wake = wake;", ""],
    [
      "WorkQueue.addEvent",
      "    item.events.push(event);",
      "    item.events.push(event);\n    this.#forgetPlan(state, item);",
    ],
    [
      "WorkQueue.#start",
      "item.isRunning || !this.#isDue(item)) return;",
      "!this.#isDue(item)) return;",
    ],
    ["WorkQueue.addEvent", "if (!keepAll) item.events.length = 0;", "item.events.length = 0;"],
  ], delays),
  ...breaksOf(QUEUE, [
    ["WorkQueue.#run", "if (!gate.isOpen && !await gate.opened(signal)) break;", ""],
    ["WorkQueue.#run", "if (indexed !== undefined) await indexed;", ""],
  ], indexing),
];

/** One controller: echoes, failures, those that come in another one's place. */
const controller: Mutant[] = [
  ...breaksOf(CONTROLLER, [
    [
      "Controller.#enqueue",
      "if (!keepAll && !isNews && !isExpected && !queue.isRetrying(state)) return;",
      "",
    ],
    [
      "Controller.#enqueue",
      "if (!keepAll && !isNews && !isExpected && !queue.isRetrying(state)) return;",
      "if (!isNews && !isExpected) return;",
    ],
    ["Controller.#enqueue", "const isExpected = state.isUnfinished ||", "const isExpected ="],
    ["Controller.notify", `if (told.origin === "restored") state.distrust("restored");`, ""],
    [
      "Controller.#enqueue",
      "if (leaving !== undefined && leaving.state !== state) {",
      "if (leaving !== undefined && leaving.state !== state && isDeleted) {",
    ],
    ["Controller.#enqueue", "if (isDeleted && leaving === undefined)", "if (isDeleted)"],
    ["Controller.#enqueue", "for (const gone of dropped) this.forget(gone);", ""],
    ["Controller.#enqueue", "if (isOverrun) this.#reportOverrun(state, limit);", ""],
    ["Controller.forget", "for (const next of leaving.waiting) this.#enqueue(...next);", ""],
    ["Controller.forget", "if (leaving?.state !== state) return;", ""],
    ["Controller.forget", "this.#states.delete(state.cached);", ""],
    ["Controller.forget", "    state.forget();\n", ""],
    ["Controller.memoOf", "this.#earlyMemos.set(key, memo);", ""],
  ]),
  ...breaksOf("lib/controller/leaving.ts", [
    ["Leaving.add", "Math.min(limit, MOST)", "limit"],
    ["Leaving.add", "this.#isOverrun ||= isOverrun;", ""],
    ["Leaving.add", "if (!keepAll || this.#isOverrun)", "if (this.#isOverrun)"],
    ["Leaving.add", "this.#waiting.length > most ? this.#dropGone(state) : []", "[]"],
    ["Leaving.#dropGone", "state !== latest && ", ""],
    ["newestOf", "!ofEachKind || ", ""],
  ]),
  ...breaksOf(CONTROLLER, [["Controller.memoOf", "this.#earlyMemos.set(key, memo);", ""]], [
    "tests/scenarios/admission_test.ts",
  ]),
  ...breaksOf(CONTROLLER, [
    [
      "Controller.#stateOf",
      "if (known !== undefined) {\n      // What",
      "if (known !== undefined && event.type !== null) {\n      // What",
    ],
  ], causes),
  ...breaksOf(CONTROLLER, [
    [
      "Controller.#stateOf",
      "memo: early ?? { ...this.#options.memo },",
      "memo: this.#options.memo as Record<string, unknown>,",
    ],
    ["Controller.#stateOf", "memo: early ?? { ...this.#options.memo },", "memo: early ?? {},"],
  ], handlers),
  ...breaksOf(CONTROLLER, [
    [
      "retryLater",
      "const pause = delays[Math.min(failures, delays.length - 1)];",
      "const pause = delays[failures];",
    ],
    ["retryLater", `kind: pause === undefined ? "requeue" : "throttle"`, `kind: "requeue"`],
    ["retryLater", `wake: "error", failed: true };`, `wake: "error" };`],
  ], [...delays, ...running]),
  ...breaksOf(CONTROLLER, [
    [
      "retryLater",
      "const after = pause ?? settings.execution.defaultBackoff;",
      "const after = pause ?? 86_400;",
    ],
    [
      "retryLater",
      `logger.error("Reconcile failed"`,
      `if (delays.length > 0) logger.error("Reconcile failed"`,
    ],
    [
      "retryLater",
      `return { kind: pause === undefined ? "requeue" : "throttle", after, wake: "error", failed: true };`,
      `return { kind: "done", failed: true };`,
    ],
  ], progress),
];

/** One order. */
const order: Mutant[] = [
  ...breaksOf(RECONCILE, [
    ["reconcile", "if (state.doubt !== undefined) state.resolve(await writer.read(state, r));", ""],
    ["reconcile", "if (state.isAbsent && state.hasNews) state.resolve(await writer.read(state, r));", ""],
    ["begin", "if (change?.before !== undefined && !isOurs) {", "if (change?.before !== undefined) {"],
    ["write", "state.markAbsent();", ""],
    [
      "write",
      `if (written.error instanceof ApiError && written.error.status === 409) state.distrust("conflict");`,
      "",
    ],
    ["keepRecords", "if (records !== undefined) pending.keepRecords(records);", ""],
    ["write", "if (handled !== undefined) state.hasHandledCause = true;", ""],
    [
      "write",
      `if (written.kind === "written" && state.hasNews) return { kind: "requeue", after: 0, wake: "write" };`,
      "",
    ],
    [
      "isToBeContinued",
      `return wake !== "event" || failures > 0 || state.isUnfinished;`,
      `return failures > 0 || state.isUnfinished;`,
    ],
    [
      "isToBeContinued",
      `return wake !== "event" || failures > 0 || state.isUnfinished;`,
      `return wake !== "event" || failures > 0;`,
    ],
    ["reconcile", "if (state.pending.hasFunctions) {", "if (false) {"],
    [
      "reconcile",
      "const work = { ...notes, records: () => records, delay: () => 0 };",
      "const work = { ...notes, delay: () => 0 };",
    ],
    [
      "write",
      "refusal: ofChanges(r, written) }",
      "refusal: { ...written, handlers: [] } }",
    ],
    ["write", "if (written.handlers.length === 0) throw written.error;", "throw written.error;"],
    [
      "write",
      `        state.distrust("conflict");\n        return { kind: "requeue", after: 0, wake: "write" };`,
      "",
    ],
  ]),
  // Raw events, deletions and handlers wait; functions that have lost are dropped, or come together with the handlers.
  ...breaksOf(RECONCILE, [
    [
      "reconcile",
      "const byEvent = !r.patch.isEmpty;",
      `const byEvent = !r.patch.isEmpty;\n  if (turn.events.some(({ event }) => event.type === "ADDED")) return { kind: "done" };`,
    ],
    [
      "reconcile",
      `if (last?.event.type === "DELETED") {`,
      `if (last === undefined && false) {`,
    ],
    [
      "reconcile",
      "for (const { event } of turn.events) await",
      `for (const { event, adoption } of turn.events) if (adoption !== "early") await`,
    ],
    ["reconcile", "if (state.pending.hasFunctions) {", "if (false) {"],
    [
      "write",
      `        pending.keepNotes({ notes, finalizer, handled });\n        state.distrust("conflict");`,
      "        pending.keepNotes({ notes, finalizer, handled });",
    ],
    ["write", "        pending.keepNotes({ notes, finalizer, handled });\n", ""],
  ], consistency),
  ...breaksOf(RECONCILE, [
    ["write", "if (pending.hasFunctions) pending.keepNotes({ notes, finalizer, handled });", ""],
  ], ["tests/scenarios/kept_functions_test.ts"]),
  ...breaksOf(RECONCILE, [[
    "reconcile",
    `if (last?.event.type === "DELETED") {`,
    "if (last === undefined && false) {",
  ]], [
    ...causes,
    ...finalizers,
  ]),
  ...breaksOf(RECONCILE, [
    ["reconcile", "await daemons.forget(state, whyGone(r, last));", "await matchDaemons(r);"],
  ], stopping),
  ...breaksOf(
    RECONCILE,
    [["keepRecords", "if (records !== undefined) pending.keepRecords(records);", ""]],
    progress,
  ),
  ...breaksOf(RECONCILIATION, [
    [
      "prepare",
      'logger.child({ name: "lotse.objects", reference });',
      'logger.child({ name: "lotse.objects" });',
    ],
  ], handlers),
  ...breaksOf(RECONCILIATION, [
    [
      "postingLogger",
      "if (!posting.loggers || !posting.enabled) return logger;",
      "if (!posting.enabled) return logger;",
    ],
    ["postingLogger", "if (!posting.loggers || !posting.enabled) return logger;", "return logger;"],
  ], posting),
  ...breaksOf(RESULTS, [
    [
      "storeResult",
      "if (result === undefined || result === null) return;",
      "if (result === undefined) return;",
    ],
  ], delays),
  ...breaksOf(RESULTS, [
    [
      "storeResult",
      "isObject(value) ? isMerged ? { ...value } : applyMergePatch({}, value) : value",
      "value",
    ],
  ], ["tests/scenarios/writes_test.ts"]),
  ...breaksOf(RECONCILIATION, [
    ["reportFailedFilter", "if (!state.reportOnce(handler.id)) return;", ""],
    ["reportFailedFilter", `logger.error("Filter failed`, `logger.debug("Filter failed`],
  ], filters),
];

/** One decision. */
const decisions: Mutant[] = [
  ...breaksOf(DECIDE, [
    [
      "changeFinalizer",
      "const { snapshot } = state;\n  const { finalizer",
      "const { body: snapshot } = state;\n  const { finalizer",
    ],
    ["findStuck", "STUCK_AFTER - (clock.monotonic() - deletingSince)", "STUCK_AFTER"],
    ["decide", `if (relevant.length === 0) return { kind: "ignore", optionalDeletes };`, ""],
    ["decide", "isPending: claim.isPending || relevant.length > 0", "isPending: relevant.length > 0"],
    ["decide", "isPending: claim.isPending || relevant.length > 0", "isPending: true"],
  ]),
  ...breaksOf(DECIDE, [
    ["detectCause", "hasOld: old !== undefined,", "hasOld: true,"],
    ["detectCause", "hasDiff: diff.length > 0,", "hasDiff: true,"],
    ["detectCause", `state.firstSeen === "listing" && !state.hasHandledCause`, "!state.hasHandledCause"],
    [
      "detectCause",
      `state.firstSeen === "listing" && !state.hasHandledCause`,
      `state.firstSeen === "listing"`,
    ],
  ], causes),
  ...breaksOf(DECIDE, [
    ["decide", "if (step !== undefined) return { ...step, optionalDeletes };", ""],
    ["changeFinalizer", "if (isBlocked && (!claim.isRequired ||", "if (isBlocked && ("],
    ["decide", "prematched.filter(({ mismatch }) => mismatch === undefined)", "prematched"],
    ["decide", "const optionalDeletes = isDeleting(snapshot) &&", "const optionalDeletes = false &&"],
  ], finalizers),
  ...breaksOf(DECIDE, [
    ["decide", `if (relevant.length === 0) return { kind: "ignore", optionalDeletes };`, ""],
    [
      "decide",
      `if (relevant.length === 0) return { kind: "ignore", optionalDeletes };`,
      `if (relevant.length === 0) logger("Nobody wants it");\n  const logger = r.logger.info.bind(r.logger);`,
    ],
  ], filters),
  ...breaksOf(
    DECIDE,
    [["decide", "const isRequired = claim.isRequired || relevant", "const isRequired = relevant"]],
    stopping,
  ),
  ...breaksOf(DECIDE, [[
    "detectCause",
    "    indices,\n    makeChildren,",
    "    indices: {},\n    makeChildren,",
  ]], indexing),
  ...breaksOf(
    DECIDE,
    [["detectCause", "    body,\n    memo,", "    body: current as never,\n    memo,"]],
    handlers,
  ),
];

/** Handlers of changes, their progress, and their sub-handlers. */
const changes: Mutant[] = [
  ...breaksOf(CHANGES, [
    ["callOptionalDeletes", "r.state.hasRunOptionalDeletes = true;", ""],
    ["handle", "if (selected.length > 0) logger.info", "logger.info"],
    ["conclude", "essence: cause.new,", "essence: cause.old ?? cause.new,"],
  ], finalizers),
  ...breaksOf(CHANGES, [["conclude", "essence: cause.new,", "essence: cause.old ?? cause.new,"]], causes),
  ...breaksOf(CHANGES, [
    [
      "handle",
      `if (!progress.isDone || (purpose === "delete" && isPending) || isKept) {`,
      `if (purpose === "delete" && isPending) return {};\n  if (!progress.isDone) {`,
    ],
    [
      "handle",
      `if (!progress.isDone || (purpose === "delete" && isPending) || isKept) {`,
      `if (purpose === "delete" && isPending) return { finalizer: { name: finalizer, wanted: false } };\n  if (!progress.isDone) {`,
    ],
  ], stopping),
  ...breaksOf(CHANGES, [
    [
      "handle",
      "const { isIdle } = await run.run(progress, selected);\n",
      "const { isIdle } = await run.run(progress, selected);\n  if (Object.keys(r.state.body.metadata.annotations ?? {}).length === 0) return { delay: () => 0 };\n",
    ],
  ], writes),
  ...breaksOf(CHANGES, [
    ["ChangeRun.run", "this.#ran.add(active.id);", `if (called.outcome.kind !== "success") patch.clear();`],
    ["ChangeRun.run", "if (!picked.has(active.id)) continue;", ""],
    ["ChangeRun.run", "{ ...cause, random }", "{ random }"],
    ["ChangeRun.run", "{ ...cause, random }", "{ ...cause, random: undefined as never }"],
  ], delays),
  ...breaksOf(
    CHANGES,
    [["ChangeRun.run", "this.#ran.add(active.id);", `if (called.outcome.kind !== "success") patch.clear();`]],
    filters,
  ),
  ...breaksOf(CHANGES, [
    [
      "logStart",
      "if (cause.diff.length === 0 || cause.old === undefined) return;",
      "if (cause.old === undefined) return;",
    ],
    [
      "logStart",
      "if (cause.diff.length === 0 || cause.old === undefined) return;",
      "if (cause.diff.length === 0) return;",
    ],
    [
      "logStart",
      `logger.debug("Essence differs", { diff: withoutValues(cause.diff, r.confidential) });`,
      "",
    ],
    ["conclude", "progress.purge(patch);", ""],
  ], handlers),
  ...breaksOf(CHANGES, [
    ["tidy", `if (cause.reason !== "noop") return { notes };`, "return { notes };"],
    ["logSuperseded", "others.succeeded + others.failed + others.unfinished === 0", "others.failed === 0"],
    ["conclude", "progress.purge(patch);", ""],
  ], [...progress, ...subs]),
  ...breaksOf(CHANGES, [
    ["sweptNotes", "persistence.progress.sweep(notes, state.snapshot);", ""],
    [
      "sweptNotes",
      "persistence.progress.sweep(notes, state.snapshot);",
      `notes.merge({ metadata: { annotations: { "kopf.zalando.org/touch-dummy": String(Math.PI) } } });`,
    ],
  ], ["tests/scenarios/persistence_test.ts"]),
  ...breaksOf(CHANGES, [
    ["ChangeRun.#call", "if (children.areWaiting) await children.run();\n", ""],
    [
      "ChangeRun.#runChildren",
      "for (const id of [...selected.map(({ id }) => id), ...progress.descendants]) descendants.add(id);",
      "",
    ],
    ["ChangeRun.#runChildren", "if (progress.isDone) return;", "return;"],
    [
      "ChangeRun.#runChildren",
      "if (progress.isDone) return;",
      `if (progress.counts.failed > 0) throw new Error("A child has failed");\n    if (progress.isDone) return;`,
    ],
    [
      "ChangeRun.#runChildren",
      `throw new Postponed("Sub-handlers are unfinished", isIdle && delay === 0 ? Infinity : delay);`,
      `throw new Postponed("Sub-handlers are unfinished", 2 * delay);`,
    ],
  ], subs),
  ...breaksOf(SUBS, [
    [
      "SubHandlers.#declare",
      "(this.#declared ??= []).push(child);",
      "(this.#declared ??= []).unshift(child);",
    ],
    ["SubHandlers.sub", "run: () => this.run(),", "run: () => Promise.resolve(),"],
    ["SubHandlers.close", "this.#isClosed = true;", ""],
    ["subHandler", "id: `${parent.id}/${handler.id}`,", 'id: `${parent.id.split("/")[0]}/${handler.id}`,'],
    ["subHandler", "id: `${parent.id}/${handler.id}`,", "id: handler.id,"],
    [
      "subHandler",
      "requiresFinalizer: false,",
      "requiresFinalizer: false,\n    ...parent.field !== undefined && handler.field !== undefined && { field: [...parent.field, ...handler.field] },",
    ],
    [
      "subHandler",
      "needsChange: parent.needsChange === true && handler.field !== undefined,",
      "needsChange: false,",
    ],
    ["subHandler", `parent.needsChange === true ? "field" : "create"`, `"field"`],
  ], subs),
  ...breaksOf(SIGNATURES, [
    ["Signatures.sign", "const after = this.#essenceWith([this.#r.patch]);", "const after = before;"],
    ["Signatures.sign", "return others.length === 0 ? all : [", "return true ? all : ["],
    ["Signatures.sign", "[before, this.#withoutDaemons].filter(", "[before].filter("],
    ["Signatures.isAsSigned", "this.#digest(handler, this.#withoutDaemons) === digest;", "false;"],
    ["Signatures.sign", "this.#r.state.background?.signed(this.#r.state.snapshot);", ""],
    ["Signatures.#essenceWith", "[...kept, ...patches].filter(", "patches.filter("],
  ], progress),
  ...breaksOf(SIGNATURES, [
    ["Signatures.sign", "const after = this.#essenceWith([this.#r.patch]);", "const after = before;"],
    ["Signatures.#essenceWith", "[...kept, ...patches].filter(", "patches.filter("],
    ["Signatures.#digest", `if (this.#purpose === "delete" && !keepsObject(handler)) return undefined;`, ""],
  ]),
];

/** Raw event handlers, and what servers prune. */
const edges: Mutant[] = [
  ...breaksOf(EVENTS, [
    [
      "callEventHandlers",
      "if (isWanted(r, handler, asked)) await call(r, handler, cause);",
      "if (isWanted(r, handler, asked)) return await call(r, handler, cause);",
    ],
    ["call", "keepsResult: true,", ""],
  ], handlers),
  ...breaksOf(EVENTS, [
    ["call", "const { clock, localLogger: logger, signal", "const { clock, logger, signal"],
    [
      "callEventHandlers",
      "handlers, localLogger: logger, indices, patch } = r;",
      "handlers, logger, indices, patch } = r;",
    ],
  ], posting),
  ...breaksOf(PRUNED, [
    [
      "prunedFields",
      "return Object.entries(written).flatMap(",
      "return Object.entries({ ...answer as object, ...written }).flatMap(",
    ],
    [
      "prunedFields",
      "return prunedFields(value, live, { path: `${path}${key}.`, depth: depth + 1 });",
      "return JSON.stringify(value) === JSON.stringify(live) ? [] : [path + key];",
    ],
    ["isNothing", `return value.length === 0 && path === "metadata.";`, "return false;"],
    ["isNothing", `return value.length === 0 && path === "metadata.";`, "return value.length === 0;"],
    ["isNothing", `return value.length === 0 && path === "metadata.";`, `return path === "metadata.";`],
    ["isNothing", "return depth <= DEEPEST &&", "return depth < 0 ||"],
    ["prunedFields", "if (depth > DEEPEST) return [];", ""],
    ["reportPruned", "if (fns.length > 0) return;", ""],
    ["keepPruned", `if (written.kind === "unchanged") return keepNotes(r, work, state.body);`, ""],
    ["keepNotes", "isPruned ? handled : undefined", "handled"],
    ["keepNotes", "isPruned ? handled : undefined", "undefined"],
    ["keepNotes", "if (isPruned) persistence.diffBase.room?.decide(answer, false);", ""],
    ["keepNotes", "persistence.progress.fetch(answer, id) === undefined", "true"],
    ["keepNotes", "new Map(pruned)", "new Map()"],
  ]),
  ...breaksOf(PRUNED, [
    ["reportPruned", 'if (fields.length === 0 || !state.kind.reportOnce("pruned")) return;', "return;"],
    [
      "reportPruned",
      'if (fields.length === 0 || !state.kind.reportOnce("pruned")) return;',
      "if (fields.length === 0) return;",
    ],
    [
      "isNothing",
      "if (!isObject(value)) return value === null;",
      "return false;",
    ],
    [
      "prunedFields",
      "return prunedFields(value, live, { path: `${path}${key}.`, depth: depth + 1 });",
      "return [];",
    ],
  ], writes),
];

/** Events that change only what nobody looks at. */
const passing: Mutant[] = [
  ...breaksOf("lib/controller/unseen.ts", [
    ["seenStatus", "if (called.some(asksFunctions)) return undefined;", ""],
    [
      "seenStatus",
      "const paths = [...fields, ...ofState, ...ofProgress];",
      "const paths = [...ofState, ...ofProgress];",
    ],
    ["differsUnseen", "if (!isSame(was, is, (key) => COUNTERS.has(key))) return false;", ""],
    ["isSame", "if (old !== after[key] && !isSameJson(old, after[key])) return false;", ""],
  ], unseen),
  ...breaksOf(CONTROLLER, [
    [
      "Controller.#isUnseen",
      "return seen !== undefined && differsUnseen(",
      "return seen === undefined && differsUnseen(",
    ],
    ["Controller.#settle", "state.settle();", ""],
  ], unseen),
  ...breaksOf(CONTROLLER, [
    ["Controller.#isUnseen", "if (state.settledFor !== handlers || ", "if ("],
  ]),
  ...breaksOf("lib/controller/at_rest.ts", [
    [
      "isExpected",
      "if (!isAsNoted({ before: state.snapshot, notes, answer: body }, members)) return false;",
      "",
    ],
    ["isExpected", "if (handled === undefined && !isAtRest(r, done)) return false;", ""],
    ["isExpected", "(notes?.isEmpty === false && looksAtNotes(handlers))", "false"],
    ["isExpected", "return handled === undefined ||", "return true ||"],
  ], ["tests/controller/reconcile_test.ts"]),
  ...breaksOf(RECONCILE, [
    ["settleOwnWrite", "state.settle();", ""],
    ["settleOwnWrite", "if (isOverForNow(result)) state.settledFor = handlers;", ""],
  ]),
];

const mutants: Mutant[] = [
  ...passing,
  ...store,
  ...states,
  ...queue,
  ...controller,
  ...order,
  ...decisions,
  ...changes,
  ...edges,
];

export default mutants;
