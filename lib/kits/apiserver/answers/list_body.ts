/**
 * The bodies of lists: long ones are made in pieces as they are read, so that none of them blocks the event loop for long.
 *
 * In JSON all forms are: objects, metadata alone, and tables. Other encodings are made as a whole.
 */

import type { JsonObject } from "../../../model/object.ts";
import type { Clock } from "../../../runtime/host.ts";
import { formatJson } from "../../../runtime/json.ts";
import type { Cluster } from "../cluster.ts";
import { servedObject } from "../definitions/conversion.ts";
import { encodeText } from "../formats/bytes.ts";
import type { Kind } from "../kinds.ts";
import type { Stored } from "../storage/stored.ts";
import { encodedResponse, headOf, partialMetadata, servedText, tableOf } from "./respond.ts";
import { checkCount, type Shape } from "./shape.ts";

/** The content of a list. */
export interface Page {
  readonly items: readonly Stored[];
  readonly metadata: JsonObject;
}

/** How a list is shown. */
export interface PageForm {
  readonly kind: Kind;
  readonly shape: Shape;
}

/** Lists beyond this many characters are sent in pieces as they are read. */
const WHOLE_LIMIT = 1 << 20;
const PIECE = 1 << 18;
/** How many items of a list are measured to guess its length. */
const SAMPLES = 16;
/** How many rows of a table are made at once. */
const ROWS = 100;

const JSON_HEAD = { headers: { "content-type": "application/json" } };

/** Answers with a list. */
export function pageResponse(cluster: Cluster, page: Page, form: PageForm): Response {
  const { kind, shape } = form;
  checkCount(shape, kind, true);
  if (shape.encoding !== "json" || shape.pretty) {
    return encodedResponse(wholeList(cluster, page, form), { shape });
  }
  const pieces = piecesOf(cluster, page, form);
  const body = estimatedLength(page, kind) < WHOLE_LIMIT
    ? [...pieces].join("")
    : streamOf(pieces, cluster.host.clock);
  return new Response(body, JSON_HEAD);
}

/** How many characters a list takes, as far as some of its items tell: they differ much in size. */
function estimatedLength({ items }: Page, kind: Kind): number {
  const step = Math.max(1, Math.floor(items.length / SAMPLES));
  let length = 0;
  for (let index = 0; index < items.length; index += step) {
    const item = items[index];
    if (item !== undefined) length += servedText(kind, item).length * step;
  }
  return length;
}

function wholeList(cluster: Cluster, { items, metadata }: Page, { kind, shape }: PageForm): JsonObject {
  // NB: items of built-in kinds have no `apiVersion` and `kind`, as in lists that are made in pieces.
  const nameless = kind.custom ? {} : { apiVersion: undefined, kind: undefined };
  const objects = () => items.map((stored) => servedObject(kind, stored));
  switch (shape.form) {
    case "table":
      return tableOf(cluster, objects(), { kind, shape, listMetadata: metadata });
    case "metadata":
      // NB: conversions leave the metadata alone.
      return { ...metadataList(shape), metadata, items: items.map((item) => partialMetadata(item, shape)) };
    case "object":
      return {
        kind: kind.listKind,
        apiVersion: kind.apiVersion,
        metadata,
        items: objects().map((object) => ({ ...object, ...nameless })),
      };
  }
}

function metadataList({ metaVersion }: Shape): JsonObject {
  return { kind: "PartialObjectMetadataList", apiVersion: `meta.k8s.io/${metaVersion}` };
}

function piecesOf(cluster: Cluster, page: Page, form: PageForm): Generator<string> {
  switch (form.shape.form) {
    case "table":
      return tablePieces(cluster, page, form);
    case "metadata":
      return metadataPieces(page, form.shape);
    case "object":
      return objectPieces(page, form.kind);
  }
}

/** Items of built-in kinds stand without `apiVersion` and `kind`, as the real server writes them. */
function* objectPieces({ items, metadata }: Page, kind: Kind): Generator<string> {
  const { apiVersion, listKind } = kind;
  const names = `"apiVersion":${JSON.stringify(apiVersion)},"kind":${JSON.stringify(listKind)}`;
  const head = kind.custom ? headOf(kind) : "{";
  yield `{${names},"metadata":${JSON.stringify(metadata)},"items":[`;
  let comma = "";
  for (const stored of items) {
    yield `${comma}${head}${servedText(kind, stored)}`;
    comma = ",";
  }
  yield "]}\n";
}

function* metadataPieces({ items, metadata }: Page, shape: Shape): Generator<string> {
  yield opened({ ...metadataList(shape), metadata }, "items");
  let comma = "";
  for (const stored of items) {
    yield comma + formatJson(partialMetadata(stored, shape));
    comma = ",";
  }
  yield "]}\n";
}

function* tablePieces(
  cluster: Cluster,
  { items, metadata }: Page,
  { kind, shape }: PageForm,
): Generator<string> {
  const options = { kind, shape, listMetadata: metadata };
  const { rows: _, ...head } = tableOf(cluster, [], options);
  yield opened(head, "rows");
  for (let from = 0; from < items.length; from += ROWS) {
    const objects = items.slice(from, from + ROWS).map((stored) => servedObject(kind, stored));
    const { rows } = tableOf(cluster, objects, { ...options, noHeaders: true });
    yield (from === 0 ? "" : ",") + formatJson(rows).slice(1, -1);
  }
  yield "]}\n";
}

/** Returns the beginning of an object's JSON, up to the items of the list that it ends with. */
function opened(head: JsonObject, list: string): string {
  return `${formatJson(head).slice(0, -1)},"${list}":[`;
}

function streamOf(pieces: Generator<string>, clock: Clock): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      // Others get their turn, however fast the reader is.
      await clock.sleep(0);
      const batch: string[] = [];
      let size = 0;
      while (size < PIECE) {
        const { done, value } = pieces.next();
        if (done === true) {
          if (batch.length > 0) controller.enqueue(encodeText(batch.join("")));
          controller.close();
          return;
        }
        batch.push(value);
        size += value.length;
      }
      controller.enqueue(encodeText(batch.join("")));
    },
  }, { highWaterMark: 0 });
}
