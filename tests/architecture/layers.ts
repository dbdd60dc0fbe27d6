/**
 * Who may import whom: the one table, and the questions that both of its readers ask.
 *
 * The lint plugin (`lint_plugin.ts`) asks while one file is edited, the graph test (`graph_test.ts`) asks for the
 * whole tree, and finds cycles too. Paths are relative to the repository's root, with forward slashes.
 * To let a layer do more, change the table here and say why in `docs/decisions/`; there is no way to silence it in place.
 */

/** Low to high. A file may import its own layer and those before it, unless {@link NARROWER} says less. */
export const LAYERS: readonly string[] = [
  "runtime",
  "async",
  "model",
  "settings",
  "client",
  "execution",
  "registry",
  "engines",
  // The manners of handlers: what is declared, called and noted of each.
  "handlers",
  "controller",
  "operator",
  "kits",
  // Re-exports only: what the subpaths of the package hold.
  "public",
  "cli",
];

/** Layers whose parts do not know each other. A part is the first name below the layer: `engines/posting.ts`, `kits/webhooks/`. */
export const SEPARATE: readonly string[] = ["engines", "kits"];

/**
 * Places that may import less than their layer would allow (beside their own files). The longest prefix counts.
 * "types:" means: only with `import type`.
 */
export const NARROWER: Readonly<Record<string, readonly string[]>> = {
  "lib/model/": [],
  // A fault in our diffing or patching must not hide in the server that tests it.
  "lib/kits/apiserver/": ["lib/runtime/", "lib/async/", "types:lib/model/"],
  // The one kit that knows another: a test's cluster is the API server in the process (decision 0018).
  "lib/kits/testing/": [
    ...LAYERS.slice(0, LAYERS.indexOf("kits")).map((layer) => `lib/${layer}/`),
    "lib/kits/apiserver/mod.ts",
  ],
  // Embedding needs no back door: the command line lives on what everybody gets.
  "lib/cli/": [
    "lib/runtime/",
    "mod.ts",
    "lib/public/",
    "lib/operator/freeze.ts",
    "lib/operator/lease_report.ts",
    "lib/operator/offline_why.ts",
    "lib/operator/pod_ask.ts",
    "lib/operator/responsible_operator.ts",
    "lib/operator/steer.ts",
    "lib/kits/*/mod.ts",
    // Commands' own parts of the test kit, which are no doors for users.
    "lib/kits/testing/rehearsal/mod.ts",
    "lib/kits/testing/sizing/mod.ts",
    "lib/kits/testing/sizing/size_plan.ts",
  ],
  "cli.ts": ["lib/cli/", "lib/runtime/", "mod.ts"],
  "mod.ts": LAYERS.filter((layer) => layer !== "cli").map((layer) => `lib/${layer}/`),
  // Examples are what users write: the package by its name, and their own files.
  "examples/": ["package:@lotse/lotse"],
  "examples/27-schemas/": ["package:@lotse/lotse", "package:zod"],
  "examples/36-versions/": ["package:@lotse/lotse", "package:zod"],
};

/** Who may use an npm package: files, or folders ending with a slash; "types:" as above. */
export const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  "@hono/node-server": ["lib/runtime/node/server.ts"],
  // Synchronous on every runtime, which WebCrypto is not.
  "@noble/hashes": ["lib/model/encoding.ts"],
  // The API alone: what is done with traces is the user's choice.
  "@opentelemetry/api": ["lib/engines/tracing.ts", "examples/16-tracing/"],
  "@oslojs/asn1": ["lib/runtime/certificates.ts"],
  "commander": ["lib/cli/"],
  // Times of a cron expression; nothing is scheduled by it.
  "croner": ["lib/model/cron.ts", "lib/kits/apiserver/formats/cron.ts"],
  // Twice, because the server shares no code of ours with the client that it tests.
  "fast-json-patch": ["lib/kits/apiserver/patches/json_patch.ts"],
  // HTTP is hono everywhere; each server of ours is an app of its own.
  "hono": [
    "lib/handlers/admission/",
    "lib/engines/probing.ts",
    "lib/kits/apiserver/",
    "lib/kits/console/",
    "lib/kits/webhooks/",
  ],
  "js-yaml": ["lib/runtime/yaml.ts"],
  "prom-client": ["lib/engines/metrics/exposition.ts"],
  // The API server's regular expressions are Go's, in syntax, words and time.
  "re2js": ["lib/kits/apiserver/schema/patterns.ts"],
};

/** The folder that may name the runtimes, take the time and use `node:` built-ins. */
export const RUNTIME = "lib/runtime/";

/** What an import statement asks for. */
export interface Import {
  /** A path from the root ("lib/model/object.ts"), a package's name ("hono"), or a built-in ("node:fs"). */
  readonly target: string;
  readonly kind: "file" | "package" | "builtin";
  /** Nothing of it is there at run time. */
  readonly typeOnly: boolean;
}

