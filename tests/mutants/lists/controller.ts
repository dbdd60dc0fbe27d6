/** Breaks on the way of an object: its store, its state, the queue, the controller, and what a reconcile does. */

import { breaksOf, type Mutant } from "../mutant.ts";

const STORE = "lib/client/cache/object_store.ts";
const STATE = "lib/execution/object_state.ts";
const QUEUE = "lib/controller/work_queue.ts";
const CONTROLLER = "lib/controller/controller.ts";
const RECONCILIATION = "lib/controller/reconciliation.ts";
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
const writes = ["tests/scenarios/writes_test.ts"];

/** One newest state: what is newer, what is kept aside, what a listing says. */
const store: Mutant[] = [
  ...breaksOf(STORE, [
    [`if (order === "same" || order === "older") return order;`, `if (order === "same") return order;`],
    ["known.shown = versionOf(object);", ""],
    [`if (adoption === "older" && known.generation`, `if (adoption === "newer" && known.generation`],
    ["if (cached.generation === this.#generation) continue;", ""],
    ["cached.generation = this.#generation;", ""],
    [
      "const order = this.#isOrdered ? compareVersions(a, b) : undefined;",
      "const order = compareVersions(a, b);",
    ],
    ["return uid || `${namespace}/${name}`;", "return uid || name;"],
  ]),
  // Nothing is waited for; or everything, whatever it is; or for ever; what was passed over is forgotten.
  ...breaksOf(STORE, [
    ["this.#expected = { version, until: source.until, skipped: undefined };", ""],
    [
      "this.#expected = { version, until: source.until, skipped: undefined };",
      `this.#expected = { version: "none", until: source.until, skipped: undefined };`,
    ],
    ["until: source.until, skipped: undefined };", "until: Infinity, skipped: undefined };"],
    ["this.#expected.skipped = object;", ""],
    [`if (order === "unknown") {\n      if`, `{\n      if`],
  ], consistency),
];

/** One state: what a reconcile sees, and what it has to do. */
const states: Mutant[] = breaksOf(STATE, [
  [
    "return `${keyOf(resource)}/${uid || `${namespace}/${name}`}`;",
    "return `${keyOf(resource)}/${uid || name}`;",
  ],
  [
    "return `${keyOf(resource)}/${uid || `${namespace}/${name}`}`;",
    "return `${resource.plural}/${uid || `${namespace}/${name}`}`;",
  ],
  ["return this.#snapshot ?? this.cached.object;", "return this.cached.object;"],
  ["this.cached.settle(now);", ""],
  [`this.#doubt = this.#doubt === "restored" ? "restored" : why;`, "this.#doubt = why;"],
  ["    this.#isAbsent = true;\n    this.#snapshot = this.cached.object;", "    this.#isAbsent = true;"],
  [`if (this.#doubt === "restored") this.cached.replace(object);\n      else `, ""],
  ["if (this.#reported?.has(what)) return false;", ""],
]);

