/**
 * A server whose workloads live, and short ways to look at them.
 */

import { type Answer, type Api, createApi } from "../api.ts";

export const APPS = "/apis/apps/v1/namespaces/default";
export const CORE = "/api/v1/namespaces/default";

export interface LivingApi extends Api {
  /** Lets time pass, in seconds. */
  pass(seconds: number): Promise<void>;
  /** The objects of a collection. */
  list(path: string): Promise<Answer[]>;
}

export function createLivingApi(nodes = 1): LivingApi {
  const api = createApi({ workloads: { nodes } });
  return {
    ...api,
    pass: (seconds) => api.host.clock.advance(seconds),
    list: async (path) => (await api.ok("GET", path)).items,
  };
}

/** What a workload named like its label needs. */
export function workload(app: string, more: object = {}, image = "i"): Answer {
  return {
    metadata: { name: app },
    spec: {
      selector: { matchLabels: { app } },
      template: template(app, image),
      ...more,
    },
  };
}

export function template(app: string, image = "i"): Answer {
  return { metadata: { labels: { app } }, spec: { containers: [{ name: "c", image }] } };
}

/** The conditions of an object, as "Type=Status Reason". */
export function conditions({ status }: Answer): string[] {
  return (status.conditions ?? []).map(({ type, status, reason }: Answer) =>
    [`${type}=${status}`, reason].filter((part) => part !== undefined).join(" ")
  ).sort();
}