/** Says why the file may not import that, or gives undefined if it may. */
export function whyForbidden(from: string, wanted: Import): string | undefined {
  if (wanted.kind === "builtin") return whyBuiltinForbidden(from, wanted.target);
  if (wanted.kind === "package") return whyPackageForbidden(from, wanted);
  return whyFileForbidden(from, wanted);
}

/** The layer that a path belongs to; undefined outside `lib/`. */
export function layerOf(path: string): string | undefined {
  const [top, layer] = path.split("/");
  return top === "lib" ? layer : undefined;
}

/** The package that a specifier names: "hono" for "hono/http-exception", "@hono/node-server" for itself. */
export function packageOf(specifier: string): string {
  const bare = specifier.replace(/^npm:\/?/, "");
  const [scopeOrName = "", name = ""] = bare.split("/");
  const full = bare.startsWith("@") ? `${scopeOrName}/${name}` : scopeOrName;
  return full.replace(/(?<=.)@[^/]*$/, "");
}

function whyBuiltinForbidden(from: string, target: string): string | undefined {
  if (!isShipped(from) || from.startsWith(RUNTIME)) return undefined;
  return `"${target}" is for ${RUNTIME} only: ask the Host for it`;
}

function whyPackageForbidden(from: string, wanted: Import): string | undefined {
  const narrower = narrowerRule(from);
  if (from.startsWith("examples/") && narrower?.includes(`package:${wanted.target}`)) return undefined;
  if (!from.startsWith("examples/") && !isShipped(from)) return undefined;
  const allowed = Object.hasOwn(PACKAGES, wanted.target) ? PACKAGES[wanted.target] : undefined;
  if (!allowed) return `"${wanted.target}" is in no row of PACKAGES (tests/architecture/layers.ts)`;
  if (allowed.some((rule) => permits(rule, from, wanted.typeOnly))) return undefined;
  return `"${wanted.target}" is only for ${allowed.join(", ")}`;
}

function whyFileForbidden(from: string, wanted: Import): string | undefined {
  const { target, typeOnly } = wanted;
  if (!isShipped(from) && !from.startsWith("examples/")) return undefined;
  if (samePart(from, target)) return undefined;
  if (!isShipped(target)) return `${from} is shipped, "${target}" is not`;
  const narrower = narrowerRule(from);
  if (narrower) {
    if (narrower.some((rule) => permits(rule, target, typeOnly))) return undefined;
    return `${from} may import only ${narrower.join(", ") || "its own layer"}, not "${target}"`;
  }
  return whyUpward(from, target);
}

function whyUpward(from: string, target: string): string | undefined {
  const [own, other] = [layerOf(from), layerOf(target)];
  const [height, otherHeight] = [LAYERS.indexOf(own ?? ""), LAYERS.indexOf(other ?? "")];
  if (height < 0) return `"${from}" is in no layer of the table`;
  if (otherHeight < 0) return `"${target}" is in no layer that lib/ may import`;
  if (otherHeight > height) return `imports go down only: ${own} is below ${other}`;
  if (own === other && SEPARATE.includes(own ?? "")) {
    return `no part of ${own} knows another: "${partOf(from)}" and "${partOf(target)}"`;
  }
  return undefined;
}

/** Whether both are in one layer, or in one part of a layer whose parts are separate, or in one example. */
function samePart(from: string, target: string): boolean {
  if (from.startsWith("examples/")) return folderOf(target).startsWith(from.split("/").slice(0, 2).join("/"));
  const layer = layerOf(from);
  if (layer === undefined || layer !== layerOf(target)) return false;
  return SEPARATE.includes(layer) ? partOf(from) === partOf(target) : true;
}

/** "posting" for both `lib/engines/posting/poster.ts` and `lib/engines/posting/queue.ts`. */
function partOf(path: string): string {
  return (path.split("/")[2] ?? "").replace(/\.ts$/, "");
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/") + 1);
}

function narrowerRule(from: string): readonly string[] | undefined {
  const places = Object.keys(NARROWER).filter((place) =>
    from === place || (place.endsWith("/") && from.startsWith(place))
  );
  const longest = places.sort((a, b) => b.length - a.length)[0];
  return longest === undefined ? undefined : NARROWER[longest];
}

/** Whether one entry of the table covers the path: a file, a folder with a slash, or a pattern with one star. */
function permits(rule: string, path: string, typeOnly: boolean): boolean {
  if (rule.startsWith("types:")) return typeOnly && permits(rule.slice("types:".length), path, false);
  if (rule.includes("*")) {
    return new RegExp(`^${rule.replaceAll(".", "\\.").replace("*", "[^/]+")}$`).test(path);
  }
  return rule.endsWith("/") ? path.startsWith(rule) : path === rule;
}

/** What the package holds; tests, benchmarks and tools may do as they like. */
export function isShipped(path: string): boolean {
  return path.startsWith("lib/") || path === "mod.ts" || path === "cli.ts";
}
