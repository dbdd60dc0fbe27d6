/**
 * Answers why an object is, or is not, handled: in words for a person on call who did not write the operator.
 *
 * The obstacles are asked in the order in which an event meets them on its way: the kind, the namespace, the watch, gates, other
 * replicas, the queue, handlers under way, failures, the deletion, waits, filters. The first one is the answer, and the others are facts beside
 * it. An object that the ledger has forgotten is judged anew, by its declarations, its state and its notes. Texts of errors pass
 * `persistence.confidential`. Source: scenario N22.1.
 */

import type { Failure } from "../engines/failures.ts";
import { shardOf } from "../engines/replicas/shard_fence.ts";
import type { CachedObject } from "../client/cache/object_store.ts";
import type { LedgerCall, LedgerEntry } from "../engines/ledger.ts";
import type { ObjectState } from "../execution/object_state.ts";
import { BACKGROUND } from "../handlers/background/background_handler.ts";
import { ChangeArgs } from "../handlers/change/change_args.ts";
import { type ChangeCause, detectReason } from "../handlers/change/change_cause.ts";
import { CHANGE } from "../handlers/change/change_handler.ts";
import { EVENT } from "../handlers/event/event_handler.ts";
import type { Candidate } from "../handlers/filters.ts";
import { mismatchWords } from "../handlers/mismatch_words.ts";
import type { WhySources } from "./why_sources.ts";
import {
  findLast,
  listOf,
  lookWords,
  lower,
  MISSING_RIGHT,
  reasonWords,
  seconds,
  SKIPPED,
} from "./why_words.ts";
import type { ObjectHandler } from "../handlers/handlers.ts";
import { ObjectArgs } from "../handlers/object_args.ts";
import { RECONCILE } from "../handlers/reconcile/reconcile_handler.ts";
import { hideValues } from "../model/confidential.ts";
import { calculateDiff } from "../model/diff.ts";
import { isObject } from "../model/json.ts";
import { isDeleting } from "../model/finalizers.ts";
import type { KubeObject } from "../model/object.ts";
import { Patch } from "../model/patch.ts";
import { groupResource, type Resource } from "../model/resource.ts";
import { matches, parseSelector } from "../model/selector.ts";
import { silentLogger } from "../runtime/logging.ts";
import { currentEssence, handledEssence } from "../settings/persistence/storage.ts";
import { confidentialFieldsOf } from "../settings/server_selectors.ts";

/** The object that is asked about. */
export interface Question {
  /** Plural, singular or kind, with its group where that is not clear: "databases.example.com". */
  readonly kind: string;
  /** Its namespace; absent for cluster-scoped kinds. */
  readonly namespace?: string;
  /** Its name. */
  readonly name: string;
}

/** Reads a question that came from outside. @throws {TypeError} If it is none. */
export function questionFrom(value: unknown): Question {
  const { kind, namespace, name } = isObject(value) ? value : {};
  if (typeof kind !== "string" || kind === "" || typeof name !== "string" || name === "") {
    throw new TypeError("The question names no object: kind and name are needed");
  }
  return { kind, name, ...typeof namespace === "string" && { namespace } };
}

/** An answer. Programs may rely on its form. */
export interface Explanation {
  /** The form of the answer, with its version. */
  readonly format: "lotse.dev/why/v1";
  /** Such as "databases.example.com default/db-1". */
  readonly object: string;
  /** The cause in one sentence. */
  readonly answer: string;
  /** Further sentences, the most important first. */
  readonly facts: readonly string[];
  /** The handlers of the kind, and why each is or is not called now. */
  readonly handlers: readonly { readonly id: string; readonly state: string }[];
  /** The latest looks at the object, the newest first. */
  readonly looks: readonly Look[];
  /** The replica that is responsible, where that is another one: the name of its Pod, "_", and a random part. */
  readonly holder?: string;
}

/** One look of the operator at the object. */
export interface Look {
  /** RFC 3339. */
  readonly time: string;
  /** One sentence: what woke it, what was called, what was written. */
  readonly words: string;
}

