/**
 * Traffic that is held: writes, their answers, answers to reads and events of watches wait until the exploration lets one of them arrive.
 *
 * Everything else (discovery, lists, reviews, Leases, bookmarks) arrives by itself: its order decides about nothing that a handler sees.
 */

import { currentArguments } from "../../../execution/invoke.ts";
import { isObject } from "../../../model/json.ts";
import { groupResource, type Resource } from "../../../model/resource.ts";
import type { Seconds } from "../../../runtime/host.ts";
import { parseJson } from "../../../runtime/json.ts";
import type { VirtualClock } from "../../../runtime/virtual/clock.ts";
import { type SeenRequest, titleOf } from "../simulation/journal.ts";
import type { Leg, Passage, Traffic } from "../simulation/traffic.ts";
import { connectionReset, isAuthorsWrite, isChore } from "../simulation/wire.ts";

/** A message that waits. */
export interface Message {
  readonly sort: "request" | "answer" | "event";
  /** The request that it belongs to. */
  readonly request: SeenRequest;
  /** The same in each repetition of a run, and of no other message of the run. */
  readonly label: string;
  /** The message in words. */
  readonly words: string;
  /** The object of the plan that it is about, by kind and name; undefined: this is not known. */
  readonly subject: string | undefined;
  /** Its content, for comparisons of states. */
  readonly content: unknown;
  /** When it was sent: the number of messages that had arrived before. */
  readonly sent: number;
  /** Lets it arrive, or lets its connection break. */
  release(fate?: "lost"): void;
}

/** Options of held traffic. */
export interface HeldTrafficOptions {
  readonly clock: VirtualClock;
  /** The kinds of planned objects. */
  readonly kinds: ReadonlyMap<string, Resource>;
  /** Whether answers to reads of handlers wait, too. */
  readonly holdsReads: boolean;
  /** Is told of each request that a handler, or the framework for an object, makes. */
  readonly onRequest: (request: SeenRequest, subject: string | undefined) => void;
}

/** The events of one watch that wait. */
interface Channel {
  readonly waiting: (Message & { readonly isAuto: boolean })[];
  readonly request: SeenRequest;
  /** How many events of each object it has told of. */
  readonly counts: Map<string, number>;
  /** The newest state of each object that has arrived. */
  readonly arrived: Map<string, unknown>;
  /** Whether the objects that were there at its beginning are still being told. */
  isListing: boolean;
}

/** How long a request takes while messages are held; and while all pass, so that a loop makes few rounds until it is recognised. */
const QUICK: Seconds = 0.001;
const SLOW: Seconds = 0.3;

/** The reason why a message waits no more. */
const ARRIVED = "arrived";

const INITIAL_END = "k8s.io/initial-events-end";

/** Held traffic. */
export class HeldTraffic implements Traffic {
  readonly #options: HeldTrafficOptions;
  readonly #requests = new Set<Message>();
  readonly #channels = new Set<Channel>();
  /** Which planned object an object of another kind belongs to, by the writes of handlers. */
  readonly #owners = new Map<string, string>();
  #isOpen = true;
  /** How long a request takes that is not held. */
  #pace = QUICK;
  #arrivals = 0;
  /** How many messages are on their way by themselves. */
  travelling = 0;

  constructor(options: HeldTrafficOptions) {
    this.#options = options;
  }

  /** Holds all messages from now on. */
  hold(): void {
    this.#isOpen = false;
    this.#pace = QUICK;
  }

