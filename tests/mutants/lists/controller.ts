/** Breaks on the way of an object: its store, its state, the queue, the controller, and what a reconcile does. */

import { breaksOf, type Mutant } from "../mutant.ts";

const STORE = "lib/client/cache/object_store.ts";
const STATE = "lib/execution/object_state.ts";
const QUEUE = "lib/controller/work_queue.ts";
const CONTROLLER = "lib/controller/controller.ts";
const TURN = "lib/handlers/turn.ts";
const RESULTS = "lib/execution/results.ts";
const RECONCILE = "lib/controller/reconcile.ts";
const DECIDE = "lib/handlers/change/decide.ts";
const PART = "lib/handlers/change/change_part.ts";
const CHANGES = "lib/handlers/change/change_run.ts";
const NOTES = "lib/handlers/change/notes.ts";
const EVENTS = "lib/handlers/event/event_part.ts";
const SIGNATURES = "lib/handlers/change/signatures.ts";
const SUBS = "lib/handlers/change/sub_handlers.ts";
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
const LISTED = ["tests/scenarios/listed_test.ts", "tests/scenarios/pausing_test.ts"];
const unseen = ["tests/handlers/unseen_test.ts", "tests/scenarios/unseen_test.ts"];
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
    // All objects stay parsed; one is lost to the window when it moves, or when it is read.
    ["ParsedWindow.add", "oldest?.pack(this.#limits.shortest, this.#packer);", ""],
    ["CachedObject.moveTo", "this.#isInWindow = false;", ""],
    ["CachedObject.parsed", "if (state === this.#state) this.#enter(window);", ""],
  ]),
  ...breaksOf("lib/client/cache/stored_state.ts", [
    ["StoredState.pack", "if (lengthOf(this.#object, shortest) < shortest) return;", ""],
    ["lengthOf", "key.length + 4 + ", ""],
    ["StoredState.object", "this.#object = object;", ""],
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
  [
    "ObjectState.snapshot",
    "return (this.#snapshot ?? this.cached.state).object;",
    "return this.cached.object;",
  ],
  ["ObjectState.begin", "this.cached.takeSkipped(now);", ""],
  [
    "ObjectState.distrust",
    `this.#doubt = this.#doubt === "restored" ? "restored" : why;`,
    "this.#doubt = why;",
  ],
  [
    "ObjectState.markAbsent",
    "    this.#isAbsent = true;\n    this.#snapshot = this.cached.state;",
    "    this.#isAbsent = true;",
  ],
  ["ObjectState.resolve", `if (this.#doubt === "restored") this.cached.replace(object);\n      else `, ""],
  ["ObjectState.reportOnce", "if (this.#reported?.has(what)) return false;", ""],
]);

/** One queue: who is next, why, and when. */
const queue: Mutant[] = [
  ...breaksOf(QUEUE, [
    ["WorkQueue.addEvent", "if (!keepAll) item.events = NO_EVENTS;", ""],
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
      "item.isRunning || !this.#isDue(state, item)) return;",
      "!this.#isDue(state, item)) return;",
    ],
    ["WorkQueue.#run", "using _slot = await limiter.enter(signal, { urgent });", ""],
    ["WorkQueue.#run", "limiter.enter(signal, { urgent });", "limiter.enter(signal);"],
    ["WorkQueue.starving", "limiter.waiting === 0 || !limiter.isFull", "limiter.waiting === 0"],
    [
      "turnLimiter",
      "{ size: TURNS_AT_ONCE, breathe: (goOn) => void clock.sleep(0).then(goOn) }",
      "undefined",
    ],
    ["WorkQueue.#run", "item.events = [...events, ...item.events];", ""],
    ["WorkQueue.#run", "          this.#dropEchoes(state, item, worker);\n", ""],
    ["WorkQueue.#dropEchoes", "wake !== undefined || failures > 0 || ", ""],
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
    ["WorkQueue.#settle", "        item.wake = undefined;\n        item.events = NO_EVENTS;\n", ""],
    ["WorkQueue.#settle", "        this.#worker?.forget(state);\n", ""],
    [
      "WorkQueue.#run",
      "if (isEmpty || state.isForgotten) {",
      "if (false) {",
    ],
    ["WorkQueue.#plan", "if (this.#isStopped || state.isForgotten) return;", ""],
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
      "if (item.events.length === 0) item.events = [event];",
      "this.#forgetPlan(state, item);\n    if (item.events.length === 0) item.events = [event];",
    ],
    [
      "WorkQueue.#start",
      "item.isRunning || !this.#isDue(state, item)) return;",
      "!this.#isDue(state, item)) return;",
    ],
    ["WorkQueue.addEvent", "if (!keepAll) item.events = NO_EVENTS;", "item.events = NO_EVENTS;"],
  ], delays),
  ...breaksOf(QUEUE, [
    ["WorkQueue.#start", "if (!this.#options.indexing.gate.isOpen) return this.#startAtOpening();", ""],
    ["WorkQueue.#run", "if (indexed !== undefined) await indexed;", ""],
  ], indexing),
];

