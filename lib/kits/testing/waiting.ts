/** Waits until something is as it should be; where it does not come, the error says what was seen instead. */

import { ApiError } from "../../client/errors.ts";
import type { KubeObject } from "../../model/object.ts";
import type { ObjectReference } from "../../model/references.ts";
import type { Address, Api } from "../../operator/api.ts";
import type { ResourceType } from "../../registry/resource.ts";
import type { Seconds } from "../../runtime/host.ts";
import { formatJson } from "../../runtime/json.ts";
import { differences, type Expected, show } from "./expectations.ts";
import { title } from "./report.ts";
import type { RunTime } from "./time.ts";

/** How to wait. */
export interface UntilOptions {
  /** How long at most. Default: an hour; 30 seconds on a real cluster. */
  readonly within?: Seconds;
}

interface WaitOptions extends UntilOptions {
  readonly api: Api;
  readonly time: RunTime;
  /** @throws What the operator failed with, once. */
  readonly check: () => void;
  /** Returns lines about the run, and about one object. */
  readonly tell: (reference?: ObjectReference) => readonly string[];
}

/** Waits until the condition returns something true, and returns that. */
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
  await wait(holds, { ...options, what: "The condition", seen: () => [`The last time ${seen}`] });
  return result;
}

/** Which object is to be how. */
export interface ObjectWish {
  readonly kind: ResourceType<unknown, unknown>;
  readonly address: Address;
  readonly expected: Expected<unknown, unknown>;
}

/** Waits until an object is as expected, and returns it. */
export async function untilObject(
  { kind, address, expected }: ObjectWish,
  options: WaitOptions,
): Promise<KubeObject<unknown, unknown> | undefined> {
  let object: KubeObject<unknown, unknown> | undefined;
  let missing: string[] = [];
  const holds = async (): Promise<boolean> => {
    try {
      object = await find(options.api, { kind, address });
      missing = await unmet(object, expected);
    } catch (error) {
      // The server may be away for a while.
      missing = [`it cannot be read: ${error}`];
    }
    return missing.length === 0;
  };
  const { kind: name } = kind.options;
  const reference = { kind: name, ...address };
  const what = title({ ...reference, kind: name ?? kind.options.plural });
  const seen = (): string[] => missing.map((each) => `  ${each}`);
  await wait(holds, { ...options, what, seen, reference });
  return object;
}

/** Returns the address that a text stands for: "namespace/name", or a name in the namespace "default". */
export function addressOf(which: string | Address): Address {
  if (typeof which !== "string") return which;
  const [first = "", second] = which.split("/", 2);
  return second === undefined ? { namespace: "default", name: first } : { namespace: first, name: second };
}

async function find(
  api: Api,
  { kind, address }: Pick<ObjectWish, "kind" | "address">,
): Promise<KubeObject<unknown, unknown> | undefined> {
  try {
    return await api.get(kind, address);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

/** In what an object is not as expected. */
async function unmet(
  object: KubeObject<unknown, unknown> | undefined,
  expected: Expected<unknown, unknown>,
): Promise<string[]> {
  if (expected === "gone") return object === undefined ? [] : ["it is still there"];
  if (object === undefined) return ["it is not there"];
  if (typeof expected !== "function") return differences(object, expected);
  try {
    // NB: a promise of false is true.
    const answer: unknown = await expected(object);
    return answer ? [] : [`the function returned ${show(answer)} for ${formatJson(object)}`];
  } catch (error) {
    return [`the function threw ${error}`];
  }
}

async function wait(
  holds: () => Promise<boolean>,
  options: WaitOptions & {
    readonly what: string;
    readonly seen: () => readonly string[];
    readonly reference?: ObjectReference;
  },
): Promise<void> {
  const { time, check, tell, what, seen, reference, within = time.timeout } = options;
  let isAnswered = false;
  try {
    await time.until(async () => {
      isAnswered = false;
      check();
      const isReached = await holds();
      isAnswered = true;
      return isReached;
    }, within);
  } catch (error) {
    check();
    // What looking at the cluster ends with is no answer.
    if (!isAnswered || !(error instanceof Error)) throw error;
    const lines = [...seen(), ...tell(reference), error.message];
    throw new Error(`${what} is not as expected within ${within} s:\n${lines.join("\n")}`, { cause: error });
  }
  check();
}