/** One queue: who is next, why, and when. */
const queue: Mutant[] = [
  ...breaksOf(QUEUE, [
    ["if (!keepAll) item.events.length = 0;", ""],
    [`if (event.event.type === "DELETED" && item.plan`, `if (false && item.plan`],
    [`if (wake === "dependency" && item.plan?.kind === "throttled") return false;`, ""],
    ["if (this.#isStopped || state.isForgotten) return false;", "if (this.#isStopped) return false;"],
    [
      `if (wake === "dependency" && item.plan?.kind === "throttled") return false;`,
      `if (wake === "dependency") return false;`,
    ],
    [`if (item.plan?.kind === "held") this.add(state, item.plan.wake);\n      else `, ""],
    ["this.#stopping.abort();", ""],
    ["item.isRunning || !this.#isDue(state, item)) return;", "!this.#isDue(state, item)) return;"],
    ["using _slot = await limiter.enter(signal, { urgent });", ""],
    ["limiter.enter(signal, { urgent });", "limiter.enter(signal);"],
    ["item.events.unshift(...events);", ""],
    [
      "growingPause(item.failures++, { initial: CRASH_PAUSE, max: LONGEST_CRASH_PAUSE })",
      "(item.failures++, CRASH_PAUSE)",
    ],
    ["item.failures = result.failed === true ? item.failures + 1 : 0;", ""],
    [`kind: kind === "throttle" ? "throttled" : "scheduled"`, `kind: "throttled"`],
    [`kind: kind === "throttle" ? "throttled" : "scheduled"`, `kind: "scheduled"`],
    [`if (this.#options.gates.hold(state) !== undefined) item.plan = { kind: "held", wake };\n    else `, ""],
    [`&& this.#options.gates.hold(state) !== "everything"`, ""],
    ["        item.wake = undefined;\n        item.events = [];\n", ""],
    ["        this.#worker?.forget(state);\n", ""],
    [
      "if (item.plan === undefined && item.events.length === 0 && item.wake === undefined) {",
      "if (false) {",
    ],
    ["if (this.#isStopped) return;\n    item.plan", "item.plan"],
    ["waited: now - since", "waited: 0"],
  ]),
  ...breaksOf(QUEUE, [
    [
      "this.#schedule.set(state, this.#options.clock.monotonic() + after);",
      "this.#schedule.set(state, this.#options.clock.monotonic() + Math.min(600, after) + 0.5);",
    ],
    ["else item.wake = wake;", ""],
    ["    item.events.push(event);", "    item.events.push(event);\n    this.#forgetPlan(state, item);"],
    ["item.isRunning || !this.#isDue(state, item)) return;", "!this.#isDue(state, item)) return;"],
    ["if (!keepAll) item.events.length = 0;", "item.events.length = 0;"],
  ], delays),
  ...breaksOf(QUEUE, [
    ["if (!gate.isOpen && !await gate.opened(signal)) break;", ""],
    ["if (indexed !== undefined) await indexed;", ""],
  ], indexing),
];

/** One controller: echoes, failures, those that come in another one's place. */
const controller: Mutant[] = [
  ...breaksOf(CONTROLLER, [
    ["if (!keepsAll && !isNews && !isExpected) return;", ""],
    ["if (!keepsAll && !isNews && !isExpected) return;", "if (!isNews && !isExpected) return;"],
    ["const isExpected = state.isUnfinished ||", "const isExpected ="],
    [`if (told.origin === "restored") state.distrust("restored");`, ""],
    [
      "if (leaving !== undefined && leaving.state !== state) return void leaving.waiting.push([state, told]);",
      "",
    ],
    ["for (const [next, told] of leaving.waiting) this.#enqueue(next, told);", ""],
    ["if (leaving?.state !== state) return;", ""],
    ["this.#states.delete(state.cached);", ""],
    ["    state.forget();\n", ""],
    ["this.#earlyMemos.set(key, memo);", ""],
  ]),
  ...breaksOf(CONTROLLER, [["this.#earlyMemos.set(key, memo);", ""]], ["tests/scenarios/admission_test.ts"]),
  ...breaksOf(CONTROLLER, [
    [
      "if (known !== undefined) {\n      // What",
      "if (known !== undefined && event.type !== null) {\n      // What",
    ],
  ], causes),
  ...breaksOf(CONTROLLER, [
    ["return early ?? { ...this.#options.memo };", "return this.#options.memo as Record<string, unknown>;"],
    ["return early ?? { ...this.#options.memo };", "return early ?? {};"],
  ], handlers),
  ...breaksOf(CONTROLLER, [
    ["const pause = delays[Math.min(failures, delays.length - 1)];", "const pause = delays[failures];"],
    [`kind: pause === undefined ? "requeue" : "throttle"`, `kind: "requeue"`],
    [`wake: "error", failed: true };`, `wake: "error" };`],
  ], [...delays, ...running]),
  ...breaksOf(CONTROLLER, [
    ["const after = pause ?? settings.execution.defaultBackoff;", "const after = pause ?? 86_400;"],
    [`logger.error("Reconcile failed"`, `if (delays.length > 0) logger.error("Reconcile failed"`],
    [
      `return { kind: pause === undefined ? "requeue" : "throttle", after, wake: "error", failed: true };`,
      `return { kind: "done", failed: true };`,
    ],
  ], progress),
];

