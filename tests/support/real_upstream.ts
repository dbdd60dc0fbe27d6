/**
 * The way from a virtual world to a real API server: what an operator with a virtual clock sends is answered by the real one.
 *
 * Virtual time must not pass while something real is on its way. An answer is easy to wait for; what follows on streams is not.
 * So the answer to a write is held back until the open streams that show such objects have brought what was written.
 */

import type { ControlPlane } from "../control_plane/control_plane.ts";
import { currentHost } from "../../lib/runtime/current_host.ts";
import { upstreamOf } from "./proxy_server.ts";

/** How long an event is waited for, in seconds: it may be none of the stream's, by its selector. */
const PATIENCE = 0.5;

/** Where the answer does not say which version to wait for: how long for anything, in seconds. */
const SHORT_PATIENCE = 0.15;

/** A stream that is open. */
interface Stream {
  /** Path of the collection, without its namespace, and the namespace. */
  readonly collection: string;
  readonly namespace: string | undefined;
  version: bigint;
  /** How many pieces have come. */
  pieces: number;
}

export interface RealUpstream extends Disposable {
  fetch(request: Request): Promise<Response>;
}

/** Opens the way to a control plane. */
export function realUpstream(plane: ControlPlane): RealUpstream {
  const upstream = upstreamOf(plane);
  const streams = new Set<Stream>();
  const send = async (request: Request): Promise<Response> => {
    const { pathname, searchParams } = new URL(request.url);
    const place = placeOf(pathname);
    if (request.method === "GET") {
      const response = await upstream(request);
      if (searchParams.get("watch") !== "true" && searchParams.get("watch") !== "1") return response;
      const isList = searchParams.get("sendInitialEvents") === "true";
      return await observe(response, { stream: { ...place, version: 0n, pieces: 0 }, streams, isList });
    }
    const before = new Map([...streams].map((stream) => [stream, stream.pieces]));
    const response = await upstream(request);
    const text = await response.text();
    if (response.ok) await caughtUp({ place, before, text });
    return new Response(text, { status: response.status, headers: response.headers });
  };
  return { fetch: send, [Symbol.dispose]: () => upstream[Symbol.dispose]() };
}

/** "/apis/g/v1/namespaces/a/things/b/status" is in "/apis/g/v1/things", "a". */
function placeOf(pathname: string): { readonly collection: string; readonly namespace: string | undefined } {
  const [root = "", first = "", ...rest] = pathname.split("/").filter((part) => part !== "");
  const base = root === "api" ? [root, first] : [root, first, rest.shift() ?? ""];
  const isNamespaced = rest[0] === "namespaces" && rest.length > 2;
  const namespace = isNamespaced ? rest[1] : undefined;
  const plural = isNamespaced ? rest[2] : rest[0];
  return { collection: [...base, plural].join("/"), namespace };
}

interface Observation {
  readonly stream: Stream;
  readonly streams: Set<Stream>;
  /** Whether it begins with a list: then that is waited for. */
  readonly isList: boolean;
}

async function observe(response: Response, { stream, streams, isList }: Observation): Promise<Response> {
  if (!response.ok || response.body === null) return response;
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  const listed: Uint8Array[] = [];
  for (let text = ""; isList && !text.includes("initial-events-end");) {
    const { value } = await reader.read();
    if (value === undefined) break;
    listed.push(value);
    text += decoder.decode(value, { stream: true });
    stream.version = newest(text, stream.version);
  }
  streams.add(stream);
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const known = listed.shift();
      if (known !== undefined) return controller.enqueue(known);
      try {
        const { done, value } = await reader.read();
        if (done) {
          streams.delete(stream);
          return controller.close();
        }
        controller.enqueue(value);
        stream.pieces++;
        stream.version = newest(decoder.decode(value, { stream: true }), stream.version);
      } catch (error) {
        streams.delete(stream);
        controller.error(error);
      }
    },
    async cancel(reason) {
      streams.delete(stream);
      await reader.cancel(reason);
    },
  });
  return new Response(body, { status: response.status, headers: response.headers });
}

function newest(text: string, before: bigint): bigint {
  let version = before;
  for (const [, digits = "0"] of text.matchAll(/"resourceVersion":"(\d+)"/g)) {
    if (BigInt(digits) > version) version = BigInt(digits);
  }
  return version;
}

interface Write {
  readonly place: { readonly collection: string; readonly namespace: string | undefined };
  /** How many pieces each stream had brought before it. */
  readonly before: ReadonlyMap<Stream, number>;
  readonly text: string;
}

async function caughtUp({ place, before, text }: Write): Promise<void> {
  const { clock } = currentHost();
  const open = [...before].filter(([{ collection, namespace }]) =>
    collection === place.collection && (namespace === undefined || namespace === place.namespace)
  );
  if (open.length === 0) return;
  const version = versionOf(text);
  const end = clock.monotonic() + (version === undefined ? SHORT_PATIENCE : PATIENCE);
  const isBehind = ([stream, pieces]: [Stream, number]): boolean =>
    version === undefined ? stream.pieces === pieces : stream.version < version;
  while (open.some(isBehind) && clock.monotonic() < end) await clock.sleep(0.002);
}

/** The version that was written; undefined where the object has gone, as its end has a version of its own. */
function versionOf(text: string): bigint | undefined {
  const { kind, metadata } = JSON.parse(text) as {
    kind?: string;
    metadata?: { resourceVersion?: string; deletionTimestamp?: string; finalizers?: string[] };
  };
  if (kind === "Status" || metadata?.resourceVersion === undefined) return undefined;
  const hasGone = metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length === 0;
  return hasGone ? undefined : BigInt(metadata.resourceVersion);
}
