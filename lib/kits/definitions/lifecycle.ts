/**
 * The definitions of an operator's own kinds, kept in step with its code: applied at the start, before anything is watched.
 *
 * A change that would lose stored data is refused, with every reason, and then no definition is changed. Objects that are stored in
 * another version are written again, and `status.storedVersions` forgets that version, so that it can go some day.
 * Source: Kubernetes, "Versions in CustomResourceDefinitions", "Upgrade existing objects to a new stored version".
 */

import type { Addressable, Client } from "../../client/client.ts";
import { ApiError } from "../../client/errors.ts";
import { isEqualJson, isObject } from "../../model/json.ts";
import type { JsonObject, KubeObject } from "../../model/object.ts";
import type { Clock } from "../../runtime/host.ts";
import type { Logger } from "../../runtime/logging.ts";
import { CRDS } from "../../engines/definitions/served_schema.ts";
import { compareSchemas } from "./losses.ts";

export interface ApplyCrdsOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/** In whose name definitions are applied. */
const FIELD_MANAGER = "lotse";

/** How long a definition may take until its kind is served. In seconds. */
const ESTABLISHED_WITHIN = 30;

/** How long servers may go on storing objects in the version of before. In seconds. */
const STORAGE_DELAY = 2;

/** Between two looks at it. In seconds. */
const LOOK_INTERVAL = 0.2;

/**
 * Applies definitions one after the other, and resolves when their kinds are served.
 *
 * @throws {TypeError} If a change would lose stored data; then none of them has been changed.
 * @throws {ApiError} If the server refuses; the message says which right is missing, where one is.
 */
export async function applyCrds(crds: readonly KubeObject[], options: ApplyCrdsOptions): Promise<void> {
  const lives = crds.map((crd) => new CrdLife(crd, options));
  // All are looked at before any is touched.
  for (const life of lives) await life.check();
  for (const life of lives) await life.apply();
}

/** One definition, as it is wanted and as it is. */
class CrdLife {
  readonly #wanted: KubeObject;
  readonly #options: ApplyCrdsOptions;
  #current: KubeObject | undefined;

  constructor(wanted: KubeObject, options: ApplyCrdsOptions) {
    this.#wanted = wanted;
    this.#options = options;
  }