/** One order. */
const order: Mutant[] = [
  ...breaksOf(RECONCILE, [
    ["if (state.doubt !== undefined) state.resolve(await writer.read(state, r));", ""],
    ["if (state.isAbsent && state.hasNews) state.resolve(await writer.read(state, r));", ""],
    ["if (change?.before !== undefined && !isOurs) {", "if (change?.before !== undefined) {"],
    ["state.markAbsent();", ""],
    ['if (written.kind === "written" && work.pause !== undefined) return wait(r, work.pause);', ""],
    [
      '  state.begin(clock.monotonic());\n  return { kind: "requeue", after: pause',
      '  return { kind: "requeue", after: pause',
    ],
    [
      `if (written.error instanceof ApiError && written.error.status === 409) state.distrust("conflict");`,
      "",
    ],
    ["pending.records = work.records?.() ?? pending.records;", ""],
    ["if (handled !== undefined) state.hasHandledCause = true;", ""],
    [
      `if (written.kind === "written" && state.hasNews) return { kind: "requeue", after: 0, wake: "write" };`,
      "",
    ],
    [
      `return wake !== "event" || failures > 0 || state.isUnfinished;`,
      `return failures > 0 || state.isUnfinished;`,
    ],
    [
      `return wake !== "event" || failures > 0 || state.isUnfinished;`,
      `return wake !== "event" || failures > 0;`,
    ],
    ["if (state.pending.hasFunctions) {", "if (false) {"],
    [
      "const work = { ...notes, records: () => records, delay: () => 0 };",
      "const work = { ...notes, delay: () => 0 };",
    ],
    ["pending.refusal = run?.refuse(written) ?? written;", "pending.refusal = { ...written, handlers: [] };"],
    ["if (written.handlers.length === 0) throw written.error;", "throw written.error;"],
    [`        state.distrust("conflict");\n        return { kind: "requeue", after: 0, wake: "write" };`, ""],
  ]),
  // Raw events, deletions and handlers wait; functions that have lost are dropped, or come together with the handlers.
  ...breaksOf(RECONCILE, [
    [
      "const byEvent = !r.patch.isEmpty;",
      `const byEvent = !r.patch.isEmpty;\n  if (turn.events.some(({ event }) => event.type === "ADDED")) return { kind: "done" };`,
    ],
    [
      `if (last?.event.type === "DELETED") {`,
      `if (last?.event.type === "DELETED" && last.adoption !== "early") {`,
    ],
    [
      "for (const { event } of turn.events) await",
      `for (const { event, adoption } of turn.events) if (adoption !== "early") await`,
    ],
    ["if (state.pending.hasFunctions) {", "if (false) {"],
    [
      `        pending.notes = { notes, finalizer, handled };\n        state.distrust("conflict");`,
      "        pending.notes = { notes, finalizer, handled };",
    ],
    ["pending.notes = { notes, finalizer, handled };", ""],
  ], consistency),
  ...breaksOf(RECONCILE, [[`if (last?.event.type === "DELETED") {`, "if (last === undefined && false) {"]], [
    ...causes,
    ...finalizers,
  ]),
  ...breaksOf(RECONCILE, [
    ["await daemons.forget(state, whyGone(r, last));", "await matchDaemons(r);"],
  ], stopping),
  ...breaksOf(RECONCILE, [["pending.records = work.records?.() ?? pending.records;", ""]], progress),
  ...breaksOf(RECONCILIATION, [
    ['logger.child({ name: "lotse.objects", reference });', 'logger.child({ name: "lotse.objects" });'],
  ], handlers),
  ...breaksOf(RECONCILIATION, [
    ["if (!posting.loggers || !posting.enabled) return logger;", "if (!posting.enabled) return logger;"],
    ["if (!posting.loggers || !posting.enabled) return logger;", "return logger;"],
  ], posting),
  ...breaksOf(RECONCILIATION, [
    ["if (result === undefined || result === null) return;", "if (result === undefined) return;"],
    [
      "patch.merge({ status: { [id]: isObject(value) ? { ...value } : value } });",
      "patch.status[id] = value;",
    ],
  ], delays),
  ...breaksOf(RECONCILIATION, [
    ["if (!state.reportOnce(handler.id)) return;", ""],
    [`logger.error("Filter failed`, `logger.debug("Filter failed`],
  ], filters),
];

