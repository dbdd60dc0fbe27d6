/**
 * DELETE of an object and of a collection.
 */

import type { JsonObject } from "../../../model/object.ts";
import type { Cluster } from "../cluster.ts";
import { inVersion, oneInVersion } from "../definitions/converter.ts";
import type { Kind } from "../kinds.ts";
import { forbidden, Refusal } from "../refusal.ts";
import type { Deletion } from "../writes/delete.ts";
import { deleteAdmitted } from "./admitted.ts";
import type { Call } from "./call.ts";
import { type DeleteRequest, readDeleteOptions } from "../options/delete_options.ts";
import { listPage } from "./list.ts";
import { pageResponse } from "../answers/list_body.ts";
import { encodedResponse, objectResponse } from "../answers/respond.ts";
import { warned, warner } from "./warnings.ts";

/** Deletes an object. @throws {Refusal} */
export async function remove(cluster: Cluster, call: Call): Promise<Response> {
  const { request, kind, path, query, shape } = call;
  const { namespace, name = "" } = path;
  const reason = kind.rules.isImmortal?.(name);
  if (reason !== undefined) throw forbidden(kind, name, reason);
  const options = withDefaults(kind, await readDeleteOptions(request, query));
  const headers = new Headers();
  const wish = { ...options, kind, reference: { namespace, name }, warn: warner(headers) };
  const deletion = await warned(headers, deleteAdmitted(cluster, call, wish));
  if (!deletion.gone || kind.returnsDeleted) {
    const code = !deletion.gone && options.cascades ? 202 : 200;
    const stored = await oneInVersion(kind, deletion.stored);
    return objectResponse(cluster, stored, { kind, shape, code, headers });
  }
  return encodedResponse(successStatus(kind, deletion), { shape, headers });
}

function withDefaults({ rules }: Kind, options: DeleteRequest): DeleteRequest {
  return rules.orphans === true && options.propagation === undefined
    ? { ...options, propagation: "Orphan" }
    : options;
}

function successStatus({ group, plural }: Kind, { stored }: Deletion): JsonObject {
  const { name, uid } = stored.object.metadata;
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: { name, ...(group === "" ? {} : { group }), kind: plural, uid },
  };
}

/** Deletes all objects of a collection that are selected. @throws {Refusal} */
export async function removeAll(cluster: Cluster, call: Call): Promise<Response> {
  const { request, kind, path, query, shape } = call;
  const options = withDefaults(kind, await readDeleteOptions(request, query));
  const { items, metadata } = await listPage(cluster, { kind, namespace: path.namespace, query });
  const headers = new Headers();
  const warn = warner(headers);
  // NB: if one cannot be converted, none is deleted.
  const shown = await inVersion(kind, items);
  for (const { object } of items) {
    const { namespace, name = "" } = object.metadata;
    try {
      await deleteAdmitted(cluster, call, {
        ...options,
        kind,
        reference: { namespace, name },
        warn,
        inCollection: true,
      });
    } catch (error) {
      // Another client has deleted it while admission was asked.
      if (!(error instanceof Refusal) || error.code !== 404) throw error;
    }
  }
  const response = pageResponse(cluster, { items: shown, metadata }, { kind, shape });
  for (const [name, value] of headers) response.headers.append(name, value);
  return response;
}
