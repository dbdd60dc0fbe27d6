/** Breaks in admission, which its scenarios must notice. */

import type { Mutant } from "../mutant.ts";

const tests = ["tests/scenarios/admission_test.ts"];
const server = ["tests/scenarios/admission_server_test.ts"];

const SELECTION = { file: "lib/handlers/admission/reviewer.ts", tests };
const ANSWER = { file: "lib/handlers/admission/response.ts", tests };
const REVIEWS = { file: "lib/handlers/admission/reviewer.ts", tests };
const REVIEW = { file: "lib/handlers/admission/review.ts", tests };
const KEPT = { file: "lib/handlers/admission/managed_configuration.ts", tests: server };
const MANAGED = { file: "lib/handlers/admission/managed_webhooks.ts", tests: server };
const ADMISSION = { file: "lib/operator/admission.ts", tests: server };
const CONFIGURATION = { file: "lib/handlers/admission/webhook_configuration.ts", tests: server };

const mutants: Mutant[] = [
  // Paths of webhooks, and refusals of configurations.
  {
    ...{ file: "lib/handlers/admission/reviewer.ts", tests: server },
    in: "AdmissionReviews.#idOf",
    replace: "ids.find((id) => webhookPath(id) === webhook) ?? webhook",
    by: "webhook",
  },
  {
    ...CONFIGURATION,
    in: "webhooksFor",
    replace: "clientConfigFor(webhookPath(handler.id), client)",
    by: "clientConfigFor(handler.id, client)",
  },
  {
    ...MANAGED,
    in: "ManagedWebhooks.#tryWrite",
    replace: "if (term.signal.aborted) return true;",
    by: "if (term.signal.aborted || error instanceof ApiError) throw error;",
  },
  {
    ...MANAGED,
    in: "ManagedWebhooks.#tryWrite",
    replace: "managed.problem = `${configuration.title} is not written yet: the API server refuses it`;",
    by: "managed.problem = undefined;",
  },
  // Who is asked: hints, operations and subresources do not count, or count otherwise.
  {
    ...SELECTION,
    in: "candidatesFor",
    replace: "(cause === undefined || handler.cause === cause) &&",
    by: "",
  },
  {
    ...SELECTION,
    in: "candidatesFor",
    replace: "(webhook === undefined || handler.id === webhook) &&",
    by: "",
  },
  {
    ...SELECTION,
    in: "candidatesFor",
    replace: "(webhook === undefined || handler.id === webhook) &&",
    by: "handler.id === webhook &&",
  },
  {
    ...SELECTION,
    in: "candidatesFor",
    replace: "const isCandidate = resources.includes(resource) &&",
    by: "const isCandidate =",
  },
  {
    ...SELECTION,
    in: "isForSubresource",
    replace: 'return subresource === "*" || subresource === wanted;',
    by: "return subresource === wanted;",
  },
  {
    ...SELECTION,
    in: "isForSubresource",
    replace: 'return subresource === "*" || subresource === wanted;',
    by: 'return subresource === undefined || subresource === "*" || subresource === wanted;',
  },
  {
    ...SELECTION,
    in: "isForOperation",
    replace: 'return operations?.join() === "DELETE";',
    by: 'return operations?.includes("DELETE") === true;',
  },
  {
    ...SELECTION,
    in: "isForOperation",
    replace: 'if (wanted === "DELETE" && cause === "mutate") return operations?.join() === "DELETE";',
    by: "",
  },
  {
    ...SELECTION,
    in: "isForOperation",
    replace: "return operations === undefined || operations.includes(wanted);",
    by: "return true;",
  },
  {
    ...SELECTION,
    in: "mismatchOf",
    replace: "return findMismatch(handler, { body: cause.body, args: () => new AdmissionArgs(cause) });",
    by: "return undefined;",
  },
  // What is answered: the first error, whatever it is; without its code; without warnings; with a patch in any case.
  {
    ...ANSWER,
    replace: "const WEIGHTS = [AdmissionError, PermanentError, TemporaryError] as const;",
    by: "const WEIGHTS = [PermanentError, AdmissionError, TemporaryError] as const;",
  },
  {
    ...ANSWER,
    replace: "const WEIGHTS = [AdmissionError, PermanentError, TemporaryError] as const;",
    by: "const WEIGHTS = [AdmissionError, PermanentError] as const;",
  },
  {
    ...ANSWER,
    replace: "const WEIGHTS = [AdmissionError, PermanentError, TemporaryError] as const;",
    by: "const WEIGHTS = [AdmissionError, TemporaryError, PermanentError] as const;",
  },
  {
    ...ANSWER,
    in: "refusalOf",
    replace: "failures.find((error) => error instanceof Class)",
    by: "failures.findLast((error) => error instanceof Class)",
  },
  {
    ...ANSWER,
    in: "codeOf",
    replace: "return Number.isSafeInteger(code) && Number(code) <= 599 ? Number(code) : 500;",
    by: "return 500;",
  },
  {
    ...ANSWER,
    in: "codeOf",
    replace: "return Number.isSafeInteger(code) && Number(code) <= 599 ? Number(code) : 500;",
    by: "return Number(code ?? 500);",
  },
  {
    ...ANSWER,
    in: "refusalOf",
    replace: 'told.message === "" ? String(told) : told.message',
    by: "told.message",
  },
  {
    ...ANSWER,
    in: "answer",
    replace: "...warnings.length > 0 && { warnings: warnings.map(textOf) },",
    by: "",
  },
  { ...ANSWER, in: "answer", replace: "warnings.map(textOf)", by: "warnings.map(textOf).reverse()" },
  {
    ...ANSWER,
    in: "answer",
    replace: "allowed: refusal === undefined,",
    by: "allowed: refusal === undefined && warnings.length === 0,",
  },
  { ...ANSWER, in: "answer", replace: "failures.length > 0 ? nothing :", by: "" },
  { ...ANSWER, in: "answer", replace: "...operations.length > 0 &&\n", by: "...true &&\n" },
  {
    ...ANSWER,
    in: "answer",
    replace: "patch: toBase64(formatJson(operations))",
    by: 'patch: btoa(JSON.stringify(operations).replace(/[^ -~]/g, "?"))',
  },
  {
    ...ANSWER,
    in: "answer",
    replace: "apiVersion: review.apiVersion,",
    by: 'apiVersion: "admission.k8s.io/v1",',
  },
  {
    file: "lib/model/json_patch.ts",
    tests,
    in: "toJsonPatch",
    replace: "for (const fn of patch.fns) fn(after);",
    by: "",
  },
  // A refusal ends it; errors are tried again, or ignored; those who validate may change the object.
  {
    ...REVIEWS,
    in: "AdmissionReviews.#review",
    replace: "for (const handler of handlers) await this.#ask(handler, call);",
    by: "for (const handler of handlers) if (call.failures.length === 0) await this.#ask(handler, call);",
  },
  { ...REVIEWS, replace: 'errors: "permanent" };', by: 'errors: "ignored" };' },
  { ...REVIEWS, in: "withoutPatch", replace: "if (patch.isEmpty) return;\n", by: "return;\n" },
  {
    ...REVIEWS,
    in: "AdmissionReviews.#ask",
    replace: 'const own = handler.cause === "mutate" ? cause : { ...cause, patch: new Patch() };',
    by: "const own = cause;",
  },
  {
    ...REVIEWS,
    in: "AdmissionReviews.#isWanted",
    replace: "if (!ignoreFailures) failures.push",
    by: "failures.push",
  },
  {
    ...REVIEWS,
    in: "AdmissionReviews.#isWanted",
    replace: "if (!ignoreFailures) failures.push",
    by: "if (false) failures.push",
  },
  // A creation is remembered, too; or nothing is.
  {
    ...REVIEWS,
    in: "AdmissionReviews.#callFor",
    replace: 'const exists = operation !== "CREATE";',
    by: "const exists = true;",
  },
  {
    ...REVIEWS,
    in: "AdmissionReviews.#callFor",
    replace: 'const exists = operation !== "CREATE";',
    by: "const exists = false;",
  },
  // What a review is about.
  {
    ...REVIEWS,
    in: "findResource",
    replace: "if (found === undefined) {",
    by: "if (found === undefined && all.size === 0) {",
  },
  {
    ...REVIEWS,
    in: "findResource",
    replace: "if (others.length === 0) return found;",
    by: "return found as Resource;",
  },
  { ...REVIEWS, in: "AdmissionReviews.#review", replace: "rejectUnknownWebhook(hints, served);", by: "" },
  {
    ...REVIEWS,
    in: "AdmissionReviews.#callFor",
    replace: "headers: Object.freeze({ ...hints.headers }),",
    by: "headers: {},",
  },
  {
    ...REVIEWS,
    in: "AdmissionReviews.#callFor",
    replace: "sslpeer: Object.freeze({ ...hints.sslpeer }),",
    by: "sslpeer: {},",
  },
  {
    ...REVIEWS,
    tests: server,
    in: "AdmissionReviews.#review",
    replace: "await this.#untilIndexed(hints.signal);",
    by: "",
  },
  {
    ...REVIEWS,
    in: "AdmissionReviews.#callFor",
    replace: "const { indices, memoOf, signal } = this.#options;",
    by: "const { memoOf, signal } = this.#options;\n    const indices = {};",
  },
  { ...REVIEW, in: "parseReview", replace: "const body = now ?? old;", by: "const body = now;" },
  {
    ...REVIEW,
    in: "operationIn",
    replace: 'throw malformed(`its "operation" must be one of ${OPERATIONS.join(", ")}`);',
    by: 'return "UPDATE";',
  },

  // The managed configurations: not made; not written when something changes, or always; not taken back, or all of them.
  {
    ...ADMISSION,
    in: "Admission.start",
    replace: "if (webhooks !== undefined) {",
    by: "if (false && webhooks !== undefined) {",
  },
  {
    ...ADMISSION,
    in: "Admission.#listen",
    replace: "this.#way = way;",
    by: "this.#way ??= way;",
  },
  {
    ...ADMISSION,
    in: "Admission.#listen",
    replace: "      this.revise();",
    by: "      if (!isMoved) this.revise();",
  },
  {
    ...ADMISSION,
    in: "Admission.stop",
    replace: "if (this.#way !== undefined) await this.#release(this.#way);",
    by: "",
  },
  {
    ...MANAGED,
    in: "ManagedWebhooks.release",
    replace: "persistentOnly: true,",
    by: "persistentOnly: false,",
  },
  // The server: is not disposed of; may end unnoticed.
  { ...ADMISSION, in: "Admission.#serve", replace: "await dispose(server);", by: "" },
  { ...ADMISSION, in: "Admission.stop", replace: "await this.#serving.stop();", by: "" },
  { ...ADMISSION, in: "Admission.#serve", replace: "this.#options.onEnd();", by: "" },
  // Configurations are made although they have no name.
  {
    ...ADMISSION,
    in: "Admission.constructor",
    replace: "this.#webhooks = managed === null ? undefined : new ManagedWebhooks({",
    by: "this.#webhooks = new ManagedWebhooks({",
  },
  {
    ...KEPT,
    in: "ManagedConfiguration.write",
    replace: "live === undefined || !stands(wanted, live)",
    by: "true",
  },
  // Edits are not put right; replicas undo each other's writes, or take back what is not theirs.
  {
    ...KEPT,
    in: "ManagedConfiguration.#compare",
    replace: "this.#written !== undefined && (isDeleted || !isOurs)",
    by: "false",
  },
  {
    ...MANAGED,
    in: "ManagedWebhooks.#decide",
    replace: "if (this.#isSuperseded) return undefined;",
    by: "",
  },
  {
    ...MANAGED,
    in: "ManagedWebhooks.release",
    replace: 'const isOurs = place === "alone" ||',
    by: 'const isOurs = true || place === "alone" ||',
  },
  { ...MANAGED, in: "ManagedWebhooks.release", replace: `release === "all")`, by: "true)" },
  { ...MANAGED, in: "ManagedWebhooks.release", replace: 'if (release === "nothing" || ', by: "if (" },
  {
    ...KEPT,
    in: "ManagedConfiguration.create",
    replace: "if (error instanceof ApiError && error.status === 409) return true;",
    by: "",
  },
  {
    file: "lib/operator/operator_run.ts",
    tests: server,
    in: "OperatorRun.#revise",
    replace: "    this.#admission.revise();\n",
    by: "",
  },
  {
    ...CONFIGURATION,
    in: "clientConfigFor",
    replace: '...url !== undefined && { url: `${url.replace(/(?<!\\/)\\/+$/, "")}/${path}` },',
    by: "",
  },
];

export default mutants;
