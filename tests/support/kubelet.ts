/**
 * The part of a kubelet that an API server needs to answer for logs: a node, and a server for its requests. There are no containers.
 */

import type { ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Client } from "../../lib/client/client.ts";
import type { Authority } from "../../lib/runtime/certificates.ts";

const NODES = { group: "", version: "v1", plural: "nodes", namespaced: false } as const;

export interface Kubelet extends AsyncDisposable {
  /** The paths that were asked for, with their queries. */
  readonly asked: readonly string[];
}

/** Registers a node of that name, on this machine. `answer` writes the logs; it may leave the response open. */
export async function startKubelet(
  client: Client,
  { name, authority, answer }: {
    readonly name: string;
    readonly authority: Authority;
    readonly answer: (response: ServerResponse, query: URLSearchParams) => void;
  },
): Promise<Kubelet> {
  const { certificate: cert, key } = await authority.issue({
    commonName: `system:node:${name}`,
    ipAddresses: ["127.0.0.1"],
    server: true,
  });
  const asked: string[] = [];
  const server = createServer({ cert, key }, ({ url = "" }, response) => {
    asked.push(url);
    response.writeHead(200, { "content-type": "text/plain" });
    answer(response, new URL(url, "https://node").searchParams);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await client.create(NODES, { apiVersion: "v1", kind: "Node", metadata: { name } });
  await client.patch(NODES, { name, subresource: "status" }, {
    type: "merge",
    body: {
      status: {
        addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
        daemonEndpoints: { kubeletEndpoint: { Port: port } },
      },
    },
  });
  return {
    asked,
    async [Symbol.asyncDispose]() {
      await client.delete(NODES, { name });
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
