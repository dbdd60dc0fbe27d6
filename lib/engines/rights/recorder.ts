/**
 * Records the rights that an operator uses: hangs at the transport, through which every request goes.
 *
 * Requests that are refused are not recorded: the operator either does without, or has failed. What is recorded with the
 * rights of an administrator is what it needs.
 */

import type { ApiRequest, AttemptOutcome, RequestObserver } from "../../client/transport/transport.ts";
import { type Right, rightKey } from "./rights.ts";

/** Collects rights. */
export class RightsRecorder implements RequestObserver {
  readonly #rights = new Map<string, Right>();
  readonly #onNew: (() => void) | undefined;

  /** @param onNew Called whenever a right is used for the first time. */
  constructor(onNew?: () => void) {
    this.#onNew = onNew;
  }

  /** What was used so far. */
  get rights(): readonly Right[] {
    return [...this.#rights.values()];
  }

  requestEnds({ subject }: ApiRequest, { status }: AttemptOutcome): void {
    if (subject === undefined || status === undefined || status === 401 || status === 403) return;
    const { verb, resource: { group, plural }, namespace, subresource } = subject;
    const resource = subresource === undefined ? plural : `${plural}/${subresource}`;
    const right = { group, resource, verb, ...namespace !== undefined && { namespace } };
    const key = rightKey(right);
    if (this.#rights.has(key)) return;
    this.#rights.set(key, right);
    this.#onNew?.();
  }
}
