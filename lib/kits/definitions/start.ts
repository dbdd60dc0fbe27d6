/** The work on definitions at the start of an operator: applying the definitions of its own kinds, and looking for the fields of handlers. */

import { formatField } from "../../model/fields.ts";
import { keyOf, type Resource } from "../../model/resource.ts";
import { select, type Selector } from "../../model/selector.ts";
import type { RunningOptions } from "../../operator/components.ts";
import { type ConversionsPlace, serveConversions } from "../../operator/conversions.ts";
import type { CheckOptions } from "../../operator/extras.ts";
import { declaredIn } from "../../handlers/declared_handlers.ts";
import { makeCrds } from "./crds.ts";
import { findUnknownFields } from "./field_check.ts";
import { applyCrds } from "./lifecycle.ts";

/**
 * Applies the definitions of all kinds with schemas.
 *
 * @throws {TypeError} If a definition cannot be made, or would lose data.
 * @throws {ApiError} If the server refuses.
 */
export async function applyDefinitions(options: RunningOptions, place: ConversionsPlace): Promise<void> {
  const { client } = place;
  const { registry, logger, host: { clock }, signal } = options;
  const kinds = [...new Set(declaredIn(registry).flatMap(({ resource }) => resource ?? []))];
  // An object that is moved to another version needs a conversion.
  await using converter = await serveConversions(options, place);
  await applyCrds(makeCrds(kinds, converter?.way), { client, clock, logger, signal });
}

/** Warns once about each field of a handler that no definition has. */
export async function checkFields(
  { handlers, client, served, logger, signal }: CheckOptions,
): Promise<void> {
  const resourcesOf = (selector: Selector): Resource[] => select(selector, served);
  const fields = handlers.flatMap(({ id, field, selector }) =>
    field === undefined ? [] : resourcesOf(selector).map((resource) => ({ handler: id, field, resource }))
  );
  for (const { handler, field, resource, nearest } of await findUnknownFields(fields, { client, signal })) {
    logger.warn(
      "A handler is about a field that the definition of its kind does not have: it is never called",
      {
        handler,
        field: formatField(field),
        kind: keyOf(resource),
        ...nearest !== undefined && { hint: `did you mean ${nearest}?` },
      },
    );
  }
}