  get #name(): string {
    return this.#wanted.metadata.name ?? "";
  }

  /** @throws {TypeError} If the change would lose data. */
  async check(): Promise<void> {
    this.#current = await this.#read();
    const current = this.#current;
    if (current === undefined) return;
    if (current.metadata.deletionTimestamp !== undefined) {
      throw new TypeError(
        `Cannot apply the definition "${this.#name}": it is being deleted; wait until it has gone`,
      );
    }
    this.#rejectImmutable(current);
    const losses = this.#lostVersions(current);
    const refusals: string[] = [];
    for (const [name, schema] of schemasOf(current)) {
      const next = schemasOf(this.#wanted).get(name) ??
        (storageOf(current) === name ? schemasOf(this.#wanted).get(storageOf(this.#wanted)) : undefined);
      if (next === undefined) continue;
      const changes = compareSchemas(schema, next);
      losses.push(...changes.losses.map((sentence) => `${name}: ${sentence}`));
      refusals.push(...changes.refusals.map((sentence) => `${name}: ${sentence}`));
    }
    if (losses.length + refusals.length === 0 || !await this.#hasObjects(current)) return;
    if (losses.length > 0) {
      throw new TypeError(
        [
          `Cannot apply the definition "${this.#name}": there are objects, and the change would lose what they hold`,
          ...losses,
          "Keep what is there for now, move the data, and take it out later; or apply the definition yourself",
        ].join("\n  "),
      );
    }
    this.#options.logger.warn(
      "The definition becomes stricter: some objects may be refused when they change",
      {
        definition: this.#name,
        changes: refusals,
      },
    );
  }

  async apply(): Promise<void> {
    const { logger } = this.#options;
    const current = this.#current;
    if (current === undefined || !isAsWanted(this.#wanted.spec, current.spec)) {
      const old = current === undefined ? [] : this.#versionsToLeave(current);
      // Versions that objects are stored in cannot go yet: they stay until no object is stored in them.
      if (old.length > 0) {
        await this.#write(withVersions(this.#wanted, old));
        await this.#migrate(await this.#settled());
      }
      await this.#write(this.#wanted);
      logger.info("Applied a definition", {
        definition: this.#name,
        result: current ? "changed" : "created",
      });
    }
    await this.#migrate(await this.#settled());
  }

  async #write(crd: KubeObject): Promise<void> {
    const { client, signal } = this.#options;
    const address = { name: this.#name };
    const patch = { type: "apply", body: crd, fieldManager: FIELD_MANAGER, force: true } as const;
    try {
      await client.patch(CRDS, address, patch, { signal });
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 415) {
        throw this.#explain("patch definitions", error);
      }
      // The server knows no apply.
      if (this.#current === undefined) await client.create(CRDS, crd, { signal });
      else await client.patch(CRDS, address, { type: "merge", body: { spec: crd.spec } }, { signal });
    }
  }

  async #read(): Promise<KubeObject | undefined> {
    const { client, signal } = this.#options;
    try {
      return await client.get(CRDS, { name: this.#name }, { signal });
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return undefined;
      throw this.#explain("get definitions", error);
    }
  }

  /** Waits until the kind is served. */
  async #established(): Promise<KubeObject> {
    const { clock, signal } = this.#options;
    const deadline = clock.monotonic() + ESTABLISHED_WITHIN;
    while (true) {
      const crd = await this.#read();
      if (crd !== undefined && conditionOf(crd, "Established")?.status === "True") return crd;
      const names = crd === undefined ? undefined : conditionOf(crd, "NamesAccepted");
      if (names?.status === "False") {
        throw new TypeError(`Cannot serve "${this.#name}": ${names.message}`);
      }
      if (clock.monotonic() >= deadline) {
        throw new TypeError(
          `Cannot serve "${this.#name}": the API server has not established it in ${ESTABLISHED_WITHIN} s`,
        );
      }
      if (!await clock.sleep(LOOK_INTERVAL, signal)) throw signal.reason;
    }
  }

  /** Waits until the server stores objects as the definition says, where it matters. */
  async #settled(): Promise<KubeObject> {
    const { clock, signal } = this.#options;
    const crd = await this.#established();
    if (storedVersionsOf(crd).length > 1 && !await clock.sleep(STORAGE_DELAY, signal)) throw signal.reason;
    return crd;
  }

  /** Writes all objects again if some may be stored in other versions, and says then that none is any more. */
  async #migrate(crd: KubeObject): Promise<void> {
    const { client, logger, signal } = this.#options;
    const storage = storageOf(crd);
    const others = storedVersionsOf(crd).filter((version) => version !== storage);
    if (others.length === 0) return;
    let count = 0;
    const kind = { ...addressOf(crd), version: servedOf(crd) };
    try {
      for await (const { items } of client.list(kind, { signal })) {
        for (const { metadata: { name = "", namespace } } of items) {
          // An empty change: the server compares the object with the stored one, version included, and stores it anew.
          const patch = { type: "merge", body: {} } as const;
          await client.patch(kind, { name, namespace }, patch, { signal }).catch(ignoreGone);
          count++;
        }
      }
    } catch (error) {
      throw this.#explain("list and patch all its objects", error);
    }
    if (!await this.#forgetVersions(crd)) return;
    logger.info("Objects are stored in one version again", {
      definition: this.#name,
      version: storage,
      objects: count,
    });
  }

  /**
   * Says that objects are stored in one version. Returns false if that was said by somebody else meanwhile: replicas that start at
   * the same time write the objects beside each other.
   */
  async #forgetVersions(crd: KubeObject): Promise<boolean> {
    const { client, signal } = this.#options;
    const { resourceVersion } = crd.metadata;
    const body = { metadata: { resourceVersion }, status: { storedVersions: [storageOf(crd)] } };
    // The precondition: the definition was not changed meanwhile, and with it the version in which objects are stored.
    const address = { name: this.#name, subresource: "status" } as const;
    try {
      await client.patch(CRDS, address, { type: "merge", body }, { signal });
      return true;
    } catch (error) {
      const found = error instanceof ApiError && error.status === 409 ? await this.#read() : undefined;
      if (found === undefined || found.metadata.generation !== crd.metadata.generation) {
        throw this.#explain("patch the status of definitions", error);
      }
      // Another change, such as of a condition: the objects are written already.
      return storedVersionsOf(found).length > 1 && await this.#forgetVersions(found);
    }
  }

  async #hasObjects(crd: KubeObject): Promise<boolean> {
    const { client, signal } = this.#options;
    const kind = { ...addressOf(crd), version: servedOf(crd) };
    try {
      for await (const { items } of client.list(kind, { chunkSize: 1, signal })) return items.length > 0;
    } catch (error) {
      throw this.#explain("list all its objects", error);
    }
    return false;
  }

  #rejectImmutable(current: KubeObject): void {
    const [before, after] = [current.spec ?? {}, this.#wanted.spec ?? {}];
    const [old, now] = [before.names, after.names].map((names) => isObject(names) ? names.kind : undefined);
    const [what, was, is] = before.scope === after.scope
      ? ["kind", old, now]
      : ["scope", before.scope, after.scope];
    if (was === is) return;
    throw new TypeError(
      `Cannot apply the definition "${this.#name}": its ${what} cannot change from ${was} to ${is} (delete it first, or ` +
        `take another plural)`,
    );
  }

  /** The version that objects are stored in must stay for one round, so that they can be written in another one. */
  #lostVersions(current: KubeObject): string[] {
    const storage = storageOf(current);
    if (schemasOf(this.#wanted).has(storage)) return [];
    return [
      `version ${storage} has gone, in which objects are stored (declare it in "versions" until they are migrated)`,
    ];
  }

  /** Versions that are not wanted any more, and may have objects. */
  #versionsToLeave(current: KubeObject): JsonObject[] {
    const wanted = schemasOf(this.#wanted);
    return versionsOf(current)
      .filter(({ name }) => storedVersionsOf(current).includes(String(name)) && !wanted.has(String(name)))
      .map((version) => ({ ...version, served: false, storage: false }));
  }

  #explain(right: string, error: unknown): unknown {
    if (!(error instanceof ApiError) || error.status !== 403) return error;
    const advice =
      "take the rights of `lotse generate rbac`, or leave out `crds`, and apply what `lotse generate crd` prints";
    return new TypeError(
      `Cannot apply the definition "${this.#name}": the right to ${right} is missing (${advice})`,
      { cause: error },
    );
  }
}

function ignoreGone(error: unknown): void {
  if (!(error instanceof ApiError) || error.status !== 404) throw error;
}

function addressOf({ spec = {} }: KubeObject): Omit<Addressable, "version"> {
  const names = isObject(spec.names) ? spec.names : {};
  return { group: String(spec.group), plural: String(names.plural), namespaced: spec.scope === "Namespaced" };
}

function versionsOf({ spec = {} }: KubeObject): JsonObject[] {
  return Array.isArray(spec.versions) ? spec.versions.filter(isObject) : [];
}

function schemasOf(crd: KubeObject): Map<string, JsonObject | undefined> {
  return new Map(
    versionsOf(crd).map(({ name, schema }) => {
      const found = isObject(schema) ? schema.openAPIV3Schema : undefined;
      return [String(name), isObject(found) ? found : undefined];
    }),
  );
}

function storageOf(crd: KubeObject): string {
  return String(versionsOf(crd).find((version) => version.storage === true)?.name);
}

function storedVersionsOf({ status = {} }: KubeObject): string[] {
  return Array.isArray(status.storedVersions) ? status.storedVersions.map(String) : [];
}

function withVersions(crd: KubeObject, versions: readonly JsonObject[]): KubeObject {
  return { ...crd, spec: { ...crd.spec, versions: [...versionsOf(crd), ...versions] } };
}

function conditionOf({ status = {} }: KubeObject, type: string): JsonObject | undefined {
  const conditions = Array.isArray(status.conditions) ? status.conditions.filter(isObject) : [];
  return conditions.find((condition) => condition.type === type);
}

/** Whether a definition has all wanted keys; servers add other keys, such as how to convert. */
function isAsWanted(wanted: JsonObject = {}, actual: JsonObject = {}): boolean {
  return Object.entries(wanted).every(([key, value]) => isEqualJson(value, actual[key]));
}

/** A version in which objects can be read and written. */
function servedOf(crd: KubeObject): string {
  const storage = storageOf(crd);
  const served = versionsOf(crd).filter((version) => version.served === true).map(({ name }) => String(name));
  return served.includes(storage) ? storage : served[0] ?? storage;
}
