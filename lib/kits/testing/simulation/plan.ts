/**
 * The plan of a simulated run: the steps that happen to objects, to requests and to processes, as data.
 *
 * A plan is drawn from a seed, shrunk, printed in a test, and run again; so it holds everything that a run depends on beside the
 * author's code.
 */

import type { JsonObject } from "../../../model/object.ts";
import type { Seconds } from "../../../runtime/host.ts";

/** An object of a plan. */
export interface PlannedObject {
  /** Its plural and group, such as "databases.example.com"; "configmaps" in the core group. */
  readonly kind: string;
  /** Its name, in the namespace "default" where its kind has namespaces. */
  readonly name: string;
}

/** A client creates an object; one of that name that is still there is left alone. */
export interface CreateStep extends PlannedObject {
  /** The kind of step. */
  readonly do: "create";
  /** The object without kind and name: spec, labels and the like. */
  readonly body: JsonObject;
}

/** A client changes an object, by a merge patch. */
export interface EditStep extends PlannedObject {
  /** The kind of step. */
  readonly do: "edit";
  /** The merge patch. */
  readonly patch: JsonObject;
}

/** A client deletes an object. */
export interface DeleteStep extends PlannedObject {
  /** The kind of step. */
  readonly do: "delete";
}

/** Another program writes onto an object: metadata or status that are none of the operator's. */
export interface WriteStep extends PlannedObject {
  /** The kind of step. */
  readonly do: "write";
  /** The merge patch. */
  readonly patch: JsonObject;
  /** Such as "status". Default: the object itself. */
  readonly subresource?: string;
}

/** Another program puts its finalizer on an object, or takes it off. */
export interface HoldStep extends PlannedObject {
  /** The kind of step. */
  readonly do: "hold" | "release";
}

/** The ways in which a request of the operator goes wrong. */
export type RequestFault =
  /** Answered with that code, not applied. */
  | "409"
  | "410"
  | "422"
  | "429"
  | "500"
  | "503"
  /** The connection breaks before the request has arrived. */
  | "unsent"
  /** The request is applied; then the connection breaks, or the answer says 504. */
  | "lost"
  | "504"
  /** The answer takes 20 seconds. */
  | "slow";

/** Requests of the operator go wrong. */
export interface FailStep {
  /** The kind of step. */
  readonly do: "fail";
  /** Their fate. */
  readonly fault: RequestFault;
  /** Which of its requests. */
  readonly requests: "writes" | "lists" | "watches" | "reads";
  /** How many of them pass before. */
  readonly after: number;
  /** How many go wrong in a row. */
  readonly times: number;
}

/** A fault strikes the watches of all processes. */
export interface WatchStep {
  /** The kind of step: they break, fall silent, end with 410, or end because the server forgets its past. */
  readonly do: "break" | "silence" | "expire" | "compact";
}

/** For some time no event of a watch arrives; then all of them do, in their order. */
export interface LagStep {
  /** The kind of step. */
  readonly do: "lag";
  /** For how long. */
  readonly seconds: Seconds;
}

/** All watches break, and for some time there is neither a watch nor a list. */
export interface GapStep {
  /** The kind of step. */
  readonly do: "gap";
  /** For how long. */
  readonly seconds: Seconds;
  /** Whether the server forgets meanwhile what has happened, so that objects have to be listed anew. */
  readonly forgets: boolean;
}

/** Another program deletes a child of a kind that the operator owns (`op.owns`) for a kind that it reconciles. */
export interface HarmStep {
  /** The kind of step. */
  readonly do: "harm";
  /** Which of the children, by their names, counted round and round. */
  readonly number: number;
}

/** A person pauses an object, by the annotation. */
export interface PauseStep extends PlannedObject {
  /** The kind of step. */
  readonly do: "pause";
  /** For how long. */
  readonly seconds: Seconds;
}

/** The moments of a process' life at which it can be killed. */
export type KillMoment = "now" | "sent" | "applied" | "answered";

/** A process ends at once, as by `kill -9`; another one takes its place. */
export interface KillStep {
  /** The kind of step. */
  readonly do: "kill";
  /** Which process: its place among the replicas. */
  readonly replica: number;
  /** When: now, or at a write: before it arrives, after it was applied, or after its answer has come. */
  readonly at: KillMoment;
  /** How many writes pass before that one. */
  readonly after: number;
  /** How long it takes until the next process starts in its place. */
  readonly down: Seconds;
}

/** A process is stopped in order, and another one takes its place. */
export interface RestartStep {
  /** The kind of step. */
  readonly do: "restart";
  /** Which process: its place among the replicas. */
  readonly replica: number;
}

/** A process does not run for some time, with its machine or without, or has no network. */
export interface SuspendStep {
  /** The kind of step. */
  readonly do: "suspend" | "suspend-machine" | "isolate";
  /** Which process: its place among the replicas. */
  readonly replica: number;
  /** For how long. */
  readonly seconds: Seconds;
}

/** The wall clock of a process is set. */
export interface ClockStep {
  /** The kind of step. */
  readonly do: "set-clock";
  /** Which process: its place among the replicas. */
  readonly replica: number;
  /** By how much; negative: back. */
  readonly seconds: Seconds;
}

/** The Leases of the operator are taken away. */
export interface LeaseStep {
  /** The kind of step. */
  readonly do: "delete-leases";
}

