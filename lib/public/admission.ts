/**
 * `@lotse/lotse/admission`: the parts of a server for webhooks of one's own.
 *
 * @module
 */

export { ReviewError } from "../handlers/admission/review.ts";
export { webhookServer, type WebhookServerOptions } from "../handlers/admission/webhook_server.ts";
export type {
  AdmissionAnswer,
  AdmissionServer,
  AdmissionServerContext,
  AdmissionServerFn,
  AdmissionServerObject,
  CertificateValidity,
  ConversionAnswer,
  ConvertFn,
  ReviewFn,
  ReviewHints,
  ServedCertificate,
  WebhookClientConfig,
} from "../settings/admission_server.ts";