/** One decision. */
const decisions: Mutant[] = [
  ...breaksOf(DECIDE, [
    [
      "const { snapshot } = state;\n  const { finalizer",
      "const { body: snapshot } = state;\n  const { finalizer",
    ],
    ["PATIENCE - (clock.monotonic() - deletingSince)", "PATIENCE"],
    [`if (relevant.length === 0) return { kind: "ignore", optionalDeletes };`, ""],
    ["isPending: claim.isPending || relevant.length > 0", "isPending: relevant.length > 0"],
    ["isPending: claim.isPending || relevant.length > 0", "isPending: true"],
  ]),
  ...breaksOf(DECIDE, [
    ["hasOld: old !== undefined,", "hasOld: true,"],
    ["hasDiff: diff.length > 0,", "hasDiff: true,"],
    [`state.firstSeen === "listing" && !state.hasHandledCause`, "!state.hasHandledCause"],
    [`state.firstSeen === "listing" && !state.hasHandledCause`, `state.firstSeen === "listing"`],
  ], causes),
  ...breaksOf(DECIDE, [
    ["if (step !== undefined) return { ...step, optionalDeletes };", ""],
    ["if (isBlocked && (!claim.isRequired ||", "if (isBlocked && ("],
    ["handlers.filter((handler) => prematches(handler, { cause, args, onFailure }));", "handlers;"],
    ["const optionalDeletes = isDeleting(snapshot) &&", "const optionalDeletes = false &&"],
  ], finalizers),
  ...breaksOf(DECIDE, [
    [`if (relevant.length === 0) return { kind: "ignore", optionalDeletes };`, ""],
    [
      `if (relevant.length === 0) return { kind: "ignore", optionalDeletes };`,
      `if (relevant.length === 0) logger("Nobody wants it");\n  const logger = r.logger.info.bind(r.logger);`,
    ],
  ], filters),
  ...breaksOf(
    DECIDE,
    [["const isRequired = claim.isRequired || relevant", "const isRequired = relevant"]],
    stopping,
  ),
  ...breaksOf(DECIDE, [["diff, patch, logger, indices };", "diff, patch, logger, indices: {} };"]], indexing),
  ...breaksOf(
    DECIDE,
    [["resource, body, memo, old,", "resource, body: current as never, memo, old,"]],
    handlers,
  ),
];

