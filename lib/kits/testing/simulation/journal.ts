/**
 * The record of a simulated run: each step, request, call of a handler and change of a process, in order, with its time.
 *
 * Invariants are judged by it, stories are told from it, and two runs are the same if their lines are.
 */

import type { HandlerCall } from "../../../engines/calls.ts";
import { digestOf } from "../../../model/encoding.ts";
import { namespacedName } from "../../../model/references.ts";
import type { Seconds } from "../../../runtime/host.ts";

/** A request of an operator, as far as runs look at it. */
export interface SeenRequest {
  /** The process: its number among all of the run. */
  readonly life: number;
  /** Such as "get", "list", "watch", "create", "update", "patch" or "delete". */
  readonly verb: string;
  /** The plural and group, such as "databases.example.com"; "" for discovery and the like. */
  readonly kind: string;
  /** "" where no single object is meant. */
  readonly name: string;
  /** "" in all namespaces, and for kinds without. */
  readonly namespace: string;
  /** Such as "status"; "" for the object itself. */
  readonly subresource: string;
  /** The path of all objects of the kind. */
  readonly collection: string;
}

/** A request that the server has answered, whether or not the operator has seen that. */
export interface AnsweredRequest extends SeenRequest {
  readonly at: Seconds;
  readonly status: number;
  /** Of writes: the version of the object that the answer holds. */
  readonly version?: string;
  /** The uid of the object that went with the request, as its last finalizer was taken off. */
  readonly ended?: string;
}

/** A call of a handler. */
export interface SeenCall {
  readonly at: Seconds;
  /** The process: its number among all of the run. */
  readonly life: number;
  readonly call: HandlerCall;
  /** When it ended; undefined: it has not. */
  end: Seconds | undefined;
  /** Whether its process was killed meanwhile. */
  isCut: boolean;
}

/** One line of the story. */
export interface Line {
  readonly at: Seconds;
  /** "step": a step of the plan; "fault": a request that went wrong; "order": a message that overtakes another one; "process"; "call"; "request"; "finding". */
  readonly sort: "step" | "fault" | "order" | "process" | "call" | "request" | "finding";
  readonly text: string;
  /** The same in words, for people; undefined: it is not told. */
  readonly words?: string;
}

const WORDS: Readonly<Record<string, string>> = {
  success: "it succeeds",
  failure: "it fails for good",
  retry: "it fails, to be tried again",
  children: "its sub-handlers go on",
};

/** Keeps the record of one run. */
export class Journal {
  readonly lines: Line[] = [];
  /** When each step was taken. */
  readonly steps: Seconds[] = [];
  /** The places of the steps that the server has refused, or that had no object. */
  readonly refused: Set<number> = new Set();
  readonly requests: AnsweredRequest[] = [];
  readonly calls: SeenCall[] = [];
  /** The processes by the names under which they hold Leases. */
  readonly identities: Map<string, number> = new Map();
  readonly #now: () => Seconds;
  readonly #running = new Map<HandlerCall, SeenCall>();

  /** @param now Returns the seconds since the beginning of the run. */
  constructor(now: () => Seconds) {
    this.#now = now;
  }

  /** Adds a line. */
  say(sort: Line["sort"], text: string, words?: string): void {
    this.lines.push({ at: this.#now(), sort, text, words });
  }

  /** Takes a request that was answered. */
  answered(request: SeenRequest, answer: Pick<AnsweredRequest, "status" | "version" | "ended">): void {
    this.requests.push({ ...request, ...answer, at: this.#now() });
    this.say("request", `${request.life} ${titleOf(request)} ${answer.status}`);
  }

  /** Takes a call as it begins, and again when it has ended. */
  called(life: number, call: HandlerCall): void {
    const { handler, object, reason = "", retry, outcome } = call;
    const title = `${life} ${handler}(${
      object === undefined ? "" : namespacedName(object)
    }) ${reason} ${retry}`;
    const seen = this.#running.get(call);
    if (seen === undefined) {
      const begun: SeenCall = { at: this.#now(), life, call, end: undefined, isCut: false };
      this.#running.set(call, begun);
      this.calls.push(begun);
      this.say("call", `${title} begins`);
      return;
    }
    this.#running.delete(call);
    if (seen.isCut) return;
    seen.end = this.#now();
    const asked = reason === "" ? "" : ` (${reason})`;
    const error = call.error === undefined ? "" : `: ${shortText(call.error.message)}`;
    this.say(
      "call",
      `${title} ${outcome}`,
      `\`${handler}\` is called for \`${object?.name}\`${asked}: ${WORDS[outcome ?? ""]}${error}`,
    );
  }

  /** Cuts the calls of a process that was killed. */
  cut(life: number): void {
    for (const seen of this.#running.values()) if (seen.life === life) seen.isCut = true;
  }

  /** The calls that go on. */
  get running(): SeenCall[] {
    return [...this.#running.values()].filter(({ isCut }) => !isCut);
  }

  /** The same for the same run, on each runtime. */
  get digest(): string {
    return digestOf(this.text.join("\n"));
  }

  /** All lines as text, without findings: these may hold texts of the runtime. */
  get text(): string[] {
    return this.lines.filter(({ sort }) => sort !== "finding").map(({ at, sort, text }) =>
      `${at.toFixed(3)} ${sort} ${text}`
    );
  }
}

/** How long a text of others may be in a sentence. */
const LONGEST = 160;

/** Returns the beginning of a text. */
export function shortText(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`;
}

/** Returns a request in few words, such as "patch databases.example.com default/a status". */
export function titleOf({ verb, kind, name, namespace, subresource }: SeenRequest): string {
  const object = name === "" ? "" : namespace === "" ? name : `${namespace}/${name}`;
  return [verb, kind, object, subresource].filter((part) => part !== "").join(" ");
}
