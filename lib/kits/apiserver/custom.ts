/**
 * From a CustomResourceDefinition to kinds that can be served.
 */

import type { KubeObject } from "../../model/object.ts";
import { type ServedResource, servedResources } from "./crd.ts";
import type { Kind, KindRules } from "./kinds.ts";
import { compileSchema } from "./schema/mod.ts";
import type { Store } from "./store.ts";
import { apiVersionFor } from "./paths.ts";

/** Gives the kinds of all served versions. Schemas are compiled here, once. */
export function customKinds(store: Store, definition: KubeObject): Kind[] {
  return servedResources(definition).map((served) => toKind(store, served));
}

function toKind(store: Store, served: ServedResource): Kind {
  return {
    ...served,
    apiVersion: apiVersionFor(served),
    collection: store.collection(`${served.plural}.${served.group}`),
    custom: true,
    counted: true,
    rules: schemaRules(served),
    createOnUpdate: false,
    unconditionalUpdate: false,
    returnsDeleted: false,
    selectable: [],
  };
}

function schemaRules(served: ServedResource): KindRules {
  const schema = compileSchema(served.schema);
  return {
    normalize(object) {
      const unknown = schema.prune(object);
      schema.default(object);
      return unknown;
    },
    validate: (object) => schema.validate(object),
  };
}
