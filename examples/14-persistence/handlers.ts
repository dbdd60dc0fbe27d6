/**
 * Taking over from an operator that was written with Kopf: its notes are read, and written as it would write them.
 *
 * recipe.yaml is an object that Kopf has handled: it is not created again.
 */
import { operator, persistence, resource } from "@lotse/lotse";

const Recipe = resource<{ text: string }, { cooked?: string }>({
  group: "example.com",
  version: "v1",
  plural: "recipes",
});

const op = operator({ persistence: persistence.kopf() });

// The ids are those of the functions in Python.
op.on.create(Recipe, { id: "create_fn" }, ({ spec, patch, logger }) => {
  patch.status.cooked = spec.text;
  logger.info("Cooked", { text: spec.text });
});

op.on.update(Recipe, { id: "update_fn" }, ({ spec, old, patch, logger }) => {
  patch.status.cooked = spec.text;
  logger.info("Cooked anew", { text: spec.text, before: old?.spec?.text });
});

export default op;
