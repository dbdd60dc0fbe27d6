/** Breaks in what an operator does apart from objects' changes, which the scenarios of activities and others must notice. */

import type { Mutant } from "../mutant.ts";

const tests = ["tests/scenarios/activities_test.ts"];
const posting = ["tests/scenarios/posting_test.ts"];

const ACTIVITIES = { file: "lib/handlers/activity/activity_run.ts", tests };
const RUNNING = { file: "lib/operator/operator_run.ts", tests };
const ARGS = { file: "lib/handlers/object_args.ts", tests };
const LIFETIME = { file: "lib/operator/run.ts", tests };
const ANNOUNCING = { file: "lib/operator/events.ts", tests: posting };
const POSTING = { file: "lib/engines/posting/poster.ts", tests: posting };

const mutants: Mutant[] = [
  // A startup handler that fails does no harm; one that fails temporarily is not waited for, or not tried again.
  {
    ...ACTIVITIES,
    in: "resultsOf",
    replace: "if (first !== undefined && failures.size > 0) throw",
    by: 'if (first !== undefined && first.handler.activity !== "startup" && failures.size > 0) throw',
  },
  {
    ...ACTIVITIES,
    in: "resultsOf",
    replace: "if (first !== undefined && failures.size > 0) throw",
    by: 'if (first !== undefined && first.handler.activity !== "login" && failures.size > 0) throw',
  },
  {
    ...ACTIVITIES,
    in: "runActivity",
    replace: "if (unfinished.length === 0) return resultsOf(all);",
    by: "return resultsOf(all);",
  },
  {
    ...ACTIVITIES,
    in: "ActivityError.constructor",
    replace: "{ cause: error });",
    by: "{ cause: undefined });",
  },
  // Arguments that are not there, or are where they should not be.
  {
    ...ARGS,
    file: "lib/handlers/change/change_args.ts",
    in: "ChangeArgs.sub",
    replace: "return this.#sub?.();",
    by: "return this.#sub?.() ?? (() => {}) as never;",
  },
  {
    ...ARGS,
    file: "lib/handlers/change/change_args.ts",
    in: "ChangeArgs.reason",
    replace: "get reason(): Reason {",
    by: "get cause(): Reason {",
  },
  {
    ...ARGS,
    file: "lib/handlers/event/event_args.ts",
    in: "EventArgs.event",
    replace: "get event(): Readonly<WatchEvent> {",
    by: "get raw(): Readonly<WatchEvent> {",
  },
  {
    ...ARGS,
    file: "lib/handlers/background/daemon_args.ts",
    in: "DaemonArgs.stopped",
    replace: "get stopped(): Stopped<StopReason> {",
    by: "get halted(): Stopped<StopReason> {",
  },
  {
    ...ARGS,
    file: "lib/handlers/admission/admission_args.ts",
    in: "AdmissionArgs.warnings",
    replace: "get warnings(): string[] {",
    by: "get cautions(): string[] {",
  },

  // Operators start without what they need; look for credentials of their own; are ready too late; see no indexes.
  {
    ...LIFETIME,
    in: "serveWithProbes",
    replace: "if (admission !== undefined && settings.admission.server === null) {",
    by: "if (admission !== undefined && settings.admission.server === undefined) {",
  },
  {
    ...LIFETIME,
    in: "findCredentials",
    replace: 'if (!registry.all(ACTIVITY).some(({ activity }) => activity === "login")) {',
    by: "if (true) {",
  },
  {
    ...LIFETIME,
    in: "findCredentials",
    replace: "login: () => activities.login(),\n    onFailure,",
    by: "login: () => activities.login(),\n    onFailure: () => {},",
  },
  { ...LIFETIME, in: "runOperator", replace: "indices, observer });", by: "indices: {}, observer });" },
  {
    ...RUNNING,
    in: "OperatorRun.#revise",
    replace: "      ready();",
    by: "      void this.#options.host.clock.sleep(0.001).then(ready);",
  },
  {
    file: "lib/client/auth/vault.ts",
    tests,
    in: "Vault.#failureOf",
    replace: 'if (infos.size === 0) return "Cannot log in: there are no credentials";',
    by: "",
  },

  // Events are posted although the settings say otherwise; or about the first object only; or in another namespace.
  {
    ...ANNOUNCING,
    in: "createEvents",
    replace: "if (!settings.enabled || (level",
    by: 'if ((!settings.enabled && level !== "warn") || (level',
  },
  {
    ...ANNOUNCING,
    in: "createEvents",
    replace: "if (!settings.enabled || (level",
    by: 'if ((!settings.enabled && level === "warn") || (level',
  },
  {
    ...ANNOUNCING,
    in: "createEvents",
    replace: "(level !== undefined && !isLevelWanted(level, settings.level))",
    by: "false",
  },
  {
    ...ANNOUNCING,
    in: "createEvents",
    replace: "(level !== undefined && !isLevelWanted(level, settings.level))",
    by: '!isLevelWanted(level ?? "info", settings.level)',
  },
  {
    ...ANNOUNCING,
    in: "flatten",
    replace: "else for (const each of objects) yield* flatten(each);",
    by: "else for (const each of objects) return yield* flatten(each);",
  },
  { ...ANNOUNCING, in: "describeError", replace: "reason: reason || name,", by: "reason: name," },
  {
    ...ANNOUNCING,
    in: "describeError",
    replace: "reason: reason || name,",
    by: 'reason: reason || "Error",',
  },
  {
    ...ANNOUNCING,
    in: "describeError",
    replace: 'message: [message, text].filter((part) => part !== "").join(" "),',
    by: "message: message || text,",
  },
  {
    file: "lib/engines/posting/event.ts",
    tests: posting,
    in: "cutMessage",
    replace: "withoutMiddle(message, 511, 510)",
    by: "message.slice(0, 1024)",
  },
  { ...POSTING, in: "Poster.#request", replace: "backoffs: posting.backoffs,", by: "backoffs: [1]," },
  {
    ...ANNOUNCING,
    in: "createEvents",
    replace: "if (now === undefined) {\n      throw new ReferenceError(",
    by: "if (now === undefined) {\n      return void (",
  },
  {
    ...RUNNING,
    tests: posting,
    in: "OperatorRun.serve",
    replace: "this.#isPosting = false;\n    }",
    by: "}",
  },
];

export default mutants;
