/**
 * The built-in kinds without a server around them.
 */

import { builtinKinds } from "../../../lib/kits/apiserver/builtin_kinds.ts";
import { CelLoader } from "../../../lib/kits/apiserver/cel/loader.ts";
import type { DefinitionParts } from "../../../lib/kits/apiserver/cluster.ts";
import type { Kind } from "../../../lib/kits/apiserver/kinds.ts";
import { Late } from "../../../lib/kits/apiserver/late.ts";
import { Store } from "../../../lib/kits/apiserver/store.ts";
import { virtualHost } from "../../../lib/runtime/virtual/host.ts";

/** Returns all built-in kinds, none of whose definitions can be written. */
export function bareKinds(): Kind[] {
  const { clock } = virtualHost();
  const definitions = new Late<DefinitionParts>(() => Promise.reject(new Error("No definitions")));
  return builtinKinds({ store: new Store(clock), clock, cel: new CelLoader(), definitions });
}
