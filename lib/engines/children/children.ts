/**
 * Brings the children of an object in line with the wishes of its handler: `children` in handlers' arguments.
 *
 * All that it knows from one attempt to the next stands on the server. Each child carries labels that say whose it is and in
 * which set, and an annotation with its place in the order; the owner carries the kinds that its children have had, and a kind
 * is noted there before its first child is made. So a child that is not named any more is found after a restart as well, by one list
 * for each of these kinds, which is at the same time how the others are read: no other request is sent while no child differs.
 *
 * Source: Kubernetes, docs/reference/using-api/server-side-apply; KEP-3659 (ApplySet), for kinds that are noted on the parent.
 */

import { isApplied, sendApply, unlessMissing, withoutOwners } from "../../client/apply.ts";
import type { AppliedStates } from "../../client/cache/applied_states.ts";
import type { Client } from "../../client/client.ts";
import { ApiError, messageOf } from "../../client/errors.ts";
import { ChildrenError, type FailedChild, listSome } from "../../execution/children_error.ts";
import { Postponed } from "../../execution/waiting.ts";
import { formatField, getField } from "../../model/fields.ts";
import { isEqualJson } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import { groupResource, type Resource } from "../../model/resource.ts";
import type {
  Children,
  ChildrenOf,
  ChildrenOptions,
  ChildrenState,
  DesiredChildren,
  MakeChildren,
  WaitedFor,
} from "../../registry/children.ts";
import { awaitedFrom } from "../../runtime/call_site.ts";
import type { Seconds } from "../../runtime/host.ts";
import type { Logger } from "../../runtime/logging.ts";
import {
  CHILD,
  idOf,
  locateChildren,
  type Located,
  OWNER,
  refuseForeign,
  SET,
  STAGE,
  type Wanted,
  withNamesKept,
} from "./locate.ts";
import { podlessReason } from "./names.ts";
import { isLabelValue, misuse, planChildren, type Planned } from "./plan.ts";
import { waitOf } from "./ready.ts";

/** Annotation of owners, with the set at its end: the kinds that the children have. */
const KINDS = "lotse.dev/children.";

/** When to look again while a child is not ready. */
const DELAY: Seconds = 5;

/** The operator, as far as children need it. */
export interface ChildrenContext {
  readonly client: Client;
  readonly settings: { readonly networking: { readonly fieldManager: string } };
  readonly logger: Logger;
  /** The memory of earlier applies. Default: none. */
  readonly states?: Pick<AppliedStates, "spellings" | "isMissing">;
}

/** Returns the function that makes the `children` of handlers' attempts. */
export function childrenMaker(context: ChildrenContext): MakeChildren {
  // The kinds that an attempt has asked to be noted, so that it does not ask for ever where they are not written.
  const asked = new Set<string>();
  // Which fields of which children were told of: the same manifest comes for each owner.
  const told = new Set<string>();
  return (attempt) => {
    const begin = (options: ChildrenOptions = {}): ChildrenRun =>
      new ChildrenRun({ ...context, asked, told, attempt, options });
    const children = awaitedFrom(async (desired: DesiredChildren, options?: ChildrenOptions) =>
      await ended(attempt, begin(options).run(desired))
    );
    const state = awaitedFrom(async (desired: DesiredChildren, options?: ChildrenOptions) =>
      await begin(options).state(desired)
    );
    // The types name the objects of `desired`.
    return Object.assign(children, { state }) as unknown as Children;
  };
}

/** Ends the attempt if the children have to be waited for. */
async function ended<Live>({ waiting }: ChildrenOf, live: Promise<Live>): Promise<Live> {
  try {
    return await live;
  } catch (error) {
    if (!(error instanceof Postponed) || waiting === undefined) throw error;
    return await waiting.end(error);
  }
}

interface RunOptions extends ChildrenContext {
  readonly asked: Set<string>;
  readonly told: Set<string>;
  readonly attempt: ChildrenOf;
  readonly options: ChildrenOptions;
}

/** A child that is on the server, with managed fields. */
interface Found {
  readonly resource: Resource;
  readonly object: KubeObject;
}

/** One call of `children`. */
class ChildrenRun {
  readonly #client: Client;
  readonly #attempt: ChildrenOf;
  readonly #options: ChildrenOptions;
  readonly #asked: Set<string>;
  readonly #told: Set<string>;
  readonly #logger: Logger;
  readonly #owner: KubeObject;
  readonly #set: string;
  readonly #fieldManager: string;
  readonly #states: ChildrenContext["states"];
  readonly #waits: WaitedFor[] = [];
  readonly #errors: FailedChild[] = [];
  /** By kind: why its objects cannot be listed. */
  readonly #unlisted = new Map<string, unknown>();

