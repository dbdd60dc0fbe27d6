/**
 * Tells a reference to a global from a name that only looks like one (`host.process`, `{ process: 1 }`, a parameter).
 *
 * Deno's lint plugins get a syntax tree, but no scopes. This is the small part of scope analysis that banning
 * globals needs: it is asked only for the handful of identifiers that have a banned name.
 */

/** A node as the plugin sees it: what it has depends on its type, and is narrowed where it is read. */
export type AnyNode = { readonly type: string; readonly range?: readonly number[] } & Record<string, unknown>;

/** Whether the identifier reads a global: it is neither a mere key, nor declared in one of the scopes around it. */
export function isGlobalReference(identifier: AnyNode, ancestors: readonly AnyNode[]): boolean {
  const parent = ancestors.at(-1);
  if (parent && isMereName(identifier, parent)) return false;
  const name = String(identifier["name"]);
  return !ancestors.some((scope) => declaredNames(scope).includes(name));
}

const KEYED = new Set([
  "Property",
  "PropertyDefinition",
  "MethodDefinition",
  "AccessorProperty",
  "TSPropertySignature",
  "TSMethodSignature",
  "TSAbstractMethodDefinition",
  "TSAbstractPropertyDefinition",
  "TSEnumMember",
  "ImportAttribute",
]);

const LABELLED = new Set([
  "LabeledStatement",
  "BreakStatement",
  "ContinueStatement",
  "MetaProperty",
  "TSNamedTupleMember",
]);

function isMereName(node: AnyNode, parent: AnyNode): boolean {
  if (parent.type === "MemberExpression") {
    return same(parent["property"], node) && parent["computed"] !== true;
  }
  if (parent.type === "TSQualifiedName") return same(parent["right"], node);
  if (parent.type === "ImportSpecifier") return true;
  if (parent.type === "ExportSpecifier") return !same(parent["local"], node);
  if (LABELLED.has(parent.type)) return !same(parent["elementType"], node);
  if (!KEYED.has(parent.type)) return false;
  return same(parent["key"], node) && parent["computed"] !== true && parent["shorthand"] !== true;
}

/** The names that a node declares for what stands inside it. */
function declaredNames(scope: AnyNode): string[] {
  const names: string[] = [];
  if (scope.type === "Program" || scope.type === "BlockStatement" || scope.type === "StaticBlock") {
    for (const statement of list(scope["body"])) names.push(...statementNames(statement));
  }
  if (scope.type === "SwitchCase") {
    for (const one of list(scope["consequent"])) names.push(...statementNames(one));
  }
  for (const parameter of list(scope["params"])) names.push(...bindingNames(parameter));
  for (const key of ["init", "left"]) names.push(...variableNames(scope[key]));
  if (scope.type === "CatchClause") names.push(...bindingNames(scope["param"]));
  if (/^(Function|Class)/.test(scope.type)) names.push(...bindingNames(scope["id"]));
  return names;
}

function statementNames(statement: AnyNode): string[] {
  if (statement.type === "ImportDeclaration") {
    return list(statement["specifiers"]).flatMap((specifier) => bindingNames(specifier["local"]));
  }
  if (statement.type.startsWith("Export")) {
    return isNode(statement["declaration"]) ? statementNames(statement["declaration"]) : [];
  }
  if (statement.type === "VariableDeclaration") return variableNames(statement);
  return /^(Function|Class|TS)\w*Declaration$/.test(statement.type) ? bindingNames(statement["id"]) : [];
}

function variableNames(node: unknown): string[] {
  if (!isNode(node) || node.type !== "VariableDeclaration") return [];
  return list(node["declarations"]).flatMap((declarator) => bindingNames(declarator["id"]));
}

/** All names that a pattern binds: `{ a, b: [c = 1], ...d }` gives a, c, d. */
function bindingNames(pattern: unknown): string[] {
  if (!isNode(pattern)) return [];
  switch (pattern.type) {
    case "Identifier":
      return [String(pattern["name"])];
    case "ObjectPattern":
      return list(pattern["properties"]).flatMap((one) =>
        bindingNames(one.type === "Property" ? one["value"] : one)
      );
    case "ArrayPattern":
      return list(pattern["elements"]).flatMap(bindingNames);
    case "AssignmentPattern":
      return bindingNames(pattern["left"]);
    case "RestElement":
      return bindingNames(pattern["argument"]);
    default:
      return [];
  }
}

function list(value: unknown): AnyNode[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === "object" && value !== null && "type" in value;
}

/** NB: the plugin API makes a new wrapper whenever a node is asked for, so nodes are compared by where they stand. */
function same(a: unknown, b: AnyNode): boolean {
  if (!isNode(a)) return false;
  return a.type === b.type && a.range?.[0] === b.range?.[0] && a.range?.[1] === b.range?.[1];
}
