/**
 * The contract between an operator and the servers and tunnels that serve its admission reviews.
 *
 * A server gets what answers reviews, and says under which addresses it is reached, for as long as it is; it may be a
 * function, or an object that has to be disposed of. Source: Kopf, docs/admission, "Custom servers/tunnels"; scenarios B128–B157.
 */

import type { JsonObject } from "../model/object.ts";
import type { Host, Peer, ServerTls } from "../runtime/host.ts";
import type { Logger } from "../runtime/logging.ts";

/** How Kubernetes reaches a webhook. Source: Kubernetes API reference, WebhookClientConfig. */
export interface WebhookClientConfig {
  /** Such as "https://webhooks.example.com:9443/path". Either this or `service`. */
  readonly url?: string;
  /** A service of the cluster. */
  readonly service?: {
    readonly namespace: string;
    readonly name: string;
    readonly path?: string;
    readonly port?: number;
  };
  /** The certificates by which the server is trusted: PEM in base64. Default: the trust store of the API server. */
  readonly caBundle?: string;
}

/** The facts that a server knows of a review besides its content. */
export interface ReviewHints {
  /** The one handler to be asked: its id, or the path of its webhook, such as "check-seats". Default: all. */
  readonly webhook?: string;
  /** Which kind of handlers is to be asked. Default: both. */
  readonly reason?: "validating" | "mutating";
  /** Of the HTTP request; names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The client's certificate, if there was one and it was verified. */
  readonly sslpeer?: Readonly<JsonObject>;
  /** Aborts when the API server waits for the answer no more. */
  readonly signal?: AbortSignal;
}

/** The answer to a review. Source: Kubernetes API reference, AdmissionReview. */
export interface AdmissionAnswer {
  /** As the review had it. */
  readonly apiVersion: string;
  /** As the review had it. */
  readonly kind: string;
  /** The verdict. */
  readonly response: {
    readonly uid: string;
    readonly allowed: boolean;
    readonly warnings?: readonly string[];
    /** Steps of a JSON patch, in base64. */
    readonly patch?: string;
    readonly patchType?: "JSONPatch";
    /** Why it is not allowed. */
    readonly status?: { readonly message: string; readonly code: number };
  };
}

/**
 * Answers a parsed AdmissionReview.
 *
 * Rejects with a `ReviewError`, whose `status` is that of an HTTP response, if there is no answer to such a review.
 */
export type ReviewFn = (review: unknown, hints?: ReviewHints) => Promise<AdmissionAnswer>;

/** The answer to a conversion review. Source: Kubernetes API reference, ConversionReview. */
export interface ConversionAnswer {
  /** Always this. */
  readonly apiVersion: "apiextensions.k8s.io/v1";
  /** Always this. */
  readonly kind: "ConversionReview";
  /** The objects, or why there are none. */
  readonly response: {
    readonly uid: string;
    /** In the order of the request. */
    readonly convertedObjects: readonly JsonObject[];
    readonly result:
      | { readonly status: "Success" }
      | { readonly status: "Failure"; readonly message: string };
  };
}

/**
 * Answers a parsed ConversionReview.
 *
 * Throws a `ReviewError`, as `ReviewFn` does, if there is no answer to such a review.
 */
export type ConvertFn = (review: JsonObject) => ConversionAnswer;

/** For how long a certificate is valid. RFC 3339. */
export interface CertificateValidity {
  /** From when on. */
  readonly notBefore: string;
  /** Until when. */
  readonly notAfter: string;
}

/** A certificate in use. */
export interface ServedCertificate {
  /** To be presented. */
  readonly tls: ServerTls;
  /** The authorities by which clients are to trust it, and the certificates of other replicas. PEM. */
  readonly caBundle: string;
  /** Waits until it is to be replaced, and returns the next one; undefined if the signal aborts first. */
  changed(signal: AbortSignal): Promise<ServedCertificate | undefined>;
}

/** The things that a server works with. */
export interface AdmissionServerContext {
  /** Answers reviews. */
  readonly review: ReviewFn;
  /** Converts objects between versions, where `resource()` was told how. */
  readonly convert: ConvertFn;
  /** Both as an HTTP application: a POST to "/" asks all handlers, a POST to "/check-seats" that one; conversions are known by their content. */
  readonly fetch: (request: Request, peer?: Peer) => Promise<Response>;
  /** The world that the operator runs in: for sockets, files and time. */
  readonly host: Host;
  /** For the messages of the server. */
  readonly logger: Logger;
  /** Aborts when the server is to end. */
  readonly signal: AbortSignal;
  /** To be told of the certificate that the server has from now on: the operator is ready only while that is valid. */
  readonly presents: (certificate: CertificateValidity) => void;
  /**
   * Returns the certificate that all replicas present, valid for the given names and addresses; undefined without `replicas`, where
   * a server has a certificate of its own.
   */
  readonly shared?: (hosts: readonly string[]) => Promise<ServedCertificate>;
  /** Whether the operator stops: then each answer ends its connection, so that the client opens the next one to another replica. */
  readonly isLeaving?: () => boolean;
  /** To be told of each reading of a certificate from files, for metrics: whether it could be used. */
  readonly read?: (isGood: boolean) => void;
}

/** Serves, and gives the way to it: once it is open, and whenever that changes. When it ends, the operator ends. */
export type AdmissionServerFn = (context: AdmissionServerContext) => AsyncIterable<WebhookClientConfig>;

/** A server that holds resources: it is disposed of when the operator stops, if it can be. */
export interface AdmissionServerObject extends Partial<AsyncDisposable>, Partial<Disposable> {
  /** Serves, as `AdmissionServerFn` says. */
  readonly serve: AdmissionServerFn;
  /** The port to listen on, if it is a certain one: `lotse generate manifests` leads there. */
  readonly port?: number;
  /** The Service to be reached by, if there is one: `lotse generate manifests` makes it. */
  readonly service?: { readonly name: string; readonly namespace?: string; readonly port?: number };
}

/** A server or a tunnel through which Kubernetes reaches admission handlers. */
export type AdmissionServer = AdmissionServerFn | AdmissionServerObject;
