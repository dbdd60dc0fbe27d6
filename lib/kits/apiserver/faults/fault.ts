/**
 * The ways in which requests go wrong between a client and the API server, and which requests do.
 *
 * Faults are data, so that they can be written down, drawn by a seed and printed.
 */

import type { Seconds } from "../../../runtime/host.ts";

/** One way in which a request goes wrong. */
export type Fault =
  | RefuseFault
  | AnswerFault
  | ResetFault
  | SilenceFault
  | DelayFault
  | CutFault
  | ErrorEventFault
  | LagFault
  | DuplicateFault
  | ReorderFault;

/**
 * Whether a fault strikes before the server serves the request, or after that: then a write was applied, and its client does not
 * know.
 */
export type FaultTime = "before" | "after";

/** The server says no. */
export interface RefuseFault {
  /** The kind of fault. */
  readonly type: "refuse";
  /** The HTTP status, such as 409, 410, 429 or 503. */
  readonly code: number;
  /** Default: Kubernetes' reason for the code, such as "Conflict". */
  readonly reason?: string;
  /** Default: says that it is a fault. */
  readonly message?: string;
  /** Sent as `Retry-After`. Default: not sent. */
  readonly retryAfter?: Seconds;
  /** Default: "before". */
  readonly when?: FaultTime;
}

/** Another program than the server answers, such as a proxy. */
export interface AnswerFault {
  /** The kind of fault. */
  readonly type: "answer";
  /** Default: 200. */
  readonly code?: number;
  /** The text of the answer. */
  readonly body: string;
  /** Default: "application/json". */
  readonly contentType?: string;
  /** Default: "before". */
  readonly when?: FaultTime;
}

/** The connection breaks before anything has come back. */
export interface ResetFault {
  /** The kind of fault. */
  readonly type: "reset";
  /** Default: "before". */
  readonly when?: FaultTime;
}

/**
 * No data comes any more, and the stream does not end. A request is never answered, unless `lines` are let through of a stream
 * first (0: only the head of the answer).
 */
export interface SilenceFault {
  /** The kind of fault. */
  readonly type: "silence";
  /** How many lines of the answer come before. Default: not even its head. */
  readonly lines?: number;
  /** Default: "before". */
  readonly when?: FaultTime;
}

/** The server takes its time; with two numbers, one drawn between them. Other faults may strike afterwards. */
export interface DelayFault {
  /** The kind of fault. */
  readonly type: "delay";
  /** How long. In seconds. */
  readonly seconds: Seconds | readonly [least: Seconds, most: Seconds];
}

/** The answer breaks off. */
export interface CutFault {
  /** The kind of fault. */
  readonly type: "cut";
  /** How many lines come before. Default: 0. */
  readonly lines?: number;
  /** Where: after these lines, in the middle of the next one, or in the middle of a character of it. Default: "line-end". */
  readonly where?: "line-end" | "line" | "character";
  /** "end" ends the stream properly. Default: "reset". */
  readonly how?: "reset" | "end";
}

/** A watch ends with an ERROR event. */
export interface ErrorEventFault {
  /** The kind of fault. */
  readonly type: "error-event";
  /** Such as 410. */
  readonly code: number;
  /** How many events come before. Default: 0. */
  readonly lines?: number;
}

/** Each line of the answer comes later by so much: a watch that is behind. */
export interface LagFault {
  /** The kind of fault. */
  readonly type: "lag";
  /** How long. In seconds. */
  readonly seconds: Seconds | readonly [least: Seconds, most: Seconds];
}

/** Each event comes twice. */
export interface DuplicateFault {
  /** The kind of fault. */
  readonly type: "duplicate";
}

/** The first two events change places. */
export interface ReorderFault {
  /** The kind of fault. */
  readonly type: "reorder";
}

/** A request, as far as faults choose by it. */
export interface FaultedRequest {
  /** Such as "get", "list", "watch", "create", "update", "patch", "delete" or "deletecollection". */
  readonly verb: string;
  /** Without the query. */
  readonly path: string;
  /** The parameters after the path. */
  readonly query: URLSearchParams;
  /** "" for the core group, and for paths that are no resources. */
  readonly group: string;
  /** The plural, such as "pods"; "" for paths that are no resources, such as /version. */
  readonly resource: string;
  /** Such as "status"; "" for the object itself. */
  readonly subresource: string;
  /** "" where no single object is meant. */
  readonly name: string;
  /** "" in all namespaces, and for kinds without. */
  readonly namespace: string;
  /** All that were sent. */
  readonly headers: Headers;
}

/** A fault, and the requests that it is meant for. A member that is left out fits any request. */
export interface FaultRule {
  /** The way in which it goes wrong; of several, one is drawn each time. */
  readonly fault: Fault | readonly Fault[];
  /** The verbs, such as "patch" and "watch". */
  readonly verbs?: readonly string[];
  /** The plural, such as "databases". Default: all resources; discovery and health are let through. */
  readonly resource?: string;
  /** The API group; "" is the core. */
  readonly group?: string;
  /** Such as "status"; "" is the object itself. */
  readonly subresource?: string;
  /** The name of the object. */
  readonly name?: string;
  /** The namespace of the object. */
  readonly namespace?: string;
  /** The beginning of the `User-Agent`: to strike one client and not the others. */
  readonly userAgent?: string;
  /** A question of one's own, after all others. With it, paths that are no resources are asked about as well. */
  readonly when?: (request: FaultedRequest) => boolean;
  /** How many requests are struck. Default: 1; Infinity: all. */
  readonly times?: number;
  /** The probability that a request that fits is struck: 0 to 1. Default: 1. */
  readonly rate?: number;
  /** The beginning of chance: the same seed, the same faults for the same requests. Default: 1. */
  readonly seed?: number;
}

/** A fault that waits for its requests. */
export interface InjectedFault extends Disposable {
  /** How many requests it has struck. */
  readonly struck: number;
  /** How many it may still strike. */
  readonly left: number;
  /** Takes it back. */
  remove(): void;
}
