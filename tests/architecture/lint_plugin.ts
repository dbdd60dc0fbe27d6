/// <reference lib="deno.unstable" />
/**
 * Lotse's own lint rules, for `deno lint` and for the editor: layers, host globals and chance, sizes, comments, `mod.ts`.
 *
 * The table of layers is `layers.ts`; the graph test reads the same one. What a rule forbids cannot be switched off
 * in place: `lint_test.ts` runs the plugin over the tree again, without looking at ignore comments.
 */

import { isShipped, packageOf, RUNTIME, whyForbidden } from "./layers.ts";
import { type AnyNode, isGlobalReference } from "./scopes.ts";

export const MAX_FILE_LINES = 600;
export const MAX_FUNCTION_LINES = 80;
/** Files that a tool writes and nobody reads from top to bottom. */
const GENERATED = ["lib/kits/kinds/kubernetes.ts"];

/** The one file of `lib/public/` with code: it gives the operator the work of kits. */
export const BINDING = "lib/public/operator.ts";

const ROOT = new URL("../../", import.meta.url).pathname;

const ASK_HOST = "ask the Host for it";
const CLOCK = "use host.clock";
const NETWORK = "use host.network, or the transport";

/** Globals that only lib/runtime names, with what to use in their place. */
const HOST_GLOBALS: Readonly<Record<string, string>> = {
  ...fromNames(
    "Deno Bun process Buffer require module __dirname __filename navigator Worker localStorage",
    ASK_HOST,
  ),
  ...fromNames("globalThis self window global", "name what you need of it"),
  ...fromNames(
    "setTimeout setInterval setImmediate clearTimeout clearInterval clearImmediate performance",
    CLOCK,
  ),
  ...fromNames("fetch WebSocket EventSource XMLHttpRequest BroadcastChannel", NETWORK),
  crypto: "use host.random",
  console: "use a logger",
};

/** The same for members of globals that are fine otherwise. */
const HOST_MEMBERS: Readonly<Record<string, string>> = {
  "Date.now": CLOCK,
  "Math.random": "use host.random",
  "AbortSignal.timeout": CLOCK,
};

/** Files that read the wall clock, and which timestamp they write or read: whatever lasts is measured by `monotonic()`. */
export const WALL_CLOCK: Readonly<Record<string, string>> = {
  "lib/client/auth/auth_provider.ts": "when the token of a provider expires",
  "lib/client/auth/exec_plugin.ts": "when the credentials of a plugin expire",
  "lib/client/auth/vault.ts": "when credentials expire",
  "lib/controller/controller.ts": "the beginning of the run, in the ids of turns",
  "lib/handlers/change/change_part.ts": "delays that are kept on objects",
  "lib/handlers/change/change_run.ts": "attempts and delays that are kept on objects",
  "lib/handlers/admission/certificate.ts": "how long certificates are valid",
  "lib/handlers/admission/shared_certificate.ts": "how long certificates are valid",
  "lib/engines/calls.ts": "times of calls",
  "lib/engines/ledger.ts": "times in records",
  "lib/kits/testing/rehearsal/play.ts": "when a cluster was copied",
  "lib/kits/testing/rehearsal/reading.ts": "when a cluster was copied",
  "lib/controller/reconcile.ts": "until when an object is paused",
  "lib/engines/pauses.ts": "until when an object is paused",
  "lib/engines/metrics/gauges.ts": "when the process was started",
  "lib/engines/peering/peering.ts": "the name of a run",
  "lib/engines/peering/peering_object.ts": "times in peering records",
  "lib/engines/posting/poster.ts": "times of Kubernetes events",
  "lib/engines/replicas/moments.ts": "times in Leases, and how long a machine was suspended",
  "lib/operator/lease_report.ts": "ages of Leases, for people",
  "lib/handlers/task/tasks.ts": "times of cron expressions",
  "lib/kits/testing/cluster.ts": "at what time a fork begins",
  "lib/kits/testing/runner.ts": "times in messages",
  "lib/kits/testing/simulation/life.ts": "whether the clock of a process was set",
  "lib/kits/testing/simulation/rest.ts": "times in the ledger",
  "lib/kits/testing/simulation/world.ts": "until when a person pauses an object",
  "lib/handlers/retry.ts": "the argument `started`",
  "lib/operator/admission.ts": "how long a certificate is valid",
  "lib/kits/uninstall/peering_records.ts": "times in peering records",
  "lib/operator/freeze.ts": "times in peering records",
  "lib/operator/offline_why.ts": "times in notes",
  "lib/operator/steer.ts": "times in annotations",
  "lib/cli/steer.ts": "until when an object is paused",
  "lib/handlers/object_args.ts": "attempts that are kept on objects",
};