  /** Lets all messages pass from now on. */
  release(): void {
    this.#isOpen = true;
    this.#pace = SLOW;
    for (const message of [...this.#requests]) message.release();
    for (const channel of this.#channels) this.#flush(channel);
  }

  /** The messages that may arrive next, in the order in which they were sent; of one watch only the first. */
  next(): Message[] {
    const heads = [...this.#channels].flatMap(({ waiting }) => waiting.slice(0, 1));
    return [...this.#requests, ...heads].sort((a, b) =>
      a.sent - b.sent || (a.label < b.label ? -1 : a.label > b.label ? 1 : 0)
    );
  }

  /** All messages that wait. */
  all(): Message[] {
    return [...this.#requests, ...[...this.#channels].flatMap(({ waiting }) => waiting)];
  }

  /** The objects that each watch of a process has told of, as they arrived. */
  told(life: number): { readonly kind: string; readonly objects: ReadonlyMap<string, unknown> }[] {
    return [...this.#channels].filter(({ request }) => request.life === life)
      .map(({ request: { kind }, arrived }) => ({ kind, objects: arrived }));
  }

  /** Lets events arrive that tell a process nothing, as it knows the object in this state, or in a later one. Returns whether there were any. */
  deliverKnown(isKnown: (event: Message) => boolean): boolean {
    let isAny = false;
    for (const channel of this.#channels) {
      for (let [first] = channel.waiting; first !== undefined && isKnown(first); [first] = channel.waiting) {
        first.release();
        isAny = true;
      }
    }
    return isAny;
  }

  /** Drops all messages of a process that was killed. */
  drop(life: number): void {
    for (const message of [...this.#requests]) if (message.request.life === life) message.release();
    for (const channel of [...this.#channels]) {
      if (channel.request.life === life) this.#channels.delete(channel);
    }
  }

  open(request: SeenRequest, number: number, { url }: Request): Passage {
    const { clock, onRequest } = this.#options;
    const subject = this.#subjectOf(request);
    const title = `${request.life} ${titleOf(request)} #${number}`;
    const isWrite = isAuthorsWrite(request);
    const isReadOfHandler = isRead(request);
    // NB: the name of an object that is created stands in the body alone.
    if (isReadOfHandler || (isWrite && request.name !== "")) onRequest(request, subject);
    const channel: Channel = {
      waiting: [],
      request,
      counts: new Map(),
      arrived: new Map(),
      isListing: url.includes("sendInitialEvents=true"),
    };
    return {
      pass: async (leg) => {
        const isHeld = isWrite || (this.#options.holdsReads && leg.sort === "answer" && isReadOfHandler);
        if (!isHeld || this.#isOpen) {
          this.travelling += 1;
          if (leg.sort === "request") await clock.sleep(this.#pace);
          this.travelling -= 1;
          return;
        }
        await this.#wait(leg, { request, subject, title });
      },
      stream: (line, arrive) => {
        this.#channels.add(channel);
        channel.waiting.push(this.#eventOf(line, arrive, channel));
        this.#flush(channel);
      },
      close: () => void this.#channels.delete(channel),
    };
  }

  async #wait(
    leg: Leg,
    { request, subject, title }: {
      readonly request: SeenRequest;
      readonly subject: string | undefined;
      readonly title: string;
    },
  ): Promise<void> {
    const text = leg.sort === "request" ? await leg.request.clone().text() : leg.text;
    const body: unknown = text === "" ? "" : parseJson(text);
    if (leg.sort === "request" && request.name === "") {
      this.#options.onRequest({ ...request, name: nameIn(body) }, subject);
    }
    const arrival = new AbortController();
    let isLost = false;
    const what = `the operator's ${wordsOf(request)}`;
    const message: Message = {
      sort: leg.sort,
      request,
      subject,
      label: `${leg.sort} ${title}`,
      words: leg.sort === "request" ? what : `the answer to ${what}`,
      content: [body, leg.sort === "answer" ? leg.status : 0],
      sent: this.#arrivals,
      release: (fate) => {
        this.#requests.delete(message);
        this.#arrivals += 1;
        isLost = fate === "lost";
        // NB: without a reason of our own, each would make an error.
        arrival.abort(ARRIVED);
      },
    };
    this.#requests.add(message);
    await this.#options.clock.sleep(Infinity, arrival.signal);
    if (isLost) throw connectionReset();
  }

  #eventOf(line: string, arrive: () => void, channel: Channel): Channel["waiting"][number] {
    const { request, counts } = channel;
    const event: unknown = line === "" ? undefined : parseJson(line);
    const [type, object] = isObject(event) && isObject(event.object)
      ? [String(event.type), event.object]
      : ["", {}];
    const metadata = isObject(object.metadata) ? object.metadata : {};
    const name = `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
    const isObjects = ["ADDED", "MODIFIED", "DELETED"].includes(type);
    const isAuto = !isObjects || channel.isListing || isChore(request.kind);
    if (type === "BOOKMARK" && isObject(metadata.annotations) && INITIAL_END in metadata.annotations) {
      channel.isListing = false;
    }
    const number = (counts.get(name) ?? 0) + 1;
    counts.set(name, number);
    const key = `${request.kind} ${metadata.name ?? ""}`;
    const message: Channel["waiting"][number] = {
      sort: "event",
      request,
      isAuto,
      subject: this.#options.kinds.has(request.kind) ? key : this.#owners.get(key),
      label: `event ${request.life} ${request.kind} ${name} ${type} #${number}`,
      words: `the event ${type} of \`${metadata.name}\``,
      content: [type, object],
      sent: this.#arrivals,
      release: () => {
        channel.waiting.shift();
        this.#arrivals += 1;
        if (isObjects) {
          if (type === "DELETED") channel.arrived.delete(name);
          else channel.arrived.set(name, object);
        }
        arrive();
        this.#flush(channel);
      },
    };
    return message;
  }

  /** Lets events arrive that need no choice. */
  #flush({ waiting }: Channel): void {
    while (waiting[0] !== undefined && (this.#isOpen || waiting[0].isAuto)) waiting[0].release();
  }

  /** Returns the planned object that a request is made for. */
  #subjectOf(request: SeenRequest): string | undefined {
    const own = `${request.kind} ${request.name}`;
    const isPlanned = this.#options.kinds.has(request.kind) && request.name !== "";
    const subject = subjectOfHandler() ?? (isPlanned ? own : this.#owners.get(own));
    if (subject !== undefined && request.name !== "" && isAuthorsWrite(request)) {
      this.#owners.set(own, subject);
    }
    return subject;
  }
}

/** Whether a request reads objects for a handler, and not for a cache. */
function isRead({ verb, kind }: SeenRequest): boolean {
  return (verb === "get" || verb === "list") && !kind.startsWith("/") && !isChore(kind) &&
    subjectOfHandler() !== undefined;
}

/** Returns the object of the handler that runs. */
function subjectOfHandler(): string | undefined {
  const args = currentArguments();
  if (typeof args !== "object" || args === null || !("resource" in args) || !("name" in args)) {
    return undefined;
  }
  const { resource, name } = args;
  // The resource of a handler's arguments.
  return isObject(resource) ? `${groupResource(resource as unknown as Resource)} ${name}` : undefined;
}

function nameIn(body: unknown): string {
  const { metadata } = isObject(body) ? body : {};
  return isObject(metadata) && typeof metadata.name === "string" ? metadata.name : "";
}

function wordsOf({ verb, kind, name, subresource }: SeenRequest): string {
  const what = name === "" ? kind : `\`${name}\``;
  return `${verb} of ${subresource === "" ? "" : `${subresource} of `}${what}`;
}
