/**
 * Asks an operator that runs in a cluster, from outside: by running its executable's own command in its Pods.
 *
 * Whoever may execute commands in the Pod may ask. Pods are found by the label that generated Deployments and charts have, or by name.
 */

import type { Client } from "../client/client.ts";
import { ApiError } from "../client/errors.ts";
import { exec, type ExecResult } from "../client/exec.ts";
import { labelsOf } from "../model/labels.ts";
import type { KubeObject } from "../model/object.ts";
import { type ClusterOptions, inCluster } from "./object_access.ts";

const PODS = { group: "", version: "v1", plural: "pods", namespaced: true } as const;

/** The executable in images that are made as the pages say. */
const EXECUTABLE = "/operator";

/** Which operator. */
export interface PodAskOptions extends ClusterOptions {
  /** Its name: the value of its Pods' label `app.kubernetes.io/name`, or the name of one Pod. */
  readonly operator: string;
  /** Its namespace. Default: the connection's. */
  readonly home?: string;
  /** The words that start its executable. Default: the command of its container, else "/operator". */
  readonly command?: readonly string[];
}

/** A Pod that can be asked. */
export interface AskedPod {
  readonly name: string;
  /** Runs the command of the executable with these arguments, and returns its output. @throws {Error} If it fails, with its words. */
  ask(args: readonly string[]): Promise<string>;
}

interface PodSpec {
  readonly containers?: readonly { readonly name: string; readonly command?: readonly string[] }[];
}

interface PodStatus {
  readonly phase?: string;
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
}

type Pod = KubeObject<PodSpec, PodStatus>;

/**
 * Calls a function with the Pods of an operator that run, the ready ones first.
 *
 * @throws {TypeError} If there are none.
 * @throws {LoginError} If there is no way into a cluster.
 * @throws {ApiError} If the server refuses.
 */
export async function askPods<Result>(
  options: PodAskOptions,
  act: (pods: readonly AskedPod[]) => Promise<Result>,
): Promise<Result> {
  const { operator, command } = options;
  return await inCluster(options, async (client) => {
    const namespace = options.home ?? client.defaultNamespace;
    const pods = await findPods(client, operator, namespace);
    const running = pods.filter(({ status }) => status?.phase === "Running");
    if (running.length === 0) {
      throw new TypeError(
        pods.length === 0
          ? `No Pods of "${operator}" are in the namespace "${namespace}": they are known by the label ` +
            `app.kubernetes.io/name=${operator}, or by name (give NAMESPACE/NAME)`
          : `None of the Pods of "${operator}" runs: ${
            pods.map(({ metadata, status }) => `${metadata.name} is ${status?.phase ?? "new"}`).join(", ")
          } (--offline tells what the notes on the object say)`,
      );
    }
    running.sort((a, b) => Number(isReady(b)) - Number(isReady(a)));
    return await act(running.map((pod) => askedPod(client, pod, command)));
  });
}

async function findPods(client: Client, operator: string, namespace: string): Promise<Pod[]> {
  const labelSelector = Object.entries(labelsOf(operator)).map(([key, value]) => `${key}=${value}`).join(",");
  const found: Pod[] = [];
  for await (const { items } of client.list<Pod>(PODS, { namespace, labelSelector })) found.push(...items);
  if (found.length > 0) return found;
  try {
    return [await client.get<Pod>(PODS, { namespace, name: operator })];
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return [];
    throw error;
  }
}

function isReady({ status }: Pod): boolean {
  return status?.conditions?.some((each) => each.type === "Ready" && each.status === "True") ?? false;
}

function askedPod(client: Client, { metadata, spec }: Pod, given: readonly string[] | undefined): AskedPod {
  const { name = "", namespace } = metadata;
  const [container] = spec?.containers ?? [];
  const own = container?.command?.slice(0, 1);
  const command = given ?? (own === undefined || own.length === 0 ? [EXECUTABLE] : own);
  return {
    name,
    ask: async (args) => {
      const words = [...command, ...args];
      const result = await exec(client.transport, { namespace, name }, words, { container: container?.name })
        .catch((error: unknown) => {
          throw notStarted(error, name, command);
        });
      return outputOf(result, name);
    },
  };
}

function outputOf({ code, stdout, stderr }: ExecResult, pod: string): string {
  if (code === 0) return stdout;
  throw new Error(`The operator in the Pod "${pod}" cannot answer: ${stderr.trim() || `exit code ${code}`}`);
}

function notStarted(error: unknown, pod: string, command: readonly string[]): unknown {
  if (error instanceof ApiError || !(error instanceof Error)) return error;
  if (!/no such file|not found|permission denied/i.test(error.message)) return error;
  return new Error(
    `There is no "${
      command.join(" ")
    }" in the Pod "${pod}" (say by --executable where it is, such as "lotse"): ${error.message}`,
    { cause: error },
  );
}
