/**
 * From a CustomResourceDefinition to kinds that can be served.
 */

import type { KubeObject } from "../../model/object.ts";
import { type Cause, invalid } from "./causes.ts";
import { type ScalePaths, type ServedResource, servedResources } from "./crd.ts";
import { compileJsonPath } from "./jsonpath.ts";
import type { Kind, KindRules } from "./kinds.ts";
import { compileSchema } from "./schema/mod.ts";
import type { Store } from "./store.ts";
import { apiVersionFor } from "./paths.ts";

const MOST = 2 ** 31 - 1;

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
    validate: (object, change) => [...schema.validate(object, change), ...scaleCauses(object, served.scale)],
  };
}

/** The numbers of the scale subresource must be numbers of replicas, whatever the schema says. */
function scaleCauses(object: KubeObject, scale: ScalePaths | undefined): Cause[] {
  const paths = scale === undefined ? [] : [scale.specReplicasPath, scale.statusReplicasPath];
  return paths.flatMap((path) => {
    const [value] = compileJsonPath(path)(object);
    if (typeof value !== "number") return [];
    if (value < 0) return [invalid(path, { value, detail: "should be a non-negative integer" })];
    return value > MOST ? [invalid(path, { value, detail: `should be less than or equal to ${MOST}` })] : [];
  });
}
