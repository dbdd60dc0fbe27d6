/**
 * Admission reviews as an API server sends them, and a server that hands the test what answers them.
 */

import { Buffer } from "node:buffer";
import type {
  AdmissionAnswer,
  AdmissionServerContext,
  ReviewHints,
  WebhookClientConfig,
} from "../../lib/public/admission.ts";
import { EXAMPLES, type Loose } from "./worlds.ts";

/** Returns a review of an update of an object of the scenarios' kind; what is given replaces what would be there. */
export function reviewOf(request: Loose = {}): Loose {
  const { group, version, plural, kind } = EXAMPLES;
  return {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: {
      uid: "review-1",
      resource: { group, version, resource: plural },
      kind: { group, version, kind },
      operation: "UPDATE",
      userInfo: { username: "jane", groups: ["users"] },
      object: objectOf("one", { spec: { a: 1 } }),
      oldObject: objectOf("one", { spec: { a: 0 } }),
      ...request,
    },
  };
}

/** Returns an object of the scenarios' kind. */
export function objectOf(name: string, { metadata, ...rest }: Loose & { metadata?: Loose } = {}): Loose {
  const { group, version, kind } = EXAMPLES;
  return {
    apiVersion: `${group}/${version}`,
    kind,
    metadata: { name, namespace: "default", uid: `uid-${name}`, ...metadata },
    ...rest,
  };
}

/** Reads the JSON patch of an answer; undefined if there is none. */
export function patchIn({ response }: AdmissionAnswer): unknown {
  return response.patch === undefined
    ? undefined
    : JSON.parse(Buffer.from(response.patch, "base64").toString());
}

/** A server in the test's hand. */
export class Doorway {
  /** What the operator gave it; undefined until it is called. */
  context: AdmissionServerContext | undefined;
  /** How often it was called, and has ended. */
  opened = 0;
  closed = 0;
  readonly #ways: WebhookClientConfig[];
  #next = Promise.withResolvers<void>();
  #isOver = false;
  #error: { readonly error: unknown } | undefined;

  constructor(...ways: WebhookClientConfig[]) {
    this.#ways = ways.length === 0 ? [{ url: "https://hooks.test/base/" }] : ways;
  }

  /** To be set as `admission.server`. */
  readonly serve = async function* (
    this: Doorway,
    context: AdmissionServerContext,
  ): AsyncGenerator<WebhookClientConfig, void, void> {
    this.context = context;
    this.opened++;
    context.signal.addEventListener("abort", () => this.end());
    try {
      for (;;) {
        for (let way = this.#ways.shift(); way !== undefined; way = this.#ways.shift()) yield way;
        if (this.#error !== undefined) throw this.#error.error;
        if (this.#isOver) return;
        await this.#next.promise;
        this.#next = Promise.withResolvers();
      }
    } finally {
      this.closed++;
    }
  }.bind(this);

  /** Yields another way to it. */
  move(way: WebhookClientConfig): void {
    this.#ways.push(way);
    this.#next.resolve();
  }

  /** Ends, by itself or with an error. */
  end(failure?: { readonly error: unknown }): void {
    this.#isOver = true;
    this.#error = failure;
    this.#next.resolve();
  }

  /** Has a review answered. */
  async review(request?: Loose, hints?: ReviewHints): Promise<AdmissionAnswer> {
    if (this.context === undefined) throw new Error("The operator has not called the server");
    return await this.context.review(reviewOf(request), hints);
  }

  /** Posts to the HTTP application. */
  async post(path: string, body: unknown, init: RequestInit = {}): Promise<Response> {
    if (this.context === undefined) throw new Error("The operator has not called the server");
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return await this.context.fetch(
      new Request(`https://hooks.test${path}`, {
        method: "POST",
        body: text,
        ...init,
        headers: { "content-type": "application/json", ...init.headers as Record<string, string> },
      }),
    );
  }
}