/** Handlers of changes, their progress, and their sub-handlers. */
const changes: Mutant[] = [
  ...breaksOf(CHANGES, [
    ["r.state.hasRunOptionalDeletes = true;", ""],
    [
      `if (!progress.isDone || (purpose === "delete" && isPending) || isKept) {`,
      `if (purpose === "delete" && isPending) return { finalizer: { name: finalizer, wanted: false } };\n  if (!progress.isDone) {`,
    ],
    ["if (selected.length > 0) logger.info", "logger.info"],
    ["essence: cause.new,", "essence: cause.old ?? cause.new,"],
  ], finalizers),
  ...breaksOf(CHANGES, [["essence: cause.new,", "essence: cause.old ?? cause.new,"]], causes),
  ...breaksOf(CHANGES, [
    [
      `if (!progress.isDone || (purpose === "delete" && isPending) || isKept) {`,
      `if (purpose === "delete" && isPending) return {};\n  if (!progress.isDone) {`,
    ],
  ], stopping),
  ...breaksOf(CHANGES, [
    [
      "const { isIdle } = await run.run(progress, selected);\n  state.retries",
      "const { isIdle } = await run.run(progress, selected);\n  if (Object.keys(state.body.metadata.annotations ?? {}).length === 0) return { delay: () => 0 };\n  state.retries",
    ],
  ], writes),
  ...breaksOf(CHANGES, [
    ["this.#ran.add(active.id);", `if (outcome.kind !== "success") patch.clear();`],
    ["if (!picked.has(active.id)) continue;", ""],
    ["{ ...this.#cause, random }", "{ random }"],
    ["{ ...this.#cause, random }", "{ ...this.#cause, random: undefined as never }"],
  ], delays),
  ...breaksOf(
    CHANGES,
    [["this.#ran.add(active.id);", `if (outcome.kind !== "success") patch.clear();`]],
    filters,
  ),
  ...breaksOf(CHANGES, [
    [
      "if (cause.diff.length === 0 || cause.old === undefined) return;",
      "if (cause.old === undefined) return;",
    ],
    [
      "if (cause.diff.length === 0 || cause.old === undefined) return;",
      "if (cause.diff.length === 0) return;",
    ],
    [`logger.debug("Essence differs", { diff: withoutValues(cause.diff, confidentialOf(r)) });`, ""],
    ["progress.purge(patch);", ""],
  ], handlers),
  ...breaksOf(CHANGES, [
    [`if (cause.reason !== "noop") return { notes };`, "return { notes };"],
    ["others.succeeded + others.failed + others.unfinished === 0", "others.failed === 0"],
    ["progress.purge(patch);", ""],
  ], [...progress, ...subs]),
  ...breaksOf(CHANGES, [
    ["persistence.progress.sweep(notes, state.snapshot);", ""],
    [
      "persistence.progress.sweep(notes, state.snapshot);",
      `notes.merge({ metadata: { annotations: { "kopf.zalando.org/touch-dummy": String(Math.PI) } } });`,
    ],
  ], ["tests/scenarios/persistence_test.ts"]),
  ...breaksOf(CHANGES, [
    ["if (children.areWaiting) await children.run();\n", ""],
    ["for (const id of [...selected.map(({ id }) => id), ...progress.descendants]) descendants.add(id);", ""],
    ["if (progress.isDone) return;", "return;"],
    [
      "if (progress.isDone) return;",
      `if (progress.counts.failed > 0) throw new Error("A child has failed");\n    if (progress.isDone) return;`,
    ],
    [
      `throw new Postponed("Sub-handlers are unfinished", isIdle && delay === 0 ? Infinity : delay);`,
      `throw new Postponed("Sub-handlers are unfinished", 2 * delay);`,
    ],
  ], subs),
  ...breaksOf(SUBS, [
    ["(this.#declared ??= []).push(child);", "(this.#declared ??= []).unshift(child);"],
    ["run: () => this.run(),", "run: () => Promise.resolve(),"],
    ["this.#isClosed = true;", ""],
    ["id: `${parent.id}/${handler.id}`,", 'id: `${parent.id.split("/")[0]}/${handler.id}`,'],
    ["id: `${parent.id}/${handler.id}`,", "id: handler.id,"],
    [
      "requiresFinalizer: false,",
      "requiresFinalizer: false,\n    ...parent.field !== undefined && handler.field !== undefined && { field: [...parent.field, ...handler.field] },",
    ],
    ["needsChange: parent.needsChange === true && handler.field !== undefined,", "needsChange: false,"],
    [`parent.needsChange === true ? "field" : "create"`, `"field"`],
  ], subs),
  ...breaksOf(SIGNATURES, [
    ["const after = this.#essenceWith([this.#r.patch]);", "const after = before;"],
    ["return before === after ? all : [", "return true ? all : ["],
    ["[...kept, ...patches].filter(", "patches.filter("],
  ], progress),
  ...breaksOf(SIGNATURES, [
    ["const after = this.#essenceWith([this.#r.patch]);", "const after = before;"],
    ["[...kept, ...patches].filter(", "patches.filter("],
    ["    return merged;\n  }\n}", "    throw new Error();\n  }\n}"],
    [`if (this.#purpose === "delete" && !keepsObject(handler)) return undefined;`, ""],
  ]),
];

/** Raw event handlers, and what servers prune. */
const edges: Mutant[] = [
  ...breaksOf(EVENTS, [
    [
      "if (isWanted(r, handler, cause)) await call(r, handler, cause);",
      "if (isWanted(r, handler, cause)) return await call(r, handler, cause);",
    ],
    [`if (outcome.kind === "success") storeResult(r, handler.id, outcome.result);`, ""],
  ], handlers),
  ...breaksOf(EVENTS, [
    ["const { clock, localLogger: logger, signal", "const { clock, logger, signal"],
    ["handlers, localLogger: logger, indices, patch } = r;", "handlers, logger, indices, patch } = r;"],
  ], posting),
  ...breaksOf(PRUNED, [
    [
      "return Object.entries(written).flatMap(",
      "return Object.entries({ ...answer as object, ...written }).flatMap(",
    ],
    [
      "return prunedFields(value, live, { path: `${path}${key}.`, depth: depth + 1 });",
      "return JSON.stringify(value) === JSON.stringify(live) ? [] : [path + key];",
    ],
    [`return value.length === 0 && path === "metadata.";`, "return false;"],
  ]),
  ...breaksOf(PRUNED, [
    ['if (fields.length === 0 || !state.kind.reportOnce("pruned")) return;', "return;"],
    [
      'if (fields.length === 0 || !state.kind.reportOnce("pruned")) return;',
      "if (fields.length === 0) return;",
    ],
    [
      "if (!isObject(value)) return value === null;",
      "return false;",
    ],
    ["return prunedFields(value, live, { path: `${path}${key}.`, depth: depth + 1 });", "return [];"],
  ], writes),
];

const mutants: Mutant[] = [
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
