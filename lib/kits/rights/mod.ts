/**
 * Rights of an operator: those that its declarations imply, those that it uses, those that it lacks; and roles of them.
 *
 * @module
 */

export { checkRights } from "./self_check.ts";
export { makeRbac, type Rbac, type RbacOptions, type RolesOfOperator } from "./rbac.ts";
export { RightsFile } from "./recorder.ts";
export { formatRights, parseRights, type Right } from "./rights.ts";