  constructor({ client, settings, logger, states, asked, told, attempt, options }: RunOptions) {
    this.#client = client;
    this.#states = states;
    this.#attempt = attempt;
    this.#options = options;
    this.#asked = asked;
    this.#told = told;
    this.#logger = logger;
    this.#owner = attempt.owner();
    this.#fieldManager = settings.networking.fieldManager;
    this.#set = options.set ?? this.#fieldManager;
    if (!isLabelValue(this.#set)) {
      throw misuse(
        `Cannot bring about children of the set "${this.#set}": it must do for a label's value`,
      );
    }
  }

  /** `live`: takes the children that are on the server, by their keys. */
  async run(
    desired: DesiredChildren,
    live = new Map<string, KubeObject>(),
  ): Promise<Readonly<Record<string, unknown>>> {
    try {
      return await this.#bringAbout(desired, live);
    } catch (error) {
      if (!(error instanceof Postponed)) this.#tell(false, "ChildFailed", messageOf(error));
      throw error;
    }
  }

  /** Brings the children about as far as that is possible, and returns how far they are. */
  async state(desired: DesiredChildren): Promise<ChildrenState<unknown>> {
    const live = new Map<string, KubeObject>();
    try {
      return { ready: true, waiting: [], live: await this.run(desired, live) };
    } catch (error) {
      if (!(error instanceof Postponed)) throw error;
      this.#attempt.waiting?.later(error);
      const waiting = this.#waits.length > 0 ? this.#waits : [{ child: undefined, reason: error.message }];
      return { ready: false, waiting, live: resultOf(desired, planChildren(desired), live) };
    }
  }

  async #bringAbout(
    desired: DesiredChildren,
    live: Map<string, KubeObject>,
  ): Promise<Readonly<Record<string, unknown>>> {
    const planned = planChildren(desired);
    const { discovery } = this.#client;
    const located = await locateChildren(planned, { discovery, owner: this.#owner, set: this.#set });
    const kinds = await this.#kinds(located.wanted);
    this.#note(kinds.map(groupResource), { isGrowing: true });
    this.#tellDropped(located.wanted);
    const found = await this.#find(kinds);
    const wanted = withNamesKept(located.wanted, (id) => found.has(id));
    await this.#applyAll({ ...located, wanted }, { found, live });
    this.#addUnlisted(wanted);
    if (this.#errors.length > 0) throw new ChildrenError(this.#errors);
    if (this.#waits.length > 0) this.#wait();
    const ids = new Set(wanted.map(({ id }) => id));
    await this.#remove([...found].filter(([id]) => !ids.has(id)).map(([, each]) => each));
    this.#note([...new Set(wanted.map(({ resource }) => groupResource(resource)))], { isGrowing: false });
    this.#tell(true, "ChildrenReady", "");
    return resultOf(desired, planned, live);
  }

  /** The kinds of the children that are wanted, and the kinds that the owner says it has. */
  async #kinds(wanted: readonly Wanted[]): Promise<readonly Resource[]> {
    const kinds = new Map(wanted.map(({ resource }) => [groupResource(resource), resource]));
    for (const name of this.#noted) {
      if (kinds.has(name)) continue;
      const [plural = "", ...group] = name.split(".");
      const resource = await this.#client.discovery.find(group.join("."), undefined, plural);
      // A kind that is not served any more has no objects.
      if (resource !== undefined) kinds.set(name, resource);
    }
    return [...kinds.values()];
  }

  /** Tells of fields in manifests that are left out, as the server owns them. */
  #tellDropped(wanted: readonly Wanted[]): void {
    for (const { name: child, resource: { kind }, object, dropped: fields } of wanted) {
      const title = `${this.#owner.kind} ${this.#set} ${child} ${fields}`;
      if (fields.length === 0 || this.#told.has(title)) continue;
      this.#told.add(title);
      const { name } = object.metadata;
      this.#logger.warn("The manifest of a child has fields that the server owns: they are left out", {
        child,
        kind,
        name,
        fields,
      });
    }
  }

  /** Notes the kinds on the owner. One that is new is noted before anything else is done: this attempt ends. */
  #note(kinds: readonly string[], { isGrowing }: { readonly isGrowing: boolean }): void {
    const noted = this.#noted;
    const isKnown = kinds.every((kind) => noted.includes(kind));
    if (isGrowing ? isKnown : isKnown && noted.length === kinds.length) return;
    const value = [...kinds].sort().join(" ");
    this.#attempt.patch.metadata.annotations[KINDS + this.#set] = value === "" ? null : value;
    const note = `${this.#uid} ${this.#set} ${value}`;
    if (!isGrowing) this.#asked.delete(note);
    else if (!this.#asked.has(note)) {
      this.#asked.add(note);
      throw new Postponed("The kinds of the children are noted on their owner first", 0);
    }
  }

