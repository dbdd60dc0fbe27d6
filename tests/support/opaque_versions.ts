/**
 * A server whose versions have no order, and whose watches lag behind: for what is to be true of servers that are not
 * Kubernetes' own.
 */

import type { Intercept, VirtualWorld } from "./virtual_world.ts";

/** Events of one kind on their way to the operator. */
export interface Lag {
  /** Events that are held back, oldest first. */
  readonly held: string[];
  /** Whether events are held back. */
  isHolding: boolean;
  /** Lets the first one through, or drops it. */
  release(): void;
  drop(): void;
}

/** Turns all versions that operators see into words, and lets events of a kind be held back. */
export function makeVersionsOpaque(world: VirtualWorld, plural: string): Lag {
  const encoder = new TextEncoder();
  let send: (line: string) => void = () => {};
  const lag: Lag = {
    held: [],
    isHolding: false,
    release: () => send(lag.held.shift() ?? ""),
    drop: () => void lag.held.shift(),
  };
  const intercept: Intercept = async (request) => {
    const url = request.url.replaceAll("version-", "");
    const body = request.body === null ? undefined : (await request.text()).replaceAll("version-", "");
    const { method, headers, signal } = request;
    const response = await world.server.fetch(new Request(url, { method, headers, signal, body }));
    const isWatched = new URL(url).searchParams.get("watch") === "true" && url.includes(`/${plural}`);
    if (response.body === null || !isWatched) {
      return new Response(toWords(await response.text()), response);
    }
    const stream = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(
      new TransformStream<string, Uint8Array>({
        start: (controller) => {
          send = (line) => controller.enqueue(encoder.encode(line));
        },
        transform: (text) => {
          // The server in the process writes whole lines.
          for (const line of text.split("\n").filter(Boolean)) {
            if (lag.isHolding) lag.held.push(`${toWords(line)}\n`);
            else send(`${toWords(line)}\n`);
          }
        },
      }),
    );
    return new Response(stream, response);
  };
  world.intercept = intercept;
  return lag;
}

function toWords(text: string): string {
  return text.replace(/"resourceVersion":"(\d+)"/g, '"resourceVersion":"version-$1"');
}