/** One controller: echoes, failures, those that come in another one's place. */
const controller: Mutant[] = [
  ...breaksOf(CONTROLLER, [
    ["Controller.#enqueue", "if (!keepAll && isEcho(state, told) && !queue.isRetrying(state)) return;", ""],
    ["Controller.#enqueue", "isEcho(state, told) && !queue.isRetrying(state)", "isEcho(state, told)"],
    ["isEcho", "return !state.isUnfinished && state.doubt", "return state.doubt"],
    ["isEcho", "|| state.hasNews) return false;", ") return false;"],
    ["Controller.drops", "if (!events.every((told) => isEcho(state, told))) return false;", ""],
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
      "if (known !== undefined) {\n      // Discovery",
      "if (known !== undefined && event.type !== null) {\n      // Discovery",
    ],
  ], causes),
  ...breaksOf(CONTROLLER, [
    [
      "Controller.#stateOf",
      "memo: early ?? (Reflect.ownKeys(memo).length === 0 ? undefined : { ...memo }),",
      "memo: memo as Record<string, unknown>,",
    ],
    [
      "Controller.#stateOf",
      "memo: early ?? (Reflect.ownKeys(memo).length === 0 ? undefined : { ...memo }),",
      "memo: early ?? {},",
    ],
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
    ["reconcile", "if (state.doubt !== undefined) state.resolve(await writer.read(state, reading));", ""],
    [
      "reconcile",
      "if (state.isAbsent && state.hasNews) state.resolve(await writer.read(state, reading));",
      "",
    ],
    ["begin", "if (change?.before !== undefined && !isOurs) {", "if (change?.before !== undefined) {"],
    ["write", "state.markAbsent();", ""],
    [
      "write",
      `if (written.error instanceof ApiError && written.error.status === 409) state.distrust("conflict");`,
      "",
    ],
    ["rest", `if (state.hasNews) return { kind: "requeue", after: 0, wake: "write" };`, ""],
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
    ["write", "return state.isUnfinished ?", "return false ?"],
    ["write", "if (written.handlers.length === 0) throw written.error;", "throw written.error;"],
    [
      "write",
      `        state.distrust("conflict");\n        return { kind: "requeue", after: 0, wake: "write" };`,
      "",
    ],
    ["write", "for (const part of parts) part.written?.(written);", ""],
    ["rest", "nextTurn(parts, isRepeated ? 0 : stuckAfter)", "nextTurn(parts, stuckAfter)"],
    ["claimOf", "isRequired: all.isRequired || claim.isRequired,", "isRequired: claim.isRequired,"],
    ["claimOf", "isPending: all.isPending || claim.isPending,", "isPending: claim.isPending,"],
    ["finalizerOfStaying", "if (isDeleting(snapshot) || ", "if ("],
    ["finalizerOfLeaving", "|| (isRequired && isPending)", ""],
    ["reconcile", "  if (moved === undefined) {", "  {"],
    ["sayStuck", "STUCK_AFTER - (clock.monotonic() - deletingSince)", "STUCK_AFTER"],
  ]),
  // Raw events, deletions and handlers wait; functions that have lost are dropped, or come together with the handlers.
  ...breaksOf(RECONCILE, [
    [
      "reconcile",
      "const byEvent = !patch.isEmpty;",
      `const byEvent = !patch.isEmpty;\n  if (why.events.some(({ event }) => event.type === "ADDED")) return { kind: "done" };`,
    ],
    ["reconcile", `if (last?.event.type === "DELETED") return`, "if (last === undefined && false) return"],
    [
      "reconcile",
      "for (const { event } of pause === undefined ? why.events : []) {",
      `for (const { event, adoption } of pause === undefined ? why.events : []) {\n    if (adoption === "early") continue;`,
    ],
    ["reconcile", "if (state.pending.hasFunctions) {", "if (false) {"],
    [
      "write",
      `        pending.keepNotes({ notes, finalizer, concludes });\n        state.distrust("conflict");`,
      "        pending.keepNotes({ notes, finalizer, concludes });",
    ],
    ["write", "        pending.keepNotes({ notes, finalizer, concludes });\n        state", "        state"],
  ], consistency),
  ...breaksOf(RECONCILE, [
    ["write", "if (pending.hasFunctions) pending.keepNotes({ notes, finalizer, concludes });", ""],
  ], ["tests/scenarios/kept_functions_test.ts"]),
  ...breaksOf(RECONCILE, [
    ["reconcile", `if (last?.event.type === "DELETED") return`, "if (last === undefined && false) return"],
  ], [...causes, ...finalizers]),
  ...breaksOf(RECONCILE, [
    ["leave", "for (const manner of turn.run.manners) await manner.gone?.(turn.state, why);", "void why;"],
    ["claimOf", "isRequired: all.isRequired || claim.isRequired,", "isRequired: claim.isRequired,"],
  ], stopping),
  ...breaksOf(RECONCILE, [
    ["finalizerOfStaying", "if (isDeleting(snapshot) || ", "if ("],
    ["reconcile", "  if (moved === undefined) {", "  {"],
  ], finalizers),
  ...breaksOf(TURN, [
    [
      "prepare",
      'name: "lotse.objects",\n    reference,',
      'name: "lotse.objects",',
    ],
  ], handlers),
  ...breaksOf(TURN, [
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
  ...breaksOf(TURN, [
    ["reportFailedFilter", "if (!state.reportOnce(handler.id)) return;", ""],
    ["reportFailedFilter", `logger.error("Filter failed`, `logger.debug("Filter failed`],
  ], filters),
];

/** One decision. */
const decisions: Mutant[] = [
  ...breaksOf(DECIDE, [
    ["detectCause", "hasOld: old !== undefined,", "hasOld: true,"],
    ["detectCause", "hasDiff: diff.length > 0,", "hasDiff: true,"],
    [
      "detectCause",
      `(state.firstSeen === "listing" || isRestored) && !slot.hasHandledCause`,
      "!slot.hasHandledCause",
    ],
    [
      "detectCause",
      `(state.firstSeen === "listing" || isRestored) && !slot.hasHandledCause`,
      `(state.firstSeen === "listing" || isRestored)`,
    ],
  ], causes),
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
  ...breaksOf(PART, [
    [
      "ChangePart.begin",
      "this.#prematched.filter(({ mismatch }) => mismatch === undefined)",
      "this.#prematched",
    ],
    ["ChangePart.run", "this.#slot.hasRunOptionalDeletes = true;", ""],
    ["ChangePart.run", "if (isLeaving && !this.#slot", "if (false && !this.#slot"],
    ["ChangePart.#sayProcessed", "if (counts.succeeded + counts.failed === 0) return;", ""],
    ["ChangePart.#conclude", "this.#note(cause.new, patch);", "this.#note(cause.old ?? cause.new, patch);"],
  ], finalizers),
  ...breaksOf(
    PART,
    [["ChangePart.#conclude", "this.#note(cause.new, patch);", "this.#note(cause.old ?? cause.new, patch);"]],
    causes,
  ),
  ...breaksOf(PART, [
    [
      "ChangePart.work",
      `if (!progress.isDone || isKept || (purpose === "delete" && all.isPending)) {`,
      `if (purpose === "delete" && all.isPending) return undefined;\n    if (!progress.isDone || isKept) {`,
    ],
    ["ChangePart.claim", "isPending: !this.#isDone || this.#isKept", "isPending: false"],
  ], stopping),
  ...breaksOf(PART, [
    [
      "ChangePart.#select",
      "if (isReleased || this.#relevant.length === 0) return undefined;",
      "if (isReleased) return undefined;",
    ],
  ], filters),
  ...breaksOf(PART, [
    [
      "ChangePart.#logStart",
      "if (diff.length === 0 || old === undefined) return;",
      "if (old === undefined) return;",
    ],
    [
      "ChangePart.#logStart",
      "if (diff.length === 0 || old === undefined) return;",
      "if (diff.length === 0) return;",
    ],
    [
      "ChangePart.#logStart",
      `logger.debug("Essence differs", { diff: withoutValues(diff, confidentialOf(this.#turn)) });`,
      "",
    ],
    ["ChangePart.#conclude", "progress.purge(patch);", ""],
  ], handlers),
  ...breaksOf(PART, [
    ["ChangePart.#tidy", `if (cause.reason !== "noop") return;`, "return;"],
    [
      "ChangePart.#logSuperseded",
      "others.succeeded + others.failed + others.unfinished === 0",
      "others.failed === 0",
    ],
    ["ChangePart.#conclude", "progress.purge(patch);", ""],
    ["ChangePart.#keep", "this.#slot.unsaved = records.size === 0 ? NO_RECORDS : records;", ""],
  ], [...progress, ...subs]),
  ...breaksOf(PART, [
    ["ChangePart.#concluded", "slot.hasHandledCause = true;", ""],
    ["ChangePart.#keepNoted", "noted === undefined ? essence : undefined", "essence"],
    ["ChangePart.#keepNoted", "noted === undefined ? essence : undefined", "undefined"],
    [
      "ChangePart.#keepNoted",
      "if (noted === undefined && this.#leavePrunedStatus(answer)) this.#takenNotes.miss();",
      "",
    ],
    ["ChangePart.#concluded", "noted !== undefined && isEqualJson(noted, handled)", "true"],
    ["ChangePart.#keepPruned", "progress.fetch(answer, id, { restored }) === undefined", "true"],
    ["ChangePart.#keepPruned", "pruned.length === 0 ? NO_RECORDS : new Map(pruned)", "NO_RECORDS"],
    [
      "ChangePart.written",
      `const answer = result.kind === "written" ? result.body : this.#turn.state.snapshot;`,
      `if (result.kind === "unchanged") return;\n        const answer = result.body;`,
    ],
    ["ChangePart.atRest", `step.cause.reason === "noop"`, "true"],
  ], ["tests/handlers/change/change_part_test.ts", "tests/controller/reconcile_test.ts"]),
  ...breaksOf(NOTES, [
    ["sweptNotes", "progress.sweep(notes, state.snapshot, { restored });", ""],
    [
      "sweptNotes",
      "progress.sweep(notes, state.snapshot, { restored });",
      `notes.merge({ metadata: { annotations: { "kopf.zalando.org/touch-dummy": String(Math.PI) } } });`,
    ],
  ], ["tests/scenarios/persistence_test.ts"]),
  ...breaksOf(CHANGES, [
    [
      "ChangeRun.#callDue",
      "this.#ran.add(active.id);",
      `if (called.outcome.kind !== "success") patch.clear();`,
    ],
    ["ChangeRun.#callDue", "if (!picked.has(active.id)) continue;", ""],
    ["ChangeRun.#callDue", "{ ...told, random }", "{ random }"],
    ["ChangeRun.#callDue", "{ ...told, random }", "{ ...told, random: undefined as never }"],
  ], delays),
  ...breaksOf(
    CHANGES,
    [[
      "ChangeRun.#callDue",
      "this.#ran.add(active.id);",
      `if (called.outcome.kind !== "success") patch.clear();`,
    ]],
    filters,
  ),
  ...breaksOf(CHANGES, [
    ["ChangeRun.#call", "if (children.areWaiting) await children.finish();\n", ""],
    [
      "ChangeRun.#runChildren",
      "for (const id of [...selected.map(({ id }) => id), ...progress.descendants]) descendants.add(id);",
      "",
    ],
    ["ChangeRun.#runChildren", "if (!progress.isDone || !isOver) {", "if (Math.PI < 3) {"],
    [
      "ChangeRun.#runChildren",
      "if (!progress.isDone || !isOver) {",
      `if (progress.counts.failed > 0) throw new Error("A child has failed");\n    if (!progress.isDone || !isOver) {`,
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
    [
      "SubHandlers.subOf",
      "return await this.run(options);",
      "return await Promise.resolve([]);",
    ],
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
    ["Signatures.sign", "const after = this.#essenceWith([this.#turn.patch]);", "const after = before;"],
    ["Signatures.sign", "return others.length === 0 ? all : [", "return true ? all : ["],
    ["Signatures.sign", "[before, this.#withoutDaemons].filter(", "[before].filter("],
    ["Signatures.isAsSigned", "this.#digest(handler, this.#withoutDaemons) === digest;", "false;"],
    ["Signatures.sign", "this.#slot.background?.signed(this.#turn.state.snapshot);", ""],
    ["Signatures.#essenceWith", "[...kept, ...patches].filter(", "patches.filter("],
  ], progress),
  ...breaksOf(SIGNATURES, [
    ["Signatures.sign", "const after = this.#essenceWith([this.#turn.patch]);", "const after = before;"],
    ["Signatures.#essenceWith", "[...kept, ...patches].filter(", "patches.filter("],
    ["Signatures.#digest", `if (this.#purpose === "delete" && !keepsObject(handler)) return undefined;`, ""],
  ]),
];

/** Raw event handlers, and what servers prune. */
const edges: Mutant[] = [
  ...breaksOf(EVENTS, [
    ["EventPart.told", "if (wrote) (this", "return; (this"],
    ["EventPart.told", "keepsResult: true,", ""],
  ], handlers),
  ...breaksOf(EVENTS, [
    ["EventPart.written", "!result.handlers", "result.handlers"],
  ], ["tests/scenarios/refusal_lines_test.ts"]),
  ...breaksOf(EVENTS, [
    ["EventPart.#caller", "localLogger: logger", "logger"],
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
  ...breaksOf("lib/handlers/unseen.ts", [
    ["seenBy", "if (handlers.some(asksFunctions)) return undefined;", ""],
    ["seenBy", "const paths = [...fields];", "const paths: (typeof fields[number])[] = [];"],
    ["unionOf", "if (sees === undefined) return undefined;", "if (sees === undefined) continue;"],
    ["unionOf", "annotations ||= sees.annotations;", ""],
    ["differsUnseen", "if (!isSame(was, is, (key) => COUNTERS.has(key))) return false;", ""],
    ["isSame", "if (old !== after[key] && !isSameJson(old, after[key])) return false;", ""],
  ], unseen),
  ...breaksOf(CONTROLLER, [["Controller.#settle", "state.settle();", ""]], unseen),
  ...breaksOf("lib/handlers/change/listed.ts", [
    ["isAsNotes", "isDeleting(body) || handlers.some(isCalledByResumption)", "isDeleting(body)"],
    ["isAsNotes", "isDeleting(body) || ", ""],
    ["isAsNotes", "if (progress.ids(body).length > 0) return false;", ""],
    ["isAsNotes", "!== hasFinalizer(body, finalizer)", "&& hasFinalizer(body, finalizer)"],
    ["isAsNotes", "if (isReported || !patch.isEmpty) return false;", ""],
    ["isAsNotes", "changesOf(state).hasHandledCause = true;", ""],
  ], LISTED),
  ...breaksOf(CONTROLLER, [
    [
      "Controller.#isSettled",
      `told.event.type === "DELETED" || sees === undefined`,
      `told.event.type === "DELETED"`,
    ],
  ], LISTED),
  ...breaksOf(RECONCILE, [
    ["settleNew", "state.settle();", ""],
    ["settleNew", "state.settledFor = handlers;", ""],
  ], LISTED),
  ...breaksOf(RECONCILE, [
    [
      "isUnseen",
      "return sees !== undefined && differsUnseen(",
      "return sees === undefined && differsUnseen(",
    ],
  ], unseen),
  ...breaksOf(RECONCILE, [["isUnseen", "if (state.settledFor !== handlers || ", "if ("]], [
    "tests/controller/controller_test.ts",
  ]),
  ...breaksOf(RECONCILE, [
    [
      "isExpected",
      "return isAsNoted({ before: state.snapshot, notes, answer: body }, sees.status);",
      "return true;",
    ],
    ["rest", "if (isAtRest && isExpected(", "if (isExpected("],
    ["isExpected", "if (notes?.isEmpty === false && sees.annotations) return false;", ""],
    ["rest", "if (isAtRest && !state.hasNews && isOverForNow(next)) state.settledFor = kind.handlers;", ""],
    ["rest", "state.settle();", ""],
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
