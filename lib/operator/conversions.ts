/**
 * Conversions while an operator does not serve yet: as long as the definitions of its kinds are applied, and objects moved to
 * another version. After that the server of admission answers (see admission.ts).
 */

import type { Client } from "../client/client.ts";
import { CONVERSION_PATH, Conversions } from "../handlers/admission/conversion.ts";
import { ReviewError } from "../handlers/admission/review.ts";
import { SharedCertificate } from "../handlers/admission/shared_certificate.ts";
import { clientConfigFor } from "../handlers/admission/webhook_configuration.ts";
import { declaredIn } from "../handlers/declared_handlers.ts";
import { convertedIn } from "../registry/declared.ts";
import type { AdmissionServerContext, WebhookClientConfig } from "../settings/admission_server.ts";
import { placeOfSecret } from "../handlers/admission/webhook_secret.ts";
import type { RunningOptions } from "./components.ts";

/** A server that converts, until it is disposed of. */
export interface Converter extends AsyncDisposable {
  /** To be written into definitions. */
  readonly way: WebhookClientConfig;
}

/** The connection to the cluster, and with replicas the place and the name of their Leases. */
export interface ConversionsPlace {
  readonly client: Client;
  readonly leases?: { readonly namespace: string; readonly name: string };
}

/** Serves conversions; undefined where the operator has none. @throws {Error} If it cannot listen. */
export async function serveConversions(
  options: RunningOptions,
  place: ConversionsPlace,
): Promise<Converter | undefined> {
  const { registry, settings: { admission: { server } }, logger: parent, host, signal: stop } = options;
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
  const signal = AbortSignal.any([stop, ended.signal]);
  const shared = place.leases && certificateOf(options, { ...place, leases: place.leases });
  const context: AdmissionServerContext = {
    review,
    convert,
    fetch,
    host,
    logger,
    signal,
    presents: () => {},
    ...shared !== undefined && { shared: (hosts) => shared.open(hosts, signal) },
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
      shared?.[Symbol.dispose]();
    },
  };
}

/** The certificate of all replicas, before this one is a member: other replicas would be distrusted if definitions had another. */
function certificateOf(
  { host, logger, settings }: RunningOptions,
  { client, leases }: Required<ConversionsPlace>,
): SharedCertificate {
  const nothing: Disposable = { [Symbol.dispose]: () => {} };
  const self = {
    identity: "self",
    isLive: true,
    isAble: false,
    isLeaving: false,
    record: { annotations: {} },
  };
  return new SharedCertificate({
    client,
    host,
    logger: logger.child({ name: "lotse.admission" }),
    watching: settings.watching,
    place: placeOfSecret(leases),
    settings: () => settings.admission,
    replicas: {
      settings: leases,
      identity: self.identity,
      members: [self],
      whileFirst: () => nothing,
      annotate: () => {},
      onMembers: () => nothing,
    },
    distributed: () => Promise.resolve(),
    standing: () => [],
    onRepaired: () => {},
    onRead: () => {},
  });
}