  /** All children of this set that are on the server. */
  async #find(kinds: readonly Resource[]): Promise<ReadonlyMap<string, Found>> {
    const found = new Map<string, Found>();
    const labelSelector = `${OWNER}=${this.#uid},${SET}=${this.#set}`;
    await Promise.all(kinds.map(async (resource) => {
      const namespace = resource.namespaced ? this.#owner.metadata.namespace : undefined;
      const options = { ...this.#call, namespace, labelSelector, managedFields: true };
      try {
        for await (const { items } of this.#client.list(resource, options)) {
          for (const object of items) found.set(idOf(resource, object), { resource, object });
        }
      } catch (error) {
        this.#attempt.signal.throwIfAborted();
        this.#unlisted.set(groupResource(resource), error);
      }
    }));
    return found;
  }

  /** Applies the children that differ, each after its dependencies. A child that fails or waits holds up its dependents, and no others. */
  async #applyAll(
    { wanted, lost }: Located,
    { found, live }: { readonly found: ReadonlyMap<string, Found>; readonly live: Map<string, KubeObject> },
  ): Promise<void> {
    const held = new Set(lost.map(({ name }) => name));
    this.#errors.push(...lost.map(({ key, error }) => ({ child: key, error })));
    for (const each of wanted) {
      const isUnlisted = this.#unlisted.has(groupResource(each.resource));
      if (isUnlisted) this.#fail(each, this.#unlisted.get(groupResource(each.resource)));
      if (isUnlisted || each.dependsOn.some((name) => held.has(name))) {
        held.add(each.name);
        continue;
      }
      try {
        const object = await this.#apply(each, found.get(each.id)?.object);
        if (typeof object !== "string") live.set(each.key, object);
        const wait = typeof object === "string" ? object : waitOf(each.ready, object);
        if (wait === undefined) continue;
        held.add(each.name);
        this.#waits.push({ child: each.key, reason: wait });
      } catch (error) {
        held.add(each.name);
        this.#fail(each, error);
      }
    }
  }

  /** Notes that a child cannot be brought in line, unless that is because the attempt is over. */
  #fail({ key, resource, object }: Found & { readonly key: string }, error: unknown): void {
    this.#attempt.signal.throwIfAborted();
    const { name, namespace } = object.metadata;
    const title = `${resource.kind} "${namespace === undefined ? name : `${namespace}/${name}`}"`;
    this.#errors.push({ child: key, title, error });
  }

  /** Kinds of which no child is wanted any more may still have some. Kinds that are not served any more have none. */
  #addUnlisted(wanted: readonly Wanted[]): void {
    for (const [kind, error] of this.#unlisted) {
      const isWanted = wanted.some(({ resource }) => groupResource(resource) === kind);
      const isGone = error instanceof ApiError && error.status === 404;
      if (!isWanted && !isGone) this.#errors.push({ child: kind, title: "to be deleted", error });
    }
  }

  /** Returns the object as it is now; or the condition before which it cannot be applied. */
  async #apply(wanted: Wanted, known: KubeObject | undefined): Promise<KubeObject | string> {
    const { resource, object, force, recreateOn } = wanted;
    if (known?.metadata.deletionTimestamp !== undefined) return "it is being deleted";
    const podless = podlessReason(resource, object.metadata.name, known);
    if (podless !== undefined) throw new Error(podless);
    const manifest = { object, fieldManager: this.#fieldManager };
    if (known !== undefined && (isApplied(known, manifest) || this.#states?.spellings.has(known, manifest))) {
      return withoutOwners(known);
    }
    let live = known ?? await this.#read(wanted);
    if (known === undefined && live !== undefined) refuseForeign(live, wanted, this.#owner);
    if (live !== undefined && recreateOn.length > 0 && await this.#isOther(wanted, live)) {
      if (!await this.#delete({ resource, object: live })) return "it is deleted to be made anew";
      live = undefined;
    }
    return await this.#send(wanted, live, { force });
  }

  /** Returns the object that has the child's name, and was not found by its labels. */
  async #read({ resource, object }: Wanted): Promise<KubeObject | undefined> {
    if (this.#states?.isMissing(resource, object)) return undefined;
    const { name, namespace } = object.metadata;
    const options = { ...this.#call, managedFields: true };
    return await unlessMissing(() => this.#client.get<KubeObject>(resource, { name, namespace }, options));
  }

  /** Whether fields would change that cannot be changed: by the server's answer, as only it knows its defaults. */
  async #isOther(wanted: Wanted, live: KubeObject): Promise<boolean> {
    const { force, recreateOn } = wanted;
    try {
      const after = await this.#send(wanted, live, { force, dryRun: true });
      return recreateOn.some((path) => !isEqualJson(getField(after, path), getField(live, path)));
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 422) throw error;
      const refused = (error.details?.causes ?? []).map(({ field = "" }) => field);
      const paths = recreateOn.map(formatField);
      if (refused.some((field) => paths.some((path) => isWithin(field, path) || isWithin(path, field)))) {
        return true;
      }
      throw error;
    }
  }

  #send(
    { resource, object }: Wanted,
    live: KubeObject | undefined,
    options: { readonly force: boolean; readonly dryRun?: boolean },
  ): Promise<KubeObject> {
    const spellings = options.dryRun === true ? undefined : this.#states?.spellings;
    const request = {
      ...this.#call,
      ...options,
      fieldManager: this.#fieldManager,
      object,
      live,
      spellings,
    };
    return sendApply(this.#client, resource, request);
  }

  /** Deletes the children that are not wanted any more, dependencies of others last; and waits until they have gone. */
  async #remove(all: readonly Found[]): Promise<void> {
    // Labels may have been copied: objects of other owners are left alone.
    const dropped = all.filter(({ object }) =>
      object.metadata.ownerReferences?.some(({ uid }) => uid === this.#uid)
    );
    const stages = [...new Set(dropped.map(stageOf))].sort((a, b) => b - a);
    for (const stage of stages) {
      for (const each of dropped.filter((one) => stageOf(one) === stage)) {
        const key = each.object.metadata.labels?.[CHILD] ?? "";
        try {
          if (await this.#delete(each)) continue;
          this.#waits.push({ child: key, reason: `it is being deleted (${each.resource.kind})` });
        } catch (error) {
          this.#fail({ ...each, key }, error);
        }
      }
      if (this.#errors.length > 0) throw new ChildrenError(this.#errors);
      if (this.#waits.length > 0) this.#wait();
    }
  }

  /** Whether it has gone. */
  async #delete({ resource, object: { metadata } }: Found): Promise<boolean> {
    const { name = "", namespace, uid, deletionTimestamp } = metadata;
    if (deletionTimestamp !== undefined) return false;
    try {
      const options = { ...this.#call, preconditions: { uid }, propagationPolicy: "Background" } as const;
      const answer = await this.#client.delete(resource, { name, namespace }, options);
      return (answer as KubeObject).metadata?.deletionTimestamp === undefined; // else a Status: it has gone
    } catch (error) {
      // 409: another object has its name now.
      if (error instanceof ApiError && (error.status === 404 || error.status === 409)) return true;
      throw error;
    }
  }

  #wait(): never {
    const message = `Waiting for ${
      listSome(this.#waits.map(({ child, reason }) => `"${child}": ${reason}`))
    }`;
    this.#tell(false, "ChildrenNotReady", message);
    throw new Postponed(message, this.#options.delay ?? DELAY);
  }

  #tell(status: boolean, reason: string, message: string): void {
    const { condition } = this.#options;
    if (condition === undefined) return;
    this.#attempt.conditions.set(condition, status, { reason, message: message.slice(0, 32_000) });
  }

  get #uid(): string {
    return this.#owner.metadata.uid ?? "";
  }

  get #noted(): readonly string[] {
    const text = this.#owner.metadata.annotations?.[KINDS + this.#set] ?? "";
    return text.split(" ").filter((name) => /^[a-z0-9.-]+$/.test(name));
  }

  get #call(): { readonly signal: AbortSignal } {
    return { signal: this.#attempt.signal };
  }
}

function stageOf({ object }: Found): number {
  const stage = Number(object.metadata.annotations?.[STAGE] ?? 0);
  return Number.isFinite(stage) ? stage : 0;
}

function isWithin(path: string, above: string): boolean {
  return path === above || path.startsWith(`${above}.`) || path.startsWith(`${above}[`);
}

/** Returns the live objects by the author's names; objects of maps in maps. */
function resultOf(
  desired: DesiredChildren,
  planned: readonly Planned[],
  live: ReadonlyMap<string, KubeObject>,
): Record<string, unknown> {
  const result: Record<string, unknown> = Object.create(null);
  for (const [name, value] of Object.entries(desired)) {
    const isMap = value instanceof Map || (value as { apply?: unknown } | undefined)?.apply instanceof Map;
    result[name] = isMap ? new Map() : undefined;
  }
  for (const { key, name, item } of planned) {
    const object = live.get(key);
    if (object === undefined) continue;
    if (item === undefined) result[name] = object;
    else (result[name] as Map<string, unknown>).set(item, object);
  }
  return result;
}
