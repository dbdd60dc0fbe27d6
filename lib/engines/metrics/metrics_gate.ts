/**
 * Lets scrapes through whose token the API server knows, and whose user may `get` the path: TokenReview and SubjectAccessReview, as
 * controller-runtime's filter does.
 *
 * Both answers are kept for some time, so that scrapes every few seconds cost no requests, and a flood of wrong tokens costs few.
 * Source: controller-runtime, `pkg/metrics/filters`; Kubernetes API reference, TokenReview, SubjectAccessReview.
 */

import type { Client } from "../../client/client.ts";
import { sha256 } from "../../runtime/digest.ts";
import type { Clock, Seconds } from "../../runtime/host.ts";
import type { Logger } from "../../runtime/logging.ts";

const TOKEN_REVIEWS = {
  group: "authentication.k8s.io",
  version: "v1",
  plural: "tokenreviews",
  kind: "TokenReview",
  namespaced: false,
} as const;
const ACCESS_REVIEWS = {
  group: "authorization.k8s.io",
  version: "v1",
  plural: "subjectaccessreviews",
  kind: "SubjectAccessReview",
  namespaced: false,
} as const;

/** How long a caller that may is not asked about again, and one that may not. In seconds. */
const KEPT: Readonly<Record<"allowed" | "refused", Seconds>> = { allowed: 60, refused: 10 };

/** How many callers are remembered, and how many are asked about at once. */
const MOST_CALLERS = 100;
const MOST_ASKED = 4;

/** Longer tokens are none. In characters. */
const LONGEST_TOKEN = 16_384;

export interface MetricsGateOptions {
  readonly clock: Pick<Clock, "monotonic">;
  readonly logger: Logger;
  /** Returns the way to the API server; undefined: there is none yet. */
  readonly client: () => Client | undefined;
}

interface Verdict {
  readonly status: 200 | 401 | 403;
  readonly until: Seconds;
}

/** The user that a token stands for. */
interface UserInfo {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Asks about callers. */
export class MetricsGate {
  readonly #options: MetricsGateOptions;
  /** By the digest of the token. */
  readonly #verdicts = new Map<string, Verdict>();
  readonly #asking = new Map<string, Promise<Verdict>>();

  constructor(options: MetricsGateOptions) {
    this.#options = options;
  }

  /** Answers a request by `handle()` if its caller may. */
  async answer(request: Request, handle: () => Response | Promise<Response>): Promise<Response> {
    const [, token = ""] = /^Bearer (\S+)$/i.exec(request.headers.get("authorization") ?? "") ?? [];
    if (token === "" || token.length > LONGEST_TOKEN) return refusal(401, "a bearer token is needed");
    const client = this.#options.client();
    if (client === undefined) return refusal(503, "the operator has not logged in yet");
    const { pathname: path } = new URL(request.url);
    try {
      const { status } = await this.#verdictOn(client, token, path);
      if (status === 401) return refusal(401, "the API server does not know the token");
      if (status === 403) return refusal(403, `a role must allow "get" on the URL "${path}"`);
    } catch (error) {
      this.#options.logger.warn(
        "Cannot ask who may read metrics (the operator needs to create tokenreviews and subjectaccessreviews)",
        { error, stack: false },
      );
      return refusal(503, "the API server was not asked");
    }
    return await handle();
  }

  async #verdictOn(client: Client, token: string, path: string): Promise<Verdict> {
    const key = String(sha256(`${path} ${token}`));
    const known = this.#verdicts.get(key);
    if (known !== undefined && known.until > this.#options.clock.monotonic()) return known;
    const asking = this.#asking.get(key);
    if (asking !== undefined) return await asking;
    if (this.#asking.size >= MOST_ASKED) throw new Error("Too many callers at once");
    const asked = this.#ask(client, token, path).finally(() => this.#asking.delete(key));
    this.#asking.set(key, asked);
    const verdict = await asked;
    this.#verdicts.delete(key);
    this.#verdicts.set(key, verdict);
    const [oldest] = this.#verdicts.keys();
    if (this.#verdicts.size > MOST_CALLERS && oldest !== undefined) this.#verdicts.delete(oldest);
    return verdict;
  }

  async #ask(client: Client, token: string, path: string): Promise<Verdict> {
    const { status: known } = await client.create<{
      status?: { authenticated?: boolean; user?: UserInfo };
    }>(TOKEN_REVIEWS, { ...headOf(TOKEN_REVIEWS), spec: { token } });
    if (known?.authenticated !== true) return this.#verdict(401);
    const { username: user, uid, groups, extra } = known.user ?? {};
    const spec = { user, uid, groups, extra, nonResourceAttributes: { path, verb: "get" } };
    const { status } = await client.create<{ status?: { allowed?: boolean } }>(ACCESS_REVIEWS, {
      ...headOf(ACCESS_REVIEWS),
      spec,
    });
    return this.#verdict(status?.allowed === true ? 200 : 403);
  }

  #verdict(status: Verdict["status"]): Verdict {
    const kept = status === 200 ? KEPT.allowed : KEPT.refused;
    return { status, until: this.#options.clock.monotonic() + kept };
  }
}

function headOf({ group, version, kind }: typeof TOKEN_REVIEWS | typeof ACCESS_REVIEWS): object {
  return { apiVersion: `${group}/${version}`, kind, metadata: {} };
}

function refusal(status: number, reason: string): Response {
  const headers = {
    "content-type": "text/plain; charset=utf-8",
    "cache-control": "no-store",
    ...status === 401 && { "www-authenticate": "Bearer" },
  };
  return new Response(`Metrics are not shown: ${reason}\n`, { status, headers });
}
