/**
 * Finds out which kinds have room for notes in their status, where `persistence.auto()` asks for it.
 *
 * There is room if notes alone are valid there: the status is a subresource, keeps all content of the field in each version, and
 * neither requires fields nor has rules of its own. Where that is not known for sure, annotations are the place.
 */

import { nodeAt } from "../engines/definitions/nodes.ts";
import { readDefinition, schemaOf } from "../engines/definitions/served_schema.ts";
import type { Client } from "../client/client.ts";
import type { ApiError } from "../client/errors.ts";
import { isEmptyObject, isObject } from "../model/json.ts";
import type { JsonObject, KubeObject } from "../model/object.ts";
import { isBuiltIn } from "../model/kinds.ts";
import { apiVersionOf, keyOf, type Resource } from "../model/resource.ts";
import type { Logger } from "../runtime/logging.ts";
import type { NotesRoom } from "../settings/persistence/notes_room.ts";
import { keptPartsFor } from "../settings/server_selectors.ts";
import type { WatchingSettings } from "../settings/settings.ts";

/** Whose notes, and how definitions are read. */
export interface NotesRoomOptions {
  readonly room: NotesRoom;
  readonly client: Client;
  readonly settings: WatchingSettings;
  readonly logger: Logger;
}

/** The words of a schema that make a status invalid beyond the types of its fields. */
const CONDITIONS = [
  "required",
  "x-kubernetes-validations",
  "allOf",
  "anyOf",
  "oneOf",
  "not",
  "minProperties",
  "maxProperties",
];

/** Decides for each kind where its notes are to be. A definition that changes is read again when its kinds are. */
export async function findNotesRoom(
  resources: readonly Resource[],
  { room, client, settings, logger }: NotesRoomOptions,
): Promise<void> {
  await Promise.all(resources.map(async (resource) => {
    const object = { apiVersion: apiVersionOf(resource), kind: resource.kind };
    const { metadataOnly, transforms } = keptPartsFor(settings, resource);
    const isWhole = !metadataOnly && transforms.length === 0;
    if (!isWhole || !resource.subresources.includes("status") || isBuiltIn(resource)) {
      return room.decide(object, "no");
    }
    let refusal: string | undefined;
    const onRefusal = ({ message }: ApiError): void => void (refusal = message);
    const crd = await readDefinition(resource, { client, onRefusal });
    const hadRoom = room.isFor(object);
    const isNew = !room.isDecided(object);
    const isKept = crd !== undefined && !isConverted(crd) && hasRoomInAll(crd, room.field);
    room.decide(object, isKept ? "yes" : crd === undefined ? "unknown" : "no");
    const hasRoom = room.isFor(object);
    if (!isNew && hasRoom === hadRoom) return;
    const place = { kind: keyOf(resource), in: hasRoom ? "status" : "annotations" };
    logger.debug("Notes have their place", refusal === undefined ? place : { ...place, refusal });
  }));
}

/**
 * Whether code converts objects between versions: it copies metadata, and may leave out fields of the status that it does not know.
 * Source: Kubernetes, "Versions in CustomResourceDefinitions", webhook conversion.
 */
function isConverted({ spec }: KubeObject): boolean {
  const conversion = spec?.conversion;
  return isObject(conversion) && conversion.strategy === "Webhook" && versionsOf(spec).length > 1;
}

/** An object is stored in one version and served in others: each of them drops the fields that it does not know. */
function hasRoomInAll(crd: KubeObject, field: readonly string[]): boolean {
  const versions = versionsOf(crd.spec);
  return versions.length > 0 && versions.every(({ name }) => {
    const schema = schemaOf(crd, String(name));
    return schema !== undefined && hasRoomFor(schema, field);
  });
}

function versionsOf(spec: KubeObject["spec"]): readonly JsonObject[] {
  return Array.isArray(spec?.versions) ? spec.versions.filter(isObject) : [];
}

/** Whether objects with notes alone in their status would be valid, and keep them. */
function hasRoomFor(schema: JsonObject, field: readonly string[]): boolean {
  if (nodeAt(schema, [...field, "progress", "any", "retries"]) !== "anything") return false;
  const note = nodeAt(schema, [...field, "last-handled-configuration"]);
  if (note !== "anything") return false;
  return field.every((_, index) => {
    const node = nodeAt(schema, field.slice(0, index + 1));
    return node === "anything" || (isObject(node) && !CONDITIONS.some((name) => isSaid(node[name])));
  });
}

function isSaid(value: unknown): boolean {
  if (value === undefined || value === null) return false;
  if (Array.isArray(value)) return value.length > 0;
  return !isObject(value) || !isEmptyObject(value);
}
