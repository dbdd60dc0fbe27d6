/**
 * The floor: the same work without a framework, in as few lines as it takes: list and watch both kinds, and for each Item whose
 * ConfigMap is not there one apply. No retries, no filters, no log; requests by the HTTP client of the framework (`node:https` costs more).
 */

import process from "node:process";
import { login } from "../../lib/client/auth/login.ts";
import { JsonLines } from "../../lib/client/watch/json_lines.ts";
import { currentHost } from "../../lib/runtime/current_host.ts";
import { silentLogger } from "../../lib/runtime/logging.ts";

interface Body {
  readonly metadata: { readonly name: string; readonly uid: string; readonly resourceVersion: string };
  readonly spec?: { readonly payload: string };
  readonly data?: Readonly<Record<string, string>>;
}

interface List {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly Body[];
}

const ITEMS = "/apis/bench.lotse.dev/v1/items";
const MAPS = "/api/v1/configmaps";
const APPLY = "/api/v1/namespaces/default/configmaps";

const host = currentHost();
const credentials = await login({ host, logger: silentLogger() });
const info = await credentials.current();
const connection = host.network.connect(info);
const headers = { accept: "application/json", "user-agent": "floor" };
const maps = new Map<string, Body>();
let calls = 0;

async function send<T>(method: string, path: string, body?: string): Promise<T> {
  const sent = body === undefined ? headers : { ...headers, "content-type": "application/apply-patch+yaml" };
  const response = await connection.request({ method, path, headers: sent, body });
  const text = await response.text();
  if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text) as T;
}

async function reconcile({ metadata: { name, uid }, spec = { payload: "" } }: Body): Promise<void> {
  calls += 1;
  if (maps.get(name)?.data?.["payload"] === spec.payload) return;
  const owner = {
    apiVersion: "bench.lotse.dev/v1",
    kind: "Item",
    name,
    uid,
    controller: true,
    blockOwnerDeletion: true,
  };
  const body = JSON.stringify({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "default", ownerReferences: [owner] },
    data: { payload: spec.payload },
  });
  const map = await send<Body>("PATCH", `${APPLY}/${name}?fieldManager=floor&force=true`, body);
  maps.set(name, map);
}

async function follow(path: string, take: (body: Body) => void): Promise<void> {
  for (;;) {
    const list = await send<List>("GET", path);
    list.items.forEach(take);
    for (let version = list.metadata.resourceVersion;;) {
      const query = `watch=true&resourceVersion=${version}`;
      const response = await connection.request({ method: "GET", path: `${path}?${query}`, headers });
      const lines = new JsonLines();
      for await (const chunk of response.body) {
        for (const { type, object } of lines.push(chunk).values as { type: string; object: Body }[]) {
          if (type === "ERROR") throw new Error(JSON.stringify(object));
          version = object.metadata.resourceVersion;
          take(object);
        }
      }
    }
  }
}

const printCalls = () => console.log(`calls ${calls}`);
process.on("SIGUSR2", printCalls);
void follow(MAPS, (map) => void maps.set(map.metadata.name, map));
void follow(ITEMS, (item) => void reconcile(item));
printCalls(); // It listens.
