/**
 * Records the rights that an operator uses: hangs at the transport, through which every request goes.
 *
 * Requests that are refused are not recorded: the operator either does without, or has failed. A record that was made with the
 * rights of an administrator has all rights that it needs.
 */

import type { ApiRequest, AttemptOutcome, RequestObserver } from "../../client/transport/transport.ts";
import type { Host } from "../../runtime/host.ts";
import type { Logger } from "../../runtime/logging.ts";
import { formatRights, parseRights, type Right, rightKey } from "./rights.ts";

/** Server-side apply. Source: Kubernetes, "Server-Side Apply", "Authorization and permissions". */
const APPLY = "application/apply-patch+yaml";

/** Collects rights. */
export class RightsRecorder implements RequestObserver {
  readonly #rights = new Map<string, Right>();
  readonly #onNew: (() => void) | undefined;

  /** @param onNew Called whenever a right is used for the first time. */
  constructor(onNew?: () => void) {
    this.#onNew = onNew;
  }

  /** The rights that were used so far. */
  get rights(): readonly Right[] {
    return [...this.#rights.values()];
  }

  requestEnds({ subject, contentType }: ApiRequest, { status }: AttemptOutcome): void {
    if (subject === undefined || status === undefined || status === 401 || status === 403) return;
    const { verb, resource: { group, plural }, namespace, subresource } = subject;
    // Everybody may ask for the own rights.
    if (group === "authorization.k8s.io") return;
    const resource = subresource === undefined ? plural : `${plural}/${subresource}`;
    const place = { group, resource, ...namespace !== undefined && { namespace } };
    this.#add({ ...place, verb });
    // An object that is applied is made where it is not there: next time, perhaps.
    if (contentType === APPLY && subresource === undefined) this.#add({ ...place, verb: "create" });
  }

  #add(right: Right): void {
    const key = rightKey(right);
    if (this.#rights.has(key)) return;
    this.#rights.set(key, right);
    this.#onNew?.();
  }
}

export interface RightsFileOptions {
  readonly host: Host;
  readonly logger: Logger;
  /** Relative to the working directory. */
  readonly path: string;
}

/**
 * Keeps recorded rights in a file, together with the rights that are in it already. Disposing waits until all is written.
 *
 * It is written with each new right, so that a process that is killed leaves the rights that it had used.
 */
export class RightsFile implements AsyncDisposable {
  readonly recorder: RightsRecorder;
  readonly #options: RightsFileOptions;
  #written: Promise<void> = Promise.resolve();
  #isPending = false;

  private constructor(options: RightsFileOptions) {
    this.#options = options;
    this.recorder = new RightsRecorder(() => this.#schedule());
  }

  /** @throws {SyntaxError} If there is a file with other content. */
  static async open(options: RightsFileOptions): Promise<RightsFile> {
    const file = new RightsFile(options);
    await file.#read();
    return file;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#written;
  }

  get #path(): string {
    const { host, path } = this.#options;
    return host.files.resolve(host.process.cwd(), path);
  }

  #schedule(): void {
    if (this.#isPending) return;
    this.#isPending = true;
    this.#written = this.#written.then(() => this.#write()).catch((error: unknown) => {
      this.#options.logger.error("Cannot record rights", { file: this.#path, error });
    });
  }

  async #write(): Promise<void> {
    this.#isPending = false;
    // NB: read anew, as other operators may record into the same file.
    const rights = [...await this.#read(), ...this.recorder.rights];
    await this.#options.host.files.writeText(this.#path, formatRights(rights));
  }

  async #read(): Promise<Right[]> {
    const { files } = this.#options.host;
    if (!await files.exists(this.#path)) return [];
    try {
      return parseRights(await files.readText(this.#path));
    } catch (error) {
      throw new SyntaxError(`Cannot record rights into "${this.#path}"`, { cause: error });
    }
  }
}