const plugin: Deno.lint.Plugin = {
  name: "lotse",
  rules: {
    layers: { create: layers },
    "host-globals": { create: hostGlobals },
    "wall-clock": { create: wallClock },
    sizes: { create: sizes },
    comments: { create: comments },
    spreads: { create: spreads },
    "re-exports": { create: reExports },
  },
};

export default plugin;

/** The wall clock may be set: what is measured by it lasts for hours, or for no time at all. */
function wallClock(context: Deno.lint.RuleContext): Deno.lint.LintVisitor {
  const path = pathOf(context);
  const isFree = !path.startsWith("lib/") || /^lib\/(runtime|kits\/apiserver)\//.test(path);
  if (isFree || Object.hasOwn(WALL_CLOCK, path)) return {};
  return {
    CallExpression(node) {
      const { callee } = node;
      if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier") return;
      if (callee.property.name !== "now" || !isClock(callee.object)) return;
      const message =
        "Durations are measured by clock.monotonic(); timestamps are for the files that WALL_CLOCK names";
      context.report({ node, message });
    },
  };
}

/** Whether it is called a clock: `clock`, `host.clock`, `this.#clock`. */
function isClock(node: Deno.lint.Node): boolean {
  if (node.type === "Identifier") return /clock$/i.test(node.name);
  if (node.type !== "MemberExpression") return false;
  const { property } = node;
  return (property.type === "Identifier" || property.type === "PrivateIdentifier") &&
    /clock$/i.test(property.name);
}

function layers(context: Deno.lint.RuleContext): Deno.lint.LintVisitor {
  const from = pathOf(context);
  function check(node: Deno.lint.Node, source: unknown, typeOnly: boolean): void {
    const specifier = literal(source);
    if (specifier === undefined) return;
    const reason = whyForbidden(from, resolveImport(from, specifier, typeOnly));
    if (reason) context.report({ node, message: `Forbidden import: ${reason}` });
  }
  return {
    ImportDeclaration: (node) => check(node, node.source, isTypeOnly(node.importKind, node.specifiers)),
    ExportAllDeclaration: (node) => check(node, node.source, node.exportKind === "type"),
    ExportNamedDeclaration: (node) => check(node, node.source, isTypeOnly(node.exportKind, node.specifiers)),
    ImportExpression: (node) => check(node, node.source, false),
    TSImportType: (node) => check(node, node.argument, true),
  };
}

function hostGlobals(context: Deno.lint.RuleContext): Deno.lint.LintVisitor {
  const path = pathOf(context);
  if (!isShipped(path) || path.startsWith(RUNTIME)) return {};
  const isGlobal = (node: Deno.lint.Node) =>
    isGlobalReference(
      node as unknown as AnyNode,
      context.sourceCode.getAncestors(node) as unknown as AnyNode[],
    );
  function report(node: Deno.lint.Node, name: string, advice: string): void {
    context.report({ node, message: `"${name}" is for ${RUNTIME} only: ${advice}` });
  }
  return {
    Identifier(node) {
      if (!Object.hasOwn(HOST_GLOBALS, node.name)) return;
      if (node.name === "console" && path.startsWith("lib/cli/")) return;
      if (isGlobal(node)) report(node, node.name, HOST_GLOBALS[node.name] ?? ASK_HOST);
    },
    MemberExpression(node) {
      if (node.object.type !== "Identifier") return;
      const member = node.property.type === "Identifier" && !node.computed
        ? node.property.name
        : literal(node.property);
      const name = `${node.object.name}.${member}`;
      const advice = Object.hasOwn(HOST_MEMBERS, name) ? HOST_MEMBERS[name] : undefined;
      if (advice && isGlobal(node.object)) report(node, name, advice);
    },
    NewExpression(node) {
      if (node.callee.type !== "Identifier" || node.callee.name !== "Date" || node.arguments.length > 0) {
        return;
      }
      if (isGlobal(node.callee)) report(node, "new Date()", CLOCK);
    },
    CallExpression(node) {
      if (node.callee.type !== "Identifier" || node.callee.name !== "Date") return;
      if (isGlobal(node.callee)) report(node, "Date()", CLOCK);
    },
  };
}

