/** Breaks in admission, which its scenarios must notice. */

import type { Mutant } from "../mutant.ts";

const tests = ["tests/scenarios/admission_test.ts"];
const server = ["tests/scenarios/admission_server_test.ts"];

const SELECTION = { file: "lib/engines/admission/reviewer.ts", tests };
const ANSWER = { file: "lib/engines/admission/response.ts", tests };
const REVIEWS = { file: "lib/engines/admission/reviewer.ts", tests };
const REVIEW = { file: "lib/engines/admission/review.ts", tests };
const KEPT = { file: "lib/engines/admission/managed_configuration.ts", tests: server };
const ADMISSION = { file: "lib/operator/admission.ts", tests: server };
const CONFIGURATION = { file: "lib/engines/admission/webhook_configuration.ts", tests: server };

const mutants: Mutant[] = [
  // Who is asked: hints, operations and subresources do not count, or count otherwise.
  { ...SELECTION, replace: "(cause === undefined || handler.cause === cause) &&", by: "" },
  { ...SELECTION, replace: "(webhook === undefined || handler.id === webhook) &&", by: "" },
  {
    ...SELECTION,
    replace: "(webhook === undefined || handler.id === webhook) &&",
    by: "handler.id === webhook &&",
  },
  { ...SELECTION, replace: "const isCandidate = resources.includes(resource) &&", by: "const isCandidate =" },
  {
    ...SELECTION,
    replace: 'return subresource === "*" || subresource === wanted;',
    by: "return subresource === wanted;",
  },
  {
    ...SELECTION,
    replace: 'return subresource === "*" || subresource === wanted;',
    by: 'return subresource === undefined || subresource === "*" || subresource === wanted;',
  },
  {
    ...SELECTION,
    replace: 'return operations?.join() === "DELETE";',
    by: 'return operations?.includes("DELETE") === true;',
  },
  {
    ...SELECTION,
    replace: 'if (wanted === "DELETE" && cause === "mutate") return operations?.join() === "DELETE";',
    by: "",
  },
  {
    ...SELECTION,
    replace: "return operations === undefined || operations.includes(wanted);",
    by: "return true;",
  },
  {
    ...SELECTION,
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
    replace: "failures.find((error) => error instanceof Class)",
    by: "failures.findLast((error) => error instanceof Class)",
  },
  { ...ANSWER, replace: "return Number.isSafeInteger(code) ? Number(code) : 500;", by: "return 500;" },
  {
    ...ANSWER,
    replace: "return Number.isSafeInteger(code) ? Number(code) : 500;",
    by: "return Number(code ?? 500);",
  },
  { ...ANSWER, replace: 'told.message === "" ? String(told) : told.message', by: "told.message" },
  { ...ANSWER, replace: "...warnings.length > 0 && { warnings: warnings.map(textOf) },", by: "" },
  { ...ANSWER, replace: "warnings.map(textOf)", by: "warnings.map(textOf).reverse()" },
  {
    ...ANSWER,
    replace: "allowed: refusal === undefined,",
    by: "allowed: refusal === undefined && warnings.length === 0,",
  },
  { ...ANSWER, replace: "failures.length > 0 ? nothing :", by: "" },
  { ...ANSWER, replace: "...operations.length > 0 &&\n", by: "...true &&\n" },
  {
    ...ANSWER,
    replace: "patch: toBase64(formatJson(operations))",
    by: 'patch: btoa(JSON.stringify(operations).replace(/[^ -~]/g, "?"))',
  },
  { ...ANSWER, replace: "apiVersion: review.apiVersion,", by: 'apiVersion: "admission.k8s.io/v1",' },
  {
    file: "lib/model/json_patch.ts",
    tests,
    replace: "for (const fn of patch.fns) fn(after);",
    by: "",
  },
  // A refusal ends it; errors are tried again, or ignored; those who validate may change the object.
  {
    ...REVIEWS,
    replace: "for (const handler of handlers) await this.#ask(handler, call);",
    by: "for (const handler of handlers) if (call.failures.length === 0) await this.#ask(handler, call);",
  },
  { ...REVIEWS, replace: 'errors: "permanent",', by: 'errors: "ignored",' },
  { ...REVIEWS, replace: "if (patch.isEmpty) return;\n", by: "return;\n" },
  {
    ...REVIEWS,
    replace: 'const own = handler.cause === "mutate" ? cause : { ...cause, patch: new Patch() };',
    by: "const own = cause;",
  },
  { ...REVIEWS, replace: "if (!ignoreFailures) failures.push", by: "failures.push" },
  { ...REVIEWS, replace: "if (!ignoreFailures) failures.push", by: "if (false) failures.push" },
  // A creation is remembered, too; or nothing is.
  { ...REVIEWS, replace: 'const exists = operation !== "CREATE";', by: "const exists = true;" },
  { ...REVIEWS, replace: 'const exists = operation !== "CREATE";', by: "const exists = false;" },
  // What a review is about.
  { ...REVIEWS, replace: "if (found === undefined) {", by: "if (found === undefined && all.size === 0) {" },
  { ...REVIEWS, replace: "if (others.length === 0) return found;", by: "return found as Resource;" },
  { ...REVIEWS, replace: "rejectUnknownWebhook(hints, served);", by: "" },
  { ...REVIEWS, replace: "headers: Object.freeze({ ...hints.headers }),", by: "headers: {}," },
  { ...REVIEWS, replace: "sslpeer: Object.freeze({ ...hints.sslpeer }),", by: "sslpeer: {}," },
  {
    ...REVIEWS,
    tests: server,
    replace: "await this.#untilIndexed(hints.signal);",
    by: "",
  },
  {
    ...REVIEWS,
    replace: "const { indices, memoOf, signal } = this.#options;",
    by: "const { memoOf, signal } = this.#options;\n    const indices = {};",
  },
  { ...REVIEW, replace: "const body = now ?? old;", by: "const body = now;" },
  {
    ...REVIEW,
    replace: 'throw malformed(`its "operation" must be one of ${OPERATIONS.join(", ")}`);',
    by: 'return "UPDATE";',
  },

  // The managed configurations: not made; not written when something changes, or always; not taken back, or all of them.
  {
    ...ADMISSION,
    replace:
      'if (this.#managed.length > 0) this.#tasks.start("manage webhooks", (signal) => this.#create(signal));',
    by: "",
  },
  {
    ...ADMISSION,
    replace: "this.#way = way;\n      this.revise();",
    by: "this.#way ??= way;\n      this.revise();",
  },
  {
    ...ADMISSION,
    replace: "this.#way = way;\n      this.revise();",
    by: "const isFirst = this.#way === undefined;\n      this.#way = way;\n      if (isFirst) this.revise();",
  },
  {
    ...ADMISSION,
    replace: "if (this.#isCreated && this.#way !== undefined) await this.#release(this.#way);",
    by: "",
  },
  { ...ADMISSION, replace: "persistentOnly: true }", by: "persistentOnly: false }" },
  // The server: is not disposed of; may end unnoticed.
  { ...ADMISSION, replace: "await dispose(server);", by: "" },
  { ...ADMISSION, replace: "await this.#serving.stop();", by: "" },
  { ...ADMISSION, replace: "this.#options.onEnd();", by: "" },
  // Configurations are made although they have no name.
  {
    ...ADMISSION,
    replace:
      "const { client, host, settings: { admission: { managed: name }, watching }, logger } = options;",
    by:
      'const { client, host, settings: { admission: { managed }, watching }, logger } = options;\n    const name: string | null = managed ?? "lotse.example.com";',
  },
  { ...KEPT, replace: "&& areWritten(webhooks, this.#written)) {", by: "&& false) {" },
  // Edits are not put right; replicas undo each other's writes, or take back what is not theirs.
  { ...KEPT, replace: "this.#options.onEdited({ what, object: event.object });", by: "" },
  {
    ...KEPT,
    replace: "if (this.#generation > 0 && generation > this.#generation) return undefined;",
    by: "",
  },
  {
    ...KEPT,
    replace: 'const isOurs = place === "alone" ||',
    by: 'const isOurs = true || place === "alone" ||',
  },
  { ...KEPT, replace: `what === "all" && isLast`, by: "isLast" },
  { ...KEPT, replace: 'if (what === "nothing") return;', by: "" },
  { ...KEPT, replace: "if (error instanceof ApiError && error.status === 409) return;", by: "" },
  {
    file: "lib/operator/operator_run.ts",
    tests: server,
    replace: "    this.#admission.revise();\n",
    by: "",
  },
  {
    ...CONFIGURATION,
    replace: '...url !== undefined && { url: `${url.replace(/(?<!\\/)\\/+$/, "")}/${path}` },',
    by: "",
  },
];

export default mutants;
