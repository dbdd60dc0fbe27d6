/**
 * Conversions while an operator does not serve yet: as long as the definitions of its kinds are applied, and objects moved to
 * another version. After that the server of admission answers (see admission.ts).
 */

import { CONVERSION_PATH, Conversions } from "../handlers/admission/conversion.ts";
import { ReviewError } from "../handlers/admission/review.ts";
import { clientConfigFor } from "../handlers/admission/webhook_configuration.ts";
import { declaredIn } from "../handlers/declared_handlers.ts";
import { convertedIn } from "../registry/declared.ts";
import type { AdmissionServerContext, WebhookClientConfig } from "../settings/admission_server.ts";
import type { RunningOptions } from "./components.ts";

/** A server that converts, until it is disposed of. */
export interface Converter extends AsyncDisposable {
  /** To be written into definitions. */
  readonly way: WebhookClientConfig;
}

/** Serves conversions; undefined where the operator has none. @throws {Error} If it cannot listen. */
export async function serveConversions(
  { registry, settings: { admission: { server } }, logger: parent, host, signal: stop }: RunningOptions,
): Promise<Converter | undefined> {
  const kinds = convertedIn(declaredIn(registry));
  if (kinds.length === 0 || server === null) return undefined;
  const { admissionApp } = await import("../handlers/admission/app.ts");
  const logger = parent.child({ name: "lotse.admission" });
  const conversions = new Conversions(kinds, logger);
  const convert: AdmissionServerContext["convert"] = (payload) => conversions.answer(payload);
  const review: AdmissionServerContext["review"] = () =>
    Promise.reject(
      new ReviewError(503, "Cannot answer the admission review: the operator has not started yet"),
    );
  const ended = new AbortController();
  const { fetch } = admissionApp({ review, convert, logger });
  const context: AdmissionServerContext = {
    review,
    convert,
    fetch,
    host,
    logger,
    signal: AbortSignal.any([stop, ended.signal]),
    presents: () => {},
  };
  const serving = typeof server === "function" ? server(context) : server.serve(context);
  const ways = serving[Symbol.asyncIterator]();
  const { value, done } = await ways.next();
  if (done === true) {
    throw new Error("Cannot convert objects: the server has ended before it could be reached");
  }
  return {
    way: clientConfigFor(CONVERSION_PATH, value),
    async [Symbol.asyncDispose]() {
      ended.abort();
      await ways.return?.();
    },
  };
}
