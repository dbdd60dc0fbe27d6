/**
 * Says to the API server whose token it is, as its authentication webhook: only the newest token counts, from the moment in
 * which it is in the file.
 *
 * The API server itself remembers for ten seconds that a token was good, and no flag changes that; after them it answers 401.
 * Source: Kubernetes, "Webhook token authentication".
 */

import { randomBytes } from "node:crypto";
import { renameSync, writeFileSync } from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

/** The user that the tokens are for. */
export const USER = "soak-operator";

export interface TokenCounts {
  accepted: number;
  /** Tokens that had been good. */
  outdated: number;
  /** Good ones, while nobody was let in. */
  locked: number;
  rotations: number;
}

export class Tokens implements AsyncDisposable {
  readonly counts: TokenCounts = { accepted: 0, outdated: 0, locked: 0, rotations: 0 };
  /** Nobody is let in, as while a server starts whose authenticator does not answer yet. */
  isLocked = false;
  readonly #file: string;
  readonly #server: http.Server;
  #current = "";

  private constructor(file: string) {
    this.#file = file;
    this.#server = http.createServer((request, response) => void this.#answer(request, response));
  }

  /** Writes the first token, and the kubeconfig that tells the API server where to ask. */
  static async start(directory: string): Promise<{ tokens: Tokens; webhook: string }> {
    const tokens = new Tokens(join(directory, "token"));
    tokens.rotate();
    await new Promise<void>((resolve) => tokens.#server.listen(0, "127.0.0.1", resolve));
    const { port } = tokens.#server.address() as AddressInfo;
    const webhook = join(directory, "webhook.yaml");
    writeFileSync(webhook, kubeconfig({ server: `http://127.0.0.1:${port}/`, user: "{}" }));
    return { tokens, webhook };
  }

  /** From now on, another token. */
  rotate(): void {
    this.#current = randomBytes(16).toString("hex");
    // NB: in one step, so that nobody reads half of it.
    writeFileSync(`${this.#file}.new`, this.#current, { mode: 0o600 });
    renameSync(`${this.#file}.new`, this.#file);
    this.counts.rotations++;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    let text = "";
    for await (const chunk of request) text += chunk;
    const { spec } = JSON.parse(text) as { spec: { token: string } };
    const status = this.#isGood(spec.token)
      ? { authenticated: true, user: { username: USER, groups: [] } }
      : { authenticated: false };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", status }));
  }

  #isGood(token: string): boolean {
    if (token !== this.#current) {
      this.counts.outdated++;
      return false;
    }
    this.counts[this.isLocked ? "locked" : "accepted"]++;
    return !this.isLocked;
  }
}

/** A kubeconfig with one context. `user` is YAML or JSON. */
export function kubeconfig(options: { server: string; ca?: string; user: string }): string {
  const { server, ca, user } = options;
  const cluster = JSON.stringify({
    server,
    "certificate-authority-data": ca && btoa(ca),
  });
  return `apiVersion: v1
kind: Config
clusters: [{ name: soak, cluster: ${cluster} }]
users: [{ name: soak, user: ${user} }]
contexts: [{ name: soak, context: { cluster: soak, user: soak } }]
current-context: soak
`;
}
