/**
 * Reads objects that another replica has had before, in the moment in which handlers are about to be called.
 *
 * The stream may lag behind the last note of the former holder: without a read, a creation that is noted as done would be handled
 * once more. One object costs one request. Where very many objects of a kind are to be read, their versions are listed once,
 * and only the objects that differ are read.
 */

import { METADATA_ACCEPTS } from "../client/projection.ts";
import type { Caches } from "../client/cache/caches.ts";
import type { Client } from "../client/client.ts";
import type { ObjectState } from "../execution/object_state.ts";
import type { ObjectWriter, ReadOptions } from "../execution/object_writer.ts";
import { keyOf } from "../model/resource.ts";
import type { Logger } from "../runtime/logging.ts";

export interface InheritanceOptions {
  readonly client: Client;
  readonly caches: Caches;
  readonly writer: Pick<ObjectWriter, "read">;
  readonly logger: Logger;
}

/** How many objects of one kind and scope are read one by one, before their versions are listed. */
const MOST_READS = 500;

/** The objects of one kind and scope that were taken over. */
interface Round {
  reads: number;
  /** Versions by uid; undefined where the server refuses the list. Made by the first object that is one too many. */
  versions: Promise<ReadonlyMap<string, string> | undefined> | undefined;
}

/** The reads of one run. */
export class Inheritance {
  readonly #options: InheritanceOptions;
  readonly #rounds = new Map<string, Round>();

  constructor(options: InheritanceOptions) {
    this.#options = options;
  }

  /** Objects are taken over: versions that were listed before say nothing about them. */
  begin(): void {
    this.#rounds.clear();
  }

  /** Brings an inherited object up to date. @throws {ApiError} If the server refuses, but for 404. */
  async confirm(state: ObjectState, reading: ReadOptions): Promise<void> {
    const { writer } = this.#options;
    const { uid = "", resourceVersion } = state.body.metadata;
    const versions = await this.#versionsFor(state);
    if (resourceVersion !== undefined && versions?.get(uid) === resourceVersion) return state.confirm();
    state.resolve(await writer.read(state, reading));
  }

  /** Undefined: the object is to be read. */
  #versionsFor(state: ObjectState): Promise<ReadonlyMap<string, string> | undefined> | undefined {
    const scope = this.#options.caches.scopeOf(state.resource, state.body) ?? "";
    const key = `${keyOf(state.resource)}|${scope}`;
    let round = this.#rounds.get(key);
    if (round === undefined) this.#rounds.set(key, round = { reads: 0, versions: undefined });
    if (round.reads++ < MOST_READS) return undefined;
    return round.versions ??= this.#list(state, scope === "*" || scope === "" ? undefined : scope);
  }

  async #list(
    { resource }: ObjectState,
    namespace: string | undefined,
  ): Promise<ReadonlyMap<string, string> | undefined> {
    const { client, logger } = this.#options;
    const versions = new Map<string, string>();
    try {
      for await (const { items } of client.list(resource, { namespace, accept: METADATA_ACCEPTS.list })) {
        for (const { metadata: { uid, resourceVersion } } of items) {
          if (uid !== undefined && resourceVersion !== undefined) versions.set(uid, resourceVersion);
        }
      }
      return versions;
    } catch (error) {
      logger.debug("Versions cannot be listed: objects that were taken over are read one by one", {
        kind: keyOf(resource),
        error,
      });
    }
  }
}