/** The actions of a plan. */
export type Action =
  | CreateStep
  | EditStep
  | DeleteStep
  | WriteStep
  | HoldStep
  | PauseStep
  | HarmStep
  | FailStep
  | WatchStep
  | LagStep
  | GapStep
  | KillStep
  | RestartStep
  | SuspendStep
  | ClockStep
  | LeaseStep;

/** One step of a plan: an action, and the time that passes after it. */
export type Step = Action & {
  /** How much time passes after it. Default: none; the next step comes while this one is still on its way. */
  readonly wait?: Seconds;
};

/** A whole run. */
export interface Plan {
  /** The delays of requests and events are drawn from it. */
  readonly seed: number;
  /** The steps, in order. */
  readonly steps: readonly Step[];
  /** Whether a new process looks at the result of the run. Default: false. */
  readonly probe?: boolean;
  /** Whether the result is compared with the result of a calm run. Default: false. */
  readonly compare?: boolean;
}

/** Actions on objects, by clients and other programs: calm runs have them as well. */
const OBJECT_ACTIONS: readonly Action["do"][] = ["create", "edit", "delete", "write", "hold", "release"];

/** Whether a step is about an object, and no fault. */
export function isAboutObject(
  step: Step,
): step is Step & (CreateStep | EditStep | DeleteStep | WriteStep | HoldStep) {
  return OBJECT_ACTIONS.includes(step.do);
}

/** The fate of a request in words. */
export const FAULT_WORDS: Readonly<Record<RequestFault, string>> = {
  "409": "is answered with 409 (conflict)",
  "410": "is answered with 410 (expired)",
  "422": "is answered with 422 (invalid)",
  "429": "is answered with 429 (too many requests)",
  "500": "is answered with 500",
  "503": "is answered with 503",
  "504": "is applied, and answered with 504",
  "unsent": "does not arrive",
  "lost": "is applied, its answer lost",
  "slow": "is answered after 20 s",
};

const NOUNS: Readonly<Record<FailStep["requests"], string>> = {
  writes: "write",
  lists: "list",
  watches: "watch",
  reads: "read",
};

const WATCH_WORDS: Readonly<Record<WatchStep["do"], string>> = {
  break: "All watches break",
  silence: "All watches fall silent",
  expire: "All watches end with 410",
  compact: "The server forgets its past, and all watches break",
};

/** Returns a step as a sentence without its full stop. */
export function describeStep(step: Step): string {
  switch (step.do) {
    case "create":
      return `Create \`${step.name}\` with ${shortJson(step.body)}`;
    case "edit":
      return `Edit \`${step.name}\`: ${shortJson(step.patch)}`;
    case "delete":
      return `Delete \`${step.name}\``;
    case "write":
      return `Another program writes ${shortJson(step.patch)} onto \`${step.name}\``;
    case "hold":
      return `Another program puts its finalizer on \`${step.name}\``;
    case "release":
      return `Another program takes its finalizer off \`${step.name}\``;
    case "fail": {
      const { after, times } = step;
      const which = after === 0 ? "next" : `${ordinal(after + 1)}`;
      const what = NOUNS[step.requests];
      const more = times > 1
        ? `, and so ${times === 2 ? "is the one" : `are the ${times - 1}`} after it`
        : "";
      return `The ${which} ${what} of the operator ${FAULT_WORDS[step.fault]}${more}`;
    }
    case "break":
    case "silence":
    case "expire":
    case "compact":
      return WATCH_WORDS[step.do];
    case "kill":
      return `Kill ${processOf(step)}${momentOf(step)}; the next process starts after ${step.down} s`;
    case "lag":
      return `No event of a watch arrives for ${step.seconds} s`;
    case "gap":
      return `All watches break, and the operator can neither list nor watch for ${step.seconds} s${
        step.forgets ? "; the server forgets its past meanwhile" : ""
      }`;
    case "harm":
      return "Another program deletes an object that the operator has made";
    case "pause":
      return `A person pauses \`${step.name}\` for ${step.seconds} s`;
    case "restart":
      return `Stop ${processOf(step)} in order, and start another one`;
    case "suspend":
      return `Suspend ${processOf(step)} for ${step.seconds} s`;
    case "suspend-machine":
      return `Suspend the machine of ${processOf(step)} for ${step.seconds} s`;
    case "isolate":
      return `Cut ${processOf(step)} off from the network for ${step.seconds} s`;
    case "set-clock":
      return `Set the wall clock of ${processOf(step)} ${step.seconds < 0 ? "back" : "forward"} by ${
        Math.abs(step.seconds)
      } s`;
    case "delete-leases":
      return "Delete the operator's Leases";
  }
}

function processOf({ replica }: { readonly replica: number }): string {
  return replica === 0 ? "the operator" : `replica ${replica}`;
}

function momentOf({ at, after }: KillStep): string {
  const which = after === 0 ? "its next write" : `its ${ordinal(after + 1)} write`;
  switch (at) {
    case "now":
      return "";
    case "sent":
      return ` as it sends ${which}`;
    case "applied":
      return ` when ${which} was applied, and before its answer`;
    case "answered":
      return ` when ${which} was answered`;
  }
}

function ordinal(number: number): string {
  return number === 2 ? "second" : number === 3 ? "third" : `${number}th`;
}

/** How long JSON may be in a sentence. */
const LONGEST = 120;

function shortJson(value: JsonObject): string {
  const text = JSON.stringify(value);
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`;
}
