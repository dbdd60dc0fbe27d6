/** Puts the manifests that operators come with (CRDs, examples) into a test's cluster. */

import type { JsonObject } from "../../model/object.ts";
import { parseYaml } from "../../runtime/yaml.ts";
import type { Cluster } from "./runner.ts";

/**
 * Creates the objects of YAML documents, in order.
 *
 * @throws {SyntaxError} If the text is not YAML.
 * @throws {Error} If the cluster knows no such kind, or refuses an object.
 * @example
 * ```ts
 * import { apiServer } from "@lotse/lotse/apiserver";
 * import { createManifests, virtualHost } from "@lotse/lotse/testing";
 *
 * const cluster = apiServer({ host: virtualHost() });
 * await createManifests(cluster, "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: one }\n");
 * ```
 */
export async function createManifests({ host, fetch }: Cluster, yaml: string): Promise<void> {
  for (const document of parseYaml(yaml)) {
    // What is not an object of Kubernetes, the server refuses.
    const manifest = document as JsonObject & { apiVersion?: string; kind?: string; metadata?: JsonObject };
    const { apiVersion = "", kind = "", metadata = {} } = manifest;
    const group = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const listed = await fetch(new Request(`http://cluster.test${group}`));
    const served: unknown = listed.ok ? await listed.json() : {};
    const found = resourcesOf(served).find((each) => each.kind === kind && !each.name.includes("/"));
    if (found === undefined) {
      throw new Error(`Cannot create "${metadata.name}": no kind "${kind}" in "${apiVersion}"`);
    }
    const scope = found.namespaced ? `/namespaces/${metadata.namespace ?? "default"}` : "";
    const response = await fetch(
      new Request(`http://cluster.test${group}${scope}/${found.name}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(manifest),
      }),
    );
    if (!response.ok) throw new Error(`Cannot create "${metadata.name}": ${await response.text()}`);
    await host.clock.settle(); // a definition is served a moment later
  }
}

/** Source: Kubernetes API reference, APIResourceList. */
interface ServedResource {
  readonly kind: string;
  /** The plural; "plural/status" for subresources. */
  readonly name: string;
  readonly namespaced: boolean;
}

function resourcesOf(list: unknown): readonly ServedResource[] {
  // Servers answer lists of this shape.
  return (list as { resources?: ServedResource[] }).resources ?? [];
}