function sizes(context: Deno.lint.RuleContext): Deno.lint.LintVisitor {
  if (!isShipped(pathOf(context))) return {};
  function check(node: Deno.lint.Node): void {
    const lines = countLines(context.sourceCode.getText(node));
    if (lines <= MAX_FUNCTION_LINES) return;
    context.report({
      node,
      message: `A function of ${lines} lines: at most ${MAX_FUNCTION_LINES}. What are its parts?`,
    });
  }
  return {
    Program(node) {
      const lines = countLines(context.sourceCode.text.trimEnd());
      if (lines <= MAX_FILE_LINES || GENERATED.includes(pathOf(context))) return;
      context.report({
        node,
        message: `A file of ${lines} lines: at most ${MAX_FILE_LINES}. What are the two concepts?`,
      });
    },
    FunctionDeclaration: check,
    FunctionExpression: check,
    ArrowFunctionExpression: check,
  };
}

/** Documentation begins with what a thing is or does: "Returns …", a noun, a verb; not with a clause, nor with "Gives". */
function comments(context: Deno.lint.RuleContext): Deno.lint.LintVisitor {
  if (!isShipped(pathOf(context))) return {};
  return {
    Program() {
      for (const { type, value, range } of context.sourceCode.getAllComments()) {
        const [, opener] = type === "Block" ? /^\*[\s*]*(Gives|What|Who)\b/.exec(value) ?? [] : [];
        if (opener === undefined) continue;
        const message = `A comment that begins with "${opener}": say "Returns …", or name the thing`;
        context.report({ range, message });
      }
    },
  };
}

/** A literal that is spread into a literal makes an object to throw away, so that the formatter keeps it on one line. */
function spreads(context: Deno.lint.RuleContext): Deno.lint.LintVisitor {
  if (!isShipped(pathOf(context))) return {};
  return {
    SpreadElement(node) {
      const value = node.argument.type === "TSAsExpression" ? node.argument.expression : node.argument;
      if (value.type !== "ObjectExpression" && value.type !== "ArrayExpression") return;
      context.report({ node, message: "A literal in a literal: write its members into the outer one" });
    },
  };
}

function reExports(context: Deno.lint.RuleContext): Deno.lint.LintVisitor {
  const path = pathOf(context);
  if (path === BINDING || (path !== "mod.ts" && !path.startsWith("lib/public/"))) return {};
  return {
    Program(node) {
      for (const statement of node.body) {
        const passesOn = statement.type === "ExportAllDeclaration" ||
          (statement.type === "ExportNamedDeclaration" && statement.declaration === null);
        if (!passesOn) {
          context.report({
            node: statement,
            message: "Only re-exports belong here: put this into another folder of lib/",
          });
        }
      }
    },
  };
}

/** What the specifier means in that file: a path from the root, a package or a built-in. */
function resolveImport(
  from: string,
  specifier: string,
  typeOnly: boolean,
): Parameters<typeof whyForbidden>[1] {
  if (specifier.startsWith("node:")) return { kind: "builtin", target: specifier, typeOnly };
  if (!specifier.startsWith(".")) return { kind: "package", target: packageOf(specifier), typeOnly };
  const target = new URL(specifier, `file:///${from}`).pathname.slice(1);
  return { kind: "file", target, typeOnly };
}

/** The file's path from the repository's root. */
function pathOf(context: Deno.lint.RuleContext): string {
  const path = context.filename.replaceAll("\\", "/");
  return path.startsWith(ROOT) ? path.slice(ROOT.length) : path.replace(/^\.?\//, "");
}

function isTypeOnly(kind: unknown, specifiers: readonly unknown[]): boolean {
  if (kind === "type") return true;
  return specifiers.length > 0 && specifiers.every((one) => {
    const { importKind, exportKind } = one as { importKind?: string; exportKind?: string };
    return importKind === "type" || exportKind === "type";
  });
}

function literal(node: unknown): string | undefined {
  const { value, literal: inner } = (node ?? {}) as { value?: unknown; literal?: { value?: unknown } };
  const text = value ?? inner?.value;
  return typeof text === "string" ? text : undefined;
}

function countLines(text: string): number {
  return text.split("\n").length;
}

function fromNames(names: string, advice: string): Record<string, string> {
  return Object.fromEntries(names.split(" ").map((name) => [name, advice]));
}
