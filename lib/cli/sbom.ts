/**
 * A software bill of materials beside an executable: the packages of the project's lock file, as CycloneDX JSON.
 *
 * It has no time and no random number, so that the same sources give the same bytes. A lock of Deno does not tell packages that are for
 * development alone from others, so that all are listed; those of npm and Bun do.
 * The form is that of CycloneDX 1.6; names are package URLs.
 */

import type { Host } from "../runtime/host.ts";
import { VERSION } from "../runtime/version.ts";
import { parseYaml } from "../runtime/yaml.ts";
import { CommandError } from "./errors.ts";
import { findUp } from "./project_config.ts";

/** A package that a lock file names. */
export interface Package {
  /** Where it comes from: the type of its package URL. */
  readonly type: "npm" | "jsr";
  /** Such as "@lotse/lotse". */
  readonly name: string;
  readonly version: string;
  readonly hash?: { readonly alg: string; readonly content: string };
  /** An SPDX expression. */
  readonly license?: string;
}

/** The executable that the packages are in. */
export interface SbomSubject {
  readonly name: string;
  readonly version?: string;
  /** The runtime inside, and its version where it is known. */
  readonly runtime: { readonly name: string; readonly version?: string };
}

type Json = Readonly<Record<string, unknown>>;

const READERS: Readonly<Record<string, (text: string) => readonly Package[]>> = {
  "deno.lock": packagesOfDeno,
  "package-lock.json": packagesOfNpm,
  "npm-shrinkwrap.json": packagesOfNpm,
  "bun.lock": packagesOfBun,
};

/** Locks in forms that are not read, and the remedy. */
const OTHERS: Readonly<Record<string, string>> = {
  "bun.lockb": "make a bun.lock: bun install --save-text-lockfile",
  "pnpm-lock.yaml": "make a package-lock.json: npm install --package-lock-only",
  "yarn.lock": "make a package-lock.json: npm install --package-lock-only",
};

/** Reads the nearest lock file. @throws {CommandError} If there is none, or if it cannot be read. */
export async function lockedPackages(folder: string, host: Host): Promise<readonly Package[]> {
  const path = await findUp(folder, [...Object.keys(READERS), ...Object.keys(OTHERS)], host);
  if (path === undefined) {
    throw new CommandError(
      `Cannot list the packages: no lock file is in "${folder}" or above (make one: deno install, npm install or bun install)`,
    );
  }
  const name = path.split(/[/\\]/).at(-1) ?? "";
  const read = READERS[name];
  if (read === undefined) {
    throw new CommandError(
      `Cannot list the packages: "${path}" is of a form that is not read (${OTHERS[name]})`,
    );
  }
  try {
    return sorted(read(await host.files.readText(path)));
  } catch (error) {
    throw new CommandError(`Cannot list the packages of "${path}"`, { cause: error });
  }
}

/** Returns the bill as a text. */
export function formatSbom(packages: readonly Package[], { name, version, runtime }: SbomSubject): string {
  const own: readonly Package[] = packages.some((each) => each.name === "@lotse/lotse")
    ? []
    : [{ type: "npm", name: "@lotse/lotse", version: VERSION }];
  const libraries = [...own, ...packages].map((each) => {
    const purl = purlOf(each);
    const slash = each.name.startsWith("@") ? each.name.indexOf("/") : -1;
    return {
      type: "library",
      "bom-ref": purl,
      ...slash > 0 && { group: each.name.slice(0, slash) },
      name: each.name.slice(slash + 1),
      version: each.version,
      purl,
      ...each.hash !== undefined && { hashes: [each.hash] },
      ...each.license !== undefined && { licenses: [{ expression: each.license }] },
    };
  });
  const inside = { type: "platform", "bom-ref": "runtime", ...runtime };
  const components = [inside, ...libraries];
  const bill = {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      tools: { components: [{ type: "application", name: "lotse", version: VERSION }] },
      component: {
        type: "application",
        "bom-ref": "executable",
        name,
        ...version !== undefined && { version },
      },
    },
    components,
    dependencies: [{ ref: "executable", dependsOn: components.map((each) => each["bom-ref"]) }],
  };
  return `${JSON.stringify(bill, undefined, 2)}\n`;
}

function purlOf({ type, name, version }: Package): string {
  return `pkg:${type}/${name.replace("@", "%40")}@${encodeURIComponent(version)}`;
}