/** How many objects are named that keep workers busy. */
const MOST_OTHERS = 9;

/** How many looks are told. */
const MOST_LOOKS = 10;

/** Answers a question. */
export function explain(sources: WhySources, question: Question): Explanation {
  return new Answer(sources, question).compose();
}

class Answer {
  readonly #sources: WhySources;
  readonly #question: Question;
  readonly #sentences: string[] = [];
  #holder: string | undefined;

  constructor(sources: WhySources, question: Question) {
    this.#sources = sources;
    this.#question = question;
  }

  compose(): Explanation {
    const { kind, name } = this.#question;
    const resource = this.#resource();
    const namespace = resource?.namespaced === false ? undefined : this.#question.namespace;
    const place = namespace === undefined ? name : `${namespace}/${name}`;
    if (resource === undefined) return this.#end(`${kind} ${place}`);
    const title = `${groupResource(resource)} ${place}`;
    const { controller } = this.#sources;
    const cached = this.#find(resource, namespace);
    const body = cached?.object;
    this.#tellWay(resource, body);
    if (cached === undefined || body === undefined) return this.#end(title);
    const state = controller.stateOf(cached);
    const record = this.#sources.ledger.of(body);
    if (state !== undefined) this.#tellPause(state);
    if (state !== undefined) this.#tellQueue(state);
    const calls = record?.calls ?? [];
    this.#tellCalls(calls);
    const failures = state === undefined ? [] : this.#sources.failures.of(state);
    const last = record?.entries.at(-1);
    this.#tellFailures(failures, record?.entries ?? []);
    if (failures.length === 0) this.#tellThrottle(state);
    this.#tellDeletion(body);
    this.#tellWaits(last);
    const lacks = this.#sources.lacks();
    if (lacks !== undefined) this.#say(`Indexes are not complete: ${lacks}.`);
    const cause = this.#cause(resource, body, state);
    const handlers = this.#judge(cause, { last, calls, failures });
    const isHandled = cause.reason === "noop" && cause.old !== undefined;
    this.#tellHandlers(handlers, { last, isHandled });
    const looks = [...record?.entries ?? []].reverse().slice(0, MOST_LOOKS);
    return this.#end(title, {
      handlers,
      looks: looks.map((entry, place) => this.#look(entry, place === 0 ? handlers : [], body, resource)),
    });
  }

  /** NB: not `caches.find()`, whose index by name is made at its first use: 2 s for 100,000 objects, and kept from then on. */
  #find(resource: Resource, namespace: string | undefined): CachedObject | undefined {
    const { name } = this.#question;
    for (const cached of this.#sources.caches.values(resource)) {
      const { metadata } = cached.object;
      if (metadata.name === name && metadata.namespace === namespace) return cached;
    }
  }

  #end(object: string, rest: Partial<Pick<Explanation, "handlers" | "looks">> = {}): Explanation {
    const [answer = "Nothing stands in its way: it waits for its next change.", ...facts] = this.#sentences;
    const other = this.#holder === undefined ? {} : { holder: this.#holder };
    return { format: "lotse.dev/why/v1", object, answer, facts, handlers: [], looks: [], ...other, ...rest };
  }

  #say(sentence: string | undefined): void {
    if (sentence !== undefined) this.#sentences.push(sentence);
  }

  /** Finds the kind among those that are watched. */
  #resource(): Resource | undefined {
    const { caches } = this.#sources;
    const { kind } = this.#question;
    const all = caches.resources;
    const selector = parseSelector([kind]);
    const found = all.find((each) => matches(selector, each)) ??
      all.find((each) =>
        [each.kind, each.plural, each.singular].some((name) => name.toLowerCase() === kind.toLowerCase())
      );
    if (found !== undefined) return found;
    const known = all.map(groupResource).join(", ");
    const hold = this.#sources.hold();
    this.#say(
      known === ""
        ? `The operator watches no kinds${hold === undefined ? "" : ` (${hold})`}.`
        : `No handler of this operator is for "${kind}": it watches ${known}.`,
    );
  }

  /** The obstacles between the object and its queue. */
  #tellWay(resource: Resource, body: KubeObject | undefined): void {
    const { serves, watchProblem, hold, holders, isElsewhere } = this.#sources;
    const { namespace } = this.#question;
    if (resource.namespaced && namespace !== undefined && !serves(namespace)) {
      this.#say(`The operator does not serve the namespace "${namespace}" (see -n and -A).`);
    }
    const problem = watchProblem(resource, namespace);
    if (problem !== undefined) {
      this.#say(`The operator does not see the newest state of ${groupResource(resource)}: ${problem}.`);
    }
    const held = hold();
    if (held !== undefined) this.#say(`The whole operator waits: ${held}.`);
    if (body === undefined) {
      this.#say(
        resource.namespaced && namespace === undefined
          ? `No namespace is named: ${groupResource(resource)} are in namespaces (give NAMESPACE/NAME).`
          : held !== undefined || problem !== undefined
          ? "The operator does not know the object (yet): it came when the operator could not see it, or does not exist."
          : "The operator knows no such object: it does not exist, or a selector of `watching` leaves it out.",
      );
    } else if (isElsewhere(body)) {
      const all = holders();
      const shard = shardOf(body.metadata.uid ?? "", all.length);
      const holder = all[shard];
      this.#say(this.#holderWords(shard, holder));
    }
  }

  #holderWords(shard: number, holder: string | undefined): string {
    const { identity } = this.#sources;
    if (holder === undefined) {
      return `No replica is responsible for the object now: nobody holds the Lease of its shard ${shard}. ` +
        `A replica takes the Lease when it has expired${this.#leaseProblem()}.`;
    }
    if (holder !== identity) {
      this.#holder = holder;
      return `Another replica is responsible: ${holder} holds the Lease of the object's shard ${shard}. Ask that one.`;
    }
    return `This replica (${holder}) has stopped its work on the object: it could not renew the Lease of the shard ${shard} in time` +
      `${this.#leaseProblem()}. It goes on when it can, or another replica takes the Lease when it has expired.`;
  }

  #leaseProblem(): string {
    const problem = this.#sources.leaseProblem();
    return problem === undefined ? "" : ` (${problem})`;
  }

  #tellPause(state: ObjectState): void {
    const pause = this.#sources.pauses.of(state);
    if (pause === undefined) return;
    const reason = pause.reason === "" ? "" : ` (${pause.reason})`;
    this.#say(
      `It is paused by its annotation \`${this.#sources.pauses.annotation}\` until ${
        new Date(pause.until).toISOString()
      }${reason}: no handler is called before. Remove the annotation to end the pause.`,
    );
  }

  #tellQueue(state: ObjectState): void {
    const { queue } = this.#sources;
    const item = queue.stateOf(state);
    if (item === undefined) return;
    const { isRunning, waited, isFull } = item;
    if (!isRunning && waited !== undefined && isFull) {
      this.#say(
        `It has waited for a free worker for ${seconds(waited)}: all are busy with ${
          listOf(this.#others())
        }. The setting \`queueing.workerLimit\` says how many objects are handled at once.`,
      );
    }
  }

  /** The objects that are handled now. */
  #others(): readonly string[] {
    return this.#sources.queue.list(MOST_OTHERS).objects.filter(({ state }) => state === "running").map((
      { object, seconds: age },
    ) => `${object} (for ${seconds(age)})`);
  }

  #tellCalls(calls: readonly LedgerCall[]): void {
    const { settings: { execution: { warnAfter } } } = this.#sources;
    for (const { id, noun, seconds: age, retry, time } of calls) {
      if (noun === "Daemon") continue;
      const isStuck = warnAfter !== null && age >= warnAfter;
      const attempt = retry === 0 ? "" : `, attempt ${retry + 1}`;
      const since = new Date(time).toISOString();
      this.#say(
        isStuck
          ? `${noun} "${id}" has run for ${
            seconds(age)
          } (since ${since}${attempt}) and has not ended: no other handler of ` +
            "the object is called before it ends. It waits for an answer that does not come, or loops; " +
            "the handler's option `timeout` would end it."
          : `${noun} "${id}" runs now, for ${seconds(age)} so far${attempt}.`,
      );
    }
  }

  #tellFailures(failures: readonly Failure[], entries: readonly LedgerEntry[]): void {
    const { clock } = this.#sources;
    const last = entries.at(-1);
    for (const { noun, handler, reason, message, attempts, isFinal, due = last?.waits?.due } of failures) {
      const next = due === undefined ? undefined : due - clock.monotonic();
      const refused = findLast(entries, handler)?.outcome === "refused";
      const times = attempts === 1 ? "once" : `${attempts} times in a row`;
      const when = next === undefined || next <= 0 ? "" : `; the next attempt comes in ${seconds(next)}`;
      if (handler === "") {
        const hint = / 403 Forbidden/.test(message) ? MISSING_RIGHT : "";
        this.#say(`The operator cannot finish with the object: ${reason}: ${message}${when}.${hint}`);
      } else if (isFinal) {
        const again = noun === "Daemon"
          ? "this process starts it no more"
          : "it is called again when the object changes";
        this.#say(`${noun} "${handler}" has given up: ${reason}: ${message}; ${again}.`);
      } else if (refused) {
        const words = message.replace(/^The server refuses what was written: /, "");
        this.#say(`Handler "${handler}" succeeds, but the API server refuses its writes: ${words}${when}.`);
      } else {
        const hint = / 403 Forbidden/.test(message) ? MISSING_RIGHT : "";
        this.#say(`${noun} "${handler}" has failed ${times}: ${reason}: ${message}${when}.${hint}`);
      }
    }
  }

  #tellThrottle(state: ObjectState | undefined): void {
    const item = state && this.#sources.queue.stateOf(state);
    if (state === undefined || item?.plan !== "throttled" || item.isRunning) return;
    const loop = this.#sources.loopOf(state);
    if (loop === undefined) return;
    const { fields, managers } = loop;
    const others = managers.filter((each) => each !== this.#sources.settings.networking.fieldManager);
    this.#say(
      `It is slowed down, as it is in a hot loop: the operator's own writes of ${listOf(fields)} ` +
        (others.length === 0 ? "call" : `and those of ${listOf(others)}, which writes the same, call`) +
        " for the next write, again and again. No event is handled before a pause of a minute at most is over.",
    );
  }

  #tellDeletion(body: KubeObject): void {
    if (!isDeleting(body)) return;
    const { settings: { persistence: { finalizer } } } = this.#sources;
    const { finalizers = [], deletionTimestamp = "" } = body.metadata;
    const others = finalizers.filter((each) => each !== finalizer);
    const since = ` since ${deletionTimestamp}`;
    if (others.length === finalizers.length) {
      this.#say(
        `It is being deleted${since}, and our part is done: it waits for ${
          listOf(others)
        }, which other programs must take off.`,
      );
    } else {
      this.#say(
        `It is being deleted${since}: our finalizer is on it until the deletion handlers have ended` +
          (others.length === 0 ? "." : `; ${listOf(others)} are those of other programs.`),
      );
    }
  }

  #tellWaits(last: LedgerEntry | undefined): void {
    if (last?.waits === undefined) return;
    const rest = last.waits.due - this.#sources.clock.monotonic();
    if (rest <= 0) return;
    for (const { id, outcome, waitsFor = "its sub-handlers are unfinished" } of last.handlers) {
      if (outcome !== "children") continue;
      this.#say(
        `Handler "${id}" has not finished: ${lower(waitsFor)}. It is called again in ${
          seconds(rest)
        } at the latest.`,
      );
    }
  }

  /** Says of each handler of the kind whether it is called for the object as it is now. */
  #judge(
    cause: ChangeCause,
    { last, calls, failures }: {
      readonly last: LedgerEntry | undefined;
      readonly calls: readonly LedgerCall[];
      readonly failures: readonly Failure[];
    },
  ): Explanation["handlers"] {
    const { registry, settings } = this.#sources;
    const { resource, body } = cause;
    const ofKind = registry.of(resource);
    const confidential = confidentialFieldsOf(settings.persistence, resource);
    const plain: Candidate = { body, args: () => new ObjectArgs(cause) };
    const changed: Candidate = { body, change: cause, args: () => new ChangeArgs(cause) };
    const judged: { id: string; state: string }[] = [];
    const judge = (id: string, words: string | undefined, fine: string): void => {
      const isRunning = calls.some((call) => call.id === id);
      const failure = failures.find(({ handler }) => handler === id);
      const outcome = last?.handlers.find((each) => each.id === id)?.outcome;
      const present = isRunning
        ? "runs now"
        : failure !== undefined
        ? failure.isFinal ? "has given up" : "is tried again"
        : words !== undefined
        ? `${SKIPPED}${words}`
        : outcome === "success"
        ? "was called, and has succeeded"
        : fine;
      judged.push({ id, state: present });
    };
    for (const handler of ofKind.of(CHANGE)) {
      const byFilter = mismatchWords({ filters: handler, candidate: changed, confidential });
      const isSame = cause.diff.length === 0 && byFilter?.endsWith("has not changed") === true;
      judge(
        handler.id,
        isSame ? reasonWords(handler, cause) ?? byFilter : byFilter ?? reasonWords(handler, cause),
        "is to be called",
      );
    }
    const others: readonly (readonly [readonly ObjectHandler[], string])[] = [
      [ofKind.of(EVENT), "is called for each event"],
      [ofKind.of(BACKGROUND), "is there for the object"],
      [ofKind.of(RECONCILE), "is called at each change"],
    ];
    for (const [list, words] of others) {
      for (const handler of list) {
        judge(handler.id, mismatchWords({ filters: handler, candidate: plain, confidential }), words);
      }
    }
    return judged;
  }

  #tellHandlers(
    handlers: Explanation["handlers"],
    { last, isHandled }: { readonly last: LedgerEntry | undefined; readonly isHandled: boolean },
  ): void {
    if (handlers.length === 0) {
      this.#say(
        "No handler is for objects of this kind themselves: they are watched for the sake of others.",
      );
      return;
    }
    const skipped = handlers.filter(({ state }) => state.startsWith(SKIPPED));
    if (skipped.length === handlers.length) {
      const words = skipped.map(({ id, state }) => `${id}: ${state.slice(SKIPPED.length)}`);
      const why = isHandled
        ? "The object has not changed since it was handled, so no handler is called now."
        : "No handler is called for it now.";
      this.#say(`${why} ${words.join("; ")}.`);
    }
    if (last?.isPassed === true) {
      this.#say(`Its latest change was of ${listOf(last.changed)}, at which no handler looks.`);
    }
  }

  #cause(resource: Resource, body: KubeObject, state: ObjectState | undefined): ChangeCause {
    const { settings: { persistence }, registry } = this.#sources;
    const { fields: extraFields } = registry.of(resource);
    const confidential = confidentialFieldsOf(persistence, resource);
    const old = handledEssence(persistence, body, { extraFields, confidential });
    const current = currentEssence(persistence, body, { extraFields });
    const diff = calculateDiff(old, current);
    const { reason, initial } = detectReason({
      body,
      finalizer: persistence.finalizer,
      hasOld: old !== undefined,
      hasDiff: diff.length > 0,
      initial: false,
    });
    return {
      reason,
      initial,
      resource,
      body,
      memo: state?.memo ?? {},
      old,
      new: current,
      diff,
      patch: new Patch(),
      logger: silentLogger(),
      indices: {},
    };
  }

  #look(entry: LedgerEntry, handlers: Explanation["handlers"], body: KubeObject, resource: Resource): Look {
    const words = lookWords(entry, { judged: handlers, hide: (text) => this.#hidden(text, body, resource) });
    return { time: new Date(entry.time).toISOString(), words };
  }

  #hidden(text: string, body: KubeObject, resource: Resource): string {
    return hideValues(text, confidentialFieldsOf(this.#sources.settings.persistence, resource), body);
  }
}
