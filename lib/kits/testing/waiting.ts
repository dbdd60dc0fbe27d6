/**
 * Waits until an object or a condition is as expected; where that does not come, the error tells the last state and the run's
 * story.
 */

import type { Client } from "../../client/client.ts";
import { ApiError } from "../../client/errors.ts";
import { isObject } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import type { ObjectReference } from "../../model/references.ts";
import { pathOf, type Resource } from "../../model/resource.ts";
import type { Address } from "../../operator/api.ts";
import { findKind } from "../../registry/find_kind.ts";
import type { ResourceType } from "../../registry/resource.ts";
import type { Seconds } from "../../runtime/host.ts";
import { formatJson } from "../../runtime/json.ts";
import { differences, type Expected, show } from "./expectations.ts";
import { title } from "./report.ts";
import type { RunTime } from "./time.ts";

/** How to wait. */
export interface UntilOptions {
  /**
   * How long at most. Default: an hour, of which all but the first 20 seconds may take four seconds of the processor; 30 seconds
   * on a real cluster.
   */
  readonly within?: Seconds;
}

interface WaitOptions extends UntilOptions {
  readonly client: Client;
  readonly time: RunTime;
  /** @throws The error that the operator failed with, once. */
  readonly check: () => void;
  /** Returns lines about the run, and about one object. */
  readonly tell: (reference?: ObjectReference) => readonly string[];
}

/** Waits until the condition returns a true value, and returns that. */
export async function untilTrue(condition: () => unknown, options: WaitOptions): Promise<unknown> {
  let result: unknown;
  let seen = "";
  const holds = async (): Promise<boolean> => {
    try {
      result = await condition();
      seen = `it returned ${show(result)}`;
    } catch (error) {
      result = undefined;
      seen = `it threw ${error}`;
    }
    return Boolean(result);
  };
  await wait(holds, { ...options, what: () => "The condition", seen: () => [`The last time ${seen}`] });
  return result;
}

/** Which object is to be how. */
export interface ObjectWish {
  readonly kind: ResourceType<unknown, unknown>;
  /** Its address, "namespace/name", or a name: of a kind with namespaces, in the namespace "default". */
  readonly which: string | Address;
  readonly expected: Expected<unknown, unknown>;
}

/**
 * Waits until an object is as expected, and returns it.
 *
 * @throws {TypeError} At once if no object can ever be as expected, or have such an address.
 */
export async function untilObject(
  { kind, which, expected }: ObjectWish,
  options: WaitOptions,
): Promise<KubeObject<unknown, unknown> | undefined> {
  const { client } = options;
  checkWish({ kind, which, expected });
  const isNameAlone = typeof which === "string" && !which.includes("/");
  let address = addressOf(which);
  let object: KubeObject<unknown, unknown> | undefined;
  let missing: string[] = [];
  const holds = async (): Promise<boolean> => {
    const resource = await findKind(client.discovery, kind).catch((error: unknown) => {
      missing = [`it cannot be read: ${error}`]; // the server may be away for a while, and the definition may come later
    });
    if (!resource) return false;
    if (isNameAlone && !resource.namespaced) address = { name: address.name };
    pathOf(resource, address); // no object ever has an address that is refused
    try {
      object = await find(client, resource, address);
      missing = await unmet(object, expected);
    } catch (error) {
      missing = [`it cannot be read: ${error}`];
    }
    return missing.length === 0;
  };
  const { kind: name } = kind.options;
  const reference = (): ObjectReference => ({ kind: name, ...address });
  const what = (): string => title({ ...reference(), kind: name ?? kind.options.plural });
  const seen = (): string[] => missing.map((each) => `  ${each}`);
  await wait(holds, { ...options, what, seen, reference });
  return object;
}

/** @throws {TypeError} If no object can ever be like that: runners of tests strip types, and the wait would be in vain. */
function checkWish({ kind, which, expected }: ObjectWish): void {
  if (!isObject(kind) || !isObject(kind.options)) {
    throw new TypeError("Cannot wait: the first argument is a kind, such as kinds.ConfigMap, or a function");
  }
  const address: unknown = typeof which === "string" ? addressOf(which) : which;
  if (!isObject(address) || typeof address["name"] !== "string" || address["name"] === "") {
    throw new TypeError(
      `Cannot wait for ${kind.options.plural}: the second argument is "name", "namespace/name" or { namespace, name }`,
    );
  }
  if (expected === "gone" || typeof expected === "function") return;
  const subject = `Cannot wait for ${kind.options.plural} "${address["name"]}"`;
  if (!isObject(expected) || expected instanceof Promise || expected instanceof RegExp) {
    throw new TypeError(
      `${subject}: expect a part of the object, a function of it, or "gone", not ${show(expected)}`,
    );
  }
  const { metadata } = expected;
  if (!isObject(metadata)) return;
  for (const key of ["name", "namespace"] as const) {
    const [wanted, given] = [metadata[key], address[key]];
    if (typeof wanted !== "string" || given === undefined || wanted === given) continue;
    throw new TypeError(`${subject}: its metadata.${key} is never "${wanted}"`);
  }
}

/** Returns the address that a text stands for: "namespace/name", or a name in the namespace "default". */
export function addressOf(which: string | Address): Address {
  if (typeof which !== "string") return which;
  const [first = "", second] = which.split("/", 2);
  return second === undefined ? { namespace: "default", name: first } : { namespace: first, name: second };
}

async function find(
  client: Client,
  resource: Resource,
  address: Address,
): Promise<KubeObject<unknown, unknown> | undefined> {
  try {
    return await client.get(resource, address);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

/** Returns the differences of an object from the expected one. */
async function unmet(
  object: KubeObject<unknown, unknown> | undefined,
  expected: Expected<unknown, unknown>,
): Promise<string[]> {
  if (expected === "gone") return object === undefined ? [] : ["it is still there"];
  if (object === undefined) return ["it is not there"];
  if (typeof expected !== "function") return differences(object, expected);
  try {
    // NB: a function may return a promise, and without `await` a promise of false is true.
    const answer: unknown = await expected(object);
    return answer ? [] : [`the function returned ${show(answer)} for ${formatJson(object)}`];
  } catch (error) {
    return [`the function threw ${error}`];
  }
}

async function wait(
  holds: () => Promise<boolean>,
  options: WaitOptions & {
    readonly what: () => string;
    readonly seen: () => readonly string[];
    readonly reference?: () => ObjectReference;
  },
): Promise<void> {
  const { time, check, tell, what, seen, reference, within = time.timeout } = options;
  const passed = options.within === undefined ? time.effort() : () => undefined;
  let isAnswered = false;
  let end = within;
  try {
    await time.until(async () => {
      isAnswered = false;
      check();
      const isReached = await holds();
      isAnswered = true;
      const spent = isReached ? undefined : passed();
      if (spent === undefined) return isReached;
      end = spent;
      throw new Error(
        `Given up, as the time passes slowly: much happens in it (give \`within\` to wait for longer, such as { within: ${within} })`,
      );
    }, within);
  } catch (error) {
    check();
    // An error of the look at the cluster is passed on as it is.
    if (!isAnswered || !(error instanceof Error)) throw error;
    const lines = [...seen(), ...tell(reference?.()), error.message];
    throw new Error(`${what()} is not as expected within ${end} s:\n${lines.join("\n")}`, { cause: error });
  }
  check();
}