/** Reads the versions 4 and 5: "name@version", with peers after underscores. */
function packagesOfDeno(text: string): Package[] {
  const lock = asObject(JSON.parse(text));
  if (!["4", "5"].includes(String(lock.version))) {
    throw new TypeError(
      `Its version is ${String(lock.version)}: 4 and 5 are read (deno install writes it anew)`,
    );
  }
  const packages = (type: Package["type"]): Package[] =>
    Object.entries(asObject(lock[type] ?? {})).map(([key, value]) => {
      const [name, rest] = splitKey(key);
      const { integrity } = asObject(value);
      return { type, name, version: rest.split("_")[0] ?? "", hash: hashOf(integrity) };
    });
  return [...packages("npm"), ...packages("jsr")];
}

/** Reads the lockfileVersions 2 and 3. */
function packagesOfNpm(text: string): Package[] {
  const { packages, lockfileVersion } = asObject(JSON.parse(text));
  if (packages === undefined) {
    throw new TypeError(
      `Its lockfileVersion is ${String(lockfileVersion)}: 2 and 3 are read (npm install writes it anew)`,
    );
  }
  return Object.entries(asObject(packages)).flatMap(([path, value]) => {
    const { name, version, integrity, license, dev, link } = asObject(value);
    const at = path.lastIndexOf("node_modules/");
    if (at < 0 || dev === true || link === true || typeof version !== "string") return [];
    return [{
      type: "npm" as const,
      name: typeof name === "string" ? name : path.slice(at + "node_modules/".length),
      version,
      hash: hashOf(integrity),
      ...typeof license === "string" && { license },
    }];
  });
}

/** Reads JSON with commas that trail, which YAML takes; packages are ["name@version", registry, facts, integrity]. */
function packagesOfBun(text: string): Package[] {
  const lock = asObject(parseYaml(text)[0]);
  const packages = Object.entries(asObject(lock.packages ?? {}));
  const needed = neededOf(lock, new Map(packages));
  return packages.filter(([path]) => needed.has(path)).flatMap(([, value]) => {
    if (!Array.isArray(value) || typeof value[0] !== "string") return [];
    const [name, version] = splitKey(value[0]);
    // Packages of a path, a workspace or a repository have no version of a registry.
    return /^\d/.test(version) ? [{ type: "npm" as const, name, version, hash: hashOf(value.at(-1)) }] : [];
  });
}

/** Returns the paths of packages that are not for development alone. */
function neededOf(lock: Json, packages: ReadonlyMap<string, unknown>): ReadonlySet<string> {
  const needed = new Set<string>();
  const visit = (path: string, above: string): void => {
    const nested = `${above}/${path}`;
    const found = packages.has(nested) ? nested : path;
    if (needed.has(found) || !packages.has(found)) return;
    needed.add(found);
    const facts = packages.get(found);
    for (const name of dependenciesOf(Array.isArray(facts) ? facts.find(isObject) : undefined)) {
      visit(name, found);
    }
  };
  for (const workspace of Object.values(asObject(lock.workspaces ?? {}))) {
    for (const name of dependenciesOf(workspace)) visit(name, "");
  }
  return needed;
}

function dependenciesOf(facts: unknown): string[] {
  if (!isObject(facts)) return [];
  return ["dependencies", "optionalDependencies", "peerDependencies"].flatMap((key) =>
    isObject(facts[key]) ? Object.keys(facts[key]) : []
  );
}

/** Splits "@scope/name@version". */
function splitKey(key: string): [name: string, version: string] {
  const at = key.indexOf("@", 1);
  return at < 0 ? [key, ""] : [key.slice(0, at), key.slice(at + 1)];
}

/** Returns a hash as CycloneDX writes it, of "sha512-BASE64", or of the hexadecimal SHA-256 that JSR has. */
function hashOf(integrity: unknown): Package["hash"] {
  if (typeof integrity !== "string") return undefined;
  if (/^[0-9a-f]{64}$/.test(integrity)) return { alg: "SHA-256", content: integrity };
  const [, bits, base64 = ""] = /^sha(1|256|384|512)-([A-Za-z0-9+/=]+)$/.exec(integrity) ?? [];
  if (bits === undefined) return undefined;
  const content = [...atob(base64)].map((each) => each.charCodeAt(0).toString(16).padStart(2, "0")).join("");
  return { alg: `SHA-${bits}`, content };
}

function sorted(packages: readonly Package[]): Package[] {
  const unique = new Map(packages.map((each) => [purlOf(each), each]));
  return [...unique].sort(([a], [b]) => a < b ? -1 : 1).map(([, each]) => each);
}

function asObject(value: unknown): Json {
  if (isObject(value)) return value;
  throw new TypeError("It is not in the form of a lock file");
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
