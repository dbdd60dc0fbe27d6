/**
 * Rights of an operator: implied by its declarations, used by it, missing; and roles of them.
 *
 * @module
 */

export { checkRights } from "./self_check.ts";
export { makeRbac, type Rbac, type RbacOptions, type RolesOfOperator } from "./rbac.ts";
export { RightsFile } from "./recorder.ts";
export { formatRights, parseRights, type Right } from "./rights.ts";
