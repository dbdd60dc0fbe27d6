/**
 * The parts of the server that only CustomResourceDefinitions need: schemas, their checks, and the kinds that come of them.
 *
 * Loaded with the first definition: a quarter of the server's own code, and the packages for schemas and patterns.
 */

export { hasRules } from "../cel/validations.ts";
export { defaultDefinition } from "../definitions/crd.ts";
export { customKinds, showingOldObjects } from "../definitions/custom.ts";
export { formatWarnings } from "../definitions/format_warnings.ts";
export { validateDefinition } from "../definitions/rules.ts";
