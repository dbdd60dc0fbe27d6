/** PersistentVolumeClaims: the two fields that say what a volume begins with. */

import { isObject, objectAt } from "../../values.ts";
import type { KindModule } from "../kind_module.ts";
import { protect } from "./protected.ts";

export const PERSISTENT_VOLUME_CLAIM: KindModule = {
  admit: protect("PersistentVolumeClaim"),
  /** NB: the newer field can name another namespace, which the older one cannot. */
  settle({ spec = {} }) {
    const [source, reference] = [objectAt(spec, "dataSource"), objectAt(spec, "dataSourceRef")];
    const given = source ?? reference;
    if (given === undefined || (source !== undefined && isObject(reference))) return;
    if (source === undefined && reference?.namespace) return;
    const { apiGroup = null, kind, name } = given;
    spec[source === undefined ? "dataSource" : "dataSourceRef"] = { apiGroup, kind, name };
  },
};
